/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame: see flame.h. Input: rows of aggregations. Output: SVG.
 * Invariant: a frame is as wide as the sum of what stands on it and of what was counted in itself. */
#include "cli/picture/flame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/picture/markup.h"

#define ROW 17        /* pixels */
#define NARROW 0.0008 /* parts of the whole: less than a pixel on most screens */

/* A frame on a path of callers. */
struct frame_node {
	struct frame_node *next, *first; /* beside it; what it calls */
	char *name;                      /* owned */
	int64_t before, now;             /* counted in it and in what it calls: in generations that are over, and now */
	uint64_t generation;             /* of an aggregation, which is the frame of its name */
};

static int64_t total(const struct frame_node *n)
{
	return n->before + n->now;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */
static struct frame_node *node_new(struct flame *f, const char *name, size_t len)
{
	struct frame_node *n = calloc(1, sizeof(*n));

	if (n)
		n->name = strndup(name, len);
	if (n && n->name) {
		f->frames++;
		return n;
	}
	free(n);
	f->failed = true;
	return NULL;
}

/* What a frame calls by this name, made if it is new. NULL: there is no room. */
static struct frame_node *callee(struct flame *f, struct frame_node *caller, const char *name, size_t len)
{
	struct frame_node *n;

	for (n = caller->first; n; n = n->next)
		if (!strncmp(n->name, name, len) && !n->name[len])
			return n;
	n = f->frames < FLAME_FRAMES_MAX ? node_new(f, name, len) : NULL;
	if (n) {
		n->next = caller->first;
		caller->first = n;
	}
	return n;
}

/* "vmlinux`tcp_v4_rcv+0x4bc" is counted as vmlinux`tcp_v4_rcv: returns how many bytes are the name. */
static size_t name_length(const char *frame, size_t len)
{
	for (size_t i = len; i > 0; i--)
		if (frame[i - 1] == '+')
			return len - i >= 2 && frame[i] == '0' && frame[i + 1] == 'x' ? i - 1 : len;
	return len;
}

/* One frame further from the root. Returns NULL when the rest of the stack is not kept. */
static struct frame_node *step(struct flame *f, struct frame_node *at, const char *name, size_t len, int64_t n)
{
	struct frame_node *to = callee(f, at, name, len);

	if (to)
		to->now += n;
	else
		f->refused += n;
	return to;
}

/* A stack has its innermost frame first; the graph begins with the outermost. */
static void add_stack(struct flame *f, struct frame_node *at, const struct dwire_value *stack, int64_t n)
{
	size_t end = stack->len, depth = 0;

	while (at && end && depth++ < FLAME_DEPTH_MAX) {
		size_t from;

		if (stack->text[end - 1] == '\n')
			end--;
		for (from = end; from && stack->text[from - 1] != '\n';)
			from--;
		if (end > from)
			at = step(f, at, stack->text + from, name_length(stack->text + from, end - from), n);
		end = from;
	}
}

/* A key that is no stack, as the name of a frame: "NO_SOCKET", "nginx", "80". */
static struct frame_node *add_key(struct flame *f, struct frame_node *at, const struct dwire_value *v, int64_t n)
{
	char number[24];
	int len;

	if (v->type == DWIRE_STRING)
		return step(f, at, v->text, v->len, n);
	len = snprintf(number, sizeof(number), v->is_signed ? "%" PRId64 : "%" PRIu64, v->number);
	return v->type == DWIRE_INT ? step(f, at, number, (size_t)len, n) : at;
}

/* Before an aggregation is shown again: what it counted stays if it was taken back since; else it is in what comes. */
static void settle(struct frame_node *n, bool keep)
{
	for (; n; n = n->next) {
		n->before += keep ? n->now : 0;
		n->now = 0;
		settle(n->first, keep);
	}
}

static void begin(struct frame_node *aggregation, uint64_t generation)
{
	const bool keep = generation != aggregation->generation;

	aggregation->before += keep ? aggregation->now : 0;
	aggregation->now = 0;
	aggregation->generation = generation;
	settle(aggregation->first, keep);
}

/* The frame that stands for the aggregation; NULL: there is no room. */
static struct frame_node *aggregation_of(struct flame *f, const struct dwire_row *r)
{
	struct frame_node *at;

	if (!f->root)
		f->root = node_new(f, "all", 3);
	at = f->root ? callee(f, f->root, r->aggregation, strlen(r->aggregation)) : NULL;
	if (at && !r->index)
		begin(at, r->generation);
	return at;
}

/* How much a row counted: of a distribution how many values. */
static int64_t amount(const struct dwire_row *r)
{
	int64_t n = 0;

	for (size_t i = 0; i < r->nbuckets; i++)
		n += r->buckets[i].count;
	return n ? n : r->value;
}

/* Average, least and greatest cannot be added up. */
static bool is_amount(const struct dwire_row *r)
{
	return r->nbuckets || !strcmp(r->function, "count") || !strcmp(r->function, "sum");
}

bool flame_row(struct flame *f, const struct dwire_row *r)
{
	const struct dwire_value *stack = NULL;
	struct frame_node *at;
	int64_t n;

	for (size_t i = r->nkeys; i > 0; i--)
		stack = r->keys[i - 1].type == DWIRE_STACK ? &r->keys[i - 1] : stack;
	if (!stack || !is_amount(r))
		return stack != NULL;
	at = aggregation_of(f, r);
	n = amount(r);
	if (!at || n < 1)
		return true;
	at->now += n;
	for (size_t i = 0; at && i < r->nkeys; i++)
		if (r->keys[i].type != DWIRE_STACK)
			at = add_key(f, at, &r->keys[i], n);
	add_stack(f, at, stack, n); /* the first: a second stack has no place in one graph */
	return true;
}

static void node_free(struct frame_node *n)
{
	while (n) {
		struct frame_node *next = n->next;

		node_free(n->first); /* at most as deep as FLAME_DEPTH_MAX and the keys of a row */
		free(n->name);
		free(n);
		n = next;
	}
}

void flame_free(struct flame *f)
{
	node_free(f->root);
	*f = (struct flame){ 0 };
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */
struct drawing {
	const struct svg *svg;
	int64_t whole;
	unsigned bottom; /* of the lowest row, pixels */
	int64_t narrow;  /* counted in frames too narrow to draw */
};

static bool is_drawn(const struct drawing *d, const struct frame_node *n)
{
	return (double)total(n) >= NARROW * (double)d->whole;
}

static unsigned depth_of(const struct drawing *d, const struct frame_node *n)
{
	unsigned most = 0;

	for (; n; n = n->next) {
		unsigned depth = is_drawn(d, n) ? 1 + depth_of(d, n->first) : 0;

		most = depth > most ? depth : most;
	}
	return most;
}

/* The same name has the same colour in each graph. */
static void put_class(const struct frame_node *n, FILE *out)
{
	const char *kernel = strchr(n->name, '`');
	unsigned hash = 5381;

	if (!kernel) {
		fputs("r", out);
		return;
	}
	for (const char *c = n->name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	fprintf(out, "%c%u", strncmp(n->name, "vmlinux`", 8) ? 'u' : 'k', hash % 4);
}

/* The text is clipped by the frame, which is a picture in the picture. The module is in the title only. */
static void put_frame(struct drawing *d, const struct frame_node *n, double left, unsigned depth)
{
	const double part = 100 * (double)total(n) / (double)d->whole;
	const char *module = strchr(n->name, '`');
	FILE *out = d->svg->out;
	char buf[UNIT_TEXT];

	fprintf(out, "<svg class=\"f\" x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"><title>", left,
		d->bottom - (depth + 1) * ROW, part, ROW - 1);
	markup_str(out, n->name);
	fprintf(out, ": %s (%.1f %%)</title><rect class=\"", unit_text(buf, sizeof(buf), total(n), UNIT_NONE), part);
	put_class(n, out);
	fputs("\" width=\"100%\" height=\"100%\" rx=\"1\" stroke=\"#fff\" stroke-width=\".5\"/>", out);
	if (part > 1.5) {
		fputs("<text x=\"4\" y=\"12\">", out);
		markup_str(out, module ? module + 1 : n->name);
		fputs("</text>", out);
	}
	fputs("</svg>\n", out);
}

static void put_frames(struct drawing *d, const struct frame_node *n, double left, unsigned depth)
{
	for (; n; n = n->next) {
		if (is_drawn(d, n)) {
			put_frame(d, n, left, depth);
			put_frames(d, n->first, left, depth + 1);
		} else
			d->narrow += total(n);
		left += 100 * (double)total(n) / (double)d->whole;
	}
}

void flame_svg(const struct svg *s, const struct flame *f)
{
	struct drawing d = { .svg = s };
	char buf[UNIT_TEXT];
	unsigned rows, top;

	for (const struct frame_node *n = f->root ? f->root->first : NULL; n; n = n->next)
		d.whole += total(n);
	if (f->root)
		f->root->now = d.whole;
	rows = d.whole ? depth_of(&d, f->root) : 0;
	top = svg_begin(s, rows * ROW + 24);

	d.bottom = top + rows * ROW;
	if (rows)
		put_frames(&d, f->root, 0, 0);
	fprintf(s->out, "<text class=\"dim\" x=\"4\" y=\"%u\">", d.bottom + 16);
	if (!rows)
		fputs("Nothing was counted.", s->out);
	if (d.narrow)
		fprintf(s->out, "%s in frames too narrow to draw. ", unit_text(buf, sizeof(buf), d.narrow, UNIT_NONE));
	if (f->refused)
		fprintf(s->out, "%s in stacks that were cut: there are more than %u frames. ",
			unit_text(buf, sizeof(buf), f->refused, UNIT_NONE), FLAME_FRAMES_MAX);
	if (f->failed)
		fputs("Memory was short: frames are missing. ", s->out);
	fputs("</text>\n", s->out);
	svg_end(s);
}
