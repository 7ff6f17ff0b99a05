/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print: records become text, as dtrace(1) lays it out.
 * An out collects bytes and hands them to a stream in large pieces.
 * Traced bytes are escaped; text that the script itself wrote (literals, formats) passes as it is. */
#ifndef DWIRE_PRINT_PRINT_H
#define DWIRE_PRINT_PRINT_H
#include <stdio.h>

#include "record/value.h"

#define OUT_SIZE 65536u

/* What printf prints are rows of a table (print/rows.h), or not. */
enum row_format { ROWS_NONE, ROWS_TEXT, ROWS_JSON, ROWS_CSV };

/* Bytes on their way to a stream. */
struct out {
	FILE *f;    /* borrowed */
	FILE *main; /* that of out_new(); another: f is a file of out_reopen() */
	bool plain; /* nothing is escaped: the text is not for a terminal */
	enum row_format rows;
	int indent; /* columns before the frames of a stack */
	size_t n;
	uint64_t drained; /* bytes written before those in buf */
	int err;          /* first error of the stream, -errno; nothing is written after it */
	FILE *esc;        /* writes into esc_buf: text that has to be escaped passes through it */
	char *esc_buf;    /* owned */
	size_t esc_size;
	char buf[OUT_SIZE];
};

/* An out for the stream; f is borrowed. NULL: no memory. */
struct out *out_new(FILE *f);
/* Does not flush; NULL is fine. */
void out_free(struct out *o);
/* 0, or the first error of the stream (-EPIPE, ...). */
int out_flush(struct out *o) __attribute__((warn_unused_result));
/* Writes into the file from here on, appending; path NULL: into the first stream again. 0 or -errno. */
int out_reopen(struct out *o, const char *path) __attribute__((warn_unused_result));
/* Empties the file that is written to, if it is one. */
void out_truncate(struct out *o);
void out_bytes(struct out *o, const char *s, size_t len);
void out_str(struct out *o, const char *s);
void out_pad(struct out *o, size_t n);
/* Bytes since out_new(). */
uint64_t out_total(const struct out *o);
/* Text that was traced, escaped for a terminal. */
void out_safe(struct out *o, const char *s, size_t len);
/* Decimal, right-aligned in width columns. */
void out_int(struct out *o, int64_t v, size_t width);
/* Text padded to |width| columns; left-aligned when width is negative. raw: as it is, else escaped. */
void out_text(struct out *o, const char *s, size_t len, bool raw, int width);

/* One conversion of a format. width and prec replace those of the item (they may have come from arguments). */
void print_conv(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v);
/* Where the arguments of a format come from, in order; those for "*" too. */
struct fmt_source {
	const struct value *(*next)(struct fmt_source *src); /* past the last: an empty string */
	void (*agg)(struct fmt_source *src, struct out *o, const struct fmt_item *it, size_t *owed); /* %@; or NULL */
};
void print_walk(struct out *o, const struct fmt *fmt, struct fmt_source *src);
/* printf: takes the arguments in order, those for "*" included. */
void print_format(struct out *o, const struct decoder *dec, const struct fmt *fmt, const struct field *args,
	size_t nargs, const uint8_t *data, size_t len);
/* indent: columns before a frame; -1: the out's. */
void print_stack(struct out *o, const struct value *v, int indent);
/* A stack that is to be written in one line, outermost frame first (-x stackfmt=folded)? */
bool print_is_folded(const struct value *v);
/* A value without blanks around it. */
void print_plain(struct out *o, const struct value *v);
/* trace(): dtrace's default layout, plain when quiet. */
void print_trace(struct out *o, const struct value *v, bool quiet);
/* trace() of a string under -x rawbytes: all bytes of its buffer, of size bytes, as memory. */
void print_trace_raw(struct out *o, const struct value *v, size_t size);
/* "CPU     ID                    FUNCTION:NAME" */
void print_header(struct out *o);
/* "  0      1                           :BEGIN " */
void print_head(struct out *o, unsigned cpu, const struct image_probe *p);
/* print(): type and value, structures member by member. */
void print_typed(struct out *o, const struct ptype *t, const struct value *v);
/* Memory as tracemem() shows it: a newline, a ruler, then 16 bytes a line. */
void print_dump(struct out *o, const uint8_t *p, size_t len);
#endif
