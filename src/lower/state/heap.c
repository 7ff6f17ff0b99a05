/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap: the memory that a script may write through pointers: alloca(), copyin(). It is a part of the run's slot,
 * handed out from its start on, for all clauses of the probe; how much there is follows from the script's calls.
 * Invariants: pointers to it are plain numbers; a store checks at run time that it stays inside, else it is a fault. */
#include <linux/bpf.h>

#include "lower/priv.h"

#define HEAP_MAX 65536u    /* bytes; what asks for more at once is told that there is no room */
#define HEAP_UNKNOWN 4096u /* for a call whose size is not constant */
#define HEAP_HEAD 8        /* a word: bytes handed out */

/* ---- its place --------------------------------------------------------------------------------------------------- */
void heap_collect(struct lowerer *lw, const struct expr *e)
{
	const struct expr *size;
	uint32_t want, most = HEAP_MAX;
	int64_t n;

	if (e->kind != EX_CALL || !e->sym || e->sym->kind != SYM_FUNC ||
		(e->sym->func != FN_alloca && e->sym->func != FN_copyin))
		return;
	size = e->args.v[e->sym->func == FN_copyin];
	want = !const_eval(lw->ts, lw->d, size, &n) ? HEAP_UNKNOWN
		: n < 0 || n > HEAP_MAX             ? 0
						    : (uint32_t)(n + 7) & ~7u;
	if (lw->env->scratchsize && lw->env->scratchsize < HEAP_MAX)
		most = (uint32_t)lw->env->scratchsize & ~7u;
	lw->heap_size = lw->heap_size + want < most ? lw->heap_size + want : most;
	lw->heap = true;
}

/* Twice the size is there: an offset and a length are each compared with it, and their sum with twice of it. */
void heap_place(struct lowerer *lw)
{
	if (!lw->heap)
		return;
	lw->heap_off = scratch_alloc(lw, HEAP_HEAD + 2 * lw->heap_size);
	scratch_start_empty(lw, lw->heap_off);
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */
static void fault_unless(struct lowerer *lw, enum ir_cc cc, vreg v, uint32_t limit, enum dw_fault why, vreg value)
{
	uint32_t ok = ir_newlabel(lw->ir);

	ir_jcci(lw->ir, cc, v, (int32_t)limit, ok);
	lower_fault(lw, why, value);
	ir_label(lw->ir, ok);
}

/* The heap's first byte, as a number. */
static vreg heap_address(struct lowerer *lw)
{
	return ir_alui(lw->ir, ALU_ADD, scratch_address(lw), lw->heap_off + HEAP_HEAD);
}

/* n bytes of it: where they begin. */
static vreg take(struct lowerer *lw, vreg n)
{
	struct ir *ir = lw->ir;
	vreg head = scratch_ptr(lw, lw->heap_off), used = ir_ld(ir, head, 0, 8, false, false), end;

	fault_unless(lw, CC_ULE, n, lw->heap_size, DW_FAULT_NOSCRATCH, 0);
	fault_unless(lw, CC_ULE, used, lw->heap_size, DW_FAULT_NOSCRATCH, 0);
	end = ir_alui(ir, ALU_AND, ir_alui(ir, ALU_ADD, ir_alu(ir, ALU_ADD, used, n), 7), -8);
	fault_unless(lw, CC_ULE, end, lw->heap_size, DW_FAULT_NOSCRATCH, 0);
	ir_st(ir, scratch_ptr(lw, lw->heap_off), 0, 8, end);
	return used;
}

static vreg lower_alloca(struct lowerer *lw, const struct expr *e)
{
	vreg at = take(lw, lower_int(lw, e->args.v[0]));

	return ir_alu(lw->ir, ALU_ADD, heap_address(lw), at);
}

/* A call that copies n bytes to a place in the heap. */
static void copy_to(struct lowerer *lw, int helper, vreg at, vreg n, vreg from)
{
	struct ir *ir = lw->ir;
	vreg to = ir_alu(ir, ALU_ADD, scratch_ptr(lw, lw->heap_off + HEAP_HEAD), at), r;

	r = helper == BPF_FUNC_probe_read_user ? user_copy(lw, helper, to, n, from)
					       : ir_call(ir, helper, (vreg[]){ to, n, from }, 3, false);
	fault_unless(lw, CC_EQ, r, 0, DW_FAULT_BADADDR, from);
}

static vreg lower_copyin(struct lowerer *lw, const struct expr *e)
{
	vreg from = lower_int(lw, e->args.v[0]), n = ir_mov(lw->ir, lower_int(lw, e->args.v[1])), at = take(lw, n);

	copy_to(lw, BPF_FUNC_probe_read_user, at, n, from);
	return ir_alu(lw->ir, ALU_ADD, heap_address(lw), at);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
/* The place of n bytes at address p, in the heap. */
static vreg inside(struct lowerer *lw, vreg p, vreg n)
{
	struct ir *ir = lw->ir;
	vreg at;

	if (!lw->heap) { /* nothing was ever handed out */
		lower_fault(lw, DW_FAULT_BADADDR, p);
		return 0;
	}
	at = ir_alu(ir, ALU_SUB, p, heap_address(lw));
	fault_unless(lw, CC_ULE, at, lw->heap_size, DW_FAULT_BADADDR, p);
	fault_unless(lw, CC_ULE, n, lw->heap_size, DW_FAULT_BADADDR, p);
	fault_unless(lw, CC_ULE, ir_alu(ir, ALU_ADD, at, n), lw->heap_size, DW_FAULT_BADADDR, p);
	return at;
}

struct val heap_at(struct lowerer *lw, vreg p, struct type *t)
{
	struct val v = { .k = V_MEM, .type = t, .ours = true, .mut = true };
	vreg at = inside(lw, p, ir_imm(lw->ir, t->size));

	v.r = at ? ir_alu(lw->ir, ALU_ADD, scratch_ptr(lw, lw->heap_off + HEAP_HEAD), at) : scratch_ptr(lw, 0);
	return v;
}

static vreg source(struct lowerer *lw, const struct expr *e)
{
	struct sval s;

	if (!type_is_string(e->type) || e->type->kind == T_ARRAY)
		return lower_int(lw, e);
	s = lower_str_as(lw, e, expr_form(lw->ck, e) | FORM_TEXT);
	str_need(lw, &s);
	return str_text(lw, &s);
}

/* bcopy(from, to, n), copyinto(from, n, to). */
static void lower_copy(struct lowerer *lw, const struct expr *e, bool user)
{
	vreg from = source(lw, e->args.v[0]), to = lower_int(lw, e->args.v[user ? 2 : 1]), at;
	vreg n = ir_mov(lw->ir, lower_int(lw, e->args.v[user ? 1 : 2]));

	at = inside(lw, to, n);
	if (at)
		copy_to(lw, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel, at, n, from);
}

bool lower_heap_call(struct lowerer *lw, const struct expr *e, vreg *out)
{
	switch ((int)e->sym->func) {
	case FN_alloca:
		*out = lower_alloca(lw, e);
		return true;
	case FN_copyin:
		*out = lower_copyin(lw, e);
		return true;
	case FN_bcopy:
	case FN_copyinto:
		lower_copy(lw, e, e->sym->func == FN_copyinto);
		*out = ir_imm(lw->ir, 0);
		return true;
	default:
		return false;
	}
}

/* ---- writing to the process -------------------------------------------------------------------------------------- */
static void write_user(struct lowerer *lw, vreg to, vreg from, vreg n)
{
	vreg r = ir_call(lw->ir, BPF_FUNC_probe_write_user, (vreg[]){ to, from, n }, 3, false);

	fault_unless(lw, CC_EQ, ir_ext(lw->ir, r, 4, true), 0, DW_FAULT_BADADDR, to);
}

/* copyout(from, to, n) */
void lower_copyout(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	vreg from = source(lw, e->args.v[0]), to = lower_int(lw, e->args.v[1]), n, buf, r;
	uint32_t room = HEAP_UNKNOWN;
	int64_t size;

	if (const_eval(lw->ts, lw->d, e->args.v[2], &size))
		room = size < 0 || size > HEAP_MAX ? 0 : (uint32_t)size;
	n = ir_mov(ir, lower_int(lw, e->args.v[2]));
	fault_unless(lw, CC_ULE, n, room, DW_FAULT_NOSCRATCH, 0);
	buf = scratch_ptr(lw, scratch_alloc(lw, room));
	r = ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ buf, n, from }, 3, false);
	fault_unless(lw, CC_EQ, r, 0, DW_FAULT_BADADDR, from);
	write_user(lw, to, buf, n);
}

/* copyoutstr(text, to, n): the text and its NUL, at most n bytes of it */
void lower_copyoutstr(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	vreg from = type_is_string(e->args.v[0]->type) ? source(lw, e->args.v[0]) : lower_int(lw, e->args.v[0]);
	vreg to = lower_int(lw, e->args.v[1]), most = ir_mov(ir, lower_int(lw, e->args.v[2])), n = ir_var(ir), buf, len;
	uint32_t size = checker_strsize(lw->ck), all = ir_newlabel(ir);

	buf = scratch_ptr(lw, scratch_alloc(lw, size));
	len = ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ buf, ir_imm(ir, size), from }, 3, false);
	fault_unless(lw, CC_SGT, len, 0, DW_FAULT_BADADDR, from);
	ir_set(ir, n, len);
	ir_jcci(ir, CC_UGT, most, (int32_t)size, all);
	ir_jcc(ir, CC_UGE, most, len, all);
	ir_set(ir, n, most);
	ir_label(ir, all);
	write_user(lw, to, buf, n);
}
