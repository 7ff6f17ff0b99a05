/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool: runs a tool, built in or from a file: parses its head and arguments, generates its D program and traces. */
#ifndef DWIRE_CLI_TOOL_TOOL_H
#define DWIRE_CLI_TOOL_TOOL_H
#include "cli/message.h"

/* Runs `name args...`; argv[0] is a tool's name or a file with a tool's source. Returns the exit status. */
int tool_main(int argc, char **argv, struct messages *messages);
#endif
