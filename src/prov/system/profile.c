/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile: tick-N fires on one CPU, profile-N on all, N times a second or every N ns, us, ms, s, m, h, d. Source: D
 * manual, profile provider. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/period.h"
#include "prov/provider.h"

static const struct site tick_site[] = {
	{ .attach = ATTACH_PERF, .one_cpu = true, .irqs_off = true, .sees = "a cpu-clock event on one CPU" },
	{ .attach = ATTACH_TEST_RUN,
		.one_cpu = true,
		.sees = "a timer of dwire's own interrupts a CPU where that event does not fire; arg0 and arg1 are 0" },
};
static const struct site profile_site[] = {
	{ .attach = ATTACH_PERF, .sees = "a cpu-clock event on each CPU: an idle CPU may not fire" },
};

/* The rates that -l shows. Any other probe is created when a description names it. */
static const struct probe_def probes[] = {
	{ "profile-97", NULL, TABLE(profile_site), "97 times a second on each CPU" },
	{ "profile-199", NULL, TABLE(profile_site), "199 times a second on each CPU" },
	{ "profile-499", NULL, TABLE(profile_site), "499 times a second on each CPU" },
	{ "profile-997", NULL, TABLE(profile_site), "997 times a second on each CPU" },
	{ "profile-1999", NULL, TABLE(profile_site), "1999 times a second on each CPU" },
	{ "profile-4001", NULL, TABLE(profile_site), "4001 times a second on each CPU" },
	{ "profile-4999", NULL, TABLE(profile_site), "4999 times a second on each CPU" },
	{ "tick-1", NULL, TABLE(tick_site), "once a second on one CPU" },
	{ "tick-10", NULL, TABLE(tick_site), "10 times a second on one CPU" },
	{ "tick-100", NULL, TABLE(tick_site), "100 times a second on one CPU" },
	{ "tick-500", NULL, TABLE(tick_site), "500 times a second on one CPU" },
	{ "tick-1000", NULL, TABLE(tick_site), "1000 times a second on one CPU" },
	{ "tick-5000", NULL, TABLE(tick_site), "5000 times a second on one CPU" },
};

/* "1s", "97hz", "500": the time between two firings; no unit means hertz. */
static int by_name(const char *name, uint64_t *period_ns)
{
	const char *p = !strncmp(name, "tick-", 5) ? name + 5 : !strncmp(name, "profile-", 8) ? name + 8 : NULL;
	unsigned long long n;
	char *end;

	if (!p || *p < '0' || *p > '9')
		return -EINVAL;
	errno = 0;
	n = strtoull(p, &end, 10);
	/* as in DTrace: at most 5000 a second */
	return !errno && period_of(n, end, strcmp, period_ns) && *period_ns >= 200000 ? 0 : -EINVAL;
}

static const struct prov_stability stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, COMMON),
	.module = STABILITY(UNSTABLE, UNSTABLE, COMMON),
	.function = STABILITY_PRIVATE,
	.name = STABILITY(EVOLVING, EVOLVING, COMMON),
	.args = STABILITY(EVOLVING, EVOLVING, COMMON),
};

const struct provider profile_provider = {
	.name = "profile",
	.stability = &stability,
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
	.by_name = by_name,
};
