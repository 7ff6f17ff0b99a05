/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines: see lines.h.
 * Input: records of a printf(). Output: their text, which for most of them is copied from an earlier record.
 *
 * Each action has a plan: which of its values differ from record to record (the free ones, which are printed each
 * time), and which bits of a record are the others' (the key). The first records show which values are free. When keys
 * seldom come again, the plan looks for more free values; if it finds none, the action is left alone for a while.
 *
 * Invariants: no byte outside a record is read. A text is kept only if it depends on the key alone; names of containers
 * and hosts, which may change, keep a record out. In columns a value that is too wide moves the next ones: then the
 * record is printed anew. */
#include "print/lines.h"

#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "print/value/style.h"
#include "print/value/values.h"

#define ACTIONS 8u    /* with a plan; further ones are printed anew */
#define SLOTS 1024u   /* a text takes the place of another one of the same slot */
#define WORDS 48u     /* of a record's values; records with more are not kept */
#define TEXT_MAX 384u /* bytes of a text without the free values */
#define FREE_MAX 6u
#define FREE_WIDTH 64 /* columns of a free value at most */
#define ROOM 4096u    /* more than a line has of which a text is kept */
#define LEARN 256u    /* records that show which values are free */
#define DISTINCT 24   /* of 64 bits, as many as the values of a free one set in so many records */
#define TRIES 1024u   /* after so many records a plan is looked at again */
#define PAUSE 65536u  /* for so many records a plan that does not pay is left alone */

/* A conversion of the format and its value. */
struct piece {
	const struct fmt_item *item; /* conv 0: text alone */
	const struct field *field;   /* NULL: it has no value */
	bool may_be_free, is_free;
	uint64_t seen; /* while learning: a bit for each value, by its hash */
};

struct slot {
	uint64_t generation;         /* of struct lines when the text was made; 0: there is none */
	uint32_t len, cut[FREE_MAX]; /* of the text; where the free values stand in it */
	uint64_t words[WORDS];
	char text[TEXT_MAX];
	uint64_t mask[WORDS];     /* if plans have texts whose end is not known */
	struct slot *next;        /* of the record that came after one of this slot; NULL: not known */
	uint32_t whole_len;       /* of the latest line of this slot; 0: it is not kept */
	uint64_t frees[FREE_MAX]; /* its free values */
	char whole[TEXT_MAX];
};

enum state { LEARNING, COPYING, PAUSING };

struct plan {
	const struct action *action;
	bool fit; /* false: texts of this action depend on more than its record */
	enum state state;
	uint32_t n, missed;   /* records in this state, and those of them that were printed anew */
	struct piece *pieces; /* of each item of the format */
	size_t npieces, frees[FREE_MAX], nfrees;
	uint32_t from, to, nwords; /* the bytes of a record that have the values, and words of them */
	uint64_t mask[WORDS];      /* of the key, without texts whose end is not known yet */
	bool chars;                /* there are such texts: each slot has a mask of its own */
	struct slot *slots;        /* NULL until plans begin to copy */
	struct slot *last;         /* of the record before; NULL: not known */
};

struct lines {
	struct plan plans[ACTIONS];
	size_t n;
	uint64_t generation;
	struct plan *asked; /* of the record that lines_again() refused; NULL: its text is not to be kept */
	struct slot *slot;  /* where that is kept */
};

struct lines *lines_new(void)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (l)
		l->generation = 1;
	return l;
}

void lines_free(struct lines *l)
{
	for (size_t i = 0; l && i < l->n; i++) {
		free(l->plans[i].pieces);
		free(l->plans[i].slots);
	}
	free(l);
}

void lines_forget(struct lines *l)
{
	l->generation++;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */
/* Does the text depend on the value's bytes alone? The kinds of tagged texts are looked at in each record. */
static bool is_lasting(const struct fmt_item *it, const struct field *f)
{
	static const char names[] = "aAIPkN";

	if (it->star_width || it->star_prec || it->flags & FMT_AGG || strchr(names, it->conv) ||
		(it->conv2 && strchr(names, it->conv2)))
		return false;
	return f->kind == FIELD_INT || f->kind == FIELD_LIT || f->kind == FIELD_CHARS ||
		(f->kind == FIELD_TSTR && f->size == sizeof(struct dw_tstr));
}

/* Sets the bits of a field in a mask of the plan's words. */
static void mask_field(const struct plan *p, uint64_t mask[WORDS], const struct field *f, size_t len)
{
	memset((uint8_t *)mask + f->off - p->from, 0xff, len < f->size ? len : f->size);
}

static void make_mask(struct plan *p)
{
	memset(p->mask, 0, sizeof(p->mask));
	p->nfrees = 0;
	for (size_t i = 0; i < p->npieces; i++) {
		const struct piece *e = &p->pieces[i];

		if (e->is_free)
			p->frees[p->nfrees++] = i;
		else if (e->field && e->field->kind == FIELD_CHARS)
			p->chars = true;
		else if (e->field)
			mask_field(p, p->mask, e->field, e->field->size);
	}
}

static void enter(struct plan *p, enum state s)
{
	p->state = s;
	p->n = p->missed = 0;
	for (size_t i = 0; i < p->npieces; i++)
		p->pieces[i].seen = 0;
}

/* False: no memory. */
static bool plan_make(struct plan *p, const struct action *a)
{
	size_t arg = 0;

	*p = (struct plan){ .action = a, .from = UINT32_MAX, .fit = a->fmt && a->fmt->n };
	p->npieces = p->fit ? a->fmt->n : 0;
	p->pieces = calloc(p->npieces + 1, sizeof(*p->pieces));
	for (size_t i = 0; p->pieces && p->fit && i < p->npieces; i++) {
		struct piece *e = &p->pieces[i];

		e->item = &a->fmt->items[i];
		if (!e->item->conv)
			continue;
		e->field = arg < a->nargs ? &a->args[arg++] : NULL;
		p->fit = e->field && is_lasting(e->item, e->field);
		if (!p->fit)
			break;
		e->may_be_free =
			e->field->kind == FIELD_INT && e->item->width <= FREE_WIDTH && e->item->prec <= FREE_WIDTH;
		p->from = e->field->off < p->from ? e->field->off : p->from;
		p->to = e->field->off + e->field->size > p->to ? e->field->off + e->field->size : p->to;
	}
	p->nwords = p->fit && p->from < p->to ? (p->to - p->from + 7) / 8 : 0;
	p->fit = p->fit && p->pieces && p->nwords && p->nwords <= WORDS && p->nwords * 8 <= p->to;
	if (p->fit) {
		p->from = p->to - p->nwords * 8; /* whole words, that end where the values end */
		make_mask(p);
	}
	return p->pieces;
}

/* NULL: texts of the action are not kept. */
static struct plan *plan_of(struct lines *l, const struct action *a)
{
	struct plan *p = NULL;

	for (size_t i = 0; !p && i < l->n; i++)
		if (l->plans[i].action == a)
			p = &l->plans[i];
	if (!p && l->n < ACTIONS) {
		p = &l->plans[l->n];
		if (!plan_make(p, a))
			return NULL;
		l->n++;
	}
	return p && p->fit ? p : NULL;
}

/* Free are the values of which there are many. False: there are no more of them than before. */
static bool find_free(struct plan *p)
{
	bool found = false;

	for (size_t i = 0, n = p->nfrees; i < p->npieces; i++) {
		struct piece *e = &p->pieces[i];

		if (e->may_be_free && !e->is_free && n < FREE_MAX && __builtin_popcountll(e->seen) >= DISTINCT) {
			e->is_free = found = true;
			n++;
		}
	}
	make_mask(p);
	return found;
}

/* A number's bytes. */
static uint64_t bytes_of(const struct field *f, const uint8_t *rec)
{
	uint64_t v = 0;

	switch (f->size) { /* the usual sizes without a call of memcpy() */
	case 2:
		memcpy(&v, rec + f->off, 2);
		break;
	case 4:
		memcpy(&v, rec + f->off, 4);
		break;
	case 8:
		memcpy(&v, rec + f->off, 8);
		break;
	default:
		memcpy(&v, rec + f->off, f->size);
	}
	return v;
}

static void learn(struct plan *p, const uint8_t *rec)
{
	for (size_t i = 0; i < p->npieces; i++) {
		struct piece *e = &p->pieces[i];

		if (e->may_be_free && !e->is_free)
			e->seen |= 1ull << (bytes_of(e->field, rec) * 0x9e3779b97f4a7c15ull >> 58);
	}
}

/* Are texts of this plan copied now? Counts the record. */
static bool copies(struct plan *p, const uint8_t *rec)
{
	const bool first = !p->slots;

	p->n++;
	if (p->state == LEARNING) {
		learn(p, rec);
		if (p->n < LEARN)
			return false;
		if (!find_free(p) && !first) {
			enter(p, PAUSING);
			return false;
		}
		if (first)
			p->slots = calloc(SLOTS, sizeof(*p->slots));
		for (size_t i = 0; p->slots && i < SLOTS && !first; i++)
			p->slots[i].generation = 0; /* their masks are not the plan's any more */
		enter(p, p->slots ? COPYING : PAUSING);
	} else if (p->state == PAUSING && p->n >= PAUSE) {
		enter(p, LEARNING);
	} else if (p->state == COPYING && p->n >= TRIES) {
		enter(p, p->missed > p->n / 4 ? LEARNING : COPYING);
	}
	return p->state == COPYING;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
static struct slot *slot_of(const struct plan *p, const uint8_t *rec)
{
	uint64_t h = 0, odd = 0x9e3779b97f4a7c15ull, w;

	/* Products of which none waits for another. */
	for (uint32_t i = 0; i < p->nwords; i++, odd += 0x61c8864680b583eaull) {
		memcpy(&w, rec + p->from + (size_t)i * 8, sizeof(w));
		w &= p->mask[i];
		h += (w ^ w >> 32) * odd;
	}
	return &p->slots[(h ^ h >> 29) % SLOTS];
}

/* The loop has no branch, so that the compiler makes few instructions of it. */
static bool same_words(const struct plan *p, const struct slot *s, const uint8_t *rec)
{
	const uint64_t *mask = p->chars ? s->mask : p->mask;
	uint64_t differ = 0, w;

	for (uint32_t i = 0; i < p->nwords; i++) {
		memcpy(&w, rec + p->from + (size_t)i * 8, sizeof(w));
		differ |= (w & mask[i]) ^ s->words[i];
	}
	return !differ;
}

/* Names of these kinds last: an address, a literal of the script, and for a moment that of a network namespace. */
static bool lasts(const uint8_t *rec, const struct field *f)
{
	uint32_t tag;

	if (f->kind != FIELD_TSTR)
		return true;
	memcpy(&tag, rec + f->off, sizeof(tag));
	return tag == DW_STR_NONE || tag == DW_STR_LIT || tag == DW_STR_ZONE || tag == DW_STR_IP4 || tag == DW_STR_IP6;
}

/* Fills the slot's key. False: the text of the record is not to be kept. */
static bool ask(const struct plan *p, struct slot *s, const uint8_t *rec)
{
	s->generation = 0;
	s->whole_len = 0;
	memcpy(s->mask, p->mask, sizeof(s->mask));
	for (size_t i = 0; i < p->npieces; i++) {
		const struct field *f = p->pieces[i].field;

		if (f && !lasts(rec, f))
			return false;
		/* Behind the NUL of a text is what the ring had there. */
		if (f && f->kind == FIELD_CHARS)
			mask_field(p, s->mask, f, strnlen((const char *)rec + f->off, f->size) + 1);
	}
	memset(s->words, 0, sizeof(s->words));
	memcpy(s->words, rec + p->from, p->to - p->from);
	for (uint32_t i = 0; i < p->nwords; i++)
		s->words[i] &= s->mask[i];
	return true;
}

/* The slot for a record, and whether the text in it is that record's. Most records have the successor that they had
 * before, as the packets of a connection do; that one needs no hash. */
static struct slot *find(struct plan *p, uint64_t generation, const uint8_t *rec, bool *found)
{
	struct slot *s = p->last ? p->last->next : NULL;

	*found = s && s->generation == generation && same_words(p, s, rec);
	if (!*found) {
		s = slot_of(p, rec);
		*found = s->generation == generation && same_words(p, s, rec);
		if (p->last)
			p->last->next = s;
	}
	p->last = s;
	return s;
}

/* Has the record all values of the slot's latest line? */
static bool same_line(const struct plan *p, const struct slot *s, const uint8_t *rec)
{
	bool same = s->whole_len;

	for (size_t i = 0; same && i < p->nfrees; i++)
		same = bytes_of(p->pieces[p->frees[i]].field, rec) == s->frees[i];
	return same;
}

/* Keeps the line that stands at the end of the buffer: free values such as milliseconds often come again. */
static void keep_line(const struct plan *p, struct slot *s, const struct out *o, size_t start, const uint8_t *rec)
{
	size_t n = o->n - start;

	s->whole_len = n <= TEXT_MAX ? (uint32_t)n : 0;
	if (!s->whole_len)
		return;
	memcpy(s->whole, o->buf + start, n);
	for (size_t i = 0; i < p->nfrees; i++)
		s->frees[i] = bytes_of(p->pieces[p->frees[i]].field, rec);
}

/* The text of the slot with the free values in it. False, and nothing is printed: a value is too wide. */
static bool copy(const struct plan *p, struct slot *s, struct out *o, const uint8_t *rec, size_t len)
{
	static const struct decoder none;
	const size_t start = (size_t)(out_room(o, ROOM) - o->buf);
	uint32_t at = 0;

	if (same_line(p, s, rec)) {
		out_bytes(o, s->whole, s->whole_len);
		return true;
	}
	for (size_t i = 0; i < p->nfrees; i++) {
		const struct piece *e = &p->pieces[p->frees[i]];
		size_t owed = 0;
		struct value v;

		out_bytes(o, s->text + at, s->cut[i] - at);
		at = s->cut[i];
		value_read(&none, e->field, rec, len, NULL, &v);
		o->style->conv(o, e->item, e->item->width, e->item->prec, &v, &owed);
		if (owed) {
			o->n = start;
			return false;
		}
	}
	out_bytes(o, s->text + at, s->len - at);
	keep_line(p, s, o, start, rec);
	return true;
}

bool lines_again(struct lines *l, struct out *o, const struct action *a, const uint8_t *rec, size_t len)
{
	struct plan *p = plan_of(l, a);
	struct slot *s;
	bool found;

	l->asked = NULL;
	if (!p || len < p->to || !copies(p, rec))
		return false;
	s = find(p, l->generation, rec, &found);
	if (found && copy(p, s, o, rec, len))
		return true;
	p->missed++;
	if (ask(p, s, rec)) {
		l->asked = p;
		l->slot = s;
	}
	return false;
}

/* Adds what stands in the buffer from `from` on to the text. False: there is no room. */
static bool keep(struct slot *s, const struct out *o, size_t from)
{
	size_t n = o->n - from;

	if (n > TEXT_MAX - s->len)
		return false;
	memcpy(s->text + s->len, o->buf + from, n);
	s->len += (uint32_t)n;
	return true;
}

void lines_print(struct lines *l, struct out *o, const struct action *a, const struct value *values)
{
	const struct plan *p = l && l->asked && l->asked->action == a ? l->asked : NULL;
	size_t owed = 0, nfrees = 0, before;
	struct slot *s;
	uint64_t drained;
	bool kept = true;

	if (!p) {
		print_format(o, a->fmt, values, a->nargs);
		return;
	}
	l->asked = NULL;
	s = l->slot;
	(void)out_room(o, ROOM);
	drained = o->drained;
	s->len = 0;
	for (size_t i = 0; i < p->npieces; i++) {
		const struct piece *e = &p->pieces[i];

		before = o->n;
		out_bytes(o, e->item->text, e->item->text_len);
		if (e->is_free) {
			kept = kept && drained == o->drained && keep(s, o, before) && !owed;
			s->cut[nfrees++] = s->len;
			before = o->n;
		}
		if (e->field)
			o->style->conv(o, e->item, e->item->width, e->item->prec, values++, &owed);
		if (e->is_free)
			kept = kept && !owed;
		else
			kept = kept && drained == o->drained && keep(s, o, before);
	}
	s->generation = kept && drained == o->drained ? l->generation : 0;
}
