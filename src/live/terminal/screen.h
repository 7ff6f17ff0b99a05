/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen: the terminal: opened, drawn on, restored. */
#ifndef DWIRE_LIVE_TERMINAL_SCREEN_H
#define DWIRE_LIVE_TERMINAL_SCREEN_H
#include <stdbool.h>
#include <stdio.h>

struct ui;

/* Takes the terminal over. in: keys; out: the terminal. 0, or -1 after a message. */
int screen_open(FILE *in, FILE *out);
/* Gives it back as it was. Without screen_open() nothing. */
void screen_close(void);
bool screen_is_open(void);
/* The terminal has another size. fd: the terminal. */
void screen_resize(int fd);
void screen_draw(struct ui *u);
/* The next key that was pressed, if there is one. */
bool screen_key(unsigned *key, bool *is_code);
#endif
