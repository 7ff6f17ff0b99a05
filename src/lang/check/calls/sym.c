/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sym: checks calls that record an address and print a name: func, mod, sym, ufunc, umod, usym, uaddr, stack,
 * ustack, jstack. They may be statements, arguments of printf() and trace(), and keys of aggregations.
 * Input: a call. Output: its type, whose `special` says how the value is kept.
 * Invariant: expr.ival is the number of frames of a stack. */
#include <string.h>

#include "lang/check/calls/calls.h"

static struct type *special_type(struct types *ts, enum type_special special, const char *name, uint32_t size)
{
	/* A stack is no value that an operator takes; an address is, but calls of these are allowed in few places. */
	struct type *t = type_new(ts, special >= SPECIAL_STACK ? T_STRUCT : T_INT, name, size, false);

	t->special = special;
	return t;
}

/* A constant number of frames; *n stays when the argument is not there. */
static bool frames_arg(struct checker *ck, struct expr *e, enum dtag tag, int64_t *n)
{
	if (!e->args.n)
		return true;
	if (!check_expr(ck, e->args.v[0]))
		return false;
	if (const_eval(ck->ts, ck->d, e->args.v[0], n) && *n > 0 && *n <= UINT16_MAX)
		return true;
	err(ck, e->args.v[0]->loc, tag, NULL, "%s() takes a constant number of frames, at least 1", e->name);
	return false;
}

static struct type *check_stack(struct checker *ck, struct expr *e)
{
	int64_t n = ck->stackframes;

	if (e->args.n > 1)
		return err(ck, e->loc, D_STACK_PROTO, NULL, "stack() takes at most one argument, not %zu", e->args.n);
	if (!frames_arg(ck, e, D_STACK_SIZE, &n))
		return NULL;
	e->ival = (uint64_t)(n > ck->maxframes ? ck->maxframes : n);
	return special_type(ck->ts, SPECIAL_STACK, "stack", (uint32_t)e->ival * 8);
}

/* The text that a Java machine would give to a frame (strsize) is never there. */
static struct type *check_ustack(struct checker *ck, struct expr *e)
{
	int64_t n = e->sym->func == FN_jstack ? ck->jstackframes : ck->ustackframes, size = 0;

	if (e->args.n > 2)
		return err(ck, e->loc, D_USTACK_PROTO, NULL, "%s() takes at most two arguments, not %zu", e->name,
			e->args.n);
	if (!frames_arg(ck, e, D_USTACK_FRAMES, &n))
		return NULL;
	if (e->args.n > 1 &&
		(!check_expr(ck, e->args.v[1]) || !const_eval(ck->ts, ck->d, e->args.v[1], &size) || size < 0))
		return err(ck, e->args.v[1]->loc, D_USTACK_STRSIZE, NULL, "%s() takes a constant size of strings",
			e->name);
	e->ival = (uint64_t)(n > ck->maxframes ? ck->maxframes : n);
	if (ck->ustackcopy && !ck->in_key)
		return special_type(ck->ts, SPECIAL_UCOPY, "ustack", UCOPY_HEAD + ck->ustackcopy);
	return special_type(ck->ts, SPECIAL_USTACK, "ustack", (uint32_t)e->ival * 8 + 8); /* first the process */
}

static struct type *check_address(struct checker *ck, struct expr *e)
{
	static const enum type_special specials[FN_COUNT] = {
		[FN_func] = SPECIAL_SYM,
		[FN_sym] = SPECIAL_SYM,
		[FN_mod] = SPECIAL_MOD,
		[FN_ufunc] = SPECIAL_USYM,
		[FN_usym] = SPECIAL_USYM,
		[FN_umod] = SPECIAL_UMOD,
		[FN_uaddr] = SPECIAL_UADDR,
	};
	enum type_special special = specials[e->sym->func];
	bool user = special != SPECIAL_SYM && special != SPECIAL_MOD;
	struct type *t = check_expr(ck, e->args.v[0]);

	if (!t)
		return NULL;
	if (is_xlated(e->args.v[0]) || !type_is_scalar(t))
		return err(ck, e->args.v[0]->loc, D_PROTO_ARG, NULL, "%s() takes an address, not %s", e->name,
			type_name(ck->ts, t));
	return special_type(ck->ts, special, user ? "_usymaddr" : "_symaddr", user ? 16 : 8);
}

struct type *check_datum(struct checker *ck, struct expr *e, enum dtag none)
{
	const struct symbol *s = e->kind == EX_CALL ? strmap_get(ck->funcs, e->name) : NULL;

	if (!s || func_class(s->func) != FC_SYM)
		return check_valued(ck, e, none);
	e->type = NULL;
	if (!func_find(ck, e))
		return NULL;
	if (s->func == FN_stack)
		e->type = check_stack(ck, e);
	else if (s->func == FN_ustack || s->func == FN_jstack)
		e->type = check_ustack(ck, e);
	else
		e->type = check_address(ck, e);
	return e->type;
}
