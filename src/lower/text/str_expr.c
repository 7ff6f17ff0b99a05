/* SPDX-License-Identifier: GPL-2.0-or-later */
/* str_expr: expressions of type string: addresses, names of zones, ?:, results of subroutines.
 * Input: an expression. Output: a string in the form that the checker chose for it.
 * Invariant: an address stays 4 or 16 bytes; the consumer prints it. */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/site/site.h"
#include "lower/text/text.h"

/* __ip4(word): 4 bytes in network order. */
static struct sval ip4_str(struct clause_ctx *cx, const struct expr *e)
{
	struct sval s = new_str(cx->lw, REP_TSTR, 2);

	s.form = FORM_ADDR;
	s.tag = ir_imm(cx->ir, DW_STR_IP4);
	s.w[0] = ir_ext(cx->ir, lower_int(cx, e->args.v[0]), 4, false);
	s.w[1] = ir_imm(cx->ir, 0);
	return s;
}

/* The word at an offset from the pointer. */
static vreg word_at(struct clause_ctx *cx, struct val p, uint32_t off)
{
	p.k = V_MEM;
	p.type = cx->lw->ts->uint64;
	p.off += off;
	p.bits = 0;
	p.mut |= cx->pg->heap; /* it may be memory of the clause */
	return lower_load(cx, p, NULL).r;
}

/* 16 bytes at a pointer, or two words. ::ffff:a.b.c.d becomes the IPv4 address, which is what the packets carry. */
static struct sval ip6_str(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = tstr_vars(cx, FORM_ADDR);
	uint32_t end = ir_newlabel(ir);
	struct val p;
	vreg lo, hi;

	if (e->args.n == 2) {
		lo = lower_int(cx, e->args.v[0]);
		hi = lower_int(cx, e->args.v[1]);
	} else {
		p = lower_expr(cx,
			e->args.v[0]->kind == EX_UNARY && e->args.v[0]->op == OP_ADDR ? e->args.v[0]->a : e->args.v[0]);
		if (p.k != V_MEM)
			p.off = 0;
		lo = word_at(cx, p, 0);
		hi = word_at(cx, p, 8);
	}
	ir_seti(ir, s.tag, DW_STR_IP6);
	ir_set(ir, s.w[0], lo);
	ir_set(ir, s.w[1], hi);
	ir_jcci(ir, CC_NE, lo, 0, end);
	ir_jcc(ir, CC_NE, ir_ext(ir, hi, 4, false), ir_imm(ir, 0xffff0000), end); /* bytes 00 00 ff ff */
	ir_seti(ir, s.tag, DW_STR_IP4);
	ir_set(ir, s.w[0], ir_alui(ir, ALU_SHR, hi, 32));
	ir_seti(ir, s.w[1], 0);
	ir_label(ir, end);
	return s;
}

/* The name of a namespace is kept as its number. The machine's first one is the literal "global", so that it equals
 * that text. */
struct sval str_of_zone(struct clause_ctx *cx, vreg netns)
{
	struct ir *ir = cx->ir;
	struct sval s = tstr_vars(cx, FORM_ZONE);
	uint32_t end = ir_newlabel(ir);

	ir_seti(ir, s.tag, DW_STR_LIT);
	ir_seti(ir, s.w[0], lit_number(cx->lw, "global", 6));
	ir_seti(ir, s.w[1], 0);
	ir_jcc(ir, CC_EQ, netns, ir_imm(ir, cx->lw->env->first_netns), end);
	ir_seti(ir, s.tag, DW_STR_ZONE);
	ir_set(ir, s.w[0], netns);
	ir_label(ir, end);
	return s;
}

/* A string that the consumer makes when it prints it, from the tag alone. */
static struct sval tag_str(struct clause_ctx *cx, enum dw_str_tag tag)
{
	struct sval s = new_str(cx->lw, REP_TSTR, 2);

	s.form = FORM_ZONE;
	s.tag = ir_imm(cx->ir, tag);
	s.w[0] = s.w[1] = ir_imm(cx->ir, 0);
	return s;
}

/* Argument 0 is in the lower 32 bits, argument 1 in the upper ones. The consumer looks the speed up. */
static struct sval speed_str(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = new_str(cx->lw, REP_TSTR, 2);
	vreg device = ir_ext(ir, lower_int(cx, e->args.v[0]), 4, false);

	s.form = FORM_ZONE;
	s.tag = ir_imm(ir, DW_STR_SPEED);
	s.w[0] = ir_alu(ir, ALU_OR, device, ir_alui(ir, ALU_SHL, lower_int(cx, e->args.v[1]), 32));
	s.w[1] = ir_imm(ir, 0);
	return s;
}

/* __container(tag, address): argument 0 is the tag, a constant; the text at the address is cut to what the tag keeps.
 * At the address 0 there is none, and the string is "". */
static struct sval box_str(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = new_str(cx->lw, REP_TSTR, 2);
	int32_t mark = ir_stack_mark(ir);
	vreg at = lower_int(cx, e->args.v[1]), buf = ir_stack(ir, ir_stack_alloc(ir, 16)), any;

	s.form = FORM_BOX;
	ir_sti(ir, buf, 0, 8, 0);
	ir_sti(ir, buf, 8, 8, 0);
	ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ buf, ir_imm(ir, 16), at }, 3, false);
	s.w[0] = ir_ld(ir, buf, 0, 8, false, false);
	s.w[1] = ir_ld(ir, buf, 8, 8, false, false);
	/* 1 if there is a first character, by arithmetic: a branch would double the verifier's paths. */
	any = ir_alui(ir, ALU_SHR, ir_alui(ir, ALU_ADD, ir_alui(ir, ALU_AND, s.w[0], 0xff), 0xff), 8);
	s.tag = ir_alu(ir, ALU_MUL, any, lower_int(cx, e->args.v[0]));
	ir_stack_release(ir, mark);
	return s;
}

static void cond_str_into(struct clause_ctx *cx, const struct expr *e, struct sval s);

/* An arm of ?: in the registers of the whole expression. */
static void arm_str_into(struct clause_ctx *cx, const struct expr *e, struct sval s)
{
	int32_t mark = ir_stack_mark(cx->ir);

	if (e->kind == EX_COND && e->b != e->c)
		cond_str_into(cx, e, s);
	else
		str_set(cx, s, lower_str_as(cx, e, s.form));
	ir_stack_release(cx->ir, mark);
}

/* All arms of nested ?: set the same registers. */
static void cond_str_into(struct clause_ctx *cx, const struct expr *e, struct sval s)
{
	struct ir *ir = cx->ir;
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir);
	const struct expr *only = decided_branch(cx, e);
	size_t mark;

	if (only) {
		arm_str_into(cx, only, s);
		return;
	}
	mark = cond_jump(cx, e->a, no);
	arm_str_into(cx, e->b, s);
	ir_jmp(ir, end);
	memo_release(cx->pg, mark);
	ir_label(ir, no);
	arm_str_into(cx, e->c, s);
	ir_label(ir, end);
	memo_release(cx->pg, mark);
}

/* Conditions of a choice, whose arms may be choices too. */
static unsigned conditions(const struct expr *e)
{
	return e->kind == EX_COND ? 1 + conditions(e->b) + conditions(e->c) : 0;
}

/* Does the choice have so many arms that blur() is worth its cost wherever it is? Names of numbers are such choices. */
static bool has_many_arms(const struct expr *e)
{
	enum { MANY = 8 };

	return conditions(e) >= MANY;
}

/* The expression that each condition of the choice compares, as in the names of an enumeration; or NULL. */
static const struct expr *compared(const struct expr *e)
{
	const struct expr *of = e->a->kind == EX_BINARY ? e->a->a : NULL;
	bool same = of && (e->b->kind != EX_COND || compared(e->b) == of) &&
		(e->c->kind != EX_COND || compared(e->c) == of);

	return same ? of : NULL;
}

/* ?: with strings as arms. blur() keeps the verifier from following each arm to the end of the program. */
static struct sval cond_str(struct clause_ctx *cx, const struct expr *e, int form)
{
	vreg (*hide)(struct clause_ctx *, vreg) = has_many_arms(e) ? blur_always : blur;
	struct hidden outer = cx->pg->hidden;
	struct sval s;

	if (e->b == e->c)
		return lower_str_as(cx, e->b, form);
	if (hide == blur_always && form_rep(form) == REP_LIT && choice_str(cx, e, &s)) {
		s.form = form;
		return s;
	}
	/* else what the comparisons show of the number would multiply the paths, wherever it is used again */
	if (hide == blur_always && compared(e))
		cx->pg->hidden = (struct hidden){ compared(e), blur_always(cx, lower_word(cx, compared(e))) };
	s = str_vars(cx, form);
	cond_str_into(cx, e, s);
	cx->pg->hidden = outer;
	for (unsigned i = 0; i < s.n; i++)
		s.w[i] = hide(cx, s.w[i]);
	return s;
}

/* A string in the form in which it arises. */
struct sval lower_str(struct clause_ctx *cx, const struct expr *e)
{
	struct val v;
	int form;

	while ((e->kind == EX_CAST || e->kind == EX_STRINGOF) && type_is_string(e->a->type))
		e = e->a;
	if (e->kind == EX_COND && type_is_string(e->type))
		return cond_str(cx, e, expr_form(cx->lw->ck, e));
	if (e->kind == EX_CAST || e->kind == EX_STRINGOF)
		return str_at_address(cx, e->a);
	if (e->kind == EX_CALL && type_is_string(e->type)) {
		struct sval s;

		cx->ir->loc = e->loc;
		if (lower_text_call(cx, e, &s))
			return s;
		if (e->sym->func == FN_d_path || e->sym->func == FN___path)
			return path_str(cx, e);
		if (e->sym->func == FN___dnsname)
			return packet_dns_name(cx, e);
		if (e->sym->func == FN___psargs)
			return psargs_str(cx, e);
		if (e->sym->func == FN___zone)
			return str_of_zone(cx, ir_ext(cx->ir, lower_int(cx, e->args.v[0]), 4, false));
		if (e->sym->func == FN___container)
			return box_str(cx, e);
		if (e->sym->func == FN___loadavg)
			return tag_str(cx, DW_STR_LOAD);
		if (e->sym->func == FN___moved)
			return tag_str(cx, DW_STR_MOVED);
		if (e->sym->func == FN___linkspeed)
			return speed_str(cx, e);
		return e->sym->func == FN___ip4 ? ip4_str(cx, e) : ip6_str(cx, e);
	}
	v = lower_expr(cx, e);
	if (v.k == V_STR)
		return v.s;
	if (v.k == V_MEM && v.type->kind == T_ARRAY)
		return str_of_chars(cx, v);
	form = expr_form(cx->lw->ck, e);
	if (v.k == V_MEM && !v.mut && v.type->kind == T_STRING) /* *p, p[i] of a string * */
		return str_at(cx, lower_addr_value(cx, v));
	if (v.k == V_MEM && v.mut && form)
		return str_load(cx, form, v.r, (int32_t)v.off, false);
	return str_zero(cx, form ? form : FORM_LIT);
}

/* A string in the form that is wanted. */
struct sval lower_str_as(struct clause_ctx *cx, const struct expr *e, int form)
{
	while ((e->kind == EX_CAST || e->kind == EX_STRINGOF) && type_is_string(e->a->type))
		e = e->a;
	if (e->kind == EX_COND && type_is_string(e->type))
		return cond_str(cx, e, form);
	if (expr_is_null(cx->lw->ts, e))
		return str_null(cx, form);
	return str_convert(cx, lower_str(cx, e), form);
}
