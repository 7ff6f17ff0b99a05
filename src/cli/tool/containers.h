/* SPDX-License-Identifier: GPL-2.0-or-later */
/* containers: `dwire containers`: the running containers, by the names that --container and --pod take. */
#ifndef DWIRE_CLI_TOOL_CONTAINERS_H
#define DWIRE_CLI_TOOL_CONTAINERS_H
#include "cli/message.h"

/* argv[0] is "containers". Returns the exit status. */
int containers_main(int argc, char **argv, const struct messages *m);
#endif
