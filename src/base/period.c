/* SPDX-License-Identifier: GPL-2.0-or-later */
/* period: see period.h.
 * Input: a number and a unit. Output: ns.
 * Invariant: the result is at least 1 and fits int64_t, or the function fails. */
#include "base/period.h"

#include <stddef.h>

bool period_of(uint64_t n, const char *unit, int (*same)(const char *, const char *), uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 },
		{ "msec", 1000000 }, { "s", 1000000000 }, { "sec", 1000000000 }, { "m", 60000000000 },
		{ "min", 60000000000 }, { "h", 3600000000000 }, { "hour", 3600000000000 }, { "d", 86400000000000 },
		{ "day", 86400000000000 } };

	if (!n)
		return false;
	if (!*unit || !same(unit, "hz")) {
		*ns = 1000000000 / n;
		return *ns != 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!same(unit, units[i].unit)) {
			*ns = n * units[i].ns;
			return n <= INT64_MAX / units[i].ns;
		}
	return false;
}
