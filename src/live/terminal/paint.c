/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paint: see paint.h. Input: texts, places, looks. Output: calls of curses. */
#define NCURSES_WIDECHAR 1
#include "live/terminal/paint.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#define HEAT_PAIR 20 /* the first of the pairs of a heat map */
#define HEATS 12

/* From the 256 colours of xterm: dark blue, over red, to yellow and white. */
static const short heat_colours[HEATS] = { 17, 18, 54, 90, 125, 160, 196, 202, 208, 214, 226, 231 };
static bool colours, many;

void paint_init(void)
{
	const char *no = getenv("NO_COLOR");

	colours = has_colors() && (!no || !*no);
	many = false;
	if (!colours)
		return;
	start_color();
	use_default_colors();
	init_pair(LOOK_BAR, COLOR_BLACK, COLOR_CYAN);
	init_pair(LOOK_TITLE, COLOR_CYAN, -1);
	init_pair(LOOK_SORT, COLOR_GREEN, -1);
	init_pair(LOOK_SELECTED, COLOR_BLACK, COLOR_WHITE);
	init_pair(LOOK_DIM, -1, -1);
	init_pair(LOOK_WARN, COLOR_RED, -1);
	init_pair(LOOK_SPARK, COLOR_GREEN, -1);
	many = COLORS >= 256 && COLOR_PAIRS > HEAT_PAIR + HEATS;
	for (short i = 0; many && i < HEATS; i++)
		init_pair((short)(HEAT_PAIR + i), heat_colours[i], -1);
}

void paint_as(enum look look)
{
	static const attr_t plain[LOOKS] = { [LOOK_BAR] = A_REVERSE,
		[LOOK_TITLE] = A_BOLD,
		[LOOK_SORT] = A_BOLD | A_UNDERLINE,
		[LOOK_SELECTED] = A_REVERSE,
		[LOOK_WARN] = A_BOLD };
	static const attr_t coloured[LOOKS] = {
		[LOOK_TITLE] = A_BOLD, [LOOK_SORT] = A_BOLD | A_UNDERLINE, [LOOK_WARN] = A_BOLD
	};

	if (!colours)
		attr_set(plain[look], 0, NULL);
	else
		attr_set(coloured[look], look == LOOK_PLAIN ? 0 : (short)look, NULL);
}

void paint_word(int y, int x, struct word_text *w, int width, bool right)
{
	int pad;

	if (width <= 0)
		return;
	word_cut(w, (size_t)width);
	pad = width - (int)w->width;
	mvhline(y, x, ' ', width);
	mvaddnwstr(y, x + (right ? pad : 0), w->s, (int)w->n);
}

void paint_text(int y, int x, const char *s, int width)
{
	struct word_text w;

	word_of_text(&w, s, strlen(s));
	paint_word(y, x, &w, width, false);
}

void paint_blank(int y)
{
	mvhline(y, 0, ' ', COLS);
}

void paint_char(int y, int x, wchar_t c)
{
	mvaddnwstr(y, x, &c, 1);
}

void paint_heat(int y, int x, double share)
{
	static const wchar_t density[] = L" .:-=+*#%@";
	int i = share <= 0 ? -1 : (int)(share * (many ? HEATS - 0.001 : 8.999));

	if (i < 0) {
		paint_as(LOOK_PLAIN);
		paint_char(y, x, L' ');
	} else if (many) {
		attr_set(A_REVERSE, (short)(HEAT_PAIR + i), NULL);
		paint_char(y, x, L' ');
	} else {
		paint_as(LOOK_PLAIN);
		paint_char(y, x, density[1 + i]);
	}
}
