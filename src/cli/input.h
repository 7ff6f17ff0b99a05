/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input: reads a file that the user named on the command line. */
#ifndef DWIRE_CLI_INPUT_H
#define DWIRE_CLI_INPUT_H
#include <stddef.h>

/* Reads the file, or the standard input for "-". *text is the caller's to free, also after a failure; it ends with a
 * NUL that *len does not count. 0 or -errno. */
int input_read(const char *path, char **text, size_t *len) __attribute__((warn_unused_result));
#endif
