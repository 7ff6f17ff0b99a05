/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost: what a session takes of the machine (-x cost), and the limit of that (-x maxcpu). */
#ifndef DWIRE_SESSION_COST_H
#define DWIRE_SESSION_COST_H
#include "session/governor.h"
#include "session/session.h"

struct meter;

/* Lets the kernel count runs and times of programs, as long as the meter lives (Linux 5.8). *out is NULL if the options
 * ask neither for cost nor for a limit. 0 or -errno, which is reported: what cannot be counted cannot be limited. */
int meter_new(const struct session_options *opts, struct meter **out) __attribute__((warn_unused_result));
/* The trace is armed: what was taken so far is its start. m may be NULL, here and below. */
void meter_armed(struct meter *m);
/* When meter_over() is due next: CLOCK_MONOTONIC, ns. UINT64_MAX: never. */
uint64_t meter_due(const struct meter *m);
/* What was taken up to a time: CPU time, ns. helpers: of those processes that run. */
struct meter_look {
	uint64_t at, programs, self, helpers;
};
/* What dwire and its helpers took between two looks. A helper that has ended takes its time out of the sum. */
uint64_t meter_process(const struct meter_look *before, const struct meter_look *now);
/* Has the trace taken more than its limit since the last call? Then that is reported, and either it is to end, or *rate
 * is set to another rate of sampling. What could not be read is part of the next difference, which is of a longer
 * time. */
enum meter_verdict { METER_FINE, METER_RATE, METER_OVER };
enum meter_verdict meter_judge(struct meter *m, const struct session *s, uint64_t *rate);
/* Hands the cost to the sink if the options ask for it. Call it after END, before programs are closed. */
void meter_report(struct meter *m, const struct session *s);
void meter_free(struct meter *m);
#endif
