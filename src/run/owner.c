/* owner: loads, attaches and fills the owner service.
 *
 * Input:  bpf/owner.bpf.c as two light skeletons, with and without the receive hook; a descriptor of the root cgroup.
 * Output: hashes, address of a socket -> struct dw_owner.
 * Invariant: every program is held by a link that only this process holds, so nothing outlives it. The hooks are
 * attached before the sockets that exist are listed: no socket falls between the two.
 *
 * Light skeletons, because the kernel then does the relocation: with ordinary ones libbpf reads all of the kernel's
 * BTF, which takes four times as long as everything else here. */
#include "run/owner.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <owner.lskel.h>
#include <owner_norecv.lskel.h>
#include "ir/abi.h"
#include "run/cgroup_taken.h"
#include "run/owner_scan.h"

_Static_assert(sizeof(struct dw_owner) == 32, "bpf/owner.bpf.c and the compiled programs share this layout");

#define ENTRIES_MIN 131072u
#define ENTRIES_MAX 8388608u

/* Each program: its name, how it is attached, and when: always, or once listeners or datagram sockets are shared, or a
 * connection was handed on. */
/* clang-format off */
#define OWNER_PROGS(X) \
	X(create, BPF_CGROUP_INET_SOCK_CREATE, ALWAYS) \
	X(egress, BPF_CGROUP_INET_EGRESS, ALWAYS) \
	X(peer4, BPF_CGROUP_INET4_GETPEERNAME, ALWAYS) \
	X(peer6, BPF_CGROUP_INET6_GETPEERNAME, ALWAYS) \
	X(state, BPF_TRACE_RAW_TP, ALWAYS) \
	X(release, BPF_CGROUP_INET_SOCK_RELEASE, ALWAYS) \
	X(destroy, BPF_TRACE_RAW_TP, ALWAYS) \
	X(fork, BPF_TRACE_RAW_TP, ALWAYS) \
	X(exit, BPF_TRACE_RAW_TP, ALWAYS) \
	X(accept, BPF_TRACE_RAW_TP, LISTENER) \
	X(recv, BPF_TRACE_RAW_TP, DATAGRAM) \
	X(send, BPF_TRACE_RAW_TP, STREAM)
/* clang-format on */

enum prog {
#define X(name, type, when) PROG_##name,
	OWNER_PROGS(X)
#undef X
		PROG_COUNT
};

enum when { ALWAYS, LISTENER, DATAGRAM, STREAM };

static const struct {
	const char *name;
	enum bpf_attach_type type;
	enum when when;
} progs[PROG_COUNT] = {
#define X(name, type, when) { "owner_" #name, type, when },
	OWNER_PROGS(X)
#undef X
};

struct owner {
	struct owner_bpf *full; /* one of these two */
	struct owner_norecv_bpf *norecv;
	int cgroup;                             /* ours, or -1 */
	int prog[PROG_COUNT], link[PROG_COUNT]; /* descriptors; -1: not there; those of prog belong to the skeleton */
	int iter;
	int owners, last_users, senders; /* maps; belong to the skeleton */
	/* variables of bpf/owner.bpf.c */
	const volatile uint64_t *drops;
	volatile uint32_t *listener_suspect, *datagram_suspect, *orphaned, *scan, *marked, *partial;
	const volatile uint32_t *listener_shared, *datagram_shared, *stream_shared;
	uint64_t next_scan; /* not before this time, ns */
};

/* Takes over what a loaded skeleton has in common with the other one. */
#define TAKE(o, skel)                                                          \
	do {                                                                   \
		(o)->prog[PROG_create] = (skel)->progs.owner_create.prog_fd;   \
		(o)->prog[PROG_egress] = (skel)->progs.owner_egress.prog_fd;   \
		(o)->prog[PROG_peer4] = (skel)->progs.owner_peer4.prog_fd;     \
		(o)->prog[PROG_peer6] = (skel)->progs.owner_peer6.prog_fd;     \
		(o)->prog[PROG_state] = (skel)->progs.owner_state.prog_fd;     \
		(o)->prog[PROG_destroy] = (skel)->progs.owner_destroy.prog_fd; \
		(o)->prog[PROG_release] = (skel)->progs.owner_release.prog_fd; \
		(o)->prog[PROG_fork] = (skel)->progs.owner_fork.prog_fd;       \
		(o)->prog[PROG_exit] = (skel)->progs.owner_exit.prog_fd;       \
		(o)->prog[PROG_accept] = (skel)->progs.owner_accept.prog_fd;   \
		(o)->iter = (skel)->progs.owner_iter.prog_fd;                  \
		(o)->owners = (skel)->maps.owners.map_fd;                      \
		(o)->last_users = (skel)->maps.last_users.map_fd;              \
		(o)->senders = (skel)->maps.senders.map_fd;                    \
		(o)->drops = (const volatile uint64_t *)&(skel)->bss->drops;   \
		(o)->listener_suspect = &(skel)->bss->listener_suspect;        \
		(o)->datagram_suspect = &(skel)->bss->datagram_suspect;        \
		(o)->orphaned = &(skel)->bss->orphaned;                        \
		(o)->partial = &(skel)->bss->partial;                          \
		(o)->marked = &(skel)->bss->marked;                            \
		(o)->scan = &(skel)->bss->scan;                                \
		(o)->listener_shared = &(skel)->bss->listener_shared;          \
		(o)->datagram_shared = &(skel)->bss->datagram_shared;          \
		(o)->stream_shared = &(skel)->bss->stream_shared;              \
	} while (0)

/* How many sockets there is room for: four times as many as TCP has now in all namespaces. An entry takes memory when
 * it is used, but the table of the hash takes 16 bytes for each at once, and a millisecond for a hundred thousand. */
static uint32_t room(void)
{
	FILE *f = fopen("/proc/net/sockstat", "re");
	unsigned long now = 0;
	uint32_t n = ENTRIES_MIN;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		const char *alloc = strncmp(line, "TCP:", 4) != 0 ? NULL : strstr(line, "alloc ");

		if (alloc)
			now = strtoul(alloc + 6, NULL, 10);
	}
	if (f)
		fclose(f);
	while (n < ENTRIES_MAX && n < 4 * now)
		n *= 2;
	return n;
}

/* Tries the programs with the receive hook first; a kernel without that hook refuses them. */
static int load(struct owner *o)
{
	uint32_t entries = room();
	int err;

	o->full = owner_bpf__open();
	if (!o->full)
		return -ENOMEM;
	o->full->maps.owners.max_entries = entries;
	if (!owner_bpf__load(o->full)) {
		TAKE(o, o->full);
		o->prog[PROG_recv] = o->full->progs.owner_recv.prog_fd;
		o->prog[PROG_send] = o->full->progs.owner_send.prog_fd;
		return 0;
	}
	owner_bpf__destroy(o->full);
	o->full = NULL;
	o->norecv = owner_norecv_bpf__open();
	if (!o->norecv)
		return -ENOMEM;
	o->norecv->maps.owners.max_entries = entries;
	err = owner_norecv_bpf__load(o->norecv);
	if (err)
		return err;
	TAKE(o, o->norecv);
	return 0;
}

static int attach(struct owner *o, enum prog p)
{
	int fd;

	if (o->link[p] >= 0 || o->prog[p] < 0)
		return 0;
	if (progs[p].type == BPF_TRACE_RAW_TP)
		fd = bpf_raw_tracepoint_open(NULL, o->prog[p]);
	else if (o->cgroup < 0)
		return 0;
	else
		fd = bpf_link_create(o->prog[p], o->cgroup, progs[p].type, NULL);
	if (fd < 0)
		return -errno;
	o->link[p] = fd;
	return 0;
}

/* Attaches the programs of one kind. *failed, unless NULL, gets the one that could not be. */
static int attach_all(struct owner *o, enum when when, enum prog *failed)
{
	for (size_t i = 0; i < PROG_COUNT; i++) {
		int err = progs[i].when == when ? attach(o, (enum prog)i) : 0;

		if (err) {
			if (failed)
				*failed = (enum prog)i;
			return err;
		}
	}
	return 0;
}

/* Runs the iterator over all open files. It prints nothing; each read does a part of the work. */
static int scan(const struct owner *o, enum owner_scan what)
{
	int link = bpf_link_create(o->iter, 0, BPF_TRACE_ITER, NULL), fd, err = 0;
	char buf[64];

	*o->scan = what;
	if (link < 0)
		return -errno;
	fd = bpf_iter_create(link);
	if (fd < 0)
		err = -errno;
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

static int attach_needed(struct owner *o)
{
	int err = 0;

	if (*o->listener_shared)
		err = attach_all(o, LISTENER, NULL);
	if (!err && *o->datagram_shared)
		err = attach_all(o, DATAGRAM, NULL);
	if (!err && *o->stream_shared)
		err = attach_all(o, STREAM, NULL);
	return err;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int owner_poll(struct owner *o)
{
	bool listener = *o->listener_suspect && !*o->listener_shared;
	bool datagram = *o->datagram_suspect && !*o->datagram_shared;
	uint64_t begin;
	int err;

	if (*o->stream_shared && o->link[PROG_send] < 0) {
		err = attach_all(o, STREAM, NULL);
		if (err)
			return err;
	}
	if (!listener && !datagram && !*o->orphaned)
		return 0;
	begin = now_ns();
	if (begin < o->next_scan)
		return 0;
	*o->listener_suspect = 0;
	*o->datagram_suspect = 0;
	*o->orphaned = 0;
	*o->marked = *o->marked == DW_OWNER_HOLDS ? DW_OWNER_HOLDS_TOO : DW_OWNER_HOLDS;
	err = scan(o, OWNER_SCAN_MARK);
	if (!err)
		err = scan(o, OWNER_SCAN_CHECK);
	if (!err)
		err = attach_needed(o);
	/* Where a million files are open a scan is long: it may take a hundredth of the time. */
	o->next_scan = now_ns() + 100 * (now_ns() - begin);
	return err;
}

static int tell(int err, char *why, size_t len, const char *what)
{
	snprintf(why, len, "cannot tell the owners of sockets: %s: %s%s", what, strerror(-err),
		(err == -EPERM || err == -EACCES) && geteuid() ? " (this needs root)" : "");
	return err;
}

static void tell_attach(const struct owner *o, int err, enum prog p, char *why, size_t len)
{
	char what[64];
	size_t n;

	snprintf(what, sizeof(what), "attaching %s", progs[p].name);
	tell(err, why, len, what);
	n = strlen(why);
	if (progs[p].type != BPF_TRACE_RAW_TP && o->cgroup >= 0)
		snprintf(why + n, len - n, "%s", cgroup_taken(err, o->cgroup, progs[p].type));
}

int owner_start(struct owner **out, int cgroup_fd, bool whole, char *why, size_t why_len)
{
	struct owner *o = calloc(1, sizeof(*o));
	enum prog failed = PROG_create;
	int err;

	if (!o)
		return tell(-ENOMEM, why, why_len, "memory");
	for (size_t i = 0; i < PROG_COUNT; i++)
		o->prog[i] = o->link[i] = -1;
	o->cgroup = -1;
	err = load(o);
	if (err) {
		tell(err, why, why_len, "loading the programs (Linux 5.17 or later)");
		goto out;
	}
	if (cgroup_fd >= 0 && (o->cgroup = dup(cgroup_fd)) < 0) {
		err = tell(-errno, why, why_len, "the root cgroup");
		goto out;
	}
	*o->partial = cgroup_fd < 0 || !whole;
	err = attach_all(o, ALWAYS, &failed);
	/* Nobody's sends are seen without the cgroup: then sharing must be supposed. */
	if (!err && cgroup_fd < 0)
		err = attach_all(o, LISTENER, &failed);
	if (!err && cgroup_fd < 0)
		err = attach_all(o, DATAGRAM, &failed);
	if (!err && cgroup_fd < 0)
		err = attach_all(o, STREAM, &failed);
	if (err) {
		tell_attach(o, err, failed, why, why_len);
		goto out;
	}
	err = scan(o, OWNER_SCAN_FILL);
	if (!err)
		err = attach_needed(o);
	if (err)
		tell(err, why, why_len, "listing the open sockets");
out:
	if (err) {
		owner_stop(o);
		o = NULL;
	}
	*out = o;
	return err;
}

/* A second link before the first is closed: no end of a socket falls between the two. */
int owner_last(struct owner *o)
{
	static const enum prog last[] = { PROG_destroy, PROG_release };
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

int owner_map_fd(const struct owner *o)
{
	return o->owners;
}

int owner_last_users_fd(const struct owner *o)
{
	return o->last_users;
}

int owner_senders_fd(const struct owner *o)
{
	return o->senders;
}

uint64_t owner_drops(const struct owner *o)
{
	return *o->drops;
}

void owner_stop(struct owner *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < PROG_COUNT; i++)
		if (o->link[i] >= 0)
			close(o->link[i]);
	if (o->cgroup >= 0)
		close(o->cgroup);
	owner_bpf__destroy(o->full);
	owner_norecv_bpf__destroy(o->norecv);
	free(o);
}
