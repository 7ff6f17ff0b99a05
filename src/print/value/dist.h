/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dist: distributions and bars drawn as text: the default layout, -x agghist, -x aggpack. */
#ifndef DWIRE_PRINT_VALUE_DIST_H
#define DWIRE_PRINT_VALUE_DIST_H
#include "agg/words.h"
#include "options/options.h"
#include "print/out.h"

/* A distribution, from the newline before its header to that of its last bucket. Counts are divided by normal; bars are
 * parts of the whole, or of the largest count (aggzoom). */
void dist_print(
	struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal, const struct agg_opts *opts);

/* agghist: a bar for each key, as a part of the sum of all keys. */
struct dist_total {
	long double whole;
	bool positive, negative;
};
void dist_total_add(struct dist_total *t, int64_t value, bool zoom);
/* width: columns of the keys. */
void dist_hist_header(struct out *o, size_t width);
void dist_hist(struct out *o, const struct dist_total *t, int64_t value, uint64_t normal, const struct agg_opts *opts);

/* aggpack: a distribution on one line, a character for each bucket from lo to hi, which all keys share. */
struct dist_span {
	size_t lo, hi;
	bool any;
};
void dist_span_add(const struct agg *g, struct dist_span *s, const uint64_t *words);
void dist_pack_header(struct out *o, const struct agg *g, struct dist_span s, size_t width);
void dist_pack(
	struct out *o, const struct agg *g, struct dist_span s, const uint64_t *words, const struct agg_opts *opts);
#endif
