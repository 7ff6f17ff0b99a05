/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape: makes traced bytes safe for a terminal. */
#ifndef DWIRE_BASE_ESCAPE_H
#define DWIRE_BASE_ESCAPE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arena;

/* Which controls pass. */
enum escape_keep { ESCAPE_ALL, ESCAPE_KEEP_LAYOUT /* newline, tab */, ESCAPE_KEEP_TAB };

/* Writes len bytes; control bytes, DEL, C1 controls, overrides of the direction and invalid UTF-8 become \xHH. Other
 * UTF-8 passes. Returns the columns printed. With out NULL it only measures. */
size_t escape_print(FILE *out, const char *s, size_t len, enum escape_keep keep);
/* Is it a control beyond ASCII, or a character that moves or reorders what stands around it? */
bool escape_unsafe(uint32_t c);
/* A name that others have chosen, made so; s itself where it is plain. */
const char *escape_name(struct arena *a, const char *s);
/* Undoes in place what the kernel does to paths in /proc/PID/mountinfo: blanks, tabs, line feeds and backslashes are a
 * backslash and three octal digits there. */
void escape_undo_octal(char *s);
#endif
