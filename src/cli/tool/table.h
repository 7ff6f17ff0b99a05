/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: the tools that are compiled in, by name. dlib/gen_embed.py makes the table from tools/ (all .d files). Names
 * keep their ending: "tcptop.d". Texts end with a NUL that len does not count; the last entry has no name. */
#ifndef DWIRE_CLI_TOOL_TABLE_H
#define DWIRE_CLI_TOOL_TABLE_H
#include <stddef.h>
#include <stdio.h>

#include "cli/embedded.h"

extern const struct embedded tool_files[];
extern const size_t tool_nfiles;

/* The index of the tool of that name; -1: there is none. */
int tool_find(const char *name);
/* The name of the tool that is nearest to a misspelt one, in buf; NULL: none is near. */
const char *tool_nearest(const char *name, char *buf, size_t size);
/* Writes the names of all tools in lines of 80 columns; col columns of the first are taken. */
void tool_list(FILE *out, size_t col);
/* Writes all tools with their titles, one a line. */
void tool_titles(FILE *out);
#endif
