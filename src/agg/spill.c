/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spill: room for new keys in the kernel's maps: when the map in which keys begin is nearly full, all of them go into
 * this process. Keys that are used often have their place in the other map and stay.
 * Input: how many keys programs have made. Output: an empty map, and the values of its keys in off.
 * Invariant: a key goes by one system call that gives its last value, and one that comes back is added to what is here.
 * When this takes more memory than -x aggkeep allows, the keys with the fewest events are forgotten and their events
 * counted as lost. */
#include <stdlib.h>
#include <string.h>

#include "agg/priv.h"

#define FULL 75u   /* per cent of a map's keys from which on keys are taken out */
#define WEIGHTS 65 /* powers of two, and 0 */

/* ---- how full ---------------------------------------------------------------------------------------------------- */
static uint64_t room_of(const struct agg_set *s, const struct agg_state *st)
{
	return s->image->maps.v[st->g->common ? st->g->common - 1 : st->g->map].max_entries;
}

/* Of the map in which keys begin, at most: keys that were taken out since they were counted are in it. */
static unsigned fill_of(const struct agg_set *s, const struct agg_state *st)
{
	uint64_t n;

	if (!st->born || st->fd < 0 || st->g->shared || st->g->sparse || s->opts.percpu)
		return 0;
	n = (__atomic_load_n(&st->born[DW_BORN_MAP], __ATOMIC_RELAXED) - st->mark) * 100 / room_of(s, st);
	return n < 100 ? (unsigned)n : 100;
}

unsigned agg_fill(const struct agg_set *s)
{
	unsigned most = 0;

	for (size_t i = 0; i < s->image->aggs.n; i++) {
		unsigned fill = fill_of(s, &s->aggs[i]) >= FULL ? 100 : agg_slots_fill(&s->aggs[i]);

		most = fill > most ? fill : most;
	}
	return most;
}

/* ---- the least --------------------------------------------------------------------------------------------------- */
/* Events in a value; of min and max it is not known. */
static uint64_t events_of(const struct agg *g, const uint64_t *words)
{
	uint64_t n = 0;

	switch (g->fn) {
	case DW_AGG_COUNT:
	case DW_AGG_AVG:
	case DW_AGG_STDDEV:
		return words[0];
	case DW_AGG_SUM:
		return words[1];
	case DW_AGG_MIN:
	case DW_AGG_MAX:
		return words[1] != 0;
	case DW_AGG_QUANTIZE:
	case DW_AGG_LQUANTIZE:
	case DW_AGG_LLQUANTIZE:
		for (size_t i = 0; i < g->nwords; i++)
			n += words[i];
		return n;
	case DW_AGG_FN_COUNT:
		break;
	}
	return 0;
}

static unsigned weight_of(uint64_t events)
{
	return events ? 64 - (unsigned)__builtin_clzll(events) : 0;
}

/* Events of a key that has no place in the maps. False: it has. words: room for a value. */
static bool is_here(const struct agg *g, const struct agg_entry *e, uint64_t *words, uint64_t *events)
{
	if (e->in_kernel || !e->off)
		return false;
	memcpy(words, e->kern, g->nwords * sizeof(*words));
	agg_combine(g, words, e->off);
	*events = events_of(g, words);
	return true;
}

/* Forgets those with the fewest events, n of them. words: room for a value. */
static void forget_least(struct agg_set *s, struct agg_state *st, uint64_t n, uint64_t *words)
{
	uint64_t count[WEIGHTS] = { 0 }, events;
	unsigned most = 0;

	for (size_t b = 0; b < st->nbuckets; b++)
		for (const struct agg_entry *e = st->buckets[b]; e; e = e->next)
			if (is_here(st->g, e, words, &events))
				count[weight_of(events)]++;
	while (most < WEIGHTS - 1 && count[most] < n)
		n -= count[most++];
	/* All that are lighter than most, and n of that weight. */
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b], *next; e; e = next) {
			next = e->next;
			if (!is_here(st->g, e, words, &events) || weight_of(events) > most)
				continue;
			if (weight_of(events) == most && !n)
				continue;
			n -= weight_of(events) == most;
			s->lost += events;
			agg_entry_remove(st, e);
		}
}

/* Bytes of an entry, roughly. */
static size_t entry_bytes(const struct agg *g)
{
	return sizeof(struct agg_entry) + 2 * (g->nwords * sizeof(uint64_t) + g->key_size) +
		g->nkeys * sizeof(struct value) + 64;
}

static void forget(struct agg_set *s, struct agg_state *st)
{
	uint64_t most = s->opts.keep / entry_bytes(st->g), *words;

	if (st->nentries <= most)
		return;
	words = calloc(st->g->nwords, sizeof(*words));
	s->lost += !words;
	if (words)
		forget_least(s, st, st->nentries - most + most / 4, words);
	free(words);
}

void agg_spill(struct agg_set *s)
{
	for (size_t i = 0; i < s->image->aggs.n; i++) {
		struct agg_state *st = &s->aggs[i];
		bool more = fill_of(s, st) >= FULL;

		if (more)
			agg_take_new(s, st);
		if (st->table == st && agg_slots_take(s, st, false))
			more = true;
		for (struct agg_state *o = st; more && o; o = o->beside)
			forget(s, o);
	}
}
