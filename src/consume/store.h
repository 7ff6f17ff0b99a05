/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store: keeps records until tracing ends (-x bufpolicy=fill and ring). fill keeps the first records of each CPU and
 * ends the trace when one CPU has no room left; ring keeps the latest records. */
#ifndef DWIRE_CONSUME_STORE_H
#define DWIRE_CONSUME_STORE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

struct store_rec {
	struct store_rec *prev, *next;
	struct store_rec *later; /* of the same CPU */
	unsigned cpu;
	size_t len;
	uint8_t rec[];
};

/* For ncpus buffers of size bytes. ring: the latest are kept; else the first. NULL: no memory. */
struct store *store_new(size_t ncpus, uint64_t size, bool ring);
/* NULL is fine. */
void store_free(struct store *s);
/* Keeps a copy of a record, the latest so far. False: the CPU's buffer is full, which ends the trace. */
bool store_add(struct store *s, unsigned cpu, const uint8_t *rec, size_t len);
/* Number of records that were lost because there was no memory. */
uint64_t store_lost(const struct store *s);
/* Number of a CPU's records that were larger than its ring. */
uint64_t store_dropped(const struct store *s, size_t cpu);
/* The oldest record; NULL: none. */
const struct store_rec *store_first(const struct store *s);
#endif
