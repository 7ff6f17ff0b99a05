/* SPDX-License-Identifier: GPL-2.0-or-later */
/* on: dwire on: a trace on many machines, by ClusterShell. docs/FLEET.md. */
#ifndef DWIRE_CLI_FLEET_ON_H
#define DWIRE_CLI_FLEET_ON_H
#include "cli/message.h"

/* argv[0] is "on". Returns the exit status. */
int on_main(int argc, char **argv, struct messages *messages);
#endif
