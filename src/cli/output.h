/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output: files that are written as a whole: a reader sees the one before or the one after, never a part. */
#ifndef DWIRE_CLI_OUTPUT_H
#define DWIRE_CLI_OUTPUT_H
#include <stdio.h>

/* Writes the content. Errors of the stream need not be reported. */
typedef void output_fn(FILE *out, const void *ctx);

/* Could the file be written? For a check before a long trace. 0 or -errno. */
int output_check(const char *path) __attribute__((warn_unused_result));
/* Writes beside the file and renames. "-" is the standard output; that, a pipe or a device is written in place. 0 or
 * -errno, and then nothing is left beside the file. */
int output_write(const char *path, output_fn *write, const void *ctx) __attribute__((warn_unused_result));
#endif
