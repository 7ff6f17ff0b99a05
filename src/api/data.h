/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data: a trace as data, for the handlers of dwire_on_data(). */
#ifndef DWIRE_API_DATA_H
#define DWIRE_API_DATA_H
#include "api/dwire.h"
#include "base/diag/report.h"
#include "options/options.h"
#include "record/sink.h"

struct data_to {
	struct dwire_handlers handlers; /* members may be NULL */
	void *ctx;
	const struct image *image;     /* borrowed: its aggregations, for the handler of states */
	struct sink *text;             /* gets everything too; owned by the new sink; NULL: none */
	const struct options *options; /* borrowed */
	const struct reporter *report; /* borrowed: faults, and drops that have no handler */
};

/* NULL: no memory; then text is still the caller's. */
struct sink *data_sink_new(const struct data_to *to);
#endif
