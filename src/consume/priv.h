/* SPDX-License-Identifier: GPL-2.0-or-later */
/* priv: shared by the files of the consumer: consume.c (its life, merging), record.c (one record), drops.c and
 * faults.c. */
#ifndef DWIRE_CONSUME_PRIV_H
#define DWIRE_CONSUME_PRIV_H
#include "consume/consume.h"
#include "consume/spec.h"
#include "consume/store.h"

#define PROBE_NAME_MAX 96

/* Firings that a probe missed, to be reported with the drops. */
struct missed {
	char probe[PROBE_NAME_MAX];
	enum drop_kind kind; /* DROP_MISSED or DROP_NOTE */
	bool at_most;
	uint64_t n;
};

struct consumer {
	struct consumer_env env;
	struct decoder decoder;
	struct value *values;     /* those of one action */
	struct value_room *rooms; /* their texts */
	size_t nvalues;
	struct agg_set *aggs;
	struct specs *specs;
	struct faults *faults;
	struct ring *rings;
	size_t nrings;
	struct store *store; /* bufpolicy fill or ring: nothing is handed on before the end; or NULL */
	bool full;           /* fill: a buffer is */
	struct ring **heap;  /* rings with a record to consume, the oldest first */
	size_t nheap;
	uint64_t printed_to; /* all records with an earlier time stamp have been handed on */
	uint64_t aggs_at;    /* when the aggregations were read last; 0: never */
	uint64_t held_since; /* since when a record that is still being written delays the others; 0: none does */
	size_t ncpus;
	uint64_t *drops; /* DW_DROP_COUNT * ncpus: as last reported */
	uint64_t *fresh; /* ncpus: buffer for reading */
	uint64_t bad, bad_reported, lost_reported;
	uint64_t rate; /* one firing in so many runs */
	uint64_t drop_totals[DROP_NUMBERS];
	uint64_t added[DROP_COUNT]; /* by consumer_add_drops(), not reported yet */
	struct missed *missed;
	size_t nmissed, missed_cap;
	bool exited;
	int status;
};

/* Passes one record to the sink and performs its actions. committed: it belongs to a committed speculation. */
void consume_record(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len, bool committed);
/* NULL: no such enabled probe. */
const struct epid *consume_epid(const struct consumer *c, uint32_t number);
/* The faults of a trace with nepids enabled probes, by kind. NULL: no memory. Free takes NULL. */
struct faults *faults_new(size_t nepids);
void faults_free(struct faults *f);
/* Passes a fault to the sink if it is the first of its kind, else counts it. e->epid is valid; probe is borrowed. */
void faults_add(struct faults *f, const struct dw_err *e, const struct image_probe *probe, struct sink *to);
/* Passes on the number of faults counted since the last call, by kind. */
void faults_report(struct faults *f, struct sink *to);
/* Reports the records that had no room in the store. */
void consume_store_drops(struct consumer *c, const struct store *s);
#endif
