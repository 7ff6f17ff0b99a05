/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meant: guesses what users of other tools mean by an argument that a tool does not have. */
#ifndef DWIRE_CLI_TOOL_MEANT_H
#define DWIRE_CLI_TOOL_MEANT_H
#include "cli/tool/head.h"

/* The parameter that other tools call --longer; NULL: none. */
const struct param *tool_meant_option(struct tool *t, const char *longer);
/* Shows a hint how to give a word as an option. False: there is no such option, and no hint. */
bool tool_meant_word(struct tool *t, const char *word);
/* Is it the first word of a tcpdump filter? */
bool tool_is_filter(const char *word);
#endif
