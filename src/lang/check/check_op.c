/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_op: checks operators: their operands and the type of the result.
 * Input: an expression with an operator. Output: its type, or NULL after an error.
 * Invariant: no operator accepts a translated structure or a float.
 * Source: D manual, chapter "Types, Operators, and Expressions". */
#include <string.h>

#include "base/inet.h"
#include "lang/check/check_priv.h"

/* Reports that an operator cannot take these types. Returns NULL. */
static struct type *bad_operands(struct checker *ck, struct expr *e, struct type *a, struct type *b, enum dtag tag)
{
	const char *hint = NULL;

	if (type_is_string(a) || type_is_string(b))
		hint = "strings take comparisons, an index, and + with an integer";
	return err(ck, e->loc, tag, hint, "%s cannot take %s and %s", expr_op_text(e->op), tname(ck, a), tname(ck, b));
}

/* Suggests what was probably meant when only one operand is a string, or NULL. */
static const char *compare_hint(struct checker *ck, const struct expr *a, const struct expr *b)
{
	const struct expr *text = a->kind == EX_STR ? a : b, *other = text == a ? b : a;
	const struct expr *n = a->kind == EX_INT ? a : b;

	if (text->kind == EX_STR && type_is_int(other->type) && strspn(text->str, "0123456789") == strlen(text->str))
		return arena_printf(ck->arena, "a number stands without quotes: %s", text->str);
	if (n->kind == EX_INT && n->loc.src && n->loc.src->text[n->loc.off] == '\'')
		return "strings take double quotes";
	return n->kind == EX_INT ? "quote the address: \"10.0.0.5\"" : NULL;
}

/* Strings compare with strings and with NULL; characters in memory become strings first. An array stands for its
 * address.
 * The result is an int, 0 or 1. A comparison with a network ("10.0.0.0/8") is never true, which is worth a warning. */
static struct type *check_compare(struct checker *ck, struct expr *e, struct type *a, struct type *b)
{
	if (type_is_string(a) && type_is_string(b)) {
		const struct expr *text = e->a->kind == EX_STR ? e->a : e->b;
		struct inet_net net;

		if (text->kind == EX_STR && strchr(text->str, '/') && inet_net_parse(text->str, &net))
			diag_warn(ck->d, text->loc, D_SYNTAX, "inet_in(address, network)",
				"no address is equal to a network");
		return ck->ts->int32;
	}
	if (type_is_string(a) != type_is_string(b)) {
		struct type *o = type_is_string(a) ? b : a;

		if (expr_is_null(ck->ts, type_is_string(a) ? e->b : e->a))
			return ck->ts->int32;
		if (check_text_of(ck, type_is_string(a) ? &e->b : &e->a))
			return ck->ts->int32;
		return err(ck, e->loc, D_OP_INCOMPAT, compare_hint(ck, e->a, e->b), "cannot compare string with %s",
			tname(ck, o));
	}
	a = a->kind == T_ARRAY ? type_ptr(ck->ts, a->of) : a;
	b = b->kind == T_ARRAY ? type_ptr(ck->ts, b->of) : b;
	if (!type_is_scalar(a) || !type_is_scalar(b) ||
		(a->kind == T_PTR && b->kind == T_PTR && !type_fits(ck, a, b)) || !numbers_fit(ck, e->a, a, e->b))
		return bad_operands(ck, e, a, b, D_OP_INCOMPAT);
	return ck->ts->int32;
}

/* The type of a op b. A constant result that needs more than 32 bits has 64, as a literal of that value would: without
 * this a record would keep only 32 bits of 10 * 1000000000. */
static struct type *result_type(struct checker *ck, const struct expr *e, struct type *a, struct type *b)
{
	struct type *t = type_usual(ck->ts, a, b);
	int64_t v;

	if (t->size != 4 || !const_eval(ck->ts, diags_new(ck->arena), e, &v) || (v >= INT32_MIN && v <= UINT32_MAX))
		return t;
	return t->is_signed ? ck->ts->int64 : v < 0 ? t : ck->ts->uint64;
}

/* string + int is the rest of the string. Pointers scale by the size of their type, so it must be known. The library
 * may subtract pointers of different types; scripts may not. */
static struct type *check_addsub(struct checker *ck, struct expr *e, struct type *a, struct type *b)
{
	struct type *p;

	if (e->op == OP_ADD && (a->kind == T_STRING ? type_is_int(b) : b->kind == T_STRING && type_is_int(a)))
		return check_rest_of(ck, e);
	if (a->kind == T_ARRAY && check_chars_of(ck, &e->a))
		a = e->a->type;
	if (b->kind == T_ARRAY && check_chars_of(ck, &e->b))
		b = e->b->type;
	a = a->kind == T_ARRAY ? type_ptr(ck->ts, a->of) : a; /* an array stands for its address */
	b = b->kind == T_ARRAY ? type_ptr(ck->ts, b->of) : b;
	p = a->kind == T_PTR ? a : b;

	if (type_is_int(a) && type_is_int(b))
		return result_type(ck, e, a, b);
	if (p->kind == T_PTR && (p->of->kind == T_VOID || p->of->kind == T_FUNC) && !ck->library)
		return bad_operands(ck, e, a, b, D_OP_INCOMPAT);
	if (p->kind == T_PTR) {
		type_complete(ck->ts, p->of);
		if (!p->of->size && p->of->kind != T_VOID)
			return err(ck, e->loc, D_OP_INCOMPLETE, NULL, "the size of what %s points to is not known",
				tname(ck, p));
	}
	if (a->kind == T_PTR && type_is_int(b))
		return a;
	if (e->op == OP_ADD && type_is_int(a) && b->kind == T_PTR)
		return b;
	if (e->op == OP_SUB && a->kind == T_PTR && b->kind == T_PTR && (ck->library || type_same(a->of, b->of)))
		return ck->ts->int64;
	return bad_operands(ck, e, a, b, D_OP_INCOMPAT);
}

/* * / % and the operators of bits. */
static struct type *check_ints(struct checker *ck, struct expr *e, struct type *a, struct type *b)
{
	bool divides = e->op == OP_DIV || e->op == OP_MOD;
	int64_t v;

	if (!type_is_int(a) || !type_is_int(b))
		return bad_operands(ck, e, a, b, e->op == OP_MUL || e->op == OP_DIV ? D_OP_ARITH : D_OP_INT);
	if (divides && const_eval(ck->ts, ck->d, e->b, &v) && !v)
		return err(ck, e->b->loc, D_DIV_ZERO, NULL, "expression contains division by zero");
	return result_type(ck, e, a, b);
}

/* The operands are checked from the left. An unknown name next to a string may be text without quotes, so
 * beside_text lets check_name suggest them. */
struct type *check_binary(struct checker *ck, struct expr *e)
{
	struct type *a = check_expr(ck, e->a), *b;

	ck->beside_text = a && type_is_string(a) && e->op >= OP_EQ && e->op <= OP_GE && e->b->kind == EX_IDENT;
	b = check_expr(ck, e->b);
	ck->beside_text = false;
	if (!a || !b)
		return NULL;
	if (!(e->op >= OP_LAND && e->op <= OP_GE) && (!check_is_value(ck, e->a) || !check_is_value(ck, e->b)))
		return NULL;
	switch (e->op) {
	case OP_ADD:
	case OP_SUB:
		return check_addsub(ck, e, a, b);
	case OP_MUL:
	case OP_DIV:
	case OP_MOD:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_SHL:
	case OP_SHR:
		return check_ints(ck, e, a, b);
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR:
		if (!type_is_scalar(a) || !type_is_scalar(b))
			return bad_operands(ck, e, a, b, D_OP_SCALAR);
		return ck->ts->int32;
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		return check_compare(ck, e, a, b);
	case OP_NONE:
	case OP_ASSIGN:
	case OP_NEG:
	case OP_POS:
	case OP_NOT:
	case OP_COMPL:
	case OP_DEREF:
	case OP_ADDR:
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		break;
	}
	return err(ck, e->loc, D_SYNTAX, NULL, "%s is no operator for two values", expr_op_text(e->op));
}

/* * of a pointer or an array. A pointer that a translator makes (e->a->xl) yields a translated structure. */
static struct type *deref_type(struct checker *ck, struct expr *e, struct type *t)
{
	if (t->kind != T_PTR && t->kind != T_ARRAY)
		return err(ck, e->loc, D_DEREF_NONPTR, NULL, "* needs a pointer, not %s", tname(ck, t));
	if (t->of->kind == T_FUNC)
		return err(ck, e->loc, D_DEREF_FUNC, NULL, "* cannot take a pointer to a function");
	if (t->of->kind == T_VOID)
		return err(
			ck, e->loc, D_DEREF_VOID, "cast it to a pointer to a type", "a void * points to nothing known");
	e->xl = e->a->xl;
	type_complete(ck->ts, t->of);
	return t->of;
}

/* &e needs an object in memory. A variable of D has no address: it may be in a register, or move within its map. NULL
 * after an error. */
static struct type *check_address(struct checker *ck, struct expr *e, struct type *t)
{
	struct expr *a = e->a;
	bool var = a->kind == EX_IDENT || (a->kind == EX_INDEX && a->sym);

	if (var)
		return err(ck, e->loc, D_ADDROF_VAR, NULL, "& cannot take the address of a variable of D: %s",
			ast_expr_text(ck->arena, a));
	if (a->kind != EX_MEMBER && a->kind != EX_SCOPED && a->kind != EX_INDEX &&
		!(a->kind == EX_UNARY && a->op == OP_DEREF))
		return err(ck, e->loc, D_ADDROF_LVAL, NULL, "& needs something that lies in memory");
	if (a->kind == EX_MEMBER && (a->extra || a->isuffix))
		return err(ck, e->loc, D_ADDROF_BITFIELD, NULL, "%s has no address", ast_expr_text(ck->arena, a));
	return type_ptr(ck->ts, t);
}

/* &`symbol is checked apart, because only the address of the symbol is needed, not its type. */
struct type *check_unary(struct checker *ck, struct expr *e)
{
	struct type *t;

	if (e->op == OP_ADDR && e->a->kind == EX_SCOPED)
		t = e->a->type = check_scoped(ck, e->a, true);
	else if (e->op == OP_ADDR && e->a->kind == EX_AGG)
		return err(ck, e->loc, D_ADDROF_VAR, NULL, "an aggregation has no address");
	else
		t = check_step_operand(ck, e);

	if (!t || (e->op != OP_NOT && e->op != OP_DEREF && !check_is_value(ck, e->a)))
		return NULL;
	switch (e->op) {
	case OP_NEG:
	case OP_POS:
	case OP_COMPL:
		if (!type_is_int(t))
			return err(ck, e->loc, e->op == OP_COMPL ? D_OP_INT : D_OP_ARITH, NULL,
				"%s needs an integer, not %s", expr_op_text(e->op), tname(ck, t));
		return type_operand(ck->ts, t);
	case OP_NOT:
		if (!type_is_scalar(t))
			return err(
				ck, e->loc, D_OP_SCALAR, check_truth_hint(t), "! needs a scalar, not %s", tname(ck, t));
		return ck->ts->int32;
	case OP_DEREF:
		return deref_type(ck, e, t);
	case OP_ADDR:
		return check_address(ck, e, t);
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		return check_step(ck, e, t);
	case OP_NONE:
	case OP_ASSIGN:
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_DIV:
	case OP_MOD:
	case OP_SHL:
	case OP_SHR:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR:
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		break;
	}
	return err(ck, e->loc, D_SYNTAX, NULL, "%s is no operator for one value", expr_op_text(e->op));
}

/* Replaces ?: by the chosen arm if its condition is constant, so that the other arm may use what this kernel lacks.
 * False: the condition has an error, which was reported. */
bool check_decided(struct checker *ck, struct expr *e)
{
	struct diags *quiet = diags_new(ck->arena);
	struct type *t;
	int64_t v;

	while (e->kind == EX_COND) {
		t = check_expr(ck, e->a);
		if (!t)
			return false;
		if (!type_is_int(t) || !const_eval(ck->ts, quiet, e->a, &v))
			return true;
		*e = v ? *e->b : *e->c;
	}
	return true;
}

/* Both arms must have one type: string; an integer, by C's usual conversions; a structure; or a pointer, where NULL and
 * void * fit any. */
struct type *check_arms(struct checker *ck, struct expr *e)
{
	struct type *c = e->a->type, *b, *d;

	if (!type_is_scalar(c))
		return err(ck, e->a->loc, D_OP_SCALAR, check_truth_hint(c), "the condition of ?: is %s", tname(ck, c));
	if (has_no_value(ck, e->b) || has_no_value(ck, e->c))
		return err(ck, e->loc, D_CG_EXPR, "use if and else, or two clauses with predicates",
			"an action cannot stand in an expression");
	b = check_expr(ck, e->b);
	d = check_expr(ck, e->c);
	if (!b || !d || !check_is_value(ck, e->b) || !check_is_value(ck, e->c))
		return NULL;
	if (type_is_string(b) ? type_is_string(d) || check_text_of(ck, &e->c)
			      : type_is_string(d) && check_text_of(ck, &e->b))
		return ck->ts->string;
	if (type_is_int(b) && type_is_int(d))
		return type_usual(ck->ts, b, d);
	if (type_is_sou(b) && type_same(b, d)) {
		type_complete(ck->ts, b);
		return b;
	}
	b = b->kind == T_ARRAY ? type_ptr(ck->ts, b->of) : b;
	d = d->kind == T_ARRAY ? type_ptr(ck->ts, d->of) : d;
	if (type_is_scalar(b) && type_is_scalar(d) && numbers_fit(ck, e->b, b, e->c)) {
		if (b->kind == T_PTR && (d->kind != T_PTR || type_fits(ck, b, d)))
			return b->of->kind == T_VOID && d->kind == T_PTR ? d : b;
		if (b->kind != T_PTR)
			return d;
	}
	return err(ck, e->loc, D_OP_INCOMPAT, NULL, "the two values of ?: are %s and %s", tname(ck, b), tname(ck, d));
}

/* A constant condition leaves only one arm to check. */
struct type *check_cond(struct checker *ck, struct expr *e)
{
	if (!check_decided(ck, e))
		return NULL;
	return e->kind == EX_COND ? check_arms(ck, e) : check_expr(ck, e);
}
