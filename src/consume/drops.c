/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drops: lost records and events, by cause.
 * Input: the counters of the programs, of the rings, of the consumer itself and of its caller. Output: drops to the
 * sink. Invariant: each loss is reported once. */
#include <string.h>

#include "consume/priv.h"
#include "kernel/bpfsys.h"

void consumer_set_rate(struct consumer *c, uint64_t rate)
{
	c->rate = rate;
}

void consumer_add_drops(struct consumer *c, enum drop_kind kind, uint64_t n)
{
	c->added[kind] += n;
}

/* Counts of one probe are added up until they are reported. */
void consumer_add_missed(struct consumer *c, const char *probe, bool notes, bool chooses, uint64_t n)
{
	enum drop_kind kind = notes ? DROP_NOTE : DROP_MISSED;
	size_t i = 0;

	if (!n)
		return;
	while (i < c->nmissed && (c->missed[i].kind != kind || strncmp(c->missed[i].probe, probe, PROBE_NAME_MAX - 1)))
		i++;
	/* More probes than programs: the last slot takes the rest. */
	if (i == c->nmissed && c->nmissed == c->missed_cap)
		i--;
	else if (i == c->nmissed) {
		c->nmissed++;
		c->missed[i].kind = kind;
		snprintf(c->missed[i].probe, PROBE_NAME_MAX, "%s", probe);
	}
	c->missed[i].at_most |= chooses;
	c->missed[i].n += n;
}

/* Hands a drop to the sink, if there is one. Returns how many. */
static uint64_t give(struct consumer *c, struct drop d)
{
	if (!d.n)
		return 0;
	d.total = c->drop_totals[drop_number(d.kind)] += d.n;
	d.rate = d.kind == DROP_SAMPLED ? c->rate : 0;
	c->env.sink->ops->drop(c->env.sink, &d);
	return d.n;
}

void consume_store_drops(struct consumer *c, const struct store *s)
{
	for (size_t cpu = 0; cpu < c->ncpus; cpu++)
		give(c, (struct drop){ .kind = DROP_RING, .n = store_dropped(s, cpu), .cpu = (int)cpu });
}

/* Rings and aggregations have their own counts for each CPU. */
static bool is_by_cpu(enum drop_kind kind)
{
	return kind == DROP_RING || kind == DROP_AGG;
}

/* Reads the programs' counters of one cause. Returns how many are new. */
static uint64_t report_cause(struct consumer *c, int fd, uint32_t cause)
{
	uint64_t *seen = c->drops + cause * c->ncpus, sum = 0;
	enum drop_kind kind = (enum drop_kind)cause;

	if (bpfsys_map_lookup(fd, &cause, c->fresh))
		return 0;
	for (size_t cpu = 0; cpu < c->ncpus; cpu++) {
		uint64_t n = c->fresh[cpu] - seen[cpu];

		if (is_by_cpu(kind))
			give(c, (struct drop){ .kind = kind, .n = n, .cpu = (int)cpu });
		seen[cpu] = c->fresh[cpu];
		sum += n;
	}
	if (!is_by_cpu(kind))
		give(c, (struct drop){ .kind = kind, .n = sum, .cpu = -1 });
	return sum;
}

/* The map of the programs' counters; -1: the image has none. */
static int drops_fd(const struct consumer *c)
{
	const struct image *im = c->env.image;

	for (size_t i = 0; c->env.map_fds && i < im->maps.n; i++)
		if (im->maps.v[i].role == MAP_DROPS)
			return c->env.map_fds[i];
	return -1;
}

static uint64_t report_missed(struct consumer *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nmissed; i++) {
		struct missed *m = &c->missed[i];

		sum += give(c,
			(struct drop){
				.kind = m->kind, .n = m->n, .cpu = -1, .probe = m->probe, .at_most = m->at_most });
		m->n = 0;
	}
	return sum;
}

/* What others have counted, and the consumer itself. */
static uint64_t report_added(struct consumer *c)
{
	uint64_t bad = c->bad, lost = agg_lost(c->aggs), sum = 0;

	for (size_t i = 0; i < c->nrings; i++)
		bad += c->rings[i].bad;
	c->added[DROP_SPEC_SIZE] += specs_drops(c->specs);
	c->added[DROP_RECORD] += bad - c->bad_reported;
	c->added[DROP_MEMORY] += lost - c->lost_reported;
	c->bad_reported = bad;
	c->lost_reported = lost;
	for (enum drop_kind k = 0; k < DROP_COUNT; k++) {
		sum += give(c, (struct drop){ .kind = k, .n = c->added[k], .cpu = -1 });
		c->added[k] = 0;
	}
	return sum;
}

/* Losses of programs come first, those of the consumer last. */
uint64_t consumer_report_drops(struct consumer *c)
{
	uint64_t sum = report_missed(c);
	int fd = drops_fd(c);

	faults_report(c->faults, c->env.sink);
	for (uint32_t cause = 0; fd >= 0 && cause < DW_DROP_COUNT; cause++)
		sum += report_cause(c, fd, cause);
	return sum + report_added(c);
}
