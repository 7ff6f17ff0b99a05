/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out: bytes on their way to a stream.
 * Input: text, raw or to be escaped. Output: the stream, in pieces of up to OUT_SIZE bytes.
 * Invariant: after the first error of the stream nothing more is written and every call stays harmless.
 * No memory is allocated after out_new(). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "print/print.h"
#include "print/rows.h"

/* Traced strings are escaped in pieces of at most this many bytes; a byte becomes at most four. */
#define ESC_PIECE 1024

struct out *out_new(FILE *f)
{
	struct out *o = malloc(sizeof(*o));

	if (!o)
		return NULL;
	o->f = o->main = f;
	o->plain = false;
	o->rows = ROWS_NONE;
	o->indent = 0;
	o->drained = 0;
	o->n = 0;
	o->err = 0;
	o->esc = NULL;
	o->esc_size = ESC_PIECE * 4 + 1;
	o->esc_buf = malloc(o->esc_size);
	if (o->esc_buf)
		o->esc = fmemopen(o->esc_buf, o->esc_size, "w");
	if (!o->esc) {
		out_free(o);
		return NULL;
	}
	return o;
}

void out_free(struct out *o)
{
	if (!o)
		return;
	if (o->f != o->main)
		fclose(o->f);
	if (o->esc)
		fclose(o->esc);
	free(o->esc_buf);
	free(o);
}

static void out_fail(struct out *o)
{
	if (!o->err)
		o->err = errno ? -errno : -EIO;
}

static void out_drain(struct out *o)
{
	errno = 0;
	if (o->n && !o->err && fwrite(o->buf, 1, o->n, o->f) != o->n)
		out_fail(o);
	o->drained += o->n;
	o->n = 0;
}

uint64_t out_total(const struct out *o)
{
	return o->drained + o->n;
}

int out_flush(struct out *o)
{
	out_drain(o);
	errno = 0;
	if (!o->err && fflush(o->f))
		out_fail(o);
	return o->err;
}

int out_reopen(struct out *o, const char *path)
{
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1, err = fd < 0 ? -errno : 0;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "a");

	if (path && !f) {
		if (fd >= 0)
			close(fd);
		return err ? err : -ENOMEM;
	}
	(void)!out_flush(o); /* an error stays in o->err */
	if (o->f != o->main)
		fclose(o->f);
	o->f = f ? f : o->main;
	return 0;
}

void out_truncate(struct out *o)
{
	(void)!out_flush(o);
	/* A terminal or a pipe has nothing to be emptied. */
	if (ftruncate(fileno(o->f), 0) == 0)
		(void)fseek(o->f, 0, SEEK_SET);
}

void out_bytes(struct out *o, const char *s, size_t len)
{
	if (len > OUT_SIZE - o->n) {
		out_drain(o);
		if (len > OUT_SIZE) {
			errno = 0;
			if (!o->err && fwrite(s, 1, len, o->f) != len)
				out_fail(o);
			o->drained += len;
			return;
		}
	}
	if (len)
		memcpy(o->buf + o->n, s, len);
	o->n += len;
}

void out_str(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

void out_pad(struct out *o, size_t n)
{
	static const char blanks[] = "                                                                ";

	for (; n >= sizeof(blanks); n -= sizeof(blanks) - 1)
		out_bytes(o, blanks, sizeof(blanks) - 1);
	out_bytes(o, blanks, n);
}

void out_int(struct out *o, int64_t v, size_t width)
{
	char buf[24], *p = buf + sizeof(buf);
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;

	do
		*--p = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		*--p = '-';
	size_t n = (size_t)(buf + sizeof(buf) - p);

	if (n < width)
		out_pad(o, width - n);
	out_bytes(o, p, n);
}

static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < 0x20 || s[i] >= 0x7f)
			return false;
	return true;
}

/* Columns of text that is written as it is: its bytes less the continuation bytes of UTF-8. */
static size_t raw_columns(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* The length of the next piece: not within a UTF-8 character. */
static size_t piece_of(const char *s, size_t len)
{
	if (len <= ESC_PIECE)
		return len;
	size_t n = ESC_PIECE;

	while (n > ESC_PIECE - 4 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void out_safe(struct out *o, const char *s, size_t len)
{
	while (len) {
		size_t n = piece_of(s, len);

		rewind(o->esc);
		(void)escape_print(o->esc, s, n, 1);
		/* Position before the flush: fflush() of a memory stream appends a NUL. */
		long end = ftell(o->esc);

		if (end > 0 && !fflush(o->esc))
			out_bytes(o, o->esc_buf, (size_t)end);
		s += n;
		len -= n;
	}
}

void out_text(struct out *o, const char *s, size_t len, bool raw, int width)
{
	bool plain;

	if (o->rows > ROWS_TEXT) {
		rows_text(o, s, len);
		return;
	}
	plain = is_plain(s, len);
	size_t want = width < 0 ? (size_t) - (long)width : (size_t)width;
	size_t cols = plain ? len : raw ? raw_columns(s, len) : want ? escape_print(NULL, s, len, 1) : 0;

	raw = raw || o->plain;
	if (width > 0 && cols < want)
		out_pad(o, want - cols);
	if (plain || raw)
		out_bytes(o, s, len);
	else
		out_safe(o, s, len);
	if (width < 0 && cols < want)
		out_pad(o, want - cols);
}
