/* SPDX-License-Identifier: GPL-2.0-or-later */
/* consume: from the ring buffers to the sink.
 * The caller polls. consumer_work() merges what the rings hold by time, decodes it, hands it to the sink and runs the
 * actions on aggregations. Drops of every cause are counted and handed to the sink. Lack of memory does not end a
 * trace: what the consumer cannot hold is counted as dropped. */
#ifndef DWIRE_CONSUME_CONSUME_H
#define DWIRE_CONSUME_CONSUME_H
#include <stdio.h>

#include "agg/agg.h"
#include "base/diag/report.h"
#include "consume/ring.h"
#include "options/options.h"
#include "record/sink.h"

struct consumer_env {
	const struct image *image;        /* this and all pointers below: borrowed, they outlive the consumer */
	const int *map_fds;               /* by index of image.maps; NULL: none (no drops, aggregations stay empty) */
	const int *ring_fds;              /* ring i belongs to CPU i */
	const struct ring_memory *memory; /* instead of ring_fds: rings that are not the kernel's; or NULL */
	int nrings;
	struct sink *sink;
	const struct reporter *report;                      /* what setopt() refuses; may be NULL */
	struct options *options;                            /* setopt() changes them */
	const char *(*zone_name)(void *ctx, uint32_t inum); /* may be NULL */
	const char *(*moved)(void *ctx); /* counters of the network (namespaces/counters.h); may be NULL */
	struct symtext *names;           /* of addresses; may be NULL */
	void *ctx;
};

struct consumer;

/* Maps the rings. With -x bufpolicy=fill or ring records are kept until consumer_release(). 0, or -errno with
 * *out NULL. */
int consumer_new(const struct consumer_env *env, struct consumer **out) __attribute__((warn_unused_result));
/* NULL is fine. Does not flush the sink. */
void consumer_free(struct consumer *c);

/* Hands on the records that are older than some milliseconds, in order of time across rings: by then no older one can
 * turn up. final: all that there are when it begins; records still being written get 100 ms. After an exit action only
 * END and ERROR clauses still count. Returns the number of records consumed, or -errno of the sink (-EPIPE: the
 * reader is gone): stop then. */
int consumer_work(struct consumer *c, bool final) __attribute__((warn_unused_result));
/* Hands on the records up to the time ts: none of them is still being written, none comes later. Returns as above. */
int consumer_work_to(struct consumer *c, uint64_t ts) __attribute__((warn_unused_result));
/* fill: a buffer is full, so the trace ends. */
bool consumer_full(const struct consumer *c);
/* Hands on what fill and ring have kept; from then on records are handed on as they come. 0 or -errno of the sink. */
int consumer_release(struct consumer *c) __attribute__((warn_unused_result));
/* True once an exit action was run; *status gets its value. */
bool consumer_exited(const struct consumer *c, int *status);
/* Hands on the aggregations that no printa showed: at the end. 0 or -errno of the sink. */
int consumer_aggs(struct consumer *c) __attribute__((warn_unused_result));
/* The very end, after the last drops were reported. 0 or -errno of the sink. */
int consumer_end(struct consumer *c) __attribute__((warn_unused_result));
/* The user interrupts the trace at a terminal: ends the line that "^C" is on, if the output is text. */
void consumer_newline(struct consumer *c);
/* How full the fullest ring is, percent: poll again soon when it is high. */
unsigned consumer_avail(const struct consumer *c);

/* n more runs of a probe were missed (the kernel counts recursion misses of a program), or, with notes, of a program
 * that notes what the probe reads later: reported with the drops. chooses: not all of them had fired it. probe is
 * copied. */
void consumer_add_missed(struct consumer *c, const char *probe, bool notes, bool chooses, uint64_t n);
/* n more drops that the caller has counted. */
void consumer_add_drops(struct consumer *c, enum drop_kind kind, uint64_t n);
/* Hands to the sink what was dropped since the last call, a drop for each cause, and the faults that were only counted.
 * Returns how many drops that are. */
uint64_t consumer_report_drops(struct consumer *c);

/* The aggregations: tests and fuzzers fill them as no kernel would, without maps (env.map_fds is NULL). */
struct agg_set *consumer_agg_set(struct consumer *c);
#endif
