/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw: the parts of the screen: a line about the trace, sums over time, the table or its heat map, a line of keys. */
#ifndef DWIRE_LIVE_TERMINAL_DRAW_H
#define DWIRE_LIVE_TERMINAL_DRAW_H
struct ui;

/* Draws all of it, in so many lines and columns. */
void draw(struct ui *u, int lines, int columns);
#endif
