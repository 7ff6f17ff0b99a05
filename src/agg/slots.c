/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots: the tables in which keys begin (abi/slots.h).
 * Input: the slots, in memory shared with programs, which update them meanwhile. Output: keys and values, added to off.
 * Invariant: a value is taken by atomic exchanges, so each event is counted once. A slot becomes free only after a
 * grace period in which no program enters it; without such periods slots stay as they are, and further keys are in the
 * maps. */
#include "abi/slots.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agg/grace.h"
#include "agg/priv.h"

/* A key with fewer events since the last time gives its slot back; it gets another one with its next event. */
#define FEW 16u
#define WORDS_MAX 2u

static uint64_t born(const struct agg_state *st)
{
	return st->born ? __atomic_load_n(&st->born[DW_BORN_SLOT], __ATOMIC_RELAXED) : 0;
}

void agg_slots_open(struct agg_set *s, struct agg_state *st, int fd)
{
	struct agg_slots *t = &st->slots;
	void *p;

	t->size = DW_SLOT_KEY + st->g->key_size + st->g->nwords * (uint32_t)sizeof(uint64_t);
	t->len = (size_t)t->size * DW_SLOTS;
	p = mmap(NULL, t->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		s->lost++; /* what is counted there is never seen */
		return;
	}
	t->mem = p;
	if (!s->grace)
		s->grace = grace_new();
}

void agg_slots_close(struct agg_state *st)
{
	if (st->slots.mem)
		munmap(st->slots.mem, st->slots.len);
}

/* Takes a slot's value. Returns how many events it had. */
static uint64_t take(struct agg_set *s, struct agg_state *st, uint8_t *slot)
{
	const uint8_t *key = slot + DW_SLOT_KEY;
	uint64_t *at = (uint64_t *)(void *)(slot + DW_SLOT_KEY + st->g->key_size), words[WORDS_MAX] = { 0 }, any = 0;

	for (uint32_t i = 0; i < st->g->nwords && i < WORDS_MAX; i++) {
		if (__atomic_load_n(&at[i], __ATOMIC_RELAXED))
			words[i] = __atomic_exchange_n(&at[i], 0, __ATOMIC_RELAXED);
		any |= words[i];
	}
	if (any)
		agg_add_key(s, st, key, words);
	return st->g->fn == DW_AGG_SUM ? words[1] : words[0];
}

/* The consumer alone changes the tag of a slot that is in use. */
void agg_slots_take(struct agg_set *s, struct agg_state *st)
{
	struct agg_slots *t = &st->slots;
	bool over = t->asked && grace_is_over(s->grace, t->asked), may_leave = s->grace && (!t->asked || over);
	uint32_t leaving = 0;

	if (!t->mem)
		return;
	t->mark = born(st);
	for (uint32_t i = 0; i < DW_SLOTS; i++) {
		uint8_t *slot = t->mem + (size_t)i * t->size;
		uint64_t *at = (uint64_t *)(void *)slot, tag = __atomic_load_n(at, __ATOMIC_ACQUIRE), events;

		if (tag == DW_SLOT_FREE || tag == DW_SLOT_BUSY)
			continue;
		events = take(s, st, slot);
		if (tag == DW_SLOT_LEAVING && over) {
			__atomic_store_n(at, DW_SLOT_FREE, __ATOMIC_RELEASE);
		} else if (tag != DW_SLOT_LEAVING && may_leave && events < FEW) {
			__atomic_store_n(at, DW_SLOT_LEAVING, __ATOMIC_RELEASE);
			leaving++;
		}
	}
	if (over)
		t->asked = 0;
	if (leaving)
		t->asked = grace_ask(s->grace);
}

/* Slots that were taken since the last time: in eighths. */
unsigned agg_slots_fill(const struct agg_state *st)
{
	return st->slots.mem ? (unsigned)((born(st) - st->slots.mark) * 8 / DW_SLOTS) : 0;
}
