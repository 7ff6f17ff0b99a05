/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat: see heat.h. Input: a track with buckets. Output: SVG.
 * Invariant: a cell that is drawn counted something; its title says how many, when and which values. */
#include "cli/picture/heat.h"

#include <inttypes.h>

#define ROW 14       /* pixels */
#define AXIS 20      /* below the rows */
#define TITLE 26     /* above a map among several */
#define GUTTER 12.0  /* labels take so many parts of 100 of the width */
#define GAP_ROWS 64u /* a gap of so many buckets is filled at most */

/* ---- rows -------------------------------------------------------------------------------------------------------- */
static void add_row(struct heat_rows *out, const struct line *l, int64_t low)
{
	if (out->n > TRACK_BUCKETS)
		return;
	out->lines[out->n] = l;
	out->low[out->n++] = low;
}

/* Rows for the buckets between two that counted something: powers of two for quantize, all of one width for
 * lquantize. */
static void fill_gap(struct heat_rows *out, enum dist kind, const struct line *l, const struct line *after)
{
	const uint64_t width = (uint64_t)l->high - (uint64_t)l->low + 1,
		       gap = (uint64_t)after->low - (uint64_t)l->high - 1;
	int64_t low = l->high;

	if (low == INT64_MAX || !gap)
		return;
	low++;
	if (kind == DIST_QUANTIZE)
		for (; low >= 0 && low < after->low; low += low ? low : 1)
			add_row(out, NULL, low);
	if (kind == DIST_LQUANTIZE && l->low != INT64_MIN && gap / width <= GAP_ROWS)
		for (; low < after->low; low += (int64_t)width)
			add_row(out, NULL, low);
}

void heat_rows(const struct track *t, struct heat_rows *out)
{
	out->n = 0;
	for (size_t i = 0; i < t->nlines; i++) {
		if (i)
			fill_gap(out, t->dist, t->lines[i - 1], t->lines[i]);
		add_row(out, t->lines[i], t->lines[i]->low);
	}
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */
static int64_t most(const struct track *t, size_t ncolumns)
{
	int64_t max = 0;

	for (size_t i = 0; i < t->nlines; i++)
		for (size_t c = 0; c < ncolumns; c++)
			if (t->lines[i]->columns[c] > max)
				max = t->lines[i]->columns[c];
	return max;
}

/* Columns are as wide as their time. */
static double across(const struct tracks *all, size_t column)
{
	double end = (double)all->ends[all->ncolumns - 1];

	return GUTTER + (100 - GUTTER) * (column && end > 0 ? (double)all->ends[column - 1] / end : 0);
}

static void put_cell(const struct svg *s, const struct tracks *all, const struct line *l, size_t c, double strength)
{
	const double from = across(all, c), to = across(all, c + 1);
	char buf[UNIT_TEXT];

	fprintf(s->out,
		"<rect class=\"cell\" x=\"%.2f%%\" width=\"%.2f%%\" height=\"%d\" fill-opacity=\"%.2f\"><title>", from,
		to - from, ROW - 1, strength);
	if (l->low == INT64_MIN)
		fprintf(s->out, "at most %" PRId64, l->high);
	else if (l->high == INT64_MAX)
		fprintf(s->out, "%" PRId64 " and more", l->low);
	else
		fprintf(s->out, "%" PRId64 " to %" PRId64, l->low, l->high);
	fprintf(s->out, ", until %.1f s: %s</title></rect>", (double)all->ends[c] / 1e9,
		unit_text(buf, sizeof(buf), l->columns[c], UNIT_NONE));
}

/* Close to the logarithm to base 2, without the library of it: straight lines between powers of two. n > 0. */
static double log2_of(int64_t n)
{
	const int bits = 63 - __builtin_clzll((unsigned long long)n);

	return bits + (double)n / (double)(1ull << bits) - 1;
}

/* Counts differ by orders of magnitude: the strength follows their logarithm. */
static void put_row(const struct svg *s, const struct tracks *all, const struct line *l, unsigned y, int64_t max)
{
	fprintf(s->out, "<svg y=\"%u\" height=\"%d\" width=\"100%%\">", y, ROW);
	for (size_t c = 0; l && c < all->ncolumns; c++)
		if (l->columns[c] > 0)
			put_cell(s, all, l, c, max > 1 ? 0.2 + 0.8 * log2_of(l->columns[c]) / log2_of(max) : 1);
	fputs("</svg>\n", s->out);
}

static void put_labels(const struct svg *s, const struct heat_rows *rows, unsigned top, enum unit unit)
{
	const size_t step = rows->n > 20 ? rows->n / 10 : rows->n > 8 ? 2 : 1;
	char buf[UNIT_TEXT];

	for (size_t i = 0; i < rows->n; i += step)
		fprintf(s->out,
			"<text class=\"dim\" x=\"%.1f%%\" dx=\"-5\" y=\"%u\" text-anchor=\"end\" "
			"font-size=\"11\">%s</text>\n",
			GUTTER, top + (unsigned)(rows->n - 1 - i) * ROW + ROW - 3,
			rows->low[i] == INT64_MIN ? "less" : unit_text(buf, sizeof(buf), rows->low[i], unit));
}

/* The map from the top on. Returns how many pixels it takes. */
static unsigned put_map(
	const struct svg *s, const struct tracks *all, const struct track *t, enum unit unit, unsigned top)
{
	const int64_t max = most(t, all->ncolumns);
	struct heat_rows rows;
	unsigned height;

	heat_rows(t, &rows);
	height = (unsigned)rows.n * ROW;
	if (all->ncolumns) {
		fprintf(s->out, "<rect class=\"grid\" x=\"%.1f%%\" y=\"%u\" width=\"%.1f%%\" height=\"%u\"/>\n", GUTTER,
			top, 100 - GUTTER, height);
		for (size_t i = 0; i < rows.n; i++)
			put_row(s, all, rows.lines[i], top + (unsigned)(rows.n - 1 - i) * ROW, max);
		put_labels(s, &rows, top, unit);
		fprintf(s->out,
			"<text class=\"dim\" x=\"%.1f%%\" y=\"%u\" font-size=\"11\">0 s</text>"
			"<text class=\"dim\" x=\"100%%\" dx=\"-1\" y=\"%u\" font-size=\"11\" text-anchor=\"end\">%.0f "
			"s</text>\n",
			GUTTER, top + height + 14, top + height + 14, (double)all->ends[all->ncolumns - 1] / 1e9);
	}
	return height + AXIS;
}

static unsigned map_height(const struct track *t)
{
	struct heat_rows rows;

	heat_rows(t, &rows);
	return (unsigned)rows.n * ROW + AXIS;
}

void heat_svg(const struct svg *s, const struct tracks *all, const struct track *t, enum unit unit)
{
	const unsigned top = svg_begin(s, map_height(t));

	(void)put_map(s, all, t, unit, top);
	svg_end(s);
}

void heats_svg(FILE *out, const struct tracks *all)
{
	const struct svg s = { .out = out, .alone = true, .title = "Distributions over time" };
	unsigned height = 0, top;

	for (size_t i = 0; i < all->ntracks; i++)
		height += all->tracks[i]->dist ? map_height(all->tracks[i]) + TITLE : 0;
	top = svg_begin(&s, height + (height ? 0 : TITLE));
	for (size_t i = 0; i < all->ntracks; i++) {
		const struct track *t = all->tracks[i];

		if (!t->dist)
			continue;
		fprintf(out, "<text x=\"8\" y=\"%u\">@", top + TITLE - 8);
		markup_str(out, t->name);
		fputs("</text>\n", out);
		top += TITLE + put_map(&s, all, t, unit_of_name(t->name), top + TITLE);
	}
	if (!height)
		fprintf(out, "<text class=\"dim\" x=\"8\" y=\"%u\">Nothing was measured.</text>\n", top + TITLE - 8);
	svg_end(&s);
}
