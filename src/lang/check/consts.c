/* SPDX-License-Identifier: GPL-2.0-or-later */
/* consts: evaluates constant expressions.
 * Input: an expression, checked or not. Output: its 64-bit value. Only a cast narrows it.
 * Invariant: the result equals what the compiled program would compute. */
#include <string.h>

#include "lang/check/check.h"

/* A value with its type, which decides how the next operator treats it. */
struct cval {
	int64_t v;
	struct type *t;
};

static bool eval(struct types *ts, struct diags *d, const struct expr *e, struct cval *out);

/* The type of an integer literal as in C: a decimal without U is signed; an octal or hexadecimal one may be
 * unsigned. */
struct type *types_literal(struct types *ts, const struct expr *e)
{
	bool u = e->isuffix & ISUF_U, l = e->isuffix & (ISUF_L | ISUF_LL), nodec = e->isuffix & ISUF_NODEC;

	if ((e->isuffix & ISUF_CHAR) && e->ival <= UINT32_MAX)
		return ts->int32;
	if (!l && !u && e->ival <= INT32_MAX)
		return ts->int32;
	if (!l && (u || nodec) && e->ival <= UINT32_MAX)
		return ts->uint32;
	if (!u && e->ival <= INT64_MAX)
		return ts->int64;
	return ts->uint64;
}

/* Truncates v to the size of t and extends it to 64 bits by the sign of t. _Bool: 0 or 1, as in C. */
int64_t types_wrap(const struct type *t, int64_t v)
{
	unsigned up = t->size && t->size < 8 ? 64 - 8 * t->size : 0;

	if (t->kind == T_INT && !strcmp(t->name, "_Bool"))
		return v != 0;
	return t->is_signed ? (int64_t)((uint64_t)v << up) >> up : (int64_t)((uint64_t)v << up >> up);
}

/* Sets *out. Always true, so that callers can return it. */
static bool result(struct cval *out, struct type *t, int64_t v)
{
	out->t = t;
	out->v = v;
	return true;
}

/* x op y as 0 or 1. uns: both are unsigned. */
static int64_t compare(enum expr_op op, int64_t x, int64_t y, bool uns)
{
	uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
	bool less = uns ? ux < uy : x < y;

	switch ((int)op) {
	case OP_EQ:
		return x == y;
	case OP_NE:
		return x != y;
	case OP_LT:
		return less;
	case OP_LE:
		return less || x == y;
	case OP_GT:
		return !less && x != y;
	default:
		return !less;
	}
}

/* Returns false for a division by zero. */
static bool divide(const struct type *t, int64_t x, int64_t y, bool mod, int64_t *v)
{
	if (!y)
		return false;
	if (!t->is_signed)
		*v = (int64_t)(mod ? (uint64_t)x % (uint64_t)y : (uint64_t)x / (uint64_t)y);
	else if (y == -1) /* INT64_MIN / -1 traps on x86; it wraps here, as at run time */
		*v = mod ? 0 : (int64_t)(0 - (uint64_t)x);
	else
		*v = mod ? x % y : x / y;
	return true;
}

/* Computes with 64 bits that wrap around, as BPF does. Signed overflow in C would be undefined. */
static bool arithmetic(enum expr_op op, struct type *t, int64_t x, int64_t y, struct cval *out)
{
	uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
	int64_t v;

	switch ((int)op) {
	case OP_ADD:
		return result(out, t, (int64_t)(ux + uy));
	case OP_SUB:
		return result(out, t, (int64_t)(ux - uy));
	case OP_MUL:
		return result(out, t, (int64_t)(ux * uy));
	case OP_DIV:
	case OP_MOD:
		return divide(t, x, y, op == OP_MOD, &v) && result(out, t, v);
	case OP_AND:
		return result(out, t, x & y);
	case OP_OR:
		return result(out, t, x | y);
	case OP_XOR:
		return result(out, t, x ^ y);
	default:
		return false;
	}
}

/* Both operands are evaluated, also where && and || would skip one: constants have no effects. Shift counts are
 * taken modulo 64, as BPF does. */
static bool binary(struct types *ts, struct diags *d, const struct expr *e, struct cval *out)
{
	struct cval a, b;
	struct type *t;

	if (!eval(ts, d, e->a, &a) || !eval(ts, d, e->b, &b))
		return false;
	if (e->op == OP_LAND || e->op == OP_LOR || e->op == OP_LXOR)
		return result(out, ts->int32,
			e->op == OP_LAND          ? a.v && b.v
				: e->op == OP_LOR ? a.v || b.v
						  : !a.v != !b.v);
	t = type_usual(ts, a.t, b.t);
	if (e->op == OP_SHL)
		return result(out, t, (int64_t)((uint64_t)a.v << (b.v & 63)));
	if (e->op == OP_SHR)
		return result(out, t, t->is_signed ? a.v >> (b.v & 63) : (int64_t)((uint64_t)a.v >> (b.v & 63)));
	if (e->op >= OP_EQ && e->op <= OP_GE)
		return result(out, ts->int32, compare(e->op, a.v, b.v, !t->is_signed));
	return arithmetic(e->op, t, a.v, b.v, out);
}

/* False for operators that need memory. */
static bool unary(struct types *ts, struct diags *d, const struct expr *e, struct cval *out)
{
	struct cval a;
	struct type *t;

	if (!eval(ts, d, e->a, &a))
		return false;
	t = type_operand(ts, a.t);
	switch ((int)e->op) {
	case OP_NEG:
		return result(out, t, (int64_t)(0 - (uint64_t)a.v));
	case OP_POS:
		return result(out, t, a.v);
	case OP_COMPL:
		return result(out, t, ~a.v);
	case OP_NOT:
		return result(out, ts->int32, !a.v);
	default:
		return false;
	}
}

/* Enumerators of the script come before constants of the library, and those before enumerators of the kernel's BTF. */
static bool ident(struct types *ts, const struct expr *e, struct cval *out)
{
	int64_t v, *en = strmap_get(ts->enumerators, e->name);

	if (e->scope != SCOPE_GLOBAL || (e->sym && e->sym->kind != SYM_CONST))
		return false; /* a variable, though the kernel may have an enumerator of its name */
	if (!en && !e->sym)
		en = strmap_get(ts->constants, e->name);
	if (en)
		v = *en;
	else if (!ts->kernel || !ts->kernel->enumerator(ts->kernel->ctx, e->name, &v))
		return false;
	return result(out, v == (int32_t)v ? ts->int32 : ts->int64, v);
}

static bool cast(struct types *ts, struct diags *d, const struct expr *e, struct cval *out)
{
	struct type *t = e->type ? e->type : e->tyx ? types_resolve(ts, d, e->tyx) : NULL;
	struct cval a;

	return t && type_is_int(t) && eval(ts, d, e->a, &a) && result(out, t, types_wrap(t, a.v));
}

/* Evaluates only the chosen arm, so the other one need not be constant. */
static bool cond(struct types *ts, struct diags *d, const struct expr *e, struct cval *out)
{
	struct cval c, v;

	if (!eval(ts, d, e->a, &c) || !eval(ts, d, c.v ? e->b : e->c, &v))
		return false;
	return result(out, e->type && type_is_int(e->type) ? e->type : v.t, v.v);
}

static bool eval(struct types *ts, struct diags *d, const struct expr *e, struct cval *out)
{
	struct type *t;

	switch (e->kind) {
	case EX_INT:
		return result(out, e->type ? e->type : types_literal(ts, e), (int64_t)e->ival);
	case EX_IDENT:
		return ident(ts, e, out);
	case EX_SIZEOF:
		t = e->tyx ? types_resolve(ts, d, e->tyx) : NULL;
		if (!t)
			return false;
		type_complete(ts, t);
		return t->size > 0 && result(out, ts->uint64, t->size);
	case EX_UNARY:
		return unary(ts, d, e, out);
	case EX_BINARY:
		return binary(ts, d, e, out);
	case EX_COND:
		return cond(ts, d, e, out);
	case EX_CAST:
		return cast(ts, d, e, out);
	case EX_STR:
	case EX_SCOPED:
	case EX_AGG:
	case EX_ASSIGN:
	case EX_CALL:
	case EX_INDEX:
	case EX_MEMBER:
	case EX_OFFSETOF:
	case EX_STRINGOF:
	case EX_XLATE:
	case EX_COMMA:
		return false;
	}
	return false;
}

/* False: not a constant. Resolving a type in sizeof or a cast may report an error in d. */
bool const_eval(struct types *ts, struct diags *d, const struct expr *e, int64_t *value)
{
	struct cval v;

	if (!eval(ts, d, e, &v))
		return false;
	*value = v.v;
	return true;
}
