/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach: tracepoints, cgroup2 and perf events.
 * Input: struct loaded. Output: link descriptors. Invariant: nothing is pinned, so nothing outlives the process. */
#include "load/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/bpfsys.h"
#include "kernel/sysevents.h"
#include "load/attach_kprobe.h"
#include "load/attach_uprobe.h"
#include "load/cgroup_taken.h"
#include "load/samplers.h"

struct attached {
	const struct loaded *loaded; /* borrowed */
	struct features *features;   /* borrowed */
	int *links;
	size_t nlinks;
	int *events; /* of tracepoints */
	size_t nevents;
	struct samplers samplers;
	struct kprobe_links kprobes;
	struct uprobe_links uprobes;
	bool detached;
};

/* Returns -err, with the whole sentence in why. */
static int failed(
	struct features *f, const struct loaded *l, size_t prog, const char *where, int err, char *why, size_t why_len)
{
	const struct image *img = l->image;
	const struct image_prog *p = &img->progs.v[prog];
	const struct image_probe *probe = p->probe < img->probes.n ? &img->probes.v[p->probe] : NULL;
	char reason[320];

	features_explain(f, err, reason, sizeof(reason));
	snprintf(why, why_len, "cannot attach %s:%s:%s:%s to %s%s%s: %s%s", probe ? probe->prov : "",
		probe ? probe->mod : "", probe ? probe->func : "", probe ? probe->name : p->name, where,
		p->target ? " " : "", p->target ? p->target : "", reason,
		err == ENOENT ? "; this kernel does not have it" : "");
	return -err;
}

static int attach_perf(struct attached *a, size_t prog, char *why, size_t why_len)
{
	int err = samplers_add(&a->samplers, &a->loaded->image->progs.v[prog], a->loaded->progs[prog], a->features);

	return err ? failed(a->features, a->loaded, prog, "the clock of a CPU", -err, why, why_len) : 0;
}

/* Links a program to an event, which is kept. 0 or -errno. */
static int link_event(struct attached *a, size_t prog, int event)
{
	int link, err;

	a->events[a->nevents++] = event;
	err = samplers_link(a->loaded->progs[prog], event, &link);
	if (link >= 0)
		a->links[a->nlinks++] = link;
	return err;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void add_text(char *why, size_t why_len, const char *text)
{
	size_t len = strlen(why);

	snprintf(why + len, why_len - len, "%s", text);
}

static int attach_cgroup(struct attached *a, size_t prog, const char *what, char *why, size_t why_len)
{
	int root = features_cgroup2(a->features, why, why_len), fd, err;
	enum bpf_attach_type type = (enum bpf_attach_type)a->loaded->image->progs.v[prog].expected_attach_type;

	if (root < 0)
		return root;
	fd = bpfsys_link(a->loaded->progs[prog], root, type);
	if (fd < 0) {
		err = failed(a->features, a->loaded, prog, what, -fd, why, why_len);
		add_text(why, why_len, cgroup_taken(err, root, type));
		return err;
	}
	a->links[a->nlinks++] = fd;
	return 0;
}

static int attach_tp(struct attached *a, size_t prog, const char *what, char *why, size_t why_len)
{
	/* The tracepoint or function is the one that the program was verified for (attach_btf_id): no name here. */
	int fd = bpfsys_link_raw(a->loaded->progs[prog]), err;

	if (fd < 0) {
		err = failed(a->features, a->loaded, prog, what, -fd, why, why_len);
		if (err == -E2BIG)
			add_text(why, why_len,
				"; Linux lets no more than 38 programs be at a function: end another "
				"trace, or -x tier=kprobes");
		return err;
	}
	a->links[a->nlinks++] = fd;
	return 0;
}

static int attach_user(struct attached *a, size_t prog, char *why, size_t why_len)
{
	return uprobes_attach(
		&a->loaded->image->progs.v[prog], a->loaded->progs[prog], a->features, &a->uprobes, why, why_len);
}

static int attach_kprobe(struct attached *a, size_t prog, char *why, size_t why_len)
{
	const struct image *img = a->loaded->image;
	const struct image_prog *at = &img->progs.v[prog];
	int err = kprobes_attach(at, a->loaded->progs[prog], a->features, &a->kprobes);

	if (err == -EILSEQ) {
		const struct image_probe *p = &img->probes.v[at->probe];

		snprintf(why, why_len, "cannot attach %s:%s:%s:%s: no instruction begins at that offset", p->prov,
			p->mod, p->func, p->name);
		return err;
	}
	return err ? failed(a->features, a->loaded, prog, "a kprobe on the function", -err, why, why_len) : 0;
}

/* A program at each of its system calls' own tracepoints. */
static int attach_syscall(struct attached *a, size_t prog, char *why, size_t why_len)
{
	const struct image_prog *p = &a->loaded->image->progs.v[prog];
	struct sysevents *events = features_sysevents(a->features);

	for (size_t i = 0; i < p->ntargets; i++) {
		int fd = events ? sysevents_take(events, p->target, p->targets[i].func) : -ENOMEM, r = fd;

		if (fd >= 0)
			r = link_event(a, prog, fd);
		if (r < 0)
			return failed(a->features, a->loaded, prog, p->targets[i].func, -r, why, why_len);
	}
	return 0;
}

/* A program that gets the records of a tracepoint. */
static int attach_event(struct attached *a, size_t prog, char *why, size_t why_len)
{
	int fd = sysevents_open(a->loaded->image->progs.v[prog].target), r = fd;

	if (fd >= 0)
		r = link_event(a, prog, fd);
	return r < 0 ? failed(a->features, a->loaded, prog, "the tracepoint", -r, why, why_len) : 0;
}

static int attach_one(struct attached *a, size_t prog, char *why, size_t why_len)
{
	switch (a->loaded->image->progs.v[prog].attach) {
	case ATTACH_TEST_RUN:
		return 0;
	case ATTACH_TP_BTF:
		return attach_tp(a, prog, "the tracepoint", why, why_len);
	case ATTACH_CGROUP_INGRESS:
		return attach_cgroup(a, prog, "cgroup2 ingress", why, why_len);
	case ATTACH_CGROUP_EGRESS:
		return attach_cgroup(a, prog, "cgroup2 egress", why, why_len);
	case ATTACH_CGROUP_SOCKOPS:
		return attach_cgroup(a, prog, "cgroup2 sock_ops", why, why_len);
	case ATTACH_CGROUP_RELEASE:
		return attach_cgroup(a, prog, "cgroup2 sock_release", why, why_len);
	case ATTACH_PERF:
		return attach_perf(a, prog, why, why_len);
	case ATTACH_UPROBE:
	case ATTACH_URETPROBE:
		return attach_user(a, prog, why, why_len);
	case ATTACH_FENTRY:
	case ATTACH_FEXIT:
		return attach_tp(a, prog, "the function", why, why_len);
	case ATTACH_KPROBE:
	case ATTACH_KRETPROBE:
		return attach_kprobe(a, prog, why, why_len);
	case ATTACH_SYSCALL:
		return attach_syscall(a, prog, why, why_len);
	case ATTACH_EVENT:
		return attach_event(a, prog, why, why_len);
	}
	return -EINVAL;
}

static bool is_function(const struct loaded *l, size_t prog)
{
	uint32_t a = l->image->progs.v[prog].attach;

	return a == ATTACH_FENTRY || a == ATTACH_FEXIT || a == ATTACH_KPROBE || a == ATTACH_KRETPROBE;
}

/* Programs at one place run in their order in the image. Those of a function the kernel runs the other way round: the
 * last that was attached comes first. */
static int attach_in_order(struct attached *a, char *why, size_t why_len)
{
	const struct loaded *l = a->loaded;
	int err = 0;

	for (size_t i = 0; !err && i < l->nprogs; i++)
		if (!is_function(l, i))
			err = attach_one(a, i, why, why_len);
	for (size_t i = l->nprogs; !err && i > 0; i--)
		if (is_function(l, i - 1))
			err = attach_one(a, i - 1, why, why_len);
	return err;
}

int attach_all(const struct loaded *l, struct features *f, struct attached **out, char *why, size_t why_len)
{
	struct attached *a = calloc(1, sizeof(*a));
	size_t most = l->nprogs + 1;
	int err = -ENOMEM;

	*out = NULL;
	snprintf(why, why_len, "%s", strerror(ENOMEM));
	if (!a)
		return err;
	for (size_t i = 0; i < l->nprogs; i++)
		most += l->image->progs.v[i].attach == ATTACH_SYSCALL ? l->image->progs.v[i].ntargets : 0;
	a->loaded = l;
	a->features = f;
	a->samplers.stats = -1;
	a->links = calloc(most, sizeof(*a->links));
	a->events = calloc(most, sizeof(*a->events));
	if (a->links && a->events)
		err = attach_in_order(a, why, why_len);
	if (err) {
		attach_free(a);
		return err;
	}
	*out = a;
	return 0;
}

void attach_detach(struct attached *a, bool wait)
{
	bool any = a->nlinks || a->nevents || a->samplers.n || a->uprobes.fds.n || a->kprobes.fds.n;

	if (!any || a->detached)
		return;
	a->detached = true;
	samplers_stop(&a->samplers);
	/* In one go: so a packet's probes stop as near to each other as can be. The last comes first: of two programs
	 * at one tracepoint the kernel lets go of the first only when no CPU can be in it, which takes milliseconds. */
	while (a->nlinks)
		close(a->links[--a->nlinks]);
	uprobes_detach(&a->uprobes);
	kprobes_detach(&a->kprobes);
	while (a->nevents)
		close(a->events[--a->nevents]);
	if (wait)
		load_synchronize(a->loaded);
	samplers_count_ran(&a->samplers, a->loaded);
}

size_t attach_refused(const struct attached *a, char *first, size_t size)
{
	uprobes_describe(&a->uprobes, first, size);
	return a->uprobes.refused;
}

void attach_look(struct attached *a, FILE *err)
{
	uprobes_look(&a->uprobes, err);
	if (!a->detached)
		samplers_look(&a->samplers, a->features, err);
}

uint64_t attach_missed(const struct attached *a)
{
	const struct samplers *s = &a->samplers;

	return s->counted && s->due > s->ran ? s->due - s->ran : 0;
}

void attach_free(struct attached *a)
{
	if (!a)
		return;
	if (a->links && a->events)
		attach_detach(a, false);
	samplers_free(&a->samplers);
	uprobes_free(&a->uprobes);
	free(a->links);
	free(a->events);
	free(a);
}
