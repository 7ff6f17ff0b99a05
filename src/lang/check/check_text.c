/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_text: converts between strings and pointers to characters where the other one is wanted.
 * Input: a checked expression. Output: a stringof node or a cast around it.
 * Invariant: later stages see strings or pointers, never a mixture. */
#include "lang/check/check_priv.h"

static bool type_is_char_pointer(const struct type *t)
{
	return t->kind == T_PTR && t->of->kind == T_INT && t->of->size == 1;
}

static struct expr *wrap(struct checker *ck, enum expr_kind kind, struct expr *e, struct type *t)
{
	struct expr *w = ARENA_NEW(ck->arena, struct expr);

	w->kind = kind;
	w->loc = e->loc;
	w->depth = e->depth;
	w->type = t;
	w->a = e;
	return w;
}

bool check_text_of(struct checker *ck, struct expr **e)
{
	if (!(*e)->type || !type_is_char_pointer((*e)->type) || is_xlated(*e))
		return false;
	*e = wrap(ck, EX_STRINGOF, *e, ck->ts->string);
	return true;
}

/* An array of characters that a translator makes: no memory of the kernel, but a text. */
static bool is_made_array(const struct expr *e)
{
	return e->kind == EX_MEMBER && e->extra && e->type->kind == T_ARRAY && type_is_string(e->type);
}

/* x, x[k]: a variable as a whole. */
static bool is_variable(const struct expr *e)
{
	return (e->kind == EX_IDENT || e->kind == EX_INDEX) && e->sym &&
		(e->sym->kind == SYM_VAR || e->sym->kind == SYM_ASSOC);
}

bool is_text_element(const struct expr *e)
{
	return e->kind == EX_INDEX && !e->sym && e->a->kind == EX_CAST && e->a->a->type &&
		e->a->a->type->kind == T_STRING && is_variable(e->a->a);
}

bool check_chars_of(struct checker *ck, struct expr **e)
{
	if (!(*e)->type || ((*e)->type->kind != T_STRING && !is_made_array(*e)))
		return false;
	/* A dynamic variable to which nothing was assigned is NULL, and has no characters. */
	if (is_variable(*e) && symbol_is_dynamic((*e)->sym))
		(*e)->sym->as_text = true;
	if ((*e)->type->kind == T_ARRAY)
		*e = wrap(ck, EX_STRINGOF, *e, ck->ts->string);
	*e = wrap(ck, EX_CAST, *e, type_ptr(ck->ts, ck->ts->char_));
	return true;
}

/* s + 1 or 1 + s: from the second character on. */
struct type *check_rest_of(struct checker *ck, struct expr *e)
{
	struct expr *sum = ARENA_NEW(ck->arena, struct expr);

	if (!check_chars_of(ck, e->a->type->kind == T_STRING ? &e->a : &e->b))
		return NULL;
	*sum = *e;
	sum->type = type_ptr(ck->ts, ck->ts->char_);
	e->kind = EX_STRINGOF;
	e->op = OP_NONE;
	e->a = sum;
	e->b = NULL;
	return ck->ts->string;
}
