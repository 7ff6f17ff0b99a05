/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace: runs a compiled program to its end. */
#ifndef DWIRE_CLI_TRACE_H
#define DWIRE_CLI_TRACE_H
#include "cli/message.h"

/* Traces, with the script's output on out (NULL: where it goes already), until exit(), a signal, or the end of the
 * traced processes. Returns the exit status. */
int trace(struct dwire *d, FILE *out, struct messages *messages);
#endif
