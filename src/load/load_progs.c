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
#include "base/parallel.h"
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
		if (r->kind == CODE_WRAP || r->kind == CODE_RINGS) {
			insns[r->insn].imm = r->kind == CODE_WRAP ? (int32_t)l->ring_size - 8 : (int32_t)l->nrings;
			continue;
		}
		insns[r->insn].src_reg = r->kind == CODE_VALUE ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
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
	if (ld->target)
		attr.attach_prog_fd = (uint32_t)ld->target;
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

/* Is it loaded once for each BPF program that it traces, when that is found (load_copy())? */
static bool is_copied(const struct image_prog *p)
{
	return attach_info(p->attach)->way == WAY_PROGRAM;
}

int load_copy(struct loaded *l, struct features *f, const struct load_target *at, const struct reporter *to)
{
	const struct load_config c = { .image = l->image, .features = f };
	struct loader ld = { .c = &c, .l = l, .target = at->prog, .to = to };
	struct image_prog p = l->image->progs.v[at->i];
	struct prog_copy *v = reallocarray(l->copies, l->ncopies + 1, sizeof(*v));
	int fd;

	if (!v)
		return report_no_memory(to, "load the programs");
	l->copies = v;
	p.attach_btf_id = at->func;
	fd = load_prog(&ld, &p);
	func_types_free(&ld.types);
	if (fd >= 0)
		l->copies[l->ncopies++] = (struct prog_copy){ at->i, fd };
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

/* END fires when all is over: its programs need not be there before. */
static bool is_late(const struct image *img, const struct image_prog *p)
{
	return p->attach == ATTACH_TEST_RUN && !p->tick && !strcmp(img->probes.v[p->probe].name, "END");
}

/* The jobs of the programs that are late, or of the others. */
static void make_jobs(struct loader *ld, struct jobs *js, bool late)
{
	const struct image *img = ld->c->image;

	for (size_t i = 0; i < img->progs.n; i++) {
		struct job *j = &js->v[js->n];

		if (is_late(img, &img->progs.v[i]) != late || is_copied(&img->progs.v[i]))
			continue;
		*j = (struct job){ .prog = i, .p = &img->progs.v[i] };
		j->multi = load_kprobe_multi(j->p, ld->c->features);
		if (func_table_make(&ld->types, &j->p->code, &j->funcs) == 0)
			j->insns = link_code(ld->l, &j->p->code);
		js->n++;
	}
	qsort(js->v, js->n, sizeof(*js->v), by_size);
}

static void free_jobs(struct jobs *js)
{
	for (size_t i = 0; i < js->n; i++) {
		free(js->v[i].insns);
		func_table_free(&js->v[i].funcs);
	}
	free(js->v);
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
	make_jobs(ld, &js, false);
	while (started + 1 < most && pthread_create(&threads[started], NULL, work, &js) == 0)
		started++;
	for (size_t i = 0; i < js.n; i = load_next(&js)) /* only this thread reports */
		report_progress(ld->to, "loading programs", i, js.n);
	while (started)
		pthread_join(threads[--started], NULL);
	free_jobs(&js);
}

/* In the order of the image, those that are late or the others; a failure ends the loading. */
static int load_rest(struct loader *ld, bool late)
{
	const struct image *img = ld->c->image;
	struct loaded *l = ld->l;

	for (size_t i = 0; i < l->nprogs; i++) {
		const struct image_prog *p = &img->progs.v[i];
		/* A tick has another program, and kernels before 6.1 refuse some programs of events. */
		bool may_fail = p->tick && p->attach == ATTACH_PERF;
		int fd = l->progs[i];

		if (is_late(img, p) != late || is_copied(p))
			continue;
		if (fd < 0)
			fd = may_fail ? load_quietly(ld, p) : load_prog(ld, p);
		if (fd < 0 && !may_fail)
			return fd;
		l->progs[i] = fd < 0 ? -1 : fd;
	}
	return 0;
}

/* ---- programs of END --------------------------------------------------------------------------------------------- */
struct late {
	struct loader ld;
	struct load_config c; /* ld.c */
	struct jobs js;
	pthread_t thread;
	bool runs;
};

static void late_free(struct late *late)
{
	if (!late)
		return;
	if (late->runs)
		pthread_join(late->thread, NULL);
	free_jobs(&late->js);
	free(late);
}

/* Starts the loading of the late programs. Without memory or a thread nothing is loaded. */
static void start_late(struct loader *ld)
{
	struct late *late = calloc(1, sizeof(*late));

	if (late)
		late->js.v = calloc(ld->c->image->progs.n, sizeof(*late->js.v));
	if (!late || !late->js.v) {
		late_free(late);
		return;
	}
	make_jobs(ld, &late->js, true);
	late->c = *ld->c;
	late->ld = *ld;
	late->ld.c = &late->c;
	late->js.ld = &late->ld;
	late->runs = late->js.n && parallel_start(&late->thread, work, &late->js) == 0;
	if (late->runs)
		ld->l->late = late;
	else
		late_free(late);
}

void load_free_late(struct loaded *l)
{
	struct func_types types;

	if (!l->late)
		return;
	types = l->late->ld.types;
	late_free(l->late);
	func_types_free(&types);
	l->late = NULL;
}

/* What the thread could not load is loaded again, with a report. */
int load_finish(struct loaded *l, const struct reporter *to)
{
	struct late *late = l->late;
	int err;

	if (!late)
		return 0;
	pthread_join(late->thread, NULL);
	late->runs = false;
	late->ld.to = to;
	err = load_rest(&late->ld, true);
	load_free_late(l);
	return err;
}

int load_make_progs(struct loader *ld)
{
	const struct image *img = ld->c->image;
	struct loaded *l = ld->l;
	bool many = img->progs.n >= MANY;
	int err;

	l->progs = calloc(img->progs.n + 1, sizeof(*l->progs));
	if (!l->progs)
		return report_no_memory(ld->to, "load the programs");
	l->nprogs = img->progs.n;
	for (size_t i = 0; i < l->nprogs; i++)
		l->progs[i] = -1;
	if (many)
		load_ahead(ld);
	err = load_rest(ld, false);
	if (!err && many)
		start_late(ld);
	return err || l->late ? err : load_rest(ld, true);
}
