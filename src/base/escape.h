/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape: makes traced bytes safe for a terminal. */
#ifndef DWIRE_BASE_ESCAPE_H
#define DWIRE_BASE_ESCAPE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arena;

/* Control characters that are not escaped. */
enum escape_keep { ESCAPE_ALL, ESCAPE_KEEP_LAYOUT /* newline, tab */, ESCAPE_KEEP_TAB };

/* Writes len bytes. Control bytes, DEL, C1 controls, direction overrides and invalid UTF-8 become \xHH; other UTF-8 is
 * written unchanged. Returns the columns printed. out NULL: only measures. */
size_t escape_print(FILE *out, const char *s, size_t len, enum escape_keep keep);
/* Writes a line of JSON, without its feed: controls but tab, and characters that escape_unsafe() knows become \uHHHH,
 * malformed UTF-8 U+FFFD. JSON allows them only within texts, and controls nowhere, so its meaning stays. */
void escape_json(FILE *out, const char *line, size_t len);
/* Is it a control beyond ASCII, or a character that moves or reorders the text around it? */
bool escape_unsafe(uint32_t c);
/* An untrusted name, escaped in the same way; s itself if nothing needs escaping. */
const char *escape_name(struct arena *a, const char *s);
/* Decodes a path from /proc/PID/mountinfo in place. The kernel writes blanks, tabs, line feeds and backslashes there as
 * a backslash and three octal digits. */
void escape_undo_octal(char *s);
#endif
