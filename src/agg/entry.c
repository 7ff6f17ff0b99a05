/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry: the entries of an aggregation: one for each key, found by a hash of the key's bytes.
 * Input: keys and values as they are read from a map. Output: entries with decoded keys and sums over the CPUs.
 * Invariant: what keys are joined by (same) is known from the start; the keys themselves are decoded when they are
 * needed, or at once if they might read otherwise later. */
#include <errno.h>
#include <stddef.h>
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

#define SPARE_WORDS 4 /* longest value that has room for off in its entry */

void agg_entry_free(struct agg_entry *e)
{
	if (e->off != e->spare)
		free(e->off);
	free(e->cpus);
	free(e->keys);
	free(e);
}

/* In a shared map the last 8 bytes of a key name the aggregation that it belongs to. */
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

/* Does a text always read the same? Some are those of the moment. */
static bool is_steady_text(const struct agg *g, const struct field *f, const uint8_t *raw)
{
	size_t len = agg_key_bytes(g);
	uint32_t tag;

	if (f->off > len || len - f->off < sizeof(struct dw_tstr))
		return true; /* "" */
	memcpy(&tag, raw + f->off + offsetof(struct dw_tstr, tag), sizeof(tag));
	return tag == DW_STR_NONE || tag == DW_STR_LIT || tag == DW_STR_ZONE || tag == DW_STR_IP4 || tag == DW_STR_IP6;
}

/* Does a key always read the same? Symbols are looked up while their process is there. */
static bool is_steady(const struct agg *g, const struct field *f, const uint8_t *raw)
{
	switch (f->kind) {
	case FIELD_INT:
	case FIELD_LIT:
	case FIELD_CHARS:
	case FIELD_STACK:
	case FIELD_USTACK:
	case FIELD_UCOPY:
	case FIELD_BYTES:
		return true;
	case FIELD_TSTR:
		return is_steady_text(g, f, raw);
	case FIELD_SYM:
	case FIELD_MOD:
	case FIELD_USYM:
	case FIELD_UMOD:
	case FIELD_UADDR:
	case FIELD_REST:
	case FIELD_GIVEN:
		break;
	}
	return false;
}

/* Bytes of the decoded keys' text. Texts such as zone names are not in the key itself. */
static size_t keys_text_size(const struct agg_set *s, const struct agg *g, const uint8_t *key)
{
	struct value_room room = { 0 };
	struct value v;
	size_t n = 0;

	for (size_t i = 0; i < g->nkeys; i++) {
		value_read(&s->dec, &g->keys[i], key, agg_key_bytes(g), &room, &v);
		n += v.len;
	}
	value_room_free(&room);
	return n;
}

/* Decodes the keys and copies their text behind them. NULL: no memory. */
static struct value *keys_new(const struct agg_set *s, const struct agg *g, const uint8_t *key)
{
	struct value_room room = { 0 };
	size_t left = keys_text_size(s, g, key);
	struct value *keys = malloc(g->nkeys * sizeof(*keys) + left + 1);
	char *text;

	if (!keys)
		return NULL;
	text = (char *)(keys + g->nkeys);
	for (size_t i = 0; i < g->nkeys; i++) {
		struct value *v = &keys[i];

		value_read(&s->dec, &g->keys[i], key, agg_key_bytes(g), &room, v);
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
	return keys;
}

const struct value *agg_entry_keys(const struct agg_set *s, const struct agg *g, struct agg_entry *e)
{
	if (!e->keys)
		e->keys = keys_new(s, g, e->raw);
	return e->keys;
}

const struct value *agg_entry_key(const struct agg_set *s, const struct agg *g, const struct agg_entry *e, size_t i,
	struct value_room *room, struct value *out)
{
	if (e->keys)
		return &e->keys[i];
	value_read(&s->dec, &g->keys[i], e->raw, agg_key_bytes(g), room, out);
	return out;
}

static void hash_key(struct hash *h, const struct value *v)
{
	if (v->kind == VALUE_INT)
		hash_word(h, (uint64_t)v->i);
	else
		hash_bytes(h, v->s, v->len);
}

uint64_t agg_keys_hash(const struct agg_set *s, const struct value *keys, size_t n)
{
	struct hash h = hash_begin(&s->secret);

	for (size_t i = 0; i < n; i++)
		hash_key(&h, &keys[i]);
	return hash_end(h);
}

/* Most keys are never shown: those that read the same later are only hashed now. False: no memory. */
static bool keys_note(const struct agg_set *s, const struct agg *g, struct agg_entry *e)
{
	bool steady = true;
	struct hash h = hash_begin(&s->secret);
	struct value_room room = { 0 };
	struct value v;

	for (size_t i = 0; i < g->nkeys && steady; i++)
		steady = is_steady(g, &g->keys[i], e->raw);
	if (!steady && !agg_entry_keys(s, g, e))
		return false;
	for (size_t i = 0; i < g->nkeys; i++)
		hash_key(&h, agg_entry_key(s, g, e, i, &room, &v));
	e->same = hash_end(h);
	return true;
}

/* An entry with the value 0. like: NULL, or that of the same key, laid out in the same way, of another aggregation.
 * NULL: no memory; the caller counts a loss. */
static struct agg_entry *entry_new(
	struct agg_set *s, struct agg_state *st, uint64_t hash, const uint8_t *key, const struct agg_entry *like)
{
	const struct agg *g = st->g;
	size_t spare = g->nwords <= SPARE_WORDS ? g->nwords : 0;
	struct agg_entry *e;

	if (buckets_grow(st))
		return NULL;
	e = calloc(1, sizeof(*e) + (g->nwords + spare) * sizeof(uint64_t) + agg_key_bytes(g));
	if (!e)
		return NULL;
	e->kern = (uint64_t *)(e + 1);
	e->spare = spare ? e->kern + g->nwords : NULL;
	uint8_t *raw = (uint8_t *)(e->kern + g->nwords + spare);

	memcpy(raw, key, agg_key_bytes(g));
	e->raw = raw;
	e->hash = hash;
	if (like && !like->keys) {
		e->same = like->same;
	} else if (!keys_note(s, g, e)) {
		agg_entry_free(e);
		return NULL;
	}
	e->next = st->buckets[hash & (st->nbuckets - 1)];
	st->buckets[hash & (st->nbuckets - 1)] = e;
	st->nentries++;
	return e;
}

uint64_t *agg_entry_off(struct agg_set *s, const struct agg *g, struct agg_entry *e)
{
	if (!e->off)
		e->off = e->spare ? e->spare : calloc(g->nwords, sizeof(*e->off));
	s->lost += !e->off;
	return e->off;
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

/* The entry of a key, made if it is new. like: see entry_new(). NULL: no memory, which is counted. */
static struct agg_entry *entry_of(
	struct agg_set *s, struct agg_state *st, uint64_t hash, const uint8_t *key, const struct agg_entry *like)
{
	struct agg_entry *e = entry_find(st, hash, key);

	if (!e)
		e = entry_new(s, st, hash, key, like);
	s->lost += !e;
	return e;
}

/* The entry of a key that a map has. The first value of a reading replaces the one before. */
static struct agg_entry *entry_read(struct agg_set *s, struct agg_state *st, const uint8_t *key)
{
	return entry_of(s, st, hash_of_bytes(&s->secret, key, agg_key_bytes(st->g)), key, NULL);
}

static void entry_add(struct agg_set *s, const struct agg *g, struct agg_entry *e, const uint64_t *values, size_t ncpus)
{
	if (e->reading != s->reading)
		memset(e->kern, 0, g->nwords * sizeof(*e->kern));
	e->reading = s->reading;
	for (size_t i = 0; i < ncpus; i++)
		agg_combine(g, e->kern, values + i * g->nwords);
}

/* One level of an entry: its key in the map ends in the level's number. Levels that the map does not hold stay 0. */
static void absorb_level(
	struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *values, size_t ncpus)
{
	const struct agg *g = st->g;
	struct agg_entry *e = entry_read(s, st, key);
	uint64_t level;

	memcpy(&level, key + agg_key_bytes(g), sizeof(level));
	if (!e || level >= g->nwords) {
		s->lost += e != NULL;
		return;
	}
	entry_add(s, g, e, NULL, 0);
	for (size_t i = 0; i < ncpus; i++)
		e->kern[level] += values[i];
	if (s->opts.percpu && ncpus == s->ncpus)
		agg_cpus_level(s, g, e, level, values);
	e->live |= !e->in_kernel;
	e->in_kernel = true;
}

/* An entry that trunc() has cut becomes live when its key is in the map again; without keys, when its value changes. */
void agg_absorb_key(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *values, size_t ncpus)
{
	const struct agg *g = st->g;
	size_t bytes = g->nwords * sizeof(uint64_t);

	if (g->sparse) {
		absorb_level(s, st, key, values, ncpus);
		return;
	}
	/* The one value of an aggregation without keys is there from the start: until something happened it is no
	 * entry. */
	bool idle = !agg_hashed(g) && agg_all_zero(values, ncpus * g->nwords);

	if (idle && !st->nentries)
		return;
	struct agg_entry *e = entry_read(s, st, key);

	if (!e)
		return;
	/* Only the value of an aggregation without keys can be invisible here: it was cut and is visible once it
	 * moves. */
	uint64_t before = e->live ? 0 : hash_of_bytes(&s->secret, e->kern, bytes);

	entry_add(s, g, e, values, ncpus);
	if (s->opts.percpu && ncpus == s->ncpus)
		agg_cpus_read(s, g, e, values);
	if (!e->in_kernel || (!e->live && before != hash_of_bytes(&s->secret, e->kern, bytes)))
		e->live = true;
	e->in_kernel = true;
}

/* Adds the values of the CPUs to what stays here of a key. */
static void add_here(
	struct agg_set *s, const struct agg_state *st, struct agg_entry *e, const uint64_t *values, size_t ncpus)
{
	const struct agg *g = st->g;
	uint64_t *off = agg_entry_off(s, g, e);

	e->live = true;
	for (size_t c = 0; off && c < ncpus; c++)
		agg_combine(g, off, values + c * g->nwords);
}

void agg_spill_key(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *values, size_t ncpus)
{
	struct agg_entry *e = entry_read(s, st, key);

	if (!e)
		return;
	if (e->reading != s->reading) {
		memset(e->kern, 0, st->g->nwords * sizeof(*e->kern));
		e->in_kernel = false;
	}
	e->reading = s->reading;
	add_here(s, st, e, values, ncpus);
}

const struct agg_entry *agg_add_key(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *value,
	const struct agg_entry *like)
{
	uint64_t hash = like ? like->hash : hash_of_bytes(&s->secret, key, agg_key_bytes(st->g));
	struct agg_entry *e = entry_of(s, st, hash, key, like);

	if (e)
		add_here(s, st, e, value, 1);
	return e;
}

void agg_absorb(struct agg_set *s, uint32_t id, const void *key, const uint64_t *values, size_t ncpus)
{
	struct agg_state *st = agg_state_of(s, id);

	s->reading++;
	if (st)
		agg_absorb_key(s, st, key, values, ncpus);
}
