/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps: the maps of aggregations: reading them, taking keys out.
 * Input: the maps of an aggregation, which programs update meanwhile. Output: keys and values to agg_absorb_key().
 * Invariant: a key is taken out of a map by one system call, which holds the lock of its bucket, so no update up to
 * that moment is lost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/priv.h"
#include "kernel/bpfsys.h"

#define BATCH_BYTES (1u << 20)
#define BATCH_MAX 4096u
#define BATCH_MIN 16u

/* A map of keys of an aggregation. */
struct keymap {
	int fd;
	size_t ncpus; /* values of a key: 1 in the common map */
	uint32_t max; /* keys */
	bool first;   /* keys begin in it */
	uint64_t *mark;
	uint64_t made; /* keys that programs had made in it before it was read; equal to *mark: it has none */
};

struct reader {
	uint32_t batch; /* keys at once */
	bool take;      /* the keys that are read are deleted */
	bool spill;     /* ... and their values stay here */
	uint8_t *keys;
	uint64_t *values;
};

#define KEYMAPS 2

static uint64_t made(const struct agg_state *st, enum dw_born which)
{
	return st->born ? __atomic_load_n(&st->born[which], __ATOMIC_RELAXED) : 0;
}

/* The maps of a hashed aggregation. Returns how many there are. */
static size_t keymaps(const struct agg_set *s, struct agg_state *st, struct keymap out[KEYMAPS])
{
	const struct agg *g = st->g;
	size_t n = 0;

	if (st->common_fd >= 0)
		out[n++] = (struct keymap){ st->common_fd, 1, s->image->maps.v[g->common - 1].max_entries, true,
			&st->mark, made(st, DW_BORN_MAP) };
	if (st->fd >= 0) {
		out[n] = (struct keymap){ st->fd, s->ncpus, s->image->maps.v[g->map].max_entries, !n,
			n ? &st->own_mark : &st->mark, made(st, n ? DW_BORN_OWN : DW_BORN_MAP) };
		n++;
	}
	return n;
}

/* Has the map no key? A walk through the buckets of an empty one takes longer than all else that a screen of a tool
 * does. A program counts a key just after it has made it: then it is read the next time. */
static bool is_empty(const struct agg_state *st, const struct keymap *m)
{
	return st->born && !st->g->shared && m->made == *m->mark;
}

/* Words of a value in the map; a sparse distribution has a key for each level, with one word. */
static size_t map_words(const struct agg *g)
{
	return g->sparse ? 1 : g->nwords;
}

/* keys has room for two more: read_keys() steps with them. */
static int reader_alloc(struct reader *r, const struct agg *g, size_t ncpus)
{
	r->keys = calloc(r->batch + 2, g->key_size);
	r->values = calloc(r->batch, ncpus * map_words(g) * sizeof(uint64_t));
	return r->keys && r->values ? 0 : -ENOMEM;
}

static void reader_release(struct reader *r)
{
	free(r->keys);
	free(r->values);
	r->keys = NULL;
	r->values = NULL;
}

static void absorb_batch(
	struct agg_set *s, struct agg_state *st, const struct reader *r, const struct keymap *from, uint32_t n)
{
	size_t words = from->ncpus * map_words(st->g);

	st->held += n;
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *key = r->keys + (size_t)i * st->g->key_size;

		if (r->spill)
			agg_spill_key(s, st, key, r->values + i * words, from->ncpus);
		else if (st->g->sparse || agg_has_key(st->g, key))
			agg_absorb_key(s, st, key, r->values + i * words, from->ncpus);
	}
}

/* -ENOSPC: the batch is smaller than the entries of one of the map's buckets. */
static int read_batches(struct agg_set *s, struct agg_state *st, struct reader *r, const struct keymap *from)
{
	uint8_t *token = calloc(1, st->g->key_size + sizeof(uint64_t)); /* the kernel writes a u32 or a key */
	bool first = true;
	int err = 0;

	if (!token)
		return -ENOMEM;
	/* Programs add keys meanwhile; the walk goes bucket by bucket and ends, but never trust that without a
	 * bound. */
	for (uint64_t seen = 0; !err && seen <= 2ull * from->max + r->batch;) {
		uint32_t n = r->batch;

		err = bpfsys_map_lookup_batch(from->fd, first ? NULL : token, token, r->keys, r->values, &n, r->take);
		if (err && err != -ENOENT)
			break;
		absorb_batch(s, st, r, from, n);
		seen += n;
		first = false;
	}
	free(token);
	return err == -ENOENT ? 0 : err;
}

/* Key by key, where the kernel has no batches for this map. */
static int read_keys(struct agg_set *s, struct agg_state *st, struct reader *r, const struct keymap *from)
{
	uint8_t *key = r->keys, *next = r->keys + st->g->key_size;
	int err = bpfsys_map_next(from->fd, NULL, next);

	for (uint64_t n = 0; !err && n <= 2ull * from->max; n++) {
		memcpy(key, next, st->g->key_size);
		if (!bpfsys_map_lookup(from->fd, key, r->values))
			absorb_batch(s, st, r, from, 1);
		err = bpfsys_map_next(from->fd, key, next);
	}
	return err == -ENOENT ? 0 : err;
}

typedef int read_fn(struct agg_set *s, struct agg_state *st, struct reader *r, const struct keymap *from);

/* Reads a map with buffers for times as many keys as usual. Batches are bounded in bytes, because a value may have a
 * part for each possible CPU. how: what is done with the keys. */
static int read_map(struct agg_set *s, struct agg_state *st, read_fn *fn, const struct keymap *from, struct reader how,
	uint32_t times)
{
	const struct agg *g = st->g;
	size_t one = from->ncpus * map_words(g) * sizeof(uint64_t) + g->key_size;
	uint32_t batch = (uint32_t)(BATCH_BYTES / one);
	int err;

	how.batch = times * (batch < BATCH_MIN ? BATCH_MIN : batch > BATCH_MAX ? BATCH_MAX : batch);
	err = reader_alloc(&how, g, from->ncpus);
	if (!err)
		err = fn(s, st, &how, from);
	reader_release(&how);
	return err;
}

/* Reads both maps. */
static int read_maps(struct agg_set *s, struct agg_state *st, read_fn *fn, bool take, uint32_t times)
{
	struct keymap from[KEYMAPS];
	size_t n = keymaps(s, st, from);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		if (is_empty(st, &from[i]))
			continue;
		st->held = 0;
		err = read_map(s, st, fn, &from[i], (struct reader){ .take = take }, times);
		if (!err)
			*from[i].mark = from[i].made - (take ? 0 : st->held);
	}
	return err;
}

#define LARGER 8 /* batches, where a bucket of the map has more entries than one */

/* Reads all keys of a hashed aggregation: in batches (Linux 5.6), or key by key. Each attempt is a separate reading,
 * because it finds again what the one before found. */
static int read_hash(struct agg_set *s, struct agg_state *st)
{
	int err;

	s->reading++;
	err = read_maps(s, st, read_batches, false, 1);
	if (err == -ENOSPC) {
		s->reading++;
		err = read_maps(s, st, read_batches, false, LARGER);
	}
	if (err && err != -ENOMEM) {
		s->reading++;
		err = read_maps(s, st, read_keys, false, 1);
	}
	return err;
}

/* What is in the other map is read as always: the value of a key is that and what stays here. */
void agg_take_new(struct agg_set *s, struct agg_state *st)
{
	struct keymap from[KEYMAPS];
	size_t n = keymaps(s, st, from);
	const struct reader how = { .take = true, .spill = true };
	int err = 0;

	if (!n)
		return;
	s->reading++;
	st->pass = s->pass;
	for (size_t i = 1; i < n && !err; i++)
		err = is_empty(st, &from[i]) ? 0
					     : read_map(s, st, read_batches, &from[i], (struct reader){ 0 }, LARGER);
	if (!err)
		err = read_map(s, st, read_batches, &from[0], how, 1);
	if (err == -ENOSPC)
		err = read_map(s, st, read_batches, &from[0], how, LARGER);
	s->lost += err != 0;
	st->mark = from[0].made;
}

/* An aggregation without keys: a per-CPU array of one element. */
static int read_single(struct agg_set *s, struct agg_state *st)
{
	uint64_t *values = calloc(s->ncpus * st->g->nwords, sizeof(*values));
	uint32_t zero = 0;
	int err = values ? 0 : -ENOMEM;

	if (!err)
		err = bpfsys_map_lookup(st->fd, &zero, values);
	if (!err)
		agg_absorb(s, st->g->id, &zero, values, s->ncpus);
	free(values);
	return err;
}

/* Reads the map once in a pass. */
void agg_state_read(struct agg_set *s, struct agg_state *st)
{
	if (st->pass == s->pass || st->fd < 0)
		return;
	st->pass = s->pass;
	if (agg_hashed(st->g) ? read_hash(s, st) : read_single(s, st))
		s->lost++;
	if (st->table && st->table->slots.pass != s->pass)
		(void)agg_slots_take(s, st->table, true);
	if (st->fronted && st->fronted->front.pass != s->pass)
		agg_front_take(s, st->fronted);
}

/* Reads a key's value and deletes it, in one system call (BPF_MAP_LOOKUP_AND_DELETE_ELEM of hashes, Linux 5.14). */
static int take_key(int fd, const void *key, uint64_t *values)
{
	int err = bpfsys_map_take(fd, key, values);

	/* Before kernel 5.14: two steps, and what comes between them is lost. */
	if (err && err != -ENOENT) {
		err = bpfsys_map_lookup(fd, key, values);
		if (!err)
			err = bpfsys_map_delete(fd, key);
	}
	return err;
}

/* Takes a key, or a key with one level, out of both maps and combines its values with sum. -ENOENT: neither has it. */
static int take_from_maps(const struct agg_set *s, struct agg_state *st, const uint8_t *key, uint64_t *sum)
{
	struct keymap from[KEYMAPS];
	size_t n = keymaps(s, st, from), words = map_words(st->g);
	uint64_t *values = calloc(s->ncpus * words, sizeof(*values));
	int err = -ENOENT;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int one = take_key(from[i].fd, key, values);

		if (one != -ENOENT)
			err = one;
		if (one && one != -ENOENT)
			break;
		for (size_t c = 0; !one && c < from[i].ncpus; c++) {
			if (st->g->sparse)
				*sum += values[c];
			else
				agg_combine(st->g, sum, values + c * words);
		}
	}
	free(values);
	return err;
}

/* The same for an entry that has a key for each level: each is added to its word of final. */
static int take_levels(const struct agg_set *s, struct agg_state *st, const struct agg_entry *e, uint64_t *final)
{
	const struct agg *g = st->g;
	uint8_t *key = malloc(g->key_size);
	int err = key ? 0 : -ENOMEM;

	if (!err)
		memcpy(key, e->raw, agg_key_bytes(g));
	for (uint64_t level = 0; !err && level < g->nwords; level++) {
		if (!e->kern[level])
			continue;
		memcpy(key + agg_key_bytes(g), &level, sizeof(level));
		err = take_from_maps(s, st, key, &final[level]);
		if (err == -ENOENT) {
			final[level] = e->kern[level];
			err = 0;
		}
	}
	free(key);
	return err;
}

/* Takes the one value of an aggregation without keys: it becomes 0. */
static int take_single(const struct agg_set *s, const struct agg_state *st, uint64_t *final)
{
	size_t words = s->ncpus * st->g->nwords;
	uint64_t *values = calloc(2 * words, sizeof(*values));
	const uint64_t *zeros = values + words;
	uint32_t zero = 0;
	int err = values ? 0 : -ENOMEM;

	if (!err)
		err = bpfsys_map_lookup(st->fd, &zero, values);
	if (!err)
		err = bpfsys_map_update(st->fd, &zero, zeros, BPF_ANY);
	if (!err)
		agg_sum_cpus(st->g, values, s->ncpus, final);
	free(values);
	return err;
}

bool agg_take_out(struct agg_set *s, struct agg_state *st, struct agg_entry *e, uint64_t *final)
{
	const struct agg *g = st->g;
	int err;

	memset(final, 0, g->nwords * sizeof(*final));
	if (!agg_hashed(g))
		err = take_single(s, st, final);
	else if (g->sparse)
		err = take_levels(s, st, e, final);
	else
		err = take_from_maps(s, st, e->raw, final);
	if (err == -ENOENT)
		memcpy(final, e->kern, g->nwords * sizeof(*final));
	else if (err)
		s->lost++;
	return !err || err == -ENOENT;
}

/* What batches do not take is taken key by key. */
static void take_known(struct agg_set *s, struct agg_state *st, struct agg_entry *e)
{
	int err = st->g->sparse ? take_levels(s, st, e, e->kern) : take_from_maps(s, st, e->raw, e->kern);

	s->lost += err && err != -ENOENT;
	e->in_kernel |= err != -ENOENT;
}

/* A key that the maps no longer had leaves nothing of what was read of it before. */
void agg_take_all(struct agg_set *s, struct agg_state *st)
{
	int err;

	s->reading++;
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b]; e; e = e->next) {
			e->reading = s->reading;
			e->in_kernel = false;
		}
	err = read_maps(s, st, read_batches, true, 1);
	if (err == -ENOSPC)
		err = read_maps(s, st, read_batches, true, LARGER);
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b]; e; e = e->next) {
			if (err)
				take_known(s, st, e);
			if (!e->in_kernel)
				memset(e->kern, 0, st->g->nwords * sizeof(*e->kern));
		}
}
