/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sinks: write a trace to a stream: text as dtrace(1) writes it, rows of a table, a document. */
#ifndef DWIRE_PRINT_SINKS_H
#define DWIRE_PRINT_SINKS_H
#include <stdio.h>

#include "base/diag/report.h"
#include "options/options.h"
#include "record/sink.h"

struct print_to {
	FILE *out;                     /* these are borrowed; they outlive the sink */
	const struct options *options; /* oformat and rows say what is written; setopt() may change others */
	const struct reporter *report; /* drops, faults and failed actions; may be NULL */
	const int *stop;               /* print/patience.h; may be NULL */
};

/* The sink that the options ask for. NULL: no memory. sink_free() frees it. */
struct sink *print_sink_new(const struct print_to *to);
/* The single sinks: text; rows, as options.rows says; a document, as options.oformat says. */
struct sink *text_sink_new(const struct print_to *to);
struct sink *rows_sink_new(const struct print_to *to);
struct sink *document_sink_new(const struct print_to *to);
/* Packets, as options.capture says. NULL: *err is -ENOMEM, or another -errno that was reported. */
struct sink *capture_sink_new(const struct print_to *to, int *err);
/* Packets of a stream that were lost before the next one. */
void capture_sink_lost(struct sink *s, uint64_t n);
#endif
