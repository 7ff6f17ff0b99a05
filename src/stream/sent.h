/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sent: what the reader of a stream has of each key, as hashes of the key and of its state. Two keys with one hash cost
 * a state until the next whole one. Memory is bounded by the keys of the last pass and those that came since. */
#ifndef DWIRE_STREAM_SENT_H
#define DWIRE_STREAM_SENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sent;

/* A zeroed one is empty. */
struct sent_table {
	struct sent *slots; /* a hash table: n of cap, a power of two */
	size_t n, cap;
	uint64_t pass;
};

/* Notes what is sent. False: the reader has this state of the key. Without memory each key is news. */
bool sent_note(struct sent_table *t, uint64_t key, uint64_t state);
/* A pass that notes all keys there are begins; and when it is over, those that it did not note are forgotten. */
void sent_begin(struct sent_table *t);
void sent_forget(struct sent_table *t);
void sent_free(struct sent_table *t);
#endif
