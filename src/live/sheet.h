/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet: a table that changes while it is shown: columns, rows with an identity, and what their values were before.
 * A sheet is either a table of snapshots (each interval of a tool replaces the one before) or a log (rows are added).
 * Memory is bounded: what does not fit is counted. */
#ifndef DWIRE_LIVE_SHEET_H
#define DWIRE_LIVE_SHEET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "image/image.h"

#define SHEET_COLUMNS 64u               /* so that a set of them fits 64 bits */
#define SHEET_ROWS 10000u               /* of a log: the oldest go; of a table: those beyond are counted */
#define SHEET_BYTES ((size_t)128 << 20) /* of all rows, about */
#define SHEET_TEXT 512u                 /* bytes of a text; what is longer is cut */
#define HISTORY 60u                     /* snapshots that sparklines and heat maps remember */

struct column {
	char *name;          /* as in JSON: "rx_bytes"; owned */
	bool numeric;        /* numbers so far: aligned to the right */
	bool value;          /* of an aggregation, or another number that adds up; the others are its keys */
	bool aside;          /* neither: it belongs to the row and changes, and has no sum: a time, a queue */
	bool amount;         /* bytes, whatever its name */
	const struct agg *g; /* of a value: which one; borrowed from the reader of the stream; or NULL */
	uint64_t normal;     /* of normalize(); of a value */
	int percent;         /* of a value %@.99Q: its precision; 0: it is no quantile */
};

/* The words of an aggregation's state that are not 0 (agg/words.h). */
struct word {
	uint32_t at;
	uint64_t v;
};

struct cell {
	enum { CELL_UNKNOWN, CELL_NUMBER, CELL_TEXT } kind;
	long double number; /* a long double holds each 64-bit integer */
	char *text;         /* as traced, not escaped; owned */
	struct word *words; /* of a value whose number alone cannot be merged: avg, quantize; owned; or NULL */
	size_t nwords;
};

struct row {
	char *key;     /* what makes it the same row in the next snapshot; owned */
	uint64_t hash; /* of key */
	size_t chain;  /* index + 1 of the next row with this hash; 0: none */
	uint64_t seen; /* the snapshot that had it last */
	size_t bytes;  /* that it takes, about */
	struct cell *cells;
	float *history; /* HISTORY numbers for each column; NULL: there is none */
	size_t members; /* of a group: how many rows it stands for; else 1 */
};

struct sheet {
	bool log;
	struct hash_secret secret; /* copies have the same, so rows keep their hashes */
	struct column columns[SHEET_COLUMNS];
	size_t ncolumns;
	struct row *rows; /* of a log: the oldest first */
	size_t nrows, cap;
	size_t *buckets; /* index + 1 of a row, by hash */
	size_t nbuckets;
	uint64_t snapshot; /* number of the present one, from 1 on; 0: there was none yet */
	uint64_t added;    /* rows that a log ever had */
	uint64_t refused;  /* rows for which there was no room, of the present snapshot or of a log */
	uint64_t dropped;  /* old rows of a log that made room */
	size_t bytes;
};

struct sheet *sheet_new(bool log); /* NULL: no memory */
void sheet_free(struct sheet *s);  /* NULL is fine */
/* One more column. NULL: there are too many, or no memory. */
struct column *sheet_column(struct sheet *s, const char *name);
/* The column of a name; -1: there is none. */
int sheet_find(const struct sheet *s, const char *name);
/* Sets a cell to a text that it copies. len: bytes. */
void cell_set_text(struct cell *c, const char *text, size_t len);
/* Copies the words of a state that are not 0. */
void cell_set_words(struct cell *c, const uint64_t *words, size_t n);
void cells_free(struct cell *cells, size_t n);

/* A snapshot begins; its rows follow by sheet_put(); sheet_settle() ends it. */
void sheet_begin(struct sheet *s);
/* Takes cells, an array of ncolumns that is owned from here on. A log gets one more row. */
void sheet_put(struct sheet *s, struct cell *cells);
void sheet_settle(struct sheet *s);
/* Is it a row of what is shown now? */
static inline bool sheet_has(const struct sheet *s, const struct row *r)
{
	return s->log || r->seen == s->snapshot;
}

/* A copy of what is shown now, with the rows' histories. Those that are equal in the columns of the set by (bit i:
 * column i) become one row, their values merged; by 0: each row stays. NULL: no memory. sheet_free() frees it. */
struct sheet *sheet_by(const struct sheet *s, uint64_t by);
/* The value of column i, ago snapshots before the present one; NaN-free: 0 where the row was not seen. */
float sheet_then(const struct sheet *s, const struct row *r, size_t i, size_t ago);
#endif
