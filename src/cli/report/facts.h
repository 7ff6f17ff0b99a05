/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts: the machine, as a list in HTML. */
#ifndef DWIRE_CLI_REPORT_FACTS_H
#define DWIRE_CLI_REPORT_FACTS_H
#include <stdio.h>

struct dwire;

/* The machine's name as it calls itself; "unknown machine". */
const char *facts_host(char *buf, size_t size);
/* The entries of a <dl>. d: tells what this kernel lacks. */
void facts_html(FILE *out, struct dwire *d);
#endif
