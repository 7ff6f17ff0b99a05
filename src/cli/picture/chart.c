/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chart: see chart.h. Input: a track. Output: SVG, whose height is that of the most per second. */
#include "cli/picture/chart.h"

#define HEIGHT 56 /* pixels */

/* Seconds that a column covers. */
static double seconds(const struct tracks *all, size_t c)
{
	return (double)(all->ends[c] - (c ? all->ends[c - 1] : 0)) / 1e9;
}

static double rate(const struct tracks *all, const struct track *t, size_t c)
{
	const double s = seconds(all, c);

	return s > 0 ? (double)track_sum(t, c) / s : 0;
}

double chart_most(const struct tracks *all, const struct track *t)
{
	double most = 0;

	for (size_t c = 0; t && c < all->ncolumns; c++)
		most = rate(all, t, c) > most ? rate(all, t, c) : most;
	return most;
}

int64_t chart_sum(const struct tracks *all, const struct track *t)
{
	int64_t sum = 0;

	for (size_t c = 0; t && c < all->ncolumns; c++)
		sum += track_sum(t, c);
	return sum;
}

/* Steps, one for each column, in a picture of 1000 by 100 that is stretched to its place. */
void chart_svg(const struct svg *s, const struct tracks *all, const struct track *t)
{
	const double most = chart_most(all, t), end = all->ncolumns ? (double)all->ends[all->ncolumns - 1] : 1;
	const unsigned top = svg_begin(s, HEIGHT);
	double at = 0;

	fprintf(s->out,
		"<rect class=\"grid\" y=\"%u\" width=\"100%%\" height=\"%d\"/>"
		"<svg y=\"%u\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">"
		"<path class=\"area\" d=\"M0 100",
		top, HEIGHT, top, HEIGHT);
	for (size_t c = 0; t && most > 0 && c < all->ncolumns; c++) {
		fprintf(s->out, "V%.1f", 100 - 96 * rate(all, t, c) / most);
		at = 1000 * (double)all->ends[c] / end;
		fprintf(s->out, "H%.1f", at);
	}
	fputs("V100Z\"/></svg>\n", s->out);
	svg_end(s);
}
