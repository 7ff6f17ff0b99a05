/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_variants: the variants of the owner service for Linux 5.17 and later.
 *
 * Input:  owner/bpf/owner.bpf.c, compiled four times, as the tables of bpf/gen_service.py.
 * Output: descriptors of programs and maps, and the addresses of the programs' variables.
 *
 * Programs for shared sockets are loaded when they are needed: they are two fifths of all. */
#include <errno.h>
#include <string.h>

#include "abi/abi.h"
#include "kernel/btf/btf.h"
#include "owner/owner_load.h"
#include "owner/service.h"
#include "owner_funcs_code.h"
#include "owner_hooks_code.h"
#include "owner_kprobes_code.h"
#include "owner_norecv_code.h"

_Static_assert(sizeof(struct dw_owner) == 56, "src/owner/bpf/owner.bpf.c and the compiled programs share this layout");

const enum owner_prog owner_followed[OWNER_AFTERS] = { PROG_state, PROG_egress };

const struct owner_prog_def owner_progs[PROG_COUNT] = {
#define X(name, type, when) { "owner_" #name, type, when },
	OWNER_PROGS(X)
#undef X
};

static const struct service *code_of(enum owner_variant v)
{
	switch (v) {
	case OWNER_HOOKS:
		return &hooks_service;
	case OWNER_FUNCS:
		return &funcs_service;
	case OWNER_KPROBES:
		return &kprobes_service;
	case OWNER_NORECV:
		return &norecv_service;
	}
	return NULL;
}

static void take(struct owner_kernel *k)
{
	const struct service_kernel *s = k->service;

	for (size_t i = 0; i < PROG_COUNT; i++)
		k->prog[i] = service_prog_fd(s, k->number[i]);
	k->iter = service_prog_fd(s, k->iter_number);
	k->maps.owners = service_map_fd(s, "owners");
	k->maps.last_users = service_map_fd(s, "last_users");
	k->maps.senders = service_map_fd(s, "senders");
	k->maps.ended = service_map_fd(s, "ended_owners");
	k->maps.places = service_map_fd(s, "places");
	k->after[0] = (struct owner_after){ BPF_TRACE_RAW_TP, "inet_sock_set_state", service_map_fd(s, "after_state"),
		k->prog[owner_followed[0]], service_var(s, "state_followed") };
	k->after[1] = (struct owner_after){ BPF_CGROUP_INET_EGRESS, NULL, service_map_fd(s, "after_egress"),
		k->prog[owner_followed[1]], service_var(s, "egress_followed") };
	k->drops = service_var(s, "drops");
	k->ends_factor = service_var(s, "ends_factor");
	k->listener_suspect = service_var(s, "listener_suspect");
	k->datagram_suspect = service_var(s, "datagram_suspect");
	k->accept_missed = service_var(s, "accept_missed");
	k->accepts_seen = service_var(s, "accepts_seen");
	k->accepts_needed = service_var(s, "accepts_needed");
	k->orphaned = service_var(s, "orphaned");
	k->partial = service_var(s, "partial");
	k->ended_unread = service_var(s, "ended_unread");
	k->by_calls = service_var(s, "by_calls");
	k->datagrams = service_var(s, "datagrams");
	k->marked = service_var(s, "marked");
	k->scan = service_var(s, "scan");
	k->listener_shared = service_var(s, "listener_shared");
	k->datagram_shared = service_var(s, "datagram_shared");
	k->stream_shared = service_var(s, "stream_shared");
}

int owner_open_variant(struct owner_kernel *k, enum owner_variant v, struct kbtf *btf)
{
	const struct service *code = code_of(v);
	int err = service_open(&k->service, code, btf);

	if (err)
		return err;
	for (size_t i = 0; i < PROG_COUNT; i++)
		k->number[i] = service_prog(code, owner_progs[i].name);
	k->iter_number = service_prog(code, "owner_iter");
	return 0;
}

int owner_make_variant(struct owner_kernel *k, uint32_t entries)
{
	size_t wanted[PROG_COUNT + 1], n = 0;
	int err = service_make_maps(k->service, entries);

	for (size_t i = 0; i < PROG_COUNT; i++)
		if (k->number[i] >= 0 && owner_progs[i].when == ALWAYS)
			wanted[n++] = (size_t)k->number[i];
	if (k->iter_number >= 0)
		wanted[n++] = (size_t)k->iter_number;
	if (!err)
		err = service_load(k->service, wanted, n);
	if (!err) {
		take(k);
		return 0;
	}
	service_close(k->service);
	k->service = NULL;
	return err;
}

int owner_load_variant(struct owner_kernel *k, enum owner_variant v, struct kbtf *btf, uint32_t entries)
{
	int err = owner_open_variant(k, v, btf);

	return err ? err : owner_make_variant(k, entries);
}

int owner_load_needed(struct owner_kernel *k, enum owner_prog p)
{
	size_t number;
	int err;

	if (k->prog[p] >= 0 || !k->service || k->number[p] < 0)
		return 0;
	number = (size_t)k->number[p];
	err = service_load(k->service, &number, 1);
	k->prog[p] = service_prog_fd(k->service, k->number[p]);
	return err;
}
