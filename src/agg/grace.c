/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grace: waits for grace periods of RCU: afterwards every run of a BPF program that was under way has ended.
 * Input: a request. Output: whether the period that follows it is over. A thread waits for the kernel, which takes some
 * 10 to 30 ms, so that records are read meanwhile. */
#include "agg/grace.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct grace {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	uint64_t asked, over; /* numbers of requests; the last one whose period is over */
	bool started, stop;
};

static int membarrier(int cmd)
{
	return (int)syscall(SYS_membarrier, cmd, 0, 0);
}

static void *wait_for_kernel(void *arg)
{
	struct grace *g = arg;

	pthread_mutex_lock(&g->lock);
	while (!g->stop) {
		uint64_t asked = g->asked;
		int err;

		if (g->over == asked) {
			pthread_cond_wait(&g->cond, &g->lock);
			continue;
		}
		pthread_mutex_unlock(&g->lock);
		err = membarrier(MEMBARRIER_CMD_GLOBAL);
		pthread_mutex_lock(&g->lock);
		if (err)
			break; /* then no request is ever over */
		g->over = asked;
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

/* Kernels with nohz_full CPUs do not offer it. */
struct grace *grace_new(void)
{
	int offered = membarrier(MEMBARRIER_CMD_QUERY);
	struct grace *g;

	if (offered < 0 || !(offered & MEMBARRIER_CMD_GLOBAL))
		return NULL;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->cond, NULL);
	return g;
}

/* Signals are for the other threads. */
static bool start(struct grace *g)
{
	sigset_t all, old;

	if (g->started)
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	g->started = !pthread_create(&g->thread, NULL, wait_for_kernel, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return g->started;
}

uint64_t grace_ask(struct grace *g)
{
	uint64_t asked;

	(void)start(g); /* tried again at the next request */
	pthread_mutex_lock(&g->lock);
	asked = ++g->asked;
	pthread_cond_signal(&g->cond);
	pthread_mutex_unlock(&g->lock);
	return asked;
}

bool grace_is_over(struct grace *g, uint64_t asked)
{
	bool over;

	pthread_mutex_lock(&g->lock);
	over = g->over >= asked;
	pthread_mutex_unlock(&g->lock);
	return over;
}

void grace_free(struct grace *g)
{
	if (!g)
		return;
	if (g->started) {
		pthread_mutex_lock(&g->lock);
		g->stop = true;
		pthread_cond_signal(&g->cond);
		pthread_mutex_unlock(&g->lock);
		pthread_join(g->thread, NULL);
	}
	pthread_cond_destroy(&g->cond);
	pthread_mutex_destroy(&g->lock);
	free(g);
}
