/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock: the time in nanoseconds. */
#ifndef DWIRE_BASE_CLOCK_H
#define DWIRE_BASE_CLOCK_H
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Since an unspecified point before boot. BPF programs take their time stamps from the same clock. */
static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* Since the epoch. */
static inline uint64_t clock_wall(void)
{
	return clock_read(CLOCK_REALTIME);
}
#endif
