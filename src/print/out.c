/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out: see out.h.
 * Input: text, raw or to be escaped. Output: the stream, in pieces of up to OUT_SIZE bytes.
 * Invariant: after the first error of the stream nothing more is written and every call stays harmless.
 * No memory is allocated after out_new(). */
#include "print/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "base/escape.h"
#include "print/patience.h"

/* Traced strings are escaped in pieces of at most this many bytes; a byte becomes at most four. */
#define ESC_PIECE 1024

/* Looks at what f is. */
static void out_look(struct out *o)
{
	char path[32];
	struct stat st;
	int fd = fileno(o->f);

	/* Pipes, sockets and terminals may block. */
	o->blocks = fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode);
	o->terminal = o->blocks && isatty(fd);
	o->nowait = -1;
	if (!o->terminal)
		return;
	/* O_NONBLOCK on the descriptor itself would be that of all who share it. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o->nowait = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

struct out *out_new(FILE *f, const struct style *style, const struct options *options)
{
	struct out *o = malloc(sizeof(*o));

	if (!o)
		return NULL;
	o->f = o->main = f;
	o->stop = NULL;
	o->report = NULL;
	out_look(o);
	o->style = style;
	o->options = options;
	o->drained = o->whole = 0;
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
	if (o->nowait >= 0)
		close(o->nowait);
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

/* Writes to a descriptor that may block. After poll(2) a pipe takes PIPE_BUF bytes at least, so that write(2) does not
 * wait. False, with errno: it failed. */
static bool write_patiently(const struct out *o, const char *s, size_t len)
{
	int fd = o->nowait >= 0 ? o->nowait : fileno(o->f), r;

	if (fflush(o->f))
		return false;
	while (len) {
		size_t n = len < PIPE_BUF || o->nowait >= 0 ? len : PIPE_BUF;
		ssize_t done;

		r = patience_wait(o->stop, fd, POLLOUT, patience_ended(o->stop) ? OUT_PATIENCE : -1);
		if (r < 0)
			continue; /* from now on patience has a limit */
		if (!r) {
			errno = ETIMEDOUT;
			return false;
		}
		done = write(fd, s, n);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		s += done > 0 ? done : 0;
		len -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* Writes at once. Without a stop descriptor, or to a plain file, stdio may block. */
static void out_write(struct out *o, const char *s, size_t len)
{
	errno = 0;
	if (!len || o->err)
		return;
	if (o->terminal)
		report_progress(o->report, NULL, 0, 0);
	if (o->stop && o->blocks ? !write_patiently(o, s, len) : fwrite(s, 1, len, o->f) != len)
		out_fail(o);
}

/* After an error its bytes are only counted. */
void out_drain(struct out *o)
{
	out_write(o, o->buf, o->n);
	o->drained += o->n;
	o->n = 0;
	if (!o->err)
		o->whole = o->drained;
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

int out_settle(struct out *o)
{
	int err = out_flush(o);

	if (!err && o->blocks && patience_deserted(fileno(o->f)))
		o->err = -EPIPE;
	return o->err;
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* A descriptor or -errno. Without O_NONBLOCK a FIFO that nobody reads could not be given up. */
static int open_patiently(const int *stop, const char *path)
{
	int fd;

	for (;;) {
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
		if (fd >= 0 || errno != ENXIO || !is_fifo(path))
			break;
		if (patience_wait(stop, -1, 0, 20) < 0)
			return -EINTR;
	}
	if (fd < 0)
		return -errno;
	return fcntl(fd, F_SETFL, O_APPEND) < 0 ? -errno : fd;
}

/* The former stream is flushed first and, unless it is the main one, closed. */
int out_reopen(struct out *o, const char *path)
{
	int fd = path ? open_patiently(o->stop, path) : -1;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "a");

	if (path && !f) {
		if (fd >= 0)
			close(fd);
		return fd < 0 ? fd : -ENOMEM;
	}
	(void)!out_flush(o); /* an error stays in o->err */
	if (o->f != o->main)
		fclose(o->f);
	o->f = f ? f : o->main;
	if (o->nowait >= 0)
		close(o->nowait);
	out_look(o);
	return 0;
}

void out_truncate(struct out *o)
{
	(void)!out_flush(o);
	/* A terminal or a pipe has nothing to be emptied. */
	if (ftruncate(fileno(o->f), 0) == 0)
		(void)fseek(o->f, 0, SEEK_SET);
}

/* What does not fit the empty buffer bypasses it. */
void out_large(struct out *o, const char *s, size_t len)
{
	out_drain(o);
	if (len <= OUT_SIZE) {
		out_bytes(o, s, len);
		return;
	}
	out_write(o, s, len);
	o->drained += len;
	if (!o->err)
		o->whole = o->drained;
}

void out_str(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

/* Writes n blanks. */
void out_pad(struct out *o, size_t n)
{
	static const char blanks[] = "                                                                ";

	for (; n >= sizeof(blanks); n -= sizeof(blanks) - 1)
		out_bytes(o, blanks, sizeof(blanks) - 1);
	out_bytes(o, blanks, n);
}

/* INT64_MIN works: the sign is removed in unsigned arithmetic. */
void out_int(struct out *o, int64_t v, size_t width)
{
	char buf[DIGITS_ROOM + 1], *p = buf;
	size_t n;

	*p = '-';
	p = digits_put(p + (v < 0), v < 0 ? -(uint64_t)v : (uint64_t)v);
	n = (size_t)(p - buf);
	if (n < width)
		out_pad(o, width - n);
	out_bytes(o, buf, n);
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

/* Escapes piece by piece through a memory stream, so that memory is bounded. */
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
