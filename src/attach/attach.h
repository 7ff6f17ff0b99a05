/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach: attaches loaded programs. */
#ifndef DWIRE_ATTACH_ATTACH_H
#define DWIRE_ATTACH_ATTACH_H
#include <stdbool.h>

#include "load/load.h"

struct attached;
struct reporter;

/* Attaches every program that is not fired by hand, in the order of the image. Programs run from then on, but their
 * clauses do not act before attach_start(). Attachments are descriptors: they end with attach_free(), and with the
 * process however it dies. after: NULL: each program is called by the kernel, which counts its runs. l, f and after are
 * borrowed, and outlive it. Returns 0 or -errno, which is reported; then nothing stays attached. */
int attach_all(struct loaded *l, struct features *f, const struct owner_after *after, struct attached **out,
	const struct reporter *to) __attribute__((warn_unused_result));
/* Waits for the places in programs and libraries, which a thread attaches meanwhile. Call it before those below.
 * 0, or -errno after a report. */
int attach_finish(struct attached *a, const struct reporter *to) __attribute__((warn_unused_result));
/* Lets the clauses act, and starts the clocks of profile probes. 0 or -errno, which is reported. */
int attach_start(struct attached *a, const struct reporter *to) __attribute__((warn_unused_result));
/* Fires the probes of iterators, once for each object in each network namespace. After each part of a walk it calls
 * between(ctx), which empties the rings; false ends the walks. Returns true if the trace has such probes, and none of
 * the walks was ended so. */
bool attach_walk(struct attached *a, bool (*between)(void *ctx), void *ctx, const struct reporter *to);
/* Detaches. wait: when it returns no program runs any more (some 15 ms). Twice is fine. */
void attach_detach(struct attached *a, bool wait);
/* Objects that the walk under way, or the last one, has shown so far. */
uint64_t attach_walked(const struct attached *a);
/* Warns of places in programs and libraries that were to be traced and cannot be: their number, and why the first. */
void attach_warn_refused(const struct attached *a, const struct reporter *to);
/* Call it once a second or so. Warns of traced files that were replaced or deleted since the last call; takes CPUs in
 * that came online, and warns of those that cannot be sampled; attaches to network namespaces and XDP programs that
 * are new, and detaches from namespaces that nothing else uses any more. 0, or -errno after a report: the trace cannot
 * go on. */
int attach_look(struct attached *a, const struct reporter *to) __attribute__((warn_unused_result));
/* Firings of profile probes that were due and did not happen (events that do not fire on an idle CPU, CPUs that
 * could not be opened). Meaningful after attach_detach(). */
uint64_t attach_missed(const struct attached *a);
/* Firings of program i that the kernel passed over and did not count for it. Meaningful after attach_detach(). */
uint64_t attach_passed_over(const struct attached *a, size_t prog);
/* NULL is fine. */
void attach_free(struct attached *a);
#endif
