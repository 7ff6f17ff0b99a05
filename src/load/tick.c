/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick: see tick.h. Fires programs with BPF_PROG_TEST_RUN.
 * Input: the programs of an image that user space fires. Output: their runs.
 * Invariant: expiry n of a tick is at start + n * period, however late an earlier one was handled, so ticks do not
 * drift. The timer is in user space because on some machines perf events do not fire on an idle CPU. */
#include "load/tick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag/report.h"
#include "kernel/bpfsys.h"

#define MAX_ARGS 12

struct tick {
	int prog_fd;
	uint64_t period, next; /* CLOCK_MONOTONIC ns */
};

/* The timer is absolute and one-shot: it is set again for the earliest tick after each expiry. */
struct ticks {
	int fd;
	struct tick *v;
	size_t n;
	uint64_t missed;
};

int tick_run(int prog_fd, const uint64_t *args, size_t nargs, int cpu)
{
	uint64_t ctx[MAX_ARGS] = { 0 };

	if (nargs > MAX_ARGS)
		return -E2BIG;
	if (nargs)
		memcpy(ctx, args, nargs * sizeof(*args));
	return bpfsys_prog_run(prog_fd, ctx, sizeof(ctx), cpu, NULL);
}

int tick_fire(const struct loaded *l, const char *name, const uint64_t *args, size_t nargs)
{
	const struct image *img = l->image;
	int fired = 0;

	for (size_t i = 0; i < l->nprogs; i++) {
		const struct image_prog *p = &img->progs.v[i];
		int err;

		if (p->attach != ATTACH_TEST_RUN || p->period_ns || strcmp(img->probes.v[p->probe].name, name) != 0)
			continue;
		err = tick_run(l->progs[i], args, nargs, -1);
		if (err)
			return err;
		fired++;
	}
	return fired;
}

/* Sets the timer to the earliest tick. */
static int set_timer(struct ticks *t)
{
	struct itimerspec when = { 0 };
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].next < next)
			next = t->v[i].next;
	when.it_value.tv_sec = (time_t)(next / 1000000000u);
	when.it_value.tv_nsec = (long)(next % 1000000000u);
	return timerfd_settime(t->fd, TFD_TIMER_ABSTIME, &when, NULL) < 0 ? -errno : 0;
}

int tick_start(const struct loaded *l, struct ticks **out, const struct reporter *to)
{
	const struct image *img = l->image;
	struct ticks *t = NULL;
	uint64_t start = clock_now();
	int err = -ENOMEM;

	*out = NULL;
	for (size_t i = 0; i < l->nprogs; i++) {
		const struct image_prog *p = &img->progs.v[i];

		if (p->attach != ATTACH_TEST_RUN || !p->period_ns)
			continue;
		if (!t) {
			t = calloc(1, sizeof(*t));
			if (!t)
				goto fail;
			t->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
			err = t->fd < 0 ? -errno : -ENOMEM;
			t->v = calloc(l->nprogs, sizeof(*t->v));
			if (t->fd < 0 || !t->v)
				goto fail;
		}
		t->v[t->n++] =
			(struct tick){ .prog_fd = l->progs[i], .period = p->period_ns, .next = start + p->period_ns };
	}
	err = t ? set_timer(t) : 0;
	if (!err) {
		*out = t;
		return 0;
	}
fail:
	tick_free(t);
	return report_error(to, err, D_NONE, NULL, "cannot set up the timer of the tick probes: %s", strerror(-err));
}

int tick_fd(const struct ticks *t)
{
	return t->fd;
}

int tick_expired(struct ticks *t)
{
	uint64_t expiries, now = clock_now();
	ssize_t n = read(t->fd, &expiries, sizeof(expiries));
	int err = 0;

	if (n < 0 && errno != EAGAIN)
		return -errno;
	for (size_t i = 0; i < t->n; i++) {
		struct tick *k = &t->v[i];
		uint64_t periods;
		int r;

		if (k->next > now)
			continue;
		/* A late tick fires once and keeps its phase; the periods that it skips are counted as missed. */
		periods = 1 + (now - k->next) / k->period;
		t->missed += periods - 1;
		k->next += periods * k->period;
		/* A failed run does not keep other ticks from firing; the last error is returned. */
		r = tick_run(k->prog_fd, NULL, 0, -1);
		if (r)
			err = r;
	}
	return err ? err : set_timer(t);
}

uint64_t tick_missed(const struct ticks *t)
{
	return t ? t->missed : 0;
}

void tick_free(struct ticks *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	free(t->v);
	free(t);
}
