/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk: see walk.h.
 * Input: links of iterators' programs; the namespaces of the machine. Output: runs of the programs.
 * Invariants: an iterator over sockets shows those of the namespace in which it was opened (bpf_iter_init_seq_net() in
 * kernel/bpf/bpf_iter.c), so it is opened in each namespace once; it is read from our own. Each object writes one byte
 * (lower/site/walk.c), so a part is PART objects. */
#include "attach/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "kernel/bpfsys.h"
#include "namespaces/spaces.h"
#include "namespaces/zone.h"

/* Objects of a part. Their records must fit into a ring: 4 MB by default, some 300 bytes for a socket of ss. */
#define PART 2048

struct walking {
	struct walks *w;
	bool (*between)(void *ctx);
	void *ctx;
	const struct reporter *to;
	uint32_t *seen; /* namespaces */
	size_t nseen;
	uint32_t own; /* the namespace of this process; 0: unknown */
	int iter;     /* just opened */
	size_t next;  /* of the walks, the one to open */
	int refused;  /* -errno of the first namespace that was left out */
	bool lost;    /* there was no way back from a namespace */
	bool ended;
};

int walks_add(struct walks *w, int link, const struct reporter *to)
{
	int *v = reallocarray(w->v, w->n + 1, sizeof(*v));

	if (!v)
		return report_no_memory(to, "attach the programs");
	w->v = v;
	w->v[w->n++] = link;
	return 0;
}

/* Opens the iterator in the namespace of this thread. 0 or -errno. */
static int open_here(void *ctx)
{
	struct walking *k = ctx;

	k->iter = bpfsys_iter_new(k->w->v[k->next]);
	return k->iter < 0 ? k->iter : 0;
}

/* Reads an iterator to its end and closes it. */
static void read_all(struct walking *k)
{
	char buf[PART];
	ssize_t n = 1;

	while (n && !k->ended) {
		n = read(k->iter, buf, sizeof(buf));
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			report_warning(k->to, D_NONE, NULL, "cannot read an iterator to its end: %s", strerror(errno));
			n = 0;
		}
		k->w->objects += n > 0 ? (uint64_t)n : 0;
		k->ended = !k->between(k->ctx);
	}
	close(k->iter);
}

/* All walks in the namespace at fd. */
static void walk_in(struct walking *k, int fd, uint32_t netns)
{
	for (k->next = 0; k->next < k->w->n && !k->ended; k->next++) {
		int own = netns == k->own ? -1 : spaces_own(), err;

		if (netns == k->own)
			err = open_here(k);
		else
			err = own < 0 ? own : spaces_inside(fd, own, open_here, k, &k->lost);
		if (own >= 0)
			close(own);
		if (err && !k->refused)
			k->refused = err;
		if (!err)
			read_all(k);
		k->ended |= k->lost;
	}
}

static bool space_seen(void *ctx, const struct space_file *f)
{
	struct walking *k = ctx;
	uint32_t found = f->netns, *v;
	int fd;

	for (size_t i = 0; i < k->nseen; i++)
		if (k->seen[i] == f->netns)
			return true;
	fd = zone_open_file(f->dir, f->path, &found);
	if (fd < 0)
		return true;
	for (size_t i = 0; i < k->nseen && fd >= 0; i++)
		if (k->seen[i] == found) { /* the process has changed */
			close(fd);
			return true;
		}
	v = reallocarray(k->seen, k->nseen + 1, sizeof(*v));
	if (!v) {
		k->refused = report_no_memory(k->to, "walk over the sockets of a namespace");
		k->ended = true;
	} else {
		k->seen = v;
		v[k->nseen++] = found;
		walk_in(k, fd, found);
	}
	close(fd);
	return !k->ended;
}

static void warn_refused(const struct walking *k)
{
	if (k->lost)
		report_error(k->to, -EPERM, D_NONE, NULL, "cannot return to the own network namespace");
	else if (k->refused == -EPERM)
		report_warning(k->to, D_NONE, NULL,
			"other network namespaces cannot be entered without CAP_SYS_ADMIN: their sockets are left out");
	else if (k->refused && k->refused != -ENOMEM)
		report_warning(k->to, D_NONE, NULL, "the sockets of a network namespace are left out: %s",
			strerror(-k->refused));
}

bool walks_run(struct walks *w, bool (*between)(void *ctx), void *ctx, const struct reporter *to)
{
	struct walking k = { .w = w, .between = between, .ctx = ctx, .to = to };
	int fd = w->n ? zone_open_file(AT_FDCWD, "/proc/thread-self/ns/net", &k.own) : -1;

	if (fd >= 0)
		close(fd);
	w->objects = 0;
	if (w->n)
		spaces_walk(space_seen, &k);
	if (!w->warned)
		warn_refused(&k);
	w->warned |= k.refused || k.lost;
	free(k.seen);
	return w->n && !k.ended;
}
