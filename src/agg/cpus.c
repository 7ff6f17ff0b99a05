/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus: -x aggpercpu: the part of each CPU in an aggregation.
 * Input: values by CPU as they are read. Output: a line for each CPU after the line of the sum.
 * Invariant: e->cpus is NULL, or has the words of all CPUs as last read, followed by the corrections for clear(), which
 * are added to them. */
#include <stdlib.h>
#include <string.h>

#include "agg/priv.h"

static bool have_parts(struct agg_set *s, const struct agg *g, struct agg_entry *e)
{
	if (!e->cpus)
		e->cpus = calloc(2 * s->ncpus * g->nwords, sizeof(*e->cpus));
	s->lost += !e->cpus;
	return e->cpus;
}

void agg_cpus_level(struct agg_set *s, const struct agg *g, struct agg_entry *e, uint64_t level, const uint64_t *values)
{
	for (size_t i = 0; i < s->ncpus && have_parts(s, g, e); i++)
		e->cpus[i * g->nwords + level] = values[i];
}

void agg_cpus_read(struct agg_set *s, const struct agg *g, struct agg_entry *e, const uint64_t *values)
{
	if (have_parts(s, g, e))
		memcpy(e->cpus, values, s->ncpus * g->nwords * sizeof(*e->cpus));
}

void agg_cpus_clear(const struct agg_set *s, const struct agg *g, struct agg_entry *e, bool kept)
{
	size_t words = s->ncpus * g->nwords;

	if (!e->cpus)
		return;
	if (!kept) {
		memset(e->cpus, 0, 2 * words * sizeof(*e->cpus));
		return;
	}
	for (size_t at = 0; at < words; at += g->nwords)
		agg_negate(g, e->cpus + words + at, e->cpus + at);
}

void agg_cpu_words(const struct agg_table *t, const struct agg_row *r, size_t pos, size_t cpu, uint64_t *sum)
{
	const struct agg *g = t->aggs[pos];
	size_t words = t->ncpus * g->nwords;

	memset(sum, 0, g->nwords * sizeof(*sum));
	for (size_t i = 0; i < r->nitems; i++) {
		const uint64_t *cpus = r->items[i].entry->cpus;

		if (r->items[i].pos != pos || !cpus)
			continue;
		agg_combine(g, sum, cpus + cpu * g->nwords);
		agg_combine(g, sum, cpus + words + cpu * g->nwords);
	}
}
