/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape: makes traced bytes safe for a terminal.
 * Input: any bytes. Output: printable text; every other byte as \xHH.
 * Invariant: no byte below 0x20, no DEL, no C1 control, no direction override and no malformed UTF-8 is written,
 * except newline and tab on request. A backslash passes unchanged: the text is for eyes, not for parsing. */
#include "base/escape.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"

/* Characters from lo to hi, both included. */
struct range {
	uint32_t lo, hi;
};

/* Shown two columns wide (Unicode East Asian Width W and F, and the emoji blocks). */
static const struct range wide[] = {
	{ 0x1100, 0x115f },
	{ 0x2e80, 0x303e },
	{ 0x3041, 0xa4cf },
	{ 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f },
	{ 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f },
	{ 0x1f680, 0x1f6ff },
	{ 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};
/* Take no column: combining marks, joiners, variation selectors. */
static const struct range narrow[] = {
	{ 0x0300, 0x036f },
	{ 0x0483, 0x0489 },
	{ 0x0591, 0x05bd },
	{ 0x064b, 0x065f },
	{ 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff },
	{ 0x200b, 0x200d },
	{ 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f },
	{ 0xe0100, 0xe01ef },
};
/* Valid, but they move or reorder what stands around them. */
static const struct range unsafe[] = {
	{ 0x0080, 0x009f },
	{ 0x061c, 0x061c },
	{ 0x200e, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2066, 0x2069 },
	{ 0xfeff, 0xfeff },
};

#define IN_TABLE(c, t) in_ranges((c), (t), sizeof(t) / sizeof((t)[0]))

/* The tables are short, and only text that is not ASCII is looked up. */
static bool in_ranges(uint32_t c, const struct range *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= t[i].lo && c <= t[i].hi)
			return true;
	return false;
}

/* Writes bytes as \xHH; out NULL: only counts. Returns the columns. */
static size_t print_hex(FILE *out, const unsigned char *s, size_t n)
{
	for (size_t i = 0; out && i < n; i++)
		fprintf(out, "\\x%02x", s[i]);
	return n * 4;
}

bool escape_unsafe(uint32_t c)
{
	return IN_TABLE(c, unsafe);
}

void escape_json(FILE *out, const char *line, size_t len)
{
	size_t from = 0, n;

	for (size_t i = 0; i < len; i += n) {
		const unsigned char b = (unsigned char)line[i];
		uint32_t c = b;

		n = 1;
		if ((b >= 0x20 && b < 0x7f) || b == '\t')
			continue;
		n = b < 0x80 ? 1 : utf8_decode(line + i, len - i, &c);
		if (n && b >= 0x80 && !escape_unsafe(c))
			continue;
		fwrite(line + from, 1, i - from, out);
		fprintf(out, "\\u%04x", n ? (unsigned)c : 0xfffdu);
		n = n ? n : 1;
		from = i + n;
	}
	fwrite(line + from, 1, len - from, out);
}

/* Returns the columns on a terminal. Malformed UTF-8 is escaped byte by byte. */
size_t escape_print(FILE *out, const char *text, size_t len, enum escape_keep keep)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t cols = 0, n;

	for (size_t i = 0; i < len; i += n) {
		uint32_t c = s[i];

		n = 1;
		if ((c >= 0x20 && c < 0x7f) || (keep && c == '\t') || (keep == ESCAPE_KEEP_LAYOUT && c == '\n')) {
			if (out)
				putc((int)c, out);
			cols++;
			continue;
		}
		if (c < 0x80 || !(n = utf8_decode(text + i, len - i, &c))) {
			n = 1;
			cols += print_hex(out, s + i, 1);
			continue;
		}
		if (escape_unsafe(c)) {
			cols += print_hex(out, s + i, n);
			continue;
		}
		if (out)
			fwrite(s + i, 1, n, out);
		cols += IN_TABLE(c, wide) ? 2 : IN_TABLE(c, narrow) ? 0 : 1;
	}
	return cols;
}

/* Returns s itself if nothing has to be escaped, as is usual. */
const char *escape_name(struct arena *a, const char *s)
{
	char *text = NULL;
	size_t len = 0, n = 0;
	FILE *f;

	while (s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	if (!s[n])
		return s;
	f = open_memstream(&text, &len);
	if (f) {
		escape_print(f, s, strlen(s), ESCAPE_ALL);
		fclose(f);
	}
	s = text ? arena_strdup(a, text) : "?";
	free(text);
	return s;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void escape_undo_octal(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) && is_octal(s[3])) {
			*to++ = (char)((s[1] & 7) << 6 | (s[2] & 7) << 3 | (s[3] & 7));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}
