/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strmap: string -> pointer.
 * Invariant: entries lie in order of insertion; the table of indices is a power of two and at most half full, so a
 * probe ends. Index 0 of a slot means empty. */
#include "base/strmap.h"

#include <stdint.h>
#include <string.h>

#include "base/vec.h"

struct entry {
	const char *key;
	void *value;
	uint32_t hash;
};

struct strmap {
	struct arena *arena;
	VEC(struct entry) entries;
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
		const struct entry *e = &m->entries.v[m->slots[i] - 1];

		if (e->hash == hash && !strcmp(e->key, key))
			break;
	}
	return &m->slots[i];
}

static void grow_slots(struct strmap *m)
{
	m->nslots = m->nslots ? m->nslots * 2 : 16;
	m->slots = ARENA_ARRAY(m->arena, uint32_t, m->nslots);
	for (size_t i = 0; i < m->entries.n; i++) {
		const struct entry *e = &m->entries.v[i];

		*find_slot(m, e->key, e->hash) = (uint32_t)i + 1;
	}
}

struct strmap *strmap_new(struct arena *a)
{
	struct strmap *m = ARENA_NEW(a, struct strmap);

	m->arena = a;
	grow_slots(m);
	return m;
}

void *strmap_get(const struct strmap *m, const char *key)
{
	const uint32_t *slot = find_slot(m, key, hash_string(key));

	return *slot ? m->entries.v[*slot - 1].value : NULL;
}

void strmap_put(struct strmap *m, const char *key, void *value)
{
	const uint32_t hash = hash_string(key);
	uint32_t *slot = find_slot(m, key, hash);

	if (*slot) {
		m->entries.v[*slot - 1].value = value;
		return;
	}
	struct entry *e = vec_push(m->arena, &m->entries);

	e->key = arena_strdup(m->arena, key);
	e->hash = hash;
	e->value = value;
	*slot = (uint32_t)m->entries.n;
	if (m->entries.n * 2 > m->nslots)
		grow_slots(m);
}

void strmap_each(const struct strmap *m, void (*fn)(void *ctx, const char *key, void *value), void *ctx)
{
	for (size_t i = 0; i < m->entries.n; i++)
		fn(ctx, m->entries.v[i].key, m->entries.v[i].value);
}
