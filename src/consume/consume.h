/* SPDX-License-Identifier: GPL-2.0-or-later */
/* consume: from the ring buffers to the sink.
 * The caller polls. consumer_work() merges the records of all rings by time, decodes them, passes them to the sink and
 * runs the actions on aggregations. Drops are counted by cause and passed to the sink. Lack of memory does not end a
 * trace: records that the consumer cannot hold are counted as drops. */
#ifndef DWIRE_CONSUME_CONSUME_H
#define DWIRE_CONSUME_CONSUME_H
#include <stdio.h>

#include "agg/agg.h"
#include "base/diag/report.h"
#include "consume/ring.h"
#include "options/options.h"
#include "record/sink.h"

struct consumer_env {
	const struct image *image; /* this and all pointers below: borrowed, they outlive the consumer */
	const int *map_fds;        /* by index of image.maps; NULL: none (no drops, aggregations stay empty) */
	const int *ring_fds;       /* BPF ring buffers, one a CPU; NULL: the rings are in ring_map */
	struct ring_map ring_map;
	const struct ring_memory *memory; /* instead of both: rings that no program writes; or NULL */
	int nrings;
	struct sink *sink;
	const struct reporter *report;                                     /* what setopt() refuses; may be NULL */
	struct options *options;                                           /* setopt() changes them */
	const char *(*zone_name)(void *ctx, uint32_t inum);                /* may be NULL */
	const char *(*box_name)(void *ctx, uint32_t tag, const char *key); /* record/value.h; may be NULL */
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

/* Passes on the records that are older than some milliseconds, in order of time across rings; no older one can appear
 * later. final: passes on all records that exist now, and waits up to 100 ms for those still being written. After an
 * exit action only clauses of END and ERROR count. Returns the number of records consumed, or -errno of the sink
 * (-EPIPE: the reader is gone), upon which the caller stops. */
int consumer_work(struct consumer *c, bool final) __attribute__((warn_unused_result));
/* Passes on the records up to the time ts. None of them is still being written, and none can appear later. Returns as
 * consumer_work(). */
int consumer_work_to(struct consumer *c, uint64_t ts) __attribute__((warn_unused_result));
/* With bufpolicy=fill: a buffer is full, so the trace must end. */
bool consumer_full(const struct consumer *c);
/* Passes on the records that fill and ring have kept; later records are passed on as they come. 0 or -errno of the
 * sink. */
int consumer_release(struct consumer *c) __attribute__((warn_unused_result));
/* True once an exit action was run; *status gets its value. */
bool consumer_exited(const struct consumer *c, int *status);
/* At the end: passes on the aggregations that no printa() showed. 0 or -errno of the sink. */
int consumer_aggs(struct consumer *c) __attribute__((warn_unused_result));
/* About once a second: a sink that shows aggregations as they grow gets them. 0 or -errno of the sink. */
int consumer_beat(struct consumer *c) __attribute__((warn_unused_result));
/* The very end, after the last drops were reported. 0 or -errno of the sink. */
int consumer_end(struct consumer *c) __attribute__((warn_unused_result));
/* The user interrupts the trace at a terminal: ends the line that "^C" is on, if the output is text. */
void consumer_newline(struct consumer *c);
/* How full the fullest ring is, percent: poll again soon when it is high. 100: a map of keys needs room. */
unsigned consumer_avail(const struct consumer *c);

/* Counts n missed runs of a probe's program (the kernel's recursion misses) or, with notes, of a program that takes
 * notes for the probe; they are reported with the drops. chooses: only some of these runs would have fired the probe.
 * probe is copied. */
void consumer_add_missed(struct consumer *c, const char *probe, bool notes, bool chooses, uint64_t n);
/* One firing in `rate` runs from here on: of that rate are those left out that are reported next. */
void consumer_set_rate(struct consumer *c, uint64_t rate);
/* Adds n drops that the caller has counted. */
void consumer_add_drops(struct consumer *c, enum drop_kind kind, uint64_t n);
/* Passes the drops since the last call to the sink, one for each cause, and the faults that were only counted. Returns
 * the number of drops. */
uint64_t consumer_report_drops(struct consumer *c);

/* The aggregations: tests and fuzzers fill them as no kernel would, without maps (env.map_fds is NULL). */
struct agg_set *consumer_agg_set(struct consumer *c);
#endif
