/* SPDX-License-Identifier: GPL-2.0-or-later */
/* never: finds predicates that cannot be true, such as those of a tool's option that was not given. Their clauses
 * need no program.
 * Input: a checked expression. Output: true if it is always 0.
 * Invariant: false if in doubt. */
#include "lang/check/check.h"

static bool both(const struct expr *e, int64_t *a, int64_t *b);

/* The operators that predicates of tools have. */
static bool binary(const struct expr *e, int64_t *out)
{
	int64_t a, b;

	if (!both(e, &a, &b))
		return false;
	switch ((int)e->op) {
	case OP_EQ:
		*out = a == b;
		return true;
	case OP_NE:
		*out = a != b;
		return true;
	case OP_LAND:
		*out = a && b;
		return true;
	case OP_LOR:
		*out = a || b;
		return true;
	default:
		return false;
	}
}

/* Integers only, and what tools' predicates are made of. */
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
		*out = e->op == OP_NOT ? !*out : -*out;
		return true;
	case EX_BINARY:
		return binary(e, out);
	default:
		return false;
	}
}

static bool both(const struct expr *e, int64_t *a, int64_t *b)
{
	return constant(e->a, a) && constant(e->b, b);
}

bool expr_never(const struct expr *e)
{
	int64_t v;

	if (!e)
		return false;
	if (e->kind == EX_BINARY && e->op == OP_LAND)
		return expr_never(e->a) || expr_never(e->b);
	if (e->kind == EX_BINARY && e->op == OP_LOR)
		return expr_never(e->a) && expr_never(e->b);
	return constant(e, &v) && !v;
}
