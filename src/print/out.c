/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out: see out.h.
 * Input: text, raw or to be escaped. Output: the stream, in pieces of up to OUT_SIZE bytes.
 * Invariant: after the first error of the stream nothing more is written and every call stays harmless.
 * No memory is allocated after out_new(). */
#include "print/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"

/* Traced strings are escaped in pieces of at most this many bytes; a byte becomes at most four. */
#define ESC_PIECE 1024

struct out *out_new(FILE *f, const struct style *style, const struct options *options)
{
	struct out *o = malloc(sizeof(*o));

	if (!o)
		return NULL;
	o->f = o->main = f;
	o->style = style;
	o->options = options;
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

/* Keeps the first error of the stream. */
static void out_fail(struct out *o)
{
	if (!o->err)
		o->err = errno ? -errno : -EIO;
}

/* Hands the buffer to the stream. After an error its bytes are only counted. */
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

char out_last(const struct out *o)
{
	return o->n ? o->buf[o->n - 1] : '\0';
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
		(void)escape_print(o->esc, s, n, ESCAPE_KEEP_TAB);
		/* Position before the flush: fflush() of a memory stream appends a NUL. */
		long end = ftell(o->esc);

		if (end > 0 && !fflush(o->esc))
			out_bytes(o, o->esc_buf, (size_t)end);
		s += n;
		len -= n;
	}
}
