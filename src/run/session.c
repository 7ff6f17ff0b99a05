/* session: the life of one tracing session.
 * Input: struct image, options. Output: what the consumer prints, and an exit status. Invariants: BEGIN runs before
 * any other probe can fire, END after none can any more; nothing is attached once session_end() has begun to print its
 * last lines; whatever was not recorded or not fired is counted and told. */
#include "run/session.h"
#include "run/attach.h"
#include "run/consume.h"
#include "run/counters.h"
#include "run/links.h"
#include "run/machine.h"
#include "run/owner.h"
#include "run/tick.h"
#include "run/symnote.h"
#include "run/symtext.h"
#include "run/zone.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define SWITCHRATE_DEFAULT 100000000u /* ns: 10 hz, as DTrace's */
#define PEEKS 4                       /* looks at the fill of the rings for each time they are emptied */
#define MAX_EVENTS 16
#define WAIT_MAX_MS 1000      /* however seldom -x switchrate and statusrate want something done */
#define REPORT_NS 1000000000u /* drops are told this often */
#define SETTLE_NS 5200000u    /* the consumer holds back records younger than 5 ms */
#define LAST_PASSES 8         /* at the end: a pass stops behind the record of an exit() */

/* What an epoll event is about; a child's carries its number too. */
enum event { EV_SIGNAL, EV_TICK, EV_RING, EV_CHILD };

struct session {
	const struct image *image;
	struct session_options opts;
	struct zones *zones;
	struct counters *counters; /* NULL: not asked for yet */
	struct symtext *symtext;
	bool names; /* of addresses in processes are wanted */
	struct owner *owner;
	struct loaded *loaded;
	struct attached *attached;
	struct ticks *ticks;
	struct consumer *consumer;
	int epoll, signals;
	bool signals_taken;
	sigset_t old_mask;
	struct sigaction old_pipe;
	size_t live;                           /* children that have not ended */
	uint64_t empty_at, peek_at, report_at; /* CLOCK_MONOTONIC ns */
	unsigned owner_late;                   /* times that owner_poll() failed */
	uint64_t owner_drops;                  /* as last told */
	bool stop;
	bool output_gone; /* the reader of our output closed it */
};

static uint64_t now_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct session *session_new(const struct image *image, const struct session_options *opts)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->image = image;
	s->names = symnote_wanted(image);
	s->opts = *opts;
	s->live = opts->nchildren;
	s->epoll = s->signals = -1;
	s->zones = zone_new(features_global_netns(opts->features));
	s->symtext = symtext_new(&(struct symtext_opts){ .noresolve = opts->options->noresolve,
		.indent = (int)opts->options->stackindent,
		.folded = opts->options->folded,
		.inlines = opts->options->inlines,
		.nodemangle = opts->options->nodemangle,
		.err = opts->err });
	if (!s->zones || !s->symtext) {
		zone_free(s->zones);
		symtext_free(s->symtext);
		free(s);
		return NULL;
	}
	return s;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static int watch(struct session *s, int fd, enum event kind, size_t index, uint32_t how)
{
	struct epoll_event ev = { .events = EPOLLIN | how, .data = { .u64 = (uint64_t)kind << 32 | index } };

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

static int take_signals(struct session *s)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, hup = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Under nohup(1) the end of the terminal is not ours. */
	if (sigaction(SIGHUP, NULL, &hup) == 0 && hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return -errno;
	if (sigprocmask(SIG_BLOCK, &set, &s->old_mask) < 0)
		return -errno;
	/* A reader that goes away shall end the session in order, with EPIPE. */
	sigaction(SIGPIPE, &ignore, &s->old_pipe);
	s->signals_taken = true;
	return watch(s, s->signals, EV_SIGNAL, 0, 0);
}

static bool drain_signals(struct session *s)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		any = true;
	return any;
}

static int make_epoll(struct session *s, char *why, size_t why_len)
{
	int err;

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = s->epoll < 0 ? -errno : take_signals(s);
	/* Edge-triggered: a ring wakes us when a program asks for it (exit()), not whenever it holds something. */
	for (size_t i = 0; !err && i < s->loaded->nrings; i++)
		err = watch(s, s->loaded->rings[i], EV_RING, i, EPOLLET);
	for (size_t i = 0; !err && i < s->opts.nchildren; i++)
		err = watch(s, child_fd(s->opts.children[i]), EV_CHILD, i, 0);
	if (err)
		snprintf(why, why_len, "cannot set up the session's event loop: %s", strerror(-err));
	return err;
}

/* ---- arming ------------------------------------------------------------------------------------------------------ */

static int start_owner(struct session *s, char *why, size_t why_len)
{
	char reason[256];
	int root, r;

	if (!s->image->needs_owner)
		return 0;
	/* Without cgroup2 the service knows less; it says what it needs. */
	root = features_cgroup2(s->opts.features, why, why_len);
	r = owner_start(&s->owner, root < 0 ? -1 : root, features_cgroup2_whole(s->opts.features), s->image->functions,
		why, why_len);
	if (r >= 0)
		return r;
	features_explain(s->opts.features, -r, reason, sizeof(reason));
	if (strcmp(reason, strerror(-r)) != 0)
		snprintf(why, why_len, "cannot tell the owners of sockets: %s", reason);
	return r;
}

static void say_lowered(const struct session *s)
{
	static const char units[] = "kmg";
	uint32_t n = s->loaded->ring_size;
	size_t unit = 0;

	for (n /= 1024; n >= 1024 && n % 1024 == 0 && units[unit + 1]; n /= 1024)
		unit++;
	if (!s->opts.options->quiet)
		fprintf(s->opts.err, "dwire: buffer size lowered to %u%c\n", n, units[unit]);
}

static int load(struct session *s, char *why, size_t why_len)
{
	struct load_config c = {
		.image = s->image,
		.features = s->opts.features,
		/* What fill and ring keep, they keep here. */
		.bufsize = s->opts.options->bufpolicy == BUF_SWITCH ? s->opts.options->bufsize : 0,
		.owner_fd = s->owner ? owner_map_fd(s->owner) : -1,
		.last_users_fd = s->owner ? owner_last_users_fd(s->owner) : -1,
		.senders_fd = s->owner ? owner_senders_fd(s->owner) : -1,
	};

	int err = load_image(&c, &s->loaded, why, why_len);

	if (err || !s->loaded->nrings || s->loaded->ring_size >= c.bufsize)
		return err;
	if (s->opts.options->bufresize_manual) {
		snprintf(why, why_len, "cannot make buffers of %llu bytes for each CPU: not enough memory",
			(unsigned long long)c.bufsize);
		return -ENOMEM;
	}
	say_lowered(s);
	return 0;
}

/* ---- the consumer ------------------------------------------------------------------------------------------------ */

static const char *name_zone(void *ctx, uint32_t netns)
{
	struct session *s = ctx;

	return zone_name(s->zones, netns);
}

static const char *moved_counters(void *ctx)
{
	struct session *s = ctx;

	if (!s->counters)
		s->counters = counters_new(s->opts.options->netns);
	return s->counters ? counters_moved(s->counters) : "";
}

static int make_consumer(struct session *s, char *why, size_t why_len)
{
	struct consumer_env env = {
		.image = s->image,
		.map_fds = s->loaded->maps,
		.ring_fds = s->loaded->rings,
		.nrings = (int)s->loaded->nrings,
		.out = s->opts.out,
		.err = s->opts.err,
		.options = s->opts.options,
		.zone_name = name_zone,
		.moved = moved_counters,
		.symtext = s->symtext,
		.ctx = s,
	};
	int err = consumer_new(&env, &s->consumer);

	if (err)
		snprintf(why, why_len, "cannot map the ring buffers: %s", strerror(-err));
	return err;
}

/* What a write error means: a reader that went away ends the session in order. */
static int output_failed(struct session *s, int err, char *why, size_t why_len)
{
	s->stop = true;
	s->output_gone = true;
	if (err == -EPIPE)
		return 0;
	snprintf(why, why_len, "cannot write the output: %s", strerror(-err));
	return err;
}

/* Processes that addresses are printed of may end before these are. */
static void note_names(struct session *s)
{
	if (!s->names)
		return;
	symtext_refresh(s->symtext);
	for (size_t i = 0; i < s->opts.nchildren; i++)
		symtext_note(s->symtext, (uint64_t)child_pid(s->opts.children[i]));
	symnote_keys(s->image, s->loaded->maps, s->symtext);
}

/* -x switchrate: how often the rings are emptied. */
static uint64_t switchrate_ns(const struct session *s)
{
	return s->opts.options->switchrate_ns ? s->opts.options->switchrate_ns : SWITCHRATE_DEFAULT;
}

/* Prints what the rings hold. The number of records, or -errno. */
static int empty_rings(struct session *s, bool final, char *why, size_t why_len)
{
	int status, n;

	if (s->output_gone)
		return 0;
	note_names(s);
	n = consumer_work(s->consumer, final);
	s->empty_at = now_ns() + switchrate_ns(s);
	if (n < 0)
		return output_failed(s, n, why, why_len);
	if (consumer_exited(s->consumer, &status) || consumer_full(s->consumer))
		s->stop = true;
	return n;
}

/* Empties them to the last record. */
static int empty_all(struct session *s, char *why, size_t why_len)
{
	int n = 1;

	for (int i = 0; n > 0 && i < LAST_PASSES; i++)
		n = empty_rings(s, true, why, why_len);
	return n < 0 ? n : 0;
}

/* -x statusrate */
static uint64_t report_ns(const struct session *s)
{
	return s->opts.options->statusrate_ns ? s->opts.options->statusrate_ns : REPORT_NS;
}

static void report(struct session *s)
{
	uint64_t drops = s->owner ? owner_drops(s->owner) : 0;

	(void)consumer_report_drops(s->consumer);
	if (drops > s->owner_drops)
		fprintf(s->opts.err, "dwire: %llu socket owner drop%s\n", (unsigned long long)(drops - s->owner_drops),
			drops - s->owner_drops == 1 ? "" : "s");
	s->owner_drops = drops;
	if (s->attached)
		attach_look(s->attached, s->opts.err);
	s->report_at = now_ns() + report_ns(s);
}

/* ---- arming, second part ----------------------------------------------------------------------------------------- */

static void warn_partial(const struct session *s)
{
	bool cgroup = false;

	for (size_t i = 0; i < s->image->progs.n; i++) {
		enum attach_kind k = s->image->progs.v[i].attach;

		cgroup =
			cgroup || k == ATTACH_CGROUP_INGRESS || k == ATTACH_CGROUP_EGRESS || k == ATTACH_CGROUP_SOCKOPS;
	}
	if (cgroup && !features_cgroup2_whole(s->opts.features))
		fprintf(s->opts.err,
			"dwire: warning: in a cgroup namespace: only its own packets are seen; run outside of "
			"the container, or with the host's cgroup namespace\n");
}

static void warn_refused(const struct session *s)
{
	char first[512];
	size_t n = attach_refused(s->attached, first, sizeof(first));

	if (n)
		fprintf(s->opts.err, "dwire: warning: %zu place%s not traced; %s\n", n, n == 1 ? " is" : "s are",
			first);
}

static int begin(struct session *s, char *why, size_t why_len)
{
	int fired = machine_tell(s->image, s->loaded->maps);

	if (!fired)
		fired = tick_fire(s->loaded, "BEGIN", NULL, 0);
	if (fired < 0) {
		snprintf(why, why_len, "cannot fire dtrace:::BEGIN: %s", strerror(-fired));
		return fired;
	}
	return fired ? empty_all(s, why, why_len) : 0;
}

/* BEGIN may have said exit(): then no other probe fires, as in DTrace. */
static int attach(struct session *s, char *why, size_t why_len)
{
	int err = 0;

	if (s->stop)
		return 0;
	if (s->names)
		symtext_watch(s->symtext, s->opts.features);
	err = attach_all(s->loaded, s->opts.features, &s->attached, why, why_len);
	if (err)
		return err;
	warn_partial(s);
	warn_refused(s);
	err = s->owner ? owner_last(s->owner) : 0;
	if (err) {
		snprintf(
			why, why_len, "cannot attach the service that tells the owners of sockets: %s", strerror(-err));
		return err;
	}
	err = tick_start(s->loaded, &s->ticks, why, why_len);
	if (!err && s->ticks) {
		err = watch(s, tick_fd(s->ticks), EV_TICK, 0, 0);
		if (err)
			snprintf(why, why_len, "cannot watch the timer of the tick probes: %s", strerror(-err));
	}
	for (size_t i = 0; !err && i < s->opts.nchildren; i++)
		err = child_go(s->opts.children[i], why, why_len);
	if (!err)
		note_names(s);
	return err;
}

/* -x cpu: BEGIN, END and tick fire where this process runs. */
static int stay_on_cpu(const struct session *s, char *why, size_t why_len)
{
	cpu_set_t set;
	int cpu = s->opts.options->cpu, err = 0;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		err = -errno;
	if (err)
		snprintf(why, why_len, "cannot trace on CPU %d: %s", cpu, strerror(-err));
	return err;
}

int session_arm(struct session *s, char *why, size_t why_len)
{
	int err = features_require(s->opts.features, why, why_len);

	links_more_files(LINKS_FILES);
	if (!err)
		err = stay_on_cpu(s, why, why_len);
	if (!err)
		err = start_owner(s, why, why_len);
	if (!err)
		err = load(s, why, why_len);
	if (!err)
		err = make_consumer(s, why, why_len);
	if (!err)
		err = make_epoll(s, why, why_len);
	if (!err)
		err = begin(s, why, why_len);
	if (!err)
		err = attach(s, why, why_len);
	/* What was printed so far shall be seen before a long wait. */
	if (!err && fflush(s->opts.out) != 0)
		err = output_failed(s, -errno, why, why_len);
	s->empty_at = s->peek_at = now_ns() + switchrate_ns(s) / PEEKS;
	s->report_at = now_ns() + report_ns(s);
	return err;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static void child_ended(struct session *s, size_t index)
{
	struct child *c = s->opts.children[index];
	char text[80];

	child_describe_end(c, text, sizeof(text));
	if (!s->opts.options->quiet)
		fprintf(s->opts.err, "dwire: %s\n", text);
	(void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, child_fd(c), NULL);
	if (--s->live == 0)
		s->stop = true;
}

static int handle(struct session *s, const struct epoll_event *ev, char *why, size_t why_len)
{
	uint64_t settled;
	int err;

	switch ((enum event)(ev->data.u64 >> 32)) {
	case EV_SIGNAL:
		/* As dtrace(1) does, to leave the "^C" of the terminal behind. */
		if (drain_signals(s) && !s->stop) {
			s->stop = true;
			consumer_newline(s->consumer);
		}
		return 0;
	case EV_TICK:
		err = tick_expired(s->ticks);
		if (err)
			snprintf(why, why_len, "cannot fire a tick probe: %s", strerror(-err));
		return err;
	case EV_RING:
		settled = now_ns() + SETTLE_NS;
		if (settled < s->empty_at)
			s->empty_at = settled;
		return 0;
	case EV_CHILD:
		child_ended(s, (size_t)(ev->data.u64 & 0xffffffffu));
		return 0;
	}
	return -EINVAL;
}

/* Milliseconds until the next thing to do, rounded up. */
static int wait_ms(const struct session *s)
{
	uint64_t now = now_ns(), next = s->empty_at < s->peek_at ? s->empty_at : s->peek_at, ms;

	if (s->report_at < next)
		next = s->report_at;
	if (next <= now)
		return 0;
	ms = (next - now + 999999) / 1000000;
	return ms < WAIT_MAX_MS ? (int)ms : WAIT_MAX_MS;
}

/* Empties the rings when it is time, or sooner when one fills up. */
static int serve_rings(struct session *s, char *why, size_t why_len)
{
	uint64_t now = now_ns();
	int n = 0;

	if (s->owner && now >= s->empty_at && owner_poll(s->owner) && !s->owner_late++)
		fprintf(s->opts.err,
			"dwire: warning: owners of sockets shared by processes may be late from here on\n");
	if (now >= s->empty_at)
		n = machine_tell(s->image, s->loaded->maps);
	if (n < 0)
		snprintf(why, why_len, "cannot tell the programs the machine's load: %s", strerror(-n));
	else if (now >= s->empty_at || (now >= s->peek_at && consumer_avail(s->consumer) > 25))
		n = empty_rings(s, false, why, why_len);
	if (now >= s->peek_at)
		s->peek_at = now + switchrate_ns(s) / PEEKS;
	if (now >= s->report_at)
		report(s);
	return n < 0 ? n : 0;
}

int session_loop(struct session *s, char *why, size_t why_len)
{
	int err = 0;

	while (!s->stop && !err) {
		struct epoll_event ev[MAX_EVENTS];
		int n = epoll_wait(s->epoll, ev, MAX_EVENTS, wait_ms(s));

		if (n < 0 && errno != EINTR) {
			err = -errno;
			snprintf(why, why_len, "cannot wait for events: %s", strerror(-err));
		}
		for (int i = 0; i < n && !err; i++)
			err = handle(s, &ev[i], why, why_len);
		if (!err)
			err = serve_rings(s, why, why_len);
	}
	return err;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void add_missed_in(struct session *s, uint32_t probe, const struct image_prog *prog, uint64_t n)
{
	const struct image_probe *p = probe < s->image->probes.n ? &s->image->probes.v[probe] : NULL;
	char name[128];

	if (!p)
		return;
	snprintf(name, sizeof(name), "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	consumer_add_missed(s->consumer, name, prog->notes, prog->chooses, n);
}

static void add_missed(struct session *s)
{
	const struct image *img = s->image;
	uint64_t late = tick_missed(s->ticks), slept = s->attached ? attach_missed(s->attached) : 0;

	for (size_t i = 0; i < s->loaded->nprogs; i++) {
		const struct image_prog *p = &img->progs.v[i];
		uint64_t n = load_missed(s->loaded, i);

		if (!p->nparts)
			add_missed_in(s, p->probe, p, n);
		for (size_t k = 0; k < p->nparts; k++)
			add_missed_in(s, p->parts[k].probe, p, n);
	}
	if (late)
		fprintf(s->opts.err, "dwire: %llu tick firing%s missed (too late)\n", (unsigned long long)late,
			late == 1 ? "" : "s");
	if (slept)
		fprintf(s->opts.err, "dwire: %llu profile firing%s missed (a CPU's clock did not fire)\n",
			(unsigned long long)slept, slept == 1 ? "" : "s");
}

static int fire_end(struct session *s, char *why, size_t why_len)
{
	int fired = tick_fire(s->loaded, "END", NULL, 0);

	if (fired < 0)
		snprintf(why, why_len, "cannot fire dtrace:::END: %s", strerror(-fired));
	return fired < 0 ? fired : 0;
}

/* What was kept to the end is printed, and the ERROR clauses that this fires. */
static int release(struct session *s, char *why, size_t why_len)
{
	int r = s->output_gone ? 0 : consumer_release(s->consumer);

	return r ? output_failed(s, r, why, why_len) : empty_all(s, why, why_len);
}

int session_end(struct session *s, char *why, size_t why_len)
{
	int err, status;

	if (!s->consumer)
		return 0;
	/* After exit() no record of a program that still runs would be printed: only aggregations are worth the
	 * wait. */
	if (s->attached)
		attach_detach(s->attached, s->image->aggs.n || !consumer_exited(s->consumer, &status));
	err = empty_all(s, why, why_len);
	if (!err)
		err = release(s, why, why_len);
	if (!err)
		err = fire_end(s, why, why_len);
	if (!err)
		err = empty_all(s, why, why_len);
	if (!err && !s->output_gone) {
		int r = consumer_aggs(s->consumer);

		if (r)
			err = output_failed(s, r, why, why_len);
	}
	if (!err && !s->output_gone && fflush(s->opts.out) != 0)
		err = output_failed(s, -errno, why, why_len);
	add_missed(s);
	report(s);
	if (!err && !s->output_gone) {
		int r = consumer_end(s->consumer);

		if (r || fflush(s->opts.out) != 0)
			err = output_failed(s, r ? r : -errno, why, why_len);
	}
	return err;
}

int session_status(const struct session *s)
{
	int status = 0;

	return s->consumer && consumer_exited(s->consumer, &status) ? status : 0;
}

static void give_signals_back(struct session *s)
{
	if (s->signals_taken) {
		/* A second Ctrl-C that came while we ended shall not kill the caller now. */
		(void)drain_signals(s);
		sigaction(SIGPIPE, &s->old_pipe, NULL);
		sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	}
	if (s->signals >= 0)
		close(s->signals);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	attach_free(s->attached);
	tick_free(s->ticks);
	consumer_free(s->consumer);
	load_free(s->loaded);
	owner_stop(s->owner);
	if (s->epoll >= 0)
		close(s->epoll);
	give_signals_back(s);
	symtext_free(s->symtext);
	counters_free(s->counters);
	zone_free(s->zones);
	free(s);
}
