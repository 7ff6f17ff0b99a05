/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw: see draw.h. Input: the ui with the watch on top. Output: calls of paint.
 * The least terminal that is of use has 10 lines of 40 columns: one line above and one below the table are always
 * there, the line of sums only where it leaves room. */
#include "live/terminal/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/heat.h"
#include "live/open.h"
#include "live/terminal/paint.h"
#include "live/terminal/ui.h"

#define SUMS_LINES 12 /* a terminal with fewer lines has no line of sums */
#define SPARK_LEAST 8
#define SPARK_MOST 30
#define SUM_VALUE 9 /* columns of a sum, of its bars, and of the space before the next */
#define SUM_SPARK 18
#define SUM_SPACE 3
#define COLUMN_MOST 45 /* columns of a text; an IPv6 address has 39 */

/* ---- sparklines -------------------------------------------------------------------------------------------------- */
/* The newest n values at the right; as shares of the greatest of them. */
static void draw_spark(int y, int x, int width, const float *now_first, int n)
{
	float most = 0;

	for (int i = 0; i < n && i < width; i++)
		most = now_first[i] > most ? now_first[i] : most;
	for (int i = 0; i < width; i++) {
		const int ago = width - 1 - i;

		paint_char(y, x + i, word_bar(ago < n && most > 0 ? (double)(now_first[ago] / most) : 0));
	}
}

static int known(const struct sheet *s)
{
	return s->snapshot < HISTORY ? (int)s->snapshot : (int)HISTORY;
}

static void draw_row_spark(const struct sheet *s, const struct row *r, size_t column, int y, int x, int width)
{
	float values[HISTORY];
	const int n = known(s);

	for (int i = 0; i < n; i++)
		values[i] = sheet_then(s, r, column, (size_t)i);
	draw_spark(y, x, width, values, n);
}

/* Only what can be added up is. */
static bool adds_up(const struct column *c)
{
	return c->value && (!c->g || c->g->fn == DW_AGG_COUNT || c->g->fn == DW_AGG_SUM);
}

/* "RX_BYTES 1.2M ▁▂▅": the sums of all rows, also of those that the filter hides. s: with rows that are gone. */
static void draw_sums(const struct sheet *s, int y, int columns)
{
	int x = 1;

	for (size_t i = 0; i < s->ncolumns && x < columns; i++) {
		float values[HISTORY] = { 0 };
		struct cell sum = { .kind = CELL_NUMBER };
		struct word_text w;

		if (!adds_up(&s->columns[i]))
			continue;
		for (size_t k = 0; k < s->nrows; k++) {
			const struct row *r = &s->rows[k];

			sum.number += sheet_has(s, r) && r->cells[i].kind == CELL_NUMBER ? r->cells[i].number : 0;
			for (int t = 0; t < known(s); t++)
				values[t] += sheet_then(s, r, i, (size_t)t);
		}
		word_of_title(&w, s->columns[i].name);
		if (x + (int)w.width + 1 + SUM_VALUE + 1 + SUM_SPARK > columns)
			return;
		paint_as(LOOK_TITLE);
		paint_word(y, x, &w, (int)w.width, false);
		x += (int)w.width + 1;
		word_of_cell(&w, &s->columns[i], &sum);
		paint_as(LOOK_PLAIN);
		paint_word(y, x, &w, SUM_VALUE, true);
		paint_as(LOOK_SPARK);
		draw_spark(y, x + SUM_VALUE + 1, SUM_SPARK, values, known(s));
		x += SUM_VALUE + 1 + SUM_SPARK + SUM_SPACE;
	}
}

/* ---- the table --------------------------------------------------------------------------------------------------- */
/* The last values of a machine that does not report stay; its name says how it is. */
static void cell_word(const struct watch *watch, struct word_text *w, const struct column *c, const struct cell *cell)
{
	char text[SHEET_TEXT + 32];
	const enum host_state state = watch->is_fleet && cell->kind == CELL_TEXT && !strcmp(c->name, "host")
		? census_of(&watch->census, cell->text)
		: HOST_REPORTS;

	if (state == HOST_REPORTS) {
		word_of_cell(w, c, cell);
		return;
	}
	snprintf(text, sizeof(text), "%s (%s)", cell->text, census_word(state));
	word_of_text(w, text, strlen(text));
}

/* Columns grow with what they show, and do not shrink: they would jump. */
static void measure(const struct watch *watch, struct view *v, size_t from, size_t n)
{
	for (size_t i = 0; i < v->shown->ncolumns; i++) {
		const struct column *c = &v->shown->columns[i];
		struct word_text w;

		word_of_title(&w, c->name);
		v->widths[i] = w.width > v->widths[i] ? w.width : v->widths[i];
		for (size_t k = from; k < from + n && k < v->n; k++) {
			cell_word(watch, &w, c, &v->rows[k]->cells[i]);
			w.width = w.width > COLUMN_MOST && i + 1 < v->shown->ncolumns ? COLUMN_MOST : w.width;
			v->widths[i] = w.width > v->widths[i] ? w.width : v->widths[i];
		}
	}
}

/* Scrolls to the side as little as needed so that the sort column is seen whole. */
static void show_sort(struct view *v, int columns)
{
	size_t x = 0;

	v->left = 0;
	for (size_t i = 0; v->sorted && i <= v->sort; i++)
		x += view_has(v, i) ? v->widths[i] + 1 : 0;
	for (; v->left < v->sort && x > (size_t)columns + 1; v->left++)
		x -= view_has(v, v->left) ? v->widths[v->left] + 1 : 0;
}

/* The column whose history is shown beside the rows: the one that sorts, else the first value; -1: none. */
static int spark_column(const struct view *v)
{
	const struct sheet *s = v->shown;

	if (s->log)
		return -1;
	if (v->sorted && s->columns[v->sort].value && (!v->by || adds_up(&s->columns[v->sort])))
		return (int)v->sort;
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].value && (!v->by || adds_up(&s->columns[i])))
			return (int)i;
	return -1;
}

static enum look look_of(const struct view *v, size_t column, bool title, bool selected)
{
	if (title)
		return v->sorted && column == v->sort ? LOOK_SORT : LOOK_TITLE;
	return selected ? LOOK_SELECTED : LOOK_PLAIN;
}

/* One line of the table, r NULL: its titles. */
static void draw_line(const struct watch *watch, const struct view *v, const struct row *r, int y, int columns)
{
	const bool selected = r && r == view_selected(v);
	const int spark = spark_column(v);
	int x = 0;

	paint_as(selected ? LOOK_SELECTED : LOOK_PLAIN);
	paint_blank(y);
	for (size_t i = v->left; i < v->shown->ncolumns && x < columns; i++) {
		const struct column *c = &v->shown->columns[i];
		const int width = x + (int)v->widths[i] > columns ? columns - x : (int)v->widths[i];
		struct word_text w;

		if (!view_has(v, i))
			continue;
		if (width < (int)v->widths[i] && c->numeric)
			break; /* half of a number is another number */
		if (r)
			cell_word(watch, &w, c, &r->cells[i]);
		else
			word_of_title(&w, c->name);
		paint_as(look_of(v, i, !r, selected));
		paint_word(y, x, &w, width, c->numeric);
		x += width + 1;
	}
	if (spark < 0 || columns - x < SPARK_LEAST + 1)
		return;
	x++;
	if (r) {
		const int width = columns - x > SPARK_MOST ? SPARK_MOST : columns - x;

		paint_as(selected ? LOOK_SELECTED : LOOK_SPARK);
		draw_row_spark(v->shown, r, (size_t)spark, y, x, width);
	}
}

static void draw_table(struct watch *w, int y, int lines, int columns)
{
	struct view *v = watch_view(w);

	v->page = lines > 1 ? (size_t)lines - 1 : 1;
	if (v->at < v->top)
		v->top = v->at;
	if (v->at >= v->top + v->page)
		v->top = v->at - v->page + 1;
	if (v->top + v->page > v->n)
		v->top = v->n > v->page ? v->n - v->page : 0;
	measure(w, v, v->top, v->page);
	show_sort(v, columns);
	draw_line(w, v, NULL, y, columns);
	for (size_t i = 0; i < v->page; i++) {
		if (v->top + i < v->n) {
			draw_line(w, v, v->rows[v->top + i], y + 1 + (int)i, columns);
		} else {
			paint_as(LOOK_PLAIN);
			paint_blank(y + 1 + (int)i);
		}
	}
}

/* ---- the heat map ------------------------------------------------------------------------------------------------ */
static void heat_label(const struct heat *h, size_t level, int y)
{
	char label[32];
	struct word_text w;

	if (!level && h->levels > 1) /* it is open below */
		snprintf(label, sizeof(label), "<%lld", (long long)h->low[1]);
	else
		snprintf(label, sizeof(label), "%lld", (long long)h->low[level]);
	word_of_text(&w, label, strlen(label));
	paint_as(LOOK_PLAIN);
	paint_word(y, 0, &w, 10, true);
}

/* A line for each level, the highest at the top; the present is at the right. Levels that do not fit are put
 * together. */
static void draw_heat(const struct watch *w, int y, int lines, int columns)
{
	const struct heat *h = w->feed.heats[w->sheet];
	const int times = columns - 12;
	size_t low = 0, high = 0, each;
	uint64_t most = 0;
	char title[128], every[40] = "one report", seconds[32];

	for (int i = 0; i < lines; i++) {
		paint_as(LOOK_PLAIN);
		paint_blank(y + i);
	}
	if (w->interval > 0) {
		watch_seconds(w->interval, seconds, sizeof(seconds));
		snprintf(every, sizeof(every), "%s s", seconds);
	}
	snprintf(title, sizeof(title), "%10s  %s, each column %s", "from",
		w->feed.sheets[w->sheet]->columns[h->column].name, every);
	paint_as(LOOK_TITLE);
	paint_text(y++, 0, title, columns);
	if (lines < 2 || times < 1 || !heat_range(h, &low, &high))
		return;
	each = (high - low) / (size_t)(lines - 1) + 1;
	for (int pass = 0; pass < 2; pass++)
		for (size_t first = low; first <= high; first += each)
			for (int t = 0; t < times; t++) {
				const int at = y + (int)((high - first) / each);
				uint64_t n = 0;

				for (size_t k = first; k < first + each && k <= high; k++)
					n += heat_then(h, k, (size_t)t);
				most = n > most ? n : most;
				if (pass && !t)
					heat_label(h, first, at);
				if (pass)
					paint_heat(at, 11 + times - 1 - t, most ? (double)n / (double)most : 0);
			}
}

/* ---- above and below --------------------------------------------------------------------------------------------- */
static void draw_top(const struct ui *u, int columns)
{
	struct watch *w = u->top;
	const struct view *v = watch_view(w);
	char text[600], every[48] = "", seconds[32], rows[64] = "", clock[16] = "";
	time_t now = time(NULL);
	struct tm tm = { 0 };
	const int room = columns - 9;

	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	if (w->interval > 0) {
		watch_seconds(w->interval, seconds, sizeof(seconds));
		snprintf(every, sizeof(every), " every %s s", seconds);
	}
	if (v->shown)
		snprintf(rows, sizeof(rows), " %zu row%s", v->n, v->n == 1 ? "" : "s");
	snprintf(text, sizeof(text), " %s%s%s%s%s%s%s%s", w->below ? "\xe2\x80\xba " : "", w->title,
		w->ended            ? " ENDED"
			: w->paused ? " PAUSED"
				    : "",
		every, rows, v->by ? " grouped" : "", v->filter[0] ? " filter: " : "", v->filter);
	if (w->below && !words_unicode())
		snprintf(text, sizeof(text), " > %s", w->title);
	paint_as(LOOK_BAR);
	paint_blank(0);
	paint_text(0, 0, text, room > 0 ? room : columns);
	if (room > 0)
		paint_text(0, room, clock, 8);
}

/* "2 of 3 hosts report; silent: web2" */
static void draw_hosts(const struct watch *w, int y, int columns)
{
	char text[CENSUS_TEXT];

	census_text(&w->census, text);
	paint_as(w->census.report < w->census.hosts ? LOOK_WARN : LOOK_PLAIN);
	paint_blank(y);
	paint_text(y, 1, text, columns - 1);
}

/* What is missing from what is shown; "" if nothing is. */
static void missing(const struct watch *w, char *out, size_t size)
{
	const struct sheet *s = w->views[w->sheet].shown;

	*out = '\0';
	if (s && s->refused)
		snprintf(out, size, "%llu rows more than there is room for", (unsigned long long)s->refused);
	else if (s && s->dropped)
		snprintf(out, size, "%llu older rows are gone", (unsigned long long)s->dropped);
	else if (w->feed.refused)
		snprintf(out, size, "%llu rows could not be read", (unsigned long long)w->feed.refused);
}

/* The end of what was typed, and a mark for the cursor. */
static void draw_prompt(const struct ui *u, int y, int columns)
{
	const int label = (int)strlen(ui_label(u)), room = columns - label - 1;
	struct word_text w;
	size_t from = 0;

	paint_as(LOOK_TITLE);
	paint_text(y, 0, ui_label(u), columns);
	word_of_text(&w, u->text, strlen(u->text));
	while (room > 0 && w.width > (size_t)room) {
		from += (size_t)mblen(u->text + from, MB_CUR_MAX);
		word_of_text(&w, u->text + from, strlen(u->text + from));
	}
	paint_as(LOOK_PLAIN);
	paint_word(y, label, &w, room, false);
	paint_as(LOOK_SELECTED);
	if (room > 0)
		paint_char(y, label + (int)w.width, L' ');
}

static void draw_bottom(const struct ui *u, int y, int columns)
{
	static const char keys[] = "h help  / filter  arrows sort, select  g group  Enter open  p pause  w save  q end",
			  few[] = "h help  / filter  q end";
	struct watch *w = u->top;
	char text[600];

	missing(w, text, sizeof(text));
	paint_as(LOOK_PLAIN);
	paint_blank(y);
	if (u->mode == UI_PROMPT) {
		draw_prompt(u, y, columns);
		return;
	}
	if (w->message[0] || text[0]) {
		paint_as(LOOK_WARN);
		paint_text(y, 0, w->message[0] ? w->message : text, columns);
		return;
	}
	paint_as(LOOK_DIM);
	paint_text(y, 0, (int)strlen(keys) <= columns ? keys : few, columns);
}

/* ---- what lies over the table ------------------------------------------------------------------------------------ */
/* A line of the help in as many lines as it takes, from y on. Returns how many. */
static int draw_help_line(const char *s, int y, int bottom, int columns)
{
	const int indent = columns > 40 ? 13 : 3;
	int lines = 0;

	while (*s) {
		const int x = lines ? indent : 1, room = columns - x;
		int n = (int)strlen(s) <= room ? (int)strlen(s) : room;
		char part[256];

		while (s[n] && n > 1 && s[n] != ' ')
			n--;
		snprintf(part, sizeof(part), "%.*s", n, s);
		if (y + lines < bottom)
			paint_text(y + lines, x, part, room);
		lines++;
		s += n + (int)strspn(s + n, " ");
	}
	return lines;
}

static void draw_help(const struct ui *u, int lines, int columns)
{
	int y = 1;

	paint_as(LOOK_PLAIN);
	for (int i = 1; i < lines - 1; i++)
		paint_blank(i);
	for (size_t i = u->scroll; i < ui_help_lines() && y < lines - 1; i++)
		y += draw_help_line(ui_help[i], y, lines - 1, columns);
	paint_as(LOOK_DIM);
	paint_blank(lines - 1);
	paint_text(lines - 1, 0, columns > 44 ? "Up Down scroll; any other key leaves the help" : "Up Down scroll",
		columns);
}

static void draw_menu(const struct ui *u, int lines, int columns)
{
	struct watch *w = u->top;
	const struct view *v = watch_view(w);
	const struct row *r = view_selected(v);
	const int n = (int)u->nmenu, top = lines - 1 - n < 1 ? 1 : lines - 1 - n;
	const int first = (int)u->at >= lines - 1 - top ? (int)u->at - (lines - 2 - top) : 0;

	for (int i = 0; r && top + i < lines - 1; i++) {
		const size_t k = (size_t)first + (size_t)i;
		const struct open_tool *t = open_tool(w->title, v->shown, r, k);
		char text[400], args[200];

		if (!t)
			break;
		open_filters(t, v->shown, r, args, sizeof(args));
		snprintf(text, sizeof(text), " %-10s %s:%s", t->tool, t->text, args);
		paint_as(k == u->at ? LOOK_SELECTED : LOOK_BAR);
		paint_blank(top + i);
		paint_text(top + i, 0, text, columns);
	}
	paint_as(LOOK_DIM);
	paint_blank(lines - 1);
	paint_text(lines - 1, 0, "Up Down, Enter: start it; q: back", columns);
}

static void draw_waiting(const struct watch *w, int y, int lines, int columns)
{
	for (int i = 0; i < lines; i++) {
		paint_as(LOOK_PLAIN);
		paint_blank(y + i);
	}
	paint_text(y, 1, w->ended ? "The trace has ended." : "Waiting for the first rows...", columns - 1);
}

void draw(struct ui *u, int lines, int columns)
{
	struct watch *w = u->top;
	struct view *v = watch_view(w);
	const struct sheet *s = watch_sheet(w);
	const bool sums = lines >= SUMS_LINES && s && !s->log;
	const int y = 1 + w->is_fleet + sums, room = lines - 1 - y;

	draw_top(u, columns);
	if (w->is_fleet)
		draw_hosts(w, 1, columns);
	if (sums) {
		paint_as(LOOK_PLAIN);
		paint_blank(y - 1);
		draw_sums(s, y - 1, columns);
	}
	if (!v->shown)
		draw_waiting(w, y, room, columns);
	else if (w->map && w->feed.heats[w->sheet])
		draw_heat(w, y, room, columns);
	else
		draw_table(w, y, room, columns);
	if (u->mode == UI_HELP)
		draw_help(u, lines, columns);
	else if (u->mode == UI_MENU)
		draw_menu(u, lines, columns);
	else
		draw_bottom(u, lines - 1, columns);
}
