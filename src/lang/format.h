/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format: parses the format strings of printf() and printa(); computes the buckets of llquantize(). Pure. */
#ifndef DWIRE_LANG_FORMAT_H
#define DWIRE_LANG_FORMAT_H
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag/diag.h"
#include "image/format.h"

/* Parses; s may hold NUL bytes. at: where s stands in a text. 0, or -EINVAL after a report (D_SYNTAX): at the
 * conversion if at has one byte for each of s, else at the whole. */
int fmt_parse(struct arena *a, const char *s, size_t len, struct diags *to, struct loc at, struct fmt *out)
	__attribute__((warn_unused_result));

/* Bounds of llquantize(factor, low, high, steps), ascending: at most max are written; returns how many there are.
 * As illumos defines it: below factor^low is one bucket; each magnitude m in low..high has steps buckets, fewer where
 * a bucket would be narrower than 1; at or above factor^(high+1) is the last. */
size_t llq_bounds(uint32_t factor, uint32_t low, uint32_t high, uint32_t steps, int64_t *bounds, size_t max);
#endif
