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

/* What comparing needs. */
struct sort_ctx {
	const struct agg_set *set;
	const struct agg_table *t;
	const struct agg_opts *opts;
	const struct agg_buckets *buckets; /* by aggregation */
	size_t nkeys;
	bool alike; /* all aggregations have the same layout of keys: equal bytes read the same */
};

/* Is the i-th key of both the same, by its bytes? */
static bool same_bytes(const struct sort_ctx *c, const struct agg_item *a, const struct agg_item *b, size_t i)
{
	const struct field *f = &c->t->aggs[0]->keys[i];
	size_t len = agg_key_bytes(c->t->aggs[0]);

	return c->alike && f->off <= len && f->size <= len - f->off &&
		!memcmp(a->entry->raw + f->off, b->entry->raw + f->off, f->size);
}

/* The k-th keys of two items. */
static int item_key_cmp(
	const struct sort_ctx *c, const struct agg_item *a, const struct agg_item *b, size_t k, enum order order)
{
	struct value_room ra = { 0 }, rb = { 0 };
	struct value va, vb;

	return key_cmp(agg_entry_key(c->set, c->t->aggs[a->pos], a->entry, k, &ra, &va),
		agg_entry_key(c->set, c->t->aggs[b->pos], b->entry, k, &rb, &vb), order);
}

/* Keys from position first on, then those before it. A position past the last key counts as 0. */
static int keys_cmp(
	const struct sort_ctx *c, const struct agg_item *a, const struct agg_item *b, size_t first, enum order order)
{
	size_t n = c->nkeys, k = first < n ? first : 0;

	for (size_t i = 0; i < n; i++) {
		int r = same_bytes(c, a, b, k) ? 0 : item_key_cmp(c, a, b, k, order);

		if (r)
			return r;
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
		k = keys_cmp(c, a->items, b->items, c->opts->key_pos, SHOWN);
	r = k ? k : values_cmp(c, a, b);
	if (!r)
		r = keys_cmp(c, a->items, b->items, c->opts->key_pos, SHOWN);
	if (!r)
		r = keys_cmp(c, a->items, b->items, 0, JOIN);
	return c->opts->sort_rev ? -r : r;
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

/* Gives each item the number of its row: items with equal keys are in one. Returns how many rows there are. first: the
 * first item of each row, plus 1, by its hash; as many places as mask says, all 0. */
static size_t find_rows(const struct sort_ctx *c, struct agg_table *t, uint32_t *first, size_t mask)
{
	size_t nrows = 0;

	for (size_t i = 0; i < t->nitems; i++) {
		struct agg_item *it = &t->items[i], *same = NULL;
		size_t at = it->hash & mask;

		for (; first[at]; at = (at + 1) & mask) {
			same = &t->items[first[at] - 1];
			if (same->hash == it->hash && !keys_cmp(c, same, it, 0, JOIN))
				break;
		}
		if (first[at]) {
			it->row = same->row;
			continue;
		}
		first[at] = (uint32_t)i + 1;
		it->row = (uint32_t)nrows++;
	}
	return nrows;
}

/* Puts the items of each row together, in the order of the aggregations: each row's items are counted first. */
static void group_items(struct agg_table *t)
{
	struct agg_item *at = t->grouped;

	for (size_t r = 0; r < t->nrows; r++)
		t->rows[r] = (struct agg_row){ 0 };
	for (size_t i = 0; i < t->nitems; i++)
		t->rows[t->items[i].row].nitems++;
	for (size_t r = 0; r < t->nrows; r++) {
		t->rows[r].items = at;
		at += t->rows[r].nitems;
		t->rows[r].nitems = 0;
	}
	for (size_t i = 0; i < t->nitems; i++) {
		struct agg_row *r = &t->rows[t->items[i].row];

		r->items[r->nitems++] = t->items[i];
	}
}

/* Makes one row of all items with equal keys. Words of an aggregation that lacks the key stay 0. 0 or -ENOMEM. */
static int join_rows(const struct sort_ctx *c, struct agg_table *t)
{
	size_t places = 64;
	uint32_t *first;

	while (places < t->nitems * 2)
		places *= 2;
	first = calloc(places, sizeof(*first));
	if (!first || t->nitems >= UINT32_MAX) {
		free(first);
		return -ENOMEM;
	}
	t->nrows = find_rows(c, t, first, places - 1);
	free(first);
	group_items(t);
	memset(t->words, 0, t->nrows * t->nwords * sizeof(*t->words));
	for (size_t r = 0; r < t->nrows; r++) {
		uint64_t *words = t->words + r * t->nwords;

		t->rows[r].words = words;
		for (size_t i = 0; i < t->rows[r].nitems; i++)
			add_entry(t, words, &t->rows[r].items[i]);
	}
	return 0;
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

static bool same_layout(const struct agg *a, const struct agg *b)
{
	if (a->nkeys != b->nkeys || agg_key_bytes(a) != agg_key_bytes(b))
		return false;
	for (size_t k = 0; k < a->nkeys; k++) {
		const struct field *x = &a->keys[k], *y = &b->keys[k];

		if (x->kind != y->kind || x->off != y->off || x->size != y->size || x->is_signed != y->is_signed ||
			x->is_float != y->is_float)
			return false;
	}
	return true;
}

/* The number of an aggregation's layout of keys: found once, since tables are made all the time. */
static uint32_t layout_of(struct agg_set *s, const struct agg *g)
{
	uint32_t *alike = &s->aggs[g->id].alike;

	for (uint32_t i = 0; !*alike && i < s->image->aggs.n; i++)
		if (s->aggs[i].alike == i + 1 && same_layout(s->aggs[i].g, g))
			*alike = i + 1;
	if (!*alike)
		*alike = g->id + 1;
	return *alike;
}

/* Have all aggregations of the table the same keys? */
static bool are_alike(struct agg_set *s, const struct agg_table *t)
{
	for (size_t i = 1; i < t->naggs; i++)
		if (layout_of(s, t->aggs[i]) != layout_of(s, t->aggs[0]))
			return false;
	return true;
}

/* Decodes the keys of n rows. 0 or -ENOMEM. */
static int decode_rows(const struct sort_ctx *c, struct agg_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct agg_item *it = rows[i].items;

		rows[i].keys = agg_entry_keys(c->set, c->t->aggs[it->pos], it->entry);
		if (!rows[i].keys)
			return -ENOMEM;
	}
	return 0;
}

/* What items are joined by. Keys of different layouts are compared as they read, so they are decoded now. */
static int hash_items(const struct sort_ctx *c, struct agg_table *t)
{
	for (size_t i = 0; i < t->nitems; i++) {
		struct agg_item *it = &t->items[i];
		const struct value *keys;

		it->hash = it->entry->same;
		if (c->alike)
			continue;
		keys = agg_entry_keys(c->set, t->aggs[it->pos], it->entry);
		if (!keys)
			return -ENOMEM;
		it->hash = agg_keys_hash(c->set, keys, c->nkeys);
	}
	return 0;
}

/* Sorts the rows of the table and decodes the keys of those that are shown: of all, if there is no limit. */
static int order_rows(struct sort_ctx *c, struct agg_table *t)
{
	struct agg_buckets buckets[AGG_JOIN_MAX];
	const struct agg_opts *opts = c->opts;
	bool all = !opts || !opts->rows || opts->rows >= t->nrows;
	/* Keys that are compared often are decoded once. */
	int err = all || opts->sort_key ? decode_rows(c, t->rows, t->nrows) : 0;

	if (err || !opts)
		return err;
	c->buckets = buckets;
	for (size_t i = 0; i < t->naggs; i++)
		agg_buckets_init(&buckets[i], t->aggs[i]);
	sort_rows(t, opts, c);
	for (size_t i = 0; i < t->naggs; i++)
		agg_buckets_free(&buckets[i]);
	return all ? 0 : decode_rows(c, t->rows + (opts->sort_rev ? 0 : t->nrows - opts->rows), opts->rows);
}

/* Joined aggregations are compared by the keys that all of them have. */
int agg_table_build(struct agg_set *s, const struct agg_opts *opts)
{
	struct agg_table *t = &s->table;
	struct sort_ctx ctx = { .set = s, .t = t, .opts = opts, .nkeys = SIZE_MAX };
	int err;

	t->nwords = 0;
	t->nrows = 0;
	for (size_t i = 0; i < t->naggs; i++) {
		t->woff[i] = t->nwords;
		t->nwords += t->aggs[i]->nwords;
		if (t->aggs[i]->nkeys < ctx.nkeys)
			ctx.nkeys = t->aggs[i]->nkeys;
	}
	if (!t->nitems)
		return 0;
	if (grow((void **)&t->rows, &t->rows_cap, t->nitems, sizeof(*t->rows)) ||
		grow((void **)&t->grouped, &t->grouped_cap, t->nitems, sizeof(*t->grouped)) ||
		grow((void **)&t->words, &t->words_cap, t->nitems * t->nwords, sizeof(*t->words)))
		return -ENOMEM;
	ctx.alike = are_alike(s, t);
	err = hash_items(&ctx, t);
	if (!err)
		err = join_rows(&ctx, t);
	return err ? err : order_rows(&ctx, t);
}

void agg_table_free(struct agg_table *t)
{
	free(t->items);
	free(t->grouped);
	free(t->rows);
	free(t->words);
	memset(t, 0, sizeof(*t));
}
