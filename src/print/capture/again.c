/* SPDX-License-Identifier: GPL-2.0-or-later */
/* again: see again.h.
 * Input: records of pcap(). Output: blocks, made of the block of a packet that had the same values in its record, but
 * for length, buffer and bytes.
 * Invariants: no byte outside a record is read; a block is used for REMADE_NS at most, as names of containers and what
 * /proc says may become known later. */
#include "print/capture/again.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 1024u /* a packet takes the place of another one of the same slot */
#define WORDS 64u   /* of a record's values; records with more are not kept */
#define LAYOUTS 16u
#define REMADE_NS 100000000u

/* Where the record of an action has what the packets of a block share. */
struct layout {
	const struct action *action;
	uint32_t from, n; /* bytes before it, words of it; n 0: it is not known */
	uint32_t pick[4]; /* offsets of values that tell owners, devices and directions apart */
};

struct slot {
	const struct layout *layout;        /* of the record that it was made of */
	bool full;                          /* there is a block */
	uint64_t made;                      /* the record's time */
	uint64_t words[WORDS], mask[WORDS]; /* the values, and the bits of them that count */
	struct pcapng_mould mould;
};

struct again {
	struct layout layouts[LAYOUTS];
	size_t nlayouts;
	struct slot *asked; /* what again_learn() fills; NULL: nothing */
	struct slot slots[SLOTS];
};

struct again *again_new(void)
{
	return calloc(1, sizeof(struct again));
}

void again_free(struct again *g)
{
	for (size_t i = 0; g && i < SLOTS; i++)
		free(g->slots[i].mould.tail);
	free(g);
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */
static void layout_make(struct layout *l, const struct action *a)
{
	uint32_t from = UINT32_MAX, to = 0;

	memset(l, 0, sizeof(*l));
	l->action = a;
	for (size_t i = 0; i < CAPTURE_BYTES; i++) {
		from = a->args[i].off < from ? a->args[i].off : from;
		to = a->args[i].off + a->args[i].size > to ? a->args[i].off + a->args[i].size : to;
	}
	if (a->args[CAPTURE_LEN].kind != FIELD_INT || a->args[CAPTURE_BUFFER].kind != FIELD_INT ||
		a->args[CAPTURE_LEN].size != 4 || a->args[CAPTURE_BUFFER].size != 8 || to - from > WORDS * 8)
		return;
	l->from = from;
	l->n = (to - from + 7) / 8;
	l->pick[0] = a->args[CAPTURE_TID].off;
	l->pick[1] = a->args[CAPTURE_IFINDEX].off;
	l->pick[2] = a->args[CAPTURE_RECV].off;
	l->pick[3] = a->args[CAPTURE_NETNS].off;
}

/* NULL: packets of the action are not kept. */
static const struct layout *layout_of(struct again *g, const struct action *a)
{
	struct layout *l = NULL;

	for (size_t i = 0; !l && i < g->nlayouts; i++)
		if (g->layouts[i].action == a)
			l = &g->layouts[i];
	if (!l && g->nlayouts < LAYOUTS) {
		l = &g->layouts[g->nlayouts++];
		layout_make(l, a);
	}
	return l && l->n ? l : NULL;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */
static uint64_t number(const uint8_t *rec, const struct field *f)
{
	uint64_t v = 0;

	memcpy(&v, rec + f->off, f->size);
	return v;
}

static struct slot *slot_of(struct again *g, const struct layout *l, const uint8_t *rec)
{
	uint64_t h = (uint64_t)(l - g->layouts);

	for (size_t i = 0; i < sizeof(l->pick) / sizeof(l->pick[0]); i++) {
		uint32_t v;

		memcpy(&v, rec + l->pick[i], sizeof(v));
		h = (h ^ v) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	return &g->slots[h % SLOTS];
}

/* The words that count: the loop has no branch, so that the compiler makes few instructions of it. */
static bool same_words(const struct slot *s, const struct layout *l, const uint8_t *rec)
{
	uint64_t differ = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t w;

		memcpy(&w, rec + l->from + (size_t)i * 8, sizeof(w));
		differ |= (w & s->mask[i]) ^ s->words[i];
	}
	return !differ;
}

/* What the packets of a block share: all but length and buffer. Behind the NUL of a text is what the ring had there. */
static void count_bits(struct slot *s, const struct layout *l, const uint8_t *rec)
{
	uint8_t mask[WORDS * 8] = { 0 };

	for (size_t i = 0; i < CAPTURE_BYTES; i++) {
		const struct field *f = &l->action->args[i];
		size_t n = f->size;

		if (i == CAPTURE_LEN || i == CAPTURE_BUFFER)
			continue;
		if (f->kind == FIELD_CHARS)
			n = strnlen((const char *)rec + f->off, n);
		memset(mask + f->off - l->from, 0xff, n < f->size ? n + 1 : f->size);
	}
	memcpy(s->mask, mask, sizeof(mask));
}

static void ask(struct again *g, struct slot *s, const struct layout *l, const uint8_t *rec, uint64_t time)
{
	s->layout = l;
	s->full = false;
	s->made = time;
	count_bits(s, l, rec);
	memcpy(s->words, rec + l->from, (size_t)l->n * 8);
	for (uint32_t i = 0; i < l->n; i++)
		s->words[i] &= s->mask[i];
	g->asked = s;
}

bool again_write(struct again *g, struct pcapng *to, const struct record *r, const struct action *a, const uint8_t *rec,
	size_t len, uint64_t time)
{
	const struct layout *l = layout_of(g, a);
	const uint32_t fixed = l ? a->args[CAPTURE_BYTES].off : 0;
	struct pcapng_like k = { .time = time };
	struct slot *s;

	g->asked = NULL;
	if (!l || len < fixed || fixed < l->from + l->n * 8)
		return false;
	k.data = rec + fixed;
	k.caplen = len - fixed < CAPTURE_MAX ? len - fixed : CAPTURE_MAX;
	k.len = (uint32_t)number(rec, &a->args[CAPTURE_LEN]);
	if (!k.len)
		return false;
	s = slot_of(g, l, rec);
	if (s->full && s->layout == l && r->time - s->made < REMADE_NS && same_words(s, l, rec)) {
		k.id = packets_id(number(rec, &a->args[CAPTURE_BUFFER]), k.data, k.caplen, k.len);
		if (pcapng_again(to, &s->mould, &k))
			return true;
	}
	ask(g, s, l, rec, r->time);
	return false;
}

void again_learn(struct again *g, const struct pcapng *from)
{
	struct slot *s = g->asked;

	g->asked = NULL;
	if (s)
		s->full = pcapng_mould(from, &s->mould);
}
