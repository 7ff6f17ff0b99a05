/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builtin: D's built-in variables: of the current task, of the probe, of time.
 * Input: the symbol. Output: a value in registers. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/priv.h"

struct val current_task(struct lowerer *lw)
{
	struct type *t = types_tagged(lw->ts, T_STRUCT, "task_struct");
	struct val v;

	if (t && site_task(lw, type_ptr(lw->ts, t), &v)) {
		v.sure = true;
		return v;
	}
	v = int_val(ir_call(lw->ir, BPF_FUNC_get_current_task_btf, NULL, 0, true), NULL);
	v.type = type_ptr(lw->ts, t ? t : lw->ts->void_);
	v.btf = t ? t->btf_id : 0;
	v.sure = true;
	return v;
}

/* Follows members from the current task: pointers are loaded on the way. */
static struct val task_path(struct lowerer *lw, const char *const *path)
{
	struct val v = current_task(lw);

	for (; *path; path++) {
		struct type *st = v.k == V_MEM ? v.type : v.type->of;

		v = lower_member_of(lw, v, st, *path);
		if (!v.type) {
			lower_error(lw, lw->ir->loc, D_KERNEL, "this kernel's task_struct has no %s", *path);
			return int_val(ir_imm(lw->ir, 0), lw->ts->int64);
		}
		v = lower_load(lw, v, NULL);
	}
	return v;
}

vreg ktime(struct lowerer *lw)
{
	return ir_call(lw->ir, BPF_FUNC_ktime_get_ns, NULL, 0, true);
}

static vreg wall_offset(struct lowerer *lw)
{
	vreg at = ir_mapval(lw->ir, map_for(lw, MAP_MACHINE), offsetof(struct dw_machine, wall));

	return ir_ld(lw->ir, at, 0, 8, false, false);
}

static struct val probe_string(struct lowerer *lw, enum builtin b, struct type *t)
{
	const char *const names[] = { lw->probe->prov->name, lw->probe->mod, lw->probe->func, lw->probe->name };
	unsigned which = b == BI_probeprov ? 0 : b == BI_probemod ? 1 : b == BI_probefunc ? 2 : 3;
	const char *s = names[which];

	if ((which == 2 || lw->site->by_cookie) && lw->entry)
		return (struct val){ .k = V_STR, .type = t, .s = multi_name(lw, which) };
	return (struct val){ .k = V_STR, .type = t, .s = str_const(lw, s, strlen(s)) };
}

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

vreg current_number(struct lowerer *lw, enum builtin b)
{
	return task_path(lw, builtin_path(b)).r;
}

static struct val builtin_task(struct lowerer *lw, const struct symbol *s)
{
	struct val v = task_path(lw, builtin_path(s->builtin));

	if (s->builtin == BI_execname)
		return (struct val){ .k = V_STR, .type = s->type, .s = str_of_chars(lw, v) };
	if (s->builtin == BI_zonename)
		return (struct val){ .k = V_STR, .type = s->type, .s = str_of_zone(lw, v.r) };
	v.type = s->type;
	return v;
}

struct val builtin_read(struct lowerer *lw, const struct expr *e)
{
	const struct symbol *s = e->sym;
	struct ir *ir = lw->ir;

	if (builtin_path(s->builtin))
		return builtin_task(lw, s);
	if (s->builtin >= BI_arg0 && s->builtin <= BI_arg9)
		return lower_args(lw, e);
	switch ((int)s->builtin) {
	case BI_timestamp:
		return int_val(ktime(lw), s->type);
	case BI_walltimestamp:
		return int_val(ir_alu(ir, ALU_ADD, ktime(lw), wall_offset(lw)), s->type);
	case BI_cpu:
		return int_val(ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true), s->type);
	case BI_id:
		return int_val(multi_id(lw), s->type);
	case BI_epid:
		return int_val(multi_epid(lw), s->type);
	case BI_curthread:
		return current_task(lw);
	case BI_vtimestamp:
		return vtime_read(lw, s);
	case BI_caller:
	case BI_ucaller:
	case BI_stackdepth:
	case BI_ustackdepth:
		return sym_builtin(lw, s);
	case BI_errno: /* only system calls have one */
		return site_errno(lw, s->type);
	default:
		return probe_string(lw, s->builtin, s->type);
	}
}
