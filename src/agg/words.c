/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words: see words.h.
 * Input: words as enum dw_agg_fn lays them out. Output: numbers, bucket bounds.
 * Invariant: words that are torn, because a program was writing them, give a wrong number at worst, never a fault.
 * Source: D manual, chapter "Aggregations". */
#include "agg/words.h"

#include <stdlib.h>
#include <string.h>

#include "lang/format.h"

bool agg_is_dist(const struct agg *g)
{
	return g->fn == DW_AGG_QUANTIZE || g->fn == DW_AGG_LQUANTIZE || g->fn == DW_AGG_LLQUANTIZE;
}

/* Word 1 is not 0 if there was a value; word 0 alone does not distinguish 0 from none. */
static void combine_extreme(uint64_t *a, const uint64_t *b, bool want_max)
{
	int64_t va = (int64_t)a[0], vb = (int64_t)b[0];

	if (!b[1])
		return;
	if (!a[1] || (want_max ? vb > va : vb < va)) {
		a[0] = b[0];
		a[1] = 1;
	}
}

void agg_combine(const struct agg *g, uint64_t *a, const uint64_t *b)
{
	if (g->fn == DW_AGG_MIN || g->fn == DW_AGG_MAX) {
		combine_extreme(a, b, g->fn == DW_AGG_MAX);
		return;
	}
	for (size_t i = 0; i < g->nwords; i++) {
		uint64_t before = a[i];

		a[i] += b[i];
		/* The squares of stddev are one number of 128 bits. */
		if (g->fn == DW_AGG_STDDEV && i == 2)
			a[3] += a[i] < before;
	}
}

/* The integer square root, digit by digit: libm's has 53 bits. */
static uint64_t sqrt_u128(unsigned __int128 v)
{
	unsigned __int128 rest = v, bit = (unsigned __int128)1 << 126, root = 0;

	while (bit > v)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (rest >= root + bit) {
			rest -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return (uint64_t)root;
}

/* Square root of (mean of the squares - square of the mean). Both are divided as whole numbers, as in DTrace.
 * Normalizing divides each value, so the squares are divided twice. */
static int64_t stddev_of(const uint64_t *w, uint64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)w[3] << 64 | w[2];
	__int128 mean;

	if (!w[0])
		return 0;
	normal = normal ? normal : 1;
	squares = squares / normal / normal / w[0];
	mean = (__int128)(int64_t)w[1] / (__int128)normal / (__int128)w[0];
	/* Words read while a program updates them may not fit together. */
	return squares <= (unsigned __int128)(mean * mean)
		? 0
		: (int64_t)sqrt_u128(squares - (unsigned __int128)(mean * mean));
}

/* stddev's words 2 and 3 are one number of 128 bits: -x = ~x + 1, so word 3 gets the borrow of word 2. */
void agg_negate(const struct agg *g, uint64_t *off, const uint64_t *w)
{
	for (size_t i = 0; i < g->nwords; i++)
		off[i] = -w[i];
	if (g->fn == DW_AGG_STDDEV && w[2])
		off[3]--;
}

const char *agg_function(const struct agg *g)
{
	static const char *const names[DW_AGG_FN_COUNT] = {
#define X(fn, name) #name,
		DW_AGG_FNS(X)
#undef X
	};

	return names[g->fn];
}

/* avg: word 0 counts, word 1 sums. min, max: word 0, if word 1 is set. The others have their number in word 0. */
int64_t agg_number(const struct agg *g, const uint64_t *w)
{
	switch (g->fn) {
	case DW_AGG_AVG:
		return w[0] ? (int64_t)((__int128)(int64_t)w[1] / (__int128)w[0]) : 0;
	case DW_AGG_MIN:
	case DW_AGG_MAX:
		return w[1] ? (int64_t)w[0] : 0;
	case DW_AGG_STDDEV:
		return stddev_of(w, 1);
	case DW_AGG_COUNT:
	case DW_AGG_SUM:
	case DW_AGG_QUANTIZE:
	case DW_AGG_LQUANTIZE:
	case DW_AGG_LLQUANTIZE:
	case DW_AGG_FN_COUNT:
		break;
	}
	return (int64_t)w[0];
}

int64_t agg_shown(const struct agg *g, const uint64_t *w, uint64_t normal)
{
	return g->fn == DW_AGG_STDDEV ? stddev_of(w, normal) : agg_divided(agg_number(g, w), normal);
}

/* Values are signed, and a divisor above INT64_MAX would turn negative. */
int64_t agg_divided(int64_t v, uint64_t normal)
{
	return normal <= 1 ? v : normal > INT64_MAX ? 0 : v / (int64_t)normal;
}

/* ---- distributions ----------------------------------------------------------------------------------------------- */
#define LLQ_BOUNDS_MAX 4096

/* llquantize's bounds are computed once, as they need repeated multiplication. Without memory for them bucket
 * numbers are shown in place of values. */
void agg_buckets_init(struct agg_buckets *b, const struct agg *g)
{
	b->g = g;
	b->n = g->nwords;
	b->bounds = NULL;
	b->nbounds = 0;
	if (g->fn != DW_AGG_LLQUANTIZE)
		return;
	b->bounds = malloc(LLQ_BOUNDS_MAX * sizeof(*b->bounds));
	if (b->bounds)
		b->nbounds =
			llq_bounds(g->llq_factor, g->llq_low, g->llq_high, g->llq_steps, b->bounds, LLQ_BOUNDS_MAX);
	if (b->nbounds > LLQ_BOUNDS_MAX)
		b->nbounds = LLQ_BOUNDS_MAX;
}

/* quantize: bucket 63 counts 0; those above it begin at 1, 2, 4, ..., those below at -1, -2, -4, ... */
int64_t agg_bucket_value(const struct agg_buckets *b, size_t i)
{
	const struct agg *g = b->g;

	if (g->fn == DW_AGG_QUANTIZE) {
		if (i == AGG_QUANTIZE_ZERO)
			return 0;
		return i > AGG_QUANTIZE_ZERO ? (int64_t)(1ull << ((i - AGG_QUANTIZE_ZERO - 1) & 63))
					     : -(int64_t)(1ull << ((AGG_QUANTIZE_ZERO - 1 - i) & 63));
	}
	if (g->fn == DW_AGG_LQUANTIZE) {
		/* The last bucket begins where the last whole step ends, be it below the limit. */
		return g->lq_base + (int64_t)(i ? i - 1 : 0) * g->lq_step;
	}
	if (!b->nbounds)
		return (int64_t)i;
	return b->bounds[i == 0 ? 0 : i - 1 < b->nbounds ? i - 1 : b->nbounds - 1];
}

void agg_buckets_free(struct agg_buckets *b)
{
	free(b->bounds);
	b->bounds = NULL;
}

/* An empty distribution shows the buckets around 0, or around the first step. */
void agg_bucket_range(const struct agg_buckets *b, const uint64_t *w, size_t *lo, size_t *hi)
{
	size_t first = b->n, last = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (!w[i])
			continue;
		if (first == b->n)
			first = i;
		last = i;
	}
	if (first == b->n)
		first = last = b->g->fn == DW_AGG_QUANTIZE ? AGG_QUANTIZE_ZERO : 1;
	*lo = first ? first - 1 : 0;
	*hi = last + 1 < b->n ? last + 1 : b->n - 1;
}

bool agg_quantile(const struct agg *g, const uint64_t *w, long double percent, int64_t *value)
{
	long double all = 0, upto = 0;
	struct agg_buckets b;

	for (size_t i = 0; i < g->nwords; i++)
		all += (int64_t)w[i] > 0 ? (long double)w[i] : 0;
	if (all <= 0)
		return false;
	agg_buckets_init(&b, g);
	for (size_t i = 0; i < b.n && upto * 100 < all * percent; i++) {
		upto += (int64_t)w[i] > 0 ? (long double)w[i] : 0;
		*value = agg_bucket_value(&b, i);
	}
	agg_buckets_free(&b);
	return true;
}

void agg_each_bucket(const struct agg *g, const uint64_t *w, uint64_t normal,
	void (*fn)(void *ctx, int64_t value, int64_t n), void *ctx)
{
	struct agg_buckets b;
	size_t lo, hi;

	agg_buckets_init(&b, g);
	agg_bucket_range(&b, w, &lo, &hi);
	for (size_t i = lo; b.n && i <= hi; i++)
		fn(ctx, agg_bucket_value(&b, i), agg_divided((int64_t)w[i], normal));
	agg_buckets_free(&b);
}
