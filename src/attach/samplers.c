/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samplers: see samplers.h.
 * Input: programs, the list of online CPUs. Output: perf events.
 * Invariant: an event that is open has counted since it was opened or last checked, unless its CPU went offline. */
#include "attach/samplers.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "kernel/bpfsys.h"
#include "kernel/events/counters.h"

#define CLOCK_HZ 100     /* USER_HZ: the tick that /proc/stat counts in */
#define PERIOD_MIN 10000 /* ns; the kernel's own lower bound for a software clock */

struct sampler {
	const struct image_prog *of; /* borrowed */
	int prog;                    /* borrowed */
	unsigned cpu;
	int fd, link;  /* -1: none */
	uint64_t seen; /* enabled time in ns at the last check */
	uint64_t ns;   /* that its clock counted */
};

#define CLOCK "cpu_clock-all"

/* The clock of profile, or what the site names. */
static const char *event_of(const struct image_prog *p)
{
	return p->target ? p->target : CLOCK;
}

int samplers_open(unsigned cpu, const char *name, uint64_t period)
{
	int fd = counter_open(name ? name : CLOCK, cpu, period);

	return fd == -ESRCH ? -ENODEV : fd;
}

/* What a probe's name says, else ticks of the clock, or every event. */
static uint64_t period_of(const struct image_prog *p)
{
	if (p->target && p->period_ns)
		return p->period_ns;
	if (p->target)
		return strcmp(p->target, CLOCK) ? 1 : 1000000000u / CLOCK_HZ;
	return p->period_ns < PERIOD_MIN ? PERIOD_MIN : p->period_ns;
}

int samplers_enable(int event)
{
	return ioctl(event, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

int samplers_link(int prog, int event, int *link)
{
	*link = bpfsys_link_event(prog, event, 0);
	/* Such links are there since 5.15. */
	if (*link < 0) {
		*link = -1;
		if (ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) < 0)
			return -errno;
	}
	return 0;
}

/* Reads its count since it was opened. False: the event was not enabled since the last reading (its CPU was offline),
 * or cannot be read. */
static bool read_event(struct sampler *r)
{
	uint64_t v[2]; /* the count, the time that it was on */

	if (read(r->fd, v, sizeof(v)) != (ssize_t)sizeof(v) || v[1] == r->seen)
		return false;
	r->ns = v[0];
	r->seen = v[1];
	return true;
}

static void close_event(struct samplers *s, struct sampler *r)
{
	if (r->fd < 0)
		return;
	if (!r->of->target)
		s->due += r->ns / period_of(r->of);
	if (r->link >= 0)
		close(r->link);
	close(r->fd);
	r->fd = r->link = -1;
	r->ns = r->seen = 0;
}

/* ENODEV: the CPU went away meanwhile. */
static int start(struct samplers *s, struct sampler *r)
{
	int err;

	err = samplers_open(r->cpu, event_of(r->of), period_of(r->of));
	if (err < 0)
		return err;
	r->fd = err;
	err = samplers_link(r->prog, r->fd, &r->link);
	if (!err && s->running)
		err = samplers_enable(r->fd);
	if (err)
		close_event(s, r);
	return err;
}

int samplers_add(struct samplers *s, const struct image_prog *p, int prog, struct features *f)
{
	unsigned cpus = features_cpus(f), opened = 0;
	struct sampler *v = reallocarray(s->v, s->n + cpus, sizeof(*v));

	if (!v)
		return -ENOMEM;
	s->v = v;
	if (s->stats < 0)
		s->stats = bpfsys_stats();
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		struct sampler *r = &v[s->n++];
		int err;

		*r = (struct sampler){ .of = p, .prog = prog, .cpu = cpu, .fd = -1, .link = -1 };
		err = features_cpu_online(f, cpu) ? start(s, r) : -ENODEV;
		if (err && err != -ENODEV)
			return err;
		opened += !err;
	}
	return opened ? 0 : -ENODEV;
}

int samplers_start(struct samplers *s)
{
	int err = 0;

	s->running = true;
	for (size_t i = 0; !err && i < s->n; i++)
		if (s->v[i].fd >= 0)
			err = samplers_enable(s->v[i].fd);
	return err;
}

void samplers_look(struct samplers *s, struct features *f, const struct reporter *to)
{
	if (s->n)
		features_read_cpus(f);
	for (size_t i = 0; i < s->n; i++) {
		struct sampler *r = &s->v[i];
		int e;

		if (!features_cpu_online(f, r->cpu) || (r->fd >= 0 && read_event(r)))
			continue;
		close_event(s, r);
		e = start(s, r);
		if (e && e != -ENODEV && !s->warned) {
			report_warning(
				to, D_NONE, NULL, "CPU %u came online and cannot be sampled: %s", r->cpu, strerror(-e));
			s->warned = true;
		}
	}
}

void samplers_stop(struct samplers *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sampler *r = &s->v[i];

		if (r->fd < 0)
			continue;
		(void)ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0);
		(void)read_event(r);
	}
	for (size_t i = s->n; i > 0; i--)
		close_event(s, &s->v[i - 1]);
}

void samplers_count_ran(struct samplers *s, const struct loaded *l)
{
	const struct image *img = l->image;

	s->counted = s->stats >= 0;
	for (size_t i = 0; s->n && i < l->nprogs; i++) {
		struct bpf_prog_info info;

		if (img->progs.v[i].attach != ATTACH_PERF || img->progs.v[i].target || img->progs.v[i].tick)
			continue;
		memset(&info, 0, sizeof(info));
		if (bpfsys_info(l->progs[i], &info, sizeof(info)) == 0)
			s->ran += info.run_cnt;
		else
			s->counted = false;
	}
}

void samplers_free(struct samplers *s)
{
	samplers_stop(s);
	free(s->v);
	if (s->stats >= 0)
		close(s->stats);
	*s = (struct samplers){ .stats = -1 };
}
