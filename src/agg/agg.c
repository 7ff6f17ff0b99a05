/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg: the set of an image's aggregations: its life, clear, trunc, tables.
 * Input: the maps of a running image. Output: rows.
 * Invariant: the shown value of a key is kern + off, where kern is the map's value when it was last read. clear() of a
 * sum sets off to -kern and does not touch the map, so no update is ever lost. A key that is deleted from the map (by
 * trunc(), and clear() of min and max) is read and deleted by one system call under the bucket's lock. off keeps the
 * updates up to that moment. An update is lost only if its program had looked up the value before and adds to it after
 * the deletion (some nanoseconds). An aggregation without keys cannot be deleted: its min and max are zeroed by a
 * write, with the same risk. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agg/grace.h"
#include "agg/priv.h"
#include "kernel/features.h"

/* ---- life -------------------------------------------------------------------------------------------------------- */
/* What programs count in MAP_BORN. Without it maps may get full, which programs count. */
static void map_born(struct agg_set *s, const int *map_fds)
{
	for (size_t i = 0; map_fds && i < s->image->maps.n; i++)
		if (s->image->maps.v[i].role == MAP_BORN && map_fds[i] >= 0) {
			void *p;

			s->born_len = s->image->maps.v[i].value_size;
			p = mmap(NULL, s->born_len, PROT_READ, MAP_SHARED, map_fds[i], 0);
			s->born = p == MAP_FAILED ? NULL : p;
		}
	for (size_t i = 0; s->born && i < s->image->aggs.n; i++)
		s->aggs[i].born = &s->born[DW_BORN_COUNT * i];
}

struct agg_set *agg_new(
	const struct image *image, const int *map_fds, const struct decoder *dec, const struct agg_opts *opts)
{
	struct agg_set *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->image = image;
	s->dec = *dec;
	hash_secret_make(&s->secret);
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
		const struct agg *g = &image->aggs.v[i];

		s->aggs[i].g = g;
		s->aggs[i].fd = map_fds && g->map < image->maps.n ? map_fds[g->map] : -1;
		s->aggs[i].common_fd = map_fds && g->common ? map_fds[g->common - 1] : -1;
	}
	map_born(s, map_fds);
	for (size_t i = 0; map_fds && i < image->aggs.n; i++) {
		if (image->aggs.v[i].slots)
			agg_slots_open(s, &s->aggs[i], map_fds[image->aggs.v[i].slots - 1]);
		if (image->aggs.v[i].front)
			agg_front_open(s, &s->aggs[i], map_fds[image->aggs.v[i].front - 1]);
	}
	return s;
}

static void state_free(struct agg_state *st)
{
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b], *next; e; e = next) {
			next = e->next;
			agg_entry_free(e);
		}
	free(st->buckets);
	agg_slots_close(st);
	agg_front_close(st);
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
	grace_free(s->grace);
	agg_table_free(&s->table);
	if (s->born)
		munmap(s->born, s->born_len);
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

/* ---- taking away ------------------------------------------------------------------------------------------------- */
static bool is_extreme(const struct agg *g)
{
	return g->fn == DW_AGG_MIN || g->fn == DW_AGG_MAX;
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

/* What of an entry could be taken before an error: off has it now, kern has it no longer. */
static void keep_taken(const struct agg *g, struct agg_entry *e, uint64_t *taken)
{
	agg_combine(g, e->off, taken);
	if (!is_extreme(g))
		leftover(g, taken, e->kern);
}

/* The entry loses its value, and its key in the kernel's map; what remains is in off. True when nothing remains. */
static bool entry_take(struct agg_set *s, struct agg_state *st, struct agg_entry *e)
{
	const struct agg *g = st->g;
	uint64_t *off = agg_entry_off(s, g, e), *taken = calloc(g->nwords, sizeof(*taken));
	bool ok = off && taken;

	s->lost += off && !taken;
	if (ok && e->in_kernel && st->fd >= 0) {
		ok = agg_take_out(s, st, e, taken);
		if (ok)
			leftover(g, e->kern, taken);
		else
			keep_taken(g, e, taken);
	}
	if (ok) {
		memcpy(off, taken, g->nwords * sizeof(*off));
		memset(e->kern, 0, g->nwords * sizeof(*e->kern));
		agg_cpus_clear(s, g, e, false);
		/* The value without keys stays in its map. */
		e->in_kernel = !agg_hashed(g);
	}
	free(taken);
	return ok && agg_all_zero(off, g->nwords);
}

/* The value is 0 from here on, and stays in its map. */
static void entry_zero(struct agg_set *s, const struct agg *g, struct agg_entry *e)
{
	if (agg_entry_off(s, g, e))
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
		agg_entry_remove(st, e);
}

/* trunc of all entries at once. What a value grew by since it was read remains: its last value less kern. A key that no
 * map has goes at once; one that came into a map meanwhile is a new one. */
static void cut_all(struct agg_set *s, struct agg_state *st)
{
	const struct agg *g = st->g;
	size_t bytes = g->nwords * sizeof(uint64_t);

	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry **at = &st->buckets[b], *e; (e = *at) != NULL;) {
			if (e->in_kernel) {
				agg_negate(g, e->kern, e->kern);
				at = &e->next;
				continue;
			}
			*at = e->next;
			st->nentries--;
			agg_entry_free(e);
		}
	agg_take_all(s, st);
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b], *next; e; e = next) {
			next = e->next;
			if (agg_all_zero(e->kern, g->nwords) || !agg_entry_off(s, g, e)) {
				agg_entry_remove(st, e);
				continue;
			}
			memcpy(e->off, e->kern, bytes);
			memset(e->kern, 0, bytes);
			agg_cpus_clear(s, g, e, false);
			e->in_kernel = false;
			e->live = true;
		}
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* Room for the live entries of the table's aggregations. */
static int items_grow(struct agg_table *t, size_t want)
{
	struct agg_item *items;

	if (want <= t->items_cap)
		return 0;
	items = reallocarray(t->items, want, sizeof(*items));
	if (!items)
		return -ENOMEM;
	t->items = items;
	t->items_cap = want;
	return 0;
}

static void items_add(struct agg_table *t, const struct agg_state *st, uint32_t pos)
{
	for (size_t b = 0; b < st->nbuckets; b++)
		for (struct agg_entry *e = st->buckets[b]; e; e = e->next)
			if (e->live)
				t->items[t->nitems++] = (struct agg_item){ .entry = e, .pos = pos };
}

/* Reads the aggregations and makes the set's table of them. opts NULL: in any order. */
static int table_fill(struct agg_set *s, const uint32_t *ids, size_t n, const struct agg_opts *opts)
{
	struct agg_table *t = &s->table;
	size_t want = 0;
	int err;

	t->naggs = 0;
	t->nitems = 0;
	t->ncpus = s->ncpus;
	for (size_t i = 0; i < n && i < AGG_JOIN_MAX; i++) {
		struct agg_state *st = agg_state_of(s, ids[i]);

		if (!st)
			continue;
		agg_state_read(s, st);
		t->normal[t->naggs] = st->normal;
		t->aggs[t->naggs++] = st->g;
	}
	for (size_t i = 0; i < t->naggs; i++)
		want += s->aggs[t->aggs[i]->id].nentries;
	err = items_grow(t, want);
	for (uint32_t i = 0; !err && i < t->naggs; i++)
		items_add(t, &s->aggs[t->aggs[i]->id], i);
	if (!err)
		err = agg_table_build(s, opts);
	s->lost += err != 0;
	return err;
}

static void note_shown(struct agg_set *s, const struct agg_table *t)
{
	for (size_t i = 0; i < t->naggs && t->nrows; i++)
		s->aggs[t->aggs[i]->id].printed = true;
}

/* The table with the part of it that aggrows lets through. NULL: no memory. */
static struct agg_table *table_make(struct agg_set *s, const uint32_t *ids, size_t n)
{
	struct agg_table *t = &s->table;

	if (table_fill(s, ids, n, &s->opts))
		return NULL;
	t->shown = s->opts.rows && s->opts.rows < t->nrows ? s->opts.rows : t->nrows;
	t->first = s->opts.sort_rev ? 0 : t->nrows - t->shown; /* the highest are first or last */
	return t;
}

const struct agg_table *agg_table(struct agg_set *s, const uint32_t *ids, size_t n)
{
	const struct agg_table *t = table_make(s, ids, n);

	if (t)
		note_shown(s, t);
	return t;
}

const struct agg_table *agg_look(struct agg_set *s, uint32_t id)
{
	return table_make(s, &id, 1);
}

const struct agg_table *agg_scan(struct agg_set *s, uint32_t id, bool shown)
{
	const uint32_t ids[] = { id };
	struct agg_table *t = &s->table;

	if (table_fill(s, ids, 1, NULL))
		return NULL;
	t->shown = t->nrows;
	t->first = 0;
	if (shown)
		note_shown(s, t);
	return t;
}

bool agg_done(const struct agg_set *s, uint32_t id)
{
	return id >= s->image->aggs.n || s->aggs[id].printed;
}

void agg_trunc(struct agg_set *s, uint32_t id, int64_t n)
{
	static const struct agg_opts by_value;
	const uint32_t only[] = { id };
	struct agg_state *st = agg_state_of(s, id);
	struct agg_table *t = &s->table;
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;
	size_t from = 0, to;

	if (st && !keep && agg_hashed(st->g) && st->fd >= 0 && !st->g->shared && !is_extreme(st->g)) {
		agg_state_read(s, st);
		cut_all(s, st);
		t->nrows = t->nitems = 0;
		return;
	}
	if (!st || table_fill(s, only, 1, &by_value) || keep >= t->nrows)
		return;
	/* Rows ascend by value: those in from..to go. */
	to = t->nrows;
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
