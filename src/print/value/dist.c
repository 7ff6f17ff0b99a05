/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dist: see dist.h.
 * Input: the words of a value. Output: text in an out.
 * Invariant: what the bars show adds up to at most the room that they have.
 * Source: D manual, chapter "Aggregations". */
#include "print/value/dist.h"

#include <stdlib.h>
#include <string.h>

/* "< 0", "16", ">= 100": what stands before the bar of bucket i. */
static size_t bucket_label(const struct agg_buckets *b, size_t i, char *buf, size_t size)
{
	bool open = b->g->fn != DW_AGG_QUANTIZE;
	const char *how = open && i == 0 ? "< " : open && i + 1 == b->n ? ">= " : "";
	int n = snprintf(buf, size, "%s%lld", how, (long long)agg_bucket_value(b, i));

	return n > 0 ? (size_t)n : 0;
}

/* Counts may be negative: sum() of negative values makes them so. */
static long double magnitude(uint64_t count)
{
	long double v = (long double)(int64_t)count;

	return v < 0 ? -v : v;
}

#define BAR 40
static const char bar_ats[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";

/* What the bars are measured against, and which signs the counts have: increments may be negative. */
struct bars {
	long double whole;
	bool positive, negative;
	bool utf8;
};

/* With aggzoom the longest bar takes 95 % of the room. */
static long double zoomed(long double m)
{
	return m * (1 / 0.95);
}

/* The whole is the sum of all counts; with aggzoom the largest count. */
static struct bars bars_of(const uint64_t *w, size_t n, const struct agg_opts *opts)
{
	struct bars s = { .utf8 = opts->encoding == ENC_UTF8 };

	for (size_t i = 0; i < n; i++) {
		long double m = magnitude(w[i]);

		s.positive |= (int64_t)w[i] > 0;
		s.negative |= (int64_t)w[i] < 0;
		s.whole = !opts->zoom ? s.whole + m : zoomed(m) > s.whole ? zoomed(m) : s.whole;
	}
	return s;
}

/* A character of the block elements, U+2580 and on. */
static void put_block(struct out *o, unsigned low)
{
	const unsigned char c[3] = { 0xe2, 0x96, (unsigned char)low };

	out_bytes(o, (const char *)c, sizeof(c));
}

/* -x encoding=utf8: in eighths of a column. */
static void print_bar_utf8(struct out *o, const struct bars *s, uint64_t count)
{
	long double room = magnitude(count) * BAR / s->whole;
	unsigned whole = (unsigned)room, eighths = (unsigned)((room - (long double)whole) * 8);

	out_bytes(o, "|", 1);
	for (unsigned i = 0; i < whole; i++)
		put_block(o, 0x88);
	if (eighths)
		put_block(o, 0x90 - eighths);
	out_pad(o, BAR - whole - (eighths != 0) + 1);
}

/* From "|" or the bar before it to the blank before the count. Positive counts grow from the left, negative ones to
 * the left of the line at the right; where there are both, half of the room is for each. */
static void print_bar(struct out *o, const struct bars *s, uint64_t count)
{
	bool both = s->positive && s->negative;
	size_t room = both ? BAR / 2 : BAR;
	size_t fill = s->whole > 0 ? (size_t)(magnitude(count) * (long double)room / s->whole + 0.5L) : 0;

	if (s->utf8 && s->positive && !s->negative) {
		print_bar_utf8(o, s, count);
		return;
	}
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

void dist_print(struct out *o, const struct agg *g, const uint64_t *w, uint64_t normal, const struct agg_opts *opts)
{
	struct bars s = bars_of(w, g->nwords, opts);
	struct agg_buckets b;
	size_t lo, hi;
	char buf[48];

	agg_buckets_init(&b, g);
	out_str(o, "\n           value  ------------- Distribution ------------- count    \n");
	agg_bucket_range(&b, w, &lo, &hi);
	for (size_t i = lo; b.n && i <= hi; i++) {
		size_t len = bucket_label(&b, i, buf, sizeof(buf));

		out_pad(o, len < 16 ? 16 - len : 0);
		out_bytes(o, buf, len);
		out_bytes(o, " ", 1);
		print_bar(o, &s, w[i]);
		int n = snprintf(buf, sizeof(buf), "%-9lld\n", (long long)agg_divided((int64_t)w[i], normal));

		out_bytes(o, buf, n > 0 ? (size_t)n : 0);
	}
	agg_buckets_free(&b);
}

/* ---- other layouts ----------------------------------------------------------------------------------------------- */
/* width 0: there are no keys, so the column is called value. */
void dist_hist_header(struct out *o, size_t width)
{
	const char *what = width ? "key" : "value";

	out_bytes(o, "\n", 1);
	out_pad(o, (width ? width : 16) - strlen(what));
	out_str(o, what);
	out_str(o, "  ------------- Distribution ------------- count    \n");
}

void dist_hist(struct out *o, const struct dist_total *t, int64_t value, uint64_t normal, const struct agg_opts *opts)
{
	struct bars s = { t->whole, t->positive, t->negative, opts->encoding == ENC_UTF8 };
	char buf[32];
	int n = snprintf(buf, sizeof(buf), "%-9lld\n", (long long)agg_divided(value, normal));

	out_bytes(o, " ", 1);
	print_bar(o, &s, (uint64_t)value);
	out_bytes(o, buf, n > 0 ? (size_t)n : 0);
}

void dist_total_add(struct dist_total *t, int64_t value, bool zoom)
{
	long double m = magnitude((uint64_t)value);

	t->positive |= value > 0;
	t->negative |= value < 0;
	if (!zoom)
		t->whole += m;
	else if ((long double)(int64_t)zoomed(m) > t->whole) /* whole numbers, as in DTrace */
		t->whole = (long double)(int64_t)zoomed(m);
}

/* lquantize shows all its levels, quantize those of all keys. */
void dist_span_add(const struct agg *g, struct dist_span *s, const uint64_t *w)
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

/* One bucket more at each side. */
static struct dist_span whole_span(const struct agg *g, struct dist_span s)
{
	if (g->fn == DW_AGG_LQUANTIZE)
		return (struct dist_span){ .lo = 0, .hi = g->nwords - 1, .any = true };
	if (!s.any)
		s.lo = s.hi = AGG_QUANTIZE_ZERO;
	s.lo -= s.lo > 0;
	s.hi += s.hi + 1 < g->nwords;
	return s;
}

/* The labels of its ends, and the columns that they have. */
struct ends {
	char lo[32], hi[32];
	size_t nlo, nhi;
};

/* The columns are at least as wide as "min" and "max" need, and 8 for lquantize, as in DTrace. */
static struct ends ends_of(const struct agg *g, struct dist_span s)
{
	struct agg_buckets b;
	struct ends e;

	agg_buckets_init(&b, g);
	(void)bucket_label(&b, s.lo, e.lo, sizeof(e.lo));
	(void)bucket_label(&b, s.hi, e.hi, sizeof(e.hi));
	agg_buckets_free(&b);
	e.nlo = strlen(e.lo);
	e.nhi = strlen(e.hi);
	if (g->fn == DW_AGG_LQUANTIZE)
		e.nlo = e.nhi = 8;
	e.nlo = e.nlo < 4 ? 4 : e.nlo;
	e.nhi = e.nhi < 4 ? 4 : e.nhi;
	return e;
}

/* Right-aligned in width columns. */
static void put_right(struct out *o, const char *s, size_t width)
{
	size_t n = strlen(s);

	out_pad(o, width > n ? width - n : 0);
	out_str(o, s);
}

static void put_left(struct out *o, const char *s, size_t width)
{
	size_t n = strlen(s);

	out_str(o, s);
	out_pad(o, width > n ? width - n : 0);
}

/* The ruler has a "-" for each bucket. */
void dist_pack_header(struct out *o, const struct agg *g, struct dist_span s, size_t width)
{
	bool linear = g->fn == DW_AGG_LQUANTIZE;
	struct ends e;

	s = whole_span(g, s);
	e = ends_of(g, s);
	out_bytes(o, "\n", 1);
	put_right(o, width ? "key" : "", width);
	out_bytes(o, " ", 1);
	put_right(o, "min", e.nlo - linear);
	out_str(o, " .");
	for (size_t i = s.lo; i <= s.hi; i++)
		out_bytes(o, "-", 1);
	out_str(o, ". ");
	put_left(o, "max", e.nhi);
	out_str(o, " | count\n");
}

/* One character for a bucket: how much of the whole it has. */
static void print_packed(struct out *o, int64_t count, long double whole, bool utf8)
{
	static const char up[] = "__xxxxXX", down[] = "vvvvVV";
	long double m = magnitude((uint64_t)count);

	if (!count)
		out_bytes(o, " ", 1);
	else if (count < 0)
		out_bytes(o, &down[(size_t)(m * (sizeof(down) - 2) / whole + 0.5L)], 1);
	else if (utf8)
		put_block(o, 0x81 + (unsigned)(m * (sizeof(up) - 2) / whole + 0.5L));
	else
		out_bytes(o, &up[(size_t)(m * (sizeof(up) - 2) / whole + 0.5L)], 1);
}

/* By default every terminal gets block characters, except those that are known to lack them. */
static bool packs_utf8(const struct agg_opts *opts)
{
	const char *term = getenv("TERM");

	if (opts->encoding)
		return opts->encoding == ENC_UTF8;
	return !term || (strcmp(term, "sun") != 0 && strcmp(term, "sun-color") != 0 && strcmp(term, "dumb") != 0);
}

/* All keys share the span, so that buckets of different keys stand below each other. The count at the end is the
 * sum. */
void dist_pack(struct out *o, const struct agg *g, struct dist_span s, const uint64_t *w, const struct agg_opts *opts)
{
	struct bars whole = bars_of(w, g->nwords, opts);
	bool utf8 = packs_utf8(opts);
	int64_t sum = 0;
	struct ends e;

	s = whole_span(g, s);
	e = ends_of(g, s);
	if (g->fn != DW_AGG_LQUANTIZE)
		out_bytes(o, " ", 1);
	put_right(o, e.lo, e.nlo);
	out_str(o, " :");
	for (size_t i = s.lo; i <= s.hi; i++) {
		print_packed(o, (int64_t)w[i], whole.whole, utf8);
		sum = (int64_t)((uint64_t)sum + w[i]);
	}
	out_str(o, ": ");
	put_left(o, e.hi, e.nhi);
	out_str(o, " | ");
	out_int(o, sum, 0);
	out_bytes(o, "\n", 1);
}
