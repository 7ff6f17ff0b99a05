/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signals: see signals.h. A thread waits for the signals: no system call of the trace is interrupted, and the second
 * signal takes effect even while the trace is blocked.
 * Invariant: the signals are blocked in all threads that start after signals_take(). */
#include "cli/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define GRACE_NS 150000000 /* after the second signal, so that a signal sent twice by mistake loses no output */

struct signals {
	struct dwire *d;
	sigset_t set;
	bool patient;
	atomic_bool came;
	pthread_t thread;
	struct sigaction old_pipe;
};

/* The thread: the first signal stops the trace, the next one ends the command at once with the status that a shell
 * expects. */
static void *serve(void *ctx)
{
	static const struct timespec grace = { .tv_nsec = GRACE_NS };
	struct signals *s = ctx;
	int sig;

	if (sigwait(&s->set, &sig))
		return NULL;
	s->came = true;
	if (s->patient && sigwait(&s->set, &sig))
		return NULL;
	dwire_stop(s->d);
	if (sigwait(&s->set, &sig))
		return NULL;
	nanosleep(&grace, NULL);
	_exit(128 + sig);
}

struct signals *signals_take(struct dwire *d, bool patient)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, hup = { .sa_handler = SIG_DFL };
	struct signals *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->d = d;
	s->patient = patient;
	sigemptyset(&s->set);
	sigaddset(&s->set, SIGINT);
	sigaddset(&s->set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hup) == 0 && hup.sa_handler != SIG_IGN)
		sigaddset(&s->set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &s->set, NULL);
	if (pthread_create(&s->thread, NULL, serve, s)) {
		pthread_sigmask(SIG_UNBLOCK, &s->set, NULL);
		free(s);
		return NULL;
	}
	sigaction(SIGPIPE, &ignore, &s->old_pipe);
	return s;
}

bool signals_came(const struct signals *s)
{
	return s->came;
}

void signals_free(struct signals *s)
{
	if (!s)
		return;
	pthread_cancel(s->thread);
	pthread_join(s->thread, NULL);
	sigaction(SIGPIPE, &s->old_pipe, NULL);
	free(s);
}
