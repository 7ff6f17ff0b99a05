/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring: see ring.h.
 * Input: lines of a stream, whose rows come in order of time. Output: for each window a stream of its own, which begins
 * with all that its frames refer to, is numbered from 0 and has an end.
 * Invariants: a row is handed on at most once; what is held takes no more memory than the limit, but for one block; a
 * frame of a window that the limit cost is counted in the window. */
#include "recording/ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "recording/block.h"
#include "recording/bytes.h"
#include "recording/line.h"
#include "recording/rows.h"

#define BLOCK_FULL (256u << 10) /* text that is packed before the beat */
#define SLACK 1000000000ull     /* ns: rows may come so much later than a beat that has their time */

/* A packed block. Without bytes its frames were given up for want of room; it stays to be counted. */
struct held {
	struct held *next;
	unsigned char *bytes; /* block_pack() made them */
	size_t size;
	uint64_t first, last; /* times of its frames */
	uint64_t end;         /* its frames have lower numbers */
	uint64_t lines;
	bool keeps; /* it has frames that outlive it: is_lasting() */
};

struct ring {
	struct ring_size size;
	struct ring_to to;
	struct held *head, **tail;
	uint64_t used;      /* bytes of the blocks */
	struct held open;   /* what is said of body */
	struct bytes body;  /* lines that are not yet packed */
	struct bytes known; /* descriptions; each window begins with them */
	struct bytes base;  /* states and options as they were before the oldest block */
	uint64_t base_lost; /* frames of base that had no room */
	uint64_t now;       /* time of the latest frame that has one */

	uint64_t windows; /* so far */
	bool writing;     /* a window is open, until that time */
	uint64_t until;
	uint64_t told;    /* rows up to this time are in windows that are over */
	uint64_t n;       /* number of the next frame of the window */
	uint64_t rows;    /* of the window */
	uint64_t written; /* rows with lower numbers were handed on */
	struct bytes line;
};

/* ---- handing on -------------------------------------------------------------------------------------------------- */
/* The session of a window: that of the trace, and which window it is. */
static bool hand_on(struct ring *r, const struct line *l, const char *rest, size_t nrest)
{
	char head[64], word[LINE_SESSION + 1] = "";
	int n;

	memcpy(word, l->session, LINE_SESSION);
	n = snprintf(head, sizeof(head), "{\"s\":\"%016" PRIx64 "\",\"n\":%" PRIu64,
		(uint64_t)strtoull(word, NULL, 16) + r->windows - 1, r->n++);
	r->line.n = 0;
	return bytes_append(&r->line, head, (size_t)n) && bytes_append(&r->line, rest, nrest) &&
		bytes_append(&r->line, "\n", 1) && r->to.take(r->to.ctx, r->line.v, r->line.n);
}

/* What happened at a time is handed on once; rows only within the window. */
static bool hand_on_new(struct ring *r, const struct line *l, uint64_t from)
{
	uint64_t n = 0;
	char *text;
	bool ok;

	if (!line_is_row(l)) {
		r->written = l->n + 1;
		return hand_on(r, l, l->rest, l->nrest);
	}
	text = rows_within(l, from > r->told ? from : r->told + 1, r->until, &n);
	ok = !text || hand_on(r, l, text, strlen(text));
	r->rows += text ? n : 0;
	r->written = line_time(l) <= r->until ? l->n + 1 : l->n;
	free(text);
	return ok;
}

/* hello says how the clocks stood when the window began. */
static bool hand_on_hello(struct ring *r, const struct line *l, uint64_t from)
{
	static const char key[] = "\"clock\":{";
	const char *end = l->rest + l->nrest, *at = memmem(l->rest, l->nrest, key, sizeof(key) - 1),
		   *after = at ? memchr(at, '}', (size_t)(end - at)) : NULL;
	struct bytes text = { 0 };
	char clock[96];
	bool ok;
	int n = snprintf(clock, sizeof(clock), "%s\"wall\":\"%" PRIu64 "\",\"mono\":\"%" PRIu64 "\"", key,
		clock_wall() - (clock_now() - from), from);

	if (!after)
		return hand_on(r, l, l->rest, l->nrest);
	ok = bytes_append(&text, l->rest, (size_t)(at - l->rest)) && bytes_append(&text, clock, (size_t)n) &&
		bytes_append(&text, after, (size_t)(end - after)) && hand_on(r, l, text.v, text.n);
	free(text.v);
	return ok;
}

/* ---- lines that outlive their block ------------------------------------------------------------------------------ */
static bool is_description(const struct line *l)
{
	return !strcmp(l->kind, "hello") || !strcmp(l->kind, "agg") || !strcmp(l->kind, "clause");
}

static bool is_state(const struct line *l)
{
	return !strcmp(l->kind, "state");
}

static bool is_lasting(const struct line *l)
{
	return is_state(l) || !strcmp(l->kind, "options");
}

/* Does the frame a make b superfluous? A whole state does so with former ones of its aggregation. */
static bool replaces(const struct line *a, const struct line *b)
{
	if (strcmp(a->kind, b->kind) != 0)
		return false;
	return !is_state(a) ||
		(memmem(a->rest, a->nrest, "\"part\":0", 8) && line_number(a, "agg") == line_number(b, "agg"));
}

/* A line of base, taken apart. Returns the line behind it. */
static const char *next_line(const char *at, const char *end, struct line *l, bool *ok)
{
	const char *feed = memchr(at, '\n', (size_t)(end - at));

	feed = feed ? feed : end;
	*ok = line_read(l, at, (size_t)(feed - at));
	return feed < end ? feed + 1 : end;
}

/* The end of a text of n bytes. An empty text may be NULL, to which C forbids to add even 0. */
static const char *end_of(const char *text, size_t n)
{
	return n ? text + n : text;
}

static bool keep(struct ring *r, const struct line *l, const char *text, size_t n)
{
	const bool may_replace = !is_state(l) || memmem(l->rest, l->nrest, "\"part\":0", 8);
	const char *end = end_of(r->base.v, r->base.n), *next;
	char *to = r->base.v;
	struct line former;
	bool ok;

	for (const char *at = may_replace ? to : end; at < end; at = next) {
		next = next_line(at, end, &former, &ok);
		if (ok && replaces(l, &former))
			continue;
		memmove(to, at, (size_t)(next - at));
		to += next - at;
	}
	if (may_replace)
		r->base.n = (size_t)(to - r->base.v);
	if (r->base.n + n <= r->size.memory / 4)
		return bytes_append(&r->base, text, n);
	r->base_lost++; /* a whole state comes within ten seconds */
	return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
/* Hands each line of a text to take(). */
static bool each_line(struct ring *r, const char *text, size_t n,
	bool (*take)(struct ring *r, const struct line *l, const char *line, size_t len, void *ctx), void *ctx)
{
	const char *end = end_of(text, n), *next;
	struct line l;
	bool ok;

	for (; text < end; text = next) {
		next = next_line(text, end, &l, &ok);
		if (ok && !take(r, &l, text, (size_t)(next - text), ctx))
			return false;
	}
	return true;
}

static bool each_held(struct ring *r, const struct held *h,
	bool (*take)(struct ring *r, const struct line *l, const char *line, size_t len, void *ctx), void *ctx)
{
	struct block b;
	char *text;
	bool ok;

	if (!block_head(&b, h->bytes))
		return true;
	text = malloc(b.raw);
	ok = text && block_unpack(&b, h->bytes + BLOCK_HEAD, text) && each_line(r, text, b.raw, take, ctx);
	free(text);
	return ok;
}

static bool keep_line(struct ring *r, const struct line *l, const char *line, size_t len, void *ctx)
{
	(void)ctx;
	return !is_lasting(l) || keep(r, l, line, len);
}

/* Gives up the bytes of a block; what outlives it goes to base. */
static bool give_up(struct ring *r, struct held *h)
{
	bool ok = !h->keeps || each_held(r, h, keep_line, NULL);

	r->used -= h->size;
	free(h->bytes);
	h->bytes = NULL;
	return ok;
}

static bool is_old(const struct ring *r, const struct held *h)
{
	return h->last + r->size.before + SLACK < r->now;
}

/* Blocks that no window can reach, and for want of room the oldest of the others. */
static bool make_room(struct ring *r)
{
	struct held *h;
	bool ok = true;

	while (ok && (h = r->head) && is_old(r, h)) {
		ok = !h->bytes || give_up(r, h);
		r->head = h->next;
		r->tail = r->head ? r->tail : &r->head;
		r->used -= sizeof(*h);
		free(h);
	}
	for (h = r->head; ok && h && r->used + r->base.cap + r->known.cap + r->body.cap > r->size.memory; h = h->next)
		ok = !h->bytes || give_up(r, h);
	return ok;
}

/* Packs the lines that are open. Without memory they are lost, and counted. */
static bool pack(struct ring *r)
{
	struct held *h;
	struct block b = { .wall = clock_wall() };
	unsigned char *room;

	if (!r->body.n)
		return true;
	h = malloc(sizeof(*h));
	room = malloc(BLOCK_HEAD + block_room(r->body.n));
	if (!h || !room) {
		free(h);
		free(room);
		return false;
	}
	*h = r->open;
	h->next = NULL;
	h->size = block_pack(&b, r->body.v, r->body.n, room);
	h->bytes = malloc(h->size);
	if (h->bytes) { /* realloc() would do, but for gcc's warnings without optimisation */
		memcpy(h->bytes, room, h->size);
		free(room);
	} else {
		h->bytes = room;
	}
	r->used += h->size + sizeof(*h);
	*r->tail = h;
	r->tail = &h->next;
	r->body.n = 0;
	r->open = (struct held){ 0 };
	return make_room(r);
}

static bool hold(struct ring *r, const struct line *l, const char *text, size_t n)
{
	if (r->body.n && r->body.n + n > BLOCK_FULL && !pack(r))
		return false;
	if (!r->body.n)
		r->open.first = r->now;
	r->open.last = r->now;
	r->open.end = l->n + 1;
	r->open.lines++;
	r->open.keeps |= is_lasting(l);
	return bytes_append(&r->body, text, n);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */
/* A walk through what is held. */
struct past {
	uint64_t from, at; /* the window's beginning; the time of the latest frame */
};

static bool tell_known(struct ring *r, const struct line *l, const char *line, size_t len, void *ctx)
{
	const struct past *past = ctx;

	(void)line;
	(void)len;
	return strcmp(l->kind, "hello") != 0 ? hand_on(r, l, l->rest, l->nrest) : hand_on_hello(r, l, past->from);
}

/* Frames without a time stand at that of the one before. States come from before the window, too. */
static bool tell_past(struct ring *r, const struct line *l, const char *line, size_t len, void *ctx)
{
	struct past *past = ctx;
	uint64_t t = line_time(l);

	(void)line;
	(void)len;
	if (is_lasting(l))
		return hand_on(r, l, l->rest, l->nrest);
	past->at = t && !is_state(l) ? t : past->at;
	if (past->at < past->from || l->n < r->written)
		return true;
	return hand_on_new(r, l, past->from);
}

static bool tell_loss(struct ring *r, const struct line *l, uint64_t n, const char *what)
{
	char text[256];
	int k = snprintf(text, sizeof(text),
		",\"f\":\"drops\",\"cause\":\"ring\",\"count\":%" PRIu64 ",\"text\":\"%" PRIu64
		" %s before the snapshot had no room in memory (--memory)\"}",
		n, n, what);

	return !n || hand_on(r, l, text, (size_t)k);
}

/* Frames of the window that were given up. A block that began before it counts whole. */
static uint64_t lost_in(const struct ring *r, uint64_t from)
{
	uint64_t n = 0;

	for (const struct held *h = r->head; h; h = h->next)
		if (!h->bytes && h->last >= from && h->end > r->written)
			n += h->lines;
	return n;
}

static bool tell_window(struct ring *r, const struct line *l, uint64_t from)
{
	struct past past = { .from = from };
	bool ok = each_line(r, r->known.v, r->known.n, tell_known, &past) &&
		each_line(r, r->base.v, r->base.n, tell_past, &past) && tell_loss(r, l, lost_in(r, from), "frames") &&
		tell_loss(r, l, r->base_lost, "states of aggregations");

	for (const struct held *h = r->head; ok && h; h = h->next)
		ok = !h->bytes || each_held(r, h, tell_past, &past);
	r->base_lost = 0;
	return ok && each_line(r, r->body.v, r->body.n, tell_past, &past);
}

/* A trigger at that time. l: the frame. */
static bool trigger(struct ring *r, const struct line *l, uint64_t t)
{
	const uint64_t from = t > r->size.before ? t - r->size.before : 0;
	bool ok;

	if (r->writing) {
		r->until = t + r->size.after > r->until ? t + r->size.after : r->until;
		return true;
	}
	r->writing = true;
	r->until = t + r->size.after;
	r->windows++;
	r->n = r->rows = 0;
	ok = tell_window(r, l, from);
	r->to.begun(r->to.ctx);
	return ok;
}

static void close_window(struct ring *r)
{
	r->writing = false;
	r->told = r->until;
	r->to.over(r->to.ctx);
	report_note(r->to.report, "snapshot %" PRIu64 ": %" PRIu64 " rows are recorded", r->windows, r->rows);
}

/* The window is over though the trace is not. */
static bool end_window(struct ring *r, const struct line *l)
{
	static const char end[] = ",\"f\":\"end\",\"status\":0}";
	bool ok = hand_on(r, l, end, sizeof(end) - 1);

	close_window(r);
	return ok;
}

/* A beat may come before rows that have its time. */
static bool is_over(const struct ring *r, const struct line *l)
{
	return r->writing && r->now > r->until + (line_is_row(l) ? 0 : SLACK);
}

/* While a window is open, lines are handed on as they come; they are held nevertheless, as the next window needs the
 * states among them. */
static bool take_frame(struct ring *r, const struct line *l, const char *text, size_t n)
{
	const bool beat = !strcmp(l->kind, "beat"), shot = !strcmp(l->kind, "snapshot");
	const bool final = !strcmp(l->kind, "rest") || !strcmp(l->kind, "end");
	const bool row = line_is_row(l);
	const uint64_t t = beat || shot || row ? line_time(l) : 0;

	r->now = t > r->now ? t : r->now;
	if (r->writing && row && !hand_on_new(r, l, 0)) /* the last ones, too */
		return false;
	if (is_over(r, l) && !end_window(r, l))
		return false;
	if (shot && !trigger(r, l, t))
		return false;
	if (r->writing && !row && !hand_on_new(r, l, 0))
		return false;
	if (is_description(l))
		return bytes_append(&r->known, text, n);
	if (final)
		return true;
	return hold(r, l, text, n) && (!beat || pack(r));
}

bool ring_take(struct ring *r, const char *line, size_t n)
{
	struct line l;
	bool ok;

	if (!line_read(&l, line, n - 1))
		return true;
	ok = take_frame(r, &l, line, n);
	if (r->writing && !strcmp(l.kind, "end"))
		close_window(r);
	return ok;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
struct ring *ring_new(const struct ring_size *size, const struct ring_to *to)
{
	struct ring *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->size = *size;
	r->to = *to;
	r->tail = &r->head;
	return r;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;
	for (struct held *h = r->head, *next; h; h = next) {
		next = h->next;
		free(h->bytes);
		free(h);
	}
	free(r->body.v);
	free(r->known.v);
	free(r->base.v);
	free(r->line.v);
	free(r);
}
