/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row: generates the D that prints one row of a tool's table as text, JSON or CSV. */
#ifndef DWIRE_CLI_TOOL_ROW_H
#define DWIRE_CLI_TOOL_ROW_H
#include "cli/tool/head.h"

/* The row of a label; NULL: there is none. */
const struct row *tool_row(const struct tool *t, const char *label, size_t len);
/* Writes a printf(), or with agg a printa(), of the row; args are D. False after a message. */
bool tool_print_row(struct tool *t, const struct row *r, char *const *args, size_t nargs, bool agg, FILE *out);
/* Writes a printf() of the line with the columns' names, if the output is text. */
void tool_print_header(struct tool *t, const struct row *r, FILE *out);
/* Writes a printf() of the first line of a CSV. */
void tool_print_names(struct tool *t, const struct row *r, FILE *out);
#endif
