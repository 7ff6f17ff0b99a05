/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alike: which aggregations have the same keys: those that are filled by statements that follow each other.
 * Input: checked programs, with the forms of their keys. Output: symbol.alike, the same number for all of a group. The
 * lowering stores their keys together. */
#include "lang/check/check_priv.h"

bool agg_same_keys(const struct expr *x, const struct expr *y)
{
	const struct symbol *s = x->a->sym, *o = y->a->sym;

	if (s->nkeys != o->nkeys || !s->nkeys || x->a->args.n != y->a->args.n || expr_has_effects(x->b) ||
		expr_has_effects(y->b))
		return false;
	for (size_t i = 0; i < s->nkeys; i++)
		if (s->keys[i] != o->keys[i] || expr_has_effects(x->a->args.v[i]) ||
			!expr_same(x->a->args.v[i], y->a->args.v[i]) ||
			(s->keys[i]->kind == T_STRING &&
				(!s->key_forms || !o->key_forms || s->key_forms[i] != o->key_forms[i])))
			return false;
	return true;
}

static const struct expr *agg_of(const struct stmt *s)
{
	return stmt_is_agg(s) && s->expr->a->sym ? s->expr : NULL;
}

/* One that is in a group stays in it. */
static void join(struct checker *ck, struct symbol *x, struct symbol *y)
{
	uint32_t group = x->alike ? x->alike : y->alike;

	if (x == y || (x->alike && y->alike))
		return;
	x->alike = y->alike = group ? group : ++ck->alike;
}

static void join_stmts(struct checker *ck, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct expr *x = i ? agg_of(v[i - 1]) : NULL, *y = agg_of(v[i]);

		if (x && y && agg_same_keys(x, y))
			join(ck, x->a->sym, y->a->sym);
		join_stmts(ck, v[i]->then.v, v[i]->then.n);
		join_stmts(ck, v[i]->otherwise.v, v[i]->otherwise.n);
	}
}

void check_alike(struct checker *ck, struct program *p)
{
	for (size_t i = 0; i < p->decls.n; i++) {
		const struct clause *c = &p->decls.v[i]->u.clause;

		if (p->decls.v[i]->kind == DECL_CLAUSE)
			join_stmts(ck, c->body.v, c->body.n);
	}
}
