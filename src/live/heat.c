/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat: see heat.h.
 * Input: the states of a distribution in a sheet's rows. Output: counts by level and time.
 * A quantize() or llquantize() gets a level for each power of two, as their values spread over many of them; an
 * lquantize() one for each of its buckets, or for several of them if it has more than HEAT_LEVELS. */
#include "live/heat.h"

#include <stdlib.h>
#include <string.h>

#include "agg/words.h"

/* The column that shows a distribution; -1: none does. */
static int column_of(const struct sheet *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].value && s->columns[i].g && agg_is_dist(s->columns[i].g))
			return (int)i;
	return -1;
}

/* 0: values below 1; k: from 2^(k-1) on. */
static size_t log_level(int64_t value)
{
	return value < 1 ? 0 : 64 - (size_t)__builtin_clzll((uint64_t)value);
}

static size_t level_of(const struct agg_buckets *b, size_t bucket)
{
	size_t level;

	if (b->g->fn == DW_AGG_LQUANTIZE)
		return b->n <= HEAT_LEVELS ? bucket : bucket * HEAT_LEVELS / b->n;
	level = log_level(agg_bucket_value(b, bucket));
	return level < HEAT_LEVELS ? level : HEAT_LEVELS - 1;
}

static void begin(struct heat *h, const struct agg_buckets *b)
{
	h->levels = 0;
	for (size_t i = b->n; i--;) { /* from above: what stays is the least */
		const size_t level = level_of(b, i);

		h->low[level] = agg_bucket_value(b, i);
		h->levels = level + 1 > h->levels ? level + 1 : h->levels;
	}
}

void heat_take(struct heat **at, const struct sheet *s)
{
	const int column = column_of(s);
	struct agg_buckets b;
	struct heat *h = *at;
	uint64_t *now;

	if (column < 0)
		return;
	agg_buckets_init(&b, s->columns[column].g);
	if (!h) {
		h = *at = calloc(1, sizeof(*h));
		if (h)
			begin(h, &b);
	}
	if (h) {
		h->column = (size_t)column;
		h->snapshot = s->snapshot;
		now = h->n[h->snapshot % HEAT_TIMES];
		memset(now, 0, sizeof(h->n[0]));
		for (size_t i = 0; i < s->nrows; i++) {
			const struct cell *c = &s->rows[i].cells[column];

			for (size_t k = 0; sheet_has(s, &s->rows[i]) && k < c->nwords; k++)
				if (c->words[k].at < b.n)
					now[level_of(&b, c->words[k].at)] += c->words[k].v;
		}
	}
	agg_buckets_free(&b);
}

void heat_free(struct heat *h)
{
	free(h);
}

uint64_t heat_then(const struct heat *h, size_t level, size_t ago)
{
	return ago < HEAT_TIMES && ago < h->snapshot && level < h->levels
		? h->n[(h->snapshot - ago) % HEAT_TIMES][level]
		: 0;
}

bool heat_range(const struct heat *h, size_t *low, size_t *high)
{
	bool any = false;

	for (size_t level = 0; level < h->levels; level++)
		for (size_t t = 0; t < HEAT_TIMES; t++)
			if (h->n[t][level]) {
				*low = any ? *low : level;
				*high = level;
				any = true;
				break;
			}
	return any;
}
