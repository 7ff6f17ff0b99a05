/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settle: chooses the form in which each string variable, member and key is kept, so that every reader can read it.
 * Input: checked programs. Output: the forms of their symbols.
 * Invariant: a form only grows, so the search for a fixed point ends. */
#include "lang/check/calls/calls.h"
#include "lang/check/check_priv.h"

/* Adds to a form. True if that changed it, so that what depends on it is looked at again. */
static bool widen(int *form, int add)
{
	int now = form_join(*form, add);
	bool changed = now != *form;

	*form = now;
	return changed;
}

/* A variable that is compared with characters, or by order, must be kept as characters: its literals' numbers cannot
 * become text in the kernel. */
static bool force_chars(struct checker *ck, struct expr *e)
{
	bool changed = false;
	int *form;

	while (e->kind == EX_CAST || e->kind == EX_STRINGOF || e->kind == EX_COMMA)
		e = e->kind == EX_COMMA ? e->b : e->a;
	if (e->kind == EX_ASSIGN)
		return force_chars(ck, e->a);

	if (e->kind == EX_COND) {
		changed |= force_chars(ck, e->b);
		return force_chars(ck, e->c) || changed;
	}
	form = form_kept(e);
	if (form && (*form & FORM_LIT))
		changed = widen(form, FORM_CHARS);
	return changed;
}

/* The keys of an array or aggregation get the forms of all keys that are used with it. */
static bool widen_keys(struct checker *ck, struct expr *e)
{
	bool changed = false;

	if (!e->sym || !e->sym->keys)
		return false;
	for (size_t i = 0; i < e->args.n && i < e->sym->nkeys; i++) {
		if (e->sym->keys[i]->kind != T_STRING)
			continue;
		if (!e->sym->key_forms)
			e->sym->key_forms = ARENA_ARRAY(ck->arena, int, e->sym->nkeys);
		changed |= widen(&e->sym->key_forms[i], expr_form(ck, e->args.v[i]));
		if (form_rep(e->sym->key_forms[i]) >= REP_CHARS)
			changed |= force_chars(ck, e->args.v[i]);
		if (e->sym->kind == SYM_INLINE) /* the parameter takes what is handed over */
			changed |= widen(&e->sym->params[i]->form, e->sym->key_forms[i]);
	}
	return changed;
}

static bool settle(struct checker *ck, struct expr *e);

/* A translated structure is copied: its members take what the translator makes. */
static bool settle_inits(struct checker *ck, struct expr *e)
{
	const struct xlator *xl = e->xl->whole ? e->xl->whole : e->xl->xl;
	bool changed = false;

	for (size_t i = 0; xl && i < xl->ninits; i++) {
		struct expr *init = xl->inits[i].value;
		uint32_t off;
		struct type_member *m = type_find_member(ck->ts, e->xl->out, xl->inits[i].name, &off);

		if (!m || !init->type)
			continue;
		changed |= settle(ck, init);
		if (m->type->kind == T_STRING)
			changed |= widen(&m->form, expr_form(ck, init) & ~FORM_NULL);
		if (m->type->kind == T_STRING && form_rep(m->form) >= REP_CHARS)
			changed |= force_chars(ck, init);
		if (is_xlated(init))
			changed |= settle_inits(ck, init);
	}
	return changed;
}

/* A type that print() or trace() shows from memory keeps its strings as text. */
static bool text_within(struct checker *ck, struct type *t)
{
	bool changed = false;

	while (t->kind == T_ARRAY)
		t = t->of;
	for (size_t i = 0; type_is_sou(t) && i < t->nmembers; i++)
		changed |= t->members[i].type->kind == T_STRING
			? widen(&t->members[i].form, form_of_text(ck, ck->strsize))
			: text_within(ck, t->members[i].type);
	return changed;
}

/* print() and trace() of a structure show its memory, so its strings are kept there as text. */
static bool settle_shown(struct checker *ck, struct expr *e)
{
	struct type *t = e->type;
	int *form = form_kept(e);

	if (!t || !type_is_block(t) || is_xlated(e))
		return false;
	while (t->kind == T_ARRAY)
		t = t->of;
	return t->kind != T_STRING ? text_within(ck, t) : form && widen(form, form_of_text(ck, ck->strsize));
}

/* The variable gets the form of the assigned value. If it then needs characters, the right side must provide
 * characters, too. */
static bool settle_assign(struct checker *ck, struct expr *e)
{
	int *form = form_kept(e->a), add = expr_form(ck, e->b);
	bool changed;

	if (!e->a->sym) /* members have no room for the mark of NULL: they are "" then */
		add &= ~FORM_NULL;
	changed = form && widen(form, add);

	if (form && form_rep(*form) >= REP_CHARS)
		changed |= force_chars(ck, e->b);
	return changed;
}

/* One expression and all below it. True if a form has changed. */
static bool settle(struct checker *ck, struct expr *e)
{
	bool changed = false;

	if (!e)
		return false;
	changed |= settle(ck, e->a);
	changed |= settle(ck, e->b);
	changed |= settle(ck, e->c);
	for (size_t i = 0; i < e->args.n; i++)
		changed |= settle(ck, e->args.v[i]);
	if (e->sym && e->sym->as_text)
		changed |= widen(&e->sym->form, form_of_text(ck, ck->strsize) | FORM_NULL);
	if (e->kind == EX_INDEX || e->kind == EX_AGG)
		changed |= widen_keys(ck, e);
	for (size_t i = 0; subr_needs_text(e) && i < e->args.n; i++)
		if (e->args.v[i]->type && type_is_string(e->args.v[i]->type))
			changed |= force_chars(ck, e->args.v[i]);
	if (e->kind == EX_CALL && e->sym && e->args.n && (e->sym->func == FN_print || e->sym->func == FN_trace))
		changed |= settle_shown(ck, e->args.v[0]);
	if (e->sym && e->sym->kind == SYM_INLINE && e->kind != EX_INT)
		changed |= settle(ck, e->sym->inl->value);
	if (e->kind == EX_COND && e->type && type_is_string(e->type) && form_rep(expr_form(ck, e)) >= REP_CHARS) {
		changed |= force_chars(ck, e->b);
		changed |= force_chars(ck, e->c);
	}
	if (e->kind == EX_ASSIGN && e->a->type && e->a->type->kind == T_STRING)
		changed |= settle_assign(ck, e);
	if (e->kind == EX_ASSIGN && is_xlated(e->b) && e->b->type && e->b->type->kind != T_PTR)
		changed |= settle_inits(ck, e->b);
	if (e->kind == EX_BINARY && e->a->type && e->b->type && type_is_string(e->a->type) &&
		type_is_string(e->b->type)) {
		int fa = expr_form(ck, e->a), fb = expr_form(ck, e->b);
		bool order = e->op != OP_EQ && e->op != OP_NE;

		if (order || ((fa | fb) & (FORM_CHARS | FORM_TEXT))) {
			changed |= force_chars(ck, e->a);
			changed |= force_chars(ck, e->b);
		}
	}
	return changed;
}

static bool settle_stmts(struct checker *ck, struct stmt *const *v, size_t n)
{
	bool changed = false;

	for (size_t i = 0; i < n; i++) {
		changed |= settle(ck, v[i]->expr);
		changed |= settle_stmts(ck, v[i]->then.v, v[i]->then.n);
		changed |= settle_stmts(ck, v[i]->otherwise.v, v[i]->otherwise.n);
	}
	return changed;
}

static bool settle_program(struct checker *ck, struct program *p)
{
	bool changed = false;

	for (size_t i = 0; i < p->decls.n; i++) {
		struct clause *c = &p->decls.v[i]->u.clause;

		if (p->decls.v[i]->kind != DECL_CLAUSE)
			continue;
		changed |= settle(ck, c->pred);
		changed |= settle_stmts(ck, c->body.v, c->body.n);
	}
	return changed;
}

/* The texts of one compilation share variables, so each text settles the earlier ones again. */
void check_forms(struct checker *ck, struct program *p)
{
	bool changed = true;

	*vec_push(ck->arena, &ck->settled) = p;
	while (changed) { /* it ends: a form only grows */
		changed = false;
		for (size_t i = 0; i < ck->settled.n; i++)
			changed |= settle_program(ck, ck->settled.v[i]);
	}
	check_alike(ck, p);
}
