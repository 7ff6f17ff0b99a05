/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock: CLOCK_MONOTONIC, which the programs' time stamps are of too. */
#ifndef DWIRE_BASE_CLOCK_H
#define DWIRE_BASE_CLOCK_H
#include <stdint.h>
#include <time.h>

/* Nanoseconds since some point before the machine's start. */
static inline uint64_t clock_now(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
#endif
