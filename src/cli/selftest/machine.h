/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine: the head of a bug report: the kernel and what it allows this process. */
#ifndef DWIRE_CLI_SELFTEST_MACHINE_H
#define DWIRE_CLI_SELFTEST_MACHINE_H
#include <stdio.h>

#include "api/dwire.h"
#include "cli/selftest/json.h"

/* d: after dwire_list(), so that the kernel's types are read. */
void machine_print(struct dwire *d, FILE *out);
/* The same as members of the object that is open; what is not known is null. */
void machine_json(struct dwire *d, struct json *j);
#endif
