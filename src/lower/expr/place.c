/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place: structures, unions and arrays in variables.
 * Input: assignments and increments of members, elements and whole variables. Output: stores into dwire's own
 * memory.
 * Invariant: an index that is not constant is compared with the array's length before it is used. */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

#define COPY_WORDS 8 /* longer ones are copied by the helper */

/* A variable that is one integer, pointer or string. */
bool is_plain_var(const struct expr *e)
{
	return (e->kind == EX_IDENT || e->kind == EX_INDEX) && e->sym && !type_is_block(e->sym->type);
}

struct val place_element(struct clause_ctx *cx, struct val base, const struct type *array, vreg index)
{
	struct ir *ir = cx->ir;

	fault_unless(cx, CC_ULT, index, (int32_t)array->nelems, DW_FAULT_BADADDR, index);
	base.r = ir_alu(ir, ALU_ADD, base.r, scale_index(cx, index, array->of->size));
	return base;
}

/* Is e reached through a pointer: *p, p[i], p->m? */
static bool through_pointer(const struct expr *e)
{
	return (e->kind == EX_UNARY && e->op == OP_DEREF) || (e->kind == EX_MEMBER && e->arrow) ||
		(e->kind == EX_INDEX && !e->sym && e->a->type->kind == T_PTR);
}

/* The place behind a pointer. It is checked at run time: only the script's own memory is written. */
static struct val pointed_place(struct clause_ctx *cx, const struct expr *e)
{
	vreg p = lower_int(cx, e->a);
	struct val v;

	if (e->kind == EX_INDEX)
		p = ir_alu(cx->ir, ALU_ADD, p, scale_index(cx, lower_int(cx, e->args.v[0]), e->type->size));
	v = heap_at(cx, p, e->kind == EX_MEMBER ? e->a->type->of : e->type);
	if (e->kind == EX_MEMBER) {
		v.off = (uint32_t)e->ival / 8;
		v.bits = e->isuffix;
		v.bit = v.bits ? (uint32_t)e->ival % 8 : 0;
	}
	return v;
}

/* s[i] of a string variable. The last byte of its room stays a NUL. */
static struct val text_place(struct clause_ctx *cx, const struct expr *e)
{
	struct val v = { .k = V_MEM, .ptr = PTR_OURS, .mut = true };
	vreg index = lower_int(cx, e->args.v[0]);

	fault_unless(cx, CC_ULT, index, (int32_t)form_chars(e->a->a->sym->form) - 1, DW_FAULT_BADADDR, index);
	v.r = ir_alu(cx->ir, ALU_ADD, var_text(cx, e->a->a), index);
	return v;
}

#define FAR 16384u

/* An instruction's offset reaches 32 KiB. A place farther away gets its own base register. */
void place_near(struct clause_ctx *cx, struct val *v)
{
	uint32_t whole = v->off & ~7u;

	if (v->k != V_MEM || v->off < FAR)
		return;
	v->r = ir_alui(cx->ir, ALU_ADD, v->r, (int32_t)whole);
	v->off -= whole;
}

/* The place of e, created if it does not exist yet. */
static struct val place_of(struct clause_ctx *cx, const struct expr *e)
{
	struct val v;
	int64_t i;

	if (is_text_element(e)) {
		v = text_place(cx, e);
	} else if (through_pointer(e)) {
		v = pointed_place(cx, e);
	} else if (e->kind == EX_MEMBER) {
		v = place_of(cx, e->a);
		v.off += (uint32_t)e->ival / 8;
		v.bits = e->isuffix;
		v.bit = v.bits ? (uint32_t)e->ival % 8 : 0;
	} else if (e->kind == EX_INDEX && !e->sym) {
		v = place_of(cx, e->a);
		if (const_eval(cx->lw->ts, cx->lw->d, e->args.v[0], &i) && i >= 0 && i < e->a->type->nelems)
			v.off += (uint32_t)i * e->a->type->of->size;
		else
			v = place_element(cx, v, e->a->type, lower_int(cx, e->args.v[0]));
	} else {
		v = var_block(cx, e, true);
	}
	v.type = v.bits ? e->member->type : e->type;
	place_near(cx, &v);
	return v;
}

/* Writes a bit-field: reads its unit, replaces the bits and writes it back. */
static void store_bits(struct clause_ctx *cx, const struct val *at, vreg v)
{
	struct ir *ir = cx->ir;
	struct bit_unit u = bit_unit(at);
	uint64_t mask = (at->bits == 64 ? ~0ull : (1ull << at->bits) - 1) << u.bit;
	vreg old = ir_ld(ir, at->r, (int32_t)u.off, u.size, false, false);

	v = ir_alui(ir, ALU_SHL, v, (int32_t)u.bit);
	v = ir_alu(ir, ALU_AND, v, ir_imm(ir, (int64_t)mask));
	old = ir_alu(ir, ALU_AND, old, ir_imm(ir, (int64_t)~mask));
	ir_st(ir, at->r, (int32_t)u.off, u.size, ir_alu(ir, ALU_OR, old, v));
}

/* Stores v and returns the place's new value. */
struct val place_store(struct clause_ctx *cx, struct val at, vreg v)
{
	if (!at.bits) {
		ir_st(cx->ir, at.r, (int32_t)at.off, at.type->size, v);
		return int_val(v, at.type);
	}
	store_bits(cx, &at, v);
	return lower_load(cx, at, NULL);
}

/* The address of the place. */
static vreg place_address(struct clause_ctx *cx, const struct val *v)
{
	return v->off ? ir_alui(cx->ir, ALU_ADD, v->r, (int32_t)v->off) : v->r;
}

/* Can it be copied in registers? */
static bool by_words(struct val to, struct val from, uint32_t size)
{
	return size <= COPY_WORDS * 8 && size % 8 == 0 && from.ptr == PTR_OURS && to.off % 8 == 0 && from.off % 8 == 0;
}

/* Copies size bytes, by words or with the helper, which handles bad addresses. */
void place_copy(struct clause_ctx *cx, struct val to, struct val from, uint32_t size)
{
	struct ir *ir = cx->ir;
	vreg w[COPY_WORDS], src, r;

	if (by_words(to, from, size)) {
		for (uint32_t i = 0; i < size / 8; i++)
			w[i] = ir_ld(ir, from.r, (int32_t)(from.off + i * 8), 8, false, false);
		for (uint32_t i = 0; i < size / 8; i++)
			ir_st(ir, to.r, (int32_t)(to.off + i * 8), 8, w[i]);
		return;
	}
	src = from.ptr == PTR_OURS ? place_address(cx, &from) : lower_addr_value(cx, from);
	r = ir_call(
		ir, BPF_FUNC_probe_read_kernel, (vreg[]){ place_address(cx, &to), ir_imm(ir, size), src }, 3, false);
	fault_unless(cx, CC_EQ, r, 0, DW_FAULT_BADADDR, from.ptr == PTR_OURS ? 0 : src);
}

/* The address of the string's characters, 0 for a NULL string. Each use in the program has its own buffer, valid
 * until the same use runs again. */
vreg text_address(struct clause_ctx *cx, const struct expr *e)
{
	struct sval s = lower_str_as(cx, e, form_join(expr_form(cx->lw->ck, e), FORM_CHARS | FORM_TEXT));
	struct val at = { .k = V_MEM, .type = cx->lw->ts->string, .ptr = PTR_OURS };
	struct ir *ir = cx->ir;
	uint32_t end = ir_newlabel(ir);
	vreg address = ir_var(ir);

	ir_seti(ir, address, 0);
	if (s.null)
		ir_jcci(ir, CC_NE, s.null, 0, end);
	at.r = global_room(cx, form_size(s.form));
	str_store(cx, s, at.r, 0);
	ir_set(ir, address, lower_addr_value(cx, at));
	ir_label(ir, end);
	return address;
}

/* Assigns a structure or array as a whole. */
static struct val assign_block(struct clause_ctx *cx, const struct expr *e)
{
	struct val from, to;

	if (!type_is_block(e->b->type)) { /* x[k] = 0 */
		var_release(cx, e->a);
		return int_val(ir_imm(cx->ir, 0), e->a->type);
	}
	from = lower_expr(cx, e->b);
	to = place_of(cx, e->a);
	if (from.k == V_MEM)
		place_copy(cx, to, from, e->a->type->size);
	else if (from.k == V_XL)
		place_translate(cx, to, from);
	return to;
}

/* Assigns to a string within a structure. */
static struct val assign_string(struct clause_ctx *cx, const struct expr *e)
{
	int form = expr_form(cx->lw->ck, e->a);
	struct val v = { .k = V_STR, .type = e->a->type }, to;

	v.s = lower_str_as(cx, e->b, form ? form : FORM_LIT);
	to = place_of(cx, e->a);
	str_store(cx, v.s, to.r, (int32_t)to.off);
	return v;
}

/* An assignment to a place, also += and the like. */
struct val place_assign(struct clause_ctx *cx, const struct expr *e)
{
	struct type *t = e->a->type, *ut;
	struct val to;
	vreg a, b;

	if (type_is_block(t))
		return assign_block(cx, e);
	if (t->kind == T_STRING)
		return assign_string(cx, e);
	if (e->op == OP_ASSIGN) {
		b = convert_int(cx, lower_int(cx, e->b), e->b->type, t);
		return place_store(cx, place_of(cx, e->a), b);
	}
	ut = t->kind == T_PTR ? t : type_usual(cx->lw->ts, t, e->b->type);
	to = place_of(cx, e->a);
	a = lower_load(cx, to, e->a).r;
	b = lower_int(cx, e->b);
	if (t->kind == T_PTR)
		b = scale_index(cx, b, pointee_size(t));
	return place_store(cx, to, convert_int(cx, arith(cx, e->op, e->b, a, b, ut), ut, t));
}

/* ++ and -- of a place. */
struct val place_step(struct clause_ctx *cx, const struct expr *e)
{
	bool inc = e->op == OP_PREINC || e->op == OP_POSTINC, post = e->op == OP_POSTINC || e->op == OP_POSTDEC;
	int32_t step = (int32_t)pointee_size(e->type);
	struct val to = place_of(cx, e->a), old = lower_load(cx, to, e->a), new;
	vreg r = ir_alui(cx->ir, ALU_ADD, old.r, inc ? step : -step);

	if (e->type->size < 8)
		r = ir_ext(cx->ir, r, e->type->size, e->type->is_signed);
	new = place_store(cx, to, r);
	return post ? old : new;
}

/* Adds atomically. False: the place may be unaligned, which atomic operations refuse. */
bool place_add(struct clause_ctx *cx, const struct expr *lhs, vreg delta)
{
	const struct expr *e = lhs;
	struct val to;

	while (e->kind == EX_MEMBER && !e->arrow)
		e = e->a;
	if (through_pointer(e)) /* of any alignment */
		return false;
	to = place_of(cx, lhs);
	ir_xadd(cx->ir, to.r, (int32_t)to.off, lhs->type->size, delta);
	return true;
}
