/* SPDX-License-Identifier: GPL-2.0-or-later */
/* priv: what the files of src/agg share. Each uses only those before it in this list: words.c (arithmetic), cpus.c
 * (parts of the CPUs), entry.c (entries), grace.c, slots.c and front.c (reading tables), maps.c (reading maps), spill.c
 * (making room in them), rows.c (joining, sorting), agg.c (the set, clear, trunc). */
#ifndef DWIRE_AGG_PRIV_H
#define DWIRE_AGG_PRIV_H
#include "agg/agg.h"
#include "base/hash.h"

struct agg_entry {
	struct agg_entry *next; /* in its bucket */
	uint64_t hash;          /* of raw */
	uint64_t same;          /* of the keys as they read: what rows are joined by */
	const uint8_t *raw;     /* the key's bytes */
	struct value *keys;     /* decoded, with their text behind them; NULL: see agg_entry_keys() */
	uint64_t *kern;
	uint64_t reading; /* number of the reading that kern is from */
	uint64_t *off;    /* NULL: nothing */
	uint64_t *spare;  /* room for off in the entry itself; NULL: off is allocated */
	uint64_t *cpus;   /* with aggpercpu: each CPU's part as last read, then what clear took away of it; or NULL */
	bool in_kernel;   /* one of the maps has the key */
	bool live;        /* visible: not cut, or updated since */
};

struct agg_item {
	struct agg_entry *entry;
	uint64_t hash; /* of the keys that are joined: equal keys have the same */
	uint32_t pos;  /* in the list of aggregations joined */
	uint32_t row;  /* that it becomes a part of */
};

/* The table in which keys begin (abi/slots.h). */
struct agg_slots {
	uint8_t *mem; /* mapped, len bytes; NULL: none */
	size_t len;
	uint32_t size;              /* of a slot */
	uint64_t pass;              /* in which all values were taken last: one of all its aggregations */
	uint64_t mark;              /* keys that programs had made in it when it was read last */
	uint64_t left, freed;       /* as in the table */
	uint64_t asked, asked_left; /* the grace period under way, or 0; the last key that had left before it */
	uint64_t *kept;             /* the numbers of keys that stay */
	size_t nkept;
};

/* The table in front of the maps (abi/front.h). */
struct agg_front {
	uint8_t *mem; /* mapped, len bytes; NULL: none */
	size_t len;
	uint32_t size;   /* of a slot */
	uint64_t **seen; /* of each slot: the values as they were read last; NULL: nothing yet */
	size_t nslots;   /* of all CPUs */
	uint64_t pass;   /* in which it was read last */
	uint64_t asked;  /* the grace period under way, or 0 */
};

struct agg_state {
	const struct agg *g;
	int fd;                     /* of its map; -1: there is none */
	int common_fd;              /* of its common map; likewise */
	struct agg_entry **buckets; /* nbuckets, a power of two, or NULL */
	size_t nbuckets, nentries;
	uint64_t normal;
	uint32_t alike;       /* 1 and the id of the first known one with the same layout of keys; 0: not known yet */
	uint64_t pass;        /* of the last reading */
	uint64_t held;        /* keys that it found in the map that was read last */
	const uint64_t *born; /* keys that programs have made, by enum dw_born; NULL: not counted */
	uint64_t mark; /* those in the map in which keys begin, less the keys that it had, when that was known last */
	uint64_t own_mark; /* the same of the other map */
	struct agg_slots slots;
	struct agg_state *table, *beside; /* the one whose slots have its keys, or NULL; the next with the same */
	struct agg_front front;
	struct agg_state *fronted, *along; /* likewise of the table in front */
	bool printed;
};

struct agg_set {
	struct decoder dec;
	struct hash_secret secret; /* of the hashes of keys */
	struct agg_opts opts;
	const struct image *image;
	struct agg_state *aggs; /* one for each of image.aggs */
	size_t ncpus;
	uint64_t pass;
	uint64_t reading; /* counts readings of an aggregation's maps: the first value of a key that a reading finds
			   * replaces the entry's, further ones are added */
	uint64_t lost;
	struct agg_table table;
	uint64_t *born; /* mapped: two numbers for each aggregation; NULL: none */
	size_t born_len;
	struct grace *grace; /* NULL: no slots become free */
};

/* ---- aggpercpu: cpus.c ------------------------------------------------------------------------------------------- */
/* Notes the parts of an entry, words of s->ncpus CPUs. */
void agg_cpus_read(struct agg_set *s, const struct agg *g, struct agg_entry *e, const uint64_t *values);
/* The same of one level: a word a CPU. */
void agg_cpus_level(
	struct agg_set *s, const struct agg *g, struct agg_entry *e, uint64_t level, const uint64_t *values);
/* Makes the parts count from their present values (kept: the map still has them) or from 0 (the map has lost them). */
void agg_cpus_clear(const struct agg_set *s, const struct agg *g, struct agg_entry *e, bool kept);

/* ---- entries: entry.c -------------------------------------------------------------------------------------------- */
/* NULL: there is no such aggregation. */
struct agg_state *agg_state_of(struct agg_set *s, uint32_t id);
/* Bytes of a key that identify an entry. 0 for an aggregation without keys, even if its map has a key. */
size_t agg_key_bytes(const struct agg *g);
/* Sum over CPUs; values and sum do not overlap. */
void agg_sum_cpus(const struct agg *g, const uint64_t *values, size_t ncpus, uint64_t *sum);
/* A key as a map has it, with values of ncpus CPUs. */
void agg_absorb_key(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *values, size_t ncpus);
/* The same of a key that was taken out of the map in which keys begin: the value is added to off. */
void agg_spill_key(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *values, size_t ncpus);
/* Adds a value to off, whatever the maps have of the key. like: NULL, or the entry of the same key, laid out in the
 * same way, of another aggregation, which saves looking at the key again. The entry, or NULL: no memory, which is
 * counted. */
const struct agg_entry *agg_add_key(struct agg_set *s, struct agg_state *st, const uint8_t *key, const uint64_t *value,
	const struct agg_entry *like);
bool agg_all_zero(const uint64_t *w, size_t n);
/* off of an entry, made when it is first needed. NULL: no memory, which is counted. */
uint64_t *agg_entry_off(struct agg_set *s, const struct agg *g, struct agg_entry *e);
/* The keys, decoded when they are first needed. NULL: no memory. */
const struct value *agg_entry_keys(const struct agg_set *s, const struct agg *g, struct agg_entry *e);
/* One key: the decoded one, or out, whose text may be in the room. The room is never allocated. */
const struct value *agg_entry_key(const struct agg_set *s, const struct agg *g, const struct agg_entry *e, size_t i,
	struct value_room *room, struct value *out);
/* Of the first n keys. Keys that read the same have the same hash, whatever their sizes: int -1 and long -1. */
uint64_t agg_keys_hash(const struct agg_set *s, const struct value *keys, size_t n);
void agg_entry_free(struct agg_entry *e);
/* Removes it from its bucket and frees it. */
void agg_entry_remove(struct agg_state *st, struct agg_entry *e);

/* ---- tables: slots.c --------------------------------------------------------------------------------------------- */
/* fd: of the table's map. Aggregations with the same table are opened in their order. A failure counts as a loss. */
void agg_slots_open(struct agg_set *s, struct agg_state *st, int fd);
void agg_slots_close(struct agg_state *st);
/* Makes room for new keys; all: and takes the values of all aggregations of the table. Did keys leave it? */
bool agg_slots_take(struct agg_set *s, struct agg_state *table, bool all);
/* How much of what new keys may take was taken since then, per cent. 0 for an aggregation without a table of its
 * own. */
unsigned agg_slots_fill(const struct agg_state *st);

/* ---- tables in front: front.c ------------------------------------------------------------------------------------ */
/* As agg_slots_open(). */
void agg_front_open(struct agg_set *s, struct agg_state *st, int fd);
void agg_front_close(struct agg_state *st);
/* Takes the values of all aggregations of the table. */
void agg_front_take(struct agg_set *s, struct agg_state *table);

/* ---- maps: maps.c ------------------------------------------------------------------------------------------------ */
/* Reads the map once in a pass. */
void agg_state_read(struct agg_set *s, struct agg_state *st);
/* Deletes the key from the kernel's maps; final gets the sum of its last values. False: that failed. */
bool agg_take_out(struct agg_set *s, struct agg_state *st, struct agg_entry *e, uint64_t *final);
/* Deletes all keys from the maps, which no other aggregation may share, and adds their last values to kern. */
void agg_take_all(struct agg_set *s, struct agg_state *st);

/* Takes all keys out of the map in which they begin; their values stay here. */
void agg_take_new(struct agg_set *s, struct agg_state *st);

/* ---- rows: rows.c ------------------------------------------------------------------------------------------------ */
/* Makes rows of the items of the set's table: joined on equal keys, sorted unless opts is NULL. With a limit of rows
 * (aggrows) only those within it have keys. 0 or -ENOMEM. */
int agg_table_build(struct agg_set *s, const struct agg_opts *opts) __attribute__((warn_unused_result));
void agg_table_free(struct agg_table *t);
#endif
