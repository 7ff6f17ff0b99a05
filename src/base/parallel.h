/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel: work on several CPUs. */
#ifndef DWIRE_BASE_PARALLEL_H
#define DWIRE_BASE_PARALLEL_H
#include <pthread.h>
#include <stddef.h>

/* Calls task(ctx, i) for each i below n, in this thread and up to three more, with the smallest first. Returns when all
 * are done. Without threads this thread does all. */
void parallel_each(size_t n, void (*task)(void *ctx, size_t i), void *ctx);
/* A thread that takes no signals: those are the caller's. 0, or an error number as of pthread_create(3). */
int parallel_start(pthread_t *thread, void *(*run)(void *), void *arg) __attribute__((warn_unused_result));
#endif
