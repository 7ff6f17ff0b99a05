/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builtin: D's built-in variables: those of the current task, of the probe, and of time.
 * Input: the symbol. Output: a value in registers.
 * Invariant: each read is made at the probe's site, so it is exact at the time of the firing.
 * Source: D manual, chapter "Variables". */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

/* The task_struct of the thread that the site is about: some sites name it, else it is the current one. Never NULL.
 * Before Linux 5.11 the helper gives an address, through which only another helper reads. */
struct val current_task(struct clause_ctx *cx)
{
	struct type *t = types_tagged(cx->lw->ts, T_STRUCT, "task_struct");
	bool no_task = cx->lw->env->no_task;
	struct val v;

	if (t && site_task(cx, type_ptr(cx->lw->ts, t), &v)) {
		v.ptr = PTR_SURE;
		return v;
	}
	v = int_val(ir_call(cx->ir, no_task ? BPF_FUNC_get_current_task : BPF_FUNC_get_current_task_btf, NULL, 0, true),
		NULL);
	v.type = type_ptr(cx->lw->ts, t ? t : cx->lw->ts->void_);
	if (no_task) {
		v.ptr = PTR_NUMBER;
		return v;
	}
	v.btf = t ? t->btf_id : 0;
	v.ptr = PTR_SURE;
	return v;
}

/* Follows members from the current task: pointers are loaded on the way. */
static struct val task_path(struct clause_ctx *cx, const char *const *path)
{
	struct val v = current_task(cx);

	for (; *path; path++) {
		struct type *st = v.k == V_MEM ? v.type : v.type->of;

		v = lower_member_of(cx, v, st, *path);
		if (!v.type) {
			lower_error(cx->lw, cx->ir->loc, D_KERNEL, "this kernel's task_struct has no %s", *path);
			return int_val(ir_imm(cx->ir, 0), cx->lw->ts->int64);
		}
		v = lower_load(cx, v, NULL);
	}
	return v;
}

/* Nanoseconds of CLOCK_MONOTONIC. */
vreg ktime(struct clause_ctx *cx)
{
	return ir_call(cx->ir, BPF_FUNC_ktime_get_ns, NULL, 0, true);
}

/* Nanoseconds from CLOCK_MONOTONIC to CLOCK_REALTIME, which user space keeps up to date in the map. */
static vreg wall_offset(struct clause_ctx *cx)
{
	vreg at = ir_mapval(cx->ir, map_for(cx->lw, MAP_MACHINE), offsetof(struct dw_machine, wall));

	return ir_ld(cx->ir, at, 0, 8, false, false);
}

/* A literal, unless several probes share the program: then the names come from the table of multi.c. */
static struct val probe_string(struct clause_ctx *cx, enum builtin b, struct type *t)
{
	const char *const names[] = { cx->probe->prov->name, cx->probe->mod, cx->probe->func, cx->probe->name };
	unsigned which = b == BI_probeprov ? 0 : b == BI_probemod ? 1 : b == BI_probefunc ? 2 : 3;
	const char *s = names[which];

	if ((which == 2 || cx->pg->site->by_cookie) && cx->entry)
		return (struct val){ .k = V_STR, .type = t, .s = multi_name(cx, which) };
	return (struct val){ .k = V_STR, .type = t, .s = str_const(cx, s, strlen(s)) };
}

/* In the kernel a process's id is tgid, and a thread's is pid. */
static const char *const *builtin_path(enum builtin b)
{
	static const char *const pid[] = { "tgid", NULL }, *const tid[] = { "pid", NULL };
	static const char *const ppid[] = { "real_parent", "tgid", NULL };
	static const char *const uid[] = { "cred", "uid", "val", NULL }, *const gid[] = { "cred", "gid", "val", NULL };
	static const char *const comm[] = { "group_leader", "comm", NULL };
	static const char *const netns[] = { "nsproxy", "net_ns", "ns", "inum", NULL };

	switch ((int)b) {
	case BI_pid:
		return pid;
	case BI_tid:
		return tid;
	case BI_ppid:
		return ppid;
	case BI_uid:
		return uid;
	case BI_gid:
		return gid;
	case BI_execname:
		return comm;
	case BI_zonename:
		return netns;
	default:
		return NULL;
	}
}

vreg current_number(struct clause_ctx *cx, enum builtin b)
{
	return task_path(cx, builtin_path(b)).r;
}

static struct val builtin_task(struct clause_ctx *cx, const struct symbol *s)
{
	struct val v = task_path(cx, builtin_path(s->builtin));

	if (s->builtin == BI_execname)
		return (struct val){ .k = V_STR, .type = s->type, .s = str_of_chars(cx, v) };
	if (s->builtin == BI_zonename)
		return (struct val){ .k = V_STR, .type = s->type, .s = str_of_zone(cx, v.r) };
	v.type = s->type;
	return v;
}

struct val builtin_read(struct clause_ctx *cx, const struct expr *e)
{
	const struct symbol *s = e->sym;
	struct ir *ir = cx->ir;

	if (builtin_path(s->builtin))
		return builtin_task(cx, s);
	if (s->builtin >= BI_arg0 && s->builtin <= BI_arg9)
		return lower_args(cx, e);
	switch ((int)s->builtin) {
	case BI_timestamp:
		return int_val(ktime(cx), s->type);
	case BI_walltimestamp:
		return int_val(ir_alu(ir, ALU_ADD, ktime(cx), wall_offset(cx)), s->type);
	case BI_cpu:
		return int_val(ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true), s->type);
	case BI_id:
		return int_val(multi_id(cx), s->type);
	case BI_epid:
		return int_val(multi_epid(cx), s->type);
	case BI_curthread:
		return current_task(cx);
	case BI_vtimestamp:
		return vtime_read(cx, s);
	case BI_caller:
	case BI_ucaller:
	case BI_stackdepth:
	case BI_ustackdepth:
		return sym_builtin(cx, s);
	case BI_samplerate:
		return int_val(sample_rate(cx), s->type);
	case BI_errno: /* only system calls have one */
		return site_errno(cx, s->type);
	default:
		return probe_string(cx, s->builtin, s->type);
	}
}
