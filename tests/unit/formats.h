/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formats: format strings that are no part of a script, for tests and fuzzers. */
#ifndef DWIRE_TESTS_FORMATS_H
#define DWIRE_TESTS_FORMATS_H
#include <string.h>

#include "lang/format.h"

/* Parses a format. NULL, or the diagnostic, of which loc.off is the offset in s; loc.src is gone. */
static inline const struct diag *format_parse_n(struct arena *a, const char *s, size_t len, struct fmt *out)
{
	const struct source src = { .name = "format", .text = s, .len = len };
	struct diags *d = diags_new(a);

	return fmt_parse(a, s, len, d, (struct loc){ &src, 0, (uint32_t)len }, out) ? diags_get(d, 0) : NULL;
}

static inline const struct diag *format_parse(struct arena *a, const char *s, struct fmt *out)
{
	return format_parse_n(a, s, strlen(s), out);
}
#endif
