/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_expr: the types of expressions.
 * Input: an expression. Output: its type, also in expr.type; NULL after an error, which callers do not report again. */
#include "lang/check/calls/calls.h"
#include "lang/check/check_priv.h"

bool is_xlated(const struct expr *e)
{
	return e->xl != NULL;
}

/* A translated structure, or a pointer to one, is not a value: only its members are. */
bool check_is_value(struct checker *ck, const struct expr *e)
{
	if (is_xlated(e))
		err(ck, e->loc, D_OP_DYN, "name one of its members", "%s is made by a translator: it is not one value",
			ast_expr_text(ck->arena, e));
	return !is_xlated(e);
}

#define BLOCK_KEY_MAX 1024 /* bytes */

/* A string within a structure is kept in a form: its bytes are not its text. */
static bool has_string(const struct type *t)
{
	while (t->kind == T_ARRAY)
		t = t->of;
	for (size_t i = 0; type_is_sou(t) && i < t->nmembers; i++)
		if (has_string(t->members[i].type))
			return true;
	return t->kind == T_STRING;
}

/* May a value of the type be a key of an array or aggregation? False after an error. Keys are compared by their
 * bytes. */
bool check_key_type(struct checker *ck, struct loc at, struct type *t)
{
	bool block = type_is_block(t) && !type_is_string(t);

	if (type_is_scalar(t) || type_is_string(t) || t->special ||
		(block && t->size && t->size <= BLOCK_KEY_MAX && !has_string(t)))
		return true;
	err(ck, at, D_KEY_TYPE, block && t->size ? "name its members" : NULL, "%s cannot be a key%s", tname(ck, t),
		!block || !t->size      ? ""
			: has_string(t) ? ": it has a string"
					: ": it is larger than 1,024 bytes");
	return false;
}

/* (T) e. A structure may be cast to its own type only: the cast is left out then. */
static struct type *check_cast(struct checker *ck, struct expr *e)
{
	struct type *to = types_resolve(ck->ts, ck->d, e->tyx), *from = check_expr(ck, e->a);

	if (!to || !from || !check_is_value(ck, e->a))
		return NULL;
	if (type_is_string(to) && (type_is_string(from) || type_is_scalar(from)))
		return ck->ts->string;
	if (type_is_sou(to) && type_same(to, from)) {
		*e = *e->a;
		return to;
	}
	if ((to->kind == T_PTR || (type_is_scalar(to) && from->kind == T_ARRAY)) && check_chars_of(ck, &e->a))
		return to;
	if (to->kind == T_VOID || (type_is_scalar(to) && (type_is_scalar(from) || from->kind == T_ARRAY)))
		return to;
	return err(ck, e->loc, D_CAST_INVAL, NULL, "%s cannot be cast to %s", tname(ck, from), tname(ck, to));
}

/* By the kind of node. A node may be replaced in place by a simpler one, so a check is not repeated. */
static struct type *check_kind(struct checker *ck, struct expr *e)
{
	struct type *t;

	switch (e->kind) {
	case EX_INT:
		return e->type ? e->type : types_literal(ck->ts, e);
	case EX_STR:
		return ck->ts->string;
	case EX_IDENT:
		return check_ident(ck, e);
	case EX_SCOPED:
		return check_dlib_symbol(ck, e) ? check_ident(ck, e) : check_scoped(ck, e, false);
	case EX_AGG:
		return err(ck, e->loc, D_AGG_SCALAR, "aggregations are printed by printa() or at the end",
			"the value of @%s cannot be read", e->name);
	case EX_UNARY:
		return check_unary(ck, e);
	case EX_BINARY:
		return check_binary(ck, e);
	case EX_ASSIGN:
		return check_assign(ck, e);
	case EX_COND:
		return check_cond(ck, e);
	case EX_CALL:
		return check_call(ck, e);
	case EX_INDEX:
		return check_index(ck, e);
	case EX_MEMBER:
		return check_dlib_member(ck, e) ? check_ident(ck, e) : check_member(ck, e);
	case EX_CAST:
		return check_cast(ck, e);
	case EX_SIZEOF:
		return check_sizeof(ck, e);
	case EX_OFFSETOF:
		return check_offsetof(ck, e);
	case EX_STRINGOF:
		t = check_expr(ck, e->a);
		if (t && !type_is_string(t) && (!type_is_scalar(t) || is_xlated(e->a)))
			return err(ck, e->loc, D_STRINGOF_TYPE, NULL, "stringof cannot take %s", tname(ck, t));
		return t ? ck->ts->string : NULL;
	case EX_XLATE:
		return check_xlate(ck, e);
	case EX_COMMA:
		t = check_expr(ck, e->a);
		return t ? check_expr(ck, e->b) : NULL;
	}
	return NULL;
}

/* Checking an expression twice is harmless: what was replaced stays. */
struct type *check_expr(struct checker *ck, struct expr *e)
{
	e->type = check_kind(ck, e);
	return e->type;
}

/* The same for a place that needs a value; none: the tag for a call that has no value. */
struct type *check_valued(struct checker *ck, struct expr *e, enum dtag none)
{
	if (has_no_value(ck, e))
		return err(ck, e->loc, none, NULL, "%s has no value", ast_expr_text(ck->arena, e));
	return check_expr(ck, e);
}
