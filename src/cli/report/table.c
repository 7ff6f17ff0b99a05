/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: see table.h. Input: rows of aggregations. Output: HTML.
 * Invariant: rows that are not kept, or not shown, are counted and reported below the table. */
#include "cli/report/table.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A key, and a value of each column. */
struct table_row {
	char *keys[TABLE_KEYS]; /* owned */
	size_t lens[TABLE_KEYS];
	bool numbers[TABLE_KEYS];
	int64_t values[TABLE_COLUMNS];
	bool known[TABLE_COLUMNS]; /* the aggregation has the key */
};

/* ---- rows -------------------------------------------------------------------------------------------------------- */
static int compare_keys(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;

	for (size_t i = 0; i < TABLE_KEYS; i++) {
		size_t n = x->lens[i] < y->lens[i] ? x->lens[i] : y->lens[i];
		int r = n ? memcmp(x->keys[i], y->keys[i], n) : 0;

		if (r || x->lens[i] != y->lens[i])
			return r ? r : x->lens[i] < y->lens[i] ? -1 : 1;
	}
	return 0;
}

static void row_free(void *row)
{
	struct table_row *r = row;

	for (size_t i = 0; i < TABLE_KEYS; i++)
		free(r->keys[i]);
	free(r);
}

/* A key as text; NULL: no memory. */
static char *key_text(const struct dwire_value *v)
{
	char number[24];

	if (v->type != DWIRE_INT)
		return strndup(v->text ? v->text : "", v->len);
	snprintf(number, sizeof(number), v->is_signed ? "%" PRId64 : "%" PRIu64, v->number);
	return strdup(number);
}

/* NULL: no memory. */
static struct table_row *row_new(const struct dwire_row *r)
{
	struct table_row *row = calloc(1, sizeof(*row));

	for (size_t i = 0; row && i < r->nkeys && i < TABLE_KEYS; i++) {
		row->keys[i] = key_text(&r->keys[i]);
		if (!row->keys[i]) {
			row_free(row);
			return NULL;
		}
		row->lens[i] = strlen(row->keys[i]);
		row->numbers[i] = r->keys[i].type == DWIRE_INT;
	}
	return row;
}

/* The row of these keys, made if it is new. NULL: there is no room. */
static struct table_row *find_row(struct table *t, const struct dwire_row *r)
{
	struct table_row *row = row_new(r), **at = NULL;

	if (row)
		at = t->nrows < TABLE_ROWS_MAX ? tsearch(row, &t->rows, compare_keys)
					       : tfind(row, &t->rows, compare_keys);
	if (row && at && *at == row) {
		t->nrows++;
		return row;
	}
	t->failed |= !row || (!at && t->nrows < TABLE_ROWS_MAX);
	t->refused += !at;
	if (row)
		row_free(row);
	return at ? *at : NULL;
}

bool table_take(struct table *t, const struct dwire_row *r)
{
	struct table_row *row;

	for (size_t i = 0; i < TABLE_COLUMNS && t->spec->columns[i].aggregation; i++) {
		if (strcmp(t->spec->columns[i].aggregation, r->aggregation) != 0)
			continue;
		row = find_row(t, r);
		if (row) {
			row->values[i] = r->value;
			row->known[i] = true;
		}
		return true;
	}
	return false;
}

void table_free(struct table *t)
{
	if (t->rows)
		tdestroy(t->rows, row_free);
	t->rows = NULL;
}

/* ---- HTML -------------------------------------------------------------------------------------------------------- */
struct sorting {
	const struct table_row **rows;
	size_t n;
};

static void collect(const void *node, VISIT which, void *ctx)
{
	struct sorting *s = ctx;

	if (which == postorder || which == leaf)
		s->rows[s->n++] = *(const struct table_row *const *)node;
}

/* By the sum of the first two columns would mix units: by the first, then by the next ones. */
static int compare_values(const void *a, const void *b)
{
	const struct table_row *x = *(const struct table_row *const *)a, *y = *(const struct table_row *const *)b;

	for (size_t i = 0; i < TABLE_COLUMNS; i++)
		if (x->values[i] != y->values[i])
			return x->values[i] > y->values[i] ? -1 : 1;
	return compare_keys(x, y);
}

/* A column of numbers has its title above them: at the right. row: any of the table. */
static void put_head(FILE *out, const struct table_spec *spec, const struct table_row *row)
{
	fputs("<thead><tr>", out);
	for (size_t i = 0; spec->keys[i]; i++)
		fprintf(out, "<th scope=\"col\"%s>%s</th>", row->numbers[i] ? " class=\"n\"" : "", spec->keys[i]);
	for (size_t i = 0; spec->columns[i].aggregation; i++)
		fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>", spec->columns[i].title);
	fputs("</tr></thead>\n", out);
}

/* An empty name is no cell that was forgotten: it is shown as a dash. So is process -1, which is none. */
static void put_key(FILE *out, const struct table_row *r, size_t i)
{
	fputs(r->numbers[i] ? "<td class=\"n\">" : "<td>", out);
	if (!r->lens[i] || (r->numbers[i] && !strcmp(r->keys[i], "-1")))
		fputs("<span class=\"dim\">\xe2\x80\x93</span>", out);
	else
		markup_text(out, r->keys[i], r->lens[i]);
	fputs("</td>", out);
}

/* A key that no event counted is 0 in a count, and unknown where the value is a time. */
static void put_value(FILE *out, const struct table_row *r, size_t i, enum unit unit)
{
	char buf[UNIT_TEXT];

	if (r->known[i] || unit == UNIT_NONE || unit == UNIT_BYTES)
		fprintf(out, "<td class=\"n\" data-v=\"%" PRId64 "\">%s</td>", r->values[i],
			unit_text(buf, sizeof(buf), r->values[i], unit));
	else
		fputs("<td class=\"n\" data-v=\"-1\"><span class=\"dim\">\xe2\x80\x93</span></td>", out);
}

static void put_rows(FILE *out, const struct table *t, const struct sorting *s)
{
	for (size_t i = 0; i < s->n && i < TABLE_ROWS_SHOWN; i++) {
		fputs("<tr>", out);
		for (size_t k = 0; t->spec->keys[k]; k++)
			put_key(out, s->rows[i], k);
		for (size_t k = 0; t->spec->columns[k].aggregation; k++)
			put_value(out, s->rows[i], k, t->spec->columns[k].unit);
		fputs("</tr>\n", out);
	}
}

/* What the table does not show, by its first column. */
static void put_rest(FILE *out, const struct table *t, const struct sorting *s)
{
	const struct table_column *first = &t->spec->columns[0];
	char count[UNIT_TEXT], value[UNIT_TEXT];
	int64_t rest = 0;

	for (size_t i = TABLE_ROWS_SHOWN; i < s->n; i++)
		rest += s->rows[i]->values[0];
	if (s->n > TABLE_ROWS_SHOWN)
		fprintf(out,
			"<p class=\"note\">\xe2\x80\xa6 %s more rows, with less each; %s: %s in all of them.</p>\n",
			unit_text(count, sizeof(count), (int64_t)(s->n - TABLE_ROWS_SHOWN), UNIT_NONE), first->title,
			unit_text(value, sizeof(value), rest, first->unit));
	if (t->refused)
		fprintf(out, "<p class=\"note\">There was no room for %s more values.</p>\n",
			unit_text(count, sizeof(count), (int64_t)t->refused, UNIT_NONE));
	if (t->failed)
		fputs("<p class=\"note\">Memory was short: rows are missing.</p>\n", out);
}

void table_html(FILE *out, const struct table *t)
{
	struct sorting s = { .rows = calloc(t->nrows + 1, sizeof(struct table_row *)) };

	fprintf(out, "<h3>%s</h3>\n", t->spec->title);
	if (!s.rows)
		fputs("<p class=\"note\">Memory was short: the table is missing.</p>\n", out);
	else if (!t->nrows)
		fputs("<p class=\"none\">None.</p>\n", out);
	else {
		twalk_r(t->rows, collect, &s);
		qsort(s.rows, s.n, sizeof(s.rows[0]), compare_values);
		fputs("<div class=\"scroll\"><table class=\"sort\">", out);
		put_head(out, t->spec, s.rows[0]);
		fputs("<tbody>\n", out);
		put_rows(out, t, &s);
		fputs("</tbody></table></div>\n", out);
	}
	if (s.rows)
		put_rest(out, t, &s);
	free(s.rows);
}
