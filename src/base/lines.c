/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines: see lines.h. Input: bytes. Output: lines. Invariant: each byte is looked at once, and no line takes more than
 * lines.max, about. */
#include "base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES 65536u

void lines_open(struct lines *l, int fd, size_t max)
{
	*l = (struct lines){ .fd = fd, .max = max };
}

void lines_close(struct lines *l)
{
	free(l->buf);
	*l = (struct lines){ .fd = -1, .over = true };
}

/* Moves the line that has begun to the front, and makes room behind it. */
static int make_room(struct lines *l)
{
	size_t cap = l->cap ? l->cap : (size_t)2 * READ_BYTES;
	char *buf;

	if (l->from) {
		memmove(l->buf, l->buf + l->from, l->n - l->from);
		l->n -= l->from;
		l->seen -= l->from;
		l->from = 0;
	}
	while (cap - l->n < READ_BYTES)
		cap *= 2;
	if (cap == l->cap)
		return 0;
	buf = realloc(l->buf, cap);
	if (!buf)
		return -ENOMEM;
	l->buf = buf;
	l->cap = cap;
	return 0;
}

int lines_read(struct lines *l)
{
	ssize_t got;

	if (l->over)
		return 0;
	if (make_room(l))
		return -ENOMEM;
	got = read(l->fd, l->buf + l->n, READ_BYTES);
	if (got > 0)
		l->n += (size_t)got;
	else if (!got || (errno != EAGAIN && errno != EINTR)) {
		l->err = got ? -errno : 0;
		l->over = true;
	}
	return 0;
}

/* The part of a line that is too long is forgotten at once. */
static void skip_long(struct lines *l)
{
	if (l->n - l->from <= l->max && !l->skip)
		return;
	l->too_long += !l->skip;
	l->skip = true;
	l->n = l->seen = l->from;
}

const char *lines_next(struct lines *l, size_t *len)
{
	while (l->from < l->n) {
		char *line = l->buf + l->from, *end = memchr(l->buf + l->seen, '\n', l->n - l->seen);
		bool skipped = l->skip;

		if (!end && !l->over) {
			l->seen = l->n;
			skip_long(l);
			return NULL;
		}
		*len = end ? (size_t)(end - line) : l->n - l->from;
		l->from += *len + (end != NULL);
		l->seen = l->from;
		l->skip = false;
		if (!skipped)
			return line;
	}
	return NULL;
}
