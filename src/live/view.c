/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view: see view.h. Input: a sheet. Output: rows in order.
 * Invariant: rows point into shown, which is the view's own: the sheet may change meanwhile. */
#include "live/view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "live/words.h"

bool view_has(const struct view *v, size_t column)
{
	return !v->by || v->by >> column & 1 || v->shown->columns[column].value;
}

/* ---- filter ------------------------------------------------------------------------------------------------------ */
static bool cell_contains(const struct cell *c, const char *text)
{
	char number[64];

	if (c->kind == CELL_TEXT)
		return strcasestr(c->text, text) != NULL;
	if (c->kind == CELL_UNKNOWN)
		return !strcmp(text, "-");
	snprintf(number, sizeof(number), "%.15Lg", c->number);
	return strstr(number, text) != NULL;
}

/* The number of "100k" in the units of a column. False: it is still being typed. */
static bool read_number(const struct column *c, const char *s, long double *n)
{
	static const char units[] = "kmgt";
	char *end;
	const char *unit;

	*n = strtold(s, &end);
	if (end == s)
		return false;
	unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	for (const char *u = units; unit && u <= unit; u++)
		*n *= word_is_amount(c) ? 1024 : 1000;
	end += unit != NULL;
	end += word_is_amount(c) && tolower((unsigned char)*end) == 'b'; /* 100kb, 512B */
	return !*end;
}

/* NAME=TEXT, NAME>N, NAME<N. -1: the word is no such thing. */
static int matches_column(const struct view *v, const struct row *r, const char *word)
{
	const char *op = strpbrk(word, "=<>");
	char name[64];
	long double n;
	int i;

	if (!op || op == word)
		return -1;
	snprintf(name, sizeof(name), "%.*s", (int)(op - word), word);
	i = sheet_find(v->shown, name);
	if (i < 0)
		return -1;
	if (*op == '=')
		return cell_contains(&r->cells[i], op + 1);
	if (!read_number(&v->shown->columns[i], op + 1, &n))
		return 1;
	return r->cells[i].kind == CELL_NUMBER && (*op == '>' ? r->cells[i].number > n : r->cells[i].number < n);
}

static bool matches_word(const struct view *v, const struct row *r, const char *word)
{
	const bool not = *word == '!';
	int is = matches_column(v, r, word + not );

	if (not &&!word[1])
		return true;
	for (size_t i = 0; is < 0 && i < v->shown->ncolumns; i++)
		if (view_has(v, i) && cell_contains(&r->cells[i], word + not ))
			is = 1;
	return (is > 0) != not ;
}

static bool matches(const struct view *v, const struct row *r)
{
	char words[FILTER_CHARS], *save = NULL;

	memcpy(words, v->filter, sizeof(words));
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		if (!matches_word(v, r, w))
			return false;
	return true;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
static int compare_cells(const struct cell *a, const struct cell *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1; /* what is unknown is the least */
	if (a->kind == CELL_NUMBER)
		return a->number < b->number ? -1 : a->number > b->number;
	return a->kind == CELL_TEXT ? strcasecmp(a->text, b->text) : 0;
}

/* Rows that are equal in the sort column keep one order, so that they do not jump. */
static int compare_rows(const void *x, const void *y, void *arg)
{
	const struct view *v = arg;
	const struct row *a = *(struct row *const *)x, *b = *(struct row *const *)y;
	int r = compare_cells(&a->cells[v->sort], &b->cells[v->sort]);

	return r ? v->up ? r : -r : strcmp(a->key, b->key);
}

/* At first the greatest of the first value comes first; a log is in the order of time. */
static void choose_sort(struct view *v)
{
	v->sorted = true;
	v->sort = 0;
	v->up = !v->shown->columns[0].numeric;
	for (size_t i = 0; i < v->shown->ncolumns; i++)
		if (v->shown->columns[i].value) {
			v->sort = i;
			v->up = false;
			return;
		}
}

/* Where the selected row is now; its place if it is gone. */
static void find_selected(struct view *v)
{
	for (size_t i = 0; v->follow && i < v->n; i++)
		if (v->rows[i]->hash == v->key) {
			v->at = i;
			return;
		}
	if (v->at >= v->n)
		v->at = v->n ? v->n - 1 : 0;
}

void view_sort(struct view *v)
{
	struct row **rows;

	if (!v->shown)
		return;
	rows = reallocarray(v->rows, v->shown->nrows + 1, sizeof(struct row *));
	v->n = 0;
	if (!rows)
		return;
	v->rows = rows;
	if (v->sort >= v->shown->ncolumns || !view_has(v, v->sort))
		v->sorted = false;
	if (!v->sorted && !v->shown->log)
		choose_sort(v);
	for (size_t i = 0; i < v->shown->nrows; i++)
		if (matches(v, &v->shown->rows[i]))
			rows[v->n++] = &v->shown->rows[i];
	if (v->sorted)
		qsort_r(rows, v->n, sizeof(struct row *), compare_rows, v);
	find_selected(v);
}

bool view_take(struct view *v, const struct sheet *s)
{
	const bool last = v->shown && v->shown->log && !v->sorted && v->at + 1 >= v->n;
	struct sheet *copy = sheet_by(s, v->by);

	if (!copy)
		return false;
	sheet_free(v->shown);
	v->shown = copy;
	view_sort(v);
	if (last) /* the end of a log is followed */
		view_select(v, (long)v->n);
	return true;
}

/* ---- selection and columns --------------------------------------------------------------------------------------- */
void view_select(struct view *v, long at)
{
	v->at = at < 0 || !v->n ? 0 : (size_t)at >= v->n ? v->n - 1 : (size_t)at;
	v->follow = v->n && v->at; /* at the top one sees the top, whatever it is */
	if (v->n)
		v->key = v->rows[v->at]->hash;
}

const struct row *view_selected(const struct view *v)
{
	return v->at < v->n ? v->rows[v->at] : NULL;
}

void view_sort_at(struct view *v, size_t column)
{
	v->sorted = true;
	v->sort = column;
	v->up = !v->shown->columns[column].numeric;
	view_sort(v);
}

void view_sort_move(struct view *v, int by)
{
	size_t i = v->sort;

	if (!v->shown)
		return;
	for (size_t k = 0; k < v->shown->ncolumns; k++) {
		i = (i + v->shown->ncolumns + (size_t)by) % v->shown->ncolumns;
		if (view_has(v, i))
			break;
	}
	view_sort_at(v, i);
}

void view_clear(struct view *v)
{
	sheet_free(v->shown);
	free(v->rows);
	*v = (struct view){ .n = 0 };
}

bool view_columns(const struct sheet *s, const char *list, uint64_t *set, const char **bad)
{
	*set = 0;
	for (const char *p = list + strspn(list, ", "); *p; p += strspn(p, ", ")) {
		const size_t n = strcspn(p, ", ");
		uint64_t found = 0;

		for (size_t i = 0; i < s->ncolumns && !found; i++)
			if (!s->columns[i].value && !strncasecmp(s->columns[i].name, p, n))
				found = 1ull << i;
		*bad = p;
		if (!found)
			return false;
		*set |= found;
		p += n;
	}
	return true;
}
