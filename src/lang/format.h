/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format: printf and printa format strings of D, parsed once, used by the checker (types) and the consumer. Pure. */
#ifndef DWIRE_LANG_FORMAT_H
#define DWIRE_LANG_FORMAT_H
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum fmt_flag {
	FMT_MINUS = 1,
	FMT_PLUS = 2,
	FMT_SPACE = 4,
	FMT_ALT = 8,
	FMT_ZERO = 16,
	FMT_QUOTE = 32,
	FMT_AGG = 64, /* %@d: takes the aggregation's value, not a key */
};

/* Literal text, then one conversion. The last item may have conv 0: only text. %% is text. */
struct fmt_item {
	const char *text;
	size_t text_len;
	const char *conv_text; /* the conversion as written, "%-20s" */
	char conv;  /* 'd' 'i' 'u' 'x' 'X' 'o' 'c' 's' 'p' 'e' 'f' 'g' 'a' 'A' 'k' 'Y' ... or 0; 'w': %wc, %ws */
	char conv2; /* second letter of %wc, %ws; else 0 */
	uint32_t flags;
	int width, prec;            /* -1: none */
	bool star_width, star_prec; /* taken from the arguments */
	char size[3];               /* "h" "hh" "l" "ll" "L" "q" "z" "w" or "" (the argument has its own size) */
};

/* Widths and precisions above are refused in a format and cut when they come from an argument. */
#define FMT_WIDTH_MAX 4096

struct fmt {
	struct fmt_item *items;
	size_t n;
	size_t nargs; /* arguments it consumes, * included, %@ ones not */
};

/* Parses; s may hold NUL bytes. 0, or -EINVAL with *err the reason (in the arena) and *err_off the offset in s. */
int fmt_parse(struct arena *a, const char *s, size_t len, struct fmt *out, const char **err, size_t *err_off)
	__attribute__((warn_unused_result));

/* Bounds of llquantize(factor, low, high, steps), ascending: at most max are written; returns how many there are.
 * As illumos defines it: below factor^low is one bucket; each magnitude m in low..high has steps buckets, fewer where
 * a bucket would be narrower than 1; at or above factor^(high+1) is the last. */
size_t llq_bounds(uint32_t factor, uint32_t low, uint32_t high, uint32_t steps, int64_t *bounds, size_t max);
#endif
