/* SPDX-License-Identifier: GPL-2.0-or-later */
/* project: -h and -G, which write the header and the object for a project that defines probes. */
#ifndef DWIRE_CLI_PROJECT_H
#define DWIRE_CLI_PROJECT_H
#include <stdbool.h>

#include "cli/message.h"

struct project {
	bool header, object;        /* -h, -G */
	const char *output;         /* -o; NULL: the script's name with .h or .o, in the current directory */
	const char *script;         /* the first -s; NULL: none */
	const char *const *objects; /* of the project, which -G leaves as they are */
	int nobjects;
};

/* Writes the file. A file that was there before is replaced, but not after an error in a text. Returns the exit
 * status. */
int project_write(struct dwire *d, const struct project *p, const struct messages *messages);
#endif
