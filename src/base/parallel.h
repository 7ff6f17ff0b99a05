/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel: a task for each of many things, on several CPUs. */
#ifndef DWIRE_BASE_PARALLEL_H
#define DWIRE_BASE_PARALLEL_H
#include <stddef.h>

/* Calls task(ctx, i) for each i below n, in this thread and up to three more, with the smallest first. Returns when all
 * are done. Without threads this thread does all. */
void parallel_each(size_t n, void (*task)(void *ctx, size_t i), void *ctx);
#endif
