/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape: bytes that were traced, made safe for a terminal. */
#ifndef DWIRE_BASE_ESCAPE_H
#define DWIRE_BASE_ESCAPE_H
#include <stddef.h>
#include <stdio.h>

struct arena;

/* Writes len bytes; control bytes, DEL, C1 controls and invalid UTF-8 become \xHH (newline and tab too when
 * keep_ws is 0). Valid printable UTF-8 passes. Returns the columns printed. With out NULL it only measures. */
size_t escape_print(FILE *out, const char *s, size_t len, int keep_ws);
/* A name that others have chosen, made so; s itself where it is plain. */
const char *escape_name(struct arena *a, const char *s);
#endif
