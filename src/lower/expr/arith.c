/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arith: arithmetic on integers and pointers.
 * Input: expressions with arithmetic operators. Output: a 64-bit register.
 * Invariant: an operator works on all 64 bits. The type only decides whether division, right shift and comparison
 * are signed. A value is narrowed by a cast (convert_int), by a store into memory of a C type, and by its size in a
 * record. */
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"

/* An index in bytes. */
vreg scale_index(struct clause_ctx *cx, vreg v, uint32_t size)
{
	return size == 1 ? v : ir_alui(cx->ir, ALU_MUL, v, (int32_t)size);
}

bool is_bool(const struct type *t)
{
	return t->kind == T_INT && !strcmp(t->name, "_Bool");
}

static vreg not_zero(struct clause_ctx *cx, vreg v)
{
	vreg r = ir_var(cx->ir);
	uint32_t end = ir_newlabel(cx->ir);

	ir_seti(cx->ir, r, 0);
	ir_jcci(cx->ir, CC_EQ, v, 0, end);
	ir_seti(cx->ir, r, 1);
	ir_label(cx->ir, end);
	return blur(cx, r);
}

vreg convert_int(struct clause_ctx *cx, vreg v, const struct type *from, const struct type *to)
{
	const struct ir_insn *last = &cx->ir->code.v[cx->ir->code.n - 1]; /* v is made: there is one */

	if (is_bool(to) && (!from || !is_bool(from)))
		return not_zero(cx, v);
	if (to->size >= 8 || to->kind == T_PTR || !to->size)
		return v;
	if (last->op == IR_IMM && last->d == v) /* keep constants visible: see decided_branch() */
		return ir_imm(cx->ir, types_wrap(to, last->imm));
	return ir_ext(cx->ir, v, to->size, to->is_signed);
}

vreg keep_int(struct clause_ctx *cx, vreg v, const struct type *from, const struct type *to)
{
	return is_bool(to) ? convert_int(cx, v, from, to) : v;
}

vreg blur_always(struct clause_ctx *cx, vreg v)
{
	/* Load it again each time: a test of one shared result would show the verifier its value. */
	vreg zero = ir_ld(cx->ir, ir_mapval(cx->ir, map_for(cx->lw, MAP_ZERO), 0), 0, 8, false, false);

	return ir_alu(cx->ir, ALU_XOR, v, zero);
}

/* Adds an unknown zero to v. Where paths meet with different constants, the verifier follows each of them, so the
 * paths of a long program would multiply. With an unknown value it merges them. */
vreg blur(struct clause_ctx *cx, vreg v)
{
	return cx->pg->blurs ? blur_always(cx, v) : v;
}

/* The value as a number: that of a string is the address of its characters. raw: what the verifier knows of a
 * pointer is kept. */
static vreg number(struct clause_ctx *cx, const struct expr *e, bool raw)
{
	struct val v;

	if (e->type && e->type->kind == T_STRING)
		return text_address(cx, e);
	v = lower_load(cx, lower_expr(cx, e), e);
	if (v.k == V_INT)
		return raw ? v.r : plain_number(cx, v);
	if (v.k == V_MEM)
		return lower_addr_value(cx, v);
	if (v.k == V_XL || v.k == V_SITE) /* as a number: not NULL where the probe has it */
		return ir_imm(cx->ir, 1);
	return ir_imm(cx->ir, 0);
}

vreg lower_int(struct clause_ctx *cx, const struct expr *e)
{
	return number(cx, e, false);
}

vreg lower_word(struct clause_ctx *cx, const struct expr *e)
{
	return number(cx, e, true);
}

/* x when sign is 0, -x when it is -1. */
static vreg apply_sign(struct ir *ir, vreg x, vreg sign)
{
	return ir_alu(ir, ALU_SUB, ir_alu(ir, ALU_XOR, x, sign), sign);
}

/* Signed division and remainder, made of unsigned ones: the signed instructions need Linux 6.6. There are no
 * branches, since each would double the paths that the verifier walks. */
static vreg divide_signed(struct clause_ctx *cx, vreg a, vreg b, bool mod)
{
	struct ir *ir = cx->ir;
	vreg sa = ir_alui(ir, ALU_SAR, a, 63), sb = ir_alui(ir, ALU_SAR, b, 63);
	vreg x = apply_sign(ir, a, sa), y = apply_sign(ir, b, sb);
	vreg q = ir_alu(ir, mod ? ALU_MOD : ALU_DIV, x, y);

	return apply_sign(ir, q, mod ? sa : ir_alu(ir, ALU_XOR, sa, sb));
}

static vreg divide(struct clause_ctx *cx, const struct expr *rhs, vreg a, vreg b, const struct type *t, bool mod)
{
	struct ir *ir = cx->ir;
	int64_t c;

	if (!const_eval(cx->lw->ts, cx->lw->d, rhs, &c) || !c)
		fault_unless(cx, CC_NE, b, 0, DW_FAULT_DIVZERO, 0);
	if (!t->is_signed)
		return ir_alu(ir, mod ? ALU_MOD : ALU_DIV, a, b);
	return divide_signed(cx, a, b, mod);
}

vreg arith(struct clause_ctx *cx, enum expr_op op, const struct expr *rhs, vreg a, vreg b, const struct type *t)
{
	struct ir *ir = cx->ir;

	switch ((int)op) {
	case OP_ADD:
		return ir_alu(ir, ALU_ADD, a, b);
	case OP_SUB:
		return ir_alu(ir, ALU_SUB, a, b);
	case OP_MUL:
		return ir_alu(ir, ALU_MUL, a, b);
	case OP_SHL:
		return ir_alu(ir, ALU_SHL, a, ir_alui(ir, ALU_AND, b, 63));
	case OP_DIV:
	case OP_MOD:
		return divide(cx, rhs, a, b, t, op == OP_MOD);
	case OP_SHR:
		return ir_alu(ir, t->is_signed ? ALU_SAR : ALU_SHR, a, ir_alui(ir, ALU_AND, b, 63));
	case OP_AND:
		return ir_alu(ir, ALU_AND, a, b);
	case OP_OR:
		return ir_alu(ir, ALU_OR, a, b);
	default:
		return ir_alu(ir, ALU_XOR, a, b);
	}
}

static bool is_address(const struct type *t)
{
	return t->kind == T_PTR || t->kind == T_ARRAY;
}

uint32_t pointee_size(const struct type *t)
{
	return is_address(t) && t->of->size ? t->of->size : 1;
}

static vreg pointer_arith(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	const struct type *ta = e->a->type, *tb = e->b->type;
	vreg a = lower_int(cx, e->a), b = lower_int(cx, e->b);

	if (is_address(ta) && is_address(tb))
		return divide_signed(cx, ir_alu(ir, ALU_SUB, a, b), ir_imm(ir, (int64_t)pointee_size(ta)), false);
	if (is_address(ta))
		b = scale_index(cx, b, pointee_size(ta));
	else
		a = scale_index(cx, a, pointee_size(tb));
	return ir_alu(ir, e->op == OP_SUB ? ALU_SUB : ALU_ADD, a, b);
}

/* Should the right operand be computed first? Yes if it is deeper and the order has no visible effect: then a + (b +
 * (c + ...)) keeps one value at a time instead of all. */
bool right_first(const struct expr *e)
{
	return e->b->depth > e->a->depth + 8 && !expr_has_effects(e);
}

struct val lower_binary(struct clause_ctx *cx, const struct expr *e)
{
	vreg a, b;

	if (is_logic(e))
		return int_val(truth_value(cx, e), e->type);
	if (is_address(e->a->type) || is_address(e->b->type))
		return int_val(pointer_arith(cx, e), e->type);
	if (right_first(e)) {
		b = lower_int(cx, e->b);
		a = lower_int(cx, e->a);
	} else {
		a = lower_int(cx, e->a);
		b = lower_int(cx, e->b);
	}
	return int_val(arith(cx, e->op, e->b, a, b, e->type), e->type);
}

struct val lower_incdec(struct clause_ctx *cx, const struct expr *e)
{
	bool inc = e->op == OP_PREINC || e->op == OP_POSTINC, post = e->op == OP_POSTINC || e->op == OP_POSTDEC;
	int32_t step = (int32_t)pointee_size(e->type);
	struct val old, new;
	vreg r;

	if (!is_plain_var(e->a))
		return place_step(cx, e);
	old = lower_load(cx, lower_expr(cx, e->a), e->a);
	r = ir_alui(cx->ir, ALU_ADD, old.r, inc ? step : -step);
	new = int_val(keep_int(cx, r, NULL, e->type), e->type);
	var_write(cx, e->a, new);
	return post ? int_val(old.r, e->type) : new;
}
