/* SPDX-License-Identifier: GPL-2.0-or-later */
/* carrier: rows of a recording. They carry all that the tool can show, so that a replay chooses as the live tool does.
 * The recorded program has a line `inline string tool_carried = "NAME ..."`, and its formats begin with a mark
 * (\036): "\036row:0:", "\036rows:0:", "\036header:0:", "\036say:", "\036names:". The numbers are those of the head's
 * rows. Behind the mark of a row() its values are in order, then those of the common columns. */
#ifndef DWIRE_CLI_TOOL_PROGRAM_CARRIER_H
#define DWIRE_CLI_TOOL_PROGRAM_CARRIER_H
#include "cli/tool/program/columns.h"

#define CARRIER_MARK '\036'
#define CARRIED_AGGS 32

/* An aggregation that rows show. */
struct carried_agg {
	char name[32]; /* without its @ */
	size_t row;
	size_t nkeys; /* of the script; those of common columns follow */
};

/* What a recorded program carries. */
struct carried {
	unsigned rows[MAX_ROWS]; /* the common columns of each, a bit each */
	struct carried_agg aggs[CARRIED_AGGS];
	size_t naggs;
	bool rows_given; /* -n */
	struct layout layouts[MAX_ROWS];
};

/* ---- the recorder's side ---- */
/* Writes the line that describes the carried rows. */
void carrier_put_line(const struct tool *t, const struct carried *c, FILE *out);
/* Writes a printf() with all values of row number at; args are the D values of its conversions. False after a
 * message. */
bool carrier_put_row(struct tool *t, const struct carried *c, size_t at, const struct subject *of, char *const *args,
	size_t nargs, FILE *out);
/* Writes a printa() of the aggregations args. */
void carrier_put_rows(struct tool *t, const struct carried *c, size_t at, char *const *args, size_t nargs, FILE *out);
/* Writes the keys that an aggregation of the row has, with their brackets. */
void carrier_put_keys(
	const struct carried *c, size_t at, const struct subject *of, char *const *keys, size_t nkeys, FILE *out);

/* ---- the replay's side ---- */
/* Reads a recorded script: what it carries, and the tool's head with the flags that it ran with. 0: it is no tool's;
 * 1: done; -1 after a message. text must live as long as t. */
int carrier_read(struct tool *t, struct carried *c, const char *text);
/* Chooses the columns, by the arguments that t has taken. False after a message. */
bool carrier_choose(struct tool *t, struct carried *c);

/* A format, and what it shows of the carried values, keys or aggregations, in order. */
struct cast {
	char *format; /* malloc'ed; NULL: no memory */
	int *values;  /* malloc'ed; numbers; CAST_INT, CAST_TEXT: unknown, -1 or "" */
	size_t n;
};
#define CAST_INT (-1)
#define CAST_TEXT (-2)

/* What row number at prints. */
struct cast carrier_row(struct tool *t, const struct carried *c, size_t at);
/* ... as a row of naggs aggregations: values are the numbers of those that it shows. */
struct cast carrier_rows(struct tool *t, const struct carried *c, size_t at, size_t naggs);
/* The keys that its aggregations have then: values are the numbers of carried keys. The format is "". */
struct cast carrier_keys(const struct carried *c, const struct carried_agg *agg);
/* The line above it; an empty format if the output has none. */
struct cast carrier_header(struct tool *t, const struct carried *c, size_t at);
/* The first line of a CSV. */
struct cast carrier_names(struct tool *t, const struct carried *c);
void cast_free(struct cast *c);
#endif
