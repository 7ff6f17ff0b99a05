/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_xlate: checks xlate, and variables that hold translated values.
 * Input: xlate expressions and assignments of translated values. Output: their types.
 * Invariant: a translated structure is copied member by member when it is assigned. For a translated pointer the
 * variable keeps the translator's input, and members are made where they are read. */
#include "lang/check/check_priv.h"

/* xlate <T *> (e), xlate <T> (e): the translator is found by T and by the type of e. */
struct type *check_xlate(struct checker *ck, struct expr *e)
{
	struct type *to = types_resolve(ck->ts, ck->d, e->tyx), *from = check_expr(ck, e->a), *st;

	if (!to || !from || !check_is_value(ck, e->a))
		return NULL;
	st = to->kind == T_PTR ? to->of : to;
	if (!type_is_sou(st))
		return err(
			ck, e->loc, D_XLATE_SOU, NULL, "a translator makes a structure, not %s", type_name(ck->ts, to));
	e->xl = ARENA_NEW(ck->arena, struct xlate_use);
	e->xl->out = st;
	e->xl->in = e->a;
	e->xl->xl = check_xlator_from(ck, from, st);
	if (!e->xl->xl)
		return err(ck, e->loc, D_XLATE_NONE,
			arena_printf(ck->arena, "declare one: translator %s < %s%sT > { ... };", type_name(ck->ts, st),
				type_name(ck->ts, from), from->kind == T_PTR ? "" : " "),
			"no translator makes %s of %s", type_name(ck->ts, st), type_name(ck->ts, from));
	return to;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */
struct type *check_kept_xlate(struct checker *ck, struct expr *e, struct symbol *s)
{
	struct expr *var;

	if (!s->xl->in) { /* this->p = args[n]: of the same firing */
		struct expr *n = ARENA_NEW(ck->arena, struct expr), *args = ARENA_NEW(ck->arena, struct expr);

		*n = (struct expr){ .kind = EX_INT, .loc = e->loc, .ival = s->xl->argno };
		*args = (struct expr){ .kind = EX_IDENT, .loc = e->loc, .name = "args" };
		e->kind = EX_INDEX;
		e->a = args;
		e->sym = NULL;
		e->args.n = 0;
		*vec_push(ck->arena, &e->args) = n;
		return check_expr(ck, e);
	}
	var = ARENA_NEW(ck->arena, struct expr);
	*var = *e;
	var->type = s->type;
	e->kind = EX_XLATE;
	e->a = var;
	e->sym = NULL;
	e->args.n = 0;
	e->xl = ARENA_NEW(ck->arena, struct xlate_use);
	*e->xl = *s->xl;
	e->xl->in = var;
	return type_ptr(ck->ts, s->xl->out);
}

/* What a translated pointer starts from, if that is one value: the operand of xlate. */
static struct expr *xlate_operand(struct expr *e)
{
	while (e->kind == EX_CAST || (e->kind == EX_IDENT && e->sym && e->sym->kind == SYM_INLINE && !e->sym->nkeys))
		e = e->kind == EX_CAST ? e->a : e->sym->inl->value;
	return e->kind == EX_XLATE && e->a->type && type_is_scalar(e->a->type) ? e->a : NULL;
}

static struct type *not_kept(struct checker *ck, struct expr *e)
{
	(void)check_is_value(ck, e->b);
	return NULL;
}

/* Does the variable keep pointers of this very kind? */
static bool same_use(const struct xlate_use *a, const struct xlate_use *b)
{
	return type_same(a->out, b->out) && a->xl == b->xl && !a->in == !b->in && (a->in || a->argno == b->argno);
}

static struct type *assign_pointer(struct checker *ck, struct expr *e)
{
	struct expr *id = e->a->kind == EX_INDEX ? e->a->a : e->a, *in = xlate_operand(e->b);
	struct symbol *s;
	struct type *t;

	if (id->kind != EX_IDENT || (!in && (e->b->xl->in || e->a->kind != EX_IDENT || id->scope != SCOPE_THIS)))
		return not_kept(ck, e);
	s = sym_find(ck, id->name, id->scope);
	if (s && s->kind != SYM_VAR && s->kind != SYM_ASSOC)
		return not_kept(ck, e);
	if (s && s->xl && !same_use(s->xl, e->b->xl))
		return err(ck, e->loc, D_OP_INCOMPAT, "use another variable",
			"%s keeps what another translator makes of something else", id->name);
	if (s && !s->xl) { /* declared, as the pointer that it looks like */
		if (s->type->kind != T_PTR || !type_same(s->type->of, e->b->xl->out))
			return err(ck, e->loc, D_OP_INCOMPAT, NULL, "%s is %s: it cannot take %s", id->name,
				type_name(ck->ts, s->type), type_name(ck->ts, e->b->type));
		s->type = in ? in->type : ck->ts->int64;
	}
	if (in)
		e->b = in;
	else
		*e->b = (struct expr){
			.kind = EX_INT, .loc = e->b->loc, .ival = 1, .type = ck->ts->int64, .xl = e->b->xl
		};
	if (s)
		s->xl = NULL; /* while the variable itself is meant */
	t = check_lhs(ck, e, e->b->type);
	if (t)
		e->a->sym->xl = ARENA_NEW(ck->arena, struct xlate_use);
	return t;
}

/* All members that the translator makes are going to be: each must have a meaning here. */
static bool check_inits(struct checker *ck, const struct expr *e)
{
	const struct xlator *xl = e->xl->xl;

	for (size_t i = 0; i < ck->nsigs && !xl; i++)
		if (ck->sigs[i]->raw)
			xl = check_xlator(ck, ck->sigs[i]->raw, e->xl->out);
	e->xl->whole = xl;
	for (size_t i = 0; xl && i < xl->ninits; i++) {
		const struct expr *init = check_xl_member(ck, xl, xl->inits[i].name);
		uint32_t off;
		const struct type_member *m = type_find_member(ck->ts, e->xl->out, xl->inits[i].name, &off);

		if (!init || !m)
			continue; /* not on this kernel: it stays 0 */
		if (is_xlated(init) && !type_is_sou(m->type)) {
			err(ck, e->loc, D_OP_DYN, "name the members that are wanted",
				"%s cannot be copied: its member %s is made by a translator in its turn",
				ast_expr_text(ck->arena, e), m->name);
			return false;
		}
	}
	return true;
}

struct type *check_assign_xlated(struct checker *ck, struct expr *e, struct type *rt)
{
	const struct xlate_use use = *e->b->xl;
	struct type *lt;

	if (e->op != OP_ASSIGN)
		return not_kept(ck, e);
	if (rt->kind == T_PTR) {
		lt = assign_pointer(ck, e);
		if (lt) {
			*e->a->sym->xl = use;
			e->a->type = lt;
		}
		return lt;
	}
	if (!check_inits(ck, e->b))
		return NULL;
	lt = check_lhs(ck, e, rt);
	if (!lt)
		return NULL;
	e->a->type = lt;
	if (!type_fits(ck, lt, rt))
		return err(ck, e->loc, D_OP_INCOMPAT, NULL, "%s is %s: it cannot take %s",
			ast_expr_text(ck->arena, e->a), type_name(ck->ts, lt), type_name(ck->ts, rt));
	return lt;
}
