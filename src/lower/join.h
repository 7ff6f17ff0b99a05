/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: programs at one function of the kernel, so many that it does not take them, and those at one tracepoint in a
 * trace that has very many. Linux lets 38 programs of fentry and fexit be at a function; others may have some there. It
 * takes a millisecond and more to put a program at a tracepoint, and as long to take it away. */
#ifndef DWIRE_LOWER_JOIN_H
#define DWIRE_LOWER_JOIN_H
#include "image/image.h"

/* Neighbours of one kind become one program, which calls them one after the other. At a function no more of them than
 * must: the kernel leaves out a program that interrupts itself. */
void join_programs(struct arena *a, struct image *im);
#endif
