/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine: the head of a bug report: the kernel and what it allows this process. */
#ifndef DWIRE_CLI_SELFTEST_MACHINE_H
#define DWIRE_CLI_SELFTEST_MACHINE_H
#include <stdio.h>

#include "api/dwire.h"

/* d: after dwire_list(), so that the kernel's types are read. */
void machine_print(struct dwire *d, FILE *out);
#endif
