/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row: generates the D that prints one row of a tool's table as text, JSON or CSV. */
#ifndef DWIRE_CLI_TOOL_PROGRAM_ROW_H
#define DWIRE_CLI_TOOL_PROGRAM_ROW_H
#include "cli/tool/program/columns.h"

/* The row of a label; NULL: there is none. */
const struct row *tool_row(const struct tool *t, const char *label, size_t len);
/* The row that CSV has the names of: one with the name of a flag that was given, else the first. */
const struct row *tool_named_row(struct tool *t);
/* Writes ", " and the D values of a common column, in a row of an event. */
void tool_print_common(struct tool *t, enum common common, const struct subject *of, FILE *out);
/* Writes a printf() of the row; args are the D values of all its conversions. False after a message. */
bool tool_print_row(struct tool *t, const struct row *r, const struct layout *l, const struct subject *of,
	char *const *args, size_t nargs, FILE *out);
/* Writes a printa() of the aggregations args. */
void tool_print_rows(struct tool *t, const struct layout *l, char *const *args, size_t nargs, FILE *out);
/* Writes the keys, with their brackets, that an aggregation of the row has then; keys: those of the script. */
void tool_print_keys(const struct layout *l, const struct subject *of, char *const *keys, size_t nkeys, FILE *out);
/* --by of events: is the row counted? It is the tool's first one, or has the same columns; where that has a text, it
 * may have several values, which become one. */
bool tool_is_counted(const struct tool *t, const struct row *r);
/* Writes what counts one row, for a row(args), and what prints the counts at the end. False after a message. */
bool tool_count_row(struct tool *t, const struct row *r, const struct layout *l, const struct subject *of,
	char *const *args, size_t nargs, FILE *out);
void tool_print_counts(struct tool *t, const struct layout *l, FILE *out);
/* Writes a printf() of the line with the columns' names, if the output is text. */
void tool_print_header(struct tool *t, const struct layout *l, FILE *out);
/* Writes a printf() of the first line of a CSV. */
void tool_print_names(const struct layout *l, FILE *out);
#endif
