/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newtool: `dwire new-tool NAME` writes the beginning of a tool into the working directory. */
#ifndef DWIRE_CLI_TOOL_NEWTOOL_H
#define DWIRE_CLI_TOOL_NEWTOOL_H
#include "cli/message.h"

/* argv[0] is "new-tool". Returns the exit status. */
int newtool_main(int argc, char **argv, const struct messages *m);
#endif
