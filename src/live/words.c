/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words: see words.h.
 * Input: bytes, numbers. Output: wide characters of known width.
 * Widths are those of the C library (wcwidth), which are those of most terminals. */
#include "live/words.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agg/words.h"
#include "base/escape.h"
#include "base/utf8.h"

#define MARKS_MAX 2u /* marks over a letter; more of them would be a tower */

static bool unicode;

void words_locale(void)
{
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
}

bool words_unicode(void)
{
	return unicode;
}

static void add(struct word_text *w, wchar_t c, size_t width)
{
	if (w->n + 1 >= WORD_CHARS)
		return;
	w->s[w->n++] = c;
	w->s[w->n] = 0;
	w->width += width;
}

static void add_escaped(struct word_text *w, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char hex[8];

		snprintf(hex, sizeof(hex), "\\x%02x", (unsigned char)s[i]);
		for (const char *p = hex; *p; p++)
			add(w, (wchar_t)*p, 1);
	}
}

void word_of_text(struct word_text *w, const char *s, size_t len)
{
	size_t marks = 0;

	*w = (struct word_text){ .n = 0 };
	for (size_t i = 0; i < len && w->n + 20 < WORD_CHARS;) {
		uint32_t c = 0;
		size_t n = utf8_decode(s + i, len - i, &c);
		int width = n && c >= ' ' && c != 0x7f && !escape_unsafe(c) && (c < 0x80 || unicode)
			? wcwidth((wchar_t)c)
			: -1;

		marks = width == 0 ? marks + 1 : 0;
		if (width < 0 || (!width && (!w->n || marks > MARKS_MAX)))
			add_escaped(w, s + i, n ? n : 1);
		else
			add(w, (wchar_t)c, (size_t)width);
		i += n ? n : 1;
	}
}

void word_of_title(struct word_text *w, const char *name)
{
	word_of_text(w, name, strlen(name));
	for (size_t i = 0; i < w->n; i++)
		if (w->s[i] >= 'a' && w->s[i] <= 'z')
			w->s[i] -= 'a' - 'A';
}

static void word_of_ascii(struct word_text *w, const char *s)
{
	word_of_text(w, s, strlen(s));
}

void word_of_bytes(struct word_text *w, long double n)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;
	char s[64];

	/* What rounds to 1024 is the next unit's 1.0. */
	for (; n >= (unit ? 1023.95L : 1023.5L) && units[unit + 1]; unit++)
		n /= 1024;
	snprintf(s, sizeof(s), unit ? "%.1Lf%c" : "%.0Lf%c", n, units[unit]);
	word_of_ascii(w, s);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

/* Tools name the bytes that a connection carried rx_bytes and tx_bytes, those of one event bytes (docs/ROWS.md). */
bool word_is_amount(const struct column *c)
{
	return c->amount || ends_with(c->name, "_bytes") || (c->value && ends_with(c->name, "bytes"));
}

/* "2026-11-23T16:08:57.307593+00:00", as tools write the column time; "16:08:57.307" of it is shown. */
static bool is_time(const struct column *c, const char *s)
{
	return !strcmp(c->name, "time") && strlen(s) > 26 && s[10] == 'T' && s[13] == ':' && s[19] == '.';
}

void word_of_cell(struct word_text *w, const struct column *c, const struct cell *cell)
{
	char s[64];

	if (cell->kind == CELL_TEXT && is_time(c, cell->text)) {
		word_of_text(w, cell->text + 11, 12);
	} else if (cell->kind == CELL_TEXT) {
		word_of_text(w, cell->text, strlen(cell->text));
	} else if (cell->kind == CELL_UNKNOWN) {
		word_of_ascii(w, "-");
	} else if (word_is_amount(c) && cell->number >= 0) {
		word_of_bytes(w, cell->number);
	} else {
		snprintf(s, sizeof(s), cell->number == floorl(cell->number) ? "%.0Lf" : "%.3Lf", cell->number);
		word_of_ascii(w, s);
	}
}

void word_cut(struct word_text *w, size_t width)
{
	if (w->width <= width)
		return;
	while (w->n && w->width + 1 > width) {
		int last = wcwidth(w->s[--w->n]);

		w->width -= last > 0 ? (size_t)last : 0;
	}
	if (width)
		add(w, unicode ? L'\u2026' : L'~', 1);
	w->s[w->n] = 0;
}

wchar_t word_bar(double share)
{
	static const wchar_t blocks[] = L" \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588", plain[] = L" .:-=+*%#";
	int i = share <= 0 ? 0 : 1 + (int)(share * 7.999);

	return (unicode ? blocks : plain)[i > 8 ? 8 : i];
}
