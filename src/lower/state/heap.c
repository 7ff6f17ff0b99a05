/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap: memory that a script may write through pointers: alloca(), copyin().
 * Input: calls that take, fill or read such memory. Output: addresses, copies.
 * Invariant: the heap is a part of the run's scratch slot. Each clause allocates from its start, so it may overwrite
 * data of an earlier clause. Its size is the largest that any clause needs. Pointers into it are plain numbers; a store
 * outside the heap is a fault at run time. */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

#define HEAP_MAX 65536u    /* bytes; a larger request faults: no scratch space */
#define HEAP_UNKNOWN 4096u /* for a call whose size is not constant */
#define HEAP_HEAD 8        /* bytes; a word that counts the bytes in use */

/* ---- its place --------------------------------------------------------------------------------------------------- */
void heap_collect(struct prog_ctx *pg, const struct expr *e)
{
	const struct expr *size;
	uint32_t want, most = HEAP_MAX;
	int64_t n;

	if (e->kind != EX_CALL || !e->sym || e->sym->kind != SYM_FUNC ||
		(e->sym->func != FN_alloca && e->sym->func != FN_copyin))
		return;
	size = e->args.v[e->sym->func == FN_copyin];
	want = !const_eval(pg->lw->ts, pg->lw->d, size, &n) ? HEAP_UNKNOWN
		: n < 0 || n > HEAP_MAX                     ? 0
							    : (uint32_t)(n + 7) & ~7u;
	if (pg->lw->env->scratchsize && pg->lw->env->scratchsize < HEAP_MAX)
		most = (uint32_t)pg->lw->env->scratchsize & ~7u;
	pg->heap_clause = pg->heap_clause + want < most ? pg->heap_clause + want : most;
	pg->heap = true;
}

void heap_collected_clause(struct prog_ctx *pg)
{
	if (pg->heap_clause > pg->heap_size)
		pg->heap_size = pg->heap_clause;
	pg->heap_clause = 0;
}

void heap_begin_clause(struct clause_ctx *cx)
{
	if (cx->pg->heap && cx->pg->heap_begun)
		ir_sti(cx->ir, scratch_ptr(cx, cx->pg->heap_off), 0, 8, 0);
	cx->pg->heap_begun = true;
}

/* Reserves twice the size: an offset and a length are each compared with the size, so their sum is below twice of
 * it. */
void heap_place(struct prog_ctx *pg)
{
	if (!pg->heap)
		return;
	pg->heap_off = scratch_alloc(pg, HEAP_HEAD + 2 * pg->heap_size);
	scratch_start_empty(pg, pg->heap_off);
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */
/* The address of the heap's first byte, as a plain number. */
static vreg heap_address(struct clause_ctx *cx)
{
	return ir_alui(cx->ir, ALU_ADD, scratch_address(cx), cx->pg->heap_off + HEAP_HEAD);
}

/* Allocates n bytes and returns their address. */
static vreg take(struct clause_ctx *cx, vreg n)
{
	struct ir *ir = cx->ir;
	vreg head = scratch_ptr(cx, cx->pg->heap_off), used = ir_ld(ir, head, 0, 8, false, false), end;

	fault_unless(cx, CC_ULE, n, (int32_t)cx->pg->heap_size, DW_FAULT_NOSCRATCH, 0);
	fault_unless(cx, CC_ULE, used, (int32_t)cx->pg->heap_size, DW_FAULT_NOSCRATCH, 0);
	end = ir_alui(ir, ALU_AND, ir_alui(ir, ALU_ADD, ir_alu(ir, ALU_ADD, used, n), 7), -8);
	fault_unless(cx, CC_ULE, end, (int32_t)cx->pg->heap_size, DW_FAULT_NOSCRATCH, 0);
	ir_st(ir, scratch_ptr(cx, cx->pg->heap_off), 0, 8, end);
	return used;
}

static vreg lower_alloca(struct clause_ctx *cx, const struct expr *e)
{
	vreg at = take(cx, lower_int(cx, e->args.v[0]));

	return ir_alu(cx->ir, ALU_ADD, heap_address(cx), at);
}

/* Calls a helper that copies n bytes into the heap. */
static void copy_to(struct clause_ctx *cx, int helper, vreg at, vreg n, vreg from)
{
	struct ir *ir = cx->ir;
	vreg to = ir_alu(ir, ALU_ADD, scratch_ptr(cx, cx->pg->heap_off + HEAP_HEAD), at), r;

	r = helper == BPF_FUNC_probe_read_user ? user_copy(cx, helper, to, n, from)
					       : ir_call(ir, helper, (vreg[]){ to, n, from }, 3, false);
	fault_unless(cx, CC_EQ, r, 0, DW_FAULT_BADADDR, from);
}

static vreg lower_copyin(struct clause_ctx *cx, const struct expr *e)
{
	vreg from = lower_int(cx, e->args.v[0]), n = ir_mov(cx->ir, lower_int(cx, e->args.v[1])), at = take(cx, n);

	copy_to(cx, BPF_FUNC_probe_read_user, at, n, from);
	return ir_alu(cx->ir, ALU_ADD, heap_address(cx), at);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
/* Checks that the n bytes at address p are in the heap and returns their place. */
static vreg inside(struct clause_ctx *cx, vreg p, vreg n)
{
	struct ir *ir = cx->ir;
	vreg at;

	if (!cx->pg->heap) { /* nothing was ever allocated */
		lower_fault(cx, DW_FAULT_BADADDR, p);
		return 0;
	}
	at = ir_alu(ir, ALU_SUB, p, heap_address(cx));
	fault_unless(cx, CC_ULE, at, (int32_t)cx->pg->heap_size, DW_FAULT_BADADDR, p);
	fault_unless(cx, CC_ULE, n, (int32_t)cx->pg->heap_size, DW_FAULT_BADADDR, p);
	fault_unless(cx, CC_ULE, ir_alu(ir, ALU_ADD, at, n), (int32_t)cx->pg->heap_size, DW_FAULT_BADADDR, p);
	return at;
}

struct val heap_at(struct clause_ctx *cx, vreg p, struct type *t)
{
	struct val v = { .k = V_MEM, .type = t, .ptr = PTR_OURS, .mut = true };
	vreg at = inside(cx, p, ir_imm(cx->ir, t->size));

	v.r = at ? ir_alu(cx->ir, ALU_ADD, scratch_ptr(cx, cx->pg->heap_off + HEAP_HEAD), at) : scratch_ptr(cx, 0);
	return v;
}

static vreg source(struct clause_ctx *cx, const struct expr *e)
{
	struct sval s;

	if (!type_is_string(e->type) || e->type->kind == T_ARRAY)
		return lower_int(cx, e);
	s = lower_str_as(cx, e, expr_form(cx->lw->ck, e) | FORM_TEXT);
	str_need(cx, &s);
	return str_text(cx, &s);
}

/* bcopy(from, to, n), copyinto(from, n, to): arguments from left to right. */
static void lower_copy(struct clause_ctx *cx, const struct expr *e, bool user)
{
	vreg args[3], at;

	args[0] = source(cx, e->args.v[0]);
	for (size_t i = 1; i < 3; i++)
		args[i] = ir_mov(cx->ir, lower_int(cx, e->args.v[i]));
	at = inside(cx, args[user ? 2 : 1], args[user ? 1 : 2]);
	if (at)
		copy_to(cx, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel, at, args[user ? 1 : 2],
			args[0]);
}

bool lower_heap_call(struct clause_ctx *cx, const struct expr *e, vreg *out)
{
	switch ((int)e->sym->func) {
	case FN_alloca:
		*out = lower_alloca(cx, e);
		return true;
	case FN_copyin:
		*out = lower_copyin(cx, e);
		return true;
	case FN_bcopy:
	case FN_copyinto:
		lower_copy(cx, e, e->sym->func == FN_copyinto);
		*out = ir_imm(cx->ir, 0);
		return true;
	default:
		return false;
	}
}

/* ---- writing to the process -------------------------------------------------------------------------------------- */
static void write_user(struct clause_ctx *cx, vreg to, vreg from, vreg n)
{
	vreg r = ir_call(cx->ir, BPF_FUNC_probe_write_user, (vreg[]){ to, from, n }, 3, false);

	fault_unless(cx, CC_EQ, ir_ext(cx->ir, r, 4, true), 0, DW_FAULT_BADADDR, to);
}

/* copyout(from, to, n) */
void lower_copyout(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg from = source(cx, e->args.v[0]), to = lower_int(cx, e->args.v[1]), n, buf, r;
	uint32_t room = HEAP_UNKNOWN;
	int64_t size;

	if (const_eval(cx->lw->ts, cx->lw->d, e->args.v[2], &size))
		room = size < 0 || size > HEAP_MAX ? 0 : (uint32_t)size;
	n = ir_mov(ir, lower_int(cx, e->args.v[2]));
	fault_unless(cx, CC_ULE, n, (int32_t)room, DW_FAULT_NOSCRATCH, 0);
	buf = scratch_ptr(cx, scratch_alloc(cx->pg, room));
	r = ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ buf, n, from }, 3, false);
	fault_unless(cx, CC_EQ, r, 0, DW_FAULT_BADADDR, from);
	write_user(cx, to, buf, n);
}

/* copyoutstr(text, to, n): the text and its NUL, at most n bytes of it */
void lower_copyoutstr(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg from = type_is_string(e->args.v[0]->type) ? source(cx, e->args.v[0]) : lower_int(cx, e->args.v[0]);
	vreg to = lower_int(cx, e->args.v[1]), most = ir_mov(ir, lower_int(cx, e->args.v[2])), n = ir_var(ir), buf, len;
	uint32_t size = checker_strsize(cx->lw->ck), all = ir_newlabel(ir);

	buf = scratch_ptr(cx, scratch_alloc(cx->pg, size));
	len = ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ buf, ir_imm(ir, size), from }, 3, false);
	fault_unless(cx, CC_SGT, len, 0, DW_FAULT_BADADDR, from);
	ir_set(ir, n, len);
	ir_jcci(ir, CC_UGT, most, (int32_t)size, all);
	ir_jcc(ir, CC_UGE, most, len, all);
	ir_set(ir, n, most);
	ir_label(ir, all);
	write_user(cx, to, buf, n);
}
