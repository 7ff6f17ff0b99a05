/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record: dwire record. */
#ifndef DWIRE_CLI_RECORD_RECORD_H
#define DWIRE_CLI_RECORD_RECORD_H
#include <stddef.h>

#include "cli/embedded.h"
#include "cli/message.h"

/* What is recorded without -s. */
extern const struct embedded record_files[];
extern const size_t record_nfiles;

/* Returns the exit status. argv[0] is "record". */
int record_main(int argc, char **argv, struct messages *messages);
#endif
