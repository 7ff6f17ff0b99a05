/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why: a reporter that keeps the last diagnostic as the text that the user would see, without "dwire: " in front. */
#ifndef DWIRE_TESTS_WHY_H
#define DWIRE_TESTS_WHY_H
#include <stdio.h>
#include <string.h>

#include "base/diag/diag_text.h"
#include "base/diag/report.h"

struct why {
	struct reporter to;
	char text[16384];
};

static inline void why_keep(void *ctx, const struct diag *d)
{
	struct why *w = ctx;
	FILE *out = fmemopen(w->text, sizeof(w->text), "w");

	if (!out)
		return;
	diag_print(d, "dwire", out);
	fclose(out);
	if (!strncmp(w->text, "dwire: ", 7))
		memmove(w->text, w->text + 7, sizeof(w->text) - 7);
}

#define WHY_INIT(w)                                  \
	{                                            \
		.to = {.fn = why_keep, .ctx = &(w) } \
	}
#endif
