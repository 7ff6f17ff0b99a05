/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg_priv: what the files of the aggregations share: agg.c (entries), agg_maps.c, agg_rows.c (rows), agg_dist.c
 * (distributions), agg_cpus.c and agg_print.c. */
#ifndef DWIRE_AGG_AGG_PRIV_H
#define DWIRE_AGG_AGG_PRIV_H
#include "agg/agg.h"

struct agg_state {
	const struct agg *g;
	int fd;
	struct agg_entry **buckets; /* nbuckets, a power of two, or NULL */
	size_t nbuckets, nentries;
	uint64_t normal;
	uint64_t pass; /* of the last reading */
	bool printed;
};

struct agg_set {
	struct decoder dec;
	struct agg_opts opts;
	const struct image *image;
	struct agg_state *aggs; /* one for each of image.aggs */
	size_t ncpus;
	uint64_t pass;
	uint64_t lost;
	struct agg_table table;
};

/* NULL: there is no such aggregation. */
struct agg_state *agg_state_of(struct agg_set *s, uint32_t id);
/* Reads the maps and makes s->table of them; false: no memory. */
bool agg_table_fill(struct agg_set *s, const uint32_t *ids, size_t n, const struct agg_opts *opts);

/* Bytes of a key that tell entries apart. The value of an aggregation without keys has no key here, whatever its map's
 * is. */
size_t agg_key_bytes(const struct agg *g);
/* Sum over CPUs; values and sum are apart. */
void agg_sum_cpus(const struct agg *g, const uint64_t *values, size_t ncpus, uint64_t *sum);
/* One level of an entry: its key in the map ends in the level's number. */
void agg_absorb_level(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *values);

/* ---- maps: agg_maps.c -------------------------------------------------------------------------------------------- */
/* Reads the map once in a pass. */
void agg_state_read(struct agg_set *s, struct agg_state *st);
/* Takes the key out of the kernel's map: final gets the sum of its last values. False when that failed. */
bool agg_take_out(struct agg_set *s, struct agg_state *st, struct agg_entry *e, uint64_t *final);

/* ---- aggpercpu: agg_cpus.c --------------------------------------------------------------------------------------- */
/* Notes the parts of an entry, words of s->ncpus CPUs. */
void agg_cpus_read(struct agg_set *s, const struct agg *g, struct agg_entry *e, const uint64_t *values);
/* ... of one level: a word a CPU. */
void agg_cpus_level(
	struct agg_set *s, const struct agg *g, struct agg_entry *e, uint64_t level, const uint64_t *values);
/* From now on the parts count from where they are (the map keeps them), or from nothing (it has lost them). */
void agg_cpus_clear(const struct agg_set *s, const struct agg *g, struct agg_entry *e, bool kept);
/* The default layout of them, a line each, behind the whole. */
void agg_print_cpus(const struct agg_set *s, struct out *o, const struct agg_row *r, size_t pos);

/* off = -w, as agg_combine adds. */
void agg_negate(const struct agg *g, uint64_t *off, const uint64_t *w);
/* One value in the default layout: a number or a distribution. */
void agg_print_words(const struct agg_set *s, struct out *o, const struct agg *g, const uint64_t *words);

/* ---- distributions: agg_dist.c ----------------------------------------------------------------------------------- */
/* Labels of a distribution's buckets. */
struct agg_buckets {
	const struct agg *g;
	size_t n;
	int64_t *bounds; /* llquantize; owned */
	size_t nbounds;
};

/* bounds is to be freed. */
void agg_buckets_init(struct agg_buckets *b, const struct agg *g);
/* The least value of bucket i; of the first bucket that has none: what its values lie below. */
int64_t agg_bucket_value(const struct agg_buckets *b, size_t i);
#endif
