/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_member: members of structures and unions, translated ones too; sizeof and offsetof.
 * Input: such an expression. Output: its type, or NULL after an error.
 * Invariant: expr.ival is a member's offset in bits, expr.isuffix the width of a bit-field. */
#include <string.h>

#include "lang/check/check_priv.h"

/* Reports that a structure has no such member. DTrace's tag differs for offsetof(). Returns NULL. */
static struct type *no_member(struct checker *ck, struct expr *e, struct type *st)
{
	const char *near = type_nearest_member(ck->ts, st, e->name);

	return err(ck, e->loc, e->kind == EX_OFFSETOF ? D_UNKNOWN : D_TYPE_MEMBER,
		near ? arena_printf(ck->arena, "did you mean %s?", near) : args_member_hint(ck, e->name),
		"%s has no member %s", tname(ck, st), e->name);
}

/* e is a member of a translated st: finds and checks the expression that makes it. */
static bool check_translated(struct checker *ck, struct expr *e, struct type *st)
{
	const struct xlator *xl = e->a->xl->xl;

	for (size_t i = 0; i < ck->nsigs && !xl; i++)
		if (ck->sigs[i]->raw)
			xl = check_xlator(ck, ck->sigs[i]->raw, st);
	if (!xl)
		return err(ck, e->loc, D_XLATE_NONE, NULL, "no translator makes %s here", tname(ck, st)), false;
	e->extra = NULL;
	for (size_t i = 0; i < xl->ninits; i++)
		if (!strcmp(xl->inits[i].name, e->name)) {
			struct xl_member *xm = ARENA_NEW(ck->arena, struct xl_member);

			xm->xl = (struct xlator *)(uintptr_t)xl;
			xm->init = &xl->inits[i];
			e->extra = xm;
		}
	if (!e->extra && e->a->xl->in)
		return err(ck, e->loc, D_XLATE_NOCONV, NULL, "the translator of %s does not say what %s is",
			       tname(ck, st), e->name),
		       false;
	if (!check_xl_member(ck, xl, e->name))
		return err(ck, e->loc, D_XLATE_MEMB, NULL, "%s.%s cannot be had from this kernel", tname(ck, st),
			       e->name),
		       false;
	return true;
}

/* a.b and a->b. A member of a translated structure is the translator's expression, which e->extra refers to. */
struct type *check_member(struct checker *ck, struct expr *e)
{
	struct type *t = check_expr(ck, e->a), *st;
	struct type_member *m;
	uint32_t off = 0;

	if (!t)
		return NULL;
	if (e->arrow && t->kind != T_PTR)
		return err(ck, e->loc, D_OP_PTR, type_is_sou(t) ? "use ." : NULL, "-> needs a pointer, not %s",
			tname(ck, t));
	if (!e->arrow && !type_is_sou(t))
		return err(ck, e->loc, D_OP_SOU, t->kind == T_PTR ? "use ->" : NULL, ". needs a structure, not %s",
			tname(ck, t));
	st = e->arrow ? t->of : t;
	type_complete(ck->ts, st);
	if (!type_is_sou(st))
		return err(
			ck, e->loc, D_OP_SOU, NULL, "%s does not point to a structure", ast_expr_text(ck->arena, e->a));
	if (!st->complete)
		return err(ck, e->loc, D_OP_INCOMPLETE, NULL, "%s is not known here", tname(ck, st));
	m = type_find_member(ck->ts, st, e->name, &off);
	if (!m)
		return no_member(ck, e, st);
	e->ival = off;
	e->isuffix = m->bits;
	e->member = m;
	type_complete(ck->ts, m->type);
	if (is_xlated(e->a) && !check_translated(ck, e, st))
		return NULL;
	if (e->extra) /* a structure that is translated in its turn */
		e->xl = ((const struct xl_member *)e->extra)->init->value->xl;
	return m->type;
}

/* Becomes a constant. A string has strsize bytes, a literal its own length. */
struct type *check_sizeof(struct checker *ck, struct expr *e)
{
	struct type *t = e->tyx ? types_resolve(ck->ts, ck->d, e->tyx) : check_expr(ck, e->a);

	if (!t)
		return NULL;
	type_complete(ck->ts, t);
	if (!t->size || (e->a && e->a->kind == EX_SCOPED && t->kind == T_PTR && t->of->kind == T_FUNC))
		return err(ck, e->loc, D_SIZEOF_TYPE, NULL, "%s has no size", tname(ck, t));
	if (e->a && e->a->kind == EX_MEMBER && e->a->isuffix)
		return err(ck, e->loc, D_SIZEOF_BITFIELD, NULL, "a bit-field has no size in bytes");
	e->ival = t->kind != T_STRING ? t->size : e->a && e->a->kind == EX_STR ? e->a->slen + 1 : ck->strsize;
	e->kind = EX_INT;
	return ck->ts->uint64;
}

/* Becomes a constant, in bytes. */
struct type *check_offsetof(struct checker *ck, struct expr *e)
{
	struct type *t = types_resolve(ck->ts, ck->d, e->tyx);
	uint32_t off;
	const struct type_member *m;

	if (!t)
		return NULL;
	type_complete(ck->ts, t);
	if (!type_is_sou(t) || !t->complete)
		return err(
			ck, e->loc, D_OFFSETOF_TYPE, NULL, "offsetof needs a structure or union, not %s", tname(ck, t));
	m = type_find_member(ck->ts, t, e->name, &off);
	if (!m)
		return no_member(ck, e, t);
	if (m->bits)
		return err(ck, e->loc, D_OFFSETOF_BITFIELD, NULL, "%s is a bit-field", e->name);
	e->ival = off / 8;
	e->kind = EX_INT;
	return ck->ts->uint64;
}
