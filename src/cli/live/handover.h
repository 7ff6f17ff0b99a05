/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handover: a tool on a terminal becomes a screen: dwire-live, another program, takes the terminal and starts the tool
 * as the writer of a stream. */
#ifndef DWIRE_CLI_LIVE_HANDOVER_H
#define DWIRE_CLI_LIVE_HANDOVER_H
#include "cli/tool/head.h"

/* Is the tool to be a screen? Its head says "common: live", input and output are a terminal that can move its cursor,
 * and no option asks for another output, a number of reports, a time or a command. */
bool tool_hands_over(struct tool *t);
/* Becomes dwire-live, from the folder of this program or bin beside it. Returns if it is not installed. */
void tool_hand_over(struct tool *t, int argc, char **argv);
#endif
