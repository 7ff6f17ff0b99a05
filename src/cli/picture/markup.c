/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup: see markup.h. Input: any bytes. Output: text that is itself in HTML and in XML, whatever the input was. */
#include "cli/picture/markup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/* The five characters that mean something. */
static const char *entity_of(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* U+FFFE and U+FFFF are valid UTF-8, but an XML document must not have them. Returns whether one stands at s. */
static int is_nonchar(const char *s, size_t len)
{
	return len >= 3 && !memcmp(s, "\xef\xbf", 2) && (unsigned char)s[2] >= 0xbe;
}

static void put_entities(FILE *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char *entity = entity_of(s[i]);

		if (entity)
			fputs(entity, out);
		else if (is_nonchar(s + i, len - i)) {
			fputs("\xef\xbf\xbd", out);
			i += 2;
		} else
			fputc(s[i], out);
	}
}

/* First what is unsafe anywhere, then what is unsafe in markup. Without memory a mark says that the text is missing. */
void markup_text(FILE *out, const char *s, size_t len)
{
	char *safe = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&safe, &size);

	if (f)
		(void)escape_print(f, s, len, ESCAPE_ALL);
	if (f && !fclose(f) && safe)
		put_entities(out, safe, size);
	else
		fputs("(no memory)", out);
	free(safe);
}

void markup_str(FILE *out, const char *s)
{
	markup_text(out, s, strlen(s));
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */
enum unit unit_of_name(const char *name)
{
	static const struct {
		const char *end;
		enum unit unit;
	} ends[] = { { "bytes", UNIT_BYTES }, { "nanoseconds", UNIT_NS }, { "microseconds", UNIT_US },
		{ "milliseconds", UNIT_MS }, { "_ns", UNIT_NS }, { "_us", UNIT_US }, { "_ms", UNIT_MS } };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t len = strlen(ends[i].end);

		if (n >= len && !strcmp(name + n - len, ends[i].end))
			return ends[i].unit;
		if (n == len - 1 && ends[i].end[0] == '_' && !strcmp(name, ends[i].end + 1))
			return ends[i].unit; /* @us */
	}
	return UNIT_NONE;
}

/* The number in the largest unit of which it has one: steps of 1000. */
static const char *scaled(char *buf, size_t size, double n, const char *const *names)
{
	double m = n < 0 ? -n : n;

	while (m >= 999.5 && names[1])
		n /= 1000, m /= 1000, names++;
	snprintf(buf, size, m >= 99.95 || n == (double)(int64_t)n ? "%.0f %s" : "%.1f %s", n, *names);
	return buf;
}

/* "-1,234,567" */
static const char *grouped(char *buf, size_t size, int64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n < 0 ? -(uint64_t)n : (uint64_t)n);
	size_t at = 0;

	if (n < 0 && size)
		buf[at++] = '-';
	for (int i = 0; i < len && at + 2 < size; i++) {
		buf[at++] = digits[i];
		if ((len - i) % 3 == 1 && i + 1 < len)
			buf[at++] = ',';
	}
	buf[at] = '\0';
	return buf;
}

const char *unit_text(char *buf, size_t size, int64_t n, enum unit unit)
{
	static const char *const bytes[] = { "B", "KB", "MB", "GB", "TB", "PB", NULL };
	static const char *const times[] = { "ns", "\xc2\xb5s", "ms", "s", NULL };

	switch (unit) {
	case UNIT_BYTES:
		return scaled(buf, size, (double)n, bytes);
	case UNIT_NS:
		return scaled(buf, size, (double)n, times);
	case UNIT_US:
		return scaled(buf, size, (double)n, times + 1);
	case UNIT_MS:
		return scaled(buf, size, (double)n, times + 2);
	case UNIT_NONE:
		break;
	}
	return grouped(buf, size, n);
}
