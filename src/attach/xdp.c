/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdp: see xdp.h. BPF programs have ids of the machine, so no namespace need be entered. fexit needs a program's types
 * (BTF).
 * Input: programs of the image that are loaded once for each target. Output: links.
 * Invariants: ids grow, so each program is looked at once; a link keeps its target in memory until the trace ends. */
#include "attach/xdp.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/links.h"
#include "base/diag/report.h"
#include "kernel/bpfsys.h"

#define MOST 256 /* XDP programs that are traced: each takes the kernel's verifier some milliseconds */

struct xdp {
	struct loaded *loaded;
	struct features *features;
	size_t *progs, nprogs; /* indices in the image */
	struct links links;
	uint32_t last; /* the highest id that was looked at */
	size_t traced;
	size_t refused; /* by this call of xdp_look() */
	char why[600];  /* the first of them, and why */
	char name[BPF_OBJ_NAME_LEN];
	uint32_t id;
};

struct xdp *xdp_new(struct loaded *l, struct features *f)
{
	struct xdp *x = calloc(1, sizeof(*x));

	if (x) {
		x->loaded = l;
		x->features = f;
	}
	return x;
}

int xdp_add(struct xdp *x, size_t i)
{
	size_t *v = reallocarray(x->progs, x->nprogs + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	x->progs = v;
	x->progs[x->nprogs++] = i;
	return 0;
}

/* Notes that a program cannot be traced. */
static void refuse(struct xdp *x, const struct bpf_prog_info *info, const char *why)
{
	if (x->refused++)
		return;
	snprintf(x->why, sizeof(x->why), "%s", why);
	memcpy(x->name, info->name, sizeof(x->name));
	x->name[sizeof(x->name) - 1] = '\0';
	x->id = info->id;
}

/* Attaches all of ours to the program fd, whose function has this BTF id. 0 or -errno, which the reporter gets. */
static int trace(struct xdp *x, int fd, uint32_t func, const struct reporter *to)
{
	for (size_t i = 0; i < x->nprogs; i++) {
		const struct load_target at = { .i = x->progs[i], .prog = fd, .func = func };
		int copy = load_copy(x->loaded, x->features, &at, to), link;

		if (copy < 0)
			return copy;
		link = bpfsys_link_raw(copy, NULL);
		if (link < 0)
			return report_error(to, link, D_NONE, NULL, "%s", strerror(-link));
		link = links_keep(&x->links, link);
		if (link)
			return report_no_memory(to, "attach the programs");
	}
	return 0;
}

/* Reads what the kernel says of a program, and the BTF id of its function; 0: it has no types. 0 or -errno. */
static int describe(int fd, struct bpf_prog_info *info, uint32_t *func)
{
	struct bpf_func_info first = { 0 };
	struct bpf_prog_info ask = {
		.nr_func_info = 1, .func_info_rec_size = sizeof(first), .func_info = (uintptr_t)&first
	};
	int err;

	memset(info, 0, sizeof(*info));
	err = bpfsys_info(fd, info, sizeof(*info));
	if (!err && info->type == BPF_PROG_TYPE_XDP && info->btf_id && info->nr_func_info)
		err = bpfsys_info(fd, &ask, sizeof(ask));
	*func = first.type_id;
	return err;
}

static void look_at(struct xdp *x, uint32_t id)
{
	struct bpf_prog_info info;
	struct report_kept kept;
	uint32_t func;
	int fd = bpfsys_prog_fd(id);

	if (fd < 0) /* it is gone already */
		return;
	report_keep(&kept);
	if (describe(fd, &info, &func) || info.type != BPF_PROG_TYPE_XDP) {
		close(fd);
		return;
	}
	if (x->traced == MOST)
		refuse(x, &info, "there are too many");
	else if (!func)
		refuse(x, &info, "it was loaded without types (BTF)");
	else if (trace(x, fd, func, &kept.reporter))
		refuse(x, &info, kept.message);
	else
		x->traced++;
	close(fd);
}

void xdp_look(struct xdp *x, const struct reporter *to)
{
	uint32_t id = x->last;

	x->refused = 0;
	while (bpfsys_prog_next(&id) == 0) {
		look_at(x, id);
		x->last = id;
	}
	if (x->refused == 1)
		report_warning(
			to, D_NONE, NULL, "the XDP program %s (id %u) cannot be traced: %s", x->name, x->id, x->why);
	else if (x->refused)
		report_warning(to, D_NONE, NULL, "%zu XDP programs cannot be traced; %s (id %u): %s", x->refused,
			x->name, x->id, x->why);
}

void xdp_detach(struct xdp *x)
{
	if (x)
		links_close(&x->links);
}

void xdp_free(struct xdp *x)
{
	if (!x)
		return;
	xdp_detach(x);
	free(x->progs);
	free(x);
}
