/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args: parses the command line of a tool. */
#ifndef DWIRE_CLI_TOOL_ARGS_H
#define DWIRE_CLI_TOOL_ARGS_H
#include "cli/tool/head.h"

/* Parses the arguments into the parameters' values. 0: run; 1: done (-h); 2: wrong, after a message. */
int tool_take_args(struct tool *t, int argc, char **argv);
#endif
