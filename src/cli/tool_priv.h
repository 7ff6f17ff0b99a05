/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool_priv: what the files of the tools share. A tool is a D script whose first comment is its interface (docs/
 * HOWTO_ADD_TOOL.md): tool_head.c reads it, tool_args.c the command line, tool_filter.c makes the common filters,
 * tool_text.c the D program, tool.c runs it. */
#ifndef DWIRE_CLI_TOOL_PRIV_H
#define DWIRE_CLI_TOOL_PRIV_H
#include <stdbool.h>
#include <stdio.h>

#include "cli/tools.h"

#define MAX_PARAMS 40
#define MAX_COLUMNS 28
#define MAX_ROWS 4

/* What a parameter becomes in the program. */
enum param_kind {
	PARAM_FLAG,   /* 0 or 1 */
	PARAM_NUMBER, /* inline int */
	PARAM_STRING, /* inline string */
	PARAM_LIST,   /* of numbers: inline int NAME[int x], 1 for those of the list, and for all without one */
	PARAM_PORTS,  /* such a list, of port numbers */
	PARAM_NETS,   /* nothing: addresses and networks, for a filter */
	PARAM_RAW,    /* nothing: it is for us */
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
	char fmt[32], wide[32]; /* wide "": the same */
	char when[24];          /* a flag's constant, "json", or "" */
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
	const struct dlib_file *file;
	struct dlib_file source;        /* what file is of a tool that is not built in */
	const struct dlib_file *script; /* more D, behind that of file: another tool's; or NULL */
	FILE *err;                      /* messages */
	char name[32];
	char title[128];
	struct param params[MAX_PARAMS];
	size_t nparams;
	struct row rows[MAX_ROWS];
	size_t nrows;
	char join[4];                 /* between columns of text */
	char module[32];              /* of the kernel, which must be loaded; or "" */
	bool secs_first, clock_first; /* common: time, clock */
	bool interval;
	enum tool_out out;
	const char *command; /* --command */
};

/* tool_head.c: the interface, and the groups of options that it names. False after a message: the script is wrong. */
bool tool_parse_head(struct tool *t);
struct param *tool_param(struct tool *t, const char *name);
/* The number of a flag or number; 0 where there is none. */
long tool_number(struct tool *t, const char *name);

/* tool_args.c: 0: run; 1: done (-h); 2: wrong, after a message. */
int tool_take_args(struct tool *t, int argc, char **argv);

/* tool_meant.c: the option that another tool's users call so; NULL: none. */
const struct param *tool_meant_option(struct tool *t, const char *longer);
/* Says how a word that stands for nothing is given as an option; false: nothing was said. */
bool tool_meant_word(struct tool *t, const char *word);

/* tool_filter.c: D for wanted(cs), (cs, lport, rport), (cs, lport, rport, laddr, raddr) and its condition; what was not
 * asked for is not there at all. here, wanted_here(cs): cs has no socket, it is the running process. False after a
 * message. */
bool tool_filter(struct tool *t, char *const *args, size_t nargs, bool here, FILE *out);
/* The same for wanted_netns(cs): the network namespaces alone, for what belongs to no process. */
bool tool_filter_netns(struct tool *t, char *const *args, size_t nargs, FILE *out);
/* The network namespaces that were asked for, as -x netns takes them. */
bool tool_netns_numbers(struct tool *t, FILE *out);
/* Are the values of the filters' options good? */
bool tool_check_filters(struct tool *t);

/* tool_row.c: printf()s of rows in the format that was asked for. args are D; NULL with agg: printa. */
const struct row *tool_row(const struct tool *t, const char *label, size_t len);
bool tool_print_row(struct tool *t, const struct row *r, char *const *args, size_t nargs, bool agg, FILE *out);
void tool_print_header(struct tool *t, const struct row *r, FILE *out);
/* The line that a CSV begins with. */
void tool_print_names(struct tool *t, const struct row *r, FILE *out);

/* tool_note.c: says what the tool will not see, if that is plain before it begins. False: nothing at all. */
bool tool_note(struct tool *t);

/* tool_text.c: the whole program. False after a message. */
bool tool_program(struct tool *t, FILE *out);
#endif
