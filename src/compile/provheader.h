/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provheader: a C header with the probes of a program, from its provider declarations (-h), and the names of the
 * counters that the header refers to (-G). */
#ifndef DWIRE_COMPILE_PROVHEADER_H
#define DWIRE_COMPILE_PROVHEADER_H
#include "compile/compile.h"

typedef VEC(const char *) semaphore_names;

/* Both are to be called after compile_declare(). 0; -EINVAL or -ENOMEM, with diagnostics. */

/* Writes the header. The caller checks the stream. */
int provheader_write(struct compilation *c, FILE *out) __attribute__((warn_unused_result));
/* Adds the symbol of each probe's semaphore, in the arena. */
int provheader_semaphores(struct compilation *c, semaphore_names *out) __attribute__((warn_unused_result));
#endif
