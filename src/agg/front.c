/* SPDX-License-Identifier: GPL-2.0-or-later */
/* front: the tables in front of the maps of aggregations (abi/front.h).
 * Input: the slots, in memory shared with programs, which update them meanwhile. Output: what came since they were read
 * last, added to off.
 * Invariant: a value belongs to one CPU, which alone writes to it; it is read, and what was read is noted. A slot
 * becomes free only after a grace period in which no program finds it; without such periods keys stay. */
#include "abi/front.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agg/grace.h"
#include "agg/priv.h"

void agg_front_open(struct agg_set *s, struct agg_state *st, int fd)
{
	struct agg_front *t = &st->front;
	void *p = MAP_FAILED;

	for (struct agg_state *o = s->aggs; o < st; o++)
		if (o->g->front == st->g->front && o->fronted) {
			st->fronted = o->fronted;
			st->along = o->along;
			o->along = st;
			return;
		}
	t->size = st->g->front_size;
	t->nslots = s->ncpus * DW_FRONT_SLOTS;
	t->len = t->nslots * t->size;
	t->seen = calloc(t->nslots, sizeof(*t->seen));
	if (t->seen)
		p = mmap(NULL, t->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		s->lost++; /* what is counted there is never seen */
		return;
	}
	t->mem = p;
	st->fronted = st;
	if (!s->grace)
		s->grace = grace_new();
}

void agg_front_close(struct agg_state *st)
{
	struct agg_front *t = &st->front;

	if (t->mem)
		munmap(t->mem, t->len);
	for (size_t i = 0; t->seen && i < t->nslots; i++)
		free(t->seen[i]);
	free(t->seen);
}

/* Of min and max. The mark goes first: a program that comes between sets it again, with a value that is at least as far
 * out. */
static void extreme(uint64_t *at, uint64_t words[2])
{
	words[1] = __atomic_load_n(&at[1], __ATOMIC_RELAXED);
	if (words[1])
		words[1] = __atomic_exchange_n(&at[1], 0, __ATOMIC_SEQ_CST);
	words[0] = words[1] ? __atomic_load_n(&at[0], __ATOMIC_ACQUIRE) : 0;
}

/* What came to the value of one aggregation since then. like: the entry of the one before, then this one's. Was it
 * anything? */
static bool value(struct agg_set *s, struct agg_state *st, uint8_t *slot, uint64_t *seen, const struct agg_entry **like)
{
	const struct agg *g = st->g;
	uint64_t *at = (uint64_t *)(void *)(slot + g->front_value), words[DW_FRONT_SIZE / sizeof(uint64_t)], any = 0;

	seen += g->front_value / sizeof(*seen);
	if (g->fn == DW_AGG_MIN || g->fn == DW_AGG_MAX) {
		extreme(at, words);
		any = words[1];
	}
	for (uint32_t i = 0; g->fn != DW_AGG_MIN && g->fn != DW_AGG_MAX && i < g->nwords; i++) {
		uint64_t now = __atomic_load_n(&at[i], __ATOMIC_RELAXED);

		words[i] = now - seen[i];
		seen[i] = now;
		any |= words[i];
	}
	if (any)
		*like = agg_add_key(s, st, slot + DW_FRONT_KEY, words, *like);
	return any;
}

/* Of all aggregations of the table. */
static bool values(struct agg_set *s, struct agg_state *table, uint8_t *slot, uint64_t **seen)
{
	const struct agg_entry *like = NULL;
	bool any = false;

	if (!*seen)
		*seen = calloc(1, table->front.size);
	if (!*seen) {
		s->lost++;
		return true; /* it is read the next time */
	}
	for (struct agg_state *st = table; st; st = st->along)
		any |= value(s, st, slot, *seen, &like);
	return any;
}

static void make_free(const struct agg_front *t, uint8_t *slot, uint64_t **seen)
{
	memset(slot + DW_FRONT_KEY, 0, t->size - DW_FRONT_KEY);
	free(*seen);
	*seen = NULL;
	__atomic_store_n((uint64_t *)(void *)slot, DW_FRONT_FREE, __ATOMIC_RELEASE);
}

void agg_front_take(struct agg_set *s, struct agg_state *table)
{
	struct agg_front *t = &table->front;
	const bool over = t->asked && grace_is_over(s->grace, t->asked), leave = s->grace && !t->asked;
	bool left = false, any;

	t->pass = s->pass;
	for (size_t i = 0; i < t->nslots; i++) {
		uint8_t *slot = t->mem + i * t->size;
		uint64_t *at = (uint64_t *)(void *)slot, state = __atomic_load_n(at, __ATOMIC_ACQUIRE);

		if (state != DW_FRONT_USED && state != DW_FRONT_LEAVES)
			continue;
		any = values(s, table, slot, &t->seen[i]);
		if (state == DW_FRONT_LEAVES && over) {
			make_free(t, slot, &t->seen[i]);
		} else if (state == DW_FRONT_USED && leave && !any) {
			__atomic_store_n(at, DW_FRONT_LEAVES, __ATOMIC_RELEASE);
			left = true;
		}
	}
	if (over)
		t->asked = 0;
	if (left)
		t->asked = grace_ask(s->grace);
}
