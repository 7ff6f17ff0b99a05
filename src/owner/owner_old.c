/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_old: the owner service of kernels before 5.17, from owner/bpf/owner_old.bpf.c.
 *
 * Input:  the kernel's BTF; the programs as bpf/gen_owner.py has written them.
 * Output: descriptors of programs and maps; the variables of the map `state`, mapped into this process.
 * Invariant: nothing is attached here. A function that the kernel has not (IPv6 left out) has no program. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/abi.h"
#include "abi/owner_scan.h"
#include "base/arena.h"
#include "kernel/bpfsys.h"
#include "kernel/btf/btf.h"
#include "owner/owner_load.h"
#include "owner_old_code.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct old_map {
	const char *name;
	uint32_t type, key, value, n, flags;
} old_maps[] = {
	{ "owners", BPF_MAP_TYPE_HASH, 8, sizeof(struct dw_owner), 0, 0 },
	{ "last_users", BPF_MAP_TYPE_HASH, 8, sizeof(struct dw_owner), 16384, 0 },
	{ "senders", BPF_MAP_TYPE_HASH, 4, sizeof(struct dw_sender), DW_SENDERS, 0 },
	{ "state", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct owner_state), 1, BPF_F_MMAPABLE },
	{ "holders", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct owner_holders), 1, 0 },
	{ "listener", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1, 0 },
	{ "ended", BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct owner_ended), 1, 0 },
	/* stays empty: it has such connections in `owners`, where programs look next */
	{ "ended_owners", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dw_ended), 1, 0 },
	{ "places", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dw_places), 1, 0 }, /* likewise, for sockets */
};
enum { OWNERS, LAST_USERS, SENDERS, STATE, ENDED_OWNERS = sizeof(old_maps) / sizeof(old_maps[0]) - 2, PLACES };

/* Where each program is attached, in this order: what ends a socket first, what lists them last. */
static const struct old_prog {
	enum old_code code;
	enum bpf_attach_type type;
	const char *at;
} old_progs[] = {
	{ OLD_DESTRUCT, BPF_TRACE_FENTRY, "inet_sock_destruct" },
	{ OLD_CREATE, BPF_TRACE_FEXIT, "inet_create" },
	{ OLD_CREATE, BPF_TRACE_FEXIT, "inet6_create" },
	{ OLD_USE, BPF_TRACE_FENTRY, "inet_stream_connect" },
	{ OLD_USE, BPF_TRACE_FENTRY, "inet_dgram_connect" },
	{ OLD_USE, BPF_TRACE_FENTRY, "inet_listen" },
	{ OLD_USE, BPF_TRACE_FENTRY, "inet_shutdown" },
	{ OLD_USE, BPF_TRACE_FENTRY, "inet_accept" },
	{ OLD_SEND, BPF_TRACE_FENTRY, "inet_sendmsg" },
	{ OLD_SEND, BPF_TRACE_FENTRY, "inet6_sendmsg" },
	{ OLD_SEND, BPF_TRACE_FENTRY, "inet_sendpage" },
	{ OLD_USE, BPF_TRACE_FEXIT, "inet_recvmsg" },
	{ OLD_USE, BPF_TRACE_FEXIT, "inet6_recvmsg" },
	{ OLD_ACCEPT, BPF_TRACE_FEXIT, "inet_accept" },
	{ OLD_CLONE, BPF_TRACE_FENTRY, "inet_csk_clone_lock" },
	{ OLD_STATE, BPF_TRACE_RAW_TP, "inet_sock_set_state" },
	{ OLD_EXIT, BPF_TRACE_RAW_TP, "sched_process_exit" },
	{ OLD_ITER, BPF_TRACE_ITER, "bpf_iter_task_file" },
};
_Static_assert(LEN(old_progs) <= OWNER_OLD, "each has its place in struct owner_kernel");

struct old {
	int map[LEN(old_maps)];
	int64_t value[LEN(old_names)]; /* of a symbol: a map's descriptor, or an offset */
	struct owner_state *state;
};

static void old_free(void *skel)
{
	struct old *o = skel;

	if (o->state)
		munmap(o->state, sizeof(*o->state));
	for (size_t i = 0; i < LEN(old_maps); i++)
		if (o->map[i] >= 0)
			close(o->map[i]);
	free(o);
}

static int make_maps(struct old *o, uint32_t entries)
{
	void *p;

	for (size_t i = 0; i < LEN(old_maps); i++) {
		const struct old_map *m = &old_maps[i];

		o->map[i] = bpfsys_map_create(m->type, m->name, m->key, m->value, m->n ? m->n : entries, m->flags, -1);
		if (o->map[i] < 0)
			return o->map[i];
	}
	p = mmap(NULL, sizeof(*o->state), PROT_READ | PROT_WRITE, MAP_SHARED, o->map[STATE], 0);
	if (p == MAP_FAILED)
		return -errno;
	o->state = p;
	return 0;
}

/* What the symbols stand for. -ENODATA: the kernel's structures have no such member. */
static int resolve(struct old *o, struct types *ts)
{
	for (size_t i = 0; i < LEN(old_names); i++) {
		const struct old_name *n = &old_names[i];
		const char *const path[] = { n->name, NULL };
		size_t m = 0;

		if (n->tag) {
			o->value[i] = types_offset(ts, n->tag, path);
			if (o->value[i] < 0)
				return -ENODATA;
			continue;
		}
		while (m < LEN(old_maps) && strcmp(old_maps[m].name, n->name) != 0)
			m++;
		if (m == LEN(old_maps))
			return -EINVAL;
		o->value[i] = o->map[m];
	}
	return 0;
}

/* The programs with these values in them, in memory of the caller's. */
static struct bpf_insn *patch(const struct old *o)
{
	struct bpf_insn *insns = malloc(sizeof(old_insns));

	if (!insns)
		return NULL;
	memcpy(insns, old_insns, sizeof(old_insns));
	for (size_t i = 0; i < LEN(old_refs); i++) {
		struct bpf_insn *at = &insns[old_refs[i].insn];

		at->imm = (int32_t)o->value[old_refs[i].name];
		if (!old_names[old_refs[i].name].tag)
			at->src_reg = BPF_PSEUDO_MAP_FD;
	}
	return insns;
}

/* The BTF id of the place; 0: the kernel has it not. */
static uint32_t place(struct kbtf *btf, const struct old_prog *p)
{
	struct ktracepoint tp;
	uint32_t id = 0;

	if (p->type == BPF_TRACE_RAW_TP)
		return kbtf_tracepoint(btf, NULL, p->at, &tp) ? tp.id : 0;
	kbtf_funcs(btf, &p->at, &id, 1);
	return id;
}

static int load_one(const struct old_prog *p, const struct bpf_insn *insns, uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = p->type;
	attr.attach_btf_id = id;
	attr.insns = (uintptr_t)(insns + old_codes[p->code].start);
	attr.insn_cnt = old_codes[p->code].n;
	attr.license = (uintptr_t) "GPL";
	bpfsys_name(attr.prog_name, "owner");
	return bpfsys(BPF_PROG_LOAD, &attr);
}

static int load_programs(struct owner_kernel *k, struct kbtf *btf, const struct bpf_insn *insns)
{
	for (size_t i = 0; i < LEN(old_progs); i++) {
		const uint32_t id = place(btf, &old_progs[i]);
		int fd;

		k->at = old_progs[i].at;
		if (!id)
			continue;
		fd = load_one(&old_progs[i], insns, id);
		if (fd < 0)
			return fd;
		if (old_progs[i].type == BPF_TRACE_ITER)
			k->iter = fd;
		else
			k->old[i] = fd;
	}
	return k->iter < 0 ? -ENOENT : 0;
}

static void take(struct owner_kernel *k, struct old *o)
{
	k->old_state = o;
	k->destroy = old_free;
	k->maps.owners = o->map[OWNERS];
	k->maps.last_users = o->map[LAST_USERS];
	k->maps.senders = o->map[SENDERS];
	k->maps.ended = o->map[ENDED_OWNERS];
	k->maps.places = o->map[PLACES];
	k->drops = (const volatile uint64_t *)&o->state->drops;
	k->ends_factor = (volatile uint64_t *)&o->state->ends_factor;
	k->scan = &o->state->scan;
	k->orphaned = &o->state->orphaned;
	k->listener_suspect = k->datagram_suspect = k->marked = k->partial = &o->state->never;
	k->accept_missed = k->ended_unread = &o->state->never;
	k->accepts_seen = k->accepts_needed = &o->state->never;
	k->datagram_shared = k->stream_shared = &o->state->shared;
	k->listener_shared = &o->state->never;
}

static int load_all(struct owner_kernel *k, struct old *o, struct arena *a, struct kbtf *btf, uint32_t entries)
{
	const struct ktypes types = kbtf_ktypes(btf);
	struct bpf_insn *insns = NULL;
	int err = make_maps(o, entries);

	if (!err)
		err = resolve(o, types_new(a, &types));
	if (!err && !(insns = patch(o)))
		err = -ENOMEM;
	if (!err)
		err = load_programs(k, btf, insns);
	free(insns);
	return err;
}

int owner_old_load(struct owner_kernel *k, struct kbtf *btf, uint32_t entries)
{
	struct old *o = calloc(1, sizeof(*o));
	struct arena *a = arena_new();
	int err = o && a ? 0 : -ENOMEM;

	for (size_t i = 0; o && i < LEN(old_maps); i++)
		o->map[i] = -1;
	if (!err)
		err = load_all(k, o, a, btf, entries);
	arena_free(a);
	if (!err)
		take(k, o);
	else if (o)
		old_free(o);
	return err;
}
