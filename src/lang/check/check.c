/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check: checks declarations, translators and clauses.
 * Input: a parsed program. Output: the same tree with types and symbols, or errors.
 * Invariant: a name that an error concerns has no symbol, or a symbol of the right kind. So later errors are real. */
#include "lang/check/check.h"

#include <string.h>

#include "lang/check/calls/calls.h"
#include "lang/check/check_priv.h"

/* ---- declarations ------------------------------------------------------------------------------------------------ */
/* Keys are numbers, pointers and strings. */
static void declare_key(struct checker *ck, struct symbol *s, const struct tyx *x)
{
	struct type *t = types_resolve(ck->ts, ck->d, x);

	if (!t)
		t = ck->ts->int64;
	else if (s->kind == SYM_ASSOC)
		(void)check_key_type(ck, x->loc, t);
	else if (!type_is_scalar(t) && t->kind != T_STRING)
		err(ck, x->loc, D_KEY_TYPE, NULL, "%s cannot be a parameter", type_name(ck->ts, t));
	s->keys[s->nkeys++] = t;
}

/* The associative array that x is, directly or through a typedef, or NULL. An array of associative arrays is one
 * with one more key. */
static const struct tyx *assoc_of(struct checker *ck, const struct tyx *x)
{
	const struct tyx *in = x;

	if (x->kind == TYX_NAME)
		return strmap_get(ck->assoc_types, x->name);
	while (in->kind == TYX_ARRAY || in->kind == TYX_ASSOC)
		if (in->kind == TYX_ASSOC)
			return x;
		else
			in = in->of;
	return NULL;
}

/* x, resolved as t, is an associative array, or several nested ones: collects all keys and the type of the elements. */
static struct type *declare_keys(struct checker *ck, struct symbol *s, const struct tyx *x, struct type *t)
{
	size_t n = 0;

	for (const struct tyx *in = x; assoc_of(ck, in) && in->kind != TYX_NAME; in = in->of)
		n += in->kind == TYX_ASSOC ? in->keys.n : 1;
	s->keys = ARENA_ARRAY(ck->arena, struct type *, n + 1);
	for (; assoc_of(ck, x) && x->kind != TYX_NAME; x = x->of) {
		for (size_t i = 0; x->kind == TYX_ASSOC && i < x->keys.n; i++)
			declare_key(ck, s, x->keys.v[i]);
		if (x->kind == TYX_ARRAY) {
			s->keys[s->nkeys++] = ck->ts->int64;
			t = t->of;
		}
	}
	return t;
}

/* Can a variable have the type? */
static bool can_declare(struct checker *ck, const struct var_decl *v, struct type *t)
{
	type_complete(ck->ts, t);
	if (assoc_of(ck, v->type) && v->scope == SCOPE_THIS)
		err(ck, v->loc, D_DECL_LOCASSC, "use self or a global", "this-> has no associative arrays");
	else if (t->kind == T_VOID)
		err(ck, v->loc, D_DECL_VOIDOBJ, NULL, "a variable cannot be void");
	else if (t->kind == T_ARRAY && v->type->kind == TYX_ARRAY && !v->type->size)
		err(ck, v->loc, D_DECL_ARRNULL,
			arena_printf(
				ck->arena, "%s %s[int] for an associative array", type_name(ck->ts, t->of), v->name),
			"the array %s needs a size", v->name);
	else if (t->kind == T_ARRAY && !t->nelems)
		err(ck, v->loc, D_DECL_ARRSUB, NULL, "size of an array must be a positive constant");
	else if (type_is_sou(t) && !t->complete)
		err(ck, v->loc, D_DECL_INCOMPLETE, NULL, "%s is not known here", type_name(ck->ts, t));
	else
		return true;
	return false;
}

/* Is s declared again with the same type t and, if x is not NULL, the same keys? */
static bool is_declared_so(struct checker *ck, const struct symbol *s, const struct tyx *x, struct type *t)
{
	struct symbol again = { .kind = x ? SYM_ASSOC : SYM_VAR };
	struct type *of = x ? declare_keys(ck, &again, x, t) : t;

	if (s->kind != again.kind || s->nkeys != again.nkeys || !type_same(s->type, of))
		return false;
	for (size_t i = 0; i < s->nkeys; i++)
		if (!type_same(s->keys[i], again.keys[i]))
			return false;
	return true;
}

/* Two declarations of one variable may stand beside each other if they agree, as in a header and a script. */
static void declare_var(struct checker *ck, const struct var_decl *v)
{
	const struct tyx *x = assoc_of(ck, v->type);
	bool assoc = x != NULL;
	struct type *t = types_resolve(ck->ts, ck->d, v->type);
	struct symbol *s = strmap_get(sym_scope(ck, v->scope), v->name);

	if (!t || t->kind == T_FUNC) /* D's functions are built in: a prototype adds none */
		return;
	if (v->is_extern && v->type->kind == TYX_ARRAY && !v->type->size) /* extern int a[]; makes none either */
		return;
	if (s) {
		if (!s->type || !is_declared_so(ck, s, x, t))
			err(ck, v->loc, D_DECL_IDRED, NULL, "%s is declared already, as something else", v->name);
		return;
	}
	if (v->scope == SCOPE_GLOBAL && strmap_get(ck->funcs, v->name)) {
		err(ck, v->loc, D_DECL_IDRED, NULL, "%s is a function", v->name);
		return;
	}
	if (!can_declare(ck, v, t))
		return;
	s = sym_new(ck, assoc ? SYM_ASSOC : SYM_VAR, v->name, v->loc);
	s->scope = v->scope;
	s->type = assoc ? declare_keys(ck, s, x, t) : t;
	strmap_put(sym_scope(ck, v->scope), v->name, s);
}

/* An integer constant may stand in types: int a[N]; */
static void note_constant(struct checker *ck, const struct inline_def *in, const struct type *t)
{
	int64_t *slot, v;

	if (in->type->kind == TYX_ASSOC || in->loc.src->library || !in->value->type || !type_is_int(t) ||
		!const_eval(ck->ts, ck->d, in->value, &v))
		return;
	slot = ARENA_NEW(ck->arena, int64_t);
	*slot = v;
	strmap_put(ck->ts->constants, in->name, slot);
}

/* The value of a library's inline is checked when a script first uses it: most scripts use few. */
static void declare_inline(struct checker *ck, const struct inline_def *in)
{
	struct type *t = types_resolve(ck->ts, ck->d, in->type);
	struct symbol *s = strmap_get(ck->globals, in->name);

	if (!t)
		return;
	/* A script may redefine an inline of the library for itself, because DTrace's libraries lack some of ours. */
	if (s && (s->kind != SYM_INLINE || !s->loc.src->library || in->loc.src->library)) {
		err(ck, in->loc, D_DECL_IDRED, NULL, "%s is declared already", in->name);
		return;
	}
	if (s)
		strmap_put(ck->shadowed, in->name, s);
	s = sym_new(ck, SYM_INLINE, in->name, in->loc);
	s->type = t;
	s->inl = in;
	if (in->type->kind == TYX_ASSOC) {
		(void)declare_keys(ck, s, in->type, t);
		s->params = ARENA_ARRAY(ck->arena, struct symbol *, s->nkeys + 1);
		for (size_t i = 0; i < s->nkeys; i++) {
			s->params[i] = sym_new(ck, SYM_PARAM, i < in->params.n ? in->params.v[i] : "", in->loc);
			s->params[i]->type = s->keys[i];
		}
	}
	if (!in->loc.src->library) /* a library's are checked when they are used */
		check_inline(ck, s);
	note_constant(ck, in, t);
	strmap_put(ck->globals, in->name, s); /* last, so that it cannot name itself */
}

/* Can the member of a translated structure be made of this value? */
static bool init_fits(struct checker *ck, const struct type *member, const struct expr *init)
{
	const struct type *value = init->type;
	bool chars = (member->kind == T_ARRAY || member->kind == T_PTR) && member->of->size == 1;

	if (type_is_string(value))
		return type_is_string(member) || chars;
	if (!ck->library && type_is_scalar(value) && type_is_scalar(member))
		return type_fits(ck, member, value) && numbers_fit(ck, NULL, member, init);
	if (type_is_scalar(value) || value->kind == T_ARRAY)
		return type_is_scalar(member) || member->kind == T_FLOAT || value->kind == T_ARRAY;
	return type_same(member, value);
}

/* The initialiser of a member that the structure does not have was reported by declare_xlator(). */
static void check_init(struct checker *ck, const struct xlator *xl, const struct tyx_member_init *init)
{
	uint32_t off;
	const struct type_member *m = type_find_member(ck->ts, xl->out_type, init->name, &off);

	const struct expr *value = m ? check_xl_member(ck, xl, init->name) : NULL; /* of two the first, as in DTrace */

	if (!value || init_fits(ck, m->type, value))
		return;
	err(ck, init->loc, D_XLATE_INCOMPAT, NULL, "%s is %s: it cannot be made of %s", init->name,
		type_name(ck->ts, m->type), type_name(ck->ts, value->type));
}

/* One translator for each pair of types. Its members are checked one by one when a script reads them. */
static void declare_xlator(struct checker *ck, struct xlator *xl)
{
	struct type *in;

	xl->out_type = types_resolve(ck->ts, ck->d, xl->out);
	in = types_resolve(ck->ts, ck->d, xl->in);
	if (!xl->out_type || !in)
		return;
	type_complete(ck->ts, xl->out_type);
	if (xl->out_type->kind != T_STRUCT && xl->out_type->kind != T_UNION) {
		err(ck, xl->loc, D_XLATE_SOU, NULL, "a translator makes a structure, not %s",
			type_name(ck->ts, xl->out_type));
		return;
	}
	type_complete(ck->ts, in);
	if (!xl->out_type->complete || (type_is_sou(in) && !in->complete)) {
		err(ck, xl->loc, D_DECL_INCOMPLETE, NULL, "%s is not known here",
			type_name(ck->ts, xl->out_type->complete ? in : xl->out_type));
		return;
	}
	xl->in_type = in;
	for (size_t i = 0; i < ck->xlators.n; i++)
		if (type_same(ck->xlators.v[i]->out_type, xl->out_type) && type_same(ck->xlators.v[i]->in_type, in)) {
			err(ck, xl->loc, D_XLATE_REDECL, NULL, "this translator is declared already");
			return;
		}
	for (size_t i = 0; i < xl->ninits; i++) {
		uint32_t off;

		if (!type_find_member(ck->ts, xl->out_type, xl->inits[i].name, &off))
			err(ck, xl->inits[i].loc, D_XLATE_MEMB, NULL, "%s has no member %s",
				type_name(ck->ts, xl->out_type), xl->inits[i].name);
	}
	*vec_push(ck->arena, &ck->xlators) = xl;
	for (size_t i = 0; i < xl->ninits && !xl->loc.src->library;
		i++) /* a library's are checked when they are used */
		check_init(ck, xl, &xl->inits[i]);
}

/* The same typedef twice is allowed, as in C11. */
static void declare_typedef(struct checker *ck, const struct tyx *x, const char *name)
{
	struct type *t = types_resolve(ck->ts, ck->d, x), *old = strmap_get(ck->ts->declared, name);

	if (!t)
		return;
	if (old && !type_same(old, t)) {
		err(ck, x->loc, D_DECL_IDRED, NULL, "%s is a type already: %s", name, type_name(ck->ts, old->canon));
		return;
	}
	types_add_typedef(ck->ts, name, t);
	strmap_put(ck->ts->declared, name, t);
	if (assoc_of(ck, x))
		strmap_put(ck->assoc_types, name, (void *)(uintptr_t)assoc_of(ck, x));
}

/* In the order of the text: a declaration may use only what stands before it. */
void check_decls(struct checker *ck, struct program *p)
{
	bool library = ck->library;

	for (size_t i = 0; i < p->decls.n; i++) {
		struct decl *d = p->decls.v[i];

		ck->library = d->loc.src && d->loc.src->library;
		switch (d->kind) {
		case DECL_TYPE:
			(void)types_resolve(ck->ts, ck->d, d->u.type);
			break;
		case DECL_TYPEDEF:
			declare_typedef(ck, d->u.typedef_.type, d->u.typedef_.name);
			break;
		case DECL_VAR:
			declare_var(ck, &d->u.var);
			break;
		case DECL_INLINE:
			declare_inline(ck, &d->u.inl);
			break;
		case DECL_XLATOR:
			declare_xlator(ck, &d->u.xlator);
			break;
		case DECL_PROVIDER:
			check_provider(ck, &d->u.provider);
			break;
		case DECL_PRAGMA:
			break;
		case DECL_CLAUSE:
			break;
		}
	}
	ck->library = library;
}

/* ---- translators ------------------------------------------------------------------------------------------------- */
/* Structures extend others by an anonymous member: struct dw_tcp has all that struct dw_pkt has. */
const struct type *check_base(struct checker *ck, const struct type *t)
{
	type_complete(ck->ts, (struct type *)(uintptr_t)t);
	for (size_t i = 0; i < t->nmembers; i++) {
		const struct type *m = t->members[i].type;

		if (!t->members[i].name && m->kind == T_STRUCT && m->name)
			return m;
	}
	return NULL;
}

/* raw: the tag of the structure that the translator takes, by value or by a pointer. */
static const struct xlator *find_xlator(struct checker *ck, const char *raw, const struct type *out)
{
	for (size_t i = 0; i < ck->xlators.n; i++) {
		struct xlator *xl = ck->xlators.v[i];
		struct type *in = xl->in_type->kind == T_PTR ? xl->in_type->of : xl->in_type;

		if (!strcmp(in->name, raw) && type_same(xl->out_type, out))
			return xl;
	}
	return NULL;
}

/* If raw itself has none, what it extends may have one. */
const struct xlator *check_xlator(struct checker *ck, const char *raw, const struct type *out)
{
	const struct xlator *xl;
	const struct type *in;

	check_use(ck, raw);
	xl = find_xlator(ck, raw, out);
	in = xl ? NULL : types_tagged(ck->ts, T_STRUCT, raw);
	in = in ? check_base(ck, in) : NULL;
	return in ? check_xlator(ck, in->name, out) : xl;
}

const struct xlator *check_xlator_from(struct checker *ck, const struct type *in, const struct type *out)
{
	for (size_t i = 0; i < ck->xlators.n; i++)
		if (type_same(ck->xlators.v[i]->in_type, in) && type_same(ck->xlators.v[i]->out_type, out))
			return ck->xlators.v[i];
	return NULL;
}

/* One symbol for each translator, as all its members share the parameter. */
struct symbol *xlator_param(struct checker *ck, const struct xlator *xl)
{
	const char *key = arena_printf(ck->arena, "%p", (const void *)xl);
	struct symbol *s = strmap_get(ck->members, key);

	if (!s) {
		s = sym_new(ck, SYM_PARAM, xl->param, xl->loc);
		s->type = xl->in_type;
		strmap_put(ck->members, key, s);
	}
	return s;
}

/* Checks an expression of a translator or provider with one parameter in scope. */
static bool check_with_param(struct checker *ck, struct expr *e, struct symbol *param, bool in_library)
{
	struct symbol **params = ck->params;
	size_t n = ck->nparams, nsigs = ck->nsigs;
	bool library = ck->library, ok;

	ck->params = &param;
	ck->nparams = 1;
	ck->nsigs = 0;
	ck->library = in_library;
	ok = check_expr(ck, e) != NULL;
	ck->params = params;
	ck->nparams = n;
	ck->nsigs = nsigs;
	ck->library = library;
	return ok;
}

/* Checked once: later uses get the typed tree. NULL after an error or if the translator leaves the member out. */
struct expr *check_xl_member(struct checker *ck, const struct xlator *xl, const char *member)
{
	for (size_t i = 0; i < xl->ninits; i++) {
		struct expr *e = xl->inits[i].value;

		if (strcmp(xl->inits[i].name, member))
			continue;
		if (e->type)
			return e;
		return check_with_param(ck, e, xlator_param(ck, xl), xl->loc.src && xl->loc.src->library) ? e : NULL;
	}
	return NULL;
}

/* The caller's clause is not in scope: only P is. */
bool check_site_expr(struct checker *ck, struct expr *e, const char *raw, struct symbol **param)
{
	struct loc nowhere = { 0 };
	struct symbol *s = sym_new(ck, SYM_PARAM, "P", nowhere);
	struct type *t = types_tagged(ck->ts, T_STRUCT, raw);

	if (!t)
		return false;
	s->type = type_ptr(ck->ts, t);
	*param = s;
	return check_with_param(ck, e, s, true);
}

/* Does evaluating e read memory through a pointer? A script may do so only to cause the fault, so it has an effect. */
static bool follows_pointer(const struct expr *e)
{
	if (!e)
		return false;
	if ((e->kind == EX_UNARY && e->op == OP_DEREF) || (e->kind == EX_MEMBER && e->arrow) || e->kind == EX_CALL ||
		(e->kind == EX_INDEX && !e->sym))
		return true;
	return follows_pointer(e->a) || follows_pointer(e->b) || follows_pointer(e->c);
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */
/* An error, as in DTrace: it is mostly a forgotten trace() or =. */
static void no_effect(struct checker *ck, const struct expr *e)
{
	err(ck, e->loc, D_EXPR_NULL, "trace(...) prints it", "this expression has no effect");
}

/* An expression as a statement: it must do something. An integer constant may stand there, as in on ? trace(1) : 0; */
static bool is_statement(struct checker *ck, const struct expr *e)
{
	int64_t v;

	return expr_has_effects(e) || follows_pointer(e) ||
		(type_is_int(e->type) && const_eval(ck->ts, diags_new(ck->arena), e, &v));
}

/* Assignments to aggregations, actions and ?: with actions may only be statements. */
static void check_stmt_expr(struct checker *ck, struct expr *e)
{
	if (!check_decided(ck, e))
		return;
	if (e->kind == EX_COND) {
		e->type = check_arms(ck, e);
		if (e->type && !is_statement(ck, e))
			no_effect(ck, e);
		return;
	}
	if (e->kind == EX_ASSIGN && e->a->kind == EX_AGG) {
		check_agg_assign(ck, e);
		return;
	}
	if (e->kind == EX_CALL && check_dlib_call(ck, e)) {
		(void)check_expr(ck, e);
		return;
	}
	if (e->kind == EX_CALL) {
		check_action(ck, e);
		return;
	}
	if (e->kind == EX_AGG) {
		err(ck, e->loc, D_AGG_NULL, "@a = count(); fills it, printa(@a); prints it",
			"naming an aggregation has no effect");
		return;
	}
	if (check_expr(ck, e) && !is_statement(ck, e))
		no_effect(ck, e);
}

/* NULL: there is nothing to suggest. */
const char *check_truth_hint(const struct type *t)
{
	return type_is_string(t) ? "compare it: s != \"\"" : NULL;
}

/* An error in one statement does not hide errors in others. */
static void check_stmts(struct checker *ck, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct stmt *s = v[i];
		struct type *t;

		if (s->kind == ST_EXPR) {
			check_stmt_expr(ck, s->expr);
			continue;
		}
		t = check_expr(ck, s->expr);
		if (t && !type_is_scalar(t))
			err(ck, s->expr->loc, D_OP_SCALAR, check_truth_hint(t), "the condition of if is %s",
				type_name(ck->ts, t));
		check_stmts(ck, s->then.v, s->then.n);
		check_stmts(ck, s->otherwise.v, s->otherwise.n);
	}
}

/* Actions and aggregations are statements. */
bool has_no_value(struct checker *ck, const struct expr *e)
{
	const struct symbol *f = e->kind == EX_CALL ? strmap_get(ck->funcs, e->name) : NULL;

	return e->kind == EX_AGG || (f && (func_class(f->func) == FC_ACTION || func_class(f->func) == FC_AGG));
}

/* Does e assign to the variable that id names, or count it up or down? */
static bool makes(const struct expr *e, const struct expr *id)
{
	const struct expr *to = !e                                                    ? NULL
		: e->kind == EX_ASSIGN || (e->kind == EX_UNARY && e->op >= OP_PREINC) ? e->a
										      : NULL;

	if (!e)
		return false;
	if (to && to->kind == EX_INDEX)
		to = to->a;
	if (to && to->kind == EX_IDENT && to->scope == id->scope && !strcmp(to->name, id->name))
		return true;
	for (size_t i = 0; i < e->args.n; i++)
		if (makes(e->args.v[i], id))
			return true;
	return makes(e->a, id) || makes(e->b, id) || makes(e->c, id);
}

/* A variable, or a name of the kernel. */
static bool is_known(struct checker *ck, const struct expr *id)
{
	const struct ktypes *k = ck->ts->kernel;
	int64_t v;

	if (sym_find(ck, id->name, id->scope))
		return true;
	return id->scope == SCOPE_GLOBAL &&
		(strmap_get(ck->ts->enumerators, id->name) || (k && k->enumerator(k->ctx, id->name, &v)));
}

/* Does part of the predicate read a variable that neither an earlier clause nor pred itself makes? */
static bool reads_later(struct checker *ck, const struct expr *pred, const struct expr *part)
{
	if (!part)
		return false;
	if (part->kind == EX_IDENT && !is_known(ck, part) && !makes(pred, part))
		return true;
	for (size_t i = 0; i < part->args.n; i++)
		if (reads_later(ck, pred, part->args.v[i]))
			return true;
	return reads_later(ck, pred, part->a) || reads_later(ck, pred, part->b) || reads_later(ck, pred, part->c);
}

/* ---- clauses that are not checked -------------------------------------------------------------------------------- */
/* Notes what the expression assigns to. */
static void forgo(struct checker *ck, const struct expr *e)
{
	if (!e)
		return;
	if (e->kind == EX_ASSIGN || e->kind == EX_UNARY)
		checker_forgo_variable(ck, e->a);
	for (size_t i = 0; i < e->args.n; i++)
		forgo(ck, e->args.v[i]);
	forgo(ck, e->a);
	forgo(ck, e->b);
	forgo(ck, e->c);
}

static void forgo_stmts(struct checker *ck, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		forgo(ck, v[i]->expr);
		forgo_stmts(ck, v[i]->then.v, v[i]->then.n);
		forgo_stmts(ck, v[i]->otherwise.v, v[i]->otherwise.n);
	}
}

void checker_forgo(struct checker *ck, const struct clause *c)
{
	forgo(ck, c->pred);
	forgo_stmts(ck, c->body.v, c->body.n);
}

/* A predicate is a number or a pointer; a string has no truth in D. */
static void check_predicate(struct checker *ck, struct clause *c)
{
	struct type *t;

	if (c->pred && has_no_value(ck, c->pred)) {
		err(ck, c->pred->loc, D_PRED_SCALAR, NULL, "a predicate is an integer: %s has no value",
			ast_expr_text(ck->arena, c->pred));
	} else if (c->pred) {
		t = check_expr(ck, c->pred);
		if (t && !type_is_scalar(t))
			err(ck, c->pred->loc, D_PRED_SCALAR, check_truth_hint(t), "a predicate is an integer, not %s",
				type_name(ck->ts, t));
	}
}

/* /!self->x/ { self->x = 1; }: the actions make what the predicate reads, so they are checked first, as in DTrace. In
 * /i++ < 3/ { trace(i); } the predicate makes it. */
void check_clause(struct checker *ck, struct clause *c, const struct probe_sig *const *sigs, size_t nsigs)
{
	bool later;

	ck->sigs = sigs;
	ck->nsigs = nsigs;
	ck->in_clause = true;
	later = reads_later(ck, c->pred, c->pred);
	if (!later)
		check_predicate(ck, c);
	check_stmts(ck, c->body.v, c->body.n);
	if (later)
		check_predicate(ck, c);
	check_together(ck, c);
	ck->in_clause = false;
	ck->nsigs = 0;
}
