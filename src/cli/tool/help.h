/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help: the text of a tool's -h: title, usage, options, columns. */
#ifndef DWIRE_CLI_TOOL_HELP_H
#define DWIRE_CLI_TOOL_HELP_H
#include "cli/tool/head.h"

/* Is it a positional argument: a parameter without a flag and a long name? */
bool tool_is_argument(const struct param *p);
/* Writes an option as help and messages show it: "-p PID", "--netns NAME", "-x, --failed", or an argument's word.
 * Returns buf. */
const char *tool_option_shown(const struct param *p, char *buf, size_t size);
/* Writes the columns of -h, then the names of all columns, for -o help and completion. */
void tool_help_columns(struct tool *t, FILE *out);
/* Writes the text of -h. t->no_memory is set if the common columns could not be found. */
void tool_help(struct tool *t, FILE *out);
#endif
