/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split: a probe with many clauses that dwire itself fires (BEGIN, END) gets several programs, which it runs one after
 * the other: the kernel's time to load a program grows with the square of its size.
 * Input: the clauses of a probe. Output: where its next program begins.
 * Invariant: no this-> variable lives in two programs. */
#include "lower/context.h"
#include "lower/program.h"

#define CLAUSES 10u /* of a program, if nothing forbids to end it there */
#define MOST 400u   /* that are cut: so many programs load slower than one, and each pair of clauses is looked at */

/* Does the expression name a this-> variable that one of the clauses v[0..n) names? */
struct look {
	const struct job *v;
	size_t n;
	const struct symbol *sym; /* NULL: looks for any variable; else for this one */
};

static bool clause_shares(const struct look *k, const struct clause *c);

static bool named_before(const struct look *k, const struct symbol *sym)
{
	const struct look one = { .sym = sym };

	for (size_t i = 0; i < k->n; i++)
		if (clause_shares(&one, k->v[i].clause))
			return true;
	return false;
}

static bool expr_shares(const struct look *k, const struct expr *e)
{
	bool is_this = e && e->kind == EX_IDENT && e->sym && e->sym->kind == SYM_VAR && e->sym->scope == SCOPE_THIS;

	if (!e)
		return false;
	if (is_this && (k->sym ? k->sym == e->sym : named_before(k, e->sym)))
		return true;
	if (e->sym && e->sym->kind == SYM_INLINE && expr_shares(k, e->sym->inl->value))
		return true;
	for (size_t i = 0; i < e->args.n; i++)
		if (expr_shares(k, e->args.v[i]))
			return true;
	return expr_shares(k, e->a) || expr_shares(k, e->b) || expr_shares(k, e->c);
}

static bool stmts_share(const struct look *k, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (expr_shares(k, v[i]->expr) || stmts_share(k, v[i]->then.v, v[i]->then.n) ||
			stmts_share(k, v[i]->otherwise.v, v[i]->otherwise.n))
			return true;
	return false;
}

static bool clause_shares(const struct look *k, const struct clause *c)
{
	return expr_shares(k, c->pred) || stmts_share(k, c->body.v, c->body.n);
}

/* Do clauses from `at` on name a this-> variable that one of [from, at) names? */
static bool cut_parts(const struct jobs *jobs, size_t from, size_t at)
{
	const struct look k = { .v = jobs->v.v + from, .n = at - from };

	for (size_t i = at; i < jobs->v.n; i++)
		if (clause_shares(&k, jobs->v.v[i].clause))
			return true;
	return false;
}

size_t split_end(const struct jobs *jobs, size_t from)
{
	size_t at = jobs->v.n > MOST ? jobs->v.n : from + CLAUSES;

	while (at + 1 < jobs->v.n && cut_parts(jobs, from, at))
		at++;
	return at + 1 < jobs->v.n ? at : jobs->v.n;
}
