/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series: the model as metrics: families of series with labels. Keys that differ only in what is no label are one
 * series. A family has a bounded number of them; what comes later is added up in one series more, so that totals stay
 * exact. Which series a key belongs to does not change as long as the key is there. */
#ifndef DWIRE_EXPORT_SERIES_H
#define DWIRE_EXPORT_SERIES_H
#include "base/hash.h"
#include "export/labels.h"
#include "export/model.h"

#define SERIES_MAX 2000u                      /* of a family, unless told otherwise */
#define OVERFLOW_LABEL "otel_metric_overflow" /* the name that OpenTelemetry gives it */

/* What kind of metric a family is, in the words of OpenMetrics. A summary is a count and a sum. */
enum kind { KIND_COUNTER, KIND_GAUGE, KIND_SUMMARY, KIND_HISTOGRAM };

struct series {
	struct series *next;  /* of the family */
	struct series *chain; /* of the hash table */
	const struct family *family;
	struct pair *labels; /* without the host; owned */
	size_t nlabels;
	uint64_t *words; /* the state: family->g.nwords; owned; NULL: it is spilled */
	uint64_t start;  /* of its counts; CLOCK_REALTIME, ns */
	uint64_t pass;   /* the last one in which a key of it was there */
	bool spilled;    /* it counts as part of the overflow */
};

/* An aggregation of a host. */
struct family {
	struct family *next;     /* those of one name follow each other */
	char *name;              /* of the aggregation, as Prometheus allows it; owned */
	char *host;              /* owned */
	struct agg g;            /* how states are laid out; keys are not set */
	double *bounds;          /* of distributions: the greatest value of each bucket; owned */
	struct series *series;   /* spilled ones, too */
	struct series *overflow; /* owned; NULL: nothing is spilled */
	size_t nseries, nspilled;
	bool falls;       /* sum(): it is no counter */
	size_t low, high; /* distributions: the buckets in use, which only grow */
	uint64_t pass;
};

struct all_series {
	struct hash_secret secret; /* of the hash table */
	size_t max;                /* series of a family */
	struct family *families;
	struct series **slots; /* owned */
	size_t nslots, n;
	size_t conflicts; /* aggregations left out: another one of the same host has the name */
	uint64_t pass;
};

/* max: series of a family. */
void series_init(struct all_series *a, size_t max);
/* Brings it up to date. 0 or -ENOMEM. */
int series_update(struct all_series *a, const struct model *m) __attribute__((warn_unused_result));
void series_free(struct all_series *a);
/* stddev(): the sum of the squares, of whose 128 bits a double holds 53. */
double series_squares(const struct series *s);
enum kind series_kind(const struct family *f);
/* Calls fn for each series that is shown. */
void series_each(
	const struct family *f, void (*fn)(void *ctx, const struct family *f, const struct series *s), void *ctx);
#endif
