/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text: the sink that writes text, and what rows (rows.c) share with it. */
#ifndef DWIRE_PRINT_TEXT_H
#define DWIRE_PRINT_TEXT_H
#include "print/head.h"
#include "print/sinks.h"

struct lines;
struct opened;

struct text {
	struct sink sink; /* first */
	struct out *out;
	const struct options *options;
	const struct reporter *report;
	struct flow *flows; /* by CPU: -F */
	size_t ncpus;
	struct lines *lines;
	struct opened *opened; /* files of pcap(); NULL: none */
	bool header_done;
	uint64_t reports;    /* of printa(): begun so far */
	uint32_t *in_report; /* the aggregations that the last one has shown */
	size_t nin_report;
};

/* A text with these functions and this style. NULL: no memory. */
struct text *text_open(const struct print_to *to, const struct sink_ops *ops, const struct style *style);

void text_begin(struct sink *s, const struct record *r);
void text_item(struct sink *s, const struct record *r, const struct action *a, const struct value *values);
bool text_line(struct sink *s, const struct action *a, const uint8_t *rec, size_t len);
void text_printa(struct sink *s, const struct record *r, const struct printa *p);
void text_end(struct sink *s, const struct record *r);
void text_fault(struct sink *s, const struct fault *f);
void text_drop(struct sink *s, const struct drop *d);
void text_cost(struct sink *s, const struct cost *c);
void text_control(struct sink *s, const struct action *a, const struct value *values);
void text_newline(struct sink *s);
void text_flush(struct sink *s);
void text_free(struct sink *s);
#endif
