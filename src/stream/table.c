/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: see table.h.
 * A hash of the keys' bytes leads to an index of an array of entries. The hash has a secret, since keys may come from a
 * hostile machine.
 * Invariant: at most half of the slots are taken. */
#include "stream/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define KEYS_MAX (1u << 22) /* more than a trace can have in its maps */

struct table_entry {
	uint64_t hash;
	char *key; /* owned */
	size_t len;
	uint64_t *state; /* behind the key, aligned */
};

struct table {
	size_t holders, words;
	struct hash_secret secret;
	struct table_entry *entries;
	size_t n, cap;
	uint32_t *slots; /* index + 1 of an entry; 0: free */
	size_t nslots;   /* a power of two */
	size_t *used;    /* table_new() */
	size_t bytes;    /* of it that this table has added */
};

struct table *table_new(size_t words, size_t *used)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->holders = 1;
	t->words = words;
	t->used = used;
	hash_secret_make(&t->secret);
	return t;
}

struct table *table_hold(struct table *t)
{
	if (t)
		t->holders++;
	return t;
}

void table_drop(struct table *t)
{
	if (!t || --t->holders)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->entries[i].state); /* the key lies behind it */
	if (t->used)
		*t->used -= t->bytes;
	free(t->entries);
	free(t->slots);
	free(t);
}

/* The slot of a key, or the free one where it belongs. There are slots. */
static uint32_t *slot_of(const struct table *t, uint64_t hash, const char *key, size_t len)
{
	size_t at = hash & (t->nslots - 1);

	for (; t->slots[at]; at = (at + 1) & (t->nslots - 1)) {
		const struct table_entry *e = &t->entries[t->slots[at] - 1];

		if (e->hash == hash && e->len == len && !memcmp(e->key, key, len))
			break;
	}
	return &t->slots[at];
}

/* What is added to the table takes so many bytes more. */
static void charge(struct table *t, size_t bytes)
{
	t->bytes += bytes;
	if (t->used)
		*t->used += bytes;
}

static int slots_grow(struct table *t)
{
	size_t n = t->nslots ? t->nslots * 2 : 64;
	uint32_t *slots;

	if (t->n * 2 < t->nslots)
		return 0;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	for (size_t i = 0; i < t->n; i++)
		*slot_of(t, t->entries[i].hash, t->entries[i].key, t->entries[i].len) = (uint32_t)i + 1;
	return 0;
}

static int entries_grow(struct table *t)
{
	size_t cap = t->cap ? t->cap * 2 : 32;
	struct table_entry *entries;

	if (t->n < t->cap)
		return 0;
	entries = reallocarray(t->entries, cap, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	t->entries = entries;
	t->cap = cap;
	return 0;
}

uint64_t *table_put(struct table *t, const char *key, size_t len)
{
	uint64_t hash = hash_of_bytes(&t->secret, key, len);
	struct table_entry *e;
	uint32_t *slot;

	if (slots_grow(t))
		return NULL;
	slot = slot_of(t, hash, key, len);
	if (*slot)
		return t->entries[*slot - 1].state;
	if (entries_grow(t) || t->n == KEYS_MAX)
		return NULL;
	e = &t->entries[t->n];
	e->state = calloc(1, t->words * sizeof(uint64_t) + len + 1);
	if (!e->state)
		return NULL;
	e->key = memcpy(e->state + t->words, key, len);
	e->len = len;
	e->hash = hash;
	*slot = (uint32_t)++t->n;
	charge(t, sizeof(*e) + 2 * sizeof(*slot) + t->words * sizeof(uint64_t) + len);
	return e->state;
}

const uint64_t *table_get(const struct table *t, const char *key, size_t len)
{
	uint32_t at = t->nslots ? *slot_of(t, hash_of_bytes(&t->secret, key, len), key, len) : 0;

	return at ? t->entries[at - 1].state : NULL;
}

size_t table_size(const struct table *t)
{
	return t ? t->n : 0;
}

const char *table_key(const struct table *t, size_t i, size_t *len, uint64_t **state)
{
	*len = t->entries[i].len;
	*state = t->entries[i].state;
	return t->entries[i].key;
}

int table_own(struct table **t)
{
	struct table *copy;

	if ((*t)->holders == 1)
		return 0;
	copy = table_new((*t)->words, (*t)->used);
	for (size_t i = 0; copy && i < (*t)->n; i++) {
		const struct table_entry *e = &(*t)->entries[i];
		uint64_t *state = table_put(copy, e->key, e->len);

		if (!state) {
			table_drop(copy);
			copy = NULL;
			break;
		}
		memcpy(state, e->state, (*t)->words * sizeof(*state));
	}
	if (!copy)
		return -ENOMEM;
	table_drop(*t);
	*t = copy;
	return 0;
}
