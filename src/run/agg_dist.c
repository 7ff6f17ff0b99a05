/* agg_dist: distributions: labels of their buckets, and their drawing in all layouts.
 * Input: the words of a value. Output: text in an out.
 * Invariant: what the bars show adds up to at most the room that they have.
 * Source: D manual, chapter "Aggregations". */
#include "run/agg_priv.h"
#include <stdlib.h>
#include <string.h>

#define QUANT_ZERO 63

#define LLQ_BOUNDS_MAX 4096

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

/* The least value of bucket i; of the first bucket that has none: what its values lie below. */
int64_t agg_bucket_value(const struct agg_buckets *b, size_t i)
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

static size_t bucket_label(const struct agg_buckets *b, size_t i, char *buf, size_t size)
{
	bool open = b->g->fn != DW_AGG_QUANTIZE;
	const char *how = open && i == 0 ? "< " : open && i + 1 == b->n ? ">= " : "";
	int n = snprintf(buf, size, "%s%lld", how, (long long)agg_bucket_value(b, i));

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
static void bucket_range(const struct agg_buckets *b, const uint64_t *w, size_t *lo, size_t *hi)
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
	struct agg_buckets b;
	size_t lo, hi;
	char buf[48];

	agg_buckets_init(&b, g);
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
static void span_labels(const struct agg_buckets *b, struct agg_span *s, char lo[32], char hi[32])
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
	struct agg_buckets b;
	char lo[32], hi[32];
	size_t nlo, nhi;

	agg_buckets_init(&b, g);
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
	struct agg_buckets b;
	char lo[32], hi[32];
	int64_t sum = 0;

	agg_buckets_init(&b, g);
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
	struct agg_buckets b;
	size_t lo, hi;

	agg_buckets_init(&b, g);
	bucket_range(&b, w, &lo, &hi);
	for (size_t i = lo; b.n && i <= hi; i++)
		fn(ctx, agg_bucket_value(&b, i), agg_divided((int64_t)w[i], normal));
	free(b.bounds);
}
