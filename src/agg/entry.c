/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry: the entries of an aggregation: one for each key, found by a hash of the key's bytes.
 * Input: keys and values as they are read from a map. Output: entries with decoded keys and sums over the CPUs.
 * Invariant: an entry is one allocation (but for off and cpus); its keys' text lies behind it and lives as long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/priv.h"

size_t agg_key_bytes(const struct agg *g)
{
	return agg_hashed(g) ? g->key_size - (g->sparse ? sizeof(uint64_t) : 0) : 0;
}

struct agg_state *agg_state_of(struct agg_set *s, uint32_t id)
{
	return id < s->image->aggs.n ? &s->aggs[id] : NULL;
}

/* The keys and their text lie in the entry itself. */
void agg_entry_free(struct agg_entry *e)
{
	free(e->off);
	free(e->cpus);
	free(e);
}

/* FNV-1a, with the high half folded into the low bits, which choose the bucket. */
static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h ^ h >> 32;
}

/* In a shared map the last 8 bytes of a key name the aggregation that it belongs to. */
bool agg_has_key(const struct agg *g, const uint8_t *key)
{
	uint64_t owner = 0;

	if (g->shared)
		memcpy(&owner, key + g->key_size - sizeof(owner), sizeof(owner));
	return owner == g->shared;
}

/* Compares hash and bytes: keys from traced processes may collide on purpose. */
static struct agg_entry *entry_find(const struct agg_state *st, uint64_t hash, const uint8_t *key)
{
	if (!st->nbuckets)
		return NULL;
	for (struct agg_entry *e = st->buckets[hash & (st->nbuckets - 1)]; e; e = e->next)
		if (e->hash == hash && !memcmp(e->raw, key, agg_key_bytes(st->g)))
			return e;
	return NULL;
}

/* Keeps at most one entry a bucket on average. If growing fails, chains become longer and nothing else. */
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

/* Bytes of the decoded keys' text. Texts such as zone names are not in the key itself. */
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

/* Decodes the keys and copies their text to the left bytes at text. */
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

/* An entry with the value 0. NULL: no memory; the caller counts a loss. */
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

void agg_entry_remove(struct agg_state *st, struct agg_entry *e)
{
	struct agg_entry **at = &st->buckets[e->hash & (st->nbuckets - 1)];

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	st->nentries--;
	agg_entry_free(e);
}

bool agg_all_zero(const uint64_t *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (w[i])
			return false;
	return true;
}

void agg_sum_cpus(const struct agg *g, const uint64_t *values, size_t ncpus, uint64_t *sum)
{
	memset(sum, 0, g->nwords * sizeof(*sum));
	for (size_t i = 0; i < ncpus; i++)
		agg_combine(g, sum, values + i * g->nwords);
}

/* Levels that the map does not hold stay 0. */
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

/* An entry that trunc() has cut becomes live when its key is in the map again; without keys, when its value changes. */
void agg_absorb(struct agg_set *s, uint32_t id, const void *key, const uint64_t *values, size_t ncpus)
{
	struct agg_state *st = agg_state_of(s, id);

	if (!st)
		return;
	const struct agg *g = st->g;
	/* The one value of an aggregation without keys is there from the start: until something happened it is no
	 * entry. */
	bool idle = !agg_hashed(g) && agg_all_zero(values, ncpus * g->nwords);
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
