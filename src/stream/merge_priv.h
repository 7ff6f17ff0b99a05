/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_priv: what the files of the reader share. Each uses those before it in this list: schema.c (clauses and
 * aggregations), sum.c (states of all machines become one set), peer.c (frames of a session), show.c (rows and
 * steps on their way out), muster.c (which machines report), merge.c (inputs). */
#ifndef DWIRE_STREAM_MERGE_PRIV_H
#define DWIRE_STREAM_MERGE_PRIV_H
#include <jansson.h>

#include "agg/agg.h"
#include "base/lines.h"
#include "base/strmap.h"
#include "options/options.h"
#include "record/sink.h"
#include "stream/frame.h"
#include "stream/hosts.h"
#include "stream/merge.h"
#include "stream/table.h"

#define SILENT_NS (2 * STREAM_BEAT_NS) /* a source that misses two beats is not waited for */
#define WAIT_NS (10 * STREAM_BEAT_NS)  /* so long a step that was read waits at most for a source that is not a file */
#define PEER_BYTES ((size_t)256 << 20) /* what is kept of a source: states, rows, descriptions */
#define COMPLAINTS_MAX 1000u           /* reports about single sessions of an input that are shown */
#define JSON_BYTES 16u                 /* a byte of a frame takes at most so many in memory, about */

/* A state of an aggregation of a source as it was at some moment. */
struct snap {
	uint32_t agg; /* index in image.aggs */
	uint64_t gen, normal;
	struct table *state; /* held; NULL: nothing */
	uint32_t action;     /* the number of the one that shows it or takes it back */
};

/* A row that was read and not yet shown. */
struct row {
	struct row *next;
	uint32_t clause; /* index in image.epids */
	bool is_step;
	uint64_t step;        /* the step-th row of its clause */
	uint64_t time, since; /* of the record; ns since the source's start */
	unsigned cpu;
	json_t *options; /* a frame: options that change before the row; owned; or NULL */
	uint64_t read;   /* when it was read; CLOCK_MONOTONIC, ns */
	uint64_t action; /* the number that its next item has at least: each action acts once */
	size_t *used;    /* where its bytes are counted; borrowed */
	size_t bytes;
	json_t *out;        /* array of items; owned */
	struct snap *snaps; /* of its printa(), trunc() and clear(), in their order */
	size_t nsnaps;
};

/* What the numbers of a source's clauses, or of its aggregations, are in the image. */
struct links {
	uint32_t *to; /* by the source's number: index in the image + 1; 0: not described */
	size_t n;
	bool *taken; /* by index in the image: a number stands for it */
	size_t ntaken;
};

/* The index in the image that a number in a frame stands for; -1: none. */
static inline int64_t links_get(const struct links *l, const json_t *number)
{
	json_int_t n = json_integer_value(number);

	return json_is_integer(number) && n >= 0 && (uint64_t)n < l->n ? (int64_t)l->to[n] - 1 : -1;
}

/* What a source has of an aggregation. */
struct peer_agg {
	uint64_t gen, normal;
	struct table *state; /* as last reported; NULL: nothing */
	struct table *base;  /* what trunc() has cut away; NULL: nothing */
	uint64_t base_gen;   /* the generation that it is of */
	bool base_cleared;   /* clear() has ended that: it is of those that follow */
	uint64_t shown;      /* the generation that a step has shown last, + 1; 0: none */
	uint64_t round;      /* ... and the aggregation's round then */
};

/* A frame that came before its turn. */
struct held {
	uint64_t seq;
	json_t *frame;
	size_t bytes; /* of its line */
};

/* Where streams come from. */
struct input {
	struct input *next;
	char *name; /* owned */
	int fd;     /* -1: over */
	bool file;  /* what it holds was written before: nobody has to be waited for */
	struct lines lines;
	uint64_t strange;  /* lines that are no frames, or those of another input's session */
	uint64_t too_long; /* lines beyond what is read of one */
	uint64_t crowded;  /* frames of sessions beyond those that are kept */
	size_t sessions;
	size_t complaints; /* reports about single sessions; the others are a number */
	bool more;         /* lines that were read wait: its source was a beat ahead */
	bool idle;         /* there was nothing to read when it was last looked at */
};

/* One session of one machine. */
struct peer {
	struct peer *next;
	char *session, *host;  /* owned; the host is fit for a terminal */
	char *origin;          /* what stands before its lines: it names the host if it is not empty; owned */
	struct host *expected; /* what it is expected as, or NULL */
	struct input *input;   /* the one that it belongs to */
	bool greeted, refused; /* by its hello */
	bool ended;            /* it has sent its end, or its input is over */
	bool complete;         /* it has sent its end */
	bool begun;            /* it has sent more than descriptions: its trace runs */
	bool silent;           /* for SILENT_NS */
	uint64_t show;         /* the number of the last row of it that was shown */
	int status;
	uint64_t seen;      /* when its last frame was read; CLOCK_MONOTONIC, ns */
	uint64_t ahead;     /* its wall clock less its monotonic one at its start, ns; wraps */
	uint64_t start;     /* its own monotonic clock at its start */
	uint64_t met;       /* ... and ours when that was read */
	uint64_t now;       /* ns since its start, by its last row or beat */
	uint64_t seq;       /* of the frame that comes next */
	uint64_t lost, bad; /* frames */
	size_t bytes;       /* that are kept of it, about */
	uint64_t over;      /* keys and frames for which there was no room */
	unsigned changes;   /* of options */
	unsigned losses;    /* frames about lost data that were reported */
	struct held *held;
	size_t nheld, held_cap, held_bytes;
	struct links clause_links, agg_links;
	struct peer_agg *aggs; /* by index in image.aggs */
	size_t naggs;
	json_t *options;           /* a frame that the next row takes; owned; or NULL */
	json_t *told;              /* a frame: the machines that it is a merge of; owned; or NULL */
	struct row *open;          /* a row of which more frames come */
	struct row *first, **last; /* rows to show */
	size_t nrows;
	uint32_t *rest; /* what the end shows: indices in image.aggs */
	size_t nrest;
};

/* NULL or without a state: the source has reported nothing of it. */
static inline struct peer_agg *peer_agg(const struct peer *s, uint32_t agg)
{
	return agg < s->naggs ? &s->aggs[agg] : NULL;
}

/* Which of a source's keys are those of the aggregation; what becomes equal is added up. */
struct taking {
	struct field *types; /* of the source's keys; NULL: all are taken, in their order */
	size_t n;
	uint32_t *keys; /* numbers of the source's, by that of the aggregation's */
};

struct merge {
	struct merge_to to;
	struct arena *arena;   /* of the image */
	struct arena *scratch; /* arena_take(); owned */
	struct options opts;   /* of the first source */
	struct image image;
	uint64_t ahead;         /* of packets: our wall clock less CLOCK_MONOTONIC at the start, ns; wraps */
	uint64_t now;           /* of what is shown: ns since the sources' start */
	uint64_t nbeats;        /* that were read, of all sources */
	uint64_t nshows;        /* rows that were shown */
	bool watched;           /* to.wrap has made the sink: it gets beats */
	uint64_t beat;          /* when its last beat was written */
	struct strmap *by_name; /* session and the name before its lines -> source */
	struct strmap *schemas; /* description -> index + 1 of a clause or aggregation */
	bool *printed;          /* by index in image.aggs: a printa() has shown it */
	uint64_t *rounds;       /* by index in image.aggs: how often most sources have taken it back between steps */
	struct taking *takes;   /* by index in image.aggs */
	struct symtext *names;
	struct sink *sink;  /* from the first hello on */
	char *hash;         /* of the script */
	FILE *out;          /* where the sink writes */
	const char *prefix; /* by host: of the lines that are being written; NULL: none */
	bool at_line;       /* the next byte begins a line */
	struct peer *sources, **last;
	size_t nsources;
	struct hosts hosts; /* that are expected */
	struct input *inputs;
	uint64_t reading; /* since when there was always more to read; CLOCK_MONOTONIC, ns; 0: there is not */
	bool moved;       /* a machine has come, gone or become silent since the last census */
	bool missed;      /* machines that never came were reported */
	size_t lost;      /* machines that were silent or ended early in the last census */
	bool failed;      /* memory was short */
};

/* ---- schema.c ---------------------------------------------------------------------------------------------------- */
/* A clause or aggregation that a source describes: finds it among those of the others, or adds it. False: it is not
 * valid. */
bool schema_clause(struct merge *m, struct peer *s, const json_t *frame) __attribute__((warn_unused_result));
bool schema_agg(struct merge *m, struct peer *s, const json_t *frame) __attribute__((warn_unused_result));

/* ---- sum.c ------------------------------------------------------------------------------------------------------- */
/* One source's part of an aggregation. */
struct part {
	struct peer *source;
	const struct snap *snap;
};
/* Adds up the parts of each aggregation into a new set. NULL: no memory. agg_free() frees it; arena has
 * its keys. */
struct agg_set *sum_set(struct merge *m, struct arena *arena, const struct part *parts, size_t n);
/* Do rows by host say that a source does not report? Then its last values stay, whatever others do. */
bool sum_is_marked(const struct merge *m, const struct peer *s);
/* trunc(@, n): the removed keys are subtracted from all sources from now on. */
void sum_cut(struct merge *m, struct agg_set *set, uint32_t agg, int64_t n, const struct part *parts, size_t nparts);
/* clear(): the keys that trunc() has cut and that did not change since stay away; all others are 0 from now on.
 * snap: the last state before it. */
void sum_clear(struct merge *m, struct peer *s, const struct snap *snap);

/* ---- show.c ------------------------------------------------------------------------------------------------------ */
/* Hands on rows that are complete. all: nothing more comes. */
void show_rows(struct merge *m, bool all);
/* To a stream that is written: the present states, and that this merge is alive. To a watcher: the states. */
void show_beat(struct merge *m);
/* How far the merge has come, ns since its sources' start: as far as the source that is furthest behind; of sources
 * that have all ended as far as any. */
uint64_t show_progress(const struct merge *m);
/* What no printa() has shown, at the end. */
void show_rest(struct merge *m);

/* ---- muster.c --------------------------------------------------------------------------------------------------- */
/* Reports the machines if some have become silent, ended early or come back; passes them on to a stream. */
void muster_tell(struct merge *m);

/* ---- peer.c ---------------------------------------------------------------------------------------------------- */
enum taken {
	TAKEN,
	TAKEN_STRANGE, /* it is no frame, or its session belongs to another input */
	TAKEN_CROWDED, /* there are sessions enough */
};
/* A frame of an input, a line of so many bytes, and the text before it: finds its source, or makes one. */
enum taken peer_take(struct merge *m, struct input *in, json_t *frame, size_t bytes, const char *origin)
	__attribute__((warn_unused_result));
/* May a report about a single session be shown? So many of an input may. */
bool peer_may_complain(struct peer *s) __attribute__((warn_unused_result));
/* Sets the options of a frame: how text is laid out. */
void peer_options(struct merge *m, const json_t *frame);
/* Handles frames that were held back for missing ones, which are given up. */
void peer_give_up(struct merge *m, struct peer *s);
void peer_free(struct peer *s);
void row_free(struct row *r);
#endif
