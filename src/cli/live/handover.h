/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handover: a tool on a terminal becomes a screen: dwire-live, another program, takes the terminal and starts the tool
 * as the writer of a stream. */
#ifndef DWIRE_CLI_LIVE_HANDOVER_H
#define DWIRE_CLI_LIVE_HANDOVER_H
#include "cli/tool/head.h"

#define LIVE_TOOL_ARGS 100

/* The words that start a tool as the writer of a stream for the screen, but for --emit. */
struct live_args {
	const char *v[LIVE_TOOL_ARGS]; /* the tool's name first; NULL ends them */
	char every[300];               /* one of them */
};

/* Is the tool to be a screen? Its head says "common: live", input and output are a terminal that can move its cursor,
 * and no option asks for another output, a number of reports, a time or a command. */
bool tool_hands_over(struct tool *t);
/* Becomes dwire-live with a stream of words: its title, then the command that writes the stream, ended by NULL. self:
 * dwire, for the tools that Enter opens; NULL: none are. Returns if it is not installed. */
void live_start(const char *title, const char *self, const char *const *command);
/* This program's path, PATH_MAX bytes. False: it is not known. */
bool live_self(char *self);
/* Can the standard input and output be a screen? */
bool live_has_terminal(void);
/* The words of a tool whose arguments were taken. Returns how many; 0: too many. */
size_t tool_live_args(struct tool *t, int argc, char **argv, struct live_args *out);
/* Becomes dwire-live, from the folder of this program or bin beside it. Returns if it is not installed. */
void tool_hand_over(struct tool *t, int argc, char **argv);
#endif
