/* SPDX-License-Identifier: GPL-2.0-or-later */
/* consume_drops: what was lost, by cause, in DTrace's words.
 * Input: the counters of the programs, the rings and the consumer itself. Output: messages.
 * Invariant: each loss is told once. */
#include <string.h>

#include "consume/consume_priv.h"
#include "kernel/bpfsys.h"
#include "print/rows.h"

void consumer_add_missed(struct consumer *c, const char *probe, bool notes, bool chooses, uint64_t n)
{
	size_t i = 0;

	if (!n)
		return;
	while (i < c->nmissed &&
		(c->missed[i].notes != notes || strncmp(c->missed[i].probe, probe, PROBE_NAME_MAX - 1)))
		i++;
	/* More probes than programs: the last slot takes the rest. */
	if (i == c->nmissed && c->nmissed == c->missed_cap)
		i--;
	else if (i == c->nmissed) {
		c->nmissed++;
		c->missed[i].notes = notes;
		snprintf(c->missed[i].probe, PROBE_NAME_MAX, "%s", probe);
	}
	c->missed[i].chooses |= chooses;
	c->missed[i].n += n;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The same in a document, under DTrace's number of its kind. */
static void drop_object(struct consumer *c, const char *tag, uint64_t n, const char *what, const char *after)
{
	static const char *const tags[DROP_KINDS] = { "PRINCIPAL", "AGGREGATION", "DYNAMIC", "DYNRINSE", "DYNDIRTY",
		"SPEC", "SPECBUSY", "SPECUNAVAIL", "STKSTROVERFLOW", "DBLERROR" };
	unsigned kind = 0;
	char msg[128];

	while (kind < DROP_KINDS - 1 && (!tags[kind] || strcmp(tags[kind], tag) != 0))
		kind++;
	c->drop_totals[kind] += n;
	snprintf(msg, sizeof(msg), "%llu %s%s%s\n", (unsigned long long)n, what, plural(n), after);
	structured_drop(c->doc, n, c->drop_totals[kind], kind, msg);
}

/* "dwire: 12 drops on CPU 0"; tag: of DTrace, shown with -x droptags. cpu -1: of all. */
static void say_drops(struct consumer *c, const char *tag, uint64_t n, const char *what, const char *after, int cpu)
{
	char msg[160], on[24] = "";

	if (!n)
		return;
	if (c->doc)
		drop_object(c, tag, n, what, after);
	if (cpu >= 0)
		snprintf(on, sizeof(on), " on CPU %d", cpu);
	snprintf(msg, sizeof(msg), "%llu %s%s%s%s", (unsigned long long)n, what, plural(n), after, on);
	rows_drop(c->out, n, msg);
	fputs("dwire: ", c->env.err);
	if (c->env.options->droptags)
		fprintf(c->env.err, "[DTRACEDROP_%s] ", tag);
	fprintf(c->env.err, "%s\n", msg);
}

void consume_store_drops(struct consumer *c, const struct store *s)
{
	for (size_t cpu = 0; cpu < c->ncpus; cpu++)
		say_drops(c, "PRINCIPAL", store_dropped(s, cpu), "drop", "", (int)cpu);
}

static const struct cause {
	const char *tag, *what, *after;
	bool by_cpu;
} causes[DW_DROP_COUNT] = {
	[DW_DROP_RING] = { "PRINCIPAL", "drop", "", true },
	[DW_DROP_AGG] = { "AGGREGATION", "aggregation drop", "", true },
	[DW_DROP_DYN] = { "DYNAMIC", "dynamic variable drop", "", false },
	[DW_DROP_NEST] = { "SCRATCH", "scratch nesting drop", "", false },
	[DW_DROP_OWNER] = { "OWNER", "socket owner drop", "", false },
	[DW_DROP_SPEC] = { "SPECUNAVAIL", "failed speculation", " (no speculative buffer available)", false },
};

/* Reads one cause's counters, and says what is new. Returns how many that are. */
static uint64_t report_cause(struct consumer *c, int fd, uint32_t cause)
{
	uint64_t *seen = c->drops + cause * c->ncpus, sum = 0;
	const struct cause *w = &causes[cause];

	if (bpfsys_map_lookup(fd, &cause, c->fresh))
		return 0;
	for (size_t cpu = 0; cpu < c->ncpus; cpu++) {
		uint64_t n = c->fresh[cpu] - seen[cpu];

		if (w->by_cpu)
			say_drops(c, w->tag, n, w->what, w->after, (int)cpu);
		seen[cpu] = c->fresh[cpu];
		sum += n;
	}
	if (!w->by_cpu)
		say_drops(c, w->tag, sum, w->what, w->after, -1);
	return sum;
}

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
		uint64_t n = c->missed[i].n;
		char msg[160];

		snprintf(msg, sizeof(msg),
			c->missed[i].notes ? "%s%llu earlier event%s missed for %s (recursion)"
					   : "%s%llu probe firing%s missed in %s (recursion)",
			c->missed[i].chooses ? "up to " : "", (unsigned long long)n, plural(n), c->missed[i].probe);
		if (n) {
			fprintf(c->env.err, "dwire: %s\n", msg);
			rows_drop(c->out, n, msg);
		}
		sum += n;
		c->missed[i].n = 0;
	}
	return sum;
}

uint64_t consumer_report_drops(struct consumer *c)
{
	uint64_t spec = specs_drops(c->specs), twice = c->dblerrors;
	uint64_t sum = report_missed(c), bad = c->bad, lost = agg_lost(c->aggs);
	int fd = drops_fd(c);

	for (uint32_t cause = 0; fd >= 0 && cause < DW_DROP_COUNT; cause++)
		sum += report_cause(c, fd, cause);
	for (size_t i = 0; i < c->nrings; i++)
		bad += c->rings[i].bad;
	say_drops(c, "SPEC", spec, "speculative drop", "", -1);
	say_drops(c, "DBLERROR", twice, "error", " in ERROR probe enabling", -1);
	say_drops(c, "RECORD", bad - c->bad_reported, "malformed record", "", -1);
	say_drops(c, "AGGREGATION", lost - c->lost_reported, "consumer aggregation drop", "", -1);
	sum += spec + twice + bad - c->bad_reported + lost - c->lost_reported;
	c->dblerrors = 0;
	c->bad_reported = bad;
	c->lost_reported = lost;
	return sum;
}

uint64_t consumer_drops(const struct consumer *c, enum dw_drop cause)
{
	uint64_t sum = 0;

	for (size_t cpu = 0; cause < DW_DROP_COUNT && cpu < c->ncpus; cpu++)
		sum += c->drops[cause * c->ncpus + cpu];
	return sum;
}
