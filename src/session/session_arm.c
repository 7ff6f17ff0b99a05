/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_arm: from an image to a session in which probes fire.
 * Input: a new struct session. Output: what is loaded, attached and waited for.
 * Invariants: BEGIN runs after everything is attached and before any other clause acts. If BEGIN calls exit(), no other
 * clause acts. The records of BEGIN are consumed before the children go on. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/tick.h"
#include "base/clock.h"
#include "consume/consume.h"
#include "kernel/bpfsys.h"
#include "kernel/features.h"
#include "load/load.h"
#include "namespaces/counters.h"
#include "namespaces/pidns.h"
#include "namespaces/zone.h"
#include "owner/owner.h"
#include "session/boxes.h"
#include "session/cost.h"
#include "session/machine.h"
#include "session/session_priv.h"
#include "symbols/symtext.h"

/* ---- what is loaded ---------------------------------------------------------------------------------------------- */
/* Makes what turns numbers into names: of network namespaces, and of addresses. */
static int make_names(struct session *s)
{
	const struct options *o = s->opts.options;

	s->zones = zone_new(features_global_netns(s->opts.features));
	s->symtext = symtext_new(&(struct symtext_opts){ .noresolve = o->noresolve,
		.folded = o->folded,
		.inlines = o->inlines,
		.target = s->opts.nchildren ? child_pid(s->opts.children[0]) : 0,
		.outer = s->opts.outer,
		.inner = s->opts.inner,
		.nodemangle = o->nodemangle,
		.stop = &s->opts.stop,
		.to = s->opts.to });
	return s->zones && s->symtext ? 0 : report_no_memory(s->opts.to, "start the session");
}

static int start_owner(struct session *s)
{
	/* Without cgroup2 the service knows less; owner.h says what. */
	int root = s->image->needs_owner ? features_cgroup2(s->opts.features, NULL) : -1;
	struct owner_opts opts = {
		.features = s->opts.features,
		.btf = s->opts.btf,
		.cgroup_fd = root < 0 ? -1 : root,
		.whole = features_cgroup2_whole(s->opts.features),
		.functions = s->image->functions,
		.steps = !s->image->packet_owner,
		.datagrams = !s->image->stream_owner,
		.ended = s->image->needs_ended,
		.secret = s->image->secret,
		.ahead = s->opts.owner,
	};

	if (s->image->needs_owner)
		report_progress(s->opts.to, "finding the owners of sockets", 0, 0);
	return s->image->needs_owner ? owner_start(&s->owner, &opts, s->opts.to) : 0;
}

/* Reports the size of the buffers as dtrace(1) does, when memory did not suffice for bufsize. */
static void note_lowered(const struct session *s)
{
	static const char units[] = "kmg";
	uint32_t n = s->loaded->ring_size;
	size_t unit = 0;

	for (n /= 1024; n >= 1024 && n % 1024 == 0 && units[unit + 1]; n /= 1024)
		unit++;
	if (!s->opts.options->quiet)
		report_note(s->opts.to, "buffer size lowered to %u%c", n, units[unit]);
}

/* Where the kernel preempts, our own calls on maps must not keep programs from running; see bpfsys.h. */
static void guard_kprobes(const struct session *s)
{
	bool any = false;

	for (size_t i = 0; i < s->image->progs.n && !any; i++) {
		const enum attach_way way = attach_info(s->image->progs.v[i].attach)->way;

		any = way == WAY_KPROBE || way == WAY_PERF || way == WAY_EVENT;
	}
	if (any && features_preempts(s->opts.features))
		bpfsys_maps_at_once();
}

/* Loads maps and programs. With -x bufresize=manual smaller buffers than asked for are an error. */
static int load(struct session *s)
{
	struct load_config c = {
		.image = s->image,
		.features = s->opts.features,
		/* What fill and ring keep, they keep here. */
		.bufsize = s->opts.options->bufpolicy == BUF_SWITCH ? s->opts.options->bufsize : 0,
		.owner = s->owner ? *owner_maps(s->owner) : OWNER_MAPS_NONE,
	};
	int err = load_image(&c, &s->loaded, s->opts.to);

	if (err)
		return err;
	guard_kprobes(s);
	if (!s->loaded->nrings || s->loaded->ring_size >= c.bufsize)
		return 0;
	if (s->opts.options->bufresize_manual)
		return report_error(s->opts.to, -ENOMEM, D_NONE, NULL,
			"cannot make buffers of %llu bytes for each CPU: not enough memory",
			(unsigned long long)c.bufsize);
	note_lowered(s);
	return 0;
}

static const char *name_zone(void *ctx, uint32_t netns)
{
	struct session *s = ctx;

	return zone_name(s->zones, netns);
}

/* The counters are opened at the first call: few scripts print them, and opening enters the namespaces. */
static const char *moved_counters(void *ctx)
{
	struct session *s = ctx;

	if (!s->counters)
		s->counters = counters_new(s->zones, s->opts.options->netns, s->opts.to);
	return s->counters ? counters_moved(s->counters) : "";
}

/* Maps the rings. 0, or -errno after a report. */
static int make_consumer(struct session *s)
{
	struct consumer_env env = {
		.image = s->image,
		.map_fds = s->loaded->maps,
		.ring_fds = s->loaded->rings,
		.ring_map = { s->loaded->rings_fd, s->loaded->ring_size, DW_RING_KEY(s->image->secret) },
		.nrings = (int)s->loaded->nrings,
		.sink = s->opts.sink,
		.report = s->opts.to,
		.options = s->opts.options,
		.zone_name = name_zone,
		.box_name = boxes_name,
		.moved = moved_counters,
		.names = s->symtext,
		.ctx = s,
	};
	int err = consumer_new(&env, &s->consumer);

	if (!err && s->loaded->bell_fd >= 0)
		err = ring_open(&s->bell, s->loaded->bell_fd);
	if (err)
		report_error(s->opts.to, err, D_NONE, NULL, "cannot map the ring buffers: %s", strerror(-err));
	return err;
}

/* ---- what is waited for ------------------------------------------------------------------------------------------ */
/* Adds a descriptor to those that session_work() waits for. 0 or -errno. */
static int session_watch(struct session *s, int fd, enum event kind, size_t index, uint32_t how)
{
	struct epoll_event ev = { .events = EPOLLIN | how, .data = { .u64 = (uint64_t)kind << 32 | index } };

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* Everything that session_work() waits for, except the tick probes: start_ticks() adds their timer. */
static int make_epoll(struct session *s)
{
	int err = 0;

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->epoll < 0 || s->timer < 0)
		err = -errno;
	if (!err)
		err = session_watch(s, s->opts.stop, EV_STOP, 0, 0);
	if (!err)
		err = session_watch(s, s->timer, EV_TIMER, 0, 0);
	/* Edge-triggered: a ring wakes us when a program asks for it (exit()), not whenever it holds something. */
	for (size_t i = 0; !err && s->loaded->rings && i < s->loaded->nrings; i++)
		err = session_watch(s, s->loaded->rings[i], EV_RING, i, EPOLLET);
	if (!err && s->loaded->bell_fd >= 0)
		err = session_watch(s, s->loaded->bell_fd, EV_RING, 0, EPOLLET);
	for (size_t i = 0; !err && i < s->opts.nchildren; i++)
		err = session_watch(s, child_fd(s->opts.children[i]), EV_CHILD, i, 0);
	if (err)
		report_error(
			s->opts.to, err, D_NONE, NULL, "cannot set up the session's event loop: %s", strerror(-err));
	return err;
}

/* ---- what fires -------------------------------------------------------------------------------------------------- */
/* Does a program run at a hook of a cgroup? Those see only the packets of the cgroup that they are attached to. */
static bool runs_in_cgroup(const struct image *im)
{
	for (size_t i = 0; i < im->progs.n; i++)
		if (attach_sees_packets(im->progs.v[i].attach))
			return true;
	return false;
}

/* Inside a namespace a user may take what is traced for this namespace's alone, or for all of the machine's. */
static void warn_view(const struct session *s)
{
	struct features *f = s->opts.features;
	bool hooks = runs_in_cgroup(s->image);
	struct stat own;

	if (!hooks && !s->image->packets && !s->image->needs_owner)
		return;
	if (hooks && !features_cgroup2_whole(f))
		report_warning(s->opts.to, D_NONE, NULL,
			"in a cgroup namespace: only its own packets are seen; run outside of the container, or with "
			"the host's cgroup namespace");
	else if (pidns_inner())
		report_warning(s->opts.to, D_NONE, NULL,
			"in a pid namespace: the whole machine is traced; processes have the machine's numbers, and "
			"containers other than this one have no names");
	else if (!stat("/proc/self/ns/net", &own) && own.st_ino != features_global_netns(f))
		report_warning(s->opts.to, D_NONE, NULL,
			"in network namespace %s: the whole machine is traced, and \"global\" is its first namespace; "
			"--netns of a tool, or cs_netns == %llu, is this one alone",
			zone_name(s->zones, (uint32_t)own.st_ino), (unsigned long long)own.st_ino);
}

/* The map of the machine's numbers is filled before any clause can read it. */
static int fire_begin(struct session *s)
{
	int fired = machine_update(s->image, s->loaded->maps);

	if (!fired && s->image->readings.n) {
		s->readings = machine_readings(s->image, s->zones, s->opts.options->netns, s->opts.to);
		if (!s->readings)
			return report_no_memory(s->opts.to, "read the kernel's counters");
		fired = machine_read_counters(s->readings, s->image, s->loaded->maps);
	}
	if (!fired)
		fired = tick_fire(s->loaded, "BEGIN", NULL, 0);
	if (fired < 0)
		return report_error(
			s->opts.to, fired, D_NONE, NULL, "cannot fire dtrace:::BEGIN: %s", strerror(-fired));
	return 0;
}

/* Attaches all programs; their clauses do not act before attach_start(). The owner service's last hooks come after
 * them, so that a clause still finds the owner of a socket that closes. */
static int attach(struct session *s)
{
	int err;

	if (s->names)
		symtext_watch(s->symtext, s->opts.features);
	err = attach_all(s->loaded, s->opts.features, s->owner && !s->meter ? owner_after(s->owner) : NULL,
		&s->attached, s->opts.to);
	if (err)
		return err;
	warn_view(s);
	err = s->owner ? owner_last(s->owner) : 0;
	if (err)
		return report_error(s->opts.to, err, D_NONE, NULL,
			"cannot attach the service that finds the owners of sockets: %s", strerror(-err));
	err = attach_finish(s->attached, s->opts.to);
	if (!err)
		attach_warn_refused(s->attached, s->opts.to);
	return err;
}

/* The first tick fires a whole period from here. */
static int start_ticks(struct session *s)
{
	int err = tick_start(s->loaded, s->opts.features, s->opts.options->cpu, &s->ticks, s->opts.to);

	if (err || !s->ticks)
		return err;
	err = session_watch(s, tick_fd(s->ticks), EV_TICK, 0, 0);
	if (err)
		report_error(
			s->opts.to, err, D_NONE, NULL, "cannot watch the timer of the tick probes: %s", strerror(-err));
	return err;
}

/* Lets the commands run. Their mappings are noted at once, for processes that end within milliseconds. */
static int release_children(struct session *s)
{
	/* Whatever can be refused is refused before they run. */
	int err = s->opts.nchildren ? load_finish(s->loaded, s->opts.to) : 0;

	for (size_t i = 0; !err && i < s->opts.nchildren; i++)
		err = child_go(s->opts.children[i], s->opts.to);
	session_note_names(s);
	return err;
}

/* -x cpu: BEGIN, END and tick fire where this thread runs. session_end() gives it its CPUs back. */
static int stay_on_cpu(struct session *s)
{
	cpu_set_t set;
	int cpu = s->opts.options->cpu;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET((unsigned)cpu, &set);
	s->moved = sched_getaffinity(0, sizeof(s->cpus), &s->cpus) == 0;
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		return 0;
	s->moved = false;
	return report_error(s->opts.to, -errno, D_NONE, NULL, "cannot trace on CPU %d: %s", cpu, strerror(errno));
}

/* -x evaltime: what the commands do up to there is not traced. */
static int hold_children(struct session *s)
{
	int err = 0;

	if (s->opts.nchildren)
		report_progress(s->opts.to, "starting the command", 0, 0);
	for (size_t i = 0; !err && i < s->opts.nchildren; i++) {
		if (s->opts.aside)
			child_put_aside(s->opts.children[i]);
		err = child_ready(s->opts.children[i], s->opts.options->evaltime, s->opts.to);
	}
	/* One that has come to its start may end as soon as it goes on: its mappings are noted while it is stopped. */
	if (s->opts.nchildren)
		session_note_names(s);
	return err;
}

/* Loading may take seconds; a stop in the meantime ends the session before BEGIN. */
static bool stop_asked(const struct session *s)
{
	struct pollfd p = { .fd = s->opts.stop, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/* Between two parts of a walk: empties rings that fill up, though records of other CPUs may then be out of order.
 * False: the output is lost. The last walk ends for no other reason. */
static bool keep_last_walk(void *ctx)
{
	struct session *s = ctx;

	if (consumer_avail(s->consumer) > PEEK_EMPTY)
		s->walk_err = session_empty_to(s, clock_now());
	return !s->walk_err && !s->output_gone;
}

/* The same for other walks, which also end if the trace is to end. */
static bool keep_walking(void *ctx)
{
	struct session *s = ctx;

	report_progress(s->opts.to, "walking over sockets", attach_walked(s->attached), 0);
	return keep_last_walk(s) && !s->stop && !stop_asked(s);
}

/* The next walk begins -x walkrate after the planned time of this one. After a walk that took longer there is a pause
 * of that time, in which the rings are emptied. */
static void plan_walk(struct session *s, uint64_t began)
{
	const uint64_t rate = s->opts.options->walkrate_ns, now = clock_now();

	if (s->walk_at < began)
		began = s->walk_at;
	s->walk_at = !rate ? UINT64_MAX : began + rate > now ? began + rate : now + rate;
}

/* -x walkend: the walk before END. 0, or a negative value after a report. */
static int last_walk(struct session *s)
{
	int err;

	if (!s->opts.options->walkend || s->walk_err || s->output_gone)
		return 0;
	err = load_set_gate(s->loaded, DW_GATE_LAST);
	/* A program that was running may have called exit() since, which shuts the gate. */
	if (!err) {
		load_synchronize();
		err = load_set_gate(s->loaded, DW_GATE_LAST);
	}
	if (err)
		return report_error(s->opts.to, err, D_NONE, NULL, "cannot begin the last walk: %s", strerror(-err));
	(void)attach_walk(s->attached, keep_last_walk, s, s->opts.to);
	return s->walk_err;
}

/* The objects that exist now (sockets:::tcp-open), and then the probe that says that there are no more. */
static int walk(struct session *s)
{
	const uint64_t began = clock_now();
	int fired = attach_walk(s->attached, keep_walking, s, s->opts.to) ? tick_fire(s->loaded, "done", NULL, 0) : 0;

	plan_walk(s, began);
	report_progress(s->opts.to, NULL, 0, 0);
	if (fired < 0)
		return report_error(
			s->opts.to, fired, D_NONE, NULL, "cannot fire sockets:::done: %s", strerror(-fired));
	return s->walk_err;
}

/* Names that clauses compare are known before they act. */
static int watch_boxes(struct session *s)
{
	int fd, err = boxes_start(s, &fd);

	if (!err && fd >= 0)
		err = session_watch(s, fd, EV_BOX, 0, 0);
	return err;
}

/* BEGIN, then all others. */
static int go(struct session *s)
{
	int err = fire_begin(s);
	uint64_t begun = clock_now();

	/* After exit() in BEGIN no other probe fires, as in DTrace. */
	s->stop = !err && load_ended(s->loaded);
	if (!err && !s->stop)
		err = watch_boxes(s);
	if (!err && !s->stop)
		err = attach_start(s->attached, s->opts.to);
	if (!err && !s->stop)
		err = start_ticks(s);
	if (!err)
		err = session_empty_to(s, begun);
	if (!err && !s->stop) {
		s->walk = walk;
		s->last_walk = last_walk;
		err = walk(s);
	}
	return err || s->stop ? err : release_children(s);
}

int session_arm(struct session *s)
{
	int err = features_require(s->opts.features, s->opts.to);

	if (!err)
		err = meter_new(&s->opts, &s->meter);
	if (!err)
		err = stay_on_cpu(s);
	if (!err)
		err = make_names(s);
	if (!err)
		err = start_owner(s);
	if (!err)
		err = load(s);
	if (!err)
		err = make_consumer(s);
	if (!err)
		err = session_set_rate(s, s->opts.options->samplerate ? s->opts.options->samplerate : 1);
	if (!err)
		err = make_epoll(s);
	if (!err)
		err = hold_children(s);
	if (!err)
		err = attach(s);
	if (!err && !stop_asked(s))
		err = go(s);
	/* The output so far shall be seen before a long wait. */
	if (!err && sink_flush(s->opts.sink))
		err = session_output_failed(s, s->opts.sink->err);
	if (!err)
		err = load_finish(s->loaded, s->opts.to);
	report_progress(s->opts.to, NULL, 0, 0);
	meter_armed(s->meter);
	s->emptied_at = clock_now();
	s->empty_at = s->peek_at = s->emptied_at + session_switchrate(s) / PEEKS;
	s->report_at = clock_now() + session_report_rate(s);
	return err ? err : session_wake(s);
}
