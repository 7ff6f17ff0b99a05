/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source: reads the pieces of a tool's script that become other D. */
#ifndef DWIRE_CLI_TOOL_PROGRAM_SOURCE_H
#define DWIRE_CLI_TOOL_PROGRAM_SOURCE_H
#include <stdbool.h>
#include <stddef.h>

#define MAX_ARGS 64

/* What stands between brackets. */
struct call {
	char *text; /* owned; cut into the arguments */
	char *args[MAX_ARGS];
	size_t nargs;
	bool no_memory;
};

/* Returns the end of the comment, string or character constant at s; s if there is none. */
const char *source_skip(const char *s);
/* Splits the arguments from s, just after the opening bracket, up to the closing one that matches it. Returns the
 * position after it; NULL: it is missing. */
const char *source_args(const char *s, char close, struct call *c);
#endif
