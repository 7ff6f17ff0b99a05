/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tier: how a program is attached to a site. A probe has sites in one or more tiers; the best tier comes first. */
#ifndef DWIRE_IMAGE_TIER_H
#define DWIRE_IMAGE_TIER_H

/* One list makes the enum and the names that -x tier= takes. */
/* clang-format off */
#define TIERS(X)                                                        \
	X(TIER_HOOKS, "hooks")         /* tracepoints, cgroup2, netfilter... */ \
	X(TIER_FUNCTIONS, "functions") /* fentry, fexit */                     \
	X(TIER_KPROBES, "kprobes")
/* clang-format on */
enum tier {
#define X(t, name) t,
	TIERS(X)
#undef X
		TIER_COUNT
};
#endif
