/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governor: how many firings a trace leaves out, so that it keeps to -x maxcpu (-x sample). Pure. */
#ifndef DWIRE_SESSION_GOVERNOR_H
#define DWIRE_SESSION_GOVERNOR_H
#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_MOST 1048576u /* at the least one firing in so many runs */

struct governor {
	uint64_t rate;          /* one firing in so many runs */
	uint64_t least;         /* it never falls below */
	unsigned raised, spare; /* looks in a row that raised it; that found it needlessly high */
};

void governor_init(struct governor *g, uint64_t least);
/* What the trace took since the last look, and what it may take, in one unit. Sets the rate. False: the trace takes too
 * much and a higher rate does not help. */
bool governor_look(struct governor *g, uint64_t took, uint64_t limit) __attribute__((warn_unused_result));
#endif
