/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes: see bytes.h. Input: pieces of text. Output: one text, or its lines.
 * Invariant: room at least doubles, so that a byte is copied a bounded number of times. */
#include "recording/bytes.h"

#include <stdlib.h>
#include <string.h>

bool bytes_room(struct bytes *b, size_t n)
{
	char *v;

	if (n <= b->cap)
		return true;
	v = realloc(b->v, n);
	if (!v)
		return false;
	b->v = v;
	b->cap = n;
	return true;
}

bool bytes_append(struct bytes *b, const char *s, size_t n)
{
	if (n > b->cap - b->n && !bytes_room(b, 2 * (b->n + n)))
		return false;
	if (n)
		memcpy(b->v + b->n, s, n);
	b->n += n;
	return true;
}

/* A whole line is handed on where it stands. */
bool bytes_lines(struct bytes *part, const char *text, size_t n, bool (*take)(void *ctx, const char *line, size_t len),
	void *ctx)
{
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) + 1 : n;

		if (part->n || !end) {
			if (!bytes_append(part, text, len) || (end && !take(ctx, part->v, part->n)))
				return false;
			part->n = end ? 0 : part->n;
		} else if (!take(ctx, text, len))
			return false;
		text += len;
		n -= len;
	}
	return true;
}
