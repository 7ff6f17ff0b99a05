/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subr: subroutines that ask the kernel something about the current thread or CPU. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/priv.h"

#define MAX_ANCESTORS 32 /* that progenyof() looks at */
#define PF_KTHREAD 0x00200000

static vreg task_number(struct lowerer *lw, struct val task, const char *name)
{
	struct val v = lower_member_of(lw, task, task.type->of, name);

	return v.type ? lower_load(lw, v, NULL).r : ir_imm(lw->ir, 0);
}

/* Is the process, or one of those that it descends from, pid? The chain ends at process 1, whose parent is 0. */
static struct val lower_progenyof(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	vreg pid = ir_ext(ir, lower_int(lw, e->args.v[0]), 4, true), r = ir_var(ir);
	uint32_t yes = ir_newlabel(ir), no = ir_newlabel(ir), end = ir_newlabel(ir);
	struct val task = current_task(lw), up;

	for (unsigned i = 0; i < MAX_ANCESTORS; i++) {
		vreg tgid = task_number(lw, task, "tgid");

		ir_jcc(ir, CC_EQ, tgid, pid, yes);
		ir_jcci(ir, CC_EQ, tgid, 0, no);
		up = lower_member_of(lw, task, task.type->of, "real_parent");
		if (!up.type)
			break;
		task = lower_load(lw, up, NULL);
	}
	ir_label(ir, no);
	ir_seti(ir, r, 0);
	ir_jmp(ir, end);
	ir_label(ir, yes);
	ir_seti(ir, r, 1);
	ir_label(ir, end);
	return int_val(blur(lw, r), e->type);
}

/* Where the registers of the current process were put when it entered the kernel. A kernel thread never did. */
vreg current_regs(struct lowerer *lw)
{
	struct ir *ir = lw->ir;
	struct type *t = types_tagged(lw->ts, T_STRUCT, "pt_regs");
	struct val task = current_task(lw);
	uint32_t end = ir_newlabel(ir);
	vreg flags = task_number(lw, task, "flags"), regs, r = ir_var(ir);

	ir_seti(ir, r, 0);
	ir_jcci(ir, CC_NE, ir_alui(ir, ALU_AND, flags, PF_KTHREAD), 0, end);
	regs = ir_call(ir, BPF_FUNC_task_pt_regs, &task.r, 1, false);
	ir_set(ir, r, plain_number(lw, (struct val){ .k = V_INT, .r = regs, .btf = t ? t->btf_id : 0 }));
	ir_label(ir, end);
	return r;
}

/* An integer of the process's memory. The helper clears what it cannot read. */
static struct val lower_user(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg at = lower_int(lw, e->args.v[0]), to = ir_stack(ir, ir_stack_alloc(ir, 8)), v;

	ir_sti(ir, to, 0, 8, 0);
	(void)user_copy(lw, BPF_FUNC_probe_read_user, to, ir_imm(ir, (int64_t)e->args.v[1]->ival), at);
	v = ir_ld(ir, to, 0, 8, false, false);
	ir_stack_release(ir, mark);
	return int_val(v, e->type);
}

struct val lower_subr(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;

	switch ((int)e->sym->func) {
	case FN_rand:
		return int_val(ir_ext(ir, ir_call(ir, BPF_FUNC_get_prandom_u32, NULL, 0, false), 4, true), e->type);
	case FN___numa:
		return int_val(ir_call(ir, BPF_FUNC_get_numa_node_id, NULL, 0, true), e->type);
	case FN_progenyof:
		return lower_progenyof(lw, e);
	case FN___user:
		return lower_user(lw, e);
	default:
		return int_val(current_regs(lw), e->type);
	}
}
