/* agg: the entries of aggregations: reading per-CPU maps, clear, trunc.
 * Input: the maps of a running image. Output: tables ready to print.
 * Invariant: what is shown of a key is kern + off, where kern is what the map held when it was last read. clear of a
 * sum sets off to -kern and leaves the map alone, so no update is ever lost. A key that is deleted from the map (trunc,
 * and clear of min and max) is read and deleted by one system call under the bucket's lock: updates up to that moment
 * are carried over in off; an update of a program that had looked the value up before and adds to it after (some
 * nanoseconds) is lost. The one value of an aggregation without keys cannot be deleted: min and max are zeroed by a
 * write, with the same reservation. */
#include "run/agg_priv.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES (1u << 20)
#define BATCH_MAX 4096u
#define BATCH_MIN 16u

/* ---- life -------------------------------------------------------------------------------------------------------- */
struct agg_set *agg_new(
	const struct image *image, const int *map_fds, const struct pval_env *env, const struct agg_opts *opts)
{
	int ncpus = libbpf_num_possible_cpus();
	struct agg_set *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->image = image;
	s->env = *env;
	if (opts)
		s->opts = *opts;
	s->ncpus = ncpus > 0 ? (size_t)ncpus : 1;
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
static size_t key_bytes(const struct agg *g)
{
	return agg_hashed(g) ? g->key_size : 0;
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
		if (e->hash == hash && !memcmp(e->raw, key, key_bytes(st->g)))
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
	char scratch[PVAL_SCRATCH];
	struct pval v;
	size_t n = 0;

	for (size_t i = 0; i < g->nkeys; i++) {
		pval_read(&s->env, &g->keys[i], key, g->key_size, scratch, &v);
		n += v.len;
	}
	return n;
}

static void keys_decode(
	const struct agg_set *s, const struct agg *g, const uint8_t *key, struct pval *keys, char *text, size_t room)
{
	char scratch[PVAL_SCRATCH];

	for (size_t i = 0; i < g->nkeys; i++) {
		struct pval *v = &keys[i];

		pval_read(&s->env, &g->keys[i], key, g->key_size, scratch, v);
		/* A zone may have got a longer name since keys_text_size(). */
		if (v->len > room)
			v->len = room;
		if (v->len)
			memcpy(text, v->s, v->len);
		v->s = text;
		text += v->len;
		room -= v->len;
	}
}

static struct agg_entry *entry_new(struct agg_set *s, struct agg_state *st, uint64_t hash, const uint8_t *key)
{
	const struct agg *g = st->g;
	size_t words = g->nwords * sizeof(uint64_t), keys = g->nkeys * sizeof(struct pval);
	size_t text = keys_text_size(s, g, key);
	struct agg_entry *e;

	if (buckets_grow(st))
		return NULL;
	e = calloc(1, sizeof(*e) + words + keys + key_bytes(g) + text);
	if (!e)
		return NULL;
	e->kern = (uint64_t *)(e + 1);
	struct pval *vals = (struct pval *)(void *)((char *)e->kern + words);
	uint8_t *raw = (uint8_t *)vals + keys;

	memcpy(raw, key, key_bytes(g));
	keys_decode(s, g, key, vals, (char *)raw + key_bytes(g), text);
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
static void sum_cpus(const struct agg *g, const uint64_t *values, size_t ncpus, uint64_t *sum)
{
	memset(sum, 0, g->nwords * sizeof(*sum));
	for (size_t i = 0; i < ncpus; i++)
		agg_combine(g, sum, values + i * g->nwords);
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
	uint64_t hash = hash_bytes(key, key_bytes(g));
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

	sum_cpus(g, values, ncpus, e->kern);
	if (s->opts.percpu && ncpus == s->ncpus)
		agg_cpus_read(s, g, e, values);
	if (!e->in_kernel || (!e->live && before != hash_bytes((const uint8_t *)e->kern, g->nwords * sizeof(*e->kern))))
		e->live = true;
	e->in_kernel = true;
}

/* ---- reading maps ------------------------------------------------------------------------------------------------ */
struct reader {
	uint32_t batch; /* keys at once */
	uint8_t *keys;
	uint64_t *values;
};

static int reader_alloc(struct reader *r, const struct agg_set *s, const struct agg *g, uint32_t batch)
{
	r->batch = batch;
	r->keys = calloc(batch + 2, g->key_size);
	r->values = calloc(batch, s->ncpus * g->nwords * sizeof(uint64_t));
	return r->keys && r->values ? 0 : -ENOMEM;
}

static void reader_release(struct reader *r)
{
	free(r->keys);
	free(r->values);
	r->keys = NULL;
	r->values = NULL;
}

static void absorb_batch(struct agg_set *s, const struct agg_state *st, const struct reader *r, uint32_t n)
{
	size_t words = s->ncpus * st->g->nwords;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *key = r->keys + (size_t)i * st->g->key_size;

		if (agg_has_key(st->g, key))
			agg_absorb(s, st->g->id, key, r->values + i * words, s->ncpus);
	}
}

/* -ENOSPC: the batch is smaller than the entries of one of the map's buckets. */
static int read_batches(struct agg_set *s, struct agg_state *st, struct reader *r, uint32_t max)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	uint8_t *token = calloc(1, st->g->key_size + sizeof(uint64_t)); /* the kernel writes a u32 or a key */
	bool first = true;
	int err = 0;

	if (!token)
		return -ENOMEM;
	/* Programs add keys meanwhile; the walk goes bucket by bucket and ends, but never trust that without a
	 * bound. */
	for (uint64_t seen = 0; !err && seen <= 2ull * max + r->batch;) {
		uint32_t n = r->batch;

		err = bpf_map_lookup_batch(st->fd, first ? NULL : token, token, r->keys, r->values, &n, &opts);
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
	int err = bpf_map_get_next_key(st->fd, NULL, next);

	for (uint64_t n = 0; !err && n <= 2ull * max; n++) {
		memcpy(key, next, st->g->key_size);
		if (!bpf_map_lookup_elem(st->fd, key, r->values))
			absorb_batch(s, st, r, 1);
		err = bpf_map_get_next_key(st->fd, key, next);
	}
	return err == -ENOENT ? 0 : err;
}

static int read_hash(struct agg_set *s, struct agg_state *st)
{
	const struct agg *g = st->g;
	size_t one = s->ncpus * g->nwords * sizeof(uint64_t) + g->key_size;
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

static int read_single(struct agg_set *s, struct agg_state *st)
{
	uint64_t *values = calloc(s->ncpus * st->g->nwords, sizeof(*values));
	uint32_t zero = 0;
	int err = values ? 0 : -ENOMEM;

	if (!err)
		err = bpf_map_lookup_elem(st->fd, &zero, values);
	if (!err)
		agg_absorb(s, st->g->id, &zero, values, s->ncpus);
	free(values);
	return err;
}

/* Reads the map once in a pass. */
static void state_read(struct agg_set *s, struct agg_state *st)
{
	if (st->pass == s->pass || st->fd < 0)
		return;
	st->pass = s->pass;
	if (agg_hashed(st->g) ? read_hash(s, st) : read_single(s, st))
		s->lost++;
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

/* Takes the key out of the kernel's map: final gets the sum of its last values. False when that failed. */
static bool take_out(struct agg_set *s, struct agg_state *st, struct agg_entry *e, uint64_t *final)
{
	const struct agg *g = st->g;
	size_t words = s->ncpus * g->nwords;
	uint64_t *values = calloc(2 * words, sizeof(*values));
	const uint64_t *zeros = values + words;
	uint32_t zero = 0;
	int err = values ? 0 : -ENOMEM;

	if (!err && agg_hashed(g)) {
		err = bpf_map_lookup_and_delete_elem(st->fd, e->raw, values);
		/* Before kernel 5.14: two steps, and what comes between them is lost. */
		if (err && err != -ENOENT) {
			err = bpf_map_lookup_elem(st->fd, e->raw, values);
			if (!err)
				err = bpf_map_delete_elem(st->fd, e->raw);
		}
	} else if (!err) {
		err = bpf_map_lookup_elem(st->fd, &zero, values);
		if (!err)
			err = bpf_map_update_elem(st->fd, &zero, zeros, BPF_ANY);
	}
	if (!err)
		sum_cpus(g, values, s->ncpus, final);
	free(values);
	if (err == -ENOENT)
		memcpy(final, e->kern, g->nwords * sizeof(*final));
	else if (err)
		s->lost++;
	return !err || err == -ENOENT;
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
		if (!take_out(s, st, e, off)) {
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
	state_read(s, st);
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
		state_read(s, st);
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
