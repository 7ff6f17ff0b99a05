/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtrace: BEGIN, END, ERROR. dwire itself runs the programs of BEGIN before all others and those of END after all
 * others. The clauses of ERROR are part of every program whose clauses may fault. Source: D manual, dtrace
 * provider. */
#include "prov/provider.h"

static const struct site by_hand[] = {
	{ .attach = ATTACH_TEST_RUN, .sees = "run by dwire itself" },
};

static const struct probe_def probes[] = {
	{ "BEGIN", NULL, by_hand, 1, "fires once, before any other probe" },
	{ "END", NULL, by_hand, 1, "fires once, after all other probes" },
	{ "ERROR", NULL, by_hand, 1,
		"fires when a clause fails: arg1 enabled probe, arg2 action, arg4 fault, arg5 value" },
};

static const struct prov_stability stability = {
	.provider = STABILITY(STABLE, STABLE, COMMON),
	.module = STABILITY_PRIVATE,
	.function = STABILITY_PRIVATE,
	.name = STABILITY(STABLE, STABLE, COMMON),
	.args = STABILITY(STABLE, STABLE, COMMON),
};

const struct provider dtrace_provider = { .name = "dtrace", .stability = &stability, .probes = probes, .nprobes = 3 };
