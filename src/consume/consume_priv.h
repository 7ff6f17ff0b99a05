/* SPDX-License-Identifier: GPL-2.0-or-later */
/* consume_priv: what the files of the consumer share: consume.c (its life, merging), consume_record.c (one record) and
 * consume_drops.c. */
#ifndef DWIRE_CONSUME_CONSUME_PRIV_H
#define DWIRE_CONSUME_CONSUME_PRIV_H
#include "consume/consume.h"
#include "consume/spec.h"
#include "consume/store.h"
#include "print/flow.h"
#include "print/structured.h"

#define PROBE_NAME_MAX 96
#define DROP_KINDS 11 /* DTrace's ten, and others */

struct missed {
	char probe[PROBE_NAME_MAX];
	bool notes, chooses;
	uint64_t n;
};

struct consumer {
	struct consumer_env env;
	struct decoder decoder;
	struct value_room room;
	struct out *out;
	struct agg_set *aggs;
	struct specs *specs;
	struct ring *rings;
	size_t nrings;
	struct flow *flows;     /* by CPU */
	struct store *store;    /* bufpolicy fill or ring: nothing is printed before the end; or NULL */
	struct structured *doc; /* -x oformat: the output is a document; or NULL */
	bool full;              /* fill: a buffer is */
	struct ring **heap;     /* rings with a record to consume, the oldest first */
	size_t nheap;
	uint64_t printed_to; /* all records with an earlier time stamp have been printed */
	uint64_t aggs_at;    /* when the aggregations were read last; 0: never */
	uint64_t held_since; /* one that is still being written holds up the others; 0: none */
	size_t ncpus;
	uint64_t *drops; /* DW_DROP_COUNT * ncpus: as last reported */
	uint64_t *fresh; /* ncpus: buffer for reading */
	uint64_t bad, bad_reported, lost_reported;
	uint64_t drop_totals[DROP_KINDS]; /* for documents */
	uint64_t dblerrors;               /* faults of ERROR's own clauses that were not told yet */
	struct missed *missed;
	size_t nmissed, missed_cap;
	bool header_done;
	bool exited;
	int status;
};

/* Prints one record and does its actions. committed: it comes out of a speculation. */
void consume_record(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len, bool committed);
/* Takes over what the options say now. */
void consume_take_options(struct consumer *c);
/* Says what had no room in the store: consume_drops.c. */
void consume_store_drops(struct consumer *c, const struct store *s);
/* NULL: no such enabled probe. */
const struct epid *consume_epid(const struct consumer *c, uint32_t number);
#endif
