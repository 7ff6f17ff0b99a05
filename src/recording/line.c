/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line: see line.h. Input: a line, not ended by a NUL. Output: its parts; the text is borrowed. */
#include "recording/line.h"

#include <stdio.h>
#include <string.h>

static uint64_t digits(const char *s, const char *end, const char **after)
{
	uint64_t v = 0;

	for (; s < end && *s >= '0' && *s <= '9' && v < UINT64_MAX / 16; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	*after = s;
	return v;
}

bool line_read(struct line *l, const char *text, size_t len)
{
	static const char first[] = "{\"s\":\"", second[] = "\",\"n\":", third[] = ",\"f\":\"";
	const size_t head = sizeof(first) - 1 + LINE_SESSION, number = head + sizeof(second) - 1;
	const char *end = text + len, *quote;
	size_t n;

	if (len <= number || memcmp(text, first, sizeof(first) - 1) != 0 ||
		memcmp(text + head, second, sizeof(second) - 1) != 0 || text[len - 1] != '}')
		return false;
	l->session = text + sizeof(first) - 1;
	if (memchr(l->session, '"', LINE_SESSION))
		return false;
	l->n = digits(text + number, end, &l->rest);
	l->nrest = (size_t)(end - l->rest);
	if (l->nrest < sizeof(third) || memcmp(l->rest, third, sizeof(third) - 1) != 0)
		return false;
	quote = memchr(l->rest + sizeof(third) - 1, '"', l->nrest - (sizeof(third) - 1));
	n = quote ? (size_t)(quote - l->rest) - (sizeof(third) - 1) : sizeof(l->kind);
	if (n >= sizeof(l->kind))
		return false;
	memcpy(l->kind, l->rest + sizeof(third) - 1, n);
	l->kind[n] = '\0';
	return true;
}

uint64_t line_number(const struct line *l, const char *name)
{
	const char *end = l->rest + l->nrest;
	char key[24];
	int n = snprintf(key, sizeof(key), "\"%s\":", name);
	const char *at = memmem(l->rest, l->nrest, key, (size_t)n);

	if (!at)
		return 0;
	at += n;
	at += at < end && *at == '"'; /* beyond 2^53 a number is a text */
	return digits(at, end, &at);
}
