/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logs: the rows of a trace as records of a log, which wait to be sent. */
#ifndef DWIRE_EXPORT_LOGS_H
#define DWIRE_EXPORT_LOGS_H
#include "export/labels.h"
#include "export/model.h"

#define LOGS_BYTES (8u << 20) /* that wait; what does not fit is counted */

struct log {
	struct log *next;
	char *host;
	uint64_t time;       /* CLOCK_REALTIME, ns, by the traced machine */
	uint64_t observed;   /* ... by ours */
	char *probe;         /* "tcp:::send" */
	char *body;          /* the text that the row prints */
	struct pair *values; /* the names are owned, too */
	size_t nvalues;
	size_t bytes;
};

struct logs {
	struct log *first, **last;
	size_t n, bytes;
	uint64_t lost; /* for which there was no room */
};

void logs_init(struct logs *l);
/* A model_row_fn; ctx is a struct logs. */
void logs_take(void *ctx, const struct trace *s, const struct model_row *row);
/* Removes the n oldest. */
void logs_remove(struct logs *l, size_t n);
void logs_free(struct logs *l);
#endif
