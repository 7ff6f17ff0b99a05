/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: merges programs that are attached to the same place. Linux allows at most 38 fentry and fexit programs on a
 * function, including those of other tracers. At tracepoints, and where every packet passes (hooks of cgroups),
 * programs that look for a few events cost more to enter than to run: those of one place are merged; neighbours with
 * the same look have it once. Traces with very many programs merge at most four of a tracepoint. */
#ifndef DWIRE_LOWER_JOIN_H
#define DWIRE_LOWER_JOIN_H
#include "image/image.h"

/* Merges neighbours of one kind into one program, which runs them in order. At a function only as many as necessary
 * are merged, because the kernel skips a program that would interrupt itself. */
void join_programs(struct arena *a, struct image *im);
#endif
