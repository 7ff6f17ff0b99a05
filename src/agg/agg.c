/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg: the entries of aggregations: reading per-CPU maps, clear, trunc.
 * Input: the maps of a running image. Output: tables ready to print.
 * Invariant: what is shown of a key is kern + off, where kern is what the map held when it was last read. clear of a
 * sum sets off to -kern and leaves the map alone, so no update is ever lost. A key that is deleted from the map (trunc,
 * and clear of min and max) is read and deleted by one system call under the bucket's lock: updates up to that moment
 * are carried over in off; an update of a program that had looked the value up before and adds to it after (some
 * nanoseconds) is lost. The one value of an aggregation without keys cannot be deleted: min and max are zeroed by a
 * write, with the same reservation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/agg_priv.h"
#include "kernel/features.h"

/* ---- life -------------------------------------------------------------------------------------------------------- */
struct agg_set *agg_new(
	const struct image *image, const int *map_fds, const struct decoder *dec, const struct agg_opts *opts)
{
	struct agg_set *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->image = image;
	s->dec = *dec;
	if (opts)
		s->opts = *opts;
	s->ncpus = features_possible_cpus();
	s->pass = 1;
	s->aggs = calloc(image->aggs.n + 1, sizeof(*s->aggs));
	if (!s->aggs) {
		free(s);
		return NULL;
	}
	for (size_t i = 0; i < image->aggs.n; i++) {
		s->aggs[i].g = &image->aggs.v[i];
		s->aggs[i].fd = map_fds && image->aggs.v[i].map < image->maps.n ? map_fds[image->aggs.v[i].map] : -1;
	}
	return s;
}

static void entry_free(struct agg_entry *e)
{
	free(e->off);
	free(e->cpus);
	free(e);
}

static void state_free(struct agg_state *st)
{
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b], *next; e; e = next) {
			next = e->next;
			entry_free(e);
		}
	free(st->buckets);
}

void agg_set_opts(struct agg_set *s, const struct agg_opts *opts)
{
	s->opts = *opts;
}

void agg_free(struct agg_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->image->aggs.n; i++)
		state_free(&s->aggs[i]);
	free(s->aggs);
	agg_table_free(&s->table);
	free(s);
}

void agg_begin(struct agg_set *s)
{
	s->pass++;
}

uint64_t agg_lost(const struct agg_set *s)
{
	return s->lost;
}

/* The value of an aggregation without keys has no key here, whatever its map's is. */
size_t agg_key_bytes(const struct agg *g)
{
	return agg_hashed(g) ? g->key_size - (g->sparse ? sizeof(uint64_t) : 0) : 0;
}

struct agg_state *agg_state_of(struct agg_set *s, uint32_t id)
{
	return id < s->image->aggs.n ? &s->aggs[id] : NULL;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */
static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h ^ h >> 32;
}

bool agg_has_key(const struct agg *g, const uint8_t *key)
{
	uint64_t owner = 0;

	if (g->shared)
		memcpy(&owner, key + g->key_size - sizeof(owner), sizeof(owner));
	return owner == g->shared;
}

static struct agg_entry *entry_find(const struct agg_state *st, uint64_t hash, const uint8_t *key)
{
	if (!st->nbuckets)
		return NULL;
	for (struct agg_entry *e = st->buckets[hash & (st->nbuckets - 1)]; e; e = e->next)
		if (e->hash == hash && !memcmp(e->raw, key, agg_key_bytes(st->g)))
			return e;
	return NULL;
}

static int buckets_grow(struct agg_state *st)
{
	size_t n = st->nbuckets ? st->nbuckets * 2 : 64;
	struct agg_entry **b;

	if (st->nentries < st->nbuckets)
		return 0;
	b = calloc(n, sizeof(struct agg_entry *));
	if (!b)
		return st->nbuckets ? 0 : -ENOMEM;
	for (size_t i = 0; i < st->nbuckets; i++)
		for (struct agg_entry *e = st->buckets[i], *next; e; e = next) {
			next = e->next;
			e->next = b[e->hash & (n - 1)];
			b[e->hash & (n - 1)] = e;
		}
	free(st->buckets);
	st->buckets = b;
	st->nbuckets = n;
	return 0;
}

/* Decoded keys, their text copied behind them. */
static size_t keys_text_size(const struct agg_set *s, const struct agg *g, const uint8_t *key)
{
	struct value_room room = { 0 };
	struct value v;
	size_t n = 0;

	for (size_t i = 0; i < g->nkeys; i++) {
		value_read(&s->dec, &g->keys[i], key, g->key_size, &room, &v);
		n += v.len;
	}
	value_room_free(&room);
	return n;
}

static void keys_decode(
	const struct agg_set *s, const struct agg *g, const uint8_t *key, struct value *keys, char *text, size_t left)
{
	struct value_room room = { 0 };

	for (size_t i = 0; i < g->nkeys; i++) {
		struct value *v = &keys[i];

		value_read(&s->dec, &g->keys[i], key, g->key_size, &room, v);
		/* A zone may have got a longer name since keys_text_size(). */
		if (v->len > left)
			v->len = left;
		if (v->len)
			memcpy(text, v->s, v->len);
		v->s = text;
		text += v->len;
		left -= v->len;
	}
	value_room_free(&room);
}

static struct agg_entry *entry_new(struct agg_set *s, struct agg_state *st, uint64_t hash, const uint8_t *key)
{
	const struct agg *g = st->g;
	size_t words = g->nwords * sizeof(uint64_t), keys = g->nkeys * sizeof(struct value);
	size_t text = keys_text_size(s, g, key);
	struct agg_entry *e;

	if (buckets_grow(st))
		return NULL;
	e = calloc(1, sizeof(*e) + words + keys + agg_key_bytes(g) + text);
	if (!e)
		return NULL;
	e->kern = (uint64_t *)(e + 1);
	struct value *vals = (struct value *)(void *)((char *)e->kern + words);
	uint8_t *raw = (uint8_t *)vals + keys;

	memcpy(raw, key, agg_key_bytes(g));
	keys_decode(s, g, key, vals, (char *)raw + agg_key_bytes(g), text);
	e->raw = raw;
	e->keys = vals;
	e->hash = hash;
	e->next = st->buckets[hash & (st->nbuckets - 1)];
	st->buckets[hash & (st->nbuckets - 1)] = e;
	st->nentries++;
	return e;
}

static void entry_remove(struct agg_state *st, struct agg_entry *e)
{
	struct agg_entry **at = &st->buckets[e->hash & (st->nbuckets - 1)];

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	st->nentries--;
	entry_free(e);
}

static bool all_zero(const uint64_t *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (w[i])
			return false;
	return true;
}

/* Sum over CPUs; values and sum are apart. */
void agg_sum_cpus(const struct agg *g, const uint64_t *values, size_t ncpus, uint64_t *sum)
{
	memset(sum, 0, g->nwords * sizeof(*sum));
	for (size_t i = 0; i < ncpus; i++)
		agg_combine(g, sum, values + i * g->nwords);
}

/* One level of an entry: its key in the map ends in the level's number. */
void agg_absorb_level(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *values)
{
	const struct agg *g = st->g;
	uint64_t hash = hash_bytes(key, agg_key_bytes(g)), level, sum = 0;
	struct agg_entry *e = entry_find(st, hash, key);

	memcpy(&level, key + agg_key_bytes(g), sizeof(level));
	if (!e)
		e = entry_new(s, st, hash, key);
	if (!e || level >= g->nwords) {
		s->lost++;
		return;
	}
	for (size_t i = 0; i < s->ncpus; i++)
		sum += values[i];
	e->kern[level] = sum;
	if (s->opts.percpu)
		agg_cpus_level(s, g, e, level, values);
	e->live |= !e->in_kernel;
	e->in_kernel = true;
}

void agg_absorb(struct agg_set *s, uint32_t id, const void *key, const uint64_t *values, size_t ncpus)
{
	struct agg_state *st = agg_state_of(s, id);

	if (!st)
		return;
	const struct agg *g = st->g;
	/* The one value of an aggregation without keys is there from the start: until something happened it is no
	 * entry. */
	bool idle = !agg_hashed(g) && all_zero(values, ncpus * g->nwords);
	uint64_t hash = hash_bytes(key, agg_key_bytes(g));
	struct agg_entry *e = entry_find(st, hash, key);

	if (!e && idle)
		return;
	if (!e)
		e = entry_new(s, st, hash, key);
	if (!e) {
		s->lost++;
		return;
	}
	/* Only the value of an aggregation without keys can be invisible here: it was cut and is visible once it
	 * moves. */
	uint64_t before = e->live ? 0 : hash_bytes((const uint8_t *)e->kern, g->nwords * sizeof(*e->kern));

	agg_sum_cpus(g, values, ncpus, e->kern);
	if (s->opts.percpu && ncpus == s->ncpus)
		agg_cpus_read(s, g, e, values);
	if (!e->in_kernel || (!e->live && before != hash_bytes((const uint8_t *)e->kern, g->nwords * sizeof(*e->kern))))
		e->live = true;
	e->in_kernel = true;
}

/* ---- taking away ------------------------------------------------------------------------------------------------- */
/* off of an entry, made when it is first needed. */
static uint64_t *entry_off(struct agg_set *s, const struct agg *g, struct agg_entry *e)
{
	if (!e->off)
		e->off = calloc(g->nwords, sizeof(*e->off));
	if (!e->off)
		s->lost++;
	return e->off;
}

static bool is_extreme(const struct agg *g)
{
	return g->fn == DW_AGG_MIN || g->fn == DW_AGG_MAX;
}

void agg_negate(const struct agg *g, uint64_t *off, const uint64_t *w)
{
	for (size_t i = 0; i < g->nwords; i++)
		off[i] = -w[i];
	if (g->fn == DW_AGG_STDDEV && w[2])
		off[3]--;
}

/* What came between reading (kern) and taking out (final). Nothing: all zero. */
static void leftover(const struct agg *g, const uint64_t *kern, uint64_t *final)
{
	if (is_extreme(g)) {
		if (final[1] == kern[1] && final[0] == kern[0])
			final[0] = final[1] = 0;
		return;
	}
	/* The squares of stddev: borrow from their upper word. */
	bool borrow = g->fn == DW_AGG_STDDEV && final[2] < kern[2];

	for (size_t i = 0; i < g->nwords; i++)
		final[i] -= kern[i];
	if (borrow)
		final[3]--;
}

/* The entry loses its value, and its key in the kernel's map; what remains is in off. True when nothing remains. */
static bool entry_take(struct agg_set *s, struct agg_state *st, struct agg_entry *e)
{
	const struct agg *g = st->g;
	uint64_t *off = entry_off(s, g, e);

	if (!off)
		return false;
	memset(off, 0, g->nwords * sizeof(*off));
	if (e->in_kernel && st->fd >= 0) {
		if (!agg_take_out(s, st, e, off)) {
			memset(off, 0, g->nwords * sizeof(*off));
			return false;
		}
		leftover(g, e->kern, off);
	}
	memset(e->kern, 0, g->nwords * sizeof(*e->kern));
	agg_cpus_clear(s, g, e, false);
	/* The value without keys stays in its map. */
	e->in_kernel = !agg_hashed(g);
	return all_zero(off, g->nwords);
}

/* The value is 0 from here on, and stays in its map. */
static void entry_zero(struct agg_set *s, const struct agg *g, struct agg_entry *e)
{
	if (entry_off(s, g, e))
		agg_negate(g, e->off, e->kern);
	agg_cpus_clear(s, g, e, true);
}

void agg_clear(struct agg_set *s, uint32_t id)
{
	struct agg_state *st = agg_state_of(s, id);

	if (!st)
		return;
	agg_state_read(s, st);
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b]; e; e = e->next) {
			if (is_extreme(st->g))
				(void)entry_take(s, st, e);
			else
				entry_zero(s, st->g, e);
		}
}

/* trunc of one entry. It may be freed. */
static void entry_cut(struct agg_set *s, struct agg_state *st, struct agg_entry *e)
{
	const struct agg *g = st->g;

	if (!agg_hashed(g) && !is_extreme(g)) {
		entry_zero(s, g, e);
		e->live = false;
		return;
	}
	bool empty = entry_take(s, st, e);

	e->live = !empty;
	if (empty && agg_hashed(g))
		entry_remove(st, e);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* Fills the set's table with the live entries of the aggregations. False when there is no memory. */
bool agg_table_fill(struct agg_set *s, const uint32_t *ids, size_t n, const struct agg_opts *opts)
{
	struct agg_table *t = &s->table;
	size_t want = 0;

	t->naggs = 0;
	t->nitems = 0;
	for (size_t i = 0; i < n && i < AGG_JOIN_MAX; i++) {
		struct agg_state *st = agg_state_of(s, ids[i]);

		if (!st)
			continue;
		agg_state_read(s, st);
		t->aggs[t->naggs++] = st->g;
		want += st->nentries;
	}
	if (want > t->items_cap) {
		struct agg_item *items = reallocarray(t->items, want, sizeof(*items));

		if (!items) {
			s->lost++;
			return false;
		}
		t->items = items;
		t->items_cap = want;
	}
	for (uint32_t i = 0; i < t->naggs; i++) {
		const struct agg_state *st = &s->aggs[t->aggs[i]->id];

		for (size_t b = 0; b < st->nbuckets; b++)
			for (struct agg_entry *e = st->buckets[b]; e; e = e->next)
				if (e->live)
					t->items[t->nitems++] = (struct agg_item){ e, i };
	}
	if (agg_table_build(t, opts)) {
		s->lost++;
		return false;
	}
	return true;
}

void agg_trunc(struct agg_set *s, uint32_t id, int64_t n)
{
	static const struct agg_opts by_value;
	const uint32_t only[] = { id };
	struct agg_state *st = agg_state_of(s, id);
	struct agg_table *t = &s->table;
	size_t from = 0, to;

	if (!st || !agg_table_fill(s, only, 1, &by_value))
		return;
	/* Rows ascend by value: those in from..to go. */
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;

	to = t->nrows;
	if (keep >= t->nrows)
		return;
	if (n > 0)
		to = t->nrows - (size_t)keep;
	else
		from = (size_t)keep;
	for (size_t i = from; i < to; i++)
		for (size_t k = 0; k < t->rows[i].nitems; k++)
			entry_cut(s, st, t->rows[i].items[k].entry);
	t->nrows = t->nitems = 0;
}

void agg_normalize(struct agg_set *s, uint32_t id, uint64_t normal)
{
	struct agg_state *st = agg_state_of(s, id);

	if (st)
		st->normal = normal;
}
