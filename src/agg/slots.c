/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots: the tables in which keys begin (abi/slots.h).
 * Input: the slots, in memory shared with programs, which update them meanwhile. Output: keys and values, added to off.
 * Invariant: a value that programs may add to is taken by atomic exchanges, so each event is counted once. A slot
 * becomes free only after a grace period in which no program finds it; without such periods slots stay as they are, and
 * further keys are in the maps. */
#include "abi/slots.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agg/grace.h"
#include "agg/priv.h"

/* A key with fewer events since the last time gives its slot back; it gets another one with its next event. */
#define FEW 16u
#define WORDS_MAX 2u
#define KEPT_MAX (DW_SLOTS / 4) /* keys that stay; the others have the rest */
#define LEAVES (DW_SLOTS / 16)  /* keys that leave together, at least */
#define SHARE 2u                /* of the slots, new keys may take one in so many until they are looked at again */

/* In the list of keys that stay: it stays no longer. */
#define GOES (1ull << 63)

static uint64_t *word_at(const struct agg_slots *t, size_t off)
{
	return (uint64_t *)(void *)(t->mem + off);
}

static uint64_t taken(const struct agg_slots *t)
{
	return __atomic_load_n(word_at(t, DW_SLOTS_TAKEN), __ATOMIC_ACQUIRE);
}

/* The slot of a number. NULL: no key has it, or a program still writes it. */
static uint8_t *slot_of(const struct agg_slots *t, uint64_t number)
{
	uint8_t *slot = t->mem + DW_SLOTS_FIRST + number % DW_SLOTS * (size_t)t->size;

	return (__atomic_load_n((uint64_t *)(void *)slot, __ATOMIC_ACQUIRE) & DW_SLOT_NUMBER) == number ? slot : NULL;
}

void agg_slots_open(struct agg_set *s, struct agg_state *st, int fd)
{
	struct agg_slots *t = &st->slots;
	void *p = MAP_FAILED;

	for (struct agg_state *o = s->aggs; o < st; o++)
		if (o->g->slots == st->g->slots && o->table) {
			st->table = o->table;
			st->beside = o->beside;
			o->beside = st;
			return;
		}
	t->size = st->g->slot_size;
	t->len = DW_SLOTS_FIRST + (size_t)t->size * DW_SLOTS;
	t->kept = calloc(KEPT_MAX, sizeof(*t->kept));
	if (t->kept)
		p = mmap(NULL, t->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		s->lost++; /* what is counted there is never seen */
		return;
	}
	t->mem = p;
	st->table = st;
	if (!s->grace)
		s->grace = grace_new();
}

void agg_slots_close(struct agg_state *st)
{
	if (st->slots.mem)
		munmap(st->slots.mem, st->slots.len);
	free(st->slots.kept);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
enum how {
	LOOK, /* leaves the value there */
	TAKE, /* programs may add to it */
	LAST, /* nobody adds to it any more, and nobody reads it before it is written anew */
};

/* Of one aggregation. like: the entry of the one before, then this one's. Returns how many events its value has. */
static uint64_t value(
	struct agg_set *s, struct agg_state *st, uint8_t *slot, enum how how, const struct agg_entry **like)
{
	uint64_t *at = (uint64_t *)(void *)(slot + st->g->slot_value), words[WORDS_MAX] = { 0 }, any = 0;

	for (uint32_t i = 0; i < st->g->nwords && i < WORDS_MAX; i++) {
		words[i] = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
		if (words[i] && how == TAKE)
			words[i] = __atomic_exchange_n(&at[i], 0, __ATOMIC_RELAXED);
		any |= words[i];
	}
	if (any && how != LOOK)
		*like = agg_add_key(s, st, slot + DW_SLOT_KEY, words, *like);
	return st->g->fn == DW_AGG_SUM ? words[1] : words[0];
}

/* Of all aggregations of the table. */
static uint64_t values(struct agg_set *s, struct agg_state *table, uint64_t number, enum how how)
{
	uint8_t *slot = slot_of(&table->slots, number);
	const struct agg_entry *like = NULL;
	uint64_t events = 0;

	for (struct agg_state *st = table; slot && st; st = st->beside)
		events += value(s, st, slot, how, &like);
	return events;
}

/* ---- keys that stay ---------------------------------------------------------------------------------------------- */
static uint64_t *index_of(const struct agg_slots *t, uint64_t number)
{
	const uint8_t *slot = slot_of(t, number);
	uint64_t place;

	if (!slot)
		return NULL;
	place = *(const uint64_t *)(const void *)slot >> DW_SLOT_NUMBER_BITS;
	return place < DW_SLOT_INDEX ? word_at(t, DW_SLOTS_INDEX + place * sizeof(uint64_t)) : NULL;
}

/* The bit of a number's slot. */
static uint64_t *kept_word(const struct agg_slots *t, uint64_t number, uint64_t *bit)
{
	*bit = 1ull << number % 64;
	return word_at(t, DW_SLOTS_KEPT + number % DW_SLOTS / 64 * sizeof(uint64_t));
}

static bool is_kept(const struct agg_slots *t, uint64_t number)
{
	uint64_t bit;

	return __atomic_load_n(kept_word(t, number, &bit), __ATOMIC_RELAXED) & bit;
}

static void set_kept(const struct agg_slots *t, uint64_t number, bool kept)
{
	uint64_t bit, *at = kept_word(t, number, &bit);

	if (kept)
		__atomic_fetch_or(at, bit, __ATOMIC_RELEASE);
	else
		__atomic_fetch_and(at, ~bit, __ATOMIC_RELEASE);
}

/* False: programs do not find it, so there is no use in keeping it. */
static bool keep(struct agg_slots *t, uint64_t number)
{
	uint64_t *at = index_of(t, number), word = at ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0;

	if (t->nkept == KEPT_MAX || (word & DW_SLOT_NUMBER) != number)
		return false;
	set_kept(t, number, true);
	if (!__atomic_compare_exchange_n(at, &word, word | DW_SLOT_KEPT, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
		set_kept(t, number, false);
		return false;
	}
	t->kept[t->nkept++] = number;
	return true;
}

/* Programs find it no more. */
static void let_go(struct agg_slots *t, uint64_t *kept)
{
	uint64_t *at = index_of(t, *kept), word = at ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0;

	if ((word & DW_SLOT_NUMBER) == (*kept | DW_SLOT_KEPT))
		(void)__atomic_compare_exchange_n(
			at, &word, word & ~DW_SLOT_KEPT, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	*kept |= GOES;
}

static uint64_t number_of(uint64_t kept)
{
	return kept & ~GOES;
}

/* ---- coming and going -------------------------------------------------------------------------------------------- */
/* The last number that has a slot, of those up to n. */
static uint64_t last_of(const struct agg_slots *t, uint64_t n)
{
	return n < t->freed + DW_SLOTS ? n : t->freed + DW_SLOTS;
}

/* The grace period is over: no program is in the slots that were left before it. */
static void free_left(struct agg_set *s, struct agg_state *table)
{
	struct agg_slots *t = &table->slots;
	size_t n = 0;

	for (uint64_t i = t->freed + 1; i <= last_of(t, t->asked_left); i++)
		if (!is_kept(t, i))
			values(s, table, i, LAST);
	for (size_t i = 0; i < t->nkept; i++) {
		if (!(t->kept[i] & GOES)) {
			t->kept[n++] = t->kept[i];
			continue;
		}
		values(s, table, number_of(t->kept[i]), LAST);
		set_kept(t, number_of(t->kept[i]), false);
	}
	t->nkept = n;
	t->freed = t->asked_left;
	__atomic_store_n(word_at(t, DW_SLOTS_FREED), t->freed, __ATOMIC_RELEASE);
	t->asked = 0;
}

/* Reads keys that stay. leave: those with few events stay no longer; no grace period is under way. */
static void read_kept(struct agg_set *s, struct agg_state *table, bool leave)
{
	struct agg_slots *t = &table->slots;

	for (size_t i = 0; i < t->nkept; i++)
		if (values(s, table, number_of(t->kept[i]), TAKE) < FEW && leave)
			let_go(t, &t->kept[i]);
}

bool agg_slots_take(struct agg_set *s, struct agg_state *table, bool all)
{
	struct agg_slots *t = &table->slots;
	const bool over = t->asked && grace_is_over(s->grace, t->asked);
	uint64_t now, last;
	bool leave;

	if (over)
		free_left(s, table);
	now = t->mark = taken(t);
	last = last_of(t, now);
	leave = s->grace && now - t->left >= LEAVES;
	if (all)
		t->pass = s->pass;
	if (all || (leave && !t->asked))
		read_kept(s, table, leave && !t->asked);
	for (uint64_t i = (all ? t->freed : t->left) + 1; (all || leave) && i <= last; i++)
		if (!is_kept(t, i) && values(s, table, i, all ? TAKE : LOOK) >= FEW && leave && i > t->left)
			(void)keep(t, i);
	if (leave) {
		t->left = now;
		__atomic_store_n(word_at(t, DW_SLOTS_LEFT), t->left, __ATOMIC_RELEASE);
	}
	if (!t->asked && t->left != t->freed) {
		t->asked_left = t->left;
		t->asked = grace_ask(s->grace);
	}
	return over;
}

unsigned agg_slots_fill(const struct agg_state *st)
{
	uint64_t n = st->slots.mem ? (taken(&st->slots) - st->slots.mark) * 100 / (DW_SLOTS / SHARE) : 0;

	return n < 100 ? (unsigned)n : 100;
}
