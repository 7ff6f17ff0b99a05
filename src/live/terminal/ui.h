/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ui: what is on the screen besides the rows, and what keys do. */
#ifndef DWIRE_LIVE_TERMINAL_UI_H
#define DWIRE_LIVE_TERMINAL_UI_H
#include <wchar.h>

#include "live/watch.h"

#define PROMPT_CHARS 256u
#define MENU_LINES 40u

enum ui_mode { UI_TABLE, UI_PROMPT, UI_HELP, UI_MENU };
enum prompt_for { PROMPT_FILTER, PROMPT_GROUP, PROMPT_INTERVAL, PROMPT_SAVE };

struct ui {
	struct watch *top;
	enum ui_mode mode;
	enum prompt_for prompt;
	char text[PROMPT_CHARS];   /* of the prompt, in UTF-8 */
	char before[PROMPT_CHARS]; /* the filter as it was: Escape restores it */
	size_t scroll;             /* of the help */
	size_t nmenu, at;          /* of the menu: tools that fit the selected row */
	const char *program;       /* dwire, to start tools with; NULL: none is known */
	bool over;                 /* leave */
};

#define KEY_ESCAPE 27
#define KEY_CTRL(c) ((c)&31)

/* A key: a character, or with is_code one of curses' KEY_ codes. */
void ui_key(struct ui *u, wint_t key, bool is_code);
/* "filter: " */
const char *ui_label(const struct ui *u);
/* The lines of the help. */
extern const char *const ui_help[];
size_t ui_help_lines(void);
#endif
