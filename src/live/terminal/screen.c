/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen: see screen.h. Input: a terminal. Output: the screen, and the terminal as it was.
 * Invariant: signals are not curses' business: main.c takes them in turn with all else, so the terminal is given back
 * in one place whatever ends the program. */
#define NCURSES_WIDECHAR 1
#include "live/terminal/screen.h"

#include <curses.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "live/terminal/draw.h"
#include "live/terminal/paint.h"
#include "live/terminal/ui.h"

#define ESCAPE_MS 25 /* so long after Escape a key of the terminal may follow */

static SCREEN *screen;

int screen_open(FILE *in, FILE *out)
{
	screen = newterm(NULL, out, in);
	if (!screen) {
		fprintf(stderr, "dwire-live: this terminal is not known (TERM=%s)\n",
			getenv("TERM") ? getenv("TERM") : "");
		return -1;
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	paint_init();
	return 0;
}

void screen_close(void)
{
	if (!screen)
		return;
	/* A terminal without a second screen keeps what was drawn: the shell's line is then to be empty. */
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
	endwin();
	delscreen(screen);
	screen = NULL;
}

bool screen_is_open(void)
{
	return screen != NULL;
}

void screen_resize(int fd)
{
	struct winsize size;

	if (screen && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		resizeterm(size.ws_row, size.ws_col);
		clear();
	}
}

void screen_draw(struct ui *u)
{
	if (!screen)
		return;
	draw(u, LINES, COLS);
	refresh();
}

bool screen_key(unsigned *key, bool *is_code)
{
	wint_t c;
	int r = screen ? get_wch(&c) : ERR;

	*is_code = r == KEY_CODE_YES;
	*key = r == ERR ? 0 : c;
	return r != ERR;
}
