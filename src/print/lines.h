/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines: what a printf() printed before.
 * Most records of a busy trace differ from earlier ones of the same printf() in few values: a time, a length. The text
 * of a record whose other values are known is copied.
 * Invariant: what is printed is what print_format() prints. */
#ifndef DWIRE_PRINT_LINES_H
#define DWIRE_PRINT_LINES_H
#include "print/out.h"

struct lines;

/* NULL: no memory. Free takes NULL. */
struct lines *lines_new(void);
void lines_free(struct lines *l);
/* Prints a record of len bytes. False: nothing is printed, and lines_print() follows. */
bool lines_again(struct lines *l, struct out *o, const struct action *a, const uint8_t *rec, size_t len);
/* print_format() of the record that lines_again() refused, which is kept. values: all of the action's. l NULL:
 * nothing is kept. */
void lines_print(struct lines *l, struct out *o, const struct action *a, const struct value *values);
/* Names of network namespaces may change from now on. */
void lines_forget(struct lines *l);
#endif
