/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strmap: string -> pointer.
 * Invariant: entries lie in order of insertion; the table of indices is a power of two and at most half full, so a
 * probe ends. Index 0 of a slot means empty. */
#include "base/strmap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FIRST 16u /* slots */

struct entry {
	const char *key;
	void *value;
	uint32_t hash;
};

struct strmap {
	struct arena *arena;
	struct entry *entries; /* room for half as many as slots */
	size_t n;
	uint32_t *slots; /* index into entries, plus 1 */
	size_t nslots;
};

static uint32_t hash_string(const char *s)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

/* The slot that holds key, or the empty one where it belongs. */
static uint32_t *find_slot(const struct strmap *m, const char *key, uint32_t hash)
{
	size_t i = hash & (m->nslots - 1);

	for (; m->slots[i]; i = (i + 1) & (m->nslots - 1)) {
		const struct entry *e = &m->entries[m->slots[i] - 1];

		if (e->hash == hash && !strcmp(e->key, key))
			break;
	}
	return &m->slots[i];
}

/* False: no memory, and the map is as it was. */
static bool grow(struct strmap *m)
{
	size_t n = m->nslots * 2;
	uint32_t *slots = ARENA_TRY_ARRAY(m->arena, uint32_t, n);
	struct entry *entries = ARENA_TRY_ARRAY(m->arena, struct entry, n / 2);

	if (!slots || !entries)
		return false;
	memcpy(entries, m->entries, m->n * sizeof(*entries));
	m->entries = entries;
	m->slots = slots;
	m->nslots = n;
	for (size_t i = 0; i < m->n; i++)
		*find_slot(m, entries[i].key, entries[i].hash) = (uint32_t)i + 1;
	return true;
}

struct strmap *strmap_new(struct arena *a)
{
	struct strmap *m = ARENA_NEW(a, struct strmap);

	m->arena = a;
	m->nslots = FIRST;
	m->slots = ARENA_ARRAY(a, uint32_t, FIRST);
	m->entries = ARENA_ARRAY(a, struct entry, FIRST / 2);
	return m;
}

void *strmap_get(const struct strmap *m, const char *key)
{
	const uint32_t *slot = find_slot(m, key, hash_string(key));

	return *slot ? m->entries[*slot - 1].value : NULL;
}

void strmap_put(struct strmap *m, const char *key, void *value)
{
	const uint32_t hash = hash_string(key);
	uint32_t *slot = find_slot(m, key, hash);
	struct entry *e;

	if (*slot) {
		m->entries[*slot - 1].value = value;
		return;
	}
	if (m->n == m->nslots / 2) {
		if (!grow(m))
			return;
		slot = find_slot(m, key, hash);
	}
	e = &m->entries[m->n++];
	e->key = arena_strdup(m->arena, key);
	e->hash = hash;
	e->value = value;
	*slot = (uint32_t)m->n;
}

void strmap_each(const struct strmap *m, void (*fn)(void *ctx, const char *key, void *value), void *ctx)
{
	for (size_t i = 0; i < m->n; i++)
		fn(ctx, m->entries[i].key, m->entries[i].value);
}
