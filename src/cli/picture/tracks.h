/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracks: aggregations over time. Counts, sums and distributions of a trace, as dwire_handlers.state and .row hand
 * them, become columns of a picture: what each interval added. Keys of one aggregation are added up.
 * Memory is bounded: when there are TRACK_COLUMNS intervals, each two become one. */
#ifndef DWIRE_CLI_PICTURE_TRACKS_H
#define DWIRE_CLI_PICTURE_TRACKS_H
#include <stdbool.h>

#include "api/dwire.h"

#define TRACKS_MAX 64      /* aggregations */
#define TRACK_COLUMNS 256u /* even */
#define TRACK_BUCKETS 256u /* of a distribution */

/* One number over time: a count or sum, or a bucket of a distribution. */
struct line {
	int64_t low, high; /* the values that the bucket counts, both included */
	int64_t now, prev; /* of the observation that goes on, and of the last one */
	int64_t added;     /* since the last column */
	int64_t columns[TRACK_COLUMNS];
};

enum dist { DIST_NONE /* a number */, DIST_QUANTIZE, DIST_LQUANTIZE, DIST_LLQUANTIZE };

struct track {
	char name[64]; /* of the aggregation */
	enum dist dist;
	uint64_t generation;
	uint64_t beyond;     /* values in buckets for which there was no room */
	struct line **lines; /* one, or those of the buckets, the lowest first; owned */
	size_t nlines;
};

struct tracks {
	uint64_t start;               /* CLOCK_MONOTONIC, ns */
	uint64_t ends[TRACK_COLUMNS]; /* of the columns; ns since start */
	size_t ncolumns;
	struct track *tracks[TRACKS_MAX];
	size_t ntracks;
	uint64_t refused; /* aggregations beyond TRACKS_MAX, each time they are seen */
	bool failed;      /* memory was short: some lines are missing */
};

/* Nothing was seen yet at start (CLOCK_MONOTONIC, ns). A zeroed one needs no tracks_free(). */
void tracks_begin(struct tracks *t, uint64_t start);
void tracks_free(struct tracks *t);
/* A row of the trace. Functions other than count, sum and the distributions are passed over. */
void tracks_row(struct tracks *t, const struct dwire_row *r);
/* Closes a column at this time. wait: if the last column ended less than half a second ago, it grows instead. */
void tracks_column(struct tracks *t, uint64_t now, bool wait);
/* NULL: nothing of that name was seen. */
const struct track *tracks_find(const struct tracks *t, const char *name);
/* What a track counted in a column, in all of its lines. */
int64_t track_sum(const struct track *t, size_t column);
#endif
