/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print: records become text, as dtrace(1) lays it out.
 * An out collects bytes and hands them to a stream in large pieces; a pval is a decoded argument, ready to print.
 * Traced bytes are escaped; text that the script itself wrote (literals, formats) passes as it is. */
#ifndef DWIRE_PRINT_PRINT_H
#define DWIRE_PRINT_PRINT_H
#include <stdio.h>

#include "image/image.h"

#define OUT_SIZE 65536u

/* What printf prints are rows of a table (print/rows.h), or not. */
enum row_format { ROWS_NONE, ROWS_TEXT, ROWS_JSON, ROWS_CSV };

/* Bytes on their way to a stream. */
struct out {
	FILE *f;    /* borrowed */
	FILE *main; /* that of out_new(); another: f is a file of out_reopen() */
	bool plain; /* nothing is escaped: the text is not for a terminal */
	enum row_format rows;
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

/* A decoded argument or key. */
enum pval_kind { PVAL_INT, PVAL_TEXT, PVAL_BYTES, PVAL_STACK };
struct pval {
	enum pval_kind kind;
	bool is_signed; /* PVAL_INT */
	bool is_float;  /* PVAL_INT: i has the bytes of a float or, by its size, of a double */
	bool raw;       /* PVAL_TEXT: comes from the script or from a number, not escaped */
	uint8_t size;   /* PVAL_INT: 1, 2, 4, 8 */
	bool symbol;    /* PVAL_TEXT: the name of an address */
	bool zone;      /* PVAL_TEXT: the name of a network namespace */
	bool user;      /* PVAL_STACK: of a process */
	bool copied;    /* PVAL_STACK: registers and a copy of the stack, not frames */
	const struct pval_env *env;
	uint64_t i;    /* extended to 64 bits by its own signedness */
	const char *s; /* borrowed: the data, the image, or the scratch given to pval_read */
	size_t len;
};

#define PVAL_SCRATCH 48

struct symtext;

/* What decoding needs besides the data. */
struct pval_env {
	const struct image *image;
	const char *(*zone_name)(void *ctx, uint32_t inum); /* NULL: zones print as numbers */
	const char *(*moved)(void *ctx);                    /* text of DW_STR_MOVED; NULL: none */
	struct symtext *symtext;                            /* NULL: addresses print as numbers */
	void *ctx;
};

/* Decodes a field of len bytes of data. A field that does not lie in the data reads as 0, "" or no bytes. */
void pval_read(const struct pval_env *env, const struct field *f, const uint8_t *data, size_t len,
	char scratch[PVAL_SCRATCH], struct pval *out);

/* One conversion of a format. width and prec replace those of the item (they may have come from arguments). */
void print_conv(struct out *o, const struct fmt_item *it, int width, int prec, const struct pval *v);
/* Where the arguments of a format come from, in order; those for "*" too. */
struct fmt_source {
	const struct pval *(*next)(struct fmt_source *src); /* past the last: an empty string */
	void (*agg)(struct fmt_source *src, struct out *o, const struct fmt_item *it, size_t *owed); /* %@; or NULL */
};
void print_walk(struct out *o, const struct fmt *fmt, struct fmt_source *src);
/* printf: takes the arguments in order, those for "*" included. */
void print_format(struct out *o, const struct pval_env *env, const struct fmt *fmt, const struct field *args,
	size_t nargs, const uint8_t *data, size_t len);
/* indent -1: as -x stackindent says. */
void print_stack(struct out *o, const struct pval *v, int indent);
/* A stack that is to be written in one line, outermost frame first (-x stackfmt=folded)? */
bool print_is_folded(const struct pval *v);
/* A value without blanks around it. */
void print_plain(struct out *o, const struct pval *v);
/* trace(): dtrace's default layout, plain when quiet. */
void print_trace(struct out *o, const struct pval *v, bool quiet);
/* trace() of a string under -x rawbytes: all bytes of its buffer, of size bytes, as memory. */
void print_trace_raw(struct out *o, const struct pval *v, size_t size);
/* "CPU     ID                    FUNCTION:NAME" */
void print_header(struct out *o);
/* "  0      1                           :BEGIN " */
void print_head(struct out *o, unsigned cpu, const struct image_probe *p);
/* print(): type and value, structures member by member. */
void print_typed(struct out *o, const struct ptype *t, const struct pval *v);
/* Memory as tracemem() shows it: a newline, a ruler, then 16 bytes a line. */
void print_dump(struct out *o, const uint8_t *p, size_t len);
#endif
