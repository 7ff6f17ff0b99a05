/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_assign: checks what is written to, and makes variables.
 * Input: assignments, ++ and --. Output: their types, and the symbols of new variables.
 * Invariant: only variables of D and the script's own memory are written to, never memory of the kernel. */
#include <string.h>

#include "lang/check/check_priv.h"

/* ---- what goes where --------------------------------------------------------------------------------------------- */
/* As in C: the same type, or one is void *. */
static bool pointers_fit(const struct type *a, const struct type *b)
{
	return a->of->kind == T_VOID || b->of->kind == T_VOID || type_same(a->of, b->of);
}

/* May a value of type from be stored where type to is wanted? The library may mix pointers; scripts may not. */
bool type_fits(struct checker *ck, const struct type *to, const struct type *from)
{
	if (type_is_string(to))
		return type_is_string(from);
	if (to->kind == T_PTR && from->kind == T_ARRAY) /* an array stands for its address */
		return ck->library || to->of->kind == T_VOID || type_same(to->of, from->of);
	if (type_is_block(to))
		return from->kind == to->kind && type_same(to, from);
	if (to->kind == T_FLOAT)
		return type_is_float(to) && type_same(to, from);
	if (to->kind == T_PTR && from->kind == T_PTR)
		return ck->library || pointers_fit(to, from);
	return type_is_scalar(to) && type_is_scalar(from);
}

/* Is it a constant 0? NULL counts. */
static bool is_zero(struct checker *ck, const struct expr *e)
{
	int64_t v = 0;

	return e->type && type_is_int(e->type) ? const_eval(ck->ts, diags_new(ck->arena), e, &v) && !v
					       : expr_is_null(ck->ts, e);
}

/* Pointers and integers do not mix, except that 0 fits a pointer. */
bool numbers_fit(struct checker *ck, const struct expr *a, const struct type *at, const struct expr *b)
{
	const struct type *bt = b->type;

	return ck->library || type_is_int(at) == type_is_int(bt) || (a && is_zero(ck, a)) || is_zero(ck, b);
}

/* Does e lie in a variable: x, x[k], and members and elements of these? */
bool check_in_variable(const struct expr *e)
{
	for (;;) {
		if (e->kind == EX_MEMBER && !e->arrow && !e->extra)
			e = e->a;
		else if (e->kind == EX_INDEX && !e->sym && e->a->type && e->a->type->kind == T_ARRAY)
			e = e->a;
		else
			break;
	}
	return (e->kind == EX_IDENT || e->kind == EX_INDEX) && e->sym &&
		(e->sym->kind == SYM_VAR || e->sym->kind == SYM_ASSOC);
}

static bool is_pointed_to(const struct expr *e);

/* A pointer that D made: a variable's, alloca()'s, copyin()'s, one cast from a number, or computed from these. */
static bool is_own_pointer(const struct expr *e)
{
	switch ((int)e->kind) {
	case EX_CAST:
		return (e->a->type && type_is_int(e->a->type)) || is_own_pointer(e->a);
	case EX_BINARY:
		return is_own_pointer(e->a) || is_own_pointer(e->b);
	case EX_UNARY:
		return e->op >= OP_PREINC && is_own_pointer(e->a);
	case EX_CALL:
		return e->sym && e->sym->kind == SYM_FUNC && (e->sym->func == FN_alloca || e->sym->func == FN_copyin);
	default:
		return e->type && e->type->kind == T_PTR && (check_in_variable(e) || is_pointed_to(e));
	}
}

/* Is e the target of such a pointer, or a part of it? At run time it must be in the script's own memory. */
static bool is_pointed_to(const struct expr *e)
{
	for (;;) {
		if (e->kind == EX_UNARY && e->op == OP_DEREF)
			return is_own_pointer(e->a);
		if (e->kind == EX_MEMBER && !e->extra) {
			if (e->arrow)
				return is_own_pointer(e->a);
		} else if (e->kind == EX_INDEX && !e->sym && e->a->type) {
			if (e->a->type->kind == T_PTR)
				return is_own_pointer(e->a);
		} else {
			return false;
		}
		e = e->a;
	}
}

/* May a script write there? */
static bool is_writable(const struct expr *e)
{
	return check_in_variable(e) || is_pointed_to(e) || is_text_element(e);
}

/* Does e name a place that scripts cannot write: kernel memory, a built-in variable? */
static bool is_place(const struct expr *e)
{
	return e->kind == EX_MEMBER || e->kind == EX_INDEX || e->kind == EX_IDENT || e->kind == EX_SCOPED ||
		(e->kind == EX_UNARY && e->op == OP_DEREF);
}

/* Reports that lhs cannot be written to. Returns NULL. */
static struct type *not_writable(struct checker *ck, struct expr *at, struct expr *lhs)
{
	if (is_place(lhs))
		return err(ck, at->loc, D_OP_WRITE, "only variables of D are written to", "%s cannot be assigned to",
			ast_expr_text(ck->arena, lhs));
	return err(ck, at->loc, D_OP_LVAL, NULL, "%s%s needs a variable, not %s", expr_op_text(at->op),
		at->kind == EX_ASSIGN && at->op != OP_ASSIGN ? "=" : "", ast_expr_text(ck->arena, lhs));
}

/* ---- new variables ----------------------------------------------------------------------------------------------- */
/* The type of a variable that takes a value of type t first. */
static struct type *variable_type(struct checker *ck, struct type *t)
{
	if (type_is_string(t))
		return ck->ts->string;
	return t->kind == T_ARRAY ? type_ptr(ck->ts, t->of) : t;
}

/* Notes the variable that to assigns to, in a clause or an assignment that has failed: that it is not there is no error
 * of those who read it. */
void checker_forgo_variable(struct checker *ck, const struct expr *to)
{
	if (to->kind == EX_INDEX)
		to = to->a;
	if (to->kind == EX_IDENT)
		strmap_put(ck->forgone, ast_expr_text(ck->arena, to), ck);
}

/* Makes the variable on the left of its first assignment. The right side's type gives its own. */
static struct symbol *new_variable(struct checker *ck, struct expr *lhs, struct type *t)
{
	struct expr *id = lhs->kind == EX_INDEX ? lhs->a : lhs;
	struct symbol *s = sym_new(ck, lhs->kind == EX_INDEX ? SYM_ASSOC : SYM_VAR, id->name, id->loc);

	s->scope = id->scope;
	s->type = variable_type(ck, t);
	if (lhs->kind == EX_INDEX) {
		if (s->scope == SCOPE_THIS || s->scope == SCOPE_PKT) {
			err(ck, lhs->loc, D_ARR_LOCAL,
				s->scope == SCOPE_THIS ? "use self or a global"
						       : "use a global with args[0]->pkt_id as a key",
				"%s cannot be an associative array", ast_expr_text(ck->arena, id));
			return NULL;
		}
		s->nkeys = lhs->args.n;
		s->keys = ARENA_ARRAY(ck->arena, struct type *, s->nkeys);
		for (size_t i = 0; i < s->nkeys; i++) {
			struct type *k = lhs->args.v[i]->type;

			if (!check_is_value(ck, lhs->args.v[i]) || !check_key_type(ck, lhs->args.v[i]->loc, k))
				return NULL;
			s->keys[i] = type_is_string(k) ? ck->ts->string : k;
		}
	}
	strmap_put(sym_scope(ck, s->scope), s->name, s);
	return s;
}

/* Reports what names a value or an action: an enumerator, an inline, a built-in variable. */
static bool is_fixed(struct checker *ck, const struct expr *at, const struct expr *id, const struct symbol *s)
{
	const char *what = s && s->kind != SYM_VAR && s->kind != SYM_ASSOC                     ? "cannot be assigned to"
		: !s && id->scope == SCOPE_GLOBAL && strmap_get(ck->ts->enumerators, id->name) ? "is an enumerator"
											       : NULL;

	if (what)
		(void)err(ck, at->loc, D_OP_WRITE, "choose another name", "%s %s", id->name, what);
	return what != NULL;
}

/* ---- ++ and -- --------------------------------------------------------------------------------------------------- */
/* Does the operator create an unknown variable? ++ and -- create any, ! - ~ only dynamic ones. */
static bool op_makes(enum expr_op op, const struct expr *a, const struct expr *id)
{
	if (id->kind != EX_IDENT)
		return false;
	if (op >= OP_PREINC)
		return true;
	return (op == OP_NOT || op == OP_NEG || op == OP_COMPL) &&
		(id->scope == SCOPE_SELF || id->scope == SCOPE_PKT ||
			(a->kind == EX_INDEX && id->scope == SCOPE_GLOBAL));
}

/* x++ creates x as an int64_t that starts at 0 if nothing else did; so does !self->x. */
struct type *check_step_operand(struct checker *ck, struct expr *e)
{
	struct expr *a = e->a, *id = a->kind == EX_INDEX ? a->a : a;
	struct symbol *s;

	if (e->op >= OP_PREINC && a->kind == EX_COND)
		return not_writable(ck, e, a);
	if (!op_makes(e->op, a, id))
		return check_expr(ck, a);
	s = sym_find(ck, id->name, id->scope);
	if (e->op >= OP_PREINC && is_fixed(ck, e, id, s))
		return NULL;
	if (s || (id->scope == SCOPE_GLOBAL && strmap_get(ck->funcs, id->name)))
		return check_expr(ck, a);
	for (size_t i = 0; a->kind == EX_INDEX && i < a->args.n; i++)
		if (!check_expr(ck, a->args.v[i]))
			return NULL;
	s = new_variable(ck, a, ck->ts->int64);
	if (!s)
		return NULL;
	a->sym = id->sym = s;
	a->type = s->type;
	return s->type;
}

/* ++ and --, once the operand has a type. Pointers step by the size of what they point to. */
struct type *check_step(struct checker *ck, struct expr *e, struct type *t)
{
	if (!is_writable(e->a))
		return not_writable(ck, e, e->a);
	if (is_text_element(e->a))
		e->a->a->a->sym->as_text = true;
	if (e->a->sym)
		e->a->sym->counted = true;
	if (!type_is_scalar(t))
		return err(ck, e->loc, D_OP_SCALAR, NULL, "%s needs an integer variable, not %s", expr_op_text(e->op),
			tname(ck, t));
	if (t->kind == T_PTR) {
		type_complete(ck->ts, t->of);
		if (t->of->kind == T_VOID || t->of->kind == T_FUNC)
			return err(ck, e->loc, D_OP_VFPTR, "cast it to a pointer to a type",
				"%s cannot take %s: what it points to has no size", expr_op_text(e->op), tname(ck, t));
		if (!t->of->size)
			return err(ck, e->loc, D_OP_INCOMPLETE, NULL, "the size of what %s points to is not known",
				tname(ck, t));
	}
	return t;
}

/* ---- assignment -------------------------------------------------------------------------------------------------- */
/* Assigns to a variable that exists. Its type, or NULL after an error. */
static struct type *check_known(struct checker *ck, struct expr *e, struct expr *id, struct symbol *s)
{
	struct type *t;

	if (e->a->kind == EX_INDEX && s->kind == SYM_VAR && s->scope == SCOPE_THIS && !type_is_block(s->type) &&
		s->type->kind != T_PTR && s->type->kind != T_STRING)
		return err(ck, e->a->loc, D_ARR_LOCAL, NULL, "this->%s cannot be an associative array", id->name);
	t = check_expr(ck, e->a);
	return !t || is_writable(e->a) ? t : not_writable(ck, e, e->a);
}

/* The left side of an assignment of a value of type rt. A new name becomes a variable of that type. */
struct type *check_lhs(struct checker *ck, struct expr *e, struct type *rt)
{
	struct expr *lhs = e->a, *id = lhs->kind == EX_INDEX ? lhs->a : lhs;
	struct symbol *s;
	struct type *t;
	bool ok = true;

	if (lhs->kind == EX_COND) /* before a constant condition makes it one of its arms */
		return not_writable(ck, e, lhs);
	if (lhs->kind != EX_IDENT && !(lhs->kind == EX_INDEX && id->kind == EX_IDENT)) {
		t = check_expr(ck, lhs);
		return !t || is_writable(lhs) ? t : not_writable(ck, e, lhs);
	}
	s = sym_find(ck, id->name, id->scope);
	if (!s && strmap_get(ck->funcs, id->name) && id->scope == SCOPE_GLOBAL)
		return err(ck, id->loc, D_IDENT_BADREF, NULL, "%s is a function", id->name);
	if (is_fixed(ck, e, id, s))
		return NULL;
	if (s)
		return check_known(ck, e, id, s);
	for (size_t i = 0; lhs->kind == EX_INDEX && i < lhs->args.n; i++)
		ok &= check_expr(ck, lhs->args.v[i]) != NULL;
	if (!ok)
		return NULL;
	if (!type_is_scalar(rt) && !type_is_string(rt) && !type_is_block(rt) && !type_is_float(rt))
		return err(ck, e->loc, D_OP_INCOMPAT, NULL, "a variable cannot hold %s", tname(ck, rt));
	s = new_variable(ck, lhs, rt);
	if (!s)
		return NULL;
	lhs->sym = id->sym = s;
	lhs->type = s->type;
	return s->type;
}

/* char *p = "text": the address of its characters. */
static bool is_text_address(const struct expr *e, const struct type *lt, const struct type *rt)
{
	return e->op == OP_ASSIGN && lt->kind == T_PTR && lt->of->kind == T_INT && lt->of->size == 1 &&
		rt->kind == T_STRING;
}

/* x = 0 releases a dynamic variable of any type. */
static bool is_release(const struct expr *e)
{
	const struct symbol *s = e->a->sym;

	return e->op == OP_ASSIGN && s && symbol_is_dynamic(s) && e->b->kind == EX_INT && !e->b->ival;
}

/* DTrace's tag for wrong operands of a compound assignment. */
static enum dtag step_tag(enum expr_op op)
{
	if (op == OP_ADD || op == OP_SUB)
		return D_OP_INCOMPAT;
	return op == OP_MUL || op == OP_DIV ? D_OP_ARITH : D_OP_INT;
}

/* Checks the operands of +=, <<= and the like. False after an error. */
static bool compound_fits(struct checker *ck, struct expr *e, struct type *lt, struct type *rt)
{
	int64_t v;

	if (!type_is_scalar(lt) || !type_is_int(rt))
		return err(ck, e->loc, step_tag(e->op), NULL, "%s= needs integers", expr_op_text(e->op)), false;
	if (lt->kind == T_PTR && e->op != OP_ADD && e->op != OP_SUB)
		return err(ck, e->loc, step_tag(e->op), NULL, "%s= cannot take a pointer", expr_op_text(e->op)), false;
	if (lt->kind == T_PTR && (lt->of->kind == T_VOID || lt->of->kind == T_FUNC))
		return err(ck, e->loc, D_OP_INCOMPAT, "cast it to a pointer to a type",
			       "%s= cannot take %s: what it points to has no size", expr_op_text(e->op), tname(ck, lt)),
		       false;
	if ((e->op == OP_DIV || e->op == OP_MOD) && const_eval(ck->ts, ck->d, e->b, &v) && !v)
		return err(ck, e->b->loc, D_DIV_ZERO, NULL, "expression contains division by zero"), false;
	return true;
}

/* @a[1][2]: the brackets of an aggregation are one list. */
static bool agg_of_agg(const struct expr *e)
{
	while (e->kind == EX_INDEX)
		e = e->a;
	return e->kind == EX_AGG;
}

/* The left side, meaning the variable itself and not the translated pointer that it holds. */
static struct type *check_kept_lhs(struct checker *ck, struct expr *e, struct type *rt)
{
	const struct expr *id = e->a->kind == EX_INDEX ? e->a->a : e->a;
	struct symbol *s = id->kind == EX_IDENT ? sym_find(ck, id->name, id->scope) : NULL;
	struct xlate_use *xl = s ? s->xl : NULL;
	struct type *t;

	if (xl)
		s->xl = NULL;
	t = check_lhs(ck, e, rt);
	if (xl)
		s->xl = xl;
	return t;
}

/* The right side is checked first, because it gives a new variable its type. */
struct type *check_assign(struct checker *ck, struct expr *e)
{
	struct type *rt, *lt;

	if (e->a->kind == EX_AGG)
		return err(ck, e->loc, D_AGG_SCALAR, "write it as a separate statement: @a = count();",
			"an aggregation is not a value");
	if (e->a->kind == EX_INDEX && agg_of_agg(e->a))
		return err(ck, e->a->loc, D_AGG_MDIM, "separate the keys by commas: @a[1, 2]",
			"an aggregation has one pair of brackets");
	rt = check_expr(ck, e->b);
	if (!rt) {
		checker_forgo_variable(ck, e->a);
		return NULL;
	}
	if (is_xlated(e->b))
		return check_assign_xlated(ck, e, rt);
	lt = check_kept_lhs(ck, e, rt);
	if (!lt)
		return NULL;
	e->a->type = lt;
	if (is_text_element(e->a))
		e->a->a->a->sym->as_text = true;
	if (lt->kind == T_STRING && e->op == OP_ASSIGN && check_text_of(ck, &e->b))
		rt = ck->ts->string;
	if (lt->kind == T_ARRAY)
		return err(ck, e->loc, D_OP_ARRFUN, "assign to its elements",
			"%s is an array: it is not assigned as a whole", ast_expr_text(ck->arena, e->a));
	if (e->op != OP_ASSIGN && e->a->sym)
		e->a->sym->counted = true;
	if (is_release(e))
		e->a->sym->released = true;
	if (e->op != OP_ASSIGN && !compound_fits(ck, e, lt, rt))
		return NULL;
	if (!(type_fits(ck, lt, rt) && (e->op != OP_ASSIGN || numbers_fit(ck, NULL, lt, e->b))) &&
		!is_text_address(e, lt, rt) && !is_release(e) &&
		!(type_is_string(lt) && e->op == OP_ASSIGN &&
			(expr_is_null(ck->ts, e->b) || (e->b->kind == EX_INT && !e->b->ival))))
		return err(ck, e->loc, D_OP_INCOMPAT, NULL, "%s is %s: it cannot take %s",
			ast_expr_text(ck->arena, e->a), tname(ck, lt), tname(ck, rt));
	return lt;
}
