/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg: aggregations in user space: their per-CPU maps are read, merged, cleared and cut; their rows are joined and
 * sorted. Output is data: src/print draws it.
 *
 * An entry is one key. Its value is kern (the sum of all CPUs and both maps as last read) combined with off (what
 * clear and trunc took away or carried over), so that clearing never writes to a value that programs are adding to.
 * A row is what is shown: the entries of one or several aggregations whose keys read the same. */
#ifndef DWIRE_AGG_AGG_H
#define DWIRE_AGG_AGG_H
#include "agg/words.h"
#include "options/options.h"
#include "record/value.h"

struct agg_set; /* all aggregations of an image */
struct agg_item;

/* image, map_fds (by index of image.maps; a negative one is never read) and what dec points to are borrowed; opts is
 * copied, NULL: all defaults. NULL: no memory. */
struct agg_set *agg_new(
	const struct image *image, const int *map_fds, const struct decoder *dec, const struct agg_opts *opts);
void agg_free(struct agg_set *s);
/* Changes the options for later tables. */
void agg_set_opts(struct agg_set *s, const struct agg_opts *opts);

/* Begins a pass: each map is read again when it is first needed. All actions of a pass see the same values, so that
 * printa followed by clear neither loses nor repeats an event. */
void agg_begin(struct agg_set *s);
/* All values become 0, the keys stay. Exact for sums; for min and max an update between reading and clearing counts
 * only if it was a new extreme. */
void agg_clear(struct agg_set *s, uint32_t id);
/* Keeps the n largest values (n > 0), the -n smallest (n < 0) or nothing (0). Removed keys leave the kernel's map and
 * come back with their next update; an update that happened since the map was read is kept. */
void agg_trunc(struct agg_set *s, uint32_t id, int64_t n);
/* Values are shown divided by normal; 0 and 1: as they are. */
void agg_normalize(struct agg_set *s, uint32_t id, uint64_t normal);
/* How often since agg_new() memory was short or a map could not be read. */
uint64_t agg_lost(const struct agg_set *s);

/* How much of its room for new keys an aggregation has used, per cent: of the fullest one. */
unsigned agg_fill(const struct agg_set *s);
/* Makes room in such maps: their keys go into this process, where their values are kept. At the begin of a pass, or the
 * values that its actions see would differ. */
void agg_spill(struct agg_set *s);

/* ---- rows -------------------------------------------------------------------------------------------------------- */
struct agg_row {
	const struct value
		*keys;          /* as many as the aggregation with the fewest has; owned by the set. Shown rows only */
	const uint64_t *words;  /* values of all aggregations of the table: agg_words() */
	struct agg_item *items; /* the entries that were merged */
	size_t nitems;
};

#define AGG_JOIN_MAX 256 /* as many as printa() takes */

/* The rows of the aggregations of one printa, sorted as the options say. */
struct agg_table {
	const struct agg *aggs[AGG_JOIN_MAX]; /* borrowed */
	uint64_t normal[AGG_JOIN_MAX];        /* of normalize() */
	size_t woff[AGG_JOIN_MAX];            /* where an aggregation's words begin in agg_row.words */
	size_t naggs;
	struct agg_row *rows;
	size_t nrows;
	size_t first, shown; /* the rows that aggrows lets through: only these are sorted */
	size_t ncpus;        /* of agg_cpu_words() */

	/* buffers of the set, kept between uses */
	struct agg_item *items, *grouped;
	uint64_t *words;
	size_t nwords, nitems, rows_cap, items_cap, grouped_cap, words_cap;
};

/* Reads the maps and makes the rows; the aggregations count as shown if there are any. Ids that no aggregation has are
 * left out. Valid until the next call for the set. NULL: no memory, which is counted as lost. */
const struct agg_table *agg_table(struct agg_set *s, const uint32_t *ids, size_t n);
/* The same for one aggregation, which does not count as shown. */
const struct agg_table *agg_look(struct agg_set *s, uint32_t id);
/* The same, all rows in any order: most of the time that a table takes is for the order. shown: it counts as shown if
 * there are rows. */
const struct agg_table *agg_scan(struct agg_set *s, uint32_t id, bool shown);
/* Were rows of it shown? Also true of an id that no aggregation has. */
bool agg_done(const struct agg_set *s, uint32_t id);

/* The value of the pos-th aggregation of a row. */
static inline const uint64_t *agg_words(const struct agg_table *t, const struct agg_row *r, size_t pos)
{
	return r->words + t->woff[pos];
}

/* The number that is shown for it, after normalize(); not of a distribution. */
static inline int64_t agg_row_number(const struct agg_table *t, const struct agg_row *r, size_t pos)
{
	return agg_shown(t->aggs[pos], agg_words(t, r, pos), t->normal[pos]);
}

/* One CPU's part of a value, with -x aggpercpu: sum gets t->aggs[pos]->nwords words. */
void agg_cpu_words(const struct agg_table *t, const struct agg_row *r, size_t pos, size_t cpu, uint64_t *sum);

/* ---- keys -------------------------------------------------------------------------------------------------------- */
/* Aggregations may share a map: is this key of the map one of g's? */
bool agg_has_key(const struct agg *g, const uint8_t *key);
/* One key as read: ncpus values of agg.nwords words. Called for each key of a map; tests call it themselves. */
void agg_absorb(struct agg_set *s, uint32_t id, const void *key, const uint64_t *values, size_t ncpus);
#endif
