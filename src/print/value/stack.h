/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack: stacks as text. A stack of which no names are known prints nothing. */
#ifndef DWIRE_PRINT_VALUE_STACK_H
#define DWIRE_PRINT_VALUE_STACK_H
#include "print/out.h"

/* Is it to be written in one line, outermost frame first (-x stackfmt=folded)? */
bool stack_is_folded(const struct value *v);
/* A newline, then a line for each frame, after indent columns (-1: as -x stackindent says); or joined, if folded. */
void stack_lines(struct out *o, const struct value *v, int indent);
/* All frames in one line: "a;b;c". indent is ignored. */
void stack_joined(struct out *o, const struct value *v, int indent);
#endif
