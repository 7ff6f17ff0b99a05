/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: see session.h. session_arm.c starts a session; this file runs and ends it.
 * Input: rings, timers, children, the stop descriptor. Output: records through the consumer, and reports.
 * Invariants: END fires after the last other probe; nothing is attached when session_end() hands out its last lines;
 * whatever was not recorded or did not fire is counted and reported. */
#include "session/session.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/tick.h"
#include "base/clock.h"
#include "consume/consume.h"
#include "consume/symnote.h"
#include "load/load.h"
#include "namespaces/containers.h"
#include "namespaces/counters.h"
#include "namespaces/zone.h"
#include "owner/owner.h"
#include "session/boxes.h"
#include "session/cost.h"
#include "session/machine.h"
#include "session/session_priv.h"
#include "symbols/symtext.h"

#define SWITCHRATE_DEFAULT 100000000u /* ns: 10 hz, as in DTrace */
#define MAX_EVENTS 16
#define REPORT_NS 1000000000u /* drops are reported this often */
#define SETTLE_NS 5200000u    /* the consumer holds back records younger than 5 ms */
#define LAST_PASSES 8         /* at the end: a pass stops behind the record of an exit() */

struct session *session_new(const struct image *image, const struct session_options *opts)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->image = image;
	s->opts = *opts;
	s->names = symnote_wanted(image);
	s->live = opts->nchildren;
	s->epoll = s->timer = -1;
	s->walk_at = UINT64_MAX;
	return s;
}

int session_fd(const struct session *s)
{
	return s->epoll;
}

/* ---- the consumer ------------------------------------------------------------------------------------------------ */

int session_output_failed(struct session *s, int err)
{
	s->stop = true;
	s->output_gone = true;
	if (err == -EPIPE)
		return 0;
	if (err == -ETIMEDOUT)
		return report_error(s->opts.to, err, D_NONE, NULL, "nobody reads the output: the rest of it is lost");
	return report_error(s->opts.to, err, D_NONE, NULL, "cannot write the output: %s", strerror(-err));
}

void session_note_names(struct session *s)
{
	if (!s->names)
		return;
	symtext_refresh(s->symtext);
	for (size_t i = 0; i < s->opts.nchildren; i++)
		symtext_note(s->symtext, (uint64_t)child_pid(s->opts.children[i]));
	symnote_keys(s->image, s->loaded->maps, s->symtext);
}

uint64_t session_switchrate(const struct session *s)
{
	return s->opts.options->switchrate_ns ? s->opts.options->switchrate_ns : SWITCHRATE_DEFAULT;
}

/* Call it after the rings were consumed; n: what that returned. Returns it, or -errno after a report. */
static int emptied(struct session *s, int n)
{
	int status;

	s->empty_at = clock_now() + session_switchrate(s);
	if (n < 0)
		return session_output_failed(s, n);
	if (consumer_exited(s->consumer, &status) || consumer_full(s->consumer))
		s->stop = true;
	return n;
}

/* Consumes what the rings hold. The number of records, or -errno after a report. */
static int empty_rings(struct session *s, bool final)
{
	if (s->output_gone)
		return 0;
	session_note_names(s);
	return emptied(s, consumer_work(s->consumer, final));
}

int session_empty_to(struct session *s, uint64_t ts)
{
	int n = emptied(s, consumer_work_to(s->consumer, ts));

	return n < 0 ? n : 0;
}

/* To the last record. 0, or -errno after a report. */
static int empty_all(struct session *s)
{
	int n = 1;

	for (int i = 0; n > 0 && i < LAST_PASSES; i++)
		n = empty_rings(s, true);
	return n < 0 ? n : 0;
}

uint64_t session_report_rate(const struct session *s)
{
	return s->opts.options->statusrate_ns ? s->opts.options->statusrate_ns : REPORT_NS;
}

/* Hands over the drops of all causes since the last call, and lets attach_look() follow changes of the machine: both
 * are due about once a second. */
static int report_drops(struct session *s)
{
	uint64_t drops = s->owner ? owner_drops(s->owner) : 0;
	int err = 0;

	if (drops > s->owner_drops)
		consumer_add_drops(s->consumer, DROP_OWNER, drops - s->owner_drops);
	s->owner_drops = drops;
	(void)consumer_report_drops(s->consumer);
	err = consumer_beat(s->consumer);
	if (err)
		return session_output_failed(s, err);
	if (s->attached)
		err = attach_look(s->attached, s->opts.to);
	s->report_at = clock_now() + session_report_rate(s);
	return err;
}

int session_set_rate(struct session *s, uint64_t rate)
{
	int err = load_set_rate(s->loaded, rate);

	if (err)
		return report_error(
			s->opts.to, err, D_NONE, NULL, "cannot set the rate of sampling: %s", strerror(-err));
	consumer_set_rate(s->consumer, rate);
	return 0;
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */
/* Reports the end of a process. The last one ends the session. */
static void child_ended(struct session *s, size_t index)
{
	struct child *c = s->opts.children[index];
	char text[80];

	child_describe_end(c, text, sizeof(text));
	if (!s->opts.options->quiet)
		report_note(s->opts.to, "%s", text);
	(void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, child_fd(c), NULL);
	if (--s->live == 0)
		s->stop = true;
}

/* As dtrace(1) does, to leave the "^C" of the terminal behind. */
static void stop_asked(struct session *s)
{
	(void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->opts.stop, NULL);
	if (!s->stop)
		consumer_newline(s->consumer);
	s->stop = true;
}

/* Reads the timer, or epoll would report it again and again. */
static void drain_timer(const struct session *s)
{
	uint64_t expired;
	ssize_t n = read(s->timer, &expired, sizeof(expired));

	(void)n; /* EAGAIN: it was set again since it expired */
}

/* Handles one event. A ring's event moves the time of emptying forward, by so much that the record is old enough to be
 * consumed. */
static int handle(struct session *s, const struct epoll_event *ev)
{
	uint64_t settled;
	int err = 0;

	switch ((enum event)(ev->data.u64 >> 32)) {
	case EV_STOP:
		stop_asked(s);
		break;
	case EV_TIMER:
		drain_timer(s);
		break;
	case EV_TICK:
		err = tick_expired(s->ticks);
		if (err)
			report_error(s->opts.to, err, D_NONE, NULL, "cannot fire a tick probe: %s", strerror(-err));
		break;
	case EV_RING:
		/* Before the time is read: what a bell that finds the others unanswered was rung for is recorded. */
		ring_pass_over(&s->bell);
		settled = clock_now() + SETTLE_NS;
		if (settled < s->empty_at)
			s->empty_at = settled;
		break;
	case EV_BOX:
		boxes_follow(s);
		break;
	case EV_CHILD:
		child_ended(s, (size_t)(ev->data.u64 & 0xffffffffu));
		break;
	}
	return err;
}

/* One timer serves all five dates. */
int session_wake(struct session *s)
{
	uint64_t next = s->empty_at < s->peek_at ? s->empty_at : s->peek_at;
	struct itimerspec t;

	if (s->report_at < next)
		next = s->report_at;
	if (s->walk_at < next)
		next = s->walk_at;
	if (meter_due(s->meter) < next)
		next = meter_due(s->meter);
	t = (struct itimerspec){ .it_value = { .tv_sec = (time_t)(next / 1000000000u),
					 .tv_nsec = (long)(next % 1000000000u) } };
	if (timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &t, NULL) == 0)
		return 0;
	return report_error(s->opts.to, -errno, D_NONE, NULL, "cannot set a timer: %s", strerror(errno));
}

/* The numbers that the programs read (the machine's load, the time of day) and those that they count. */
static int update_numbers(struct session *s)
{
	int err = machine_update(s->image, s->loaded->maps);

	if (!err)
		err = machine_read_counters(s->readings, s->image, s->loaded->maps);
	if (err)
		report_error(s->opts.to, err, D_NONE, NULL, "cannot update the machine's load for the programs: %s",
			strerror(-err));
	return err;
}

/* What is done each time the rings are emptied. */
static int keep_up(struct session *s)
{

	if (s->owner && owner_poll(s->owner) && !s->owner_late++)
		report_warning(
			s->opts.to, D_NONE, NULL, "owners of sockets shared by processes may be late from here on");
	return update_numbers(s);
}

/* -x maxcpu: ends the trace, or changes the rate of sampling. Drops are reported before that, so that each report is of
 * one rate. 0, or -errno after a report. */
static int keep_limit(struct session *s)
{
	uint64_t rate = 1;
	enum meter_verdict v = meter_judge(s->meter, s, &rate);
	int err;

	if (v == METER_OVER)
		s->stop = s->over = true;
	if (v != METER_RATE)
		return 0;
	err = report_drops(s);
	return err ? err : session_set_rate(s, rate);
}

/* The rings are looked at again when they are to be emptied, if records come as fast as since they were emptied. Each
 * wake-up takes some 40 us, so a fixed short interval would cost more than the records do. */
static uint64_t next_look(const struct session *s, uint64_t now, unsigned fill, bool empty)
{
	uint64_t rate = session_switchrate(s), least = rate / PEEKS_MOST, most = rate / PEEKS;
	uint64_t left = empty ? PEEK_EMPTY : PEEK_EMPTY - fill;
	uint64_t wait = fill ? (now - s->emptied_at) * left / fill : most;

	return now + (wait < least ? least : wait > most ? most : wait);
}

/* Empties the rings when it is time, or sooner when one fills up. */
static int serve_rings(struct session *s)
{
	uint64_t now = clock_now();
	bool due = now >= s->empty_at, look = due || now >= s->peek_at;
	unsigned fill = look ? consumer_avail(s->consumer) : 0;
	bool empty = due || fill >= PEEK_EMPTY;
	int n = due ? keep_up(s) : 0;

	if (look)
		s->peek_at = next_look(s, now, fill, empty);
	if (empty)
		s->emptied_at = now;
	if (!n && empty)
		n = empty_rings(s, false);
	if (n >= 0 && now >= s->report_at)
		n = report_drops(s);
	if (n >= 0 && now >= meter_due(s->meter))
		n = keep_limit(s);
	return n < 0 ? n : 0;
}

/* A signal that interrupts the wait (EINTR) is no error: the caller's handler may have called dwire_stop(). */
int session_work(struct session *s, int timeout_ms)
{
	struct epoll_event ev[MAX_EVENTS];
	int err = 0, n = s->stop ? 0 : epoll_wait(s->epoll, ev, MAX_EVENTS, timeout_ms);

	if (n < 0 && errno != EINTR)
		return report_error(s->opts.to, -errno, D_NONE, NULL, "cannot wait for events: %s", strerror(errno));
	for (int i = 0; i < n && !err; i++)
		err = handle(s, &ev[i]);
	if (!err)
		err = serve_rings(s);
	if (!err && !s->stop && clock_now() >= s->walk_at)
		err = s->walk(s);
	if (!err)
		err = session_wake(s);
	return err ? err : !s->stop;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void add_missed_in(struct session *s, uint32_t probe, bool notes, bool chooses, uint64_t n)
{
	const struct image_probe *p = probe < s->image->probes.n ? &s->image->probes.v[probe] : NULL;
	char name[128];

	if (!p)
		return;
	snprintf(name, sizeof(name), "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	consumer_add_missed(s->consumer, name, notes, chooses, n);
}

/* Adds what the kernel counted and the programs could not: runs that were skipped. A program for several probes (parts)
 * counts for each of them, since the kernel does not know which one would have fired. */
static void add_missed(struct session *s)
{
	const struct image *img = s->image;
	uint64_t late = tick_missed(s->ticks), slept = s->attached ? attach_missed(s->attached) : 0;

	for (size_t i = 0; i < s->loaded->nprogs; i++) {
		const struct image_prog *p = &img->progs.v[i];
		uint64_t n = load_missed(s->loaded, i) + (s->attached ? attach_passed_over(s->attached, i) : 0);

		if (!p->nparts)
			add_missed_in(s, p->probe, p->notes, p->chooses, n);
		for (size_t k = 0; k < p->nparts; k++)
			add_missed_in(s, p->parts[k].probe, p->parts[k].notes, p->chooses, n);
	}
	consumer_add_drops(s->consumer, DROP_TICK, late);
	consumer_add_drops(s->consumer, DROP_PROFILE, slept);
}

/* Fires END and consumes what it recorded. */
static int fire_end(struct session *s)
{
	int fired = load_finish(s->loaded, s->opts.to);

	if (!fired)
		fired = update_numbers(s);
	if (fired)
		return fired;
	fired = tick_fire(s->loaded, "END", NULL, 0);
	if (fired < 0)
		report_error(s->opts.to, fired, D_NONE, NULL, "cannot fire dtrace:::END: %s", strerror(-fired));
	return fired < 0 ? fired : empty_all(s);
}

/* What a function of the consumer returned. */
static int written(struct session *s, int r)
{
	return r ? session_output_failed(s, r) : 0;
}

/* The thread that ends the session is the one that armed it, or -x cpu leaves the wrong one where it is. */
static void leave_cpu(struct session *s)
{
	if (s->moved)
		(void)!sched_setaffinity(0, sizeof(s->cpus), &s->cpus);
	s->moved = false;
}

/* The steps are in this order so that END sees final aggregations, and that drops include those of END. An error
 * ends the output, but everything is detached all the same. */
static int end(struct session *s, int *status)
{
	int err;

	if (!s->consumer)
		return 0;
	err = s->last_walk ? s->last_walk(s) : 0;
	(void)!load_set_gate(s->loaded, DW_GATE_ENDED); /* if that fails, clauses stop as they are detached */
	tick_stop(s->ticks);
	/* After exit() nothing that programs still record is printed: only aggregations are worth waiting for them. */
	if (s->attached)
		attach_detach(s->attached, s->image->aggs.n || !consumer_exited(s->consumer, status));
	if (!err)
		err = empty_all(s);
	if (!err && !s->output_gone)
		err = written(s, consumer_release(s->consumer));
	if (!err)
		err = empty_all(s);
	if (!err)
		err = fire_end(s);
	if (!err && !s->output_gone)
		err = written(s, consumer_aggs(s->consumer));
	add_missed(s);
	if (!err)
		err = report_drops(s);
	meter_report(s->meter, s);
	if (!err && !s->output_gone)
		err = written(s, consumer_end(s->consumer));
	if (!consumer_exited(s->consumer, status) && s->over)
		*status = SESSION_OVER;
	return err;
}

int session_end(struct session *s, int *status)
{
	int err;

	*status = 0;
	err = end(s, status);
	leave_cpu(s);
	return err;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	leave_cpu(s);
	attach_free(s->attached);
	tick_free(s->ticks);
	consumer_free(s->consumer);
	ring_close(&s->bell);
	load_free(s->loaded);
	owner_stop(s->owner);
	meter_free(s->meter);
	if (s->timer >= 0)
		close(s->timer);
	if (s->epoll >= 0)
		close(s->epoll);
	symtext_free(s->symtext);
	counters_free(s->counters);
	containers_free(s->boxes);
	readings_free(s->readings);
	zone_free(s->zones);
	free(s);
}
