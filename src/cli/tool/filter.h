/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter: the filters that tools have in common (-p, --netns, -P, --host, ...), as D conditions. */
#ifndef DWIRE_CLI_TOOL_FILTER_H
#define DWIRE_CLI_TOOL_FILTER_H
#include "cli/tool/head.h"

/* Writes the condition that stands for wanted(cs), wanted(cs, lport, rport) or wanted(cs, lport, rport, laddr, raddr);
 * args are D. It tests only what was asked for. here: for wanted_here(cs), where cs has no socket but is the running
 * process. False after a message. */
bool tool_filter(struct tool *t, char *const *args, size_t nargs, bool here, FILE *out);
/* The same for wanted_netns(cs): only network namespaces, for what belongs to no process. */
bool tool_filter_netns(struct tool *t, char *const *args, size_t nargs, FILE *out);
/* Writes the network namespaces that were asked for, as -x netns takes them. False after a message. */
bool tool_netns_numbers(struct tool *t, FILE *out);
/* Are the values of the filters' options valid? False after a message. */
bool tool_check_filters(struct tool *t);
#endif
