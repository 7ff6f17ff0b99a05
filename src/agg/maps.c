/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps: the maps of aggregations: reading them, taking keys out.
 * Input: a map that programs update meanwhile. Output: its keys and values to agg_absorb().
 * Invariant: a key is taken out by one system call, so no update up to that moment is lost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/priv.h"
#include "kernel/bpfsys.h"

#define BATCH_BYTES (1u << 20)
#define BATCH_MAX 4096u
#define BATCH_MIN 16u

struct reader {
	uint32_t batch; /* keys at once */
	uint8_t *keys;
	uint64_t *values;
};

/* Words of a value in the map; a sparse distribution has a key for each level, with one word. */
static size_t map_words(const struct agg *g)
{
	return g->sparse ? 1 : g->nwords;
}

/* keys has room for two more: read_keys() steps with them. */
static int reader_alloc(struct reader *r, const struct agg_set *s, const struct agg *g, uint32_t batch)
{
	r->batch = batch;
	r->keys = calloc(batch + 2, g->key_size);
	r->values = calloc(batch, s->ncpus * map_words(g) * sizeof(uint64_t));
	return r->keys && r->values ? 0 : -ENOMEM;
}

static void reader_release(struct reader *r)
{
	free(r->keys);
	free(r->values);
	r->keys = NULL;
	r->values = NULL;
}

static void absorb_batch(struct agg_set *s, struct agg_state *st, const struct reader *r, uint32_t n)
{
	size_t words = s->ncpus * map_words(st->g);

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *key = r->keys + (size_t)i * st->g->key_size;

		if (st->g->sparse)
			agg_absorb_level(s, st, key, r->values + i * words);
		else if (agg_has_key(st->g, key))
			agg_absorb(s, st->g->id, key, r->values + i * words, s->ncpus);
	}
}

/* -ENOSPC: the batch is smaller than the entries of one of the map's buckets. */
static int read_batches(struct agg_set *s, struct agg_state *st, struct reader *r, uint32_t max)
{
	uint8_t *token = calloc(1, st->g->key_size + sizeof(uint64_t)); /* the kernel writes a u32 or a key */
	bool first = true;
	int err = 0;

	if (!token)
		return -ENOMEM;
	/* Programs add keys meanwhile; the walk goes bucket by bucket and ends, but never trust that without a
	 * bound. */
	for (uint64_t seen = 0; !err && seen <= 2ull * max + r->batch;) {
		uint32_t n = r->batch;

		err = bpfsys_map_lookup_batch(st->fd, first ? NULL : token, token, r->keys, r->values, &n);
		if (err && err != -ENOENT)
			break;
		absorb_batch(s, st, r, n);
		seen += n;
		first = false;
	}
	free(token);
	return err == -ENOENT ? 0 : err;
}

/* Key by key, where the kernel has no batches for this map. */
static int read_keys(struct agg_set *s, struct agg_state *st, struct reader *r, uint32_t max)
{
	uint8_t *key = r->keys, *next = r->keys + st->g->key_size;
	int err = bpfsys_map_next(st->fd, NULL, next);

	for (uint64_t n = 0; !err && n <= 2ull * max; n++) {
		memcpy(key, next, st->g->key_size);
		if (!bpfsys_map_lookup(st->fd, key, r->values))
			absorb_batch(s, st, r, 1);
		err = bpfsys_map_next(st->fd, key, next);
	}
	return err == -ENOENT ? 0 : err;
}

/* Reads all keys of a hash map: in batches (Linux 5.6), with larger ones if a bucket has more entries than a batch,
 * or key by key. Batches are bounded in bytes, because a value has a part for each possible CPU. */
static int read_hash(struct agg_set *s, struct agg_state *st)
{
	const struct agg *g = st->g;
	size_t one = s->ncpus * map_words(g) * sizeof(uint64_t) + g->key_size;
	uint32_t max = s->image->maps.v[g->map].max_entries;
	uint32_t batch = (uint32_t)(BATCH_BYTES / one);
	struct reader r = { 0 };
	int err;

	batch = batch < BATCH_MIN ? BATCH_MIN : batch > BATCH_MAX ? BATCH_MAX : batch;
	err = reader_alloc(&r, s, g, batch);
	if (!err)
		err = read_batches(s, st, &r, max);
	if (err == -ENOSPC) {
		reader_release(&r);
		err = reader_alloc(&r, s, g, batch * 8);
		if (!err)
			err = read_batches(s, st, &r, max);
	}
	if (err && err != -ENOMEM)
		err = read_keys(s, st, &r, max);
	reader_release(&r);
	return err;
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

/* The same for an entry that has a key for each level. */
static bool take_levels(struct agg_set *s, const struct agg_state *st, const struct agg_entry *e, uint64_t *final)
{
	const struct agg *g = st->g;
	uint64_t *values = calloc(s->ncpus, sizeof(*values));
	uint8_t *key = malloc(g->key_size);
	int err = values && key ? 0 : -ENOMEM;

	memset(final, 0, g->nwords * sizeof(*final));
	if (!err)
		memcpy(key, e->raw, agg_key_bytes(g));
	for (uint64_t level = 0; !err && level < g->nwords; level++) {
		if (!e->kern[level])
			continue;
		memcpy(key + agg_key_bytes(g), &level, sizeof(level));
		err = take_key(st->fd, key, values);
		for (size_t i = 0; !err && i < s->ncpus; i++)
			final[level] += values[i];
		if (err == -ENOENT) {
			final[level] = e->kern[level];
			err = 0;
		}
	}
	s->lost += err != 0;
	free(values);
	free(key);
	return !err;
}

/* Takes the key out of the kernel's map: final gets the sum of its last values. False when that failed. */
bool agg_take_out(struct agg_set *s, struct agg_state *st, struct agg_entry *e, uint64_t *final)
{
	const struct agg *g = st->g;

	if (g->sparse)
		return take_levels(s, st, e, final);
	size_t words = s->ncpus * g->nwords;
	uint64_t *values = calloc(2 * words, sizeof(*values));
	const uint64_t *zeros = values + words;
	uint32_t zero = 0;
	int err = values ? 0 : -ENOMEM;

	if (!err && agg_hashed(g)) {
		err = take_key(st->fd, e->raw, values);
	} else if (!err) {
		err = bpfsys_map_lookup(st->fd, &zero, values);
		if (!err)
			err = bpfsys_map_update(st->fd, &zero, zeros, BPF_ANY);
	}
	if (!err)
		agg_sum_cpus(g, values, s->ncpus, final);
	free(values);
	if (err == -ENOENT)
		memcpy(final, e->kern, g->nwords * sizeof(*final));
	else if (err)
		s->lost++;
	return !err || err == -ENOENT;
}
