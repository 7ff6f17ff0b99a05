/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: see load.h. Creates the maps of an image, patches their descriptors into its programs and loads these.
 * Input: struct image. Output: struct loaded, descriptors only.
 * Invariants: the image does not change; everything created is held by descriptors only. */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "kernel/bpfsys.h"
#include "kernel/btf/btf.h"
#include "load/functab.h"
#include "load/load_priv.h"

#define LOG_SIZE ((16u << 20) - 1) /* the largest that every kernel takes */

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

/* Loads the program; log NULL: without a log. Functions of a module are named by the module's BTF, whose descriptor the
 * kernel needs only during the call. A descriptor or -errno. */
static int load_once(const struct loader *ld, const struct image_prog *p, const struct bpf_insn *insns,
	const struct func_table *funcs, char *log)
{
	int module = p->module && p->attach_btf_id ? kbtf_module_fd(p->module) : -1, fd;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = p->prog_type;
	attr.expected_attach_type = p->expected_attach_type;
	if (load_kprobe_multi(p, ld->c->features))
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
	char *log;
	int fd, err = insns ? func_table_make(&ld->types, &p->code, &funcs) : -errno;

	if (err) {
		free(insns);
		return report_error(
			ld->to, err, D_NONE, NULL, "cannot link the program %s: %s", p->name, strerror(-err));
	}
	fd = load_once(ld, p, insns, &funcs, NULL);
	if (fd < 0 && funcs.alone) {
		func_table_join(&funcs);
		fd = load_once(ld, p, insns, &funcs, NULL);
		ld->types.refused = fd >= 0;
	}
	if (fd < 0) {
		err = fd;
		log = mmap(NULL, LOG_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		/* ENOSPC: the log was too long; then the first error counts. */
		if (log != MAP_FAILED && (fd = load_once(ld, p, insns, &funcs, log)) < 0 && fd != -ENOSPC)
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

/* Loads in the order of the image; a failure ends the loading. */
static int load_progs(struct loader *ld)
{
	const struct image *img = ld->c->image;
	struct loaded *l = ld->l;

	l->progs = calloc(img->progs.n + 1, sizeof(*l->progs));
	if (!l->progs)
		return report_no_memory(ld->to, "load the programs");
	for (size_t i = 0; i < img->progs.n; i++) {
		const struct image_prog *p = &img->progs.v[i];
		/* A tick has another program, and kernels before 6.1 refuse some programs of events. */
		bool may_fail = p->tick && p->attach == ATTACH_PERF;
		int fd = may_fail ? load_quietly(ld, p) : load_prog(ld, p);

		if (fd < 0 && !may_fail)
			return fd;
		l->progs[l->nprogs++] = fd < 0 ? -1 : fd;
	}
	return 0;
}

int load_image(const struct load_config *c, struct loaded **out, const struct reporter *to)
{
	struct loaded *l = calloc(1, sizeof(*l));
	struct loader ld = { .c = c, .l = l, .to = to };
	int err;

	*out = NULL;
	if (!l)
		return report_no_memory(to, "load the programs");
	l->rings_fd = l->drops_fd = -1;
	l->image = c->image;
	err = load_make_maps(&ld);
	if (!err)
		err = load_progs(&ld);
	if (!err)
		err = load_await_rings(&ld);
	func_types_free(&ld.types);
	if (err) {
		load_free(l);
		return err;
	}
	*out = l;
	return 0;
}

/* Closes what is ours. Maps of the owner service and of the rings belong to others. */
void load_free(struct loaded *l)
{
	if (!l)
		return;
	load_filler_free(l->filler);
	for (size_t i = 0; i < l->nprogs; i++)
		if (l->progs[i] >= 0)
			close(l->progs[i]);
	for (size_t i = 0; i < l->nmaps; i++) {
		enum map_role role = l->image->maps.v[i].role;

		if (role != MAP_OWNER && role != MAP_LAST_USERS && role != MAP_SENDERS && role != MAP_RINGS)
			close(l->maps[i]);
	}
	if (l->rings_fd >= 0)
		close(l->rings_fd);
	load_close_rings(l);
	free(l->progs);
	free(l->maps);
	free(l->rings);
	free(l);
}

/* The gate's descriptor; -1: the image has none. */
static int gate_fd(const struct loaded *l)
{
	for (size_t i = 0; i < l->nmaps; i++)
		if (l->image->maps.v[i].role == MAP_GATE)
			return l->maps[i];
	return -1;
}

int load_set_gate(const struct loaded *l, enum dw_gate gate)
{
	static const uint32_t first = 0;
	uint64_t value = gate;
	int fd = gate_fd(l);

	return fd < 0 ? 0 : bpfsys_map_update(fd, &first, &value, BPF_ANY);
}

bool load_ended(const struct loaded *l)
{
	static const uint32_t first = 0;
	uint64_t value;
	int fd = gate_fd(l);

	return fd >= 0 && bpfsys_map_lookup(fd, &first, &value) == 0 && value == DW_GATE_ENDED;
}

/* recursion_misses exists since Linux 5.12; 0 before. */
uint64_t load_missed(const struct loaded *l, size_t i)
{
	struct bpf_prog_info info;

	memset(&info, 0, sizeof(info));
	return bpfsys_info(l->progs[i], &info, sizeof(info)) == 0 ? info.recursion_misses : 0;
}

void load_synchronize(const struct loaded *l)
{
	uint32_t cpu = 0;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return;
	/* Kernels with nohz_full CPUs refuse that. Changing a map of maps waits for running programs too (since
	 * 4.20). If that fails there is no other way to wait. */
	if (l->rings_fd >= 0)
		(void)!bpfsys_map_update(l->rings_fd, &cpu, &l->rings[0], BPF_ANY);
}
