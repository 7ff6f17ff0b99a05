/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_load: the owner service in the variant that suits the kernel and the script.
 *
 * Input:  owner/bpf/owner.bpf.c as three light skeletons, compressed (bpf/pack_skel.py).
 * Output: descriptors of programs and maps, and the addresses of the programs' variables.
 * Invariant: nothing is attached here, so nothing stays of a variant that the kernel refused.
 *
 *	variant        ends of receive and send calls          needs
 *	owner          tracepoints sock_*_length               Linux 6.3
 * owner_funcs    fentry and fexit of kernel functions    fentry; for scripts that trace functions, which see a packet
 *	                                                       before the cgroup hooks do
 *	owner_norecv   not noticed                             Linux 5.17
 *	owner_old.c    fentry and fexit of kernel functions    Linux 5.8, fentry
 *
 * The skeletons are light because the kernel then does the relocation. With ordinary ones libbpf reads all of the
 * kernel's BTF, which takes four times as long as everything else here. */
#include "owner/owner_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>
#include <bpf/skel_internal.h>

#include "abi/abi.h"

static int owner_run(struct bpf_load_and_run_opts *opts, size_t data_len, size_t insns_len);

#include <owner.lskel.h>
#include <owner_funcs.lskel.h>
#include <owner_norecv.lskel.h>

_Static_assert(sizeof(struct dw_owner) == 40, "src/owner/bpf/owner.bpf.c and the compiled programs share this layout");

#define ENTRIES_MIN 131072u
#define ENTRIES_MAX 8388608u

const struct owner_prog_def owner_progs[PROG_COUNT] = {
#define X(name, type, when) { "owner_" #name, type, when },
	OWNER_PROGS(X)
#undef X
};

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
		(k)->orphaned = &(s)->bss->orphaned;                        \
		(k)->partial = &(s)->bss->partial;                          \
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

static int load_hooks(struct owner_kernel *k, uint32_t entries)
{
	int err = variant_owner(k, entries);
	const struct owner_bpf *s = k->skel;

	if (err)
		return err;
	k->prog[PROG_recv] = s->progs.owner_recv.prog_fd;
	k->prog[PROG_send] = s->progs.owner_send.prog_fd;
	return 0;
}

static int load_funcs(struct owner_kernel *k, uint32_t entries)
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

/* Linux 5.8 to 5.16: task_file iterators, but no bpf_loop(). */
static bool is_old(void)
{
	unsigned major = 0, minor = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 && major == 5 && minor >= 8 && minor < 17;
}

int owner_load(struct owner_kernel *k, bool functions)
{
	uint32_t entries = room();
	int err;

	memset(k, 0, sizeof(*k));
	for (size_t i = 0; i < PROG_COUNT; i++)
		k->prog[i] = -1;
	for (size_t i = 0; i < OWNER_OLD; i++)
		k->old[i] = -1;
	k->iter = -1;
	err = functions ? load_funcs(k, entries) : load_hooks(k, entries);
	if (err)
		err = functions ? load_hooks(k, entries) : load_funcs(k, entries);
	if (err)
		err = variant_owner_norecv(k, entries);
	return err && is_old() ? owner_old_load(k, entries) : err;
}

void owner_unload(struct owner_kernel *k)
{
	for (size_t i = 0; i < OWNER_OLD; i++)
		if (k->old[i] > 0)
			close(k->old[i]);
	if (k->at && k->iter >= 0)
		close(k->iter);
	if (k->skel)
		k->destroy(k->skel);
	k->skel = NULL;
}
