/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpc: cpc:::EVENT-MODE-COUNT fires on a CPU whenever the CPU has counted COUNT events. Probes are created by name;
 * for -l the table has one of a usual count for each event and mode. The events, with the least and the usual count,
 * are in kernel/events/counters.h. Source: D manual, cpc provider. */
#include <errno.h>
#include <linux/perf_event.h>

#include "kernel/events/counters.h"
#include "prov/provider.h"

/* clang-format off */
#define PROBE(event, mode, usual, what) \
	{ #event "-" mode "-" #usual, NULL, \
	  (const struct site[]){ { .attach = ATTACH_PERF, .irqs_off = true, .target = #event "-" mode, \
		  .sees = "a perf event on each CPU" } }, \
	  1, "a CPU has counted that many " what },
#define X(event, type, config, least, usual, what) \
	PROBE(event, "all", usual, what) PROBE(event, "kernel", usual, what) PROBE(event, "user", usual, what)
/* clang-format on */
/* COUNTERS() has each event as X(event, type, config, least, usual, what). */
static const struct probe_def probes[] = { COUNTERS(X) };
#undef X

/* The period is the count of events. A lower count than the least is refused: it would take the CPU's time. */
static int by_name(const char *name, uint64_t *period)
{
	struct counter c;

	if (!counter_parse(name, &c) || c.count < c.least)
		return -EINVAL;
	*period = c.count;
	return 0;
}

static const char *refuses(const char *name)
{
	struct counter c;

	if (!counter_parse(name, &c))
		return "its name is EVENT-MODE-COUNT, with an event of -l -P cpc and user, kernel or all";
	if (!c.count)
		return "its name ends with a count: cpc:::page_faults-all-1000";
	return c.least == 5000
		? "the count is at least 5000: with less, firing would take most of the time of the processor"
		: "the count is at least 200000 ns: 5000 firings a second";
}

static const struct prov_stability stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, COMMON),
	.module = STABILITY_PRIVATE,
	.function = STABILITY_PRIVATE,
	.name = STABILITY(EVOLVING, EVOLVING, CPU),
	.args = STABILITY(EVOLVING, EVOLVING, COMMON),
};

const struct provider cpc_provider = {
	.name = "cpc",
	.stability = &stability,
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
	.by_name = by_name,
	.refuses = refuses,
};
