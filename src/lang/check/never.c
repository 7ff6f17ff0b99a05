/* SPDX-License-Identifier: GPL-2.0-or-later */
/* never: finds conditions that constants decide, such as those of a tool's option that was not given, and predicates
 * that cannot be true: their clauses need no program.
 * Input: a checked expression. Output: its truth; true if it is always 0.
 * Invariant: false if in doubt. */
#include <string.h>

#include "lang/check/check.h"

static bool constant(const struct expr *e, int64_t *out);

/* NULL: no constant text. */
static const char *text_of(const struct expr *e)
{
	while (e->kind == EX_IDENT && e->sym && e->sym->kind == SYM_INLINE && !e->sym->nkeys && e->sym->inl)
		e = e->sym->inl->value;
	return e->kind == EX_STR ? e->str : NULL;
}

/* The right side counts only if the left one does not decide. */
static bool logic(const struct expr *e, int64_t *out)
{
	if (!constant(e->a, out))
		return false;
	if ((*out != 0) != (e->op == OP_LOR) && !constant(e->b, out))
		return false;
	*out = *out != 0;
	return true;
}

/* The operators that predicates of tools have. Texts are compared up to the first NUL, as at run time. */
static bool binary(const struct expr *e, int64_t *out)
{
	const char *x = text_of(e->a), *y = text_of(e->b);
	int64_t a, b;
	bool same;

	if (e->op == OP_LAND || e->op == OP_LOR)
		return logic(e, out);
	if (e->op != OP_EQ && e->op != OP_NE)
		return false;
	if (x && y)
		same = strcmp(x, y) == 0;
	else if (constant(e->a, &a) && constant(e->b, &b))
		same = a == b;
	else
		return false;
	*out = same == (e->op == OP_EQ);
	return true;
}

/* Integers, comparisons of texts, and what tools' predicates are made of. */
static bool constant(const struct expr *e, int64_t *out)
{
	switch ((int)e->kind) {
	case EX_INT:
		*out = (int64_t)e->ival;
		return true;
	case EX_IDENT:
		if (!e->sym || e->sym->kind != SYM_INLINE || e->sym->nkeys || !e->sym->inl)
			return false;
		return constant(e->sym->inl->value, out);
	case EX_UNARY:
		if (e->op != OP_NOT && e->op != OP_NEG)
			return false;
		if (!constant(e->a, out))
			return false;
		*out = e->op == OP_NOT ? !*out : (int64_t)(0 - (uint64_t)*out);
		return true;
	case EX_BINARY:
		return binary(e, out);
	default:
		return false;
	}
}

bool expr_decided(const struct expr *e, bool *truth)
{
	int64_t v;

	if (!constant(e, &v))
		return false;
	*truth = v != 0;
	return true;
}

bool expr_never(const struct expr *e)
{
	int64_t v;

	if (!e)
		return false;
	if (e->kind == EX_BINARY && e->op == OP_LAND)
		return expr_never(e->a) || (expr_never(e->b) && !expr_has_effects(e->a));
	if (e->kind == EX_BINARY && e->op == OP_LOR)
		return expr_never(e->a) && expr_never(e->b);
	return constant(e, &v) && !v;
}
