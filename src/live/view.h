/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view: which rows of a sheet are shown, and in which order.
 * A filter is words, all of which a row must have. A word is a text that one of its cells contains, whatever the case;
 * NAME=TEXT, of that column; NAME>N or NAME<N; !WORD: rows that do not. N may end in k, m, g or t: powers of 1024 of
 * amounts of bytes, of 1000 of other numbers. */
#ifndef DWIRE_LIVE_VIEW_H
#define DWIRE_LIVE_VIEW_H
#include "live/sheet.h"

#define FILTER_CHARS 256u

struct view {
	size_t sort; /* the column */
	bool up;     /* the least first */
	bool sorted; /* false: the sort column was not chosen yet */
	char filter[FILTER_CHARS];
	uint64_t by;         /* the columns that rows are grouped by */
	struct sheet *shown; /* a copy of the sheet, grouped; owned; NULL: nothing yet */
	struct row **rows;   /* of shown, in order; owned */
	size_t n;
	size_t top, at;               /* the first row on the screen, and the selected one */
	bool follow;                  /* the selection stays at the row key, wherever it moves; else at its place */
	uint64_t key;                 /* of the selected row: its hash */
	size_t left;                  /* the first column on the screen */
	size_t page;                  /* rows that fit on the screen */
	size_t widths[SHEET_COLUMNS]; /* columns of the screen that each column took so far: they do not jump */
};

/* Is a column part of the view? Of a group only its columns and values are. */
bool view_has(const struct view *v, size_t column);
/* Takes the sheet as it is now. False: no memory; the view stays as it was. */
bool view_take(struct view *v, const struct sheet *s) __attribute__((warn_unused_result));
/* Filters and sorts what was taken, anew. */
void view_sort(struct view *v);
/* Selects the row, within what there is. */
void view_select(struct view *v, long at);
const struct row *view_selected(const struct view *v); /* NULL: there is none */
/* Moves the sort column by so many columns that are shown; from a text the order is up, from a number down. */
void view_sort_move(struct view *v, int by);
void view_sort_at(struct view *v, size_t column);
void view_clear(struct view *v);
/* The columns named in a list with commas, by the beginning of their names. False: one is not there; *bad: that one. */
bool view_columns(const struct sheet *s, const char *list, uint64_t *set, const char **bad);
#endif
