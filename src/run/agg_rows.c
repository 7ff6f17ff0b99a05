/* agg_rows: entries become rows: values computed, equal keys joined, rows sorted; distributions drawn.
 * Input: items of an agg_table. Output: its rows; text.
 * Invariant: rows have pairwise different keys and their order is total, so output is reproducible.
 * Source: D manual, chapter "Aggregations". */
#include "run/agg.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define QUANT_ZERO 63

/* ---- values ------------------------------------------------------------------------------------------------------ */
bool agg_is_dist(const struct agg *g)
{
	return g->fn == DW_AGG_QUANTIZE || g->fn == DW_AGG_LQUANTIZE || g->fn == DW_AGG_LLQUANTIZE;
}

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

/* Square root of the mean of the squares less the square of the mean; each of these is a whole number, as in DTrace. */
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

/* ---- buckets ----------------------------------------------------------------------------------------------------- */
#define LLQ_BOUNDS_MAX 4096

/* Labels of a distribution's buckets. */
struct buckets {
	const struct agg *g;
	size_t n;
	int64_t *bounds; /* llquantize; owned */
	size_t nbounds;
};

static void buckets_init(struct buckets *b, const struct agg *g)
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

/* The least value of bucket i; of the first bucket that has none: what its values lie below. */
static int64_t bucket_value(const struct buckets *b, size_t i)
{
	const struct agg *g = b->g;

	if (g->fn == DW_AGG_QUANTIZE) {
		if (i == QUANT_ZERO)
			return 0;
		return i > QUANT_ZERO ? (int64_t)(1ull << ((i - QUANT_ZERO - 1) & 63))
				      : -(int64_t)(1ull << ((QUANT_ZERO - 1 - i) & 63));
	}
	if (g->fn == DW_AGG_LQUANTIZE) {
		/* The last bucket begins where the last whole step ends, be it below the limit. */
		return g->lq_base + (int64_t)(i ? i - 1 : 0) * g->lq_step;
	}
	if (!b->nbounds)
		return (int64_t)i;
	return b->bounds[i == 0 ? 0 : i - 1 < b->nbounds ? i - 1 : b->nbounds - 1];
}

static size_t bucket_label(const struct buckets *b, size_t i, char *buf, size_t size)
{
	bool open = b->g->fn != DW_AGG_QUANTIZE;
	const char *how = open && i == 0 ? "< " : open && i + 1 == b->n ? ">= " : "";
	int n = snprintf(buf, size, "%s%lld", how, (long long)bucket_value(b, i));

	return n > 0 ? (size_t)n : 0;
}

int64_t agg_divided(int64_t v, uint64_t normal)
{
	return normal <= 1 ? v : normal > INT64_MAX ? 0 : v / (int64_t)normal;
}

static long double magnitude(uint64_t count)
{
	long double v = (long double)(int64_t)count;

	return v < 0 ? -v : v;
}

/* The buckets to show: one empty one before the first and after the last that count something. */
static void bucket_range(const struct buckets *b, const uint64_t *w, size_t *lo, size_t *hi)
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
		first = last = b->g->fn == DW_AGG_QUANTIZE ? QUANT_ZERO : 1;
	*lo = first ? first - 1 : 0;
	*hi = last + 1 < b->n ? last + 1 : b->n - 1;
}

#define BAR 40
static const char bar_ats[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";

/* What the bars are measured against, and which signs the counts have: increments may be negative. */
struct bars {
	long double whole;
	bool positive, negative;
};

static struct bars bars_of(const uint64_t *w, size_t n, bool zoom)
{
	struct bars s = { 0 };

	for (size_t i = 0; i < n; i++) {
		long double m = magnitude(w[i]);

		s.positive |= (int64_t)w[i] > 0;
		s.negative |= (int64_t)w[i] < 0;
		s.whole = !zoom ? s.whole + m : m > s.whole ? m : s.whole;
	}
	return s;
}

/* From "|" or the bar before it to the blank before the count. Positive counts grow from the left, negative ones to
 * the left of the line at the right; where there are both, half of the room is for each. */
static void print_bar(struct out *o, const struct bars *s, uint64_t count)
{
	bool both = s->positive && s->negative;
	size_t room = both ? BAR / 2 : BAR;
	size_t fill = s->whole > 0 ? (size_t)(magnitude(count) * (long double)room / s->whole + 0.5L) : 0;

	if (!s->negative) {
		out_bytes(o, "|", 1);
		out_bytes(o, bar_ats, fill);
		out_pad(o, room - fill + 1);
		return;
	}
	bool left = !both || (int64_t)count <= 0;

	out_pad(o, left ? room - fill : room);
	if (left)
		out_bytes(o, bar_ats, fill);
	out_bytes(o, "|", 1);
	if (!left)
		out_bytes(o, bar_ats, fill);
	out_pad(o, (both ? left ? room : room - fill : 0) + 1);
}

void agg_print_dist(struct out *o, const struct agg *g, const uint64_t *w, uint64_t normal, bool zoom)
{
	struct bars s = bars_of(w, g->nwords, zoom);
	struct buckets b;
	size_t lo, hi;
	char buf[48];

	buckets_init(&b, g);
	out_str(o, "\n           value  ------------- Distribution ------------- count    \n");
	bucket_range(&b, w, &lo, &hi);
	for (size_t i = lo; b.n && i <= hi; i++) {
		size_t len = bucket_label(&b, i, buf, sizeof(buf));

		out_pad(o, len < 16 ? 16 - len : 0);
		out_bytes(o, buf, len);
		out_bytes(o, " ", 1);
		print_bar(o, &s, w[i]);
		int n = snprintf(buf, sizeof(buf), "%-9lld\n", (long long)agg_divided((int64_t)w[i], normal));

		out_bytes(o, buf, n > 0 ? (size_t)n : 0);
	}
	free(b.bounds);
}

/* ---- other layouts ----------------------------------------------------------------------------------------------- */
void agg_print_hist_header(struct out *o, size_t width)
{
	out_bytes(o, "\n", 1);
	out_pad(o, width > 3 ? width - 3 : 0);
	out_str(o, "key  ------------- Distribution ------------- count    \n");
}

void agg_print_hist(struct out *o, const struct agg_total *t, int64_t value, uint64_t normal)
{
	struct bars s = { .whole = t->whole, .positive = t->positive, .negative = t->negative };
	char buf[32];
	int n = snprintf(buf, sizeof(buf), "%-9lld\n", (long long)agg_divided(value, normal));

	out_bytes(o, " ", 1);
	print_bar(o, &s, (uint64_t)value);
	out_bytes(o, buf, n > 0 ? (size_t)n : 0);
}

void agg_total_add(struct agg_total *t, int64_t value, bool zoom)
{
	long double m = magnitude((uint64_t)value);

	t->positive |= value > 0;
	t->negative |= value < 0;
	t->whole = !zoom ? t->whole + m : m > t->whole ? m : t->whole;
}

void agg_span_add(const struct agg *g, struct agg_span *s, const uint64_t *w)
{
	for (size_t i = 0; i < g->nwords; i++) {
		if (!w[i])
			continue;
		if (!s->any || i < s->lo)
			s->lo = i;
		if (!s->any || i > s->hi)
			s->hi = i;
		s->any = true;
	}
}

/* One bucket more at each side, and the widths of the labels there. */
static void span_labels(const struct buckets *b, struct agg_span *s, char lo[32], char hi[32])
{
	if (!s->any)
		s->lo = s->hi = b->g->fn == DW_AGG_QUANTIZE ? QUANT_ZERO : 0;
	s->lo -= s->lo > 0;
	s->hi += s->hi + 1 < b->n;
	(void)bucket_label(b, s->lo, lo, 32);
	(void)bucket_label(b, s->hi, hi, 32);
}

void agg_print_pack_header(struct out *o, const struct agg *g, struct agg_span s, size_t width)
{
	struct buckets b;
	char lo[32], hi[32];
	size_t nlo, nhi;

	buckets_init(&b, g);
	span_labels(&b, &s, lo, hi);
	nlo = strlen(lo);
	nhi = strlen(hi);
	out_bytes(o, "\n", 1);
	out_pad(o, width > 3 ? width - 3 : 0);
	out_str(o, width ? "key" : "");
	out_pad(o, 1 + (nlo > 3 ? nlo - 3 : 0));
	out_str(o, "min .");
	for (size_t i = s.lo; i <= s.hi; i++)
		out_bytes(o, "-", 1);
	out_str(o, ". max");
	out_pad(o, nhi > 3 ? nhi - 3 : 0);
	out_str(o, " | count\n");
	free(b.bounds);
}

/* One character for a bucket: how much of the whole it has. */
static void print_packed(struct out *o, int64_t count, long double whole)
{
	static const char up[] = "__xxxxXX", down[] = "vvvvVV";
	long double m = magnitude((uint64_t)count);

	if (!count)
		out_bytes(o, " ", 1);
	else if (count < 0)
		out_bytes(o, &down[(size_t)(m * (sizeof(down) - 2) / whole + 0.5L)], 1);
	else
		out_bytes(o, &up[(size_t)(m * (sizeof(up) - 2) / whole + 0.5L)], 1);
}

void agg_print_pack(
	struct out *o, const struct agg *g, struct agg_span s, const uint64_t *w, uint64_t normal, bool zoom)
{
	struct bars whole = bars_of(w, g->nwords, zoom);
	struct buckets b;
	char lo[32], hi[32];
	int64_t sum = 0;

	buckets_init(&b, g);
	span_labels(&b, &s, lo, hi);
	out_pad(o, 1 + (strlen(lo) < 3 ? 3 - strlen(lo) : 0));
	out_str(o, lo);
	out_str(o, " :");
	for (size_t i = s.lo; i <= s.hi; i++) {
		print_packed(o, (int64_t)w[i], whole.whole);
		sum = (int64_t)((uint64_t)sum + w[i]);
	}
	out_str(o, ": ");
	out_str(o, hi);
	out_pad(o, strlen(hi) < 3 ? 3 - strlen(hi) : 0);
	out_str(o, " | ");
	out_int(o, agg_divided(sum, normal), 0);
	out_bytes(o, "\n", 1);
	free(b.bounds);
}

void agg_each_bucket(const struct agg *g, const uint64_t *w, uint64_t normal,
	void (*fn)(void *ctx, int64_t value, int64_t n), void *ctx)
{
	struct buckets b;
	size_t lo, hi;

	buckets_init(&b, g);
	bucket_range(&b, w, &lo, &hi);
	for (size_t i = lo; b.n && i <= hi; i++)
		fn(ctx, bucket_value(&b, i), agg_divided((int64_t)w[i], normal));
	free(b.bounds);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
static bool is_negative(const struct pval *v)
{
	return v->is_signed && (int64_t)v->i < 0;
}

static int key_cmp(const struct pval *a, const struct pval *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == PVAL_INT) {
		if (is_negative(a) != is_negative(b))
			return is_negative(a) ? -1 : 1;
		return a->i < b->i ? -1 : a->i > b->i;
	}
	size_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->s, b->s, n) : 0;

	return c ? c : a->len < b->len ? -1 : a->len > b->len;
}

/* Keys from position first on, then those before it. */
static int keys_cmp(const struct pval *a, const struct pval *b, size_t n, size_t first)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = (i + first) % n;
		int c = key_cmp(&a[k], &b[k]);

		if (c)
			return c;
	}
	return 0;
}

/* What orders distributions: the sum of the values, each taken as its bucket's; those outside of lquantize's range as
 * one less or more than its ends. */
static long double dist_weight(const struct buckets *b, const uint64_t *w)
{
	bool linear = b->g->fn == DW_AGG_LQUANTIZE;
	long double sum = 0;

	for (size_t i = 0; i < b->n; i++)
		if (w[i])
			sum += (long double)(int64_t)w[i] *
				((long double)bucket_value(b, i) - (linear && i == 0) + (linear && i + 1 == b->n));
	return sum;
}

/* Of distributions with the same sum, the one with more zeroes comes later. */
static int dist_cmp(const struct buckets *b, const uint64_t *wa, const uint64_t *wb)
{
	long double x = dist_weight(b, wa), y = dist_weight(b, wb);

	if (x < y || x > y)
		return x < y ? -1 : 1;
	for (size_t i = 0; i < b->n; i++)
		if (bucket_value(b, i) == 0 && (b->g->fn == DW_AGG_QUANTIZE || (i && i + 1 < b->n)) && wa[i] != wb[i])
			return (int64_t)wa[i] < (int64_t)wb[i] ? -1 : 1;
	return 0;
}

struct sort_ctx {
	const struct agg_table *t;
	const struct agg_opts *opts;
	const struct buckets *buckets; /* by aggregation */
	size_t nkeys;
};

static int value_cmp(const struct sort_ctx *c, size_t pos, const struct agg_row *a, const struct agg_row *b)
{
	const struct agg *g = c->t->aggs[pos];
	const uint64_t *wa = a->words + c->t->woff[pos], *wb = b->words + c->t->woff[pos];

	if (agg_is_dist(g))
		return dist_cmp(&c->buckets[pos], wa, wb);
	int64_t x = agg_number(g, wa), y = agg_number(g, wb);

	return x < y ? -1 : x > y;
}

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

static int values_cmp(const struct sort_ctx *c, const struct agg_row *a, const struct agg_row *b)
{
	size_t n = c->t->naggs;

	if (c->opts->sort_sum) {
		long double x = row_sum(c, a), y = row_sum(c, b);

		if (x < y || x > y)
			return x < y ? -1 : 1;
	}

	for (size_t i = 0; i < n; i++) {
		int r = value_cmp(c, (i + c->opts->agg_pos) % n, a, b);

		if (r)
			return r;
	}
	return 0;
}

static int row_cmp(const void *x, const void *y, void *ctx)
{
	const struct sort_ctx *c = ctx;
	const struct agg_row *a = x, *b = y;
	int k = 0, r;

	if (c->opts->sort_key)
		k = keys_cmp(a->keys, b->keys, c->nkeys, c->opts->key_pos);
	r = k ? k : values_cmp(c, a, b);
	if (!r)
		r = keys_cmp(a->keys, b->keys, c->nkeys, c->opts->key_pos);
	return c->opts->sort_rev ? -r : r;
}

static int item_cmp(const void *x, const void *y, void *ctx)
{
	const struct agg_item *a = x, *b = y;
	const size_t *nkeys = ctx;
	int c = keys_cmp(a->entry->keys, b->entry->keys, *nkeys, 0);

	return c ? c : a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
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

static void join_rows(struct agg_table *t, size_t nkeys)
{
	uint64_t *words = t->words;

	t->nrows = 0;
	for (size_t i = 0, next; i < t->nitems; i = next) {
		struct agg_row *r = &t->rows[t->nrows++];

		memset(words, 0, t->nwords * sizeof(*words));
		for (next = i; next < t->nitems; next++) {
			if (keys_cmp(t->items[i].entry->keys, t->items[next].entry->keys, nkeys, 0))
				break;
			add_entry(t, words, &t->items[next]);
		}
		*r = (struct agg_row){ t->items[i].entry->keys, words, &t->items[i], next - i };
		words += t->nwords;
	}
}

int agg_table_build(struct agg_table *t, const struct agg_opts *opts)
{
	struct buckets buckets[AGG_JOIN_MAX];
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
	qsort_r(t->items, t->nitems, sizeof(*t->items), item_cmp, &ctx.nkeys);
	join_rows(t, ctx.nkeys);
	for (size_t i = 0; i < t->naggs; i++)
		buckets_init(&buckets[i], t->aggs[i]);
	qsort_r(t->rows, t->nrows, sizeof(*t->rows), row_cmp, &ctx);
	for (size_t i = 0; i < t->naggs; i++)
		free(buckets[i].bounds);
	return 0;
}

void agg_table_free(struct agg_table *t)
{
	free(t->items);
	free(t->rows);
	free(t->words);
	memset(t, 0, sizeof(*t));
}
