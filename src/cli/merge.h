/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge: dwire merge: streams of many machines, shown as one trace. */
#ifndef DWIRE_CLI_MERGE_H
#define DWIRE_CLI_MERGE_H
#include "cli/message.h"

/* argv[0] is "merge". Returns the exit status. */
int merge_main(int argc, char **argv, struct messages *messages);
#endif
