/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner: attaches and fills the owner service, and scans again when a socket becomes suspect. See owner.h.
 *
 * Input:  the programs and maps that owner_load.c has loaded; a descriptor of the root cgroup.
 * Output: hashes, address of a socket -> struct dw_owner.
 * Invariants: every program is held by a link that only this process holds, so nothing outlives it. The hooks are
 * attached before the existing sockets are listed, so that no socket falls between the two. */
#include "owner/owner.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/abi.h"
#include "abi/owner_scan.h"
#include "attach/cgroup_taken.h"
#include "base/clock.h"
#include "base/diag/report.h"
#include "kernel/bpfsys.h"
#include "kernel/btf/btf.h"
#include "kernel/features.h"
#include "kernel/lockdown.h"
#include "owner/owner_load.h"
#include "owner/service.h"

_Static_assert(sizeof(struct dw_owner) == 56, "src/owner/bpf/owner.bpf.c and the compiled programs share this layout");

/* The time of scans that may come at once, times 100: 100 ms. */
#define SCAN_CREDIT 10000000000ull

/* After so long PROG_accept may be detached. */
#define ACCEPT_TRIED_NS 10000000000ull

struct owner {
	struct owner_kernel k;
	int cgroup;           /* ours, or -1 */
	int link[PROG_COUNT]; /* -1: not attached */
	int old[OWNER_OLD];   /* likewise, of k.old */
	uint64_t next_scan;   /* when another scan would be due if they came evenly, ns */
	/* Of PROG_accept: since when it is attached, ns, and the accepts that it had seen then. unneeded: it was
	 * detached, since the hook for getpeername() had seen all accepts before. missed: an accept was missed
	 * since, so it stays. */
	uint64_t since;
	uint32_t seen;
	bool unneeded, missed;
	bool by_calls;  /* calls that send show who uses a connection, not packets */
	bool datagrams; /* connections are not followed */
};

/* Attaches a program if the variant has it and it is not attached. Without the cgroup those that need it are left out.
 * 0 or -errno. */
static int attach(struct owner *o, enum owner_prog p)
{
	int fd = o->link[p] < 0 ? owner_load_needed(&o->k, p) : 0;
	const char *function = service_prog_kprobe(o->k.service, o->k.number[p]);

	if (fd)
		return fd;
	if (o->link[p] >= 0 || o->k.prog[p] < 0)
		return 0;
	if (p == PROG_uring) {
		fd = bpfsys_link_raw(o->k.prog[p], "io_uring_complete");
		if (fd == -ENOENT) /* a kernel without io_uring */
			return 0;
	} else if (function)
		fd = bpfsys_link_multi(o->k.prog[p], &function, NULL, 1, false);
	else if (owner_progs[p].type == BPF_TRACE_RAW_TP)
		fd = bpfsys_link_raw(o->k.prog[p], NULL);
	else if (o->cgroup < 0)
		return 0;
	else
		fd = bpfsys_link(o->k.prog[p], o->cgroup, owner_progs[p].type);
	if (fd < 0)
		return fd;
	o->link[p] = fd;
	return 0;
}

/* Is the program one of that kind? */
static bool is_of(const struct owner *o, enum owner_prog p, enum owner_when when)
{
	if (o->datagrams && (when == LISTENER || when == STREAM || p == PROG_state || p == PROG_destroy))
		return false;
	if (o->by_calls && p == PROG_egress)
		return false;
	if (o->by_calls && (p == PROG_send || p == PROG_recv))
		return when == (p == PROG_send ? ALWAYS : STREAM);
	return owner_progs[p].when == when;
}

/* Attaches the programs of one kind. *failed, unless NULL, gets the one that could not be. */
static int attach_all(struct owner *o, enum owner_when when, enum owner_prog *failed)
{
	for (size_t i = 0; i < PROG_COUNT; i++) {
		int err = is_of(o, (enum owner_prog)i, when) ? attach(o, (enum owner_prog)i) : 0;

		if (err) {
			if (failed)
				*failed = (enum owner_prog)i;
			return err;
		}
	}
	return 0;
}

/* Runs the iterator over all open files. It prints nothing; each read does a part of the work. */
static int scan(const struct owner *o, enum owner_scan what)
{
	int link = bpfsys_link(o->k.iter, 0, BPF_TRACE_ITER), fd, err = 0;
	char buf[64];

	*o->k.scan = what;
	if (link < 0)
		return link;
	fd = bpfsys_iter_new(link);
	if (fd < 0)
		err = fd;
	while (!err) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (!n)
			break;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			err = -errno;
	}
	if (fd >= 0)
		close(fd);
	close(link);
	return err;
}

/* Attaches the programs that are needed only while sockets are shared: they cost time at each send. */
static int attach_needed(struct owner *o)
{
	int err = 0;

	if (*o->k.listener_shared)
		err = attach_all(o, LISTENER, NULL);
	if (!err && *o->k.datagram_shared)
		err = attach_all(o, DATAGRAM, NULL);
	if (!err && *o->k.stream_shared)
		err = attach_all(o, STREAM, NULL);
	return err;
}

static void detach(struct owner *o, enum owner_prog p)
{
	close(o->link[p]);
	o->link[p] = -1;
}

/* PROG_accept makes every system call of the machine slower, by a tenth of a microsecond. It is needed only for
 * processes that accept connections of others' listeners without asking for the peer's address; all other accepts are
 * seen by the hook for getpeername(). It is detached if for a while it has seen accepts, and none of them needed it;
 * a machine that needed it once keeps it. Without the cgroup there are no other hooks. */
static void accept_poll(struct owner *o, uint64_t now)
{
	if (o->link[PROG_accept] < 0 || o->cgroup < 0 || o->missed || *o->k.accepts_needed)
		return;
	if (!o->since) {
		o->seen = *o->k.accepts_seen;
		o->since = now;
		return;
	}
	if (now - o->since < ACCEPT_TRIED_NS || *o->k.accepts_seen == o->seen)
		return;
	detach(o, PROG_accept);
	o->unneeded = true;
	*o->k.listener_shared = 0;
	o->since = 0;
}

/* Is it time to look for shared listeners? */
static bool suspects_listener(struct owner *o)
{
	if (*o->k.accept_missed) {
		o->unneeded = false;
		o->missed = true;
	}
	return (*o->k.accept_missed || (*o->k.listener_suspect && !o->unneeded)) && !*o->k.listener_shared &&
		!o->datagrams;
}

/* Two scans find shared sockets again: the first marks who holds each, the second checks the marks. A socket that
 * turns out to be shared switches the programs for its kind on. */
int owner_poll(struct owner *o)
{
	bool listener = suspects_listener(o);
	bool datagram = *o->k.datagram_suspect && !*o->k.datagram_shared;
	uint64_t begin = clock_now();
	int err;

	accept_poll(o, begin);
	if (*o->k.stream_shared) {
		err = attach_all(o, STREAM, NULL);
		if (err)
			return err;
	}
	if (!listener && !datagram && !*o->k.orphaned)
		return 0;
	if (begin + SCAN_CREDIT < o->next_scan)
		return 0;
	*o->k.listener_suspect = 0;
	*o->k.accept_missed = 0;
	*o->k.datagram_suspect = 0;
	*o->k.orphaned = 0;
	*o->k.marked = *o->k.marked == DW_OWNER_HOLDS ? DW_OWNER_HOLDS_TOO : DW_OWNER_HOLDS;
	err = scan(o, OWNER_SCAN_MARK);
	if (!err)
		err = scan(o, OWNER_SCAN_CHECK);
	if (!err)
		err = attach_needed(o);
	/* Where a million files are open a scan is long: they may take a hundredth of the time. */
	o->next_scan = (o->next_scan > begin ? o->next_scan : begin) + 100 * (clock_now() - begin);
	return err;
}

/* Reports that the service cannot be started. Returns err. */
static int failed(int err, const char *what, const char *more, const struct owner_opts *opts, const struct reporter *to)
{
	char reason[320];

	features_explain(opts->features, err, reason, sizeof(reason));
	return report_error(to, err, D_NONE, NULL, "cannot find the owners of sockets: %s: %s%s", what, reason, more);
}

static int load_failed(const struct owner_kernel *k, int err, const struct owner_opts *opts, const struct reporter *to)
{
	char what[128];

	if (!k->at)
		return failed(err, "loading the programs (Linux 5.8 or later)", "", opts, to);
	snprintf(what, sizeof(what), "before Linux 5.17 this needs fentry and iterators: loading the program for %s",
		k->at);
	return failed(err, what, "", opts, to);
}

/* Are packets to be seen at kprobes, since programs at fentry would be missed? */
static bool at_kprobes(struct features *f)
{
	return features_preempts(f) && features_kprobe_multi(f);
}

/* Loads the programs of the variant that suits, and takes a copy of the cgroup's descriptor. */
static int load(struct owner *o, const struct owner_opts *opts, const struct reporter *to)
{
	const bool ahead = opts->ahead && !opts->functions && owner_ahead_take(opts->ahead, &o->k);
	struct kbtf *own = NULL;
	int err = opts->btf || ahead ? 0 : kbtf_open(&own);

	if (!err && !ahead)
		err = owner_load(&o->k, opts->functions, opts->functions && at_kprobes(opts->features),
			opts->btf ? opts->btf : own);
	kbtf_close(own);
	if (err && lockdown_hides())
		return report_error(to, err, D_NONE, NULL, "cannot find the owners of sockets: %s", LOCKDOWN_HIDES);
	if (err && features_no_jit(opts->features))
		return report_error(to, err, D_NONE, NULL, "cannot find the owners of sockets: this needs %s",
			features_no_jit(opts->features));
	if (err && !features_cgroup_bpf(opts->features))
		return report_error(to, err, D_NONE, NULL,
			"cannot find the owners of sockets: this needs %s, which this kernel does not have",
			FEATURES_CGROUP_BPF);
	if (err)
		return load_failed(&o->k, err, opts, to);
	if (opts->cgroup_fd >= 0 && (o->cgroup = dup(opts->cgroup_fd)) < 0)
		return failed(-errno, "the root cgroup", "", opts, to);
	*o->k.partial = o->cgroup < 0 || !opts->whole;
	*o->k.ended_unread = !opts->ended;
	*o->k.ends_factor = DW_FACTOR(opts->secret);
	/* Where the kernel preempts threads, programs at ends of calls may be missed, and hooks at cgroups are not. */
	o->by_calls = opts->steps && o->cgroup >= 0 && o->k.number[PROG_send] >= 0 && o->k.number[PROG_output4] < 0 &&
		!features_preempts(opts->features);
	if (o->by_calls)
		*o->k.by_calls = 1;
	o->datagrams = opts->datagrams && o->cgroup >= 0 && o->k.datagrams;
	if (o->datagrams)
		*o->k.datagrams = 1;
	return 0;
}

/* Attaches what is always needed. Without the cgroup no sends are seen; then every socket may be shared. */
static int attach_first(struct owner *o, const struct owner_opts *opts, const struct reporter *to)
{
	static const enum owner_when kinds[] = { ALWAYS, LISTENER, DATAGRAM, STREAM };
	size_t n = o->cgroup < 0 ? sizeof(kinds) / sizeof(kinds[0]) : 1;
	enum owner_prog last = PROG_create;
	bool at_cgroup;
	char what[64];
	int err = 0;

	for (size_t i = 0; i < OWNER_OLD; i++) {
		err = o->k.old[i] >= 0 ? o->old[i] = bpfsys_link_raw(o->k.old[i], NULL) : 0;
		if (err < 0)
			return failed(err, "attaching the programs at functions of the kernel", "", opts, to);
	}
	err = 0;
	for (size_t i = 0; !err && i < n; i++)
		err = attach_all(o, kinds[i], &last);
	if (!err)
		return 0;
	at_cgroup = owner_progs[last].type != BPF_TRACE_RAW_TP && o->cgroup >= 0;
	snprintf(what, sizeof(what), "attaching %s", owner_progs[last].name);
	return failed(err, what, at_cgroup ? cgroup_taken(err, o->cgroup, owner_progs[last].type) : "", opts, to);
}

int owner_start(struct owner **out, const struct owner_opts *opts, const struct reporter *to)
{
	struct owner *o = calloc(1, sizeof(*o));
	int err;

	*out = NULL;
	if (!o)
		return report_no_memory(to, "find the owners of sockets");
	for (size_t i = 0; i < PROG_COUNT; i++)
		o->link[i] = -1;
	for (size_t i = 0; i < OWNER_OLD; i++)
		o->old[i] = -1;
	o->cgroup = -1;
	err = load(o, opts, to);
	if (!err)
		err = attach_first(o, opts, to);
	if (!err) {
		err = scan(o, OWNER_SCAN_FILL);
		if (!err)
			err = attach_needed(o);
		if (err)
			failed(err, "listing the open sockets", "", opts, to);
	}
	if (err) {
		owner_stop(o);
		return err;
	}
	*out = o;
	return 0;
}

/* A second link before the first is closed: no end of a socket falls between the two. */
int owner_last(struct owner *o)
{
	static const enum owner_prog last[] = { PROG_destroy, PROG_release };
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(last) / sizeof(last[0]); i++) {
		int first = o->link[last[i]];

		if (first < 0)
			continue;
		o->link[last[i]] = -1;
		err = attach(o, last[i]);
		/* Before Linux 6.10 a program is at a tracepoint once. A socket that ends meanwhile leaves a record,
		 * which the next socket at its address overwrites. */
		if (err == -EEXIST) {
			close(first);
			first = -1;
			err = attach(o, last[i]);
		}
		if (err)
			o->link[last[i]] = first;
		else if (first >= 0)
			close(first);
	}
	return err;
}

const struct owner_after *owner_after(struct owner *o)
{
	for (size_t i = 0; i < OWNER_AFTERS; i++)
		if (o->link[owner_followed[i]] < 0)
			o->k.after[i].array = -1;
	return o->k.after;
}

const struct owner_maps *owner_maps(const struct owner *o)
{
	return &o->k.maps;
}

size_t owner_fds(const struct owner *o, int fds[OWNER_FDS], size_t *nprogs)
{
	_Static_assert(PROG_COUNT + OWNER_OLD + 6 <= OWNER_FDS,
		"there is room for all programs, the iterator's and five maps");
	size_t n = 0;

	for (; n < PROG_COUNT; n++)
		fds[n] = o->k.prog[n];
	for (size_t i = 0; i < OWNER_OLD; i++)
		fds[n++] = o->k.old[i];
	fds[n++] = o->k.iter;
	*nprogs = n;
	fds[n++] = o->k.maps.owners;
	fds[n++] = o->k.maps.last_users;
	fds[n++] = o->k.maps.senders;
	fds[n++] = o->k.maps.ended;
	fds[n++] = o->k.maps.places;
	return n;
}

uint64_t owner_drops(const struct owner *o)
{
	return *o->k.drops;
}

void owner_stop(struct owner *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < PROG_COUNT; i++)
		if (o->link[i] >= 0)
			close(o->link[i]);
	for (size_t i = 0; i < OWNER_OLD; i++)
		if (o->old[i] >= 0)
			close(o->old[i]);
	if (o->cgroup >= 0)
		close(o->cgroup);
	owner_unload(&o->k);
	free(o);
}
