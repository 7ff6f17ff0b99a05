/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values: formats, the default layout of values, memory.
 * Input: decoded values. Output: text in an out. */
#include "print/value/values.h"

#include <ctype.h>
#include <string.h>

#include "print/value/stack.h"

void print_plain(struct out *o, const struct value *v)
{
	if (v->kind == VALUE_STACK)
		o->style->stack(o, v, -1);
	else if (v->kind == VALUE_INT)
		out_int(o, (int64_t)v->i, 0);
	else
		out_text(o, v->s, v->len, v->trusted, 0);
}

/* ---- printf ------------------------------------------------------------------------------------------------------ */
/* A width or precision taken from the arguments, within bounds: records may hold anything. */
static int next_star(struct fmt_source *src)
{
	const struct value *v = src->next(src);
	int64_t n = v->kind == VALUE_INT ? (int64_t)v->i : 0;

	return n > FMT_WIDTH_MAX ? FMT_WIDTH_MAX : n < -FMT_WIDTH_MAX ? -FMT_WIDTH_MAX : (int)n;
}

/* Widths and precisions with "*" take an argument each, before the value, as in C. */
static void read_stars(struct fmt_item *it, struct fmt_source *src)
{
	if (it->star_width) {
		it->width = next_star(src);
		/* As in C: a negative width is the flag "-" and a width. */
		if (it->width < 0) {
			it->flags |= FMT_MINUS;
			it->width = -it->width;
		}
	}
	if (it->star_prec)
		it->prec = next_star(src);
}

void print_walk(struct out *o, const struct fmt *fmt, struct fmt_source *src)
{
	size_t owed = 0;

	for (size_t i = 0; i < fmt->n; i++) {
		const struct fmt_item *it = &fmt->items[i];
		struct fmt_item starred;

		out_bytes(o, it->text, it->text_len);
		if (!it->conv)
			continue;
		if (it->star_width || it->star_prec) {
			starred = *it;
			read_stars(&starred, src);
			it = &starred;
		}
		if (it->flags & FMT_AGG && src->agg)
			src->agg(src, o, it, &owed);
		else
			o->style->conv(o, it, it->width, it->prec, src->next(src), &owed);
	}
}

/* The values of a record. */
struct value_source {
	struct fmt_source src;
	const struct value *next, *end;
};

/* Past the last value: an empty text. */
static const struct value *next_value(struct fmt_source *src)
{
	static const struct value none = { .kind = VALUE_TEXT, .field = FIELD_CHARS, .s = "" };
	struct value_source *s = (struct value_source *)src;

	return s->next < s->end ? s->next++ : &none;
}

void print_format(struct out *o, const struct fmt *fmt, const struct value *values, size_t n)
{
	struct value_source s = { .src = { next_value, NULL }, .next = values, .end = values + n };

	print_walk(o, fmt, &s.src);
}

/* Printable characters, and nothing but NULs behind them. */
static bool is_text(const char *s, size_t len)
{
	size_t n = strnlen(s, len);

	for (size_t i = 0; i < len; i++)
		if (i < n ? !isprint((unsigned char)s[i]) && !strchr("\a\b\t\n\v\f\r", s[i]) : s[i])
			return false;
	return n;
}

/* The sizes of integers become integers. 4 bytes are taken as signed, as in DTrace. */
struct value print_shown_as(const struct value *v)
{
	uint64_t word = 0;

	if (v->len == 1 || v->len == 2 || v->len == 4 || v->len == 8) {
		memcpy(&word, v->s, v->len);
		if (v->len == 4)
			word = (uint64_t)(int32_t)word;
		return (struct value){ .kind = VALUE_INT, .field = FIELD_INT, .i = word, .size = (uint8_t)v->len };
	}
	if (is_text(v->s, v->len))
		return (struct value){
			.kind = VALUE_TEXT, .field = FIELD_CHARS, .s = v->s, .len = strnlen(v->s, v->len)
		};
	return *v;
}

/* ---- default layout ---------------------------------------------------------------------------------------------- */
/* Columns are those of dtrace(1): 16, 8, 5 or 3 for integers by size, 50 for symbols, 33 for strings. */
void print_trace(struct out *o, const struct value *v, bool quiet)
{
	switch (v->kind) {
	case VALUE_INT:
		if (!quiet)
			out_pad(o, 1);
		out_int(o, (int64_t)v->i, quiet ? 0 : v->size == 8 ? 16 : v->size == 4 ? 8 : v->size == 2 ? 5 : 3);
		break;
	case VALUE_STACK:
		o->style->stack(o, v, -1);
		out_bytes(o, "\n", stack_is_folded(v));
		break;
	case VALUE_TEXT:
		if (value_is_symbol(v)) {
			out_pad(o, 2);
			out_text(o, v->s, v->len, false, -50);
			break;
		}
		if (!quiet)
			out_pad(o, 2);
		out_text(o, v->s, v->len, v->trusted, quiet ? 0 : -33);
		break;
	case VALUE_BYTES:
		print_dump(o, (const uint8_t *)v->s, v->len);
		break;
	}
}

/* Bytes behind the string's end are zero: the record holds only its length. */
void print_trace_raw(struct out *o, const struct value *v, size_t size)
{
	uint8_t buf[4096] = { 0 };

	size = size < sizeof(buf) ? size : sizeof(buf);
	memcpy(buf, v->s, v->len < size ? v->len : size);
	print_dump(o, buf, size);
}

/* One line: "         0: 2f 62 69 6e 2f 6c 73 00 01 20 61 62 63 64 65 66  /bin/ls.. abcdef". Bytes that are no
 * printable ASCII show as ".". */
void print_dump(struct out *o, const uint8_t *p, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	char off[16];

	out_str(o, "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n");
	for (size_t at = 0; at < len; at += 16) {
		char line[16 * 3 + 1 + 16 + 1];
		size_t n = len - at < 16 ? len - at : 16;

		memset(line, ' ', sizeof(line));
		for (size_t i = 0; i < n; i++) {
			uint8_t b = p[at + i];

			line[i * 3] = hex[b >> 4];
			line[i * 3 + 1] = hex[b & 15];
			line[49 + i] = (char)(b >= 0x20 && b < 0x7f ? b : '.');
		}
		line[49 + n] = '\n';
		int k = snprintf(off, sizeof(off), "%10zx: ", at);

		out_bytes(o, off, k > 0 ? (size_t)k : 0);
		out_bytes(o, line, 50 + n);
	}
}
