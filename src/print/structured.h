/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structured: -x oformat: what probes record as objects of a document, laid out as FreeBSD's dtrace(1) documents. */
#ifndef DWIRE_PRINT_STRUCTURED_H
#define DWIRE_PRINT_STRUCTURED_H
#include "agg/agg.h"
#include "print/doc.h"

struct structured;

/* o is borrowed. all: probes that print nothing are objects too (-O). NULL: no memory. */
struct structured *structured_new(struct out *o, enum oformat format, bool pretty, bool all);
/* NULL is fine. */
void structured_free(struct structured *s);

/* One record: its head, then what its actions print, then its end. */
void structured_probe(struct structured *s, unsigned cpu, const struct image_probe *p);
void structured_probe_end(struct structured *s);
/* Does it print this action? Else it has no output, and is run as always. */
bool structured_action(struct structured *s, const struct decoder *dec, struct agg_set *aggs, const struct action *a,
	const uint8_t *rec, size_t len);
/* What is printed here becomes a text of that name. */
struct out *structured_text(struct structured *s);
void structured_text_end(struct structured *s, const char *name);
/* Aggregations that nothing printed, as output of a probe that is none. */
void structured_rest(struct structured *s, const struct image *image, struct agg_set *aggs);
/* n things were lost, total in all. kind: DTrace's number. */
void structured_drop(struct structured *s, uint64_t n, uint64_t total, unsigned kind, const char *msg);
/* The end of the document. */
void structured_end(struct structured *s);
#endif
