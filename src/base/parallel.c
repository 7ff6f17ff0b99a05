/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel: see parallel.h.
 * Invariant: no thread is left when parallel_each() returns. */
#include "base/parallel.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define MORE 3 /* threads */

struct tasks {
	void (*task)(void *ctx, size_t i);
	void *ctx;
	size_t n;
	atomic_size_t next;
};

static void *work(void *arg)
{
	struct tasks *t = arg;

	for (size_t i; (i = atomic_fetch_add(&t->next, 1)) < t->n;)
		t->task(t->ctx, i);
	return NULL;
}

void parallel_each(size_t n, void (*task)(void *ctx, size_t i), void *ctx)
{
	struct tasks t = { .task = task, .ctx = ctx, .n = n };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[MORE];
	size_t started = 0;

	while (started < MORE && started + 1 < n && (long)started + 1 < cpus &&
		pthread_create(&threads[started], NULL, work, &t) == 0)
		started++;
	work(&t);
	while (started)
		pthread_join(threads[--started], NULL);
}

int parallel_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	err = pthread_sigmask(SIG_SETMASK, &all, &old);
	if (err)
		return err;
	err = pthread_create(thread, NULL, run, arg);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}
