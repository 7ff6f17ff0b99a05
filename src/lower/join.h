/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: merges programs that are attached to the same place. Linux attaches at most 38 fentry and fexit programs to a
 * function, those of other tracers included. Attaching or detaching one program at a tracepoint takes a millisecond or
 * more, so traces with very many programs merge those, too. */
#ifndef DWIRE_LOWER_JOIN_H
#define DWIRE_LOWER_JOIN_H
#include "image/image.h"

/* Neighbours of one kind become one program, which calls them one after the other. At a function no more of them than
 * must: the kernel leaves out a program that interrupts itself. */
void join_programs(struct arena *a, struct image *im);
#endif
