/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout: see layout.h. Input: edges. Output: SVG.
 * Invariant: a node's box is as high as its edges together, and each edge as thick as its part of the largest node, so
 * that thicknesses can be compared across the picture. */
#include "cli/picture/layout.h"

#include <stdlib.h>
#include <string.h>

#include "cli/picture/markup.h"
#include "cli/picture/svg.h"

/* Units of the picture's own coordinates, which are scaled to the width of the page. */
#define WIDTH 960.0
#define BAR 8.0     /* how wide a node is */
#define LEFT 300.0  /* where the left column's bars end; names stand beside them */
#define RIGHT 660.0 /* where those of the right one begin */
#define ROW 22.0    /* the least distance of two names */
#define THICK 90.0  /* the largest node */
#define NAME 38     /* characters of a name that fit beside a bar; the title has all */

struct place {
	const char *name; /* borrowed from an edge */
	double sum;       /* of the values of its edges */
	double top, used; /* of the bar; how much of it has edges so far */
};

struct side {
	struct place *places; /* owned */
	size_t n;
};

static double weight(const struct graph_edge *e)
{
	return e->value > 0 ? (double)e->value : 0;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */
static struct place *find(const struct side *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->places[i].name, name))
			return &s->places[i];
	return NULL;
}

static int by_sum(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->sum > y->sum ? -1 : x->sum < y->sum ? 1 : strcmp(x->name, y->name);
}

/* The names of one end of all edges, those with the largest sums first. False: no memory. */
static bool collect(const struct graph *g, bool right, struct side *out)
{
	*out = (struct side){ .places = calloc(g->n + 1, sizeof(struct place)) };
	for (size_t i = 0; out->places && i < g->n; i++) {
		const char *name = right ? g->edges[i].to : g->edges[i].from;
		struct place *p = find(out, name);

		if (!p) {
			p = &out->places[out->n++];
			p->name = name;
		}
		p->sum += weight(&g->edges[i]);
	}
	if (!out->places)
		return false;
	qsort(out->places, out->n, sizeof(struct place), by_sum);
	if (out->n > LAYOUT_NODES_MAX)
		out->n = LAYOUT_NODES_MAX;
	return true;
}

static double height_of(double sum, double most)
{
	return most > 0 ? THICK * sum / most : 0;
}

/* Places the nodes below each other. Returns how high the column is. */
static double stack(struct side *s, double most)
{
	double y = 0;

	for (size_t i = 0; i < s->n; i++) {
		const double h = height_of(s->places[i].sum, most);

		s->places[i].top = y + (h < ROW ? (ROW - h) / 2 : 4);
		y += h < ROW ? ROW : h + 8;
	}
	return y;
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */
/* Names keep to their column: of a long one the beginning and the end are shown. */
static void put_name(FILE *out, const char *name)
{
	size_t len = strlen(name), head = len, tail = len;

	if (len > NAME) {
		head = NAME / 2;
		tail = len - NAME / 2 + 1;
		while (head && ((unsigned char)name[head] & 0xc0) == 0x80)
			head--;
		while (tail < len && ((unsigned char)name[tail] & 0xc0) == 0x80)
			tail++;
	}
	markup_text(out, name, head);
	if (head < len) {
		fputs("…", out);
		markup_str(out, name + tail);
	}
}

static void put_places(FILE *out, const struct side *s, bool right, double top, double most)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct place *p = &s->places[i];
		const double h = height_of(p->sum, most);

		fputs("<g><title>", out);
		markup_str(out, p->name);
		fprintf(out,
			"</title><rect class=\"area\" x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\"/>"
			"<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"%s\">",
			right ? RIGHT : LEFT - BAR, top + p->top, BAR, h < 1 ? 1 : h,
			right ? RIGHT + BAR + 6 : LEFT - BAR - 6, top + p->top + h / 2 + 4, right ? "start" : "end");
		put_name(out, p->name);
		fputs("</text></g>\n", out);
	}
}

/* A band from the left to the right. What it stands for is its title, and its label if there is room. */
static void put_edge(
	FILE *out, const struct graph_edge *e, struct place *from, struct place *to, double top, double most)
{
	const double h = height_of(weight(e), most), w = h < 1 ? 1 : h, middle = (LEFT + RIGHT) / 2;
	const double y1 = top + from->top + from->used + h / 2, y2 = top + to->top + to->used + h / 2;

	from->used += h;
	to->used += h;
	fputs("<g><title>", out);
	markup_str(out, e->from);
	fputs(" → ", out);
	markup_str(out, e->to);
	fputs(": ", out);
	markup_str(out, e->label);
	fprintf(out,
		"</title><path class=\"band\" d=\"M%.0f %.1fC%.0f %.1f %.0f %.1f %.0f %.1f\" stroke-width=\"%.1f\"/>",
		LEFT, y1, middle, y1, middle, y2, RIGHT, y2, w);
	if (h >= 12) {
		fprintf(out, "<text class=\"dim\" x=\"%.0f\" y=\"%.1f\" font-size=\"11\">", LEFT + 8, y1 + 4);
		put_name(out, e->label);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

static size_t put_edges(
	FILE *out, const struct graph *g, const struct side *left, const struct side *right, double top, double most)
{
	size_t missing = 0;

	for (size_t i = g->n; i > 0; i--) { /* aggregations are sorted: the largest values are the last */
		struct graph_edge *e = &g->edges[i - 1];
		struct place *from = find(left, e->from), *to = find(right, e->to);

		if (from && to)
			put_edge(out, e, from, to, top, most);
		else
			missing++;
	}
	return missing;
}

static void put_note(FILE *out, double y, uint64_t missing, bool any)
{
	fprintf(out, "<text class=\"dim\" x=\"8\" y=\"%.0f\">", y);
	if (!any)
		fputs("Nothing was counted.", out);
	if (missing)
		fprintf(out, "%llu more edges are not shown.", (unsigned long long)missing);
	fputs("</text>\n", out);
}

void layout_svg(FILE *out, const struct graph *g)
{
	struct svg s = { .out = out, .alone = true, .title = "Who with whom", .width = (unsigned)WIDTH };
	struct side left = { 0 }, right = { 0 };
	double most = 0, height, other;
	uint64_t missing = g->refused + g->n;
	unsigned top;

	if (collect(g, false, &left) && collect(g, true, &right)) {
		most = left.n ? left.places[0].sum : 0;
		most = right.n && right.places[0].sum > most ? right.places[0].sum : most;
	}
	height = stack(&left, most);
	other = stack(&right, most);
	height = other > height ? other : height;
	top = svg_begin(&s, (unsigned)height + 28);
	if (left.places && right.places) {
		missing = g->refused + put_edges(out, g, &left, &right, top, most);
		put_places(out, &left, false, top, most);
		put_places(out, &right, true, top, most);
	}
	put_note(out, top + height + 18, missing, g->n);
	svg_end(&s);
	free(left.places);
	free(right.places);
}
