/* SPDX-License-Identifier: GPL-2.0-or-later */
/* str_cmp: comparisons of strings.
 * Input: two strings of any form. Output: a jump.
 * Invariant: addresses and literals are compared in registers. Only order (< <= > >=) and text of unknown length
 * need characters. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/program.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

#define INLINE_COMPARE 64 /* bytes of a literal; longer ones are compared by the library */

/* Less than, equal to or greater than 0, as strcmp() has it. size: bytes that are compared at most. */
static vreg text_compare(struct clause_ctx *cx, struct sval a, struct sval b, uint32_t size)
{
	vreg pa = str_text(cx, &a), pb = str_text(cx, &b), r;

	r = ir_lib(cx->ir, LIB_str_cmp, (vreg[]){ pa, pb, ir_imm(cx->ir, size) }, 3);
	return ir_ext(cx->ir, r, 4, true);
}

/* Compares text with a literal of len bytes, word by word. */
static void lit_differ_jump(struct clause_ctx *cx, vreg mem, const char *text, uint32_t len, uint32_t differ)
{
	struct ir *ir = cx->ir;

	for (uint32_t i = 0; i <= len; i += 8) {
		uint32_t n = len + 1 - i < 8 ? len + 1 - i : 8;
		vreg w = ir_ld(ir, mem, (int32_t)i, 8, false, false);
		int64_t want = 0;

		memcpy(&want, text + i, n);
		if (n < 8)
			w = ir_alui(ir, ALU_SHL, w, 64 - 8 * (int32_t)n);
		want = (int64_t)((uint64_t)want << (64 - 8 * n));
		if (want == (int32_t)want)
			ir_jcci(ir, CC_NE, w, (int32_t)want, differ);
		else
			ir_jcc(ir, CC_NE, w, ir_imm(ir, want), differ);
	}
}

/* Text against text. A short literal is compared inline. */
static void text_differ_jump(struct clause_ctx *cx, struct sval a, struct sval b, uint32_t differ)
{
	const struct lit *l;
	uint32_t size;

	if (a.lit >= 0) {
		struct sval t = a;

		a = b;
		b = t;
	}
	l = b.lit >= 0 ? &cx->lw->im->lits.v[b.lit] : NULL;
	if (l && l->len <= INLINE_COMPARE) {
		if (l->len >= form_chars(a.form))
			ir_jmp(cx->ir, differ);
		else
			lit_differ_jump(cx, str_text(cx, &a), l->s, (uint32_t)l->len, differ);
		return;
	}
	size = form_chars(a.form) < form_chars(b.form) ? form_chars(a.form) : form_chars(b.form);
	ir_jcci(cx->ir, CC_NE, text_compare(cx, a, b, size), 0, differ);
}

/* Jumps to differ when the strings are not equal; falls through when they are. */
static void differ_jump(struct clause_ctx *cx, struct sval a, struct sval b, uint32_t differ)
{
	struct ir *ir = cx->ir;

	if (a.rep == REP_TEXT) {
		text_differ_jump(cx, a, b, differ);
		return;
	}
	if (a.rep == REP_TSTR)
		ir_jcc(ir, CC_NE, a.tag, b.tag, differ);
	for (unsigned i = 0; i < a.n; i++)
		ir_jcc(ir, CC_NE, a.w[i], b.w[i], differ);
}

/* Jumps to label if the comparison by order is `when`. */
static void order_jump(
	struct clause_ctx *cx, const struct expr *e, struct sval a, struct sval b, uint32_t label, bool when)
{
	uint32_t size = form_chars(a.form) < form_chars(b.form) ? form_chars(a.form) : form_chars(b.form);
	vreg r = text_compare(cx, a, b, size);
	enum ir_cc cc;

	switch ((int)e->op) {
	case OP_LT:
		cc = when ? CC_SLT : CC_SGE;
		break;
	case OP_LE:
		cc = when ? CC_SLE : CC_SGT;
		break;
	case OP_GT:
		cc = when ? CC_SGT : CC_SLE;
		break;
	default:
		cc = when ? CC_SGE : CC_SLT;
		break;
	}
	ir_jcci(cx->ir, cc, r, 0, label);
}

/* A literal that is compared with a zone's name becomes the number of the namespace that has this name now. */
static struct sval literal_zone(struct clause_ctx *cx, const struct expr *zone, const struct expr *lit, struct sval s)
{
	struct sval z = s;
	uint32_t number;

	if (lit->kind != EX_STR || (expr_form(cx->lw->ck, zone) & FORM_ZONE) == 0 || !strcmp(lit->str, "global") ||
		!lit->slen || !cx->lw->env->netns)
		return s;
	z.tag = ir_imm(cx->ir, DW_STR_ZONE);
	z.w = ARENA_ARRAY(cx->lw->arena, vreg, z.n);
	number = cx->lw->env->netns(cx->lw->env->ctx, lit->str);
	z.w[0] = ir_imm(cx->ir, number ? number : UINT32_MAX); /* 0 is what a packet without a namespace has */
	z.w[1] = ir_imm(cx->ir, 0);
	return z;
}

/* Is the name of a container compared with text? False: neither is such a name, or the text is "", which the name has
 * where there is no container. */
static bool is_box(struct clause_ctx *cx, const struct expr *box, const struct expr *lit)
{
	return (expr_form(cx->lw->ck, box) & FORM_BOX) && !(lit->kind == EX_STR && !lit->slen);
}

/* Compares the name of a container with a literal: the runtime keeps a map of the containers whose name is a literal of
 * the script. */
static void box_jump(
	struct clause_ctx *cx, const struct expr *box, const struct expr *lit, uint32_t label, bool when_equal)
{
	struct ir *ir = cx->ir;
	struct sval s = lower_str_as(cx, box, expr_form(cx->lw->ck, box) | FORM_BOX);
	vreg number = ir_var(ir), key = ir_stack(ir, ir_stack_alloc(ir, sizeof(struct dw_tstr))), found;
	uint32_t known = ir_newlabel(ir), none = ir_newlabel(ir);

	if (lit->kind != EX_STR) {
		lower_error(cx->lw, lit->loc, D_OP_INCOMPAT,
			"the name of a container is known when it is printed, not in the kernel: it can be compared "
			"with a string constant only");
		return;
	}
	ir_set(ir, number, s.w[0]); /* of a literal, where the value may be one */
	ir_jcci(ir, CC_EQ, s.tag, DW_STR_LIT, known);
	ir_seti(ir, number, 0);
	str_store(cx, s, key, 0);
	found = ir_call(
		ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_BOXES)), key }, 2, false);
	ir_jcci(ir, CC_EQ, found, 0, none);
	ir_set(ir, number, ir_ld(ir, found, 0, 8, false, false));
	ir_label(ir, none);
	ir_label(ir, known);
	ir_jcci(ir, when_equal ? CC_EQ : CC_NE, number, lit_number(cx->lw, lit->str, lit->slen), label);
}

/* Jumps to label if the comparison is `when`; falls through otherwise. */
void str_jump(struct clause_ctx *cx, const struct expr *e, uint32_t label, bool when)
{
	int form = form_join(expr_form(cx->lw->ck, e->a), expr_form(cx->lw->ck, e->b));
	bool order = e->op != OP_EQ && e->op != OP_NE;
	int32_t mark = ir_stack_mark(cx->ir), held = scratch_mark(cx->pg);
	struct sval a, b;

	if (!order && (is_box(cx, e->a, e->b) || is_box(cx, e->b, e->a))) {
		bool first = is_box(cx, e->a, e->b);

		box_jump(cx, first ? e->a : e->b, first ? e->b : e->a, label, (e->op == OP_EQ) == when);
		ir_stack_release(cx->ir, mark);
		return;
	}
	if (order)
		form |= FORM_CHARS | FORM_TEXT;
	a = lower_str_as(cx, e->a, form);
	b = lower_str_as(cx, e->b, form);
	if (!order && a.rep == REP_TSTR) {
		a = literal_zone(cx, e->b, e->a, a);
		b = literal_zone(cx, e->a, e->b, b);
	}
	if (order) {
		order_jump(cx, e, a, b, label, when);
	} else if ((e->op == OP_NE) == when) {
		differ_jump(cx, a, b, label);
	} else {
		uint32_t differ = ir_newlabel(cx->ir);

		differ_jump(cx, a, b, differ);
		ir_jmp(cx->ir, label);
		ir_label(cx->ir, differ);
	}
	ir_stack_release(cx->ir, mark);
	scratch_release(cx->pg, held);
}

/* A string is true when it is not empty. */
void str_truth_jump(struct clause_ctx *cx, struct sval s, uint32_t label, bool when)
{
	vreg r;

	if (s.rep == REP_TEXT)
		r = ir_ld(cx->ir, str_text(cx, &s), 0, 1, false, false);
	else if (s.rep == REP_CHARS)
		r = ir_ext(cx->ir, s.w[0], 1, false);
	else
		r = s.rep == REP_TSTR ? s.tag : s.w[0];
	ir_jcci(cx->ir, when ? CC_NE : CC_EQ, r, 0, label);
}
