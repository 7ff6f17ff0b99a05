/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg: aggregations in user space: per-CPU maps are read, merged, cleared, cut and printed.
 *
 * An entry is one key of one map. Its value is kern (sum of all CPUs as last read) combined with off (what clear and
 * trunc took away or carried over), so that clearing never writes to a value that programs are adding to.
 * A row is what is printed: entries of one or several aggregations whose keys read the same. */
#ifndef DWIRE_AGG_AGG_H
#define DWIRE_AGG_AGG_H
#include "print/print.h"

enum agg_encoding { ENC_UNSET, ENC_ASCII, ENC_UTF8 };

struct agg_opts {
	bool sort_key;         /* aggsortkey: by key, then value */
	bool sort_rev;         /* aggsortrev */
	uint32_t key_pos;      /* aggsortkeypos: the key to compare first, from 0 */
	uint32_t agg_pos;      /* aggsortpos: the aggregation to compare first in a printa of several, from 0 */
	bool sort_sum;         /* aggsortsum: rows of several aggregations by the sum of their numbers */
	uint32_t rows;         /* aggrows: a printa shows at most so many rows, those with the highest values; 0: all */
	bool hist, pack, zoom; /* agghist, aggpack, aggzoom: other layouts of aggregations */
	enum agg_encoding encoding; /* of bars: blocks, or plain characters */
	bool percpu;                /* aggpercpu: each CPU's part, too */
};

struct agg_set; /* all aggregations of an image */

/* image, map_fds (by index of image.maps; a negative one is never read) and what env points to are borrowed.
 * NULL: no memory. */
struct agg_set *agg_new(
	const struct image *image, const int *map_fds, const struct decoder *dec, const struct agg_opts *opts);
void agg_free(struct agg_set *s);
/* From now on. */
void agg_set_opts(struct agg_set *s, const struct agg_opts *opts);

/* A new pass begins: each map is read again when it is first needed. All actions of a pass see the same values, so
 * that printa followed by clear neither loses nor repeats an event. */
void agg_begin(struct agg_set *s);
/* printa: fmt NULL is the default layout, after an empty line. Aggregations that had something to show count as
 * printed. */
void agg_printa(struct agg_set *s, struct out *o, const struct fmt *fmt, const uint32_t *ids, size_t n);
/* What agg_printa never printed, in default layout. */
void agg_print_rest(struct agg_set *s, struct out *o);
/* Rows of one aggregation, in order, for other layouts; it counts as printed. */
struct agg_view {
	const struct agg *g;
	const struct value *keys;
	const uint64_t *words;
	int64_t number; /* of those that are no distributions, normalised */
	uint64_t normal;
};
void agg_each_row(struct agg_set *s, uint32_t id, void (*fn)(void *ctx, const struct agg_view *row), void *ctx);
/* Was it printed, or is it empty? */
bool agg_done(const struct agg_set *s, uint32_t id);
/* All values 0, the keys stay. Exact for sums; for min and max an update between reading and clearing counts only if
 * it was a new extreme. */
void agg_clear(struct agg_set *s, uint32_t id);
/* Keeps the n largest values (n > 0), the -n smallest (n < 0) or nothing (0). Removed keys leave the kernel's map and
 * come back with their next update; an update that happened since the map was read is kept. */
void agg_trunc(struct agg_set *s, uint32_t id, int64_t n);
/* Is a key of its map one of its own? */
bool agg_has_key(const struct agg *g, const uint8_t *key);
/* Values are printed divided by normal; 0 and 1: as they are. */
void agg_normalize(struct agg_set *s, uint32_t id, uint64_t normal);
/* Times that memory was short or a map could not be read, since agg_new(). */
uint64_t agg_lost(const struct agg_set *s);

/* One key as read: ncpus values of agg.nwords words. Called for each key of a map; tests call it themselves. */
void agg_absorb(struct agg_set *s, uint32_t id, const void *key, const uint64_t *values, size_t ncpus);

/* ---- rows: agg_rows.c -------------------------------------------------------------------------------------------- */
struct agg_entry {
	struct agg_entry *next; /* in its bucket */
	uint64_t hash;
	const uint8_t *raw;       /* the key's bytes */
	const struct value *keys; /* decoded; text is owned by the entry */
	uint64_t *kern;
	uint64_t *off;  /* NULL: nothing */
	uint64_t *cpus; /* with aggpercpu: each CPU's part as last read, then what clear took away of it; or NULL */
	bool in_kernel; /* the map has the key */
	bool live;      /* visible: not cut, or updated since */
};

struct agg_item {
	struct agg_entry *entry;
	uint32_t pos; /* in the list of aggregations joined */
};

struct agg_row {
	const struct value *keys;
	const uint64_t *words;  /* values of all aggregations joined, one after the other */
	struct agg_item *items; /* the entries that were merged */
	size_t nitems;
};

#define AGG_JOIN_MAX 256 /* as many as printa() takes */

/* A table ready to print. The buffers are kept between uses. */
struct agg_table {
	const struct agg *aggs[AGG_JOIN_MAX]; /* borrowed */
	size_t woff[AGG_JOIN_MAX];            /* where an aggregation's words begin in agg_row.words */
	size_t naggs, nwords;
	struct agg_item *items;
	size_t nitems, items_cap;
	struct agg_row *rows;
	size_t nrows, rows_cap;
	uint64_t *words;
	size_t words_cap;
};

/* Adds b to a: counts and sums are added, extremes compared. Words as in enum dw_agg_fn. */
void agg_combine(const struct agg *g, uint64_t *a, const uint64_t *b);
/* The number shown for a value that is not a distribution, before normalisation; 0 when there was no event. */
int64_t agg_number(const struct agg *g, const uint64_t *words);
/* ... as it is shown. */
int64_t agg_shown(const struct agg *g, const uint64_t *words, uint64_t normal);
/* A value after normalize(). */
int64_t agg_divided(int64_t v, uint64_t normal);
bool agg_is_dist(const struct agg *g);
/* Makes rows of t->items: joined on equal keys, sorted. -ENOMEM. */
int agg_table_build(struct agg_table *t, const struct agg_opts *opts) __attribute__((warn_unused_result));
void agg_table_free(struct agg_table *t);
/* The buckets that are shown: their label's number, their count. */
void agg_each_bucket(const struct agg *g, const uint64_t *words, uint64_t normal,
	void (*fn)(void *ctx, int64_t value, int64_t n), void *ctx);
/* The distribution, from the newline before its header to that of its last bucket. Counts are divided by normal; the
 * bars are parts of the whole, or of the largest count (zoom). */
void agg_print_dist(
	struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal, const struct agg_opts *opts);

/* agghist: a bar for each key, a part of what all have. width: columns of the keys. */
struct agg_total {
	long double whole;
	bool positive, negative;
};
void agg_total_add(struct agg_total *t, int64_t value, bool zoom);
void agg_print_hist_header(struct out *o, size_t width);
void agg_print_hist(
	struct out *o, const struct agg_total *t, int64_t value, uint64_t normal, const struct agg_opts *opts);

/* aggpack: a distribution on one line, a character a bucket, those from lo to hi, the same of all keys. */
struct agg_span {
	size_t lo, hi;
	bool any;
};
void agg_span_add(const struct agg *g, struct agg_span *s, const uint64_t *words);
void agg_print_pack_header(struct out *o, const struct agg *g, struct agg_span s, size_t width);
void agg_print_pack(
	struct out *o, const struct agg *g, struct agg_span s, const uint64_t *words, const struct agg_opts *opts);
#endif
