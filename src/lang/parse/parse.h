/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse: turns D text into a tree. Pure: it knows nothing of the kernel. It recovers after an error, so one run reports
 * several. */
#ifndef DWIRE_LANG_PARSE_PARSE_H
#define DWIRE_LANG_PARSE_PARSE_H
#include <stdio.h>

#include "lang/ast.h"

/* Macro variables: $0..$N, $$N, $target, $pid, $uid ... */
struct macros {
	int argc; /* $0 .. $argc-1 */
	const char *const *argv;
	unsigned char *used; /* argc flags, set when $i is read; may be NULL */
	bool defaultargs;    /* missing $N is 0, $$N is "" */
	/* $pid, $target, ...; in_probe: in a probe's description. */
	int64_t (*number)(void *ctx, const char *name, bool in_probe, bool *known);
	void *ctx;
};

struct parse_env {
	struct arena *arena;
	struct diags *diags;
	struct macros *macros; /* may be NULL */
	/* Is name a typedef name of the kernel (BTF) or a built-in one? The parser knows those it parsed itself. */
	bool (*is_typename)(void *ctx, const char *name);
	/* Called for each #pragma D when it is read: what follows may depend on it. May be NULL. */
	void (*pragma)(void *ctx, const struct pragma *p);
	void *ctx;                /* of both */
	struct strmap *typenames; /* names that parsed typedefs added; kept between texts; not NULL */
};

/* Parses one source and appends to prog. 0, or -EINVAL when it reported errors (prog then holds what was
 * understood). Limits: 16 MiB of text, 4,000 levels of nesting, reported as D_LIMIT. */
int parse_source(const struct parse_env *env, const struct source *src, struct program *prog)
	__attribute__((warn_unused_result));
/* Parses one expression (a site's binding or filter in a provider's table). NULL when it reported errors. */
struct expr *parse_expr_text(const struct parse_env *env, const struct source *src);
/* --dump=tokens: one token a line: line:col kind text. */
int tokens_dump(const struct parse_env *env, const struct source *src, FILE *out) __attribute__((warn_unused_result));
#endif
