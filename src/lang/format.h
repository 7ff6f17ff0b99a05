/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format: parses the format strings of printf() and printa(); computes the buckets of llquantize(). Pure. */
#ifndef DWIRE_LANG_FORMAT_H
#define DWIRE_LANG_FORMAT_H
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag/diag.h"
#include "image/format.h"

/* Parses a format string; s may contain NUL bytes. at: the place of s in a text. 0, or -EINVAL after a report
 * (D_SYNTAX), which points at the conversion if `at` has one byte for each byte of s, else at all of it. */
int fmt_parse(struct arena *a, const char *s, size_t len, struct diags *to, struct loc at, struct fmt *out)
	__attribute__((warn_unused_result));

/* Writes the bounds of llquantize(factor, low, high, steps), ascending, at most max of them; returns their number.
 * As illumos defines it: one bucket below factor^low; `steps` buckets for each magnitude m in low..high, fewer if a
 * bucket would be narrower than 1; one bucket from factor^(high+1) on. */
size_t llq_bounds(uint32_t factor, uint32_t low, uint32_t high, uint32_t steps, int64_t *bounds, size_t max);
#endif
