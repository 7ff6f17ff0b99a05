/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: dwire report: some seconds of the machine's network as a page for a ticket. */
#ifndef DWIRE_CLI_REPORT_REPORT_H
#define DWIRE_CLI_REPORT_REPORT_H
#include <stddef.h>

#include "cli/embedded.h"
#include "cli/message.h"

/* The scripts that are traced, and the style and script of the page. */
extern const struct embedded report_files[];
extern const size_t report_nfiles;

/* Returns the exit status. argv[0] is "report". */
int report_main(int argc, char **argv, struct messages *messages);
#endif
