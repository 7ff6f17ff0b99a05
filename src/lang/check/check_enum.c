/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_enum: names of enumerators. __enum("tag", "PREFIX", value) of the D library gives the name without the
 * prefix, or "". printf("%s") of an enum value prints its name, or "?".
 * Input: such a call or argument. Output: a tree of ?: over the values.
 * Invariant: the name is kept as a literal's number until it is printed. Names and values come from the running
 * kernel's BTF. */
#include <stdlib.h>
#include <string.h>

#include "lang/check/check_priv.h"

static int by_value(const void *a, const void *b)
{
	const struct ktype_enum *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* A new node at the place of call. */
static struct expr *leaf(struct checker *ck, const struct expr *call, enum expr_kind kind, struct type *type)
{
	struct expr *e = ARENA_NEW(ck->arena, struct expr);

	e->kind = kind;
	e->loc = call->loc;
	e->type = type;
	return e;
}

/* A literal. */
static struct expr *text(struct checker *ck, const struct expr *call, const char *s)
{
	struct expr *e = leaf(ck, call, EX_STR, ck->ts->string);

	e->str = s;
	e->slen = strlen(s);
	return e;
}

/* A node "value op than ? :"; the caller sets its arms. */
static struct expr *choice(struct checker *ck, const struct expr *call, enum expr_op op, int64_t than)
{
	struct expr *e = leaf(ck, call, EX_COND, ck->ts->string);

	e->a = leaf(ck, call, EX_BINARY, ck->ts->int32);
	e->a->op = op;
	e->a->a = call->args.v[2];
	e->a->b = leaf(ck, call, EX_INT, ck->ts->int64);
	e->a->b->ival = (uint64_t)than;
	return e;
}

/* Selects one of n names, sorted by value, by binary search: a tree of comparisons of the height log2(n). */
static struct expr *choose(struct checker *ck, const struct expr *call, const struct ktype_enum *v, size_t n)
{
	const char *prefix = call->args.v[1]->str, *none = call->args.v[0]->str;
	size_t skip = strncmp(v[0].name, prefix, strlen(prefix)) ? 0 : strlen(prefix);
	struct expr *e;

	if (n == 1) {
		e = choice(ck, call, OP_EQ, v[0].value);
		e->b = text(ck, call, v[0].name + skip);
		e->c = text(ck, call, none);
		return e;
	}
	e = choice(ck, call, OP_LT, v[n / 2].value);
	e->b = choose(ck, call, v, n / 2);
	e->c = choose(ck, call, v + n / 2, n - n / 2);
	return e;
}

struct type *check_enum(struct checker *ck, struct expr *e)
{
	const struct ktypes *k = ck->ts->kernel;
	struct ktype_enum *v = NULL;
	size_t n = 0;
	struct type *t = check_expr(ck, e->args.v[2]);

	if (!t || e->args.v[0]->kind != EX_STR || e->args.v[1]->kind != EX_STR)
		return NULL;
	if (!type_is_int(t))
		return err(ck, e->args.v[2]->loc, D_PROTO_ARG, NULL, "%s() takes an integer, not %s", e->name,
			type_name(ck->ts, t));
	if (k)
		n = k->enumerators(k->ctx, ck->arena, e->args.v[0]->str, &v);
	if (n) {
		qsort(v, n, sizeof(*v), by_value);
		e->args.v[0] = text(ck, e, "");
		*e = *choose(ck, e, v, n);
	} else {
		*e = *text(ck, e, "");
	}
	return ck->ts->string;
}

/* Replaces an enum value by its name, if its enumerators are known. False: e stays. The value is evaluated several
 * times, so it must have no side effects. */
bool check_enum_name(struct checker *ck, struct expr *e)
{
	const struct ktypes *k = ck->ts->kernel;
	const struct type *t = e->type->canon;
	struct ktype_enum *v = t->enums;
	size_t n = t->nenums;
	struct expr *value, *call;

	if (t->kind != T_ENUM || expr_has_effects(e))
		return false;
	if (!n && k && k->enumerators && *t->name)
		n = k->enumerators(k->ctx, ck->arena, t->name, &v);
	if (!n)
		return false;
	if (v == t->enums) { /* sorted as a copy */
		v = ARENA_ARRAY(ck->arena, struct ktype_enum, n);
		memcpy(v, t->enums, n * sizeof(*v));
	}
	qsort(v, n, sizeof(*v), by_value);
	value = leaf(ck, e, e->kind, e->type);
	*value = *e;
	call = leaf(ck, e, EX_CALL, e->type);
	*vec_push(ck->arena, &call->args) = text(ck, e, "?");
	*vec_push(ck->arena, &call->args) = text(ck, e, "");
	*vec_push(ck->arena, &call->args) = value;
	*e = *choose(ck, call, v, n);
	return true;
}
