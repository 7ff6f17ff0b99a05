/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_driver: prints what the parser makes of a D text, for the golden tests.
 * Input: [-t] file, then macro arguments. Output: the tree, if there were no
 * errors (with -t the tokens), then the diagnostics, all on stdout.
 * Exit status 0, 1 when there were errors, 2 when the file cannot be read. Typedef names known: the size_t family. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "diags.h"
#include "lang/parse/parse.h"

static bool is_typename(void *ctx, const char *name)
{
	static const char *const names[] = { "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
		"uint32_t", "int64_t", "uint64_t", "uintptr_t", "pid_t", "bool" };

	(void)ctx;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int64_t number(void *ctx, const char *name, bool in_probe, bool *known)
{
	(void)ctx;
	(void)in_probe;
	*known = !strcmp(name, "target") || !strcmp(name, "pid");
	return *known ? 4711 : 0;
}

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t cap = 0, n = 0;

	if (!f)
		return NULL;
	do {
		if (n == cap) {
			cap = cap ? cap * 2 : 65536;
			char *bigger = realloc(text, cap);

			if (!bigger) {
				free(text);
				text = NULL;
				break;
			}
			text = bigger;
		}
		n += fread(text + n, 1, cap - n, f);
	} while (!feof(f) && !ferror(f));
	fclose(f);
	*len = n;
	return text;
}

int main(int argc, char **argv)
{
	const bool tokens = argc > 1 && !strcmp(argv[1], "-t");
	char **args = argv + 1 + tokens;
	struct source src = { 0 };
	struct program prog = { 0 };
	char *text;

	if (!*args || !(text = read_file(*args, &src.len))) {
		fputs("usage: parse_driver [-t] file [argument ...]\n", stderr);
		return 2;
	}
	struct arena *a = arena_new();

	if (!a) {
		free(text);
		return 2;
	}
	const char *slash = strrchr(*args, '/');

	src.name = slash ? slash + 1 : *args;
	src.text = text;
	struct macros m = { .argc = argc - 1 - tokens, .argv = (const char *const *)args, .number = number };
	const struct parse_env env = {
		.arena = a,
		.diags = diags_new(a),
		.macros = &m,
		.is_typename = is_typename,
		.typenames = strmap_new(a),
	};
	const int rc = tokens ? tokens_dump(&env, &src, stdout) : parse_source(&env, &src, &prog);

	if (!tokens && !rc)
		ast_dump(&prog, stdout);
	diags_print(env.diags, stdout);
	arena_free(a);
	free(text);
	return rc ? 1 : 0;
}
