/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words: arithmetic on the value of an aggregation: agg.nwords words, laid out as enum dw_agg_fn says. Pure. */
#ifndef DWIRE_AGG_WORDS_H
#define DWIRE_AGG_WORDS_H
#include "image/image.h"

/* Adds b to a: counts and sums are added, extremes compared. */
void agg_combine(const struct agg *g, uint64_t *a, const uint64_t *b);
/* off = -w, as agg_combine() adds. */
void agg_negate(const struct agg *g, uint64_t *off, const uint64_t *w);
/* The number of a value that is no distribution, before normalisation; 0 if there was no event. */
int64_t agg_number(const struct agg *g, const uint64_t *words);
/* The same after normalize(). */
int64_t agg_shown(const struct agg *g, const uint64_t *words, uint64_t normal);
/* A count of a bucket after normalize(). */
int64_t agg_divided(int64_t v, uint64_t normal);
/* "sum" */
const char *agg_function(const struct agg *g);
/* Is it quantize, lquantize or llquantize? Its words are the counts of its buckets. */
bool agg_is_dist(const struct agg *g);

/* ---- distributions ----------------------------------------------------------------------------------------------- */
#define AGG_QUANTIZE_ZERO 63 /* the bucket of quantize that counts zeroes */

/* The buckets of a distribution. */
struct agg_buckets {
	const struct agg *g;
	size_t n;
	int64_t *bounds; /* llquantize; owned */
	size_t nbounds;
};

void agg_buckets_init(struct agg_buckets *b, const struct agg *g);
void agg_buckets_free(struct agg_buckets *b);
/* The least value of bucket i; for a first bucket without one: the bound that its values are below. */
int64_t agg_bucket_value(const struct agg_buckets *b, size_t i);
/* The buckets to show: those that count something, and an empty one at each side. */
void agg_bucket_range(const struct agg_buckets *b, const uint64_t *words, size_t *lo, size_t *hi);
/* The value that so many percent of all values, 0 < percent <= 100, are up to. *value: what agg_bucket_value() gives
 * for its bucket, so it is at least that. False: nothing was counted. */
bool agg_quantile(const struct agg *g, const uint64_t *words, long double percent, int64_t *value);
/* Calls fn for each of these buckets with its value and its count after normalize(). */
void agg_each_bucket(const struct agg *g, const uint64_t *words, uint64_t normal,
	void (*fn)(void *ctx, int64_t value, int64_t n), void *ctx);
#endif
