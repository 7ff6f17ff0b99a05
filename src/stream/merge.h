/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge: reads streams of many machines, and shows what a single machine would show if it had seen everything:
 * aggregations are merged, then sorted, cut and laid out; rows are passed through. docs/STREAM.md says how.
 * A hostile machine can show false data under the name that it gives itself, or that the text before its lines gives it
 * (docs/STREAM.md, "Trust"). It cannot make other machines' data wrong, except in sums that it is part of. */
#ifndef DWIRE_STREAM_MERGE_H
#define DWIRE_STREAM_MERGE_H
#include <stdbool.h>
#include <stdio.h>

#include "base/diag/report.h"
#include "options/options.h"
#include "record/sink.h"
#include "stream/census.h"

struct image;
struct merge;

struct merge_to {
	FILE *out;         /* borrowed, as all pointers here but sink */
	struct sink *sink; /* where the result goes in place of out; merge_free() frees it; or NULL */
	/* NULL, or makes the sink of another one, which shows text and belongs to it from then on: it sees the values
	 * about once a second. It may be the same. NULL from it: no memory. */
	struct sink *(*wrap)(void *ctx, struct sink *text, const struct image *image, const struct options *options);
	void *wrap_ctx;
	const struct reporter *report; /* machines that are late, lost frames, their drops */
	const int *stop;               /* an eventfd: readable when the merge is to end; print/patience.h */
	const struct options *capture; /* packets go to the file that they say, which is pcapng; NULL: none do */
	bool by_host;                  /* the machine's name is the first key of aggregations, and part of each row */
	bool emit;                     /* the result is a stream, too */
	bool alone;                    /* exactly one session comes: nothing waits for another */
	bool all;                      /* nothing is shown before all machines that are expected have begun */
};

/* NULL: no memory. */
struct merge *merge_new(const struct merge_to *to);
void merge_free(struct merge *m); /* NULL is fine */
/* One more input: lines of one or more streams. name: in messages. m closes fd. 0 or -ENOMEM. */
int merge_add(struct merge *m, const char *name, int fd) __attribute__((warn_unused_result));
/* Expects a machine whose lines have this name before them. Steps wait for it for ten seconds; the end reports it if it
 * never came. */
void merge_expect(struct merge *m, const char *host);
/* The program of an expected machine has ended; nobody waits for it. Returns whether its trace had begun. */
bool merge_leave(struct merge *m, const char *host);
/* Which machines report; names are valid until the next call of merge_poll(). False: it is one trace of one machine. */
bool merge_census(const struct merge *m, struct census *c);
/* The time of what is shown: ns since the sources' traces began. *wall: the same in ns since 1970, by the clock of the
 * first source; 0: no source has begun. */
uint64_t merge_time(const struct merge *m, uint64_t *wall);
/* Waits for at most timeout_ms (-1: for ever), reads, and shows what is complete. 1: go on; 0: all inputs have ended or
 * the end was asked for; or -errno of the output (-EPIPE: the reader is gone). */
int merge_poll(struct merge *m, int timeout_ms) __attribute__((warn_unused_result));
/* Shows the rest, and reports machines that did not end well. 0 or -errno of the output. *status: the highest
 * exit status of the traces; 1 if a trace did not end, or frames were lost. */
int merge_end(struct merge *m, int *status) __attribute__((warn_unused_result));
#endif
