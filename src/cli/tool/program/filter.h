/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter: turns the filters that tools share (-p, --netns, -P, --host, ...) into D conditions. */
#ifndef DWIRE_CLI_TOOL_PROGRAM_FILTER_H
#define DWIRE_CLI_TOOL_PROGRAM_FILTER_H
#include "cli/tool/head.h"

/* Writes the condition for wanted(cs), wanted(cs, lport, rport), wanted(cs, lport, rport, laddr, raddr), or these and
 * TCP's flags; args are D expressions. It tests only the filters that were given. here: for wanted_here(cs), where cs
 * is the running process, without a socket. False after a message. */
bool tool_filter(struct tool *t, char *const *args, size_t nargs, bool here, FILE *out);
/* The same for wanted_netns(cs): tests only the network namespace, for events that belong to no process. */
bool tool_filter_netns(struct tool *t, char *const *args, size_t nargs, FILE *out);
/* Writes the network namespaces that were asked for, as -x netns takes them. False after a message. */
bool tool_netns_numbers(struct tool *t, FILE *out);
/* Are the values of the filters' options valid? False after a message. */
bool tool_check_filters(struct tool *t);
#endif
