/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest: dwire --self-test, dwire doctor: what this kernel allows, and whether each provider works on it. */
#ifndef DWIRE_CLI_SELFTEST_SELFTEST_H
#define DWIRE_CLI_SELFTEST_SELFTEST_H
#include "cli/message.h"

/* argv[0] is the command; providers follow, none: all. The exit status: 0 all is well, 1 a provider is wrong, 2 the
 * test could not be run, or not all of it. */
int selftest_main(int argc, char **argv, const struct messages *messages);
#endif
