/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subr: subroutines that query the kernel about the current thread or CPU.
 * Input: a call. Output: its value in a register.
 * Invariant: a walk over processes is unrolled to a fixed number of steps, because D programs have no loops. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/site/site.h"

#define MAX_ANCESTORS 32 /* that progenyof() looks at */
#define PF_KTHREAD 0x00200000

/* An integer member of a task; 0 if this kernel has none of that name. */
static vreg task_number(struct clause_ctx *cx, struct val task, const char *name)
{
	struct val v = lower_member_of(cx, task, task.type->of, name);

	return v.type ? lower_load(cx, v, NULL).r : ir_imm(cx->ir, 0);
}

/* Is pid the current process or one of its ancestors? The chain ends at process 1, whose parent is 0. */
static struct val lower_progenyof(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg pid = ir_ext(ir, lower_int(cx, e->args.v[0]), 4, true), r = ir_var(ir);
	uint32_t yes = ir_newlabel(ir), no = ir_newlabel(ir), end = ir_newlabel(ir);
	struct val task = current_task(cx), up;

	for (unsigned i = 0; i < MAX_ANCESTORS; i++) {
		vreg tgid = task_number(cx, task, "tgid");

		ir_jcc(ir, CC_EQ, tgid, pid, yes);
		ir_jcci(ir, CC_EQ, tgid, 0, no);
		up = lower_member_of(cx, task, task.type->of, "real_parent");
		if (!up.type)
			break;
		task = lower_load(cx, up, NULL);
	}
	ir_label(ir, no);
	ir_seti(ir, r, 0);
	ir_jmp(ir, end);
	ir_label(ir, yes);
	ir_seti(ir, r, 1);
	ir_label(ir, end);
	return int_val(blur(cx, r), e->type);
}

/* The registers that the kernel saved when the current process entered it. A kernel thread has none. Before Linux 5.15
 * no helper tells where: they end the thread's stack. */
vreg current_regs(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	struct type *t = types_tagged(cx->lw->ts, T_STRUCT, "pt_regs");
	struct val task = current_task(cx);
	uint32_t end = ir_newlabel(ir);
	vreg flags = task_number(cx, task, "flags"), regs, r = ir_var(ir);

	ir_seti(ir, r, 0);
	ir_jcci(ir, CC_NE, ir_alui(ir, ALU_AND, flags, PF_KTHREAD), 0, end);
	if (cx->lw->env->no_regs && t) {
		type_complete(cx->lw->ts, t);
		ir_set(ir, r,
			ir_alui(ir, ALU_ADD, task_number(cx, task, "stack"), ARCH_THREAD_SIZE - (int32_t)t->size));
	} else {
		regs = ir_call(ir, BPF_FUNC_task_pt_regs, &task.r, 1, false);
		ir_set(ir, r, plain_number(cx, (struct val){ .k = V_INT, .r = regs, .btf = t ? t->btf_id : 0 }));
	}
	ir_label(ir, end);
	return r;
}

/* Reads an integer from the process's memory. The helper zeroes the result if it cannot read it. */
static struct val lower_user(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg at = lower_int(cx, e->args.v[0]), to = ir_stack(ir, ir_stack_alloc(ir, 8)), v;

	ir_sti(ir, to, 0, 8, 0);
	(void)user_copy(cx, BPF_FUNC_probe_read_user, to, ir_imm(ir, (int64_t)e->args.v[1]->ival), at);
	v = ir_ld(ir, to, 0, 8, false, false);
	ir_stack_release(ir, mark);
	return int_val(v, e->type);
}

/* Is the text in the process's memory an address of IP? The library's function reads all the room that it may fill. */
static struct val lower_is_address(struct clause_ctx *cx, const struct expr *e)
{
	enum { ROOM = 64 };
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir), room = ir_stack_alloc(ir, ROOM);
	vreg at = lower_int(cx, e->args.v[0]), r = ir_var(ir), len;
	uint32_t none = ir_newlabel(ir);

	for (int32_t i = 0; i < ROOM; i += 8)
		ir_sti(ir, ir_stack(ir, room), i, 8, 0);
	ir_seti(ir, r, 0);
	len = user_copy(cx, BPF_FUNC_probe_read_user_str, ir_stack(ir, room), ir_imm(ir, ROOM), at);
	ir_jcci(ir, CC_SLE, len, 0, none); /* cannot be read; else it counts the NUL */
	ir_set(ir, r, ir_lib(ir, LIB_is_address, (vreg[]){ ir_stack(ir, room), ir_alui(ir, ALU_SUB, len, 1) }, 2));
	ir_label(ir, none);
	ir_stack_release(ir, mark);
	return int_val(r, e->type);
}

/* Is the port, in network order, one of the option dnsports? Without the option: 0, a constant. */
static struct val lower_dns_port(struct clause_ctx *cx, const struct expr *e)
{
	const struct lower_env *env = cx->lw->env;
	struct ir *ir = cx->ir;
	uint32_t yes = ir_newlabel(ir);
	vreg port, r = ir_var(ir);

	if (!env->ndnsports)
		return int_val(ir_imm(ir, 0), e->type);
	port = lower_int(cx, e->args.v[0]);
	ir_seti(ir, r, 1);
	for (size_t i = 0; i < env->ndnsports; i++)
		ir_jcci(ir, CC_EQ, port, htons(env->dnsports[i]), yes);
	ir_seti(ir, r, 0);
	ir_label(ir, yes);
	return int_val(r, e->type);
}

/* __mix(number, word): dw_mix() of abi/abi.h */
static struct val lower_mix(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg number = lower_int(cx, e->args.v[0]);

	number = ir_alu(ir, ALU_XOR, number, lower_int(cx, e->args.v[1]));
	number = ir_alu(ir, ALU_MUL, number, ir_imm(ir, (int64_t)DW_FACTOR(cx->lw->env->secret)));
	return int_val(ir_alu(ir, ALU_XOR, number, ir_alui(ir, ALU_SHR, number, DW_MIX_SHIFT)), e->type);
}

/* A call of one of these subroutines. */
struct val lower_subr(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;

	switch ((int)e->sym->func) {
	case FN_rand:
		return int_val(ir_ext(ir, ir_call(ir, BPF_FUNC_get_prandom_u32, NULL, 0, false), 4, true), e->type);
	case FN___numa:
		return int_val(ir_call(ir, BPF_FUNC_get_numa_node_id, NULL, 0, true), e->type);
	case FN_progenyof:
		return lower_progenyof(cx, e);
	case FN___user:
		return lower_user(cx, e);
	case FN___dnsport:
		return lower_dns_port(cx, e);
	case FN___mix:
		return lower_mix(cx, e);
	case FN___isaddr:
		return lower_is_address(cx, e);
	default:
		return int_val(current_regs(cx), e->type);
	}
}
