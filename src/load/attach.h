/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach: connects loaded programs to what fires them. */
#ifndef DWIRE_LOAD_ATTACH_H
#define DWIRE_LOAD_ATTACH_H
#include <stdbool.h>
#include <stdio.h>

#include "load/load.h"

struct attached;

/* Attaches every program that is not fired by hand, in the order of the image. Attachments are descriptors: they end
 * with attach_free(), and with the process however it dies. l and f are borrowed, and outlive it. 0 or -errno with
 * why; then nothing stays attached. */
int attach_all(const struct loaded *l, struct features *f, struct attached **out, char *why, size_t why_len)
	__attribute__((warn_unused_result));
/* Detaches. wait: when it returns no program runs any more (some 15 ms). Twice is fine. */
void attach_detach(struct attached *a, bool wait);
/* Places in programs and libraries that were to be traced and cannot be, the first of them with the reason in first. */
size_t attach_refused(const struct attached *a, char *first, size_t size);
/* Says what has happened to the files that are traced. */
void attach_look(struct attached *a, FILE *err);
/* Firings of profile probes that were due and did not happen (events that do not fire on an idle CPU, CPUs that
 * could not be opened). Meaningful after attach_detach(). */
uint64_t attach_missed(const struct attached *a);
/* NULL is fine. */
void attach_free(struct attached *a);
#endif
