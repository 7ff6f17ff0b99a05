/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attrs: computes the stability of a clause's statements. See attrs.h.
 * Input: a checked clause. Output: the least stability of all that it names, as a triplet.
 * Source: D manual, chapter "Stability". */
#include "lang/attrs.h"

#include <string.h>

#include "lang/check/check.h"

/* The stability of one name, and in *what the word for it in messages. */
static struct stability name_attrs(const struct expr *e, const struct attrs_env *env, const char **what)
{
	static const struct stability symbol = { STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN };
	static const struct stability structure = { STAB_STABLE, STAB_PRIVATE, CLASS_COMMON };
	struct stability s;

	*what = "scalar";
	if (e->kind == EX_SCOPED) {
		*what = "symbol";
		return symbol;
	}
	if (e->kind == EX_CALL)
		*what = "function";
	if (env->named && e->name && env->named(env->ctx, e->name, &s))
		return s;
	if (e->kind == EX_IDENT && e->scope == SCOPE_GLOBAL && !strcmp(e->name, "args")) {
		*what = "array";
		return env->args;
	}
	if (e->kind != EX_IDENT || !e->sym || e->sym->kind != SYM_BUILTIN)
		return STABILITY_STABLE;
	return e->sym->builtin == BI_curthread ? structure : STABILITY_STABLE;
}

/* Takes the least of all names in the expression, and reports each one to env->seen. */
static void walk_expr(const struct expr *e, const struct attrs_env *env, struct stability *least)
{
	const char *what;

	if (!e)
		return;
	/* The checker makes a constant of an inline's name, and leaves the name. */
	if (e->kind == EX_IDENT || e->kind == EX_SCOPED || e->kind == EX_CALL || (e->kind == EX_INT && e->name)) {
		struct stability s = name_attrs(e, env, &what);

		if (env->seen)
			env->seen(env->ctx, e, what, s);
		*least = stability_min(*least, s);
	}
	walk_expr(e->a, env, least);
	walk_expr(e->b, env, least);
	walk_expr(e->c, env, least);
	for (size_t i = 0; i < e->args.n; i++)
		walk_expr(e->args.v[i], env, least);
}

static void walk_stmts(struct stmt *const *v, size_t n, const struct attrs_env *env, struct stability *least)
{
	for (size_t i = 0; i < n; i++) {
		walk_expr(v[i]->expr, env, least);
		walk_stmts(v[i]->then.v, v[i]->then.n, env, least);
		walk_stmts(v[i]->otherwise.v, v[i]->otherwise.n, env, least);
	}
}

struct stability clause_attrs(const struct clause *c, const struct attrs_env *env)
{
	struct stability least = STABILITY_STABLE;

	walk_expr(c->pred, env, &least);
	walk_stmts(c->body.v, c->body.n, env, &least);
	return least;
}
