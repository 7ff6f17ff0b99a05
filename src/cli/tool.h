/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool: the D tools that are compiled in, with options of their own. */
#ifndef DWIRE_CLI_TOOL_H
#define DWIRE_CLI_TOOL_H
#include <stdbool.h>
#include <stdio.h>

/* Is there a tool called so? */
int tool_find(const char *name);
/* Is the text a tool's: does its first comment tell an interface? */
bool tool_is_source(const char *text);
/* A tool whose name is near, in buf; NULL: none. */
const char *tool_nearest(const char *name, char *buf, size_t size);
/* Is it the first word of one of tcpdump's filters? */
bool tool_is_filter(const char *word);
/* Names of all tools, filling lines of 80 columns; col columns of the first are taken. */
void tool_list(FILE *out, size_t col);
/* All tools with one line each. */
void tool_titles(FILE *out);
/* Runs `name args...` through argv, argv[0] the tool's name or a file that is its source. Gives the process's exit
 * status; messages go to err. */
int tool_main(int argc, char **argv, FILE *err);
#endif
