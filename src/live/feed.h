/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed: what a stream's reader shows (stream/merge.h), as sheets.
 * A printa() is a table: each run of it replaces the one before. So does a walk over sockets (sockets:::done ends
 * it). What printf() writes is a log. Printa()s and printf()s with the same columns share a sheet. Columns are the
 * members of the JSON objects that tools write with --json; of a format that is no such object they are its
 * arguments, by the names that the stream gives them. */
#ifndef DWIRE_LIVE_FEED_H
#define DWIRE_LIVE_FEED_H
#include "live/sheet.h"
#include "record/sink.h"

#define FEED_SHEETS 8u

struct heat;

struct feed {
	struct sheet *sheets[FEED_SHEETS]; /* owned */
	size_t n;
	struct heat *heats[FEED_SHEETS]; /* the distributions of each sheet over time; owned; or NULL */
	struct feed_walk *walk;          /* the rows of a walk that is not complete; owned; or NULL */
	uint32_t done;                   /* the clause that ends walks, plus 1; 0: none did yet */
	uint64_t changes;                /* rises with all that changes */
	uint64_t refused;                /* rows of sheets beyond FEED_SHEETS, or that could not be read */
	uint64_t faults;
};

/* A sink that fills the feed, which outlives it. NULL: no memory. */
struct sink *feed_sink_new(struct feed *f);
void feed_clear(struct feed *f);
#endif
