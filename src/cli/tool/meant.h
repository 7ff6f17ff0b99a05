/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meant: suggests an option for an argument that is valid for similar tools elsewhere but unknown here. */
#ifndef DWIRE_CLI_TOOL_MEANT_H
#define DWIRE_CLI_TOOL_MEANT_H
#include "cli/tool/head.h"

/* The parameter that other tools name --longer; NULL: none. */
const struct param *tool_meant_option(struct tool *t, const char *longer);
/* Shows which option takes such a word. False: no option does, and nothing was shown. */
bool tool_meant_word(struct tool *t, const char *word);
/* Is it the first word of a tcpdump filter? */
bool tool_is_filter(const char *word);
#endif
