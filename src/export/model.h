/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model: what a stream says: its sessions, and the present states of their aggregations. docs/STREAM.md describes the
 * frames. Streams may come from hostile machines: whatever they send, memory is bounded, and a machine cannot change
 * what another one says. */
#ifndef DWIRE_EXPORT_MODEL_H
#define DWIRE_EXPORT_MODEL_H
#include <jansson.h>

#include "base/arena.h"
#include "image/image.h"
#include "stream/table.h"

#define TRACES_MAX 1024u         /* sessions at a time */
#define NAMED_MAX 16u            /* of them of a machine that is named before its lines */
#define METRICS_MAX 256u         /* aggregations of a session */
#define COLUMNS_MAX 32u          /* keys of an aggregation */
#define TRACE_BYTES (64u << 20)  /* states of a session */
#define CLAUSES_MAX 4096u        /* clauses of a session */
#define CAUSES_MAX 32u           /* different causes of drops of a session */
#define NAME_BYTES_MAX 256u      /* of names: hosts, aggregations, columns */
#define STALE_NS 300000000000ull /* a session that has been silent for so long is forgotten */
#define ENDED_NS 60000000000ull  /* ... and one that has ended: its last values can still be fetched */

/* A key of an aggregation. */
struct column {
	char *label; /* its name as Prometheus allows it */
	bool hidden; /* it is no label */
	struct field field;
};

/* An aggregation of a session. */
struct metric {
	int64_t number; /* of its frames */
	struct agg g;   /* how its states are laid out; in the source's arena, like the other texts */
	struct column *columns;
	size_t ncolumns;
	uint64_t seq;        /* of the last frame that counted */
	uint64_t gen;        /* generation */
	uint64_t start;      /* when it began; CLOCK_REALTIME, ns */
	struct table *state; /* NULL: nothing yet */
	struct table *next;  /* a whole state of which parts may be missing; NULL: none */
	uint64_t next_start; /* when its generation began; 0: as that of state */
	bool fell;           /* sum(): a value was negative or has fallen within a generation */
	size_t bytes;        /* that state takes, about */
};

struct cause {
	char *name;
	uint64_t n;
};

/* A session. */
struct trace {
	struct trace *next;
	struct arena *arena; /* of what it describes */
	char *session, *host, *kernel, *version, *script;
	char *origin; /* the name before its lines, which is its host's; "": none */
	uint64_t next_seq;
	uint64_t seen;  /* when its last frame was read; CLOCK_MONOTONIC, ns */
	uint64_t start; /* of the trace; CLOCK_REALTIME, ns */
	int64_t offset; /* CLOCK_REALTIME - CLOCK_MONOTONIC of its machine, ns */
	bool ended;
	int status; /* of exit(), when it has ended */
	struct metric *metrics[METRICS_MAX];
	size_t nmetrics;
	json_t *clauses; /* by number: their frames, if rows go somewhere; owned; or NULL */
	struct cause causes[CAUSES_MAX];
	size_t ncauses;
	uint64_t frames, lost, bad, rows; /* frames that were read, that never came, that made no sense; rows */
	uint64_t refused_keys;            /* for which there was no room */
	size_t bytes;                     /* of all states, about */
};

/* Which keys become labels. */
struct label_rules {
	const char *const *show, *const *hide; /* names, ended by NULL; borrowed */
};

/* What a clause recorded once. All is borrowed. */
struct model_row {
	const json_t *clause; /* the frame that describes it */
	uint64_t time;        /* CLOCK_MONOTONIC of its machine, ns */
	const json_t *items;  /* from the first on: [number of the action, values…] */
	size_t first;
};
/* Where rows go; NULL: nowhere. */
typedef void model_row_fn(void *ctx, const struct trace *s, const struct model_row *row);

struct model {
	struct trace *traces;
	size_t ntraces;
	struct label_rules rules;
	uint64_t strange; /* lines that are no frames */
	uint64_t unknown; /* frames of sessions whose hello was not seen, or that were refused, or of another's */
	uint64_t version; /* changes with each change of the data */
	model_row_fn *row;
	void *ctx;
};

/* Is it the first of the sessions of its host, in the model's order? */
bool model_is_first(const struct model *m, const struct trace *s);
/* Takes one line. */
void model_line(struct model *m, const char *line, size_t len);
/* Forgets sessions that have been silent. now: CLOCK_MONOTONIC, ns. */
void model_age(struct model *m, uint64_t now);
/* Have all sessions ended? False without any. *status: the highest status. */
bool model_ended(const struct model *m, int *status);
void model_free(struct model *m);
#endif
