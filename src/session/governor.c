/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governor: see governor.h.
 * Input: what a trace took, about once a second. Output: the rate of sampling.
 * Invariant: the rate is a power of two times the least one. It rises at once, and falls by half after three looks
 * that leave room for twice as many firings, so that it does not swing. */
#include "session/governor.h"

#define RAISES 8 /* so often in a row without success: what the trace takes does not depend on the rate */
#define SPARES 3

void governor_init(struct governor *g, uint64_t least)
{
	*g = (struct governor){ .rate = least ? least : 1, .least = least ? least : 1 };
}

static bool raise(struct governor *g, uint64_t took, uint64_t limit)
{
	uint64_t times = 2, wanted = took / (limit ? limit : 1);

	g->spare = 0;
	while (times <= wanted && times < SAMPLE_MOST)
		times *= 2;
	if (g->rate * times > SAMPLE_MOST || ++g->raised > RAISES)
		return false;
	g->rate *= times;
	return true;
}

bool governor_look(struct governor *g, uint64_t took, uint64_t limit)
{
	if (took > limit)
		return raise(g, took, limit);
	g->raised = 0;
	/* Half the rate at most doubles what is taken: 80 % of the limit. */
	if (g->rate == g->least || took * 5 >= limit * 2) {
		g->spare = 0;
	} else if (++g->spare == SPARES) {
		g->spare = 0;
		g->rate /= 2;
	}
	return true;
}
