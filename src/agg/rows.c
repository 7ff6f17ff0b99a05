/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows: entries become rows: values computed, equal keys joined, rows sorted.
 * Input: items of an agg_table. Output: its rows.
 * Invariant: rows have pairwise different keys and their order is total, so output is reproducible.
 * Source: D manual, chapter "Aggregations". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/priv.h"

/* ---- order ------------------------------------------------------------------------------------------------------- */
/* JOIN: keys that read the same are equal, whatever their sizes: int -1 and long -1. SHOWN: as DTrace sorts, by the
 * bytes of the integer, which have no sign: -1 comes last. */
enum order { JOIN, SHOWN };

static int key_cmp(const struct value *a, const struct value *b, enum order order)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == VALUE_INT) {
		uint64_t x = order == SHOWN ? value_bits(a) : a->i, y = order == SHOWN ? value_bits(b) : b->i;

		return x < y ? -1 : x > y;
	}
	size_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->s, b->s, n) : 0;

	return c ? c : a->len < b->len ? -1 : a->len > b->len;
}

/* Keys from position first on, then those before it. A position past the last key counts as 0. */
static int keys_cmp(const struct value *a, const struct value *b, size_t n, size_t first, enum order order)
{
	size_t k = first < n ? first : 0;

	for (size_t i = 0; i < n; i++) {
		int c = key_cmp(&a[k], &b[k], order);

		if (c)
			return c;
		k = k + 1 < n ? k + 1 : 0;
	}
	return 0;
}

/* What orders distributions: the sum of the values, each taken as its bucket's; those outside of lquantize's range as
 * one less or more than its ends. */
static long double dist_weight(const struct agg_buckets *b, const uint64_t *w)
{
	bool linear = b->g->fn == DW_AGG_LQUANTIZE;
	long double sum = 0;

	for (size_t i = 0; i < b->n; i++)
		if (w[i])
			sum += (long double)(int64_t)w[i] *
				((long double)agg_bucket_value(b, i) - (linear && i == 0) + (linear && i + 1 == b->n));
	return sum;
}

/* Of distributions with the same sum, the one with more zeroes comes later. */
static int dist_cmp(const struct agg_buckets *b, const uint64_t *wa, const uint64_t *wb)
{
	long double x = dist_weight(b, wa), y = dist_weight(b, wb);

	if (x < y || x > y)
		return x < y ? -1 : 1;
	for (size_t i = 0; i < b->n; i++)
		if (agg_bucket_value(b, i) == 0 && (b->g->fn == DW_AGG_QUANTIZE || (i && i + 1 < b->n)) &&
			wa[i] != wb[i])
			return (int64_t)wa[i] < (int64_t)wb[i] ? -1 : 1;
	return 0;
}

struct sort_ctx {
	const struct agg_table *t;
	const struct agg_opts *opts;
	const struct agg_buckets *buckets; /* by aggregation */
	size_t nkeys;
};

/* Compares the values of the pos-th aggregation. Distributions are ordered by their weight. */
static int value_cmp(const struct sort_ctx *c, size_t pos, const struct agg_row *a, const struct agg_row *b)
{
	const struct agg *g = c->t->aggs[pos];
	const uint64_t *wa = a->words + c->t->woff[pos], *wb = b->words + c->t->woff[pos];

	if (agg_is_dist(g))
		return dist_cmp(&c->buckets[pos], wa, wb);
	int64_t x = agg_number(g, wa), y = agg_number(g, wb);

	return x < y ? -1 : x > y;
}

/* aggsortsum: the sum of all values of a joined row. */
static long double row_sum(const struct sort_ctx *c, const struct agg_row *r)
{
	long double sum = 0;

	for (size_t i = 0; i < c->t->naggs; i++) {
		const uint64_t *w = r->words + c->t->woff[i];

		sum += agg_is_dist(c->t->aggs[i]) ? dist_weight(&c->buckets[i], w)
						  : (long double)agg_number(c->t->aggs[i], w);
	}
	return sum;
}

/* Compares by value: aggsortsum first, then the aggregation of aggsortpos, then the others in turn. */
static int values_cmp(const struct sort_ctx *c, const struct agg_row *a, const struct agg_row *b)
{
	size_t n = c->t->naggs, first = c->opts->agg_pos < n ? c->opts->agg_pos : 0;

	if (c->opts->sort_sum) {
		long double x = row_sum(c, a), y = row_sum(c, b);

		if (x < y || x > y)
			return x < y ? -1 : 1;
	}

	for (size_t i = 0; i < n; i++) {
		int r = value_cmp(c, (i + first) % n, a, b);

		if (r)
			return r;
	}
	return 0;
}

/* aggsortkey compares keys first, else values come first. The last comparison makes the order total. */
static int row_cmp(const void *x, const void *y, void *ctx)
{
	const struct sort_ctx *c = ctx;
	const struct agg_row *a = x, *b = y;
	int k = 0, r;

	if (c->opts->sort_key)
		k = keys_cmp(a->keys, b->keys, c->nkeys, c->opts->key_pos, SHOWN);
	r = k ? k : values_cmp(c, a, b);
	if (!r)
		r = keys_cmp(a->keys, b->keys, c->nkeys, c->opts->key_pos, SHOWN);
	if (!r)
		r = keys_cmp(a->keys, b->keys, c->nkeys, 0, JOIN);
	return c->opts->sort_rev ? -r : r;
}

/* Brings equal keys together, in the order of the aggregations. Hashes decide nearly always. */
static int item_cmp(const void *x, const void *y, void *ctx)
{
	const struct agg_item *a = x, *b = y;
	const size_t *nkeys = ctx;
	int c;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	c = keys_cmp(a->entry->keys, b->entry->keys, *nkeys, 0, JOIN);
	return c ? c : a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* Keys that are equal by JOIN have the same hash. */
static uint64_t keys_hash(const struct value *keys, size_t n)
{
	uint64_t h = 0;

	for (size_t i = 0; i < n; i++) {
		const struct value *v = &keys[i];

		h ^= (uint64_t)v->kind;
		h = v->kind == VALUE_INT ? agg_hash(h, &v->i, sizeof(v->i)) : agg_hash(h, v->s, v->len);
	}
	return h;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* Room for want elements of size bytes; half as many more are allocated in advance. 0 or -ENOMEM. */
static int grow(void **p, size_t *cap, size_t want, size_t size)
{
	if (want <= *cap)
		return 0;
	void *bigger = reallocarray(*p, want + want / 2, size);

	if (!bigger)
		return -ENOMEM;
	*p = bigger;
	*cap = want + want / 2;
	return 0;
}

static void add_entry(const struct agg_table *t, uint64_t *words, const struct agg_item *it)
{
	const struct agg *g = t->aggs[it->pos];
	uint64_t *w = words + t->woff[it->pos];

	agg_combine(g, w, it->entry->kern);
	if (it->entry->off)
		agg_combine(g, w, it->entry->off);
}

/* Makes one row of all items with equal keys. Words of an aggregation that lacks the key stay 0. */
static void join_rows(struct agg_table *t, size_t nkeys)
{
	uint64_t *words = t->words;

	t->nrows = 0;
	for (size_t i = 0, next; i < t->nitems; i = next) {
		struct agg_row *r = &t->rows[t->nrows++];

		memset(words, 0, t->nwords * sizeof(*words));
		for (next = i; next < t->nitems; next++) {
			if (next > i &&
				(t->items[i].hash != t->items[next].hash ||
					keys_cmp(t->items[i].entry->keys, t->items[next].entry->keys, nkeys, 0, JOIN)))
				break;
			add_entry(t, words, &t->items[next]);
		}
		*r = (struct agg_row){ t->items[i].entry->keys, words, &t->items[i], next - i };
		words += t->nwords;
	}
}

#define SELECT_ROUNDS 64 /* of halves, so that an order that was chosen by somebody takes no more than a sort */
#define SELECT_SMALL 32

/* The one in the middle of three. */
static struct agg_row median(const struct agg_row *a, const struct agg_row *b, const struct agg_row *c, void *ctx)
{
	if (row_cmp(a, b, ctx) > 0) {
		const struct agg_row *t = a;

		a = b;
		b = t;
	}
	return row_cmp(b, c, ctx) <= 0 ? *b : row_cmp(a, c, ctx) > 0 ? *a : *c;
}

/* Exchanges rows until none before *i is greater than the pivot and none behind *j less. Then *i > *j, or both are at
 * the pivot. */
static void divide(struct agg_row *rows, const struct agg_row *pivot, size_t *i, size_t *j, void *ctx)
{
	for (;; (*i)++, (*j)--) {
		while (row_cmp(&rows[*i], pivot, ctx) < 0)
			(*i)++;
		while (row_cmp(&rows[*j], pivot, ctx) > 0)
			(*j)--;
		if (*i >= *j)
			return;

		struct agg_row t = rows[*i];

		rows[*i] = rows[*j];
		rows[*j] = t;
	}
}

/* Puts the m least of n rows before the others. */
static void select_rows(struct agg_row *rows, size_t n, size_t m, void *ctx)
{
	size_t lo = 0, hi = n;

	for (int round = 0; hi - lo > SELECT_SMALL && round < SELECT_ROUNDS; round++) {
		struct agg_row pivot = median(&rows[lo], &rows[lo + (hi - lo) / 2], &rows[hi - 1], ctx);
		size_t i = lo, j = hi - 1;

		divide(rows, &pivot, &i, &j, ctx);
		if (m == i)
			return;
		if (m < i)
			hi = i;
		else
			lo = i == j ? i + 1 : i;
	}
	qsort_r(rows + lo, hi - lo, sizeof(*rows), row_cmp, ctx);
}

/* Sorts the rows that are shown: the greatest, or with aggsortrev the first. */
static void sort_rows(struct agg_table *t, const struct agg_opts *opts, struct sort_ctx *ctx)
{
	size_t n = opts->rows && opts->rows < t->nrows ? opts->rows : t->nrows,
	       from = opts->sort_rev ? 0 : t->nrows - n;

	if (n < t->nrows)
		select_rows(t->rows, t->nrows, opts->sort_rev ? n : from, ctx);
	qsort_r(t->rows + from, n, sizeof(*t->rows), row_cmp, ctx);
}

/* Joined aggregations are compared by the keys that all of them have. */
int agg_table_build(struct agg_table *t, const struct agg_opts *opts)
{
	struct agg_buckets buckets[AGG_JOIN_MAX];
	struct sort_ctx ctx = { .t = t, .opts = opts, .buckets = buckets, .nkeys = SIZE_MAX };

	t->nwords = 0;
	t->nrows = 0;
	for (size_t i = 0; i < t->naggs; i++) {
		t->woff[i] = t->nwords;
		t->nwords += t->aggs[i]->nwords;
		if (t->aggs[i]->nkeys < ctx.nkeys)
			ctx.nkeys = t->aggs[i]->nkeys;
	}
	if (grow((void **)&t->rows, &t->rows_cap, t->nitems, sizeof(*t->rows)) ||
		grow((void **)&t->words, &t->words_cap, t->nitems * t->nwords, sizeof(*t->words)))
		return -ENOMEM;
	if (!t->nitems)
		return 0;
	for (size_t i = 0; i < t->nitems; i++)
		t->items[i].hash = keys_hash(t->items[i].entry->keys, ctx.nkeys);
	qsort_r(t->items, t->nitems, sizeof(*t->items), item_cmp, &ctx.nkeys);
	join_rows(t, ctx.nkeys);
	if (!opts)
		return 0;
	for (size_t i = 0; i < t->naggs; i++)
		agg_buckets_init(&buckets[i], t->aggs[i]);
	sort_rows(t, opts, &ctx);
	for (size_t i = 0; i < t->naggs; i++)
		agg_buckets_free(&buckets[i]);
	return 0;
}

void agg_table_free(struct agg_table *t)
{
	free(t->items);
	free(t->rows);
	free(t->words);
	memset(t, 0, sizeof(*t));
}
