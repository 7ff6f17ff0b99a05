/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quote: see quote.h.
 * Sources: RFC 8259 section 7 (JSON), XML 1.0 section 2.2 (characters), RFC 4180 (CSV). */
#include "print/value/quote.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* A control, a quote or a backslash. */
static void put_json_char(struct out *o, unsigned char c)
{
	static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *p = c ? strchr(named, c) : NULL;
	char buf[8];

	if (p)
		snprintf(buf, sizeof(buf), "\\%c", letters[p - named]);
	else
		snprintf(buf, sizeof(buf), "\\u%04x", c);
	out_str(o, buf);
}

/* A character of ASCII. */
static void put_markup_char(struct out *o, unsigned char c)
{
	const char *s = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : NULL;

	if (s)
		out_str(o, s);
	else if (c >= ' ' || c == '\n' || c == '\t')
		out_bytes(o, (const char *)&c, 1);
	else
		out_str(o, "?"); /* XML has no such characters at all */
}

/* \xHH for each byte, as in text for a terminal. */
static void put_hex(struct out *o, const char *s, size_t n)
{
	char buf[8];

	for (size_t i = 0; i < n; i++) {
		snprintf(buf, sizeof(buf), "\\x%02x", (unsigned char)s[i]);
		out_str(o, buf);
	}
}

/* Printable ASCII but " & < > and the backslash. */
static const bool is_plain[256] = {
	[' '] = true,
	['!'] = true,
	['#' ... '%'] = true,
	['\'' ... ';'] = true,
	['='] = true,
	['?' ... '['] = true,
	[']' ... '~'] = true,
};

size_t quote_plain(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && is_plain[(unsigned char)s[n]])
		n++;
	return n;
}

/* Returns how many bytes were written: most texts are all of them. */
static size_t put_plain(struct out *o, const char *s, size_t len)
{
	size_t n = quote_plain(s, len);

	out_bytes(o, s, n);
	return n;
}

void quote_json(struct out *o, const char *s, size_t len)
{
	char buf[16];

	for (size_t i = put_plain(o, s, len), n; i < len; i += put_plain(o, s + i, len - i)) {
		uint32_t c;

		n = utf8_decode(s + i, len - i, &c);
		if (!n) {
			out_str(o, REPLACEMENT);
		} else if (n == 1 && (c < ' ' || c == '"' || c == '\\' || c == 0x7f)) {
			put_json_char(o, (unsigned char)c);
		} else if (escape_unsafe(c)) {
			snprintf(buf, sizeof(buf), "\\u%04x", c); /* all of them have four digits */
			out_str(o, buf);
		} else {
			out_bytes(o, s + i, n);
		}
		i += n ? n : 1;
	}
}

static void put_markup(struct out *o, const char *s, size_t len, bool html)
{
	char buf[16];

	for (size_t i = put_plain(o, s, len), n; i < len; i += put_plain(o, s + i, len - i)) {
		uint32_t c;

		n = utf8_decode(s + i, len - i, &c);
		if (!n) {
			out_str(o, REPLACEMENT);
		} else if (c != 0x7f && !escape_unsafe(c)) {
			if (n == 1)
				put_markup_char(o, (unsigned char)c);
			else
				out_bytes(o, s + i, n);
		} else if (html) {
			put_hex(o, s + i, n);
		} else {
			snprintf(buf, sizeof(buf), "&#x%x;", c);
			out_str(o, buf);
		}
		i += n ? n : 1;
	}
}

void quote_xml(struct out *o, const char *s, size_t len)
{
	put_markup(o, s, len, false);
}

void quote_html(struct out *o, const char *s, size_t len)
{
	put_markup(o, s, len, true);
}

void quote_csv(struct out *o, const char *s, size_t len)
{
	while (len) {
		const char *quote = memchr(s, '"', len);
		size_t n = quote ? (size_t)(quote - s) + 1 : len;

		out_safe(o, s, n);
		if (quote)
			out_bytes(o, "\"", 1);
		s += n;
		len -= n;
	}
}
