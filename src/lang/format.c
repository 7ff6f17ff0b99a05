/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format: parses formats of printf() and printa(), and computes the buckets of llquantize().
 * Input: the bytes of a format string. Output: items in the arena, each some text and at most one conversion.
 * Invariant: every byte of the input is in exactly one item. A format that parses can be printed without a check.
 * Source: D manual, chapter "Output Formatting". A size prefix does not change the output, as the argument's size is
 * known. The checker compares the two. */
#include "lang/format.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define ADDRESS_WIDTH 16 /* %?x: the digits of an address */

struct fmt_cursor {
	struct arena *arena;
	const char *s;
	size_t len, pos;
	struct diags *to;
	struct loc at; /* of s */
};

/* Reports an error of what begins at off. Returns -EINVAL. */
static int fmt_fail(struct fmt_cursor *c, size_t off, const char *why)
{
	struct loc at = c->at;

	if (at.len == c->len) {
		at.off += (uint32_t)off;
		at.len = (uint32_t)(c->pos < c->len ? c->pos + 1 - off : c->len - off);
	}
	diag_error(c->to, at, D_SYNTAX, NULL, "%s", why);
	return -EINVAL;
}

/* The byte at the cursor; 0 at the end (a NUL in the format ends no conversion either). */
static char fmt_peek(const struct fmt_cursor *c)
{
	return c->pos < c->len ? c->s[c->pos] : '\0';
}

/* The flag of a character of a conversion; 0: it is none. */
static uint32_t flag_of(char ch)
{
	switch (ch) {
	case '-':
		return FMT_MINUS;
	case '+':
		return FMT_PLUS;
	case ' ':
		return FMT_SPACE;
	case '#':
		return FMT_ALT;
	case '0':
		return FMT_ZERO;
	case '\'':
		return FMT_QUOTE;
	case '@':
		return FMT_AGG;
	default:
		return 0;
	}
}

/* digits or '*'; *out stays -1 when there is neither. */
static int parse_number(struct fmt_cursor *c, int *out, bool *star)
{
	size_t at = c->pos;
	long n = 0;

	if (fmt_peek(c) == '*') {
		*star = true;
		c->pos++;
		return 0;
	}
	while (fmt_peek(c) >= '0' && fmt_peek(c) <= '9') {
		n = n * 10 + (fmt_peek(c) - '0');
		if (n > FMT_WIDTH_MAX)
			return fmt_fail(c, at, "the width or precision is too large");
		c->pos++;
		*out = (int)n;
	}
	return 0;
}

/* h hh l ll L q z, and w where it is not that of %wc and %ws. */
static void parse_size(struct fmt_cursor *c, struct fmt_item *it)
{
	char ch = fmt_peek(c), next = c->pos + 1 < c->len ? c->s[c->pos + 1] : '\0';

	if (!ch || !strchr("hlLqzw", ch) || (ch == 'w' && (next == 'c' || next == 's')))
		return;
	it->size[0] = ch;
	c->pos++;
	if ((ch == 'h' || ch == 'l') && fmt_peek(c) == ch) {
		it->size[1] = ch;
		c->pos++;
	}
}

/* Scripts of Solaris write the "@" of an aggregation behind the width, too: "%16@d". */
static void parse_late_at(struct fmt_cursor *c, struct fmt_item *it)
{
	while (fmt_peek(c) == '@') {
		it->flags |= FMT_AGG;
		c->pos++;
	}
}

/* conversion = "%" {flag | "?"} [width] ["@"] ["." [precision]] [size] letter. The cursor is behind the "%". */
static int parse_conversion(struct fmt_cursor *c, struct fmt_item *it)
{
	static const char letters[] = "aABcCdDeEfFgGiIkNoOpPQsSTuUxXyY";
	size_t start = c->pos - 1;
	uint32_t flag;
	int err;

	for (; (flag = flag_of(fmt_peek(c))) || fmt_peek(c) == '?'; c->pos++) {
		it->flags |= flag;
		if (!flag)
			it->width = ADDRESS_WIDTH;
	}
	err = parse_number(c, &it->width, &it->star_width);
	if (err)
		return err;
	parse_late_at(c, it);
	if (fmt_peek(c) == '.') {
		c->pos++;
		err = parse_number(c, &it->prec, &it->star_prec);
		if (err)
			return err;
		/* "%.f": as in C, no digits mean 0. */
		if (it->prec < 0 && !it->star_prec)
			it->prec = 0;
	}
	parse_late_at(c, it);
	parse_size(c, it);
	if (c->pos >= c->len)
		return fmt_fail(c, start, "the format ends within a conversion");
	char ch = c->s[c->pos];

	if (ch == 'w') {
		c->pos++;
		ch = fmt_peek(c);
		it->conv = 'w';
		it->conv2 = ch;
	} else if (ch == '\0' || !strchr(letters, ch) || (strchr("NQ", ch) && !(it->flags & FMT_AGG))) {
		return fmt_fail(c, start,
			it->size[0]                     ? "there is no such conversion after a size"
				: ch > ' ' && ch < 0x7f ? arena_printf(c->arena, "there is no conversion %%%c", ch)
							: "there is no such conversion");
	} else {
		it->conv = ch;
	}
	c->pos++;
	it->conv_text = arena_strndup(c->arena, c->s + start, c->pos - start);
	return 0;
}

/* Text up to the next conversion, "%%" folded. True when a conversion follows (the cursor is behind its "%"). */
static bool parse_text(struct fmt_cursor *c, struct fmt_item *it)
{
	size_t end = c->pos;

	while (end < c->len && (c->s[end] != '%' || (end + 1 < c->len && c->s[end + 1] == '%')))
		end += c->s[end] == '%' ? 2 : 1;
	char *text = arena_alloc(c->arena, end - c->pos + 1);
	bool more = false;

	it->text = text;
	while (c->pos < c->len) {
		char ch = c->s[c->pos++];

		if (ch == '%') {
			/* "%" alone at the end is a conversion cut off. */
			if (fmt_peek(c) != '%') {
				more = true;
				break;
			}
			c->pos++;
		}
		text[it->text_len++] = ch;
	}
	return more;
}

/* At least as many items as the format can have: one more than its "%". */
static size_t count_items(const char *s, size_t len)
{
	size_t n = 1;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '%';
	return n;
}

/* Allocates all items at once, so that it->text stays where it is. */
int fmt_parse(struct arena *a, const char *s, size_t len, struct diags *to, struct loc at, struct fmt *out)
{
	struct fmt_cursor c = { .arena = a, .s = s, .len = len, .to = to, .at = at };
	bool more = true;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->items = ARENA_ARRAY(a, struct fmt_item, count_items(s, len));
	while (!rc && more) {
		struct fmt_item *it = &out->items[out->n];

		it->width = it->prec = -1;
		more = parse_text(&c, it);
		if (more)
			rc = parse_conversion(&c, it);
		if (it->text_len || it->conv)
			out->n++;
		out->nargs += (size_t)it->star_width + (size_t)it->star_prec;
		if (it->conv && !(it->flags & FMT_AGG))
			out->nargs++;
		more = more && c.pos < c.len;
	}
	return rc;
}

size_t llq_bounds(uint32_t factor, uint32_t low, uint32_t high, uint32_t steps, int64_t *bounds, size_t max)
{
	int64_t lo = 1, hi = 0;
	size_t n = 0;

	if (factor < 2 || !steps || low > high)
		return 0;
	for (uint32_t m = 0; m < low; m++)
		if (__builtin_mul_overflow(lo, (int64_t)factor, &lo))
			return 0;
	/* A magnitude m runs from factor^m to factor^(m+1), in steps of factor^(m+1)/steps: what lies below factor^m of
	 * those steps belongs to the magnitudes before. */
	for (uint32_t m = low; m <= high; m++, lo = hi) {
		bool over = __builtin_mul_overflow(lo, (int64_t)factor, &hi);
		int64_t step = (over ? INT64_MAX : hi) / steps;
		int64_t v = lo;

		if (step < 1)
			step = 1;
		do {
			if (n < max)
				bounds[n] = v;
			n++;
		} while (!__builtin_add_overflow(v, step, &v) && (over || v < hi));
		if (over)
			return n;
	}
	if (n < max)
		bounds[n] = hi;
	return n + 1;
}
