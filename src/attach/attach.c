/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach: see attach.h. kprobe.c, uprobe.c and samplers.c attach the kinds that need more work.
 * Input: struct loaded. Output: descriptors of links and events.
 * Invariant: nothing is pinned, so no attachment outlives the process. */
#include "attach/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach/cgroup_taken.h"
#include "attach/kprobe.h"
#include "attach/netfilter.h"
#include "attach/samplers.h"
#include "attach/uprobe.h"
#include "attach/walk.h"
#include "attach/xdp.h"
#include "base/diag/report.h"
#include "base/parallel.h"
#include "kernel/bpfsys.h"
#include "kernel/events/sysevents.h"

struct attached {
	struct loaded *loaded;           /* borrowed */
	struct features *features;       /* borrowed */
	const struct owner_after *after; /* borrowed; NULL: no program follows one of the owner service */
	size_t follows[OWNER_AFTERS];    /* number of the program that follows the service's there, + 1; 0: none does */
	uint64_t before[OWNER_AFTERS];   /* firings that the kernel had passed over there before */
	int *links;
	size_t nlinks;
	struct links events; /* of tracepoints, and the links to them: the kernel waits long when it removes one */
	struct samplers samplers;
	struct kprobe_links kprobes;
	struct range {
		size_t from, to; /* of kprobes */
		uint64_t passed_over;
	} * ranges; /* for each program: see attach_passed_over() */
	struct uprobe_links uprobes;
	pthread_t thread; /* if it runs, a thread attaches those: the kernel waits for all CPUs at each place */
	bool runs;
	int user_err;                /* of it, once it has ended */
	struct netfilter *netfilter; /* NULL: no program is for it */
	struct xdp *xdp;             /* NULL: no program is for XDP programs */
	struct walks walks;
	bool detached;
};

/* Reports that a program cannot be attached; where: the place. more: text after the reason, or "". Returns err. */
static int failed(
	const struct attached *a, size_t prog, const char *where, int err, const char *more, const struct reporter *to)
{
	const struct image *img = a->loaded->image;
	const struct image_prog *p = &img->progs.v[prog];
	const struct image_probe *probe = p->probe < img->probes.n ? &img->probes.v[p->probe] : NULL;
	char reason[320];

	features_explain(a->features, err, reason, sizeof(reason));
	return report_error(to, err, D_NONE, NULL, "cannot attach %s:%s:%s:%s to %s%s%s: %s%s%s",
		probe ? probe->prov : "", probe ? probe->mod : "", probe ? probe->func : "",
		probe ? probe->name : p->name, where, p->target ? " " : "", p->target ? p->target : "", reason,
		err == -ENOENT ? "; this kernel does not have it" : "", more);
}

/* BEGIN, END and the like: dwire fires them by BPF_PROG_TEST_RUN. */
static int attach_nothing(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	(void)a, (void)prog, (void)where, (void)to;
	return 0;
}

/* Opens events on each CPU, which attach_start() enables. */
static int attach_perf(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	const struct image_prog *p = &a->loaded->image->progs.v[prog];
	int err =
		p->tick ? 0 : samplers_add(&a->samplers, p, a->loaded->progs[prog], a->features); /* tick.c has those */

	return err ? failed(a, prog, where, err, "", to) : 0;
}

/* Links a program to an event, which is kept. 0 or -errno. */
static int link_event(struct attached *a, size_t prog, int event)
{
	int link, err = links_keep(&a->events, event);

	if (err)
		return err;
	err = samplers_link(a->loaded->progs[prog], event, &link);
	if (link >= 0 && !err)
		err = links_keep(&a->events, link);
	return !err && ioctl(event, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : err;
}

static const uint32_t first;

/* Is the program at that place? */
static bool is_after(const struct owner_after *after, const struct image_prog *p)
{
	return p->expected_attach_type == after->type &&
		(!after->tracepoint || (p->attach == ATTACH_TP_BTF && !strcmp(p->target, after->tracepoint)));
}

/* The place where it can follow the owner service's program, and no other does; OWNER_AFTERS: there is none. */
static size_t place_to_follow(const struct attached *a, const struct image_prog *p)
{
	for (size_t i = 0; a->after && i < OWNER_AFTERS; i++)
		if (a->after[i].array >= 0 && !a->follows[i] && is_after(&a->after[i], p))
			return i;
	return OWNER_AFTERS;
}

/* Lets the owner service's program at the same place go on to this one. False: it is attached by itself. */
static bool follow_owner(struct attached *a, size_t prog)
{
	size_t i = place_to_follow(a, &a->loaded->image->progs.v[prog]);

	if (i == OWNER_AFTERS || bpfsys_map_update(a->after[i].array, &first, &a->loaded->progs[prog], BPF_ANY))
		return false;
	a->follows[i] = prog + 1;
	a->before[i] = load_prog_missed(a->after[i].prog);
	*a->after[i].followed = 1;
	return true;
}

static bool any_follows(const struct attached *a)
{
	bool any = false;

	for (size_t i = 0; i < OWNER_AFTERS; i++)
		any |= a->follows[i] != 0;
	return any;
}

/* At the root of cgroup2, so for all processes that the mount shows. */
static int attach_cgroup(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	int root = features_cgroup2(a->features, to), fd;
	enum bpf_attach_type type = (enum bpf_attach_type)a->loaded->image->progs.v[prog].expected_attach_type;

	if (root < 0)
		return root;
	if (follow_owner(a, prog))
		return 0;
	fd = bpfsys_link(a->loaded->progs[prog], root, type);
	if (fd < 0)
		return failed(a, prog, where, fd, cgroup_taken(fd, root, type), to);
	a->links[a->nlinks++] = fd;
	return 0;
}

/* The tracepoint or function is the one that the program was verified for (attach_btf_id). */
static int attach_raw(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	int fd;

	if (follow_owner(a, prog))
		return 0;
	fd = bpfsys_link_raw(a->loaded->progs[prog], NULL);
	if (fd < 0)
		return failed(a, prog, where, fd,
			fd == -E2BIG ? "; Linux lets no more than 38 programs be at a function: end another "
				       "trace, or -x tier=kprobes"
				     : "",
			to);
	a->links[a->nlinks++] = fd;
	return 0;
}

static int attach_kprobe(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	const struct image *img = a->loaded->image;
	const struct image_prog *at = &img->progs.v[prog];
	const struct image_probe *p = &img->probes.v[at->probe];
	int err;

	a->ranges[prog].from = a->kprobes.fds.n;
	err = kprobes_attach(at, a->loaded->progs[prog], a->features, &a->kprobes);
	a->ranges[prog].to = a->kprobes.fds.n;
	if (err == -EILSEQ)
		return report_error(to, err, D_NONE, NULL,
			"cannot attach %s:%s:%s:%s: no instruction begins at that offset", p->prov, p->mod, p->func,
			p->name);
	if (err == -EMFILE && at->ntargets > 1 && !load_kprobe_multi(at, a->features))
		return report_error(to, err, D_NONE, NULL,
			"cannot attach %s:%s:%s:%s and %zu other probe%s: each function needs a file descriptor (on "
			"Linux before 5.18 or without CONFIG_FPROBE), and this process may not have so many (ulimit "
			"-n)",
			p->prov, p->mod, p->func, p->name, at->ntargets - 1, at->ntargets == 2 ? "" : "s");
	return err ? failed(a, prog, where, err, "", to) : 0;
}

/* A program at each of its system calls' own tracepoints. */
static int attach_syscall(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	const struct image_prog *p = &a->loaded->image->progs.v[prog];
	struct sysevents *events = features_sysevents(a->features);

	(void)where; /* the message names the system call */
	for (size_t i = 0; i < p->ntargets; i++) {
		int fd = events ? sysevents_take(events, p->target, p->targets[i].func) : -ENOMEM, r = fd;

		if (fd >= 0)
			r = link_event(a, prog, fd);
		if (r < 0)
			return failed(a, prog, p->targets[i].func, r, "", to);
	}
	return 0;
}

/* A program that gets the records of a tracepoint. */
static int attach_event(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	int fd = sysevents_open(a->loaded->image->progs.v[prog].target), r = fd;

	if (fd >= 0)
		r = link_event(a, prog, fd);
	return r < 0 ? failed(a, prog, where, r, "", to) : 0;
}

/* Attached by netfilter_look(), in each network namespace. */
static int attach_netfilter(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	(void)where;
	if (!a->netfilter)
		a->netfilter = netfilter_new();
	if (!a->netfilter)
		return report_no_memory(to, "attach the programs");
	return netfilter_add(a->netfilter, a->loaded->progs[prog], a->loaded->image->progs.v[prog].attach, to);
}

/* The link stays among the others; attach_walk() reads the iterator. */
static int attach_iterator(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	int fd = bpfsys_link(a->loaded->progs[prog], 0, BPF_TRACE_ITER);

	if (fd < 0)
		return failed(a, prog, where, fd, "", to);
	a->links[a->nlinks++] = fd;
	return walks_add(&a->walks, fd, to);
}

/* Attached by xdp_look(), to each XDP program. */
static int attach_program(struct attached *a, size_t prog, const char *where, const struct reporter *to)
{
	(void)where;
	if (!a->xdp)
		a->xdp = xdp_new(a->loaded, a->features);
	return a->xdp && xdp_add(a->xdp, prog) == 0 ? 0 : report_no_memory(to, "attach the programs");
}

/* ---- by way ------------------------------------------------------------------------------------------------------ */
static int (*const ways[])(struct attached *a, size_t prog, const char *where, const struct reporter *to) = {
	[WAY_HAND] = attach_nothing,
	[WAY_RAW] = attach_raw,
	[WAY_CGROUP] = attach_cgroup,
	[WAY_PERF] = attach_perf,
	[WAY_USER] = attach_nothing, /* attach_users() does it */
	[WAY_FUNCTION] = attach_raw,
	[WAY_KPROBE] = attach_kprobe,
	[WAY_SYSCALL] = attach_syscall,
	[WAY_EVENT] = attach_event,
	[WAY_NETFILTER] = attach_netfilter,
	[WAY_WALK] = attach_iterator,
	[WAY_PROGRAM] = attach_program,
};
_Static_assert(sizeof(ways) / sizeof(ways[0]) == WAY_COUNT, "a function for each way");

/* Attaches program i if it is (function) or is not (!function) on a function of the kernel. */
static int attach_if(struct attached *a, size_t i, bool function, const struct reporter *to)
{
	const struct attach_info *info = attach_info(a->loaded->image->progs.v[i].attach);

	if (function != (info->way == WAY_FUNCTION || info->way == WAY_KPROBE))
		return 0;
	return ways[info->way](a, i, info->where, to);
}

/* ---- aside ------------------------------------------------------------------------------------------------------- */
static bool is_user(const struct image_prog *p)
{
	return attach_info(p->attach)->way == WAY_USER;
}

static void *attach_users(void *arg)
{
	struct attached *a = arg;
	const struct loaded *l = a->loaded;

	for (size_t i = 0; i < l->nprogs && !a->user_err; i++)
		if (is_user(&l->image->progs.v[i]))
			a->user_err = uprobes_attach(&l->image->progs.v[i], l->progs[i], &a->uprobes);
	return NULL;
}

static void start_users(struct attached *a)
{
	const struct loaded *l = a->loaded;
	size_t n = 0;

	for (size_t i = 0; i < l->nprogs; i++)
		n += is_user(&l->image->progs.v[i]);
	a->runs = n && parallel_start(&a->thread, attach_users, a) == 0;
	if (n && !a->runs)
		(void)attach_users(a);
}

static void await_users(struct attached *a)
{
	if (a->runs)
		pthread_join(a->thread, NULL);
	a->runs = false;
}

int attach_finish(struct attached *a, const struct reporter *to)
{
	await_users(a);
	return a->user_err ? uprobes_report(&a->uprobes, a->user_err, a->features, to) : 0;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */
/* Programs at one place must run in the order of the image. The kernel runs those of a function in reverse: the last
 * attached runs first. */
static int attach_in_order(struct attached *a, const struct reporter *to)
{
	const struct loaded *l = a->loaded;
	int err = 0;

	for (size_t i = 0; !err && i < l->nprogs; i++) {
		report_progress(to, "attaching programs", i, l->nprogs);
		err = attach_if(a, i, false, to);
	}
	for (size_t i = l->nprogs; !err && i-- > 0;)
		err = attach_if(a, i, true, to);
	if (!err && a->netfilter)
		err = netfilter_look(a->netfilter, to);
	if (!err && a->xdp)
		xdp_look(a->xdp, to);
	return err;
}

/* The array has room for the most links there can be: one a program. */
int attach_all(struct loaded *l, struct features *f, const struct owner_after *after, struct attached **out,
	const struct reporter *to)
{
	struct attached *a = calloc(1, sizeof(*a));
	int err;

	*out = NULL;
	if (!a)
		return report_no_memory(to, "attach the programs");
	a->loaded = l;
	a->features = f;
	a->after = after;
	a->samplers.stats = -1;
	a->links = calloc(l->nprogs + 1, sizeof(*a->links));
	a->ranges = calloc(l->nprogs + 1, sizeof(*a->ranges));
	if (!a->links || !a->ranges) {
		err = report_no_memory(to, "attach the programs");
	} else {
		start_users(a);
		err = attach_in_order(a, to);
	}
	if (err) {
		attach_free(a);
		return err;
	}
	*out = a;
	return 0;
}

int attach_start(struct attached *a, const struct reporter *to)
{
	int err = load_set_gate(a->loaded, DW_GATE_OPEN);

	if (!err)
		err = samplers_start(&a->samplers);
	if (err)
		report_error(to, err, D_NONE, NULL, "cannot start the attached programs: %s", strerror(-err));
	return err;
}

/* The kernel counts for each link, and for the program that it calls. */
static void count_passed_over(struct attached *a)
{
	for (size_t i = 0; i < a->loaded->nprogs; i++) {
		struct range *r = &a->ranges[i];

		r->passed_over = kprobes_missed(&a->kprobes, r->from, r->to);
	}
	for (size_t i = 0; i < OWNER_AFTERS; i++)
		if (a->follows[i])
			a->ranges[a->follows[i] - 1].passed_over += load_prog_missed(a->after[i].prog) - a->before[i];
}

uint64_t attach_passed_over(const struct attached *a, size_t prog)
{
	return a->ranges[prog].passed_over;
}

/* Empties the arrays. The kernel does so itself when an array is closed; but if another process opens and closes all
 * maps several times within the milliseconds that this takes, Linux 6.18 never frees the map. */
static void *unfollow(void *arg)
{
	const struct attached *a = arg;

	for (size_t i = 0; i < OWNER_AFTERS; i++)
		if (a->follows[i])
			(void)!bpfsys_map_delete(a->after[i].array, &first); /* then the kernel does it */
	return NULL;
}

void attach_detach(struct attached *a, bool wait)
{
	pthread_t thread;
	bool any, runs;

	await_users(a);
	any = a->nlinks || any_follows(a) || a->events.n || a->samplers.n || a->uprobes.fds.n || a->kprobes.fds.n ||
		a->netfilter || a->xdp;

	if (!any || a->detached)
		return;
	a->detached = true;
	samplers_stop(&a->samplers);
	/* All at once, so that the probes of one packet stop at nearly the same time. The last is closed first: of
	 * two programs at one tracepoint the kernel releases the first only when no CPU can be running it, which
	 * takes milliseconds. */
	while (a->nlinks)
		close(a->links[--a->nlinks]);
	for (size_t i = 0; i < OWNER_AFTERS; i++)
		if (a->follows[i])
			*a->after[i].followed = 0;
	/* The kernel waits for all CPUs, as load_synchronize() does. */
	runs = any_follows(a) && parallel_start(&thread, unfollow, a) == 0;
	netfilter_detach(a->netfilter);
	xdp_detach(a->xdp);
	count_passed_over(a);
	links_move(&a->events, &a->uprobes.fds);
	links_move(&a->events, &a->kprobes.fds);
	links_close(&a->events);
	if (wait)
		load_synchronize();
	if (runs)
		pthread_join(thread, NULL);
	samplers_count_ran(&a->samplers, a->loaded);
}

bool attach_walk(struct attached *a, bool (*between)(void *ctx), void *ctx, const struct reporter *to)
{
	return walks_run(&a->walks, between, ctx, to);
}

uint64_t attach_walked(const struct attached *a)
{
	return a->walks.objects;
}

void attach_warn_refused(const struct attached *a, const struct reporter *to)
{
	uprobes_warn_refused(&a->uprobes, to);
}

int attach_look(struct attached *a, const struct reporter *to)
{
	int err = 0;

	uprobes_look(&a->uprobes, to);
	if (a->detached)
		return 0;
	samplers_look(&a->samplers, a->features, to);
	if (a->netfilter)
		err = netfilter_look(a->netfilter, to);
	if (!err && a->xdp)
		xdp_look(a->xdp, to);
	return err;
}

uint64_t attach_missed(const struct attached *a)
{
	const struct samplers *s = &a->samplers;

	return s->counted && s->due > s->ran ? s->due - s->ran : 0;
}

void attach_free(struct attached *a)
{
	if (!a)
		return;
	if (a->links)
		attach_detach(a, false);
	samplers_free(&a->samplers);
	uprobes_free(&a->uprobes);
	netfilter_free(a->netfilter);
	xdp_free(a->xdp);
	free(a->walks.v);
	free(a->ranges);
	free(a->links);
	free(a);
}
