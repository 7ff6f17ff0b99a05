/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record: dwire record. */
#ifndef DWIRE_CLI_RECORD_H
#define DWIRE_CLI_RECORD_H
#include <stddef.h>

#include "cli/message.h"

/* What is recorded without -s. */
struct record_file {
	const char *name, *text; /* ends with a NUL that len does not count */
	size_t len;
};

extern const struct record_file record_files[];
extern const size_t record_nfiles;

/* Returns the exit status. argv[0] is "record". */
int record_main(int argc, char **argv, struct messages *messages);
#endif
