/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool: runs a tool, built in or from a file: parses its head and arguments, generates its D program and traces. */
#ifndef DWIRE_CLI_TOOL_TOOL_H
#define DWIRE_CLI_TOOL_TOOL_H
#include "api/dwire.h"
#include "cli/embedded.h"
#include "cli/live/handover.h"
#include "cli/message.h"

/* Runs `name args...`; argv[0] is a tool's name or a file with a tool's source. Returns the exit status. */
int tool_main(int argc, char **argv, struct messages *messages);
/* Would the tool be a screen if it ran here (cli/live/handover.h)? out: the words that start it as a stream writer.
 * False also for what is no tool, or wrong: no message says so. */
bool tool_screen(int argc, char **argv, struct live_args *out);
/* Adds the program of a tool to a trace that is recorded: its rows carry all that the tool can show, for a replay to
 * choose from. Returns 0, -1 for -h, or the exit status after a message. argv as for tool_main(), unless file is the
 * tool's source. */
int tool_record(struct dwire *d, const struct embedded *file, int argc, char **argv, struct messages *messages);
#endif
