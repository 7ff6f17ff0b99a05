/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store: see store.h.
 * Input: records in order. Output: those that are kept, in the same order.
 * Invariants: the records of a CPU take at most size bytes. Each record is in two lists: one of all records in order of
 * time (prev, next), and one of its CPU (later), from which ring drops the oldest. */
#include "consume/store.h"

#include <stdlib.h>
#include <string.h>

struct buffer { /* of one CPU */
	struct store_rec *oldest, *newest;
	uint64_t used;
	uint64_t dropped; /* records that are larger than a ring */
	bool full;
};

/* buffers has one more than ncpus: records of an unknown CPU go there. */
struct store {
	struct store_rec *first, *last;
	struct buffer *buffers;
	size_t ncpus;
	uint64_t size, lost;
	bool ring;
};

struct store *store_new(size_t ncpus, uint64_t size, bool ring)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->ncpus = ncpus;
	s->size = size;
	s->ring = ring;
	s->buffers = calloc(ncpus + 1, sizeof(*s->buffers));
	if (!s->buffers) {
		free(s);
		return NULL;
	}
	return s;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	for (struct store_rec *r = s->first, *next; r; r = next) {
		next = r->next;
		free(r);
	}
	free(s->buffers);
	free(s);
}

/* Frees the CPU's oldest record. */
static void forget_oldest(struct store *s, struct buffer *b)
{
	struct store_rec *r = b->oldest;

	b->oldest = r->later;
	if (!b->oldest)
		b->newest = NULL;
	b->used -= r->len;
	if (r->prev)
		r->prev->next = r->next;
	else
		s->first = r->next;
	if (r->next)
		r->next->prev = r->prev;
	else
		s->last = r->prev;
	free(r);
}

/* Adds a record that is newer than all others. */
static void append(struct store *s, struct buffer *b, struct store_rec *r)
{
	r->prev = s->last;
	if (s->last)
		s->last->next = r;
	else
		s->first = r;
	s->last = r;
	if (b->newest)
		b->newest->later = r;
	else
		b->oldest = r;
	b->newest = r;
	b->used += r->len;
}

/* fill: a record without room marks the buffer as full, and nothing more is kept in it. ring: a record larger than the
 * whole buffer is dropped, the others make room. */
bool store_add(struct store *s, unsigned cpu, const uint8_t *rec, size_t len)
{
	struct buffer *b = &s->buffers[cpu < s->ncpus ? cpu : s->ncpus];
	struct store_rec *r;

	if (b->full || len > s->size || (!s->ring && b->used + len > s->size))
		b->full = !s->ring;
	b->dropped += s->ring && len > s->size;
	if (b->full || len > s->size)
		return s->ring;
	while (b->used + len > s->size)
		forget_oldest(s, b);
	r = malloc(sizeof(*r) + len);
	if (!r) {
		s->lost++;
		return true;
	}
	*r = (struct store_rec){ .cpu = cpu, .len = len };
	memcpy(r->rec, rec, len);
	append(s, b, r);
	return true;
}

uint64_t store_dropped(const struct store *s, size_t cpu)
{
	return s->buffers[cpu < s->ncpus ? cpu : s->ncpus].dropped;
}

uint64_t store_lost(const struct store *s)
{
	return s->lost;
}

const struct store_rec *store_first(const struct store *s)
{
	return s->first;
}
