/* SPDX-License-Identifier: GPL-2.0-or-later */
/* name: the name that the command was called by, in messages. */
#ifndef DWIRE_CLI_NAME_H
#define DWIRE_CLI_NAME_H
#include <stdbool.h>
#include <stdio.h>

struct name {
	const char *word; /* "dwire", or "dtrace" when we are installed under a name that ends so */
	bool in_line;     /* what was written last did not end its line */
};

/* Where messages go: stderr, or a line-buffered stream before it that puts the name in place of the "dwire: " that
 * begins a line. NULL: no memory. n is filled and must live as long as the stream. */
FILE *name_messages(struct name *n, const char *argv0);
#endif
