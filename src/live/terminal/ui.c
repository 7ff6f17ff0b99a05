/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ui: see ui.h. Input: keys. Output: changes of the watch on top, of its views, and of what lies over them. */
#define NCURSES_WIDECHAR 1
#include "live/terminal/ui.h"

#include <curses.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "live/open.h"
#include "live/save.h"

const char *const ui_help[] = {
	"Left Right  the column to sort by, and to see",
	"1 - 9       sort by that column",
	"r           reverse the order",
	"Up Down PgUp PgDn Home End   (j k)",
	"/           filter as you type: words that a row must have;",
	"            !word: must not; comm=nginx; rx_bytes>100k; rport<1024",
	"Esc         no filter, no groups",
	"g           group rows by columns: comm,raddr",
	"Enter  o    open a tool for the selected row",
	"q           back from it; at the first screen: end",
	"Space  p    pause; once more: continue",
	"+ -  i      the interval, in seconds (starts the trace anew)",
	"w           save the rows as CSV, or as JSON: NAME.json",
	"m           heat map of a distribution over time",
	"Tab         the next table, if there are several",
	"h  ?        this help",
	"Ctrl-C      end",
	NULL,
};

size_t ui_help_lines(void)
{
	return sizeof(ui_help) / sizeof(ui_help[0]) - 1;
}

const char *ui_label(const struct ui *u)
{
	static const char *const labels[] = { [PROMPT_FILTER] = "filter: ",
		[PROMPT_GROUP] = "group by: ",
		[PROMPT_INTERVAL] = "seconds: ",
		[PROMPT_SAVE] = "save as: " };

	return labels[u->prompt];
}

/* ---- prompts ----------------------------------------------------------------------------------------------------- */
/* Begins to read a line, with a text that is there already. A filter acts while it is typed: the former one is kept for
 * Escape. */
static void prompt_open(struct ui *u, enum prompt_for what, const char *text)
{
	u->mode = UI_PROMPT;
	u->prompt = what;
	snprintf(u->text, sizeof(u->text), "%s", text);
	if (what == PROMPT_FILTER)
		snprintf(u->before, sizeof(u->before), "%s", text);
}

/* Rows that the filter does not accept vanish at once. Text that is no filter yet ("port>") accepts all. */
static void set_filter(struct ui *u, const char *text)
{
	struct view *v = watch_view(u->top);

	snprintf(v->filter, sizeof(v->filter), "%s", text);
	view_sort(v);
}

/* The script has its interval as a constant, so another one starts the trace anew. ms: at most a day. */
static void set_interval(struct watch *w, long ms)
{
	if (w->interval <= 0)
		watch_say(w, "%s has no interval", w->title);
	else if (ms < 100 || ms > 86400000)
		watch_say(w, "an interval is 0.1 to 86400 seconds");
	else if (ms != w->interval)
		(void)!watch_restart(w, ms);
}

/* The keys + and -: by whole seconds, and below one by 0.5, 0.2, 0.1. */
static long next_interval(long ms, bool longer)
{
	static const long below[] = { 100, 200, 500, 1000 };

	if (longer ? ms >= 1000 : ms > 1000)
		return longer ? ms + 1000 : ms - 1000 > 1000 ? ms - 1000 : 1000;
	for (size_t i = 0; longer && i < 4; i++)
		if (below[i] > ms)
			return below[i];
	for (size_t i = 4; !longer && i; i--)
		if (below[i - 1] < ms)
			return below[i - 1];
	return ms;
}

/* list: names of columns, by commas; "": rows by themselves again. An unknown name changes nothing. */
static void set_group(struct watch *w, const char *list)
{
	struct view *v = watch_view(w);
	const struct sheet *s = watch_sheet(w);
	const char *bad;
	uint64_t by;

	if (!s)
		return;
	if (!view_columns(s, list, &by, &bad)) {
		watch_say(w, "no column %.*s to group by", (int)strcspn(bad, ", "), bad);
		return;
	}
	v->by = by;
	if (!view_take(v, s))
		watch_say(w, "not enough memory for groups");
}

/* Writes the rows that the filter leaves, in their order, and says so in the last line. */
static void save(struct watch *w, const char *path)
{
	int r = save_rows(watch_view(w), path);

	if (r)
		watch_say(w, "cannot save %s: %s", path, strerror(-r));
	else
		watch_say(w, "%zu rows saved in %s", watch_view(w)->n, path);
}

/* Enter. A filter has acted already. */
static void prompt_done(struct ui *u)
{
	u->mode = UI_TABLE;
	u->top->message[0] = '\0';
	if (u->prompt == PROMPT_GROUP)
		set_group(u->top, u->text);
	else if (u->prompt == PROMPT_INTERVAL)
		set_interval(u->top, watch_ms(u->text));
	else if (u->prompt == PROMPT_SAVE && u->text[0])
		save(u->top, u->text);
}

/* Removes the last character. */
static void prompt_erase(struct ui *u)
{
	size_t n = strlen(u->text);

	while (n && ((unsigned char)u->text[n - 1] & 0xc0) == 0x80)
		n--;
	u->text[n ? n - 1 : 0] = '\0';
}

/* key: a character, or with is_code a key of curses. Escape gives up: the filter is again as before. */
static void prompt_key(struct ui *u, wint_t key, bool is_code)
{
	char bytes[MB_LEN_MAX + 1] = "";
	int n;

	if (key == KEY_ESCAPE && !is_code) {
		u->mode = UI_TABLE;
		if (u->prompt == PROMPT_FILTER)
			set_filter(u, u->before);
		return;
	}
	if (key == '\n' || key == '\r' || (is_code && key == KEY_ENTER)) {
		prompt_done(u);
		return;
	}
	if (is_code ? key == KEY_BACKSPACE : key == 127 || key == KEY_CTRL('h'))
		prompt_erase(u);
	else if (!is_code && key == KEY_CTRL('u'))
		u->text[0] = '\0';
	else if (!is_code && iswprint(key)) {
		n = wctomb(bytes, (wchar_t)key);
		if (n > 0 && strlen(u->text) + (size_t)n < sizeof(u->text))
			strncat(u->text, bytes, (size_t)n);
	}
	if (u->prompt == PROMPT_FILTER)
		set_filter(u, u->text);
}

/* ---- tools for a row --------------------------------------------------------------------------------------------- */
/* Offers the tools that the selected row has filters for: a process, ports, a remote address. */
static void menu_open(struct ui *u)
{
	struct watch *w = u->top;
	const struct view *v = watch_view(w);
	const struct row *r = view_selected(v);

	u->nmenu = u->at = 0;
	while (r && u->nmenu < OPEN_TOOLS && open_tool(w->title, v->shown, r, u->nmenu))
		u->nmenu++;
	if (!u->program)
		watch_say(w, "no dwire is known to open tools with");
	else if (!u->nmenu)
		watch_say(w, r ? "no tool fits this row" : "no row is selected");
	else
		u->mode = UI_MENU;
}

/* Starts the tool; its screen lies over this one, which goes on behind it. */
static void menu_choose(struct ui *u)
{
	const struct view *v = watch_view(u->top);
	const struct row *r = view_selected(v);
	const struct open_tool *t = r ? open_tool(u->top->title, v->shown, r, u->at) : NULL;
	struct watch *w = t ? open_start(u->program, t, v->shown, r) : NULL;

	u->mode = UI_TABLE;
	if (!w) {
		watch_say(u->top, "cannot start %s", t ? t->tool : "a tool");
		return;
	}
	w->below = u->top;
	u->top = w;
}

static void menu_key(struct ui *u, wint_t key, bool is_code)
{
	if (key == (is_code ? KEY_UP : 'k'))
		u->at = u->at ? u->at - 1 : u->nmenu - 1;
	else if (key == (is_code ? KEY_DOWN : 'j'))
		u->at = (u->at + 1) % u->nmenu;
	else if (is_code ? key == KEY_ENTER : key == '\n' || key == '\r')
		menu_choose(u);
	else if (!is_code && (key == KEY_ESCAPE || key == 'q'))
		u->mode = UI_TABLE;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */
/* Ends the trace on top. Without another one below it the program ends. */
static void go_back(struct ui *u)
{
	struct watch *w = u->top;

	if (!w->below) {
		u->over = true;
		return;
	}
	u->top = w->below;
	watch_close(w);
}

/* A script may print several tables. */
static void next_sheet(struct watch *w)
{
	if (w->feed.n)
		w->sheet = (w->sheet + 1) % w->feed.n;
	w->map = false;
}

static void toggle_map(struct watch *w)
{
	if (w->sheet < w->feed.n && w->feed.heats[w->sheet])
		w->map = !w->map;
	else
		watch_say(w, "no column is a distribution: quantize(), lquantize(), llquantize()");
}

/* n: from 0 on, of the columns that are shown. */
static void sort_number(struct view *v, size_t n)
{
	for (size_t i = 0; v->shown && i < v->shown->ncolumns; i++)
		if (view_has(v, i) && !n--) {
			view_sort_at(v, i);
			return;
		}
}

/* Escape in the table: no filter, no groups, no map, no message. */
static void clear_all(struct ui *u)
{
	struct view *v = watch_view(u->top);

	u->top->message[0] = '\0';
	u->top->map = false;
	if (v->by)
		set_group(u->top, "");
	set_filter(u, "");
}

/* Keys of curses: arrows, pages. view_select() keeps within the rows. */
static void table_code(struct ui *u, wint_t key)
{
	struct view *v = watch_view(u->top);
	const long at = (long)v->at, page = (long)(v->page ? v->page : 1);

	switch (key) {
	case KEY_LEFT:
		view_sort_move(v, -1);
		break;
	case KEY_RIGHT:
		view_sort_move(v, 1);
		break;
	case KEY_UP:
		view_select(v, at - 1);
		break;
	case KEY_DOWN:
		view_select(v, at + 1);
		break;
	case KEY_PPAGE:
		view_select(v, at - page);
		break;
	case KEY_NPAGE:
		view_select(v, at + page);
		break;
	case KEY_HOME:
		view_select(v, 0);
		break;
	case KEY_END:
		view_select(v, (long)v->n);
		break;
	case KEY_ENTER:
		menu_open(u);
		break;
	case KEY_F(1):
		u->mode = UI_HELP;
		break;
	default:
		break;
	}
}

/* Asks for seconds; of a trace without an interval set_interval() says so. */
static void ask_interval(struct ui *u)
{
	char text[32];

	watch_seconds(u->top->interval, text, sizeof(text));
	if (u->top->interval > 0)
		prompt_open(u, PROMPT_INTERVAL, text);
	else
		set_interval(u->top, 0);
}

static void ask_name(struct ui *u)
{
	char name[PROMPT_CHARS];

	save_name(u->top->title, name, sizeof(name));
	prompt_open(u, PROMPT_SAVE, name);
}

static void reverse(struct view *v)
{
	v->sorted = true;
	v->up = !v->up;
	view_sort(v);
}

/* Characters. What is bound to none is ignored. */
static void table_letter(struct ui *u, wint_t key)
{
	struct watch *w = u->top;
	struct view *v = watch_view(w);

	if (key >= '1' && key <= '9')
		sort_number(v, key - '1');
	else if (key == 'q')
		go_back(u);
	else if (key == '/')
		prompt_open(u, PROMPT_FILTER, v->filter);
	else if (key == 'g')
		prompt_open(u, PROMPT_GROUP, "");
	else if (key == 'i')
		ask_interval(u);
	else if (key == 'w' || key == 's')
		ask_name(u);
	else if (key == '+' || key == '-')
		set_interval(w, next_interval(w->interval, key == '+'));
	else if (key == ' ' || key == 'p')
		watch_pause(w, !w->paused);
	else if (key == 'r')
		reverse(v);
	else if (key == 'j' || key == 'k')
		view_select(v, (long)v->at + (key == 'j' ? 1 : -1));
	else if (key == '\n' || key == '\r' || key == 'o')
		menu_open(u);
	else if (key == 'm')
		toggle_map(w);
	else if (key == '\t')
		next_sheet(w);
	else if (key == 'h' || key == '?')
		u->mode = UI_HELP;
	else if (key == KEY_ESCAPE)
		clear_all(u);
}

/* In the help the arrows scroll; any other key leaves it. */
static void help_key(struct ui *u, wint_t key, bool is_code)
{
	if (is_code && key == KEY_DOWN && u->scroll + 1 < ui_help_lines())
		u->scroll++;
	else if (is_code && key == KEY_UP && u->scroll)
		u->scroll--;
	else if (!is_code || (key != KEY_DOWN && key != KEY_UP)) {
		u->mode = UI_TABLE;
		u->scroll = 0;
	}
}

void ui_key(struct ui *u, wint_t key, bool is_code)
{
	switch (u->mode) {
	case UI_PROMPT:
		prompt_key(u, key, is_code);
		break;
	case UI_HELP:
		help_key(u, key, is_code);
		break;
	case UI_MENU:
		menu_key(u, key, is_code);
		break;
	case UI_TABLE:
		u->top->message[0] = '\0';
		if (is_code)
			table_code(u, key);
		else
			table_letter(u, key);
		break;
	}
}
