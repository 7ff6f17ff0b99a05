/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick: probes that dwire fires itself (BEGIN, END), and tick-N. */
#ifndef DWIRE_ATTACH_TICK_H
#define DWIRE_ATTACH_TICK_H
#include "load/load.h"

/* Fires every program of probe dtrace:::name, in the order of the image, on this CPU and with up to 12 arguments. The
 * number fired, or -errno (-E2BIG: too many arguments). */
int tick_fire(const struct loaded *l, const char *name, const uint64_t *args, size_t nargs)
	__attribute__((warn_unused_result));

/* The tick probes of an image. */
struct ticks;

/* Starts them now: tick-1s fires for the first time in one second. They interrupt one CPU, this one if cpu is not -1.
 * l and f are borrowed. *out is NULL when the image has none. Warns if no perf event can be opened: the timer fires
 * them then. Returns 0 or -errno, which is reported. */
int tick_start(const struct loaded *l, struct features *f, int cpu, struct ticks **out, const struct reporter *to)
	__attribute__((warn_unused_result));
/* Readable (poll) when it is time to look whether events have fired their ticks. */
int tick_fd(const struct ticks *t);
/* Fires what is overdue. 0 or -errno. */
int tick_expired(struct ticks *t) __attribute__((warn_unused_result));
/* Periods in which a tick has not fired: one that is late by many periods fires once. */
uint64_t tick_missed(const struct ticks *t);
/* When it returns no tick fires any more. NULL is fine. */
void tick_stop(struct ticks *t);
/* NULL is fine. */
void tick_free(struct ticks *t);
#endif
