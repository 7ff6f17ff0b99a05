/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink: the one way out of a trace. Whatever a trace yields passes through a sink, as data: records and what their
 * actions say, aggregations, faults, drops, the end. src/print makes text, rows and documents of it.
 *
 * Order of calls: for each record begin, then item, printa or control for each of its actions that ran, then end.
 * Records come in order of time. rest, cost and finish come once, at the end. fault and drop come between records.
 * All pointers passed are borrowed and valid only during the call. */
#ifndef DWIRE_RECORD_SINK_H
#define DWIRE_RECORD_SINK_H
#include "record/cost.h"
#include "record/drop.h"
#include "record/value.h"

struct agg_set;
struct sink;

/* A firing of a clause that recorded something. */
struct record {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	unsigned cpu;
	const struct image_probe *probe;
	const struct epid *epid; /* the clause on the probe */
	const struct epid *next; /* of the CPU's next record, if that is known and -F wants it; else NULL */
};

/* Aggregations to show. agg_table() (agg/agg.h) gives their rows, joined and sorted as the options say; agg_done()
 * returns whether one was shown before. */
struct printa {
	struct agg_set *set;
	const struct fmt *fmt; /* NULL: the default layout */
	const uint32_t *ids;   /* indices in image.aggs */
	size_t n;
	const struct action *action; /* NULL: those of the end */
};

/* A clause that was given up. The first fault of a kind is handed on at once; those that follow are counted. */
struct fault {
	const struct dw_err *err; /* of the first */
	const struct image_probe *probe;
	uint64_t more; /* 0: the first; else so many more of its kind, with any address */
};

struct sink_ops {
	void (*begin)(struct sink *s, const struct record *r);
	/* ACT_TRACE, ACT_TRACEMEM, ACT_PRINT, ACT_PRINTF. values: a->nargs of them; those of a printf include the
	 * widths of "*". tracemem's memory has been cut to the size it is to show. */
	void (*item)(struct sink *s, const struct record *r, const struct action *a, const struct value *values);
	/* An ACT_PCAP before it is decoded: a record of len bytes, each of which lies in the ring. True: that was all;
	 * false: item follows. NULL: no interest. */
	bool (*packet)(struct sink *s, const struct record *r, const struct action *a, const uint8_t *rec, size_t len);
	/* The same for an ACT_PRINTF with a format. */
	bool (*line)(struct sink *s, const struct action *a, const uint8_t *rec, size_t len);
	void (*printa)(struct sink *s, const struct record *r, const struct printa *p);
	/* An ACT_CLEAR or ACT_TRUNC (of n) is about to be done. True: the sink does it itself. NULL: no interest. */
	bool (*reset)(struct sink *s, const struct record *r, const struct action *a, struct agg_set *set, int64_t n);
	void (*end)(struct sink *s, const struct record *r);
	/* The aggregations of the image, each by itself; those that are done are not to be shown again. NULL: not
	 * wanted. */
	void (*rest)(struct sink *s, const struct printa *p);
	/* About once a second, with the aggregations as they are now; a set that is NULL: they are between two states.
	 * NULL: not wanted. */
	void (*beat)(struct sink *s, struct agg_set *set);
	/* Of a merge, whose states are sums of other streams, before states of the aggregation: how often its values
	 * were taken back so far. NULL: no interest. */
	void (*generation)(struct sink *s, uint32_t agg, uint64_t generation);
	void (*fault)(struct sink *s, const struct fault *f);
	void (*drop)(struct sink *s, const struct drop *d);
	/* -x cost: once, before finish. NULL: not wanted. */
	void (*cost)(struct sink *s, const struct cost *c);
	/* ACT_SYSTEM, ACT_FREOPEN, ACT_FTRUNCATE: what the script does with its standard output; a command sees what
	 * was written before it. NULL: this sink is no standard output. */
	void (*control)(struct sink *s, const struct action *a, const struct value *values);
	/* ACT_SNAPSHOT. NULL: no interest. */
	void (*snapshot)(struct sink *s, const struct record *r);
	/* Something else is about to write to the terminal: end the line. NULL: nothing to do. */
	void (*newline)(struct sink *s);
	/* Hands on what was buffered. A failure goes to sink.err. */
	void (*flush)(struct sink *s);
	/* Nothing follows. status: of exit(), or 0. NULL: nothing to do. */
	void (*finish)(struct sink *s, int status);
	void (*free)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
	int err; /* -errno of the first failed write (-EPIPE: the reader is gone); the trace ends */
};

/* NULL is fine. */
static inline void sink_free(struct sink *s)
{
	if (s)
		s->ops->free(s);
}

/* 0, or the first error of the sink. */
static inline int sink_flush(struct sink *s)
{
	s->ops->flush(s);
	return s->err;
}
#endif
