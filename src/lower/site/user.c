/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user: probes of programs and libraries (uprobes).
 * Input: a site with the locations of its arguments. Output: loads from the saved registers, which are the program's
 * context, and from the process's memory.
 * Invariant: memory that cannot be read is a fault, never a wrong number. */
#include <linux/bpf.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/expr/expr.h"
#include "lower/site/site.h"

#define CALL_ARGS 10

/* Is the site in a program or library? */
bool is_user_site(const struct site *s)
{
	return s->attach == ATTACH_UPROBE || s->attach == ATTACH_URETPROBE;
}

/* A register of the process, saved at the probe. */
static vreg context_reg(struct clause_ctx *cx, int16_t off)
{
	return ir_ld(cx->ir, ir_ctx(cx->ir), off, 8, false, true);
}

/* Memory of a process that it has not touched yet is not there: where the program may sleep the kernel fetches it. */
static void fetch(struct clause_ctx *cx, vreg addr)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg byte = ir_stack(ir, ir_stack_alloc(ir, 8));

	ir_call(ir, BPF_FUNC_copy_from_user, (vreg[]){ byte, ir_imm(ir, 1), addr }, 3, false);
	ir_stack_release(ir, mark);
}

/* Copies n bytes of the process's memory by a helper. Returns the helper's result: negative if it cannot be read. At a
 * uprobe a page that is not present is fetched, and the copy is tried again. */
vreg user_copy(struct clause_ctx *cx, int helper, vreg to, vreg n, vreg from)
{
	struct ir *ir = cx->ir;
	vreg got = ir_call(ir, helper, (vreg[]){ to, n, from }, 3, false), r;
	uint32_t done = ir_newlabel(ir);

	if (!is_user_site(cx->pg->site))
		return got;
	cx->pg->sleeps = true;
	r = ir_var(ir);
	ir_set(ir, r, got);
	ir_jcci(ir, CC_SGE, r, 0, done);
	fetch(cx, from);
	fetch(cx, ir_alui(ir, ALU_ADD, ir_alu(ir, ALU_ADD, from, n), -1));
	ir_set(ir, r, ir_call(ir, helper, (vreg[]){ to, n, from }, 3, false));
	ir_label(ir, done);
	return r;
}

/* Loads size bytes of the process's memory. A bad address is a fault. */
static vreg user_load(struct clause_ctx *cx, vreg addr, unsigned size, bool is_signed)
{
	struct ir *ir = cx->ir;
	int32_t slot = ir_stack_alloc(ir, 8);
	vreg at = ir_stack(ir, slot), r;

	ir_sti(ir, at, 0, 8, 0);
	r = user_copy(cx, BPF_FUNC_probe_read_user, at, ir_imm(ir, size), addr);
	fault_unless(cx, CC_EQ, r, 0, DW_FAULT_BADADDR, addr);
	return ir_ext(ir, ir_ld(ir, at, 0, size, is_signed, false), size, is_signed);
}

/* An operand in memory: reg + index * scale + value. */
static vreg memory_arg(struct clause_ctx *cx, const struct uarg *a)
{
	struct ir *ir = cx->ir;
	vreg addr = a->reg >= 0 ? context_reg(cx, a->reg) : ir_imm(ir, 0);

	if (a->index >= 0)
		addr = ir_alu(ir, ALU_ADD, addr, ir_alui(ir, ALU_MUL, context_reg(cx, a->index), a->scale));
	if (a->value)
		addr = ir_alu(ir, ALU_ADD, addr, ir_imm(ir, a->value));
	return user_load(cx, addr, a->size, a->is_signed);
}

/* An argument of an author's probe, at the operand that the note in the ELF file names. */
static vreg located_arg(struct clause_ctx *cx, const struct uarg *a)
{
	vreg r;

	switch (a->kind) {
	case UARG_CONST:
		return ir_imm(cx->ir, a->value);
	case UARG_REG:
		r = context_reg(cx, a->reg);
		if (a->shift)
			r = ir_alui(cx->ir, ALU_SHR, r, a->shift);
		return ir_ext(cx->ir, r, a->size, a->is_signed);
	case UARG_MEM:
		return memory_arg(cx, a);
	case UARG_NONE:
		break;
	}
	lower_fault(cx, DW_FAULT_ILLOP, 0);
	return ir_imm(cx->ir, 0);
}

/* Argument n of a function, by the calling convention: in a register, or on the stack. */
static vreg call_arg(struct clause_ctx *cx, unsigned n)
{
	struct ir *ir = cx->ir;

	if (n < ARCH_NARGS)
		return context_reg(cx, arch_args[n]);
	if (n >= CALL_ARGS)
		return ir_imm(ir, 0);
	return user_load(cx,
		ir_alui(ir, ALU_ADD, context_reg(cx, ARCH_REGS_SP), ARCH_STACK_ARGS + 8 * (int32_t)(n - ARCH_NARGS)), 8,
		false);
}

vreg user_cookie(struct clause_ctx *cx)
{
	vreg ctx = ir_ctx(cx->ir);

	return ir_call(cx->ir, BPF_FUNC_get_attach_cookie, &ctx, 1, true);
}

vreg user_stack_pointer(struct clause_ctx *cx)
{
	return context_reg(cx, ARCH_REGS_SP);
}

/* By how much a return moves the stack pointer: the return address, where the machine keeps it on the stack. */
int32_t user_return_pops(void)
{
	return ARCH_STACK_ARGS;
}

/* argN: of a probe in the code, where its author put it; of a function, the argument; at a return, arg1 is the
 * value. */
vreg user_arg(struct clause_ctx *cx, unsigned n)
{
	const struct site *s = cx->pg->site;

	if (s->user && s->user->args)
		return n < s->user->nargs ? located_arg(cx, &s->user->args[n]) : ir_imm(cx->ir, 0);
	if (s->attach == ATTACH_URETPROBE && n == 0 && s->by_cookie) /* cookie: offset of the return << 32 | number */
		return ir_alui(cx->ir, ALU_SHR, user_cookie(cx), 32);
	if (s->attach == ATTACH_URETPROBE)
		return n == 1 ? context_reg(cx, ARCH_REGS_RET) : ir_imm(cx->ir, 0);
	return call_arg(cx, n);
}

/* Sets all places to attach the program to: those of the site, or those of all probes that share it, with their numbers
 * as cookies. */
void user_places(struct prog_ctx *pg, const struct enabled *set, size_t n, struct image_prog *p)
{
	const struct user_site *user = pg->site->user;
	struct uplace *v;
	size_t k = 0;

	if (user && user->functions) {
		p->places = pg->lw->env->functions(pg->lw->env->ctx, user->functions, &p->nplaces);
		return;
	}
	if (user) {
		p->places = user->places;
		p->nplaces = user->nplaces;
		return;
	}
	for (size_t i = 0; i < n; i++)
		p->nplaces += set[i].probe->nplaces;
	v = ARENA_ARRAY(pg->lw->arena, struct uplace, p->nplaces);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < set[i].probe->nplaces; j++) {
			v[k] = set[i].probe->places[j];
			v[k++].cookie |= i;
		}
	p->places = v;
}
