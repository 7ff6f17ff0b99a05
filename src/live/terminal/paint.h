/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paint: how things look: attributes, colours, texts at a place. Only screen.c opens the terminal. */
#ifndef DWIRE_LIVE_TERMINAL_PAINT_H
#define DWIRE_LIVE_TERMINAL_PAINT_H
#include "live/words.h"

enum look { LOOK_PLAIN, LOOK_BAR, LOOK_TITLE, LOOK_SORT, LOOK_SELECTED, LOOK_DIM, LOOK_WARN, LOOK_SPARK, LOOKS };

/* Sets colours up if the terminal has them and NO_COLOR (no-color.org) does not forbid them. */
void paint_init(void);
void paint_as(enum look look);
/* A text in width columns from x on, padded with blanks; right: aligned to the right. */
void paint_word(int y, int x, struct word_text *w, int width, bool right);
void paint_text(int y, int x, const char *s, int width);
/* A line of blanks. */
void paint_blank(int y);
void paint_char(int y, int x, wchar_t c);
/* The background of a heat map: 0 to 1; without 256 colours a character of that density. */
void paint_heat(int y, int x, double share);
#endif
