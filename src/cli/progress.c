/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress: see progress.h.
 * Input: what is being done, by the thread that does it. Output: a line on stderr.
 * Invariants: a thread of its own writes the line, since the one that works may not return for seconds; both hold the
 * lock while they write, so the line is gone when progress_hide() returns. The thread takes no signals. */
#include "cli/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define PATIENCE_NS 500000000ull /* what is over sooner is not worth a line */
#define AGAIN_NS 100000000ull    /* between two looks */
#define WHAT_CHARS 160u
#define LINE_CHARS (WHAT_CHARS + 64)

struct progress {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* of the thread, when it shall end */
	pthread_t thread;
	bool started, over;
	char what[WHAT_CHARS];
	uint64_t done, total;
	const struct progress_shared *shared; /* or NULL; borrowed */
	uint64_t since;                       /* CLOCK_MONOTONIC ns: the wait, or the last output */
	bool shown;                           /* the line is on the terminal */
	char line[LINE_CHARS];
};

/* ---- the line ---------------------------------------------------------------------------------------------------- */
static void put(const char *s, size_t n)
{
	ssize_t r = write(STDERR_FILENO, s, n);

	(void)r; /* a terminal that has gone shows no progress */
}

/* With the lock held. */
static void erase(struct progress *p)
{
	if (p->shown)
		put("\r\033[K", 4);
	p->shown = false;
}

/* With the lock held. A line that wraps could not be erased: it is cut. */
static void draw(struct progress *p)
{
	const uint64_t done = p->shared ? __atomic_load_n(&p->shared->done, __ATOMIC_RELAXED) : p->done;
	const uint64_t total = p->shared ? __atomic_load_n(&p->shared->total, __ATOMIC_RELAXED) : p->total;
	char line[LINE_CHARS];
	struct winsize size = { 0 };
	size_t room = 79;
	int n;

	if (total)
		n = snprintf(line, sizeof(line), "%s: %u %%", p->what,
			(unsigned)(100 * (double)(done < total ? done : total) / (double)total));
	else if (done)
		n = snprintf(line, sizeof(line), "%s: %llu", p->what, (unsigned long long)done);
	else
		n = snprintf(line, sizeof(line), "%s ...", p->what);
	if (p->shown && !strcmp(line, p->line))
		return;
	memcpy(p->line, line, sizeof(line));
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1)
		room = size.ws_col - 1u;
	put("\r", 1);
	put(line, (size_t)n < room ? (size_t)n : room);
	put("\033[K", 3);
	p->shown = true;
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */
static void *watch(void *arg)
{
	struct progress *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->over) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += (long)AGAIN_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
		if (!p->over && p->what[0] && clock_now() >= p->since + PATIENCE_NS)
			draw(p);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* With the lock held. A process that never waits has no thread. */
static void start(struct progress *p)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	p->started = !pthread_create(&p->thread, NULL, watch, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */
struct progress *progress_new(void)
{
	const char *term = getenv("TERM");
	pthread_condattr_t attr;
	struct progress *p;

	if (!isatty(STDERR_FILENO) || !term || !*term || !strcmp(term, "dumb"))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attr);
	pthread_condattr_destroy(&attr);
	return p;
}

void progress_free(struct progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->over = true;
	erase(p);
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	if (p->started)
		pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void progress_show(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	struct progress *p = ctx;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	if (!what) {
		erase(p);
		p->what[0] = '\0';
	} else {
		if (!p->what[0])
			p->since = clock_now();
		snprintf(p->what, sizeof(p->what), "%s", what);
		if (!p->started)
			start(p);
	}
	p->done = done;
	p->total = total;
	p->shared = NULL;
	pthread_mutex_unlock(&p->lock);
}

void progress_follow(struct progress *p, const char *what, const struct progress_shared *shared)
{
	if (!p)
		return;
	progress_show(p, what, 0, 0);
	pthread_mutex_lock(&p->lock);
	p->shared = shared;
	pthread_mutex_unlock(&p->lock);
}

void progress_hide(struct progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	erase(p);
	p->since = clock_now();
	pthread_mutex_unlock(&p->lock);
}
