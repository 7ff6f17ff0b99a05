/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xlate: translated structures.
 * Input: members of translated structures, and whole structures. Output: values.
 * Invariant: a member is made where it is named, and only once on paths that all have it (memos). A whole structure
 * is made by storing every member that its translator makes; the rest is zero. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

/* ---- memo -------------------------------------------------------------------------------------------------------- */
size_t memo_mark(const struct prog_ctx *pg)
{
	return pg->memos.n;
}

void memo_release(struct prog_ctx *pg, size_t mark)
{
	pg->memos.n = mark;
}

bool memo_get(struct prog_ctx *pg, const void *base, const void *xl, const char *name, struct val *out)
{
	for (size_t i = pg->memos.n; i-- > 0;) {
		const struct memo *m = &pg->memos.v[i];

		if (m->base == base && m->xl == xl && !strcmp(m->name, name)) {
			*out = m->val;
			return true;
		}
	}
	return false;
}

void memo_put(struct prog_ctx *pg, const void *base, const void *xl, const char *name, struct val v)
{
	struct memo *m;

	if (v.k == V_STR && v.s.rep == REP_TEXT) /* its memory is the statement's */
		return;
	m = vec_push(pg->lw->arena, &pg->memos);
	*m = (struct memo){ base, xl, name, v };
}

/* ---- members ----------------------------------------------------------------------------------------------------- */
/* v, of type from, as a member of type to. */
static struct val member_value(struct clause_ctx *cx, struct val v, const struct type *from, struct type *to)
{
	if (type_is_sou(to))
		return v;
	v = lower_load(cx, v, NULL);
	if (v.k == V_MEM) {
		v.r = lower_addr_value(cx, v);
		v.btf = 0;
		v.k = V_INT;
	}
	v.r = convert_int(cx, v.r, from, to);
	v.type = to;
	return v;
}

static struct val lower_xl_value(struct clause_ctx *cx, const struct expr *init, struct type *to)
{
	bool narrows = init->kind == EX_COND && type_is_int(to) && type_is_int(init->type);
	struct val v = narrows ? lower_cond(cx, init, to) : lower_expr(cx, init);

	if (type_is_string(to))
		return (struct val){ .k = V_STR, .type = to, .s = v.k == V_STR ? v.s : lower_str(cx, init) };
	return member_value(cx, v, init->type, to);
}

/* Members that every site with a socket provides, even if its structure does not name them. */
static bool of_socket(const char *name)
{
	return !strcmp(name, "owner") || !strcmp(name, "cookie") || !strcmp(name, "sockkey");
}

/* If a site's translator omits a member, it is what the site gives under the same name, if it has a socket, ... */
static bool given_member(
	struct clause_ctx *cx, const struct val *base, const char *name, struct type *to, struct val *out)
{
	struct type *st = base->bind->k == V_SITE ? types_tagged(cx->lw->ts, T_STRUCT, cx->pg->site->native) : NULL;
	uint32_t bit = 0;
	const struct type_member *m = st ? type_find_member(cx->lw->ts, st, name, &bit) : NULL;

	if (m)
		*out = member_value(cx, site_member(cx, base->bind, name, m->type), m->type, to);
	else if (st && of_socket(name) && site_has_member(cx->pg, "sk") && !check_xl_member(cx->lw->ck, base->xl, "sk"))
		*out = member_value(cx, site_member(cx, base->bind, name, to), to, to);
	else
		return false;
	if (!strcmp(name, "sk")) {
		if (out->ptr == PTR_NULL) { /* the verifier wants a test before each use */
			out->ptr = PTR_SURE_NULL;
		} else {
			out->r = ir_sure(cx->ir, out->r);
			if (out->ptr == PTR_PLAIN)
				out->ptr = PTR_SURE;
		}
	}
	return true;
}

/* ... or else the member made by the translator from the provider's raw structure, or from one that this extends, to
 * itself. Returns false if none defines it. */
static bool default_member(struct clause_ctx *cx, const struct val *base, const char *name, struct val *out)
{
	const struct type *raw = cx->prov->raw ? types_tagged(cx->lw->ts, T_STRUCT, cx->prov->raw) : NULL;

	if (base->xl != cx->pg->site_val.xl)
		return false;
	*out = (struct val){ .k = V_XL, .type = base->type, .bind = &cx->pg->site_val };
	for (; raw; raw = check_base(cx->lw->ck, raw)) {
		out->xl = check_xlator(cx->lw->ck, raw->name, raw);
		if (out->xl && check_xl_member(cx->lw->ck, out->xl, name))
			return true;
	}
	return false;
}

struct val xl_member(struct clause_ctx *cx, const struct val *base, const struct expr *at, const char *name)
{
	struct val other;
	struct expr *init = check_xl_member(cx->lw->ck, base->xl, name);
	struct type *to = at->type;
	struct val v = { .k = V_INT, .type = to };
	struct binding *b;
	struct loc loc = cx->ir->loc;

	if (memo_get(cx->pg, base->bind, base->xl, name, &v))
		return v;
	if (!init && given_member(cx, base, name, to, &v)) {
		memo_put(cx->pg, base->bind, base->xl, name, v);
		return v;
	}
	if (!init && default_member(cx, base, name, &other))
		return xl_member(cx, &other, at, name);
	if (!init) { /* the site lacks it: reading it is a fault, as through NULL */
		lower_fault(cx, DW_FAULT_BADADDR, 0);
		if (type_is_string(to))
			return (struct val){ .k = V_STR, .type = to, .s = str_zero(cx, FORM_LIT) };
		v.r = ir_imm(cx->ir, 0);
		return v;
	}
	b = vec_push(cx->lw->arena, &cx->pg->env_stack);
	b->param = xlator_param(cx->lw->ck, base->xl);
	b->val = *base->bind;
	v = lower_xl_value(cx, init, to);
	cx->pg->env_stack.n--;
	cx->ir->loc = loc;
	memo_put(cx->pg, base->bind, base->xl, name, v);
	return v;
}

/* ---- as a whole -------------------------------------------------------------------------------------------------- */
/* A string into an array of characters. */
static void store_chars(struct clause_ctx *cx, struct val at, struct sval s)
{
	struct ir *ir = cx->ir;
	struct sval text = str_convert(cx, s, FORM_TEXT | (int)at.type->nelems << FORM_SHIFT);
	vreg to = at.off ? ir_alui(ir, ALU_ADD, at.r, (int32_t)at.off) : at.r;

	ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ to, ir_imm(ir, at.type->nelems), str_text(cx, &text) }, 3,
		false);
}

static void store_member(struct clause_ctx *cx, struct val at, struct val v, const struct type_member *m)
{
	const struct type *t = m->type;

	if (v.k == V_XL) {
		place_translate(cx, at, v);
	} else if (v.k == V_STR && t->kind == T_ARRAY) {
		store_chars(cx, at, v.s);
	} else if (v.k == V_STR) {
		place_near(cx, &at);
		str_store(cx, str_convert(cx, v.s, m->form ? m->form : FORM_LIT), at.r, (int32_t)at.off);
	} else if (type_is_block(t)) {
		place_copy(cx, at, v, t->size);
	} else {
		place_near(cx, &at);
		(void)place_store(cx, at, plain_number(cx, v));
	}
}

void place_translate(struct clause_ctx *cx, struct val to, struct val from)
{
	struct type *st = from.type->kind == T_PTR ? from.type->of : from.type;

	for (size_t i = 0; i < from.xl->ninits; i++) {
		const char *name = from.xl->inits[i].name;
		uint32_t bit = 0;
		const struct type_member *m = type_find_member(cx->lw->ts, st, name, &bit);
		int32_t stack = ir_stack_mark(cx->ir), held = scratch_mark(cx->pg);
		struct val at = to;
		struct expr want;

		if (!m || !check_xl_member(cx->lw->ck, from.xl, name)) /* the site lacks it */
			continue;
		at.off += bit / 8;
		at.bits = m->bits;
		at.bit = m->bits ? bit % 8 : 0;
		at.type = m->type;
		want = (struct expr){ .kind = EX_MEMBER, .loc = from.xl->inits[i].loc, .type = m->type };
		store_member(cx, at, xl_member(cx, &from, &want, name), m);
		ir_stack_release(cx->ir, stack);
		scratch_release(cx->pg, held);
	}
}
