/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_parse: any bytes through the lexer, the parser and the printers.
 * The first byte chooses the entry. Found wrong: a crash, a sanitizer's report, an expression that does not parse
 * again when it is written back, or a result that does not agree with the diagnostics. */
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "diags.h"
#include "lang/parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_typename(void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "uint32_t") || !strcmp(name, "t");
}

static int64_t number(void *ctx, const char *name, bool in_probe, bool *known)
{
	(void)ctx;
	(void)in_probe;
	*known = *name == 't';
	return 4711;
}

static void must(bool what)
{
	if (!what)
		abort();
}

static void fuzz_program(const struct parse_env *env, const struct source *src, FILE *null)
{
	struct program prog = { 0 };
	const int rc = parse_source(env, src, &prog);

	must((rc != 0) == (diags_errors(env->diags) != 0));
	for (size_t i = 0; i < prog.decls.n; i++) {
		const struct decl *d = prog.decls.v[i];

		must(d->loc.src == src && d->loc.off <= src->len);
		if (d->kind == DECL_CLAUSE)
			must(d->u.clause.probes.n > 0);
	}
	/* A deep tree is indented by its depth: too much to print for each input. */
	if (src->len < 2000)
		ast_dump(&prog, null);
}

static void fuzz_expr(const struct parse_env *env, const struct source *src)
{
	struct expr *e = parse_expr_text(env, src);

	must((e == NULL) == (diags_errors(env->diags) != 0));
	if (!e)
		return;
	const char *text = ast_expr_text(env->arena, e);
	const struct source again = { .name = "again", .text = text, .len = strlen(text) };

	e = parse_expr_text(env, &again);
	must(e != NULL);
	must(!strcmp(ast_expr_text(env->arena, e), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "script", "-5", "name", "10.0.0.1", "", "tcp:::send" };

	if (size < 1)
		return 0;
	struct arena *a = arena_new();
	FILE *null = fopen("/dev/null", "w");

	if (!a || !null)
		abort();
	struct macros m = { .argc = 6, .argv = argv, .defaultargs = data[0] & 8, .number = number };
	const struct parse_env env = {
		.arena = a,
		.diags = diags_new(a),
		.macros = &m,
		.is_typename = is_typename,
		.typenames = strmap_new(a),
	};
	const struct source src = { .name = "fuzz", .text = (const char *)data + 1, .len = size - 1 };

	if ((data[0] & 7) == 1)
		fuzz_expr(&env, &src);
	else if ((data[0] & 7) == 3)
		must((tokens_dump(&env, &src, null) != 0) == (diags_errors(env.diags) != 0));
	else
		fuzz_program(&env, &src, null);
	diags_print(env.diags, null);
	fclose(null);
	arena_free(a);
	return 0;
}
