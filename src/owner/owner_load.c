/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_load: the owner service in the variant that suits the kernel and the script.
 *
 * Invariant: nothing is attached here, so nothing stays of a variant that the kernel refused.
 *
 *	variant        ends of receive and send calls          needs
 *	owner          tracepoints sock_*_length               Linux 6.3
 * owner_funcs    fentry and fexit of kernel functions    fentry; for scripts that trace functions, which see a packet
 *	                                                       before the cgroup hooks do
 * owner_kprobes  the same; packets, sends at kprobes     Linux 6.2, fentry and kprobe links; where the kernel preempts
 *	owner_norecv   not noticed                             Linux 5.17
 *	owner_old.c    fentry and fexit of kernel functions    Linux 5.8, fentry */
#include "owner/owner_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/arch.h"
#include "kernel/bpfsys.h"
#include "kernel/release.h"
#include "owner/service.h"

#define ENTRIES_MIN 131072u
#define ENTRIES_MAX 8388608u

/* The number behind the word in a line that begins with head, or 0. */
static unsigned long number_in(const char *line, const char *head, const char *word)
{
	const char *at = strncmp(line, head, strlen(head)) != 0 ? NULL : strstr(line, word);

	return at ? strtoul(at + strlen(word), NULL, 10) : 0;
}

/* How many sockets there is room for: four times as many as TCP has now in all namespaces, and twice as many as there
 * are of any kind in this one. An entry takes memory when it is used, but the table of the hash takes 16 bytes for each
 * at once, and a millisecond for a hundred thousand. */
uint32_t owner_room(void)
{
	FILE *f = fopen("/proc/net/sockstat", "re");
	unsigned long tcp = 0, used = 0;
	uint32_t n = ENTRIES_MIN;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		tcp += number_in(line, "TCP:", "alloc ");
		used += number_in(line, "sockets:", "used ");
	}
	if (f)
		fclose(f);
	while (n < ENTRIES_MAX && (n < 4 * tcp || n < 2 * used))
		n *= 2;
	return n;
}

/* Linux 5.8 to 5.16: task_file iterators, but no bpf_loop(). */
static bool is_old(void)
{
	return release_before(5, 17) && !release_before(5, 8);
}

/* The variant at functions of the kernel, if its programs can be attached. */
static int load_funcs(struct owner_kernel *k, struct kbtf *btf, uint32_t entries)
{
	int err = owner_load_variant(k, OWNER_FUNCS, btf, entries), link;

	if (err || !ARCH_FENTRY_TRIED)
		return err;
	link = owner_load_needed(k, PROG_recv);
	if (!link)
		link = bpfsys_link_raw(k->prog[PROG_recv], NULL);
	if (link >= 0) {
		close(link);
		return 0;
	}
	owner_unload(k);
	for (size_t i = 0; i < PROG_COUNT; i++)
		k->prog[i] = -1;
	return link;
}

void owner_kernel_init(struct owner_kernel *k)
{
	memset(k, 0, sizeof(*k));
	for (size_t i = 0; i < PROG_COUNT; i++)
		k->prog[i] = -1;
	for (size_t i = 0; i < OWNER_OLD; i++)
		k->old[i] = -1;
	k->iter = -1;
	for (size_t i = 0; i < OWNER_AFTERS; i++)
		k->after[i].array = -1;
}

int owner_load(struct owner_kernel *k, bool functions, bool kprobes, struct kbtf *btf)
{
	uint32_t entries = owner_room();
	int err;

	owner_kernel_init(k);
	if (functions && kprobes && owner_load_variant(k, OWNER_KPROBES, btf, entries) == 0)
		return 0;
	err = functions ? load_funcs(k, btf, entries) : owner_load_variant(k, OWNER_HOOKS, btf, entries);
	if (err)
		err = functions ? owner_load_variant(k, OWNER_HOOKS, btf, entries) : load_funcs(k, btf, entries);
	if (err)
		err = owner_load_variant(k, OWNER_NORECV, btf, entries);
	return err && is_old() ? owner_old_load(k, btf, entries) : err;
}

void owner_unload(struct owner_kernel *k)
{
	for (size_t i = 0; i < OWNER_OLD; i++)
		if (k->old[i] > 0)
			close(k->old[i]);
	if (k->at && k->iter >= 0)
		close(k->iter);
	if (k->old_state)
		k->destroy(k->old_state);
	service_close(k->service);
	k->old_state = NULL;
	k->service = NULL;
}
