/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kprobe: see kprobe.h. Where the kernel supports it (Linux 5.18, CONFIG_FPROBE), one link takes
 * several functions; else each function is a perf event.
 * Input: a loaded program and its functions. Output: descriptors.
 * Invariant: the list holds the descriptor of every attachment. */
#include "attach/kprobe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "abi/arch.h"
#include "kernel/bpfsys.h"
#include "load/load.h"

/* ---- one link ---------------------------------------------------------------------------------------------------- */
/* One link for n functions. The cookie identifies the function to the program. Returns the link's descriptor or
 * -errno. */
static int link_multi(int prog, const struct image_target *v, size_t n, bool returns)
{
	const char **syms = calloc(n, sizeof(*syms));
	uint64_t *cookies = calloc(n, sizeof(*cookies));
	int fd = -ENOMEM;

	for (size_t i = 0; syms && cookies && i < n; i++) {
		syms[i] = v[i].func;
		cookies[i] = v[i].cookie;
	}
	if (syms && cookies)
		fd = bpfsys_link_multi(prog, syms, cookies, n, returns);
	free(syms);
	free(cookies);
	return fd;
}

/* ---- a perf event each ------------------------------------------------------------------------------------------- */

struct kinds {
	int type, retbit;
};

/* One perf event at t->func + t->off. Functions of modules are named MODULE:FUNCTION. Its descriptor or -errno. */
static int link_event(int prog, const struct kinds *k, const struct image_target *t, bool returns)
{
	struct perf_event_attr attr;
	char buf[192];

	if (k->type < 0 || k->retbit < 0 || k->retbit > 63)
		return -ENOENT;
	if (t->off % ARCH_INSN_ALIGN) /* for this the kernel returns the ambiguous EINVAL */
		return -EILSEQ;
	snprintf(buf, sizeof(buf), "%s%s%s", t->module ? t->module : "", t->module ? ":" : "", t->func);
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = (uint32_t)k->type;
	attr.config = returns ? 1ull << k->retbit : 0;
	attr.kprobe_func = (uintptr_t)buf;
	attr.probe_offset = t->off;
	return links_perf_event(prog, &attr, -1, t->cookie);
}

/* Is the error specific to this function? Else it concerns the whole process (rights, memory). */
static bool is_refusal(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -ENOENT || err == -EADDRNOTAVAIL || err == -EILSEQ;
}

/* Functions that the kernel refuses are counted; only if all are refused that is an error. */
static int attach_events(const struct image_prog *p, int prog, struct kprobe_links *links)
{
	const struct kinds k = {
		links_sys_number("/sys/bus/event_source/devices/kprobe/type"),
		links_sys_number("/sys/bus/event_source/devices/kprobe/format/retprobe"),
	};
	size_t before = links->refused;

	for (size_t i = 0; i < p->ntargets; i++) {
		int fd = link_event(prog, &k, &p->targets[i], p->attach == ATTACH_KRETPROBE), err;

		if (fd < 0 && !is_refusal(fd))
			return fd;
		if (fd < 0 && !links->refused++) {
			links->first = &p->targets[i];
			links->error = fd;
		}
		err = fd < 0 ? 0 : links_keep(&links->fds, fd);
		if (err)
			return err;
	}
	return links->refused - before == p->ntargets ? links->error : 0;
}

/* Can this process not have that many descriptors? That is known before the first of thousands is attached, which may
 * take minutes, and taking them away again longer. */
static bool too_many(size_t n)
{
	struct rlimit l;

	return getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur <= n;
}

int kprobes_attach(const struct image_prog *p, int prog, struct features *f, struct kprobe_links *links)
{
	int fd;

	if (!load_kprobe_multi(p, f))
		return too_many(links->fds.n + p->ntargets) ? -EMFILE : attach_events(p, prog, links);
	fd = link_multi(prog, p->targets, p->ntargets, p->attach == ATTACH_KRETPROBE);
	return fd < 0 ? fd : links_keep(&links->fds, fd);
}

/* The beginning of struct bpf_link_info as Linux 6.7 has it, which is newer than the headers that we are built with. */
struct link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed;
		} multi;
		struct {
			uint32_t type, pad;
			uint64_t name;
			uint32_t name_len, offset;
			uint64_t addr, missed;
		} event;
	};
};
_Static_assert(offsetof(struct link_info, multi) == offsetof(struct bpf_link_info, raw_tracepoint), "");

uint64_t kprobes_missed(const struct kprobe_links *links, size_t from, size_t to)
{
	uint64_t n = 0;

	for (size_t i = from; i < to; i++) {
		struct link_info info;

		memset(&info, 0, sizeof(info));
		if (bpfsys_info(links->fds.v[i], &info, sizeof(info))) /* an event before Linux 5.15 is no link */
			continue;
		n += info.type == BPF_LINK_TYPE_KPROBE_MULTI    ? info.multi.missed
			: info.type == BPF_LINK_TYPE_PERF_EVENT ? info.event.missed
								: 0;
	}
	return n;
}
