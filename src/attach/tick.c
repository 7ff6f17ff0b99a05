/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick: see tick.h. BEGIN and END are fired by BPF_PROG_TEST_RUN. A tick is fired by a perf event that interrupts a
 * CPU. If the event does not fire (an idle CPU on some machines, a CPU that is running another program, no
 * permission), a timer fires the tick by BPF_PROG_TEST_RUN.
 * Input: the programs of an image. Output: their runs.
 * Invariants: the program that advances `next` in struct dw_tick, the event's or the timer's, fires the tick, so it
 * fires once in each period. Ticks do not drift, however late one was handled. */
#include "attach/tick.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "attach/samplers.h"
#include "base/clock.h"
#include "base/diag/report.h"
#include "kernel/bpfsys.h"

#define MAX_ARGS 12
#define NO_EVENT (-2)
#define SLACK_NS 2000000u   /* an event that fires later than this is given up for that period */
#define LAZY_NS 100000000u  /* events that fire are looked after this often */
#define LOOK_NS 1000000000u /* is the CPU still online? */

struct tick {
	int by_event, by_hand; /* programs; by_event -1: the kernel has refused it; NO_EVENT: the image has none */
	int event, link;       /* -1: none */
	uint64_t period;       /* CLOCK_MONOTONIC ns */
	uint64_t check;        /* when to look whether it has fired */
	bool late;             /* the event has not fired the last time: look each time */
};

/* The timer is absolute and one-shot: it is set again for the earliest look. */
struct ticks {
	int fd;
	struct tick *v;
	size_t n;
	struct features *features; /* borrowed */
	int only_cpu;              /* -1: any */
	unsigned cpu;              /* that ticks interrupt */
	uint64_t looked;           /* at which CPUs are online */
	struct dw_tick *state;     /* by number: the programs' map */
	size_t size;               /* bytes of it */
	int err;                   /* why an event cannot be had; 0: all can */
};

/* Runs a raw tracepoint program once, on this CPU (cpu -1) or on a given one. 0 or -errno. */
static int tick_run(int prog_fd, const uint64_t *args, size_t nargs, int cpu)
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

		/* A program of END that was refused was reported. */
		if (p->attach != ATTACH_TEST_RUN || p->tick || l->progs[i] < 0 ||
			strcmp(img->probes.v[p->probe].name, name) != 0)
			continue;
		err = tick_run(l->progs[i], args, nargs, -1);
		if (err)
			return err;
		fired++;
	}
	return fired;
}

/* The first CPU that is online, but not `but` if there is another. */
static unsigned some_cpu(const struct ticks *t, int but)
{
	unsigned n = features_cpus(t->features);

	if (t->only_cpu >= 0)
		return (unsigned)t->only_cpu;
	for (unsigned cpu = 0; cpu < n; cpu++)
		if (features_cpu_online(t->features, cpu) && (int)cpu != but)
			return cpu;
	return 0;
}

static uint64_t next_of(const struct ticks *t, size_t i)
{
	return __atomic_load_n(&t->state[i].next, __ATOMIC_RELAXED);
}

static void close_event(struct tick *k)
{
	if (k->link >= 0)
		close(k->link);
	if (k->event >= 0)
		close(k->event);
	k->event = k->link = -1;
}

/* Starts tick i, with an event if it can be had: the first firing is in one period. */
static void start(struct ticks *t, size_t i)
{
	struct tick *k = &t->v[i];
	uint64_t next;
	int err = k->by_event < 0 ? -EINVAL : samplers_open(t->cpu, NULL, k->period);

	if (err >= 0) {
		k->event = err;
		err = samplers_link(k->by_event, k->event, &k->link);
	}
	next = clock_now() + k->period; /* before the event begins to count, so it is never early */
	__atomic_store_n(&t->state[i].next, next, __ATOMIC_RELAXED);
	if (!err)
		err = samplers_enable(k->event);
	if (err)
		close_event(k);
	if (err && k->by_event != NO_EVENT)
		t->err = err;
	k->late = err != 0;
	k->check = next;
}

/* How late the event may be. */
static uint64_t slack(const struct tick *k)
{
	return k->event < 0 ? 0 : k->period / 4 < SLACK_NS ? k->period / 4 : SLACK_NS;
}

/* Sets the timer to the earliest look. */
static int set_timer(struct ticks *t)
{
	struct itimerspec when = { 0 };
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].check < next)
			next = t->v[i].check;
	when.it_value.tv_sec = (time_t)(next / 1000000000u);
	when.it_value.tv_nsec = (long)(next % 1000000000u);
	return timerfd_settime(t->fd, TFD_TIMER_ABSTIME, &when, NULL) < 0 ? -errno : 0;
}

static int map_state(struct ticks *t, const struct loaded *l)
{
	void *p = MAP_FAILED;

	for (size_t i = 0; i < l->nmaps; i++)
		if (l->image->maps.v[i].role == MAP_TICKS) {
			t->size = l->image->maps.v[i].value_size;
			p = mmap(NULL, t->size, PROT_READ | PROT_WRITE, MAP_SHARED, l->maps[i], 0);
		}
	if (p == MAP_FAILED)
		return -errno;
	t->state = p;
	return 0;
}

static void take_programs(struct ticks *t, const struct loaded *l)
{
	for (size_t i = 0; i < l->nprogs; i++) {
		const struct image_prog *p = &l->image->progs.v[i];
		struct tick *k;

		if (!p->tick)
			continue;
		k = &t->v[p->tick - 1];
		*(p->attach == ATTACH_PERF ? &k->by_event : &k->by_hand) = l->progs[i];
		k->period = p->period_ns;
	}
}

static int make(struct ticks *t, const struct loaded *l)
{
	int err;

	t->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (t->fd < 0)
		return -errno;
	t->v = calloc(t->n, sizeof(*t->v));
	if (!t->v)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		t->v[i] = (struct tick){ .by_event = NO_EVENT, .by_hand = -1, .event = -1, .link = -1 };
	err = map_state(t, l);
	if (err)
		return err;
	take_programs(t, l);
	t->cpu = some_cpu(t, -1);
	for (size_t i = 0; i < t->n; i++)
		start(t, i);
	return set_timer(t);
}

int tick_start(const struct loaded *l, struct features *f, int cpu, struct ticks **out, const struct reporter *to)
{
	struct ticks *t;
	size_t n = 0;
	int err;

	*out = NULL;
	for (size_t i = 0; i < l->nprogs; i++)
		n = l->image->progs.v[i].tick > n ? l->image->progs.v[i].tick : n;
	if (!n)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return report_no_memory(to, "start the tick probes");
	*t = (struct ticks){ .fd = -1, .n = n, .features = f, .only_cpu = cpu };
	err = make(t, l);
	if (err) {
		tick_free(t);
		return report_error(
			to, err, D_NONE, NULL, "cannot set up the timer of the tick probes: %s", strerror(-err));
	}
	if (t->err)
		report_warning(to, D_NONE, NULL,
			"tick probes are fired by a timer of dwire's own, without arg0 and arg1: no event of a "
			"CPU's clock can be had: %s",
			strerror(-t->err));
	*out = t;
	return 0;
}

int tick_fd(const struct ticks *t)
{
	return t->fd;
}

/* The event of tick i has not fired. Its CPU may have gone: then all events move to another one. */
static void look_for_cpu(struct ticks *t, uint64_t now)
{
	if (t->only_cpu >= 0 || now - t->looked < LOOK_NS)
		return;
	t->looked = now;
	features_read_cpus(t->features);
	if (features_cpu_online(t->features, t->cpu))
		return;
	t->cpu = some_cpu(t, -1);
	for (size_t i = 0; i < t->n; i++) {
		close_event(&t->v[i]);
		start(t, i);
	}
}

/* Takes the firing that is due since `next`. False: the event's program was faster. */
static bool take(struct ticks *t, size_t i, uint64_t next, uint64_t now)
{
	uint64_t over = (now - next) / t->v[i].period;

	if (!__atomic_compare_exchange_n(&t->state[i].next, &next, next + (over + 1) * t->v[i].period, false,
		    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	__atomic_fetch_add(&t->state[i].missed, over, __ATOMIC_RELAXED);
	return true;
}

/* Fires a tick that its event did not fire, on another CPU than ours if possible: our thread is none of interest. */
static int fire_late(struct ticks *t, const struct tick *k)
{
	int here = sched_getcpu(), err;
	unsigned cpu = t->cpu;

	if (k->by_hand < 0) /* it has no clause that can act, so it has no program */
		return 0;
	if (here == (int)cpu)
		cpu = some_cpu(t, here);
	err = tick_run(k->by_hand, NULL, 0, (int)cpu);
	return err == -ENXIO ? tick_run(k->by_hand, NULL, 0, -1) : err; /* the CPU went offline */
}

int tick_expired(struct ticks *t)
{
	uint64_t expiries, now;
	ssize_t n = read(t->fd, &expiries, sizeof(expiries));
	int err = 0;

	if (n < 0 && errno != EAGAIN)
		return -errno;
	for (size_t i = 0; i < t->n; i++) {
		struct tick *k = &t->v[i];
		uint64_t next = next_of(t, i);
		int r = 0;

		now = clock_now();
		if (k->check > now)
			continue;
		k->late = now >= next + slack(k);
		if (k->late && take(t, i, next, now))
			r = fire_late(t, k);
		/* A failed run does not keep other ticks from firing; the last error is returned. */
		if (r)
			err = r;
		k->check = next_of(t, i) + slack(k);
		if (!k->late && k->check < now + LAZY_NS)
			k->check = now + LAZY_NS;
		if (k->late && k->event >= 0)
			look_for_cpu(t, now);
	}
	return err ? err : set_timer(t);
}

uint64_t tick_missed(const struct ticks *t)
{
	uint64_t n = 0;

	for (size_t i = 0; t && i < t->n; i++)
		n += __atomic_load_n(&t->state[i].missed, __ATOMIC_RELAXED);
	return n;
}

void tick_stop(struct ticks *t)
{
	for (size_t i = 0; t && i < t->n; i++)
		if (t->v[i].event >= 0)
			(void)ioctl(t->v[i].event, PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; t && i < t->n; i++)
		close_event(&t->v[i]);
}

void tick_free(struct ticks *t)
{
	if (!t)
		return;
	if (t->v)
		tick_stop(t);
	if (t->state)
		munmap(t->state, t->size);
	if (t->fd >= 0)
		close(t->fd);
	free(t->v);
	free(t);
}
