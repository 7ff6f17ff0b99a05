/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recast: rows of a recorded tool as a live one would print them with other options (cli/tool/program/carrier.h).
 * Of a session of another script nothing is changed. */
#ifndef DWIRE_CLI_RECORD_RECAST_H
#define DWIRE_CLI_RECORD_RECAST_H
#include <stdbool.h>
#include <stdio.h>

#include "cli/message.h"

#define RECAST_ARGS 16

/* What a replay was asked for: options of tools. */
struct recast_options {
	const char *args[RECAST_ARGS]; /* "-o", "pid,comm", …; borrowed */
	int n;
	bool json; /* --json is one of them; of another script it asks for frames */
};

/* What became of a session. */
struct recast_result {
	bool failed; /* after a message: the options do not fit what was recorded; no frames come out */
	bool is_tool;
};

/* A file to write the frames of one session into: they come out at to, which is left open. NULL: no memory. All is
 * borrowed until it is closed. */
FILE *recast_open(
	const struct recast_options *options, FILE *to, struct recast_result *result, struct messages *messages);
#endif
