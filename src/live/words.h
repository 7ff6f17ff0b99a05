/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words: texts and numbers as characters for a terminal, measured in columns.
 * Invariant: what a stranger chose never reaches the terminal as a control character, as one that reorders the text
 * around it, or as one of unknown width; such bytes are written as \xHH. */
#ifndef DWIRE_LIVE_WORDS_H
#define DWIRE_LIVE_WORDS_H
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "live/sheet.h"

#define WORD_CHARS 600u

struct word_text {
	wchar_t s[WORD_CHARS];
	size_t n;     /* characters */
	size_t width; /* columns */
};

/* Whether the terminal shows more than ASCII, by the locale. Before all others. */
void words_locale(void);
bool words_unicode(void);
/* A text, escaped. len: bytes; a longer one than there is room for is cut. */
void word_of_text(struct word_text *w, const char *s, size_t len);
/* The title of a column: "rx_bytes" is RX_BYTES. */
void word_of_title(struct word_text *w, const char *name);
/* A cell as its column shows it; what is unknown is "-". */
void word_of_cell(struct word_text *w, const struct column *c, const struct cell *cell);
/* "12.5M"; units are powers of 1024, as those of the conversion %#B. */
void word_of_bytes(struct word_text *w, long double n);
/* Has the column amounts of bytes, which are shown in units? The size of one segment or call is shown whole. */
bool word_is_amount(const struct column *c);
/* Cuts to so many columns, with a mark where something is missing. */
void word_cut(struct word_text *w, size_t width);
/* A bar of eight heights for a share of the greatest, 0 to 1; 0 is a blank. */
wchar_t word_bar(double share);
#endif
