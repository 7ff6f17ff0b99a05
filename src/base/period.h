/* SPDX-License-Identifier: GPL-2.0-or-later */
/* period: parses frequencies and times as D writes them: "10hz", "100ms", "1d". A number alone is in hertz. */
#ifndef DWIRE_BASE_PERIOD_H
#define DWIRE_BASE_PERIOD_H
#include <stdbool.h>
#include <stdint.h>

/* The time between two of n unit: *ns, 1 to INT64_MAX. same: strcmp() or strcasecmp(), for the unit's name. False:
 * there is no such unit, or the time is out of these bounds. */
bool period_of(uint64_t n, const char *unit, int (*same)(const char *, const char *), uint64_t *ns);
#endif
