/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_progs: loads the programs of an image.
 * Input: an image whose maps are there. Output: descriptors.
 * Invariant: the image does not change. Threads only read what they share, but for the descriptor of their program. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "kernel/bpfsys.h"
#include "kernel/btf/btf.h"
#include "load/load_priv.h"

#define LOG_SIZE ((16u << 20) - 1) /* the largest that every kernel takes */
#define THREADS 4u
#define MANY 8 /* programs, from which on threads are worth their start */

/* A copy of the instructions with the maps' descriptors in them: the image stays as it is, and may be loaded again.
 * NULL with errno. The caller frees it. */
static struct bpf_insn *link_code(const struct loaded *l, const struct code *code)
{
	struct bpf_insn *insns = malloc((code->n + 1) * sizeof(*insns));

	if (!insns)
		return NULL;
	memcpy(insns, code->insns, code->n * sizeof(*insns));
	for (size_t i = 0; i < code->maps.n; i++) {
		const struct code_mapref *r = &code->maps.v[i];

		if (r->insn >= code->n || r->map >= l->nmaps) {
			free(insns);
			errno = EINVAL;
			return NULL;
		}
		insns[r->insn].src_reg = r->value ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
		insns[r->insn].imm = l->maps[r->map];
	}
	return insns;
}

bool load_kprobe_multi(const struct image_prog *p, struct features *f)
{
	return (p->attach == ATTACH_KPROBE || p->attach == ATTACH_KRETPROBE) && p->ntargets > 1 &&
		features_kprobe_multi(f);
}

/* Loads the program; multi: load_kprobe_multi(); log NULL: without a log. Functions of a module are named by the
 * module's BTF, whose descriptor the kernel needs only during the call. A descriptor or -errno. */
static int load_once(const struct loader *ld, const struct image_prog *p, bool multi, const struct bpf_insn *insns,
	const struct func_table *funcs, char *log)
{
	int module = p->module && p->attach_btf_id ? kbtf_module_fd(p->module) : -1, fd;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = p->prog_type;
	attr.expected_attach_type = p->expected_attach_type;
	if (multi)
		attr.expected_attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.attach_btf_id = p->attach_btf_id;
	if (p->module && p->attach_btf_id)
		attr.attach_btf_obj_fd = (uint32_t)module;
	attr.prog_flags = p->flags;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = (uint32_t)p->code.n;
	attr.license = (uintptr_t) "GPL";
	if (log) {
		log[0] = 0;
		attr.log_level = 1 | 4; /* the path that failed, and statistics */
		attr.log_buf = (uintptr_t)log;
		attr.log_size = LOG_SIZE;
	}
	if (funcs->n) {
		attr.prog_btf_fd = (uint32_t)ld->types.btf;
		attr.func_info_rec_size = sizeof(struct bpf_func_info);
		attr.func_info = (uintptr_t)funcs->v;
		attr.func_info_cnt = funcs->n;
	}
	bpfsys_name(attr.prog_name, p->name);
	fd = bpfsys(BPF_PROG_LOAD, &attr);
	if (module >= 0)
		close(module);
	return fd;
}

/* The log is asked for only after a failure: writing it makes loading several times slower. */
static int load_prog(struct loader *ld, const struct image_prog *p)
{
	struct bpf_insn *insns = link_code(ld->l, &p->code);
	struct func_table funcs = { 0 };
	bool multi = load_kprobe_multi(p, ld->c->features);
	char *log;
	int fd, err = insns ? func_table_make(&ld->types, &p->code, &funcs) : -errno;

	if (err) {
		free(insns);
		return report_error(
			ld->to, err, D_NONE, NULL, "cannot link the program %s: %s", p->name, strerror(-err));
	}
	fd = load_once(ld, p, multi, insns, &funcs, NULL);
	if (fd < 0 && funcs.alone) {
		func_table_join(&funcs);
		fd = load_once(ld, p, multi, insns, &funcs, NULL);
		ld->types.refused = fd >= 0;
	}
	if (fd < 0) {
		err = fd;
		log = mmap(NULL, LOG_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		/* ENOSPC: the log was too long; then the first error counts. */
		if (log != MAP_FAILED && (fd = load_once(ld, p, multi, insns, &funcs, log)) < 0 && fd != -ENOSPC)
			err = fd;
		if (fd < 0 && log != MAP_FAILED)
			load_cut_log(log);
		if (fd < 0)
			(void)load_refused(ld, p, log == MAP_FAILED ? "" : log, err);
		if (log != MAP_FAILED)
			munmap(log, LOG_SIZE);
		if (fd < 0)
			fd = err;
	}
	free(insns);
	func_table_free(&funcs);
	return fd;
}

/* Without a report. */
static int load_quietly(struct loader *ld, const struct image_prog *p)
{
	const struct reporter *to = ld->to;
	struct report_kept kept;
	int fd;

	report_keep(&kept);
	ld->to = &kept.reporter;
	fd = load_prog(ld, p);
	ld->to = to;
	return fd;
}

/* ---- all programs ------------------------------------------------------------------------------------------------ */
/* A program that is loaded ahead. The kernel checks programs of several threads at a time; the largest takes longest,
 * so it comes first. Nothing is reported here: what fails is loaded again by load_prog(). */
struct job {
	size_t prog; /* of the image */
	const struct image_prog *p;
	struct bpf_insn *insns; /* NULL: not to be loaded ahead */
	struct func_table funcs;
	bool multi;
};

struct jobs {
	const struct loader *ld;
	struct job *v;
	size_t n;
	atomic_size_t next;
};

static int by_size(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return (x->p->code.n < y->p->code.n) - (x->p->code.n > y->p->code.n);
}

/* Loads the next one. Returns its place; n or more: there was none. */
static size_t load_next(struct jobs *js)
{
	size_t i = atomic_fetch_add(&js->next, 1);
	const struct job *j = &js->v[i];

	if (i < js->n && j->insns)
		js->ld->l->progs[j->prog] = load_once(js->ld, j->p, j->multi, j->insns, &j->funcs, NULL);
	return i;
}

static void *work(void *arg)
{
	struct jobs *js = arg;

	while (load_next(js) < js->n)
		;
	return NULL;
}

static void make_jobs(struct loader *ld, struct jobs *js)
{
	const struct image *img = ld->c->image;

	for (js->n = 0; js->n < img->progs.n; js->n++) {
		struct job *j = &js->v[js->n];

		*j = (struct job){ .prog = js->n, .p = &img->progs.v[js->n] };
		j->multi = load_kprobe_multi(j->p, ld->c->features);
		if (func_table_make(&ld->types, &j->p->code, &j->funcs) == 0)
			j->insns = link_code(ld->l, &j->p->code);
	}
	qsort(js->v, js->n, sizeof(*js->v), by_size);
}

/* Loads what it can, with a thread a CPU. progs gets descriptors, and less than 0 of the others. */
static void load_ahead(struct loader *ld)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t started = 0, most = cpus > (long)THREADS ? THREADS : cpus > 0 ? (size_t)cpus : 1;
	struct jobs js = { .ld = ld, .v = calloc(ld->c->image->progs.n, sizeof(*js.v)) };
	pthread_t threads[THREADS];

	if (!js.v)
		return;
	make_jobs(ld, &js);
	while (started + 1 < most && pthread_create(&threads[started], NULL, work, &js) == 0)
		started++;
	for (size_t i = 0; i < js.n; i = load_next(&js)) /* only this thread reports */
		report_progress(ld->to, "loading programs", i, js.n);
	while (started)
		pthread_join(threads[--started], NULL);
	for (size_t i = 0; i < js.n; i++) {
		free(js.v[i].insns);
		func_table_free(&js.v[i].funcs);
	}
	free(js.v);
}

/* In the order of the image; a failure ends the loading. */
int load_make_progs(struct loader *ld)
{
	const struct image *img = ld->c->image;
	struct loaded *l = ld->l;

	l->progs = calloc(img->progs.n + 1, sizeof(*l->progs));
	if (!l->progs)
		return report_no_memory(ld->to, "load the programs");
	l->nprogs = img->progs.n;
	for (size_t i = 0; i < l->nprogs; i++)
		l->progs[i] = -1;
	if (l->nprogs >= MANY)
		load_ahead(ld);
	for (size_t i = 0; i < l->nprogs; i++) {
		const struct image_prog *p = &img->progs.v[i];
		/* A tick has another program, and kernels before 6.1 refuse some programs of events. */
		bool may_fail = p->tick && p->attach == ATTACH_PERF;
		int fd = l->progs[i];

		if (fd < 0)
			fd = may_fail ? load_quietly(ld, p) : load_prog(ld, p);
		if (fd < 0 && !may_fail)
			return fd;
		l->progs[i] = fd < 0 ? -1 : fd;
	}
	return 0;
}
