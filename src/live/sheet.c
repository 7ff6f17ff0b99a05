/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet: see sheet.h.
 * Input: rows of cells. Output: rows that keep their identity, and their values over time.
 * Invariants: no more than SHEET_ROWS rows and SHEET_BYTES bytes are kept; each row that is refused is counted. */
#include "live/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agg/words.h"

#define BUCKETS 4096u

struct sheet *sheet_new(bool log)
{
	struct sheet *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->log = log;
	hash_secret_make(&s->secret);
	s->nbuckets = BUCKETS;
	s->buckets = calloc(s->nbuckets, sizeof(*s->buckets));
	if (!s->buckets) {
		free(s);
		return NULL;
	}
	return s;
}

void cells_free(struct cell *cells, size_t n)
{
	for (size_t i = 0; cells && i < n; i++) {
		free(cells[i].text);
		free(cells[i].words);
	}
	free(cells);
}

static void row_clear(const struct sheet *s, struct row *r)
{
	cells_free(r->cells, s->ncolumns);
	free(r->key);
	free(r->history);
	memset(r, 0, sizeof(*r));
}

void sheet_free(struct sheet *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nrows; i++)
		row_clear(s, &s->rows[i]);
	for (size_t i = 0; i < s->ncolumns; i++)
		free(s->columns[i].name);
	free(s->rows);
	free(s->buckets);
	free(s);
}

/* ---- columns and cells ------------------------------------------------------------------------------------------- */
struct column *sheet_column(struct sheet *s, const char *name)
{
	struct column *c = &s->columns[s->ncolumns];
	char *copy = s->ncolumns < SHEET_COLUMNS ? strdup(name) : NULL;

	if (!copy)
		return NULL;
	s->ncolumns++;
	*c = (struct column){ .name = copy, .numeric = true };
	return c;
}

int sheet_find(const struct sheet *s, const char *name)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (!strcasecmp(s->columns[i].name, name))
			return (int)i;
	return -1;
}

void cell_set_text(struct cell *c, const char *text, size_t len)
{
	c->text = strndup(text, len < SHEET_TEXT ? len : SHEET_TEXT);
	c->kind = c->text ? CELL_TEXT : CELL_UNKNOWN;
}

void cell_set_words(struct cell *c, const uint64_t *words, size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		used += words[i] != 0;
	free(c->words);
	c->nwords = 0;
	c->words = malloc((used + 1) * sizeof(*c->words));
	for (size_t i = 0; c->words && i < n; i++)
		if (words[i])
			c->words[c->nwords++] = (struct word){ (uint32_t)i, words[i] };
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */
static uint64_t hash_of(const struct sheet *s, const char *key)
{
	return hash_of_bytes(&s->secret, key, strlen(key));
}

/* The texts of the columns in the set, one after the other; of all keys if it is empty. NULL: no memory. */
static char *key_of(const struct sheet *s, const struct cell *cells, uint64_t by)
{
	char *key = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&key, &len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < s->ncolumns; i++) {
		if (by ? !(by >> i & 1) : s->columns[i].value || s->columns[i].aside)
			continue;
		if (cells[i].kind == CELL_NUMBER)
			fprintf(f, "%.17Lg", cells[i].number);
		else if (cells[i].kind == CELL_TEXT)
			fputs(cells[i].text, f);
		fputc('\x1f', f);
	}
	if (fclose(f)) {
		free(key);
		return NULL;
	}
	return key;
}

static struct row *find(const struct sheet *s, const char *key, uint64_t hash)
{
	size_t at = s->rows ? s->buckets[hash % s->nbuckets] : 0;

	while (at && (s->rows[at - 1].hash != hash || strcmp(s->rows[at - 1].key, key) != 0))
		at = s->rows[at - 1].chain;
	return at ? &s->rows[at - 1] : NULL;
}

static void link_row(struct sheet *s, size_t i)
{
	size_t *head = &s->buckets[s->rows[i].hash % s->nbuckets];

	s->rows[i].chain = *head;
	*head = i + 1;
}

static void link_all(struct sheet *s)
{
	memset(s->buckets, 0, s->nbuckets * sizeof(*s->buckets));
	for (size_t i = 0; i < s->nrows; i++)
		link_row(s, i);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
static size_t size_of(const struct sheet *s, const struct cell *cells)
{
	size_t n = sizeof(struct row) + s->ncolumns * (sizeof(*cells) + (s->log ? 0 : HISTORY * sizeof(float)));

	for (size_t i = 0; i < s->ncolumns; i++)
		n += cells[i].nwords * sizeof(struct word) + (cells[i].text ? 2 * strlen(cells[i].text) + 32 : 0);
	return n;
}

/* Removes the rows from..from+n of a log, which are its oldest if from is 0. */
static void remove_rows(struct sheet *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->bytes -= s->rows[i].bytes;
		row_clear(s, &s->rows[i]);
	}
	memmove(s->rows, s->rows + n, (s->nrows - n) * sizeof(*s->rows));
	s->nrows -= n;
	link_all(s);
}

/* A new row that owns key and cells. NULL: there is no room. */
static struct row *add(struct sheet *s, char *key, struct cell *cells)
{
	const size_t bytes = size_of(s, cells);
	struct row *r;

	if (s->log && (s->nrows == SHEET_ROWS || s->bytes + bytes > SHEET_BYTES)) {
		const size_t n = s->nrows / 10; /* several at once: each removal moves all that stay */

		s->dropped += n;
		remove_rows(s, n);
	}
	if (s->nrows == SHEET_ROWS || s->bytes + bytes > SHEET_BYTES)
		return NULL;
	if (s->nrows == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct row *rows = reallocarray(s->rows, cap, sizeof(*rows));

		if (!rows)
			return NULL;
		s->rows = rows;
		s->cap = cap;
	}
	r = &s->rows[s->nrows];
	*r = (struct row){ .key = key, .hash = hash_of(s, key), .cells = cells, .bytes = bytes, .members = 1 };
	r->history = s->log ? NULL : calloc(HISTORY * (s->ncolumns + 1), sizeof(float));
	s->bytes += bytes;
	link_row(s, s->nrows++);
	return r;
}

void sheet_begin(struct sheet *s)
{
	s->snapshot++;
	s->refused = 0;
}

/* Texts make a column one of texts. */
static void note_kinds(struct sheet *s, const struct cell *cells)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (cells[i].kind == CELL_TEXT && !s->columns[i].value)
			s->columns[i].numeric = false;
}

void sheet_put(struct sheet *s, struct cell *cells)
{
	char number[24], *key = NULL;
	struct row *r = NULL;

	note_kinds(s, cells);
	if (s->log) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)s->added++);
		key = strdup(number);
	} else {
		key = key_of(s, cells, 0);
		r = key ? find(s, key, hash_of(s, key)) : NULL;
	}
	if (r) {
		const size_t bytes = size_of(s, cells);

		cells_free(r->cells, s->ncolumns);
		free(key);
		r->cells = cells;
		s->bytes += bytes - r->bytes;
		r->bytes = bytes;
	} else if (!key || !(r = add(s, key, cells))) {
		s->refused++;
		cells_free(cells, s->ncolumns);
		free(key);
		return;
	}
	r->seen = s->snapshot;
}

static float *history_at(const struct row *r, size_t column, uint64_t snapshot)
{
	return &r->history[column * HISTORY + snapshot % HISTORY];
}

/* Rows that were not seen for a whole history go. */
static void forget(struct sheet *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nrows; i++) {
		struct row *r = &s->rows[i];

		if (s->snapshot - r->seen >= HISTORY) {
			s->bytes -= r->bytes;
			row_clear(s, r);
		} else {
			s->rows[n++] = *r;
		}
	}
	if (n != s->nrows) {
		s->nrows = n;
		link_all(s);
	}
}

void sheet_settle(struct sheet *s)
{
	for (size_t i = 0; i < s->nrows; i++) {
		struct row *r = &s->rows[i];

		for (size_t k = 0; r->history && k < s->ncolumns; k++)
			*history_at(r, k, s->snapshot) = r->seen == s->snapshot && r->cells[k].kind == CELL_NUMBER
				? (float)r->cells[k].number
				: 0;
	}
	forget(s);
}

float sheet_then(const struct sheet *s, const struct row *r, size_t i, size_t ago)
{
	if (!r->history || ago >= HISTORY || ago >= s->snapshot)
		return 0;
	return *history_at(r, i, s->snapshot - ago);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */
/* Precision of %@.99Q: digits behind the second one are behind the point, 999 is 99.9 %. */
static long double percent_of(int precision)
{
	long double percent = precision;

	while (percent > 100)
		percent /= 10;
	return percent;
}

/* Adds from's state to that of to; the number is made anew of the result. */
static void merge_words(const struct column *c, struct cell *to, const struct cell *from)
{
	uint64_t *a = calloc(c->g->nwords, sizeof(*a)), *b = calloc(c->g->nwords, sizeof(*b));
	int64_t value = 0;

	for (size_t i = 0; a && i < to->nwords; i++)
		a[to->words[i].at] = to->words[i].v;
	for (size_t i = 0; b && i < from->nwords; i++)
		b[from->words[i].at] = from->words[i].v;
	if (a && b) {
		agg_combine(c->g, a, b);
		cell_set_words(to, a, c->g->nwords);
		to->kind = CELL_NUMBER;
		if (c->percent) {
			if (!agg_quantile(c->g, a, percent_of(c->percent), &value))
				to->kind = CELL_UNKNOWN;
			to->number = value;
		} else if (agg_is_dist(c->g)) {
			to->number += from->number; /* how many values it counts */
		} else {
			to->number = agg_shown(c->g, a, c->normal);
		}
	}
	free(a);
	free(b);
}

/* min and max of what is unknown are those of the other. */
static void merge_cell(const struct column *c, struct cell *to, const struct cell *from)
{
	const enum dw_agg_fn fn = c->g ? c->g->fn : DW_AGG_SUM;

	if (from->words && to->words && c->g) {
		merge_words(c, to, from);
	} else if (from->kind != CELL_NUMBER) {
		return;
	} else if (to->kind != CELL_NUMBER) {
		to->kind = CELL_NUMBER;
		to->number = from->number;
	} else if (fn == DW_AGG_MIN || fn == DW_AGG_MAX) {
		if (fn == DW_AGG_MIN ? from->number < to->number : from->number > to->number)
			to->number = from->number;
	} else {
		to->number += from->number;
	}
}

static bool copy_cell(struct cell *to, const struct cell *from)
{
	*to = *from;
	to->text = from->text ? strdup(from->text) : NULL;
	to->words = from->words ? malloc((from->nwords + 1) * sizeof(*to->words)) : NULL;
	if (to->words)
		memcpy(to->words, from->words, from->nwords * sizeof(*to->words));
	return (!from->text || to->text) && (!from->words || to->words);
}

/* A new row for r; columns that are neither values nor of the group are unknown. */
static struct row *copy_row(const struct sheet *s, struct sheet *to, const struct row *r, char *key, uint64_t by)
{
	struct cell *cells = calloc(to->ncolumns + 1, sizeof(*cells));
	struct row *copy;
	bool ok = cells != NULL;

	for (size_t i = 0; ok && i < s->ncolumns; i++)
		if (!by || to->columns[i].value || by >> i & 1)
			ok = copy_cell(&cells[i], &r->cells[i]);
	copy = ok ? add(to, key, cells) : NULL;
	if (!copy) {
		cells_free(cells, to->ncolumns);
		free(key);
		return NULL;
	}
	if (copy->history && r->history)
		memcpy(copy->history, r->history, HISTORY * s->ncolumns * sizeof(float));
	copy->seen = r->seen;
	copy->members = r->members;
	return copy;
}

/* Counts and sums of a group were the sums of its rows before, too, and a maximum was the greatest. Of other functions
 * only the present is known: their histories are not kept. */
static void merge_history(const struct sheet *s, struct row *to, const struct row *from, size_t i)
{
	const enum dw_agg_fn fn = s->columns[i].g ? s->columns[i].g->fn : DW_AGG_SUM;
	float *a = to->history + i * HISTORY;
	const float *b = from->history + i * HISTORY;

	for (size_t k = 0; k < HISTORY; k++)
		if (fn == DW_AGG_COUNT || fn == DW_AGG_SUM)
			a[k] += b[k];
		else if (fn == DW_AGG_MAX)
			a[k] = b[k] > a[k] ? b[k] : a[k];
		else
			a[k] = 0;
}

/* Of a row that is not there now, only what was before. */
static void merge_row(const struct sheet *s, struct row *to, const struct row *from, bool now)
{
	for (size_t i = 0; i < s->ncolumns; i++) {
		const struct column *c = &s->columns[i];

		if (!c->value)
			continue;
		if (now)
			merge_cell(c, &to->cells[i], &from->cells[i]);
		if (to->history && from->history)
			merge_history(s, to, from, i);
	}
	to->members += now ? from->members : 0;
}

static void take_row(const struct sheet *s, struct sheet *to, const struct row *r, uint64_t by)
{
	char *key = by ? key_of(s, r->cells, by) : strdup(r->key);
	struct row *same = key && by ? find(to, key, hash_of(to, key)) : NULL;

	if (same) {
		merge_row(s, same, r, true);
		free(key);
	} else if (key && (same = copy_row(s, to, r, key, by))) {
		same->seen = to->snapshot;
	}
}

/* A row that is gone was part of what its group was. */
static void take_past(const struct sheet *s, const struct sheet *to, const struct row *r, uint64_t by)
{
	char *key = key_of(s, r->cells, by);
	struct row *same = key ? find(to, key, hash_of(to, key)) : NULL;

	if (same)
		merge_row(s, same, r, false);
	free(key);
}

struct sheet *sheet_by(const struct sheet *s, uint64_t by)
{
	struct sheet *to = sheet_new(s->log && !by);

	for (size_t i = 0; to && i < s->ncolumns; i++) {
		struct column *c = sheet_column(to, s->columns[i].name);
		char *name = c ? c->name : NULL;

		if (c) {
			*c = s->columns[i];
			c->name = name;
		}
	}
	if (!to || to->ncolumns != s->ncolumns) {
		sheet_free(to);
		return NULL;
	}
	if (by && sheet_column(to, "rows"))
		to->columns[s->ncolumns].value = true;
	to->secret = s->secret;
	to->snapshot = s->snapshot;
	to->refused = s->refused;
	to->dropped = s->dropped;
	for (size_t i = 0; i < s->nrows; i++)
		if (sheet_has(s, &s->rows[i]))
			take_row(s, to, &s->rows[i], by);
	for (size_t i = 0; by && i < s->nrows; i++)
		if (!sheet_has(s, &s->rows[i]))
			take_past(s, to, &s->rows[i], by);
	for (size_t i = 0; to->ncolumns > s->ncolumns && i < to->nrows; i++)
		to->rows[i].cells[s->ncolumns] =
			(struct cell){ .kind = CELL_NUMBER, .number = (long double)to->rows[i].members };
	return to;
}
