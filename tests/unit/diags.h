/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diags: diagnostics as text on a stream, for tests and fuzzers. */
#ifndef DWIRE_TESTS_DIAGS_H
#define DWIRE_TESTS_DIAGS_H
#include <stdio.h>

#include "base/diag/diag_text.h"

/* The fn of a struct reporter whose ctx is a FILE. */
static inline void diag_write(void *file, const struct diag *g)
{
	diag_print(g, "dwire", file);
}

/* All of a list, and how many were not kept. */
static inline void diags_print(const struct diags *d, FILE *out)
{
	const struct diag *g;

	for (size_t i = 0; (g = diags_get(d, i)) != NULL; i++)
		diag_write(out, g);
	if (diags_unkept(d))
		fprintf(out, "dwire: %zu more errors not shown\n", diags_unkept(d));
}
#endif
