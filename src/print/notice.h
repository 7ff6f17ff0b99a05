/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notice: the messages about drops and faults, in DTrace's words, and about the cost of a trace. */
#ifndef DWIRE_PRINT_NOTICE_H
#define DWIRE_PRINT_NOTICE_H
#include "base/diag/report.h"
#include "record/sink.h"

#define NOTICE_MAX 1024 /* bytes of a text: the names of a probe have at most 127, 63, 127 and 63 */

/* What the trace took: two lines, and one for each probe that fired. */
void notice_cost(const struct reporter *to, const struct cost *c);
/* "12 drops on CPU 0"; tag: with DTrace's name of the cause in front (-x droptags). */
void notice_drop(const struct reporter *to, const struct drop *d, bool tag);
/* "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in action #1 at BPF pc 24"; tag: with the name of
 * the fault in front (-x errtags). Of those that were only counted: "4812 more errors on enabled probe ID 1 (ID 1:
 * dtrace:::BEGIN): divide-by-zero in action #1". */
void notice_fault(const struct reporter *to, const struct fault *f, bool tag);
/* The same text, cut to size bytes. */
void notice_fault_text(const struct fault *f, bool tag, char *buf, size_t size);
#endif
