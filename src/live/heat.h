/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat: a distribution over time: for each snapshot of a sheet, how many values each bucket counted, over all its
 * rows. */
#ifndef DWIRE_LIVE_HEAT_H
#define DWIRE_LIVE_HEAT_H
#include "live/sheet.h"

#define HEAT_LEVELS 64u /* buckets; those of a finer distribution are put together */
#define HEAT_TIMES 240u /* snapshots */

struct heat {
	size_t column;            /* of the sheet: the distribution */
	size_t levels;            /* in use */
	int64_t low[HEAT_LEVELS]; /* the least value of each level */
	uint64_t snapshot;        /* the last one that was taken */
	uint64_t n[HEAT_TIMES][HEAT_LEVELS];
};

/* Takes the present snapshot. *h: NULL until a sheet has a distribution; then owned by the caller. */
void heat_take(struct heat **h, const struct sheet *s);
void heat_free(struct heat *h); /* NULL is fine */
/* How often a level was counted so many snapshots ago. */
uint64_t heat_then(const struct heat *h, size_t level, size_t ago);
/* The levels that ever counted something. False: none did. */
bool heat_range(const struct heat *h, size_t *low, size_t *high);
#endif
