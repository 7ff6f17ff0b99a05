/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out: bytes on their way to a stream, collected into large pieces.
 * A style says how values look in what is written: for a terminal, for a shell, within JSON or CSV. What traced
 * processes or packets chose passes out_text(); what the script or dwire itself wrote passes out_bytes(). */
#ifndef DWIRE_PRINT_OUT_H
#define DWIRE_PRINT_OUT_H
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "image/image.h"
#include "options/options.h"
#include "record/value.h"

#define OUT_SIZE 65536u
#define OUT_PATIENCE 1000

struct out;

/* Styles: print/value/style.h. */
struct style {
	/* Text padded to |width| columns, left-aligned when width is negative. trusted: nothing is escaped. */
	void (*text)(struct out *o, const char *s, size_t len, bool trusted, int width);
	/* One conversion of a format; width and prec replace those of the item. owed: the columns by which
	 * earlier values were too wide. */
	void (*conv)(
		struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *owed);
	/* indent: columns before a frame; -1: as -x stackindent says. */
	void (*stack)(struct out *o, const struct value *v, int indent);
	void (*dist)(struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal);
};

struct out {
	const struct style *style;
	const struct options *options; /* borrowed; setopt() may change them */
	FILE *f;                       /* borrowed */
	const int *stop;               /* borrowed; print/patience.h. NULL after out_new() */
	const struct reporter *report; /* borrowed: whose progress ends before output; NULL after out_new() */
	bool blocks;                   /* writing to f may wait for a reader */
	bool terminal;                 /* f is one: progress would stand in the midst of it */
	int nowait;                    /* f's terminal, opened again so that writing does not wait; or -1 */
	FILE *main;                    /* the stream of out_new(); if f differs, it is a file of out_reopen() */
	size_t n;
	uint64_t drained; /* bytes written before those in buf */
	uint64_t whole;   /* ... up to the last write that did not fail */
	int err;          /* first error of the stream, -errno; nothing is written after it */
	FILE *esc;        /* writes into esc_buf: text that has to be escaped passes through it */
	char *esc_buf;    /* owned */
	size_t esc_size;
	char buf[OUT_SIZE];
};

/* An out for the stream. All pointers are borrowed. NULL: no memory. */
struct out *out_new(FILE *f, const struct style *style, const struct options *options);
/* Does not flush; NULL is fine. */
void out_free(struct out *o);
/* 0, or the first error of the stream: -EPIPE: the reader is gone; -ETIMEDOUT: it has taken nothing for OUT_PATIENCE ms
 * after the trace was asked to stop; ... */
int out_flush(struct out *o) __attribute__((warn_unused_result));
/* The same at the end of a pass, where also a reader is missed that is gone before there was anything to write. */
int out_settle(struct out *o) __attribute__((warn_unused_result));
/* Writes into the file from here on, appending; path NULL: into the first stream again. Waits for the reader of a FIFO.
 * 0 or -errno; -EINTR: the trace was asked to stop. */
int out_reopen(struct out *o, const char *path) __attribute__((warn_unused_result));
/* Empties the file that is written to, if it is one. */
void out_truncate(struct out *o);
/* out_bytes() of what the buffer has no room for. */
void out_large(struct out *o, const char *s, size_t len);
/* Hands the buffer to the stream, which may write a part of a line. */
void out_drain(struct out *o);
/* Where n bytes may be written, n <= OUT_SIZE; out_upto() says up to where they were. */
static inline char *out_room(struct out *o, size_t n)
{
	if (n > OUT_SIZE - o->n)
		out_drain(o);
	return o->buf + o->n;
}
static inline void out_upto(struct out *o, const char *end)
{
	o->n = (size_t)(end - o->buf);
}
static inline void out_char(struct out *o, char c)
{
	*out_room(o, 1) = c;
	o->n++;
}
/* Most texts have a few bytes: a loop instead of a call. */
static inline void out_copy(char *to, const char *s, size_t len)
{
	if (len > 8)
		memcpy(to, s, len);
	else
		for (size_t i = 0; i < len; i++)
			to[i] = s[i];
}
static inline void out_bytes(struct out *o, const char *s, size_t len)
{
	if (len > OUT_SIZE || len > OUT_SIZE - o->n) {
		out_large(o, s, len);
		return;
	}
	out_copy(o->buf + o->n, s, len);
	o->n += len;
}
void out_str(struct out *o, const char *s);
void out_pad(struct out *o, size_t n);
/* The byte written last; 0: none, or it is not known any more. */
char out_last(const struct out *o);
/* Bytes since out_new(). */
static inline uint64_t out_total(const struct out *o)
{
	return o->drained + o->n;
}
/* Traced text, escaped for a terminal; a newline is escaped, too. */
void out_safe(struct out *o, const char *s, size_t len);
/* Decimal, right-aligned in width columns. */
void out_int(struct out *o, int64_t v, size_t width);
/* Text in the style of the out. */
static inline void out_text(struct out *o, const char *s, size_t len, bool trusted, int width)
{
	o->style->text(o, s, len, trusted, width);
}
#endif
