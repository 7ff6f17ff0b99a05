/* SPDX-License-Identifier: GPL-2.0-or-later */
/* head: parses the head of a tool's script. The head is the script's first comment; it declares the tool's options
 * and columns (docs/HOWTO_ADD_TOOL.md). */
#ifndef DWIRE_CLI_TOOL_HEAD_H
#define DWIRE_CLI_TOOL_HEAD_H
#include <stdbool.h>
#include <stdio.h>

#include "cli/message.h"
#include "cli/tool/table.h"

#define MAX_PARAMS 40
#define MAX_COLUMNS 36
#define MAX_ROWS 7

/* What a parameter becomes in the program. */
enum param_kind {
	PARAM_FLAG,    /* 0 or 1 */
	PARAM_NUMBER,  /* inline int */
	PARAM_SECONDS, /* the same, rounded up; NAME_text is a string, as given, with at most 3 decimals */
	PARAM_STRING,  /* inline string */
	PARAM_LIST,    /* of numbers: inline int NAME[int x], 1 for those of the list, and for all without one */
	PARAM_PORTS,   /* such a list, of port numbers */
	PARAM_WORDS,   /* nothing: values with commas between them, for a filter */
	PARAM_RAW,     /* nothing: dwire itself uses it */
};

struct param {
	enum param_kind kind;
	char flag;       /* 0: none */
	char longer[16]; /* "netns"; "": none. Neither: an argument */
	char word[16];   /* "PID"; "": takes no value */
	char name[24];   /* of the D constant; "option.NAME" sets that option */
	char value[256]; /* D text; of a list, and raw: as given */
	char help[96];
	char same_as; /* another flag that it means; or 0 */
	bool given;
};

struct column {
	char name[24];
	char json[32];
	char fmt[64], wide[32]; /* wide "": the same */
	char when[24];          /* a flag's constant, "json", or "" */
	char help[80];          /* what it means here; "": as everywhere (docs/rows.schema.json) */
	bool negate;
	unsigned nargs; /* conversions */
};

struct row {
	char label[16];
	struct column cols[MAX_COLUMNS];
	size_t ncols;
};

enum tool_out { TOOL_TEXT, TOOL_JSON, TOOL_CSV };

struct tool {
	const struct embedded *file;
	struct embedded source;        /* storage of file for a tool that is not built in */
	const struct embedded *script; /* another tool's D to append to that of file; or NULL */
	struct messages *messages;     /* of the command and the library: "dwire: ..." */
	struct messages own;           /* of the tool: "tcptop: ..." */
	bool no_memory;                /* parts of the program are missing; reported by run_tool() */
	char name[32];
	char title[128];
	struct param params[MAX_PARAMS];
	size_t nparams;
	struct row rows[MAX_ROWS];
	size_t nrows;
	char join[4];     /* between columns of text */
	char module[32];  /* of the kernel, which must be loaded; or "" */
	char filters[32]; /* "filters: NAME": the flag that filters turn on; or "" */
	bool clock_first; /* common: clock: the time of day before each row */
	bool interval;
	bool walks;   /* common: walks: a report is a walk over what there is, not what an interval had */
	bool between; /* ... with tool:::interval: a report is the difference between two walks */
	/* --by counts the rows of events: the number of the row that it counts, from 1 on, and the last row has the
	 * counts; 0: it does not. */
	size_t counted;
	int interval_at; /* where argv has the interval as an argument; 0: it has none */
	enum tool_out out;
	struct dwire *recorded; /* the trace that it is recorded by; borrowed; or NULL */
	bool carried;           /* rows carry all that the tool can show, for a replay to choose from */
	int argc;               /* the words that it was called by, its name first; borrowed */
	char **argv;
	const char *command; /* --command */
	const char *capture; /* -w: packets are written into this file, and rows are not; or NULL */
};

/* Does the text's first comment declare a tool? */
bool tool_is_source(const char *text);
/* Reads the head of t->file, with the groups of options that it names. False after a message: the head is wrong. */
bool tool_parse_head(struct tool *t);
/* The parameter that becomes the D constant of that name; NULL: there is none. */
struct param *tool_param(struct tool *t, const char *name);
/* The value of a flag or number; 0 where there is none. */
long tool_number(struct tool *t, const char *name);
/* Are only the processes of --command shown? Not by tools without filters for processes. */
bool tool_only_command(struct tool *t);
/* Seconds, as "1" or "0.5", in milliseconds; 0 where there are none. */
long tool_ms(struct tool *t, const char *name);
#endif
