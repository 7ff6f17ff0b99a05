/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netfilter: see netfilter.h.
 * Input: loaded programs; the namespaces of the machine. Output: links.
 * Invariants: in a namespace every program is attached, for both versions of IP, or none; a namespace that only these
 * links hold is left at the next walk. */
#include "attach/netfilter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netfilter.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/links.h"
#include "base/clock.h"
#include "base/diag/report.h"
#include "kernel/bpfsys.h"
#include "namespaces/spaces.h"
#include "namespaces/zone.h"

#define OTHERS 256 /* priorities that are tried: two BPF programs cannot have the same */
/* A walk reads a file of each process, some 7 us each. Walks take at most 1 / LOOK_SHARE of a CPU. */
#define LOOK_SHARE 50

struct hooked {
	int prog;
	enum attach_kind kind;
};

/* A namespace. */
struct space {
	uint32_t netns;
	bool there;         /* seen by this call of netfilter_look() */
	struct links links; /* none: it could not be entered, or the kernel refused */
};

struct netfilter {
	struct hooked *progs;
	size_t nprogs;
	struct space *spaces;
	size_t nspaces;
	uint32_t own;     /* the namespace of this process; 0: unknown */
	uint64_t next;    /* when the next walk is due, CLOCK_MONOTONIC ns */
	bool lost;        /* there was no way back from a namespace */
	int err, refused; /* of this call; the first refusal ever, which was reported */
	const struct reporter *to;
};

struct netfilter *netfilter_new(void)
{
	struct netfilter *n = calloc(1, sizeof(*n));
	int fd = n ? zone_open_file(AT_FDCWD, "/proc/thread-self/ns/net", &n->own) : -1;

	if (fd >= 0)
		close(fd);
	return n;
}

int netfilter_add(struct netfilter *n, int prog, enum attach_kind kind, const struct reporter *to)
{
	struct hooked *v = reallocarray(n->progs, n->nprogs + 1, sizeof(*v));

	if (!v)
		return report_no_memory(to, "attach the programs");
	n->progs = v;
	n->progs[n->nprogs++] = (struct hooked){ prog, kind };
	return 0;
}

/* ---- one namespace ----------------------------------------------------------------------------------------------- */

/* Closes the links. Unlike those of probes they end at once. */
static void drop(struct links *l)
{
	for (size_t i = 0; i < l->n; i++)
		close(l->v[i]);
	free(l->v);
	*l = (struct links){ .n = 0 };
}

/* The hooks (linux/netfilter.h, enum nf_inet_hooks), and whether a program is the first there or the last. */
static const struct {
	enum attach_kind kind;
	uint32_t hook;
	bool first;
} hooks[] = {
	{ ATTACH_NF_PREROUTING, NF_INET_PRE_ROUTING, true },
	{ ATTACH_NF_INPUT, NF_INET_LOCAL_IN, false },
	{ ATTACH_NF_FORWARD, NF_INET_FORWARD, true },
	{ ATTACH_NF_OUTPUT, NF_INET_LOCAL_OUT, true },
	{ ATTACH_NF_POSTROUTING, NF_INET_POST_ROUTING, false },
};

/* Links a program at its hook, in the namespace of this thread. Returns the link, or -errno. */
static int link_hook(const struct hooked *h, uint32_t family)
{
	int fd = -EBUSY;
	size_t k = 0;

	while (hooks[k].kind != h->kind)
		k++;
	for (int i = 1; fd == -EBUSY && i <= OTHERS; i++)
		fd = bpfsys_link_netfilter(h->prog, family, hooks[k].hook, hooks[k].first ? INT_MIN + i : INT_MAX - i);
	return fd;
}

struct linking {
	const struct netfilter *n;
	struct links *links;
};

/* Attaches all programs in the namespace of this thread. 0 or -errno. */
static int link_here(void *ctx)
{
	static const uint32_t families[] = { 2, 10 }; /* NFPROTO_IPV4, NFPROTO_IPV6 */
	const struct linking *l = ctx;
	int err = 0;

	for (size_t i = 0; !err && i < l->n->nprogs; i++) {
		for (size_t k = 0; !err && k < sizeof(families) / sizeof(families[0]); k++) {
			int fd = link_hook(&l->n->progs[i], families[k]);

			err = fd < 0 ? fd : links_keep(l->links, fd);
		}
	}
	if (err)
		drop(l->links);
	return err;
}

/* Attaches in the namespace at fd. To enter another one than ours takes CAP_SYS_ADMIN. 0 or -errno. */
static int link_in(struct netfilter *n, int fd, uint32_t netns, struct links *links)
{
	struct linking l = { n, links };
	int own, err;

	if (netns == n->own)
		return link_here(&l);
	own = spaces_own();
	err = own < 0 ? own : spaces_inside(fd, own, link_here, &l, &n->lost);
	if (own >= 0)
		close(own);
	return err;
}

/* ---- all namespaces ---------------------------------------------------------------------------------------------- */

static struct space *space_find(const struct netfilter *n, uint32_t netns)
{
	for (size_t i = 0; i < n->nspaces; i++)
		if (n->spaces[i].netns == netns)
			return &n->spaces[i];
	return NULL;
}

/* Notes that a namespace is there, and attaches if it is new. */
static bool space_seen(void *ctx, const struct space_file *f)
{
	struct netfilter *n = ctx;
	struct space *s = space_find(n, f->netns), *v;
	uint32_t found;
	int fd, err;

	if (s) {
		s->there = true;
		return true;
	}
	fd = zone_open_file(f->dir, f->path, &found);
	if (fd < 0)
		return true;
	if (space_find(n, found)) { /* the process has changed */
		close(fd);
		return true;
	}
	v = reallocarray(n->spaces, n->nspaces + 1, sizeof(*v));
	if (!v) {
		n->err = report_no_memory(n->to, "attach the programs");
	} else {
		n->spaces = v;
		s = &v[n->nspaces++];
		*s = (struct space){ .netns = found, .there = true };
		err = link_in(n, fd, found, &s->links);
		if (err && !n->refused)
			n->refused = err;
	}
	close(fd);
	return !n->err && !n->lost;
}

static void leave_unused(struct netfilter *n)
{
	size_t left = 0;

	for (size_t i = 0; i < n->nspaces; i++) {
		if (n->spaces[i].there)
			n->spaces[left++] = n->spaces[i];
		else
			drop(&n->spaces[i].links);
	}
	n->nspaces = left;
}

static void warn_refused(int err, const struct reporter *to)
{
	report_warning(to, D_NONE, NULL,
		"%s%s; there, packets that XDP, tc or nft take from a device are counted as received",
		err == -EPERM ? "other network namespaces cannot be entered without CAP_SYS_ADMIN"
			      : "cannot attach to netfilter in every network namespace: ",
		err == -EPERM ? "" : strerror(-err));
}

int netfilter_look(struct netfilter *n, const struct reporter *to)
{
	uint64_t now = clock_now(), began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	int before = n->refused;

	if (now < n->next)
		return 0;
	n->to = to;
	n->err = 0;
	for (size_t i = 0; i < n->nspaces; i++)
		n->spaces[i].there = false;
	spaces_walk(space_seen, n);
	n->next = now + LOOK_SHARE * (clock_read(CLOCK_THREAD_CPUTIME_ID) - began);
	if (n->lost)
		return report_error(to, -EPERM, D_NONE, NULL, "cannot return to the own network namespace");
	if (n->err)
		return n->err;
	leave_unused(n);
	if (n->refused && !before)
		warn_refused(n->refused, to);
	return 0;
}

void netfilter_detach(struct netfilter *n)
{
	for (size_t i = 0; n && i < n->nspaces; i++)
		drop(&n->spaces[i].links);
	if (n)
		n->nspaces = 0;
}

void netfilter_free(struct netfilter *n)
{
	if (!n)
		return;
	netfilter_detach(n);
	free(n->spaces);
	free(n->progs);
	free(n);
}
