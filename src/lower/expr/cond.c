/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cond: conditions: comparisons, && || ^^ !, ?:.
 * Input: an expression that is tested. Output: jumps; where a value is wanted, 0 or 1.
 * Invariant: values memorised in only one branch are forgotten (memo_release) where the branches meet. */
#include <assert.h>

#include "lower/expr/expr.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

/* Signedness comes from the operands' common type: BPF has separate conditions. */
static enum ir_cc compare_cc(enum expr_op op, bool sgn)
{
	switch ((int)op) {
	case OP_EQ:
		return CC_EQ;
	case OP_NE:
		return CC_NE;
	case OP_LT:
		return sgn ? CC_SLT : CC_ULT;
	case OP_LE:
		return sgn ? CC_SLE : CC_ULE;
	case OP_GT:
		return sgn ? CC_SGT : CC_UGT;
	default:
		return sgn ? CC_SGE : CC_UGE;
	}
}

/* The condition that holds when op does not. Integers only: strings may be NULL. */
static enum expr_op negated(enum expr_op op)
{
	switch ((int)op) {
	case OP_EQ:
		return OP_NE;
	case OP_NE:
		return OP_EQ;
	case OP_LT:
		return OP_GE;
	case OP_LE:
		return OP_GT;
	case OP_GT:
		return OP_LE;
	default:
		return OP_LT;
	}
}

static bool is_compare(enum expr_op op)
{
	return op >= OP_EQ && op <= OP_GE;
}

/* Pointers compare as unsigned numbers. A constant of 32 bits is an operand of the jump itself. */
static void int_compare_jump(struct clause_ctx *cx, const struct expr *e, uint32_t label, bool when)
{
	struct type *ta = e->a->type, *tb = e->b->type, *t;
	bool ptr = ta->kind == T_PTR || tb->kind == T_PTR;
	vreg a, b = 0;
	enum expr_op op = when ? e->op : negated(e->op);
	int64_t c;

	if (right_first(e))
		b = lower_word(cx, e->b);
	a = e->a == cx->pg->hidden.of ? cx->pg->hidden.r : lower_word(cx, e->a);

	t = ptr ? cx->lw->ts->uint64 : type_usual(cx->lw->ts, ta, tb);
	if (!ptr && const_eval(cx->lw->ts, cx->lw->d, e->b, &c) && c == (int32_t)c) {
		ir_jcci(cx->ir, compare_cc(op, t->is_signed), a, (int32_t)c, label);
		return;
	}
	if (!b)
		b = lower_word(cx, e->b);
	ir_jcc(cx->ir, compare_cc(op, t->is_signed), a, b, label);
}

/* Do parts of it run only on some paths? Then values memorised in them are not known behind it. */
static bool is_chain(const struct expr *e)
{
	while (e->kind == EX_UNARY && e->op == OP_NOT)
		e = e->a;
	return e->kind == EX_BINARY && (e->op == OP_LAND || e->op == OP_LOR);
}

/* && and || are jumps: the right side runs only if the left side does not decide. */
static void logic_jump(struct clause_ctx *cx, const struct expr *e, uint32_t label, bool when)
{
	bool both = (e->op == OP_LAND) != when; /* the jump is taken when either side decides it */
	size_t mark = memo_mark(cx->pg);
	uint32_t skip;

	if (both) {
		lower_jump(cx, e->a, label, when);
		lower_jump(cx, e->b, label, when);
		return;
	}
	skip = ir_newlabel(cx->ir);
	lower_jump(cx, e->a, skip, !when);
	if (!is_chain(e->a)) /* all of it has run, on either path */
		mark = memo_mark(cx->pg);
	lower_jump(cx, e->b, label, when);
	memo_release(cx->pg, mark);
	ir_label(cx->ir, skip);
}

/* Jumps to no unless e is true. Returns the mark to which memos are released at no. */
size_t cond_jump(struct clause_ctx *cx, const struct expr *e, uint32_t no)
{
	size_t mark = memo_mark(cx->pg);

	lower_jump(cx, e, no, false);
	return is_chain(e) ? mark : memo_mark(cx->pg);
}

/* 0 or 1 in a variable, as both paths set it. */
vreg truth_value(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg r = ir_var(ir);
	uint32_t end = ir_newlabel(ir);
	size_t mark = memo_mark(cx->pg);

	ir_seti(ir, r, 0);
	lower_jump(cx, e, end, false);
	ir_seti(ir, r, 1);
	ir_label(ir, end);
	memo_release(cx->pg, mark);
	return blur(cx, r);
}

/* Jumps to label if the truth of e is when. */
void lower_jump(struct clause_ctx *cx, const struct expr *e, uint32_t label, bool when)
{
	bool truth;
	vreg r;

	cx->ir->loc = e->loc;
	if (expr_decided(e, &truth)) {
		if (truth == when)
			ir_jmp(cx->ir, label);
	} else if (e->kind == EX_BINARY && (e->op == OP_LAND || e->op == OP_LOR)) {
		logic_jump(cx, e, label, when);
	} else if (e->kind == EX_BINARY && e->op == OP_LXOR) {
		r = ir_alu(cx->ir, ALU_XOR, truth_value(cx, e->a), truth_value(cx, e->b));
		ir_jcci(cx->ir, when ? CC_NE : CC_EQ, r, 0, label);
	} else if (e->kind == EX_UNARY && e->op == OP_NOT) {
		lower_jump(cx, e->a, label, !when);
	} else if (e->kind == EX_BINARY && is_compare(e->op)) {
		if (type_is_string(e->a->type) || type_is_string(e->b->type))
			str_jump(cx, e, label, when);
		else
			int_compare_jump(cx, e, label, when);
	} else {
		r = lower_word(cx, e);
		ir_jcci(cx->ir, when ? CC_NE : CC_EQ, r, 0, label);
	}
}

/* Is its value 0 or 1 by construction? */
bool is_logic(const struct expr *e)
{
	if (e->kind == EX_UNARY)
		return e->op == OP_NOT;
	return e->kind == EX_BINARY && (is_compare(e->op) || e->op == OP_LAND || e->op == OP_LOR || e->op == OP_LXOR);
}

/* All arms of nested ?: set one register, so a long chain does not keep one for each. to: the type to which the
 * value will be narrowed, or NULL. Narrowing in each arm lets the optimiser see that the register is narrow. */
static void cond_into(struct clause_ctx *cx, const struct expr *e, vreg r, const struct type *to)
{
	struct ir *ir = cx->ir;
	uint32_t no, end;
	size_t mark;
	vreg v;

	assert(e);
	if (e->kind != EX_COND || e->b == e->c) {
		v = lower_int(cx, e);
		ir_set(ir, r, to ? convert_int(cx, v, e->type, to) : v);
		return;
	}
	no = ir_newlabel(ir);
	end = ir_newlabel(ir);
	mark = cond_jump(cx, e->a, no);
	cond_into(cx, e->b, r, to);
	ir_jmp(ir, end);
	memo_release(cx->pg, mark);
	ir_label(ir, no);
	cond_into(cx, e->c, r, to);
	ir_label(ir, end);
	memo_release(cx->pg, mark);
}

/* A copy of the structure that is chosen. */
static struct val cond_block(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir), size = e->type->size;
	struct val to = { .k = V_MEM, .type = e->type, .ptr = PTR_OURS, .mut = true };
	size_t mark;
	int32_t off = scratch_alloc(cx->pg, size);

	mark = cond_jump(cx, e->a, no);
	to.r = scratch_ptr(cx, off);
	place_copy(cx, to, lower_expr(cx, e->b), size);
	ir_jmp(ir, end);
	memo_release(cx->pg, mark);
	ir_label(ir, no);
	to.r = scratch_ptr(cx, off);
	place_copy(cx, to, lower_expr(cx, e->c), size);
	ir_label(ir, end);
	memo_release(cx->pg, mark);
	to.r = scratch_ptr(cx, off);
	return to;
}

/* A single branch keeps what is known of its value, such as that the verifier sees a pointer; in a script its type must
 * be that of both. */
const struct expr *decided_branch(struct clause_ctx *cx, const struct expr *e)
{
	struct val v;
	int64_t c;

	if (e->a->kind != EX_MEMBER || (!in_library(e) && !type_same(e->b->type, e->c->type)))
		return NULL;
	v = lower_expr(cx, e->a);
	return v.k != V_INT || !ir_constant(cx->ir, v.r, &c) ? NULL : c ? e->b : e->c;
}

/* The value of ?: with a decided condition: the chosen arm alone. */
static struct val arm(struct clause_ctx *cx, const struct expr *e, const struct type *to)
{
	return e->kind == EX_COND ? lower_cond(cx, e, to) : lower_expr(cx, e);
}

/* A condition that the checker or the site has decided makes code for the chosen arm only. */
struct val lower_cond(struct clause_ctx *cx, const struct expr *e, const struct type *to)
{
	const struct expr *only;
	vreg r;

	if (e->b == e->c) /* decided by the checker */
		return arm(cx, e->b, to);
	if (type_is_string(e->type))
		return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(cx, e) };
	if (type_is_block(e->type))
		return cond_block(cx, e);
	only = decided_branch(cx, e);
	if (only)
		return arm(cx, only, to);
	r = ir_var(cx->ir);
	cond_into(cx, e, r, to);
	return int_val(blur(cx, r), e->type);
}
