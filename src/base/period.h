/* SPDX-License-Identifier: GPL-2.0-or-later */
/* period: parses frequencies and times as D writes them: "10hz", "100ms", "1d". A number alone is in hertz. */
#ifndef DWIRE_BASE_PERIOD_H
#define DWIRE_BASE_PERIOD_H
#include <stdbool.h>
#include <stdint.h>

/* Converts n unit to nanoseconds, 1 to INT64_MAX; a frequency becomes the time between two events. same: strcmp() or
 * strcasecmp(), for the unit's name. False: unknown unit, or out of range. */
bool period_of(uint64_t n, const char *unit, int (*same)(const char *, const char *), uint64_t *ns);
#endif
