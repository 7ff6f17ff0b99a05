/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: the states of one aggregation on one machine, by key. Keys are the JSON of their values, so equal keys are
 * equal bytes. A table may be held by several owners; a holder copies it before a write if others hold it. */
#ifndef DWIRE_STREAM_TABLE_H
#define DWIRE_STREAM_TABLE_H
#include "image/image.h"

struct table;

/* Empty, held once. words: u64s of a state. used: what the table and its copies take is added here, in bytes, and taken
 * off when they are freed; borrowed; NULL: nobody counts. NULL: no memory. */
struct table *table_new(size_t words, size_t *used);
/* One holder more. Returns t; NULL is fine. */
struct table *table_hold(struct table *t);
/* One holder less; the last frees it. NULL is fine. */
void table_drop(struct table *t);
/* Makes *t one that its caller holds alone, a copy if it has to be. 0 or -ENOMEM. */
int table_own(struct table **t) __attribute__((warn_unused_result));
/* The state of a key, made as zeroes if it is not there. NULL: no memory, or there are 4 million keys. */
uint64_t *table_put(struct table *t, const char *key, size_t len);
/* NULL: the key is not there. */
const uint64_t *table_get(const struct table *t, const char *key, size_t len);
size_t table_size(const struct table *t);
/* The keys in the order in which they came; i below table_size(). */
const char *table_key(const struct table *t, size_t i, size_t *len, uint64_t **state);
#endif
