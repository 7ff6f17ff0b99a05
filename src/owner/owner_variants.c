/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_variants: the variants of the owner service that are light skeletons.
 *
 * Input:  owner/bpf/owner.bpf.c as three light skeletons, compressed (bpf/pack_skel.py).
 * Output: descriptors of programs and maps, and the addresses of the programs' variables.
 *
 * The skeletons are light because the kernel then does the relocation. With ordinary ones libbpf reads all of the
 * kernel's BTF, which takes four times as long as everything else here. owner_load.c chooses one, in a separate file
 * so that checkers need not follow all paths through all skeletons. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <bpf/skel_internal.h>

#include "abi/abi.h"
#include "owner/owner_load.h"

static int owner_run(struct bpf_load_and_run_opts *opts, size_t data_len, size_t insns_len);

#include <owner.lskel.h>
#include <owner_funcs.lskel.h>
#include <owner_norecv.lskel.h>

_Static_assert(sizeof(struct dw_owner) == 56, "src/owner/bpf/owner.bpf.c and the compiled programs share this layout");

/* The blobs of opts are len bytes that zlib made, and opts says how long they are by themselves. */
static int owner_run(struct bpf_load_and_run_opts *opts, size_t data_len, size_t insns_len)
{
	uLongf data_size = opts->data_sz, insns_size = opts->insns_sz;
	Bytef *data = malloc(data_size), *insns = malloc(insns_size);
	int err = -ENOMEM;

	if (data && insns && uncompress(data, &data_size, opts->data, data_len) == Z_OK &&
		uncompress(insns, &insns_size, opts->insns, insns_len) == Z_OK) {
		opts->data = data;
		opts->insns = insns;
		err = bpf_load_and_run(opts);
	}
	free(data);
	free(insns);
	return err;
}

/* What the variants have in common. */
#define TAKE(k, s)                                                          \
	do {                                                                \
		(k)->prog[PROG_create] = (s)->progs.owner_create.prog_fd;   \
		(k)->prog[PROG_egress] = (s)->progs.owner_egress.prog_fd;   \
		(k)->prog[PROG_peer4] = (s)->progs.owner_peer4.prog_fd;     \
		(k)->prog[PROG_peer6] = (s)->progs.owner_peer6.prog_fd;     \
		(k)->prog[PROG_state] = (s)->progs.owner_state.prog_fd;     \
		(k)->prog[PROG_destroy] = (s)->progs.owner_destroy.prog_fd; \
		(k)->prog[PROG_release] = (s)->progs.owner_release.prog_fd; \
		(k)->prog[PROG_fork] = (s)->progs.owner_fork.prog_fd;       \
		(k)->prog[PROG_exit] = (s)->progs.owner_exit.prog_fd;       \
		(k)->prog[PROG_accept] = (s)->progs.owner_accept.prog_fd;   \
		(k)->prog[PROG_uring] = (s)->progs.owner_uring.prog_fd;     \
		(k)->iter = (s)->progs.owner_iter.prog_fd;                  \
		(k)->owners = (s)->maps.owners.map_fd;                      \
		(k)->last_users = (s)->maps.last_users.map_fd;              \
		(k)->senders = (s)->maps.senders.map_fd;                    \
		(k)->drops = (const volatile uint64_t *)&(s)->bss->drops;   \
		(k)->listener_suspect = &(s)->bss->listener_suspect;        \
		(k)->datagram_suspect = &(s)->bss->datagram_suspect;        \
		(k)->accept_missed = &(s)->bss->accept_missed;              \
		(k)->accepts_seen = &(s)->bss->accepts_seen;                \
		(k)->accepts_needed = &(s)->bss->accepts_needed;            \
		(k)->orphaned = &(s)->bss->orphaned;                        \
		(k)->partial = &(s)->bss->partial;                          \
		(k)->ended_unread = &(s)->bss->ended_unread;                \
		(k)->marked = &(s)->bss->marked;                            \
		(k)->scan = &(s)->bss->scan;                                \
		(k)->listener_shared = &(s)->bss->listener_shared;          \
		(k)->datagram_shared = &(s)->bss->datagram_shared;          \
		(k)->stream_shared = &(s)->bss->stream_shared;              \
	} while (0)

/* Defines variant_NAME(k, entries). */
#define VARIANT(name)                                                       \
	static void destroy_##name(void *skel)                              \
	{                                                                   \
		name##_bpf__destroy(skel);                                  \
	}                                                                   \
	static int variant_##name(struct owner_kernel *k, uint32_t entries) \
	{                                                                   \
		struct name##_bpf *s = name##_bpf__open();                  \
		int err;                                                    \
		if (!s)                                                     \
			return -ENOMEM;                                     \
		s->maps.owners.max_entries = entries;                       \
		err = name##_bpf__load(s);                                  \
		if (err) {                                                  \
			name##_bpf__destroy(s);                             \
			return err;                                         \
		}                                                           \
		k->skel = s;                                                \
		k->destroy = destroy_##name;                                \
		TAKE(k, s);                                                 \
		return 0;                                                   \
	}

VARIANT(owner)
VARIANT(owner_funcs)
VARIANT(owner_norecv)

int owner_load_hooks(struct owner_kernel *k, uint32_t entries)
{
	int err = variant_owner(k, entries);
	const struct owner_bpf *s = k->skel;

	if (err)
		return err;
	k->prog[PROG_recv] = s->progs.owner_recv.prog_fd;
	k->prog[PROG_send] = s->progs.owner_send.prog_fd;
	return 0;
}

int owner_load_funcs(struct owner_kernel *k, uint32_t entries)
{
	int err = variant_owner_funcs(k, entries);
	const struct owner_funcs_bpf *s = k->skel;

	if (err)
		return err;
	k->prog[PROG_output4] = s->progs.owner_output4.prog_fd;
	k->prog[PROG_output4_mc] = s->progs.owner_output4_mc.prog_fd;
	k->prog[PROG_output6] = s->progs.owner_output6.prog_fd;
	k->prog[PROG_recv] = s->progs.owner_recv.prog_fd;
	k->prog[PROG_recv6] = s->progs.owner_recv6.prog_fd;
	k->prog[PROG_send] = s->progs.owner_send.prog_fd;
	k->prog[PROG_send6] = s->progs.owner_send6.prog_fd;
	return 0;
}

int owner_load_norecv(struct owner_kernel *k, uint32_t entries)
{
	return variant_owner_norecv(k, entries);
}
