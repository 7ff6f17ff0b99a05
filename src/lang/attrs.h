/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attrs: the stability of a clause's statements: the least of what they name. */
#ifndef DWIRE_LANG_ATTRS_H
#define DWIRE_LANG_ATTRS_H
#include "base/stability.h"
#include "lang/ast.h"

struct attrs_env {
	struct stability args; /* of the probe's args[] */
	/* What #pragma D attributes says of a name. False: nothing. May be NULL. */
	bool (*named)(void *ctx, const char *name, struct stability *out);
	/* Called for each name. May be NULL. */
	void (*seen)(void *ctx, const struct expr *e, const char *what, struct stability s);
	void *ctx;
};

/* Of a checked clause. */
struct stability clause_attrs(const struct clause *c, const struct attrs_env *env);
#endif
