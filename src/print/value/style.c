/* SPDX-License-Identifier: GPL-2.0-or-later */
/* style: see style.h.
 * Invariant: with json, whatever was traced, a row that its format makes well-formed is well-formed. */
#include "print/value/style.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "print/value/dist.h"
#include "print/value/quote.h"
#include "print/value/stack.h"
#include "print/value/values.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */
/* Printable ASCII. */
static bool is_plain(const char *s, size_t len)
{
	const uint64_t ones = UINT64_MAX / 255, high = ones * 0x80;
	size_t i = 0;
	uint64_t w;

	/* 8 bytes at once: none is 0x80 or above, none becomes so by + 1 (0x7f), and none borrows by - 0x20. */
	for (; i + 8 <= len; i += 8) {
		memcpy(&w, s + i, 8);
		if ((w | (w + ones) | (w - ones * 0x20)) & high)
			return false;
	}
	for (; i < len; i++)
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

/* cols: columns that the text takes; as_is: it is not escaped. */
static void put_padded(struct out *o, const char *s, size_t len, size_t cols, bool as_is, int width)
{
	size_t want = width < 0 ? (size_t) - (long)width : (size_t)width;

	if (width > 0 && cols < want)
		out_pad(o, want - cols);
	if (as_is)
		out_bytes(o, s, len);
	else
		out_safe(o, s, len);
	if (width < 0 && cols < want)
		out_pad(o, want - cols);
}

static void text_escaped(struct out *o, const char *s, size_t len, bool trusted, int width)
{
	bool plain = is_plain(s, len);
	size_t cols = plain ? len
		: trusted   ? raw_columns(s, len)
		: width     ? escape_print(NULL, s, len, ESCAPE_KEEP_TAB)
			    : 0;

	put_padded(o, s, len, cols, plain || trusted, width);
}

static void text_plain(struct out *o, const char *s, size_t len, bool trusted, int width)
{
	size_t cols = trusted || is_plain(s, len) ? raw_columns(s, len)
		: width                           ? escape_print(NULL, s, len, ESCAPE_KEEP_TAB)
						  : 0;

	put_padded(o, s, len, cols, true, width);
}

/* In a field of a row widths mean nothing. */
static void text_json(struct out *o, const char *s, size_t len, bool trusted, int width)
{
	(void)trusted;
	(void)width;
	quote_json(o, s, len);
}

static void text_csv(struct out *o, const char *s, size_t len, bool trusted, int width)
{
	(void)width;
	/* -x csvsafe: a cell that a spreadsheet would compute begins with a quote, which the spreadsheet does not
	 * show. */
	if (o->options->csvsafe && !trusted && len && strchr("=+-@\t\r", s[0]) && out_last(o) == '"')
		out_bytes(o, "'", 1);
	quote_csv(o, s, len);
}

/* ---- unknown values --------------------------------------------------------------------------------------------- */
/* %#d of -1 and %#s of "" are values that are not known: null in JSON, nothing in CSV, "-" in columns. */
static bool is_unknown(const struct fmt_item *it, const struct value *v)
{
	if (!(it->flags & FMT_ALT))
		return false;
	return (v->kind == VALUE_INT && (it->conv == 'd' || it->conv == 'B') && v->is_signed && (int64_t)v->i == -1) ||
		(v->kind == VALUE_TEXT && it->conv == 's' && !v->len);
}

static void conv_json(
	struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *owed)
{
	bool quotes = it->flags & FMT_ALT && it->conv == 's';

	(void)owed;
	if (is_unknown(it, v)) {
		out_bytes(o, "null", 4);
		return;
	}
	out_bytes(o, "\"", quotes);
	print_conv(o, it, width, prec, v);
	out_bytes(o, "\"", quotes);
}

static void conv_csv(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *owed)
{
	(void)owed;
	if (!is_unknown(it, v))
		print_conv(o, it, width, prec, v);
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */
static void conv_alone(
	struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *owed)
{
	(void)owed;
	print_conv(o, it, width, prec, v);
}

/* The decimal digits of a number, with its sign, before end. Returns where they begin. */
static inline char *put_decimal(char *end, const struct value *v)
{
	bool negative = v->is_signed && (int64_t)v->i < 0;
	uint64_t u = negative ? -v->i : v->i;

	do
		*--end = (char)('0' + u % 10);
	while (u /= 10);
	if (negative)
		*--end = '-';
	return end;
}

/* Most of what a line has: plain text under %s and numbers under %d, padded by blanks. Writes them as print_conv()
 * would; false: it is something else, and nothing is written. */
static inline bool put_simple(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v)
{
	size_t want = width > 0 ? (size_t)width : 0, len = v->len, pad;
	const char *s = v->s;
	char digits[24], *to = o->buf + o->n;

	if (prec >= 0 || it->flags & ~(uint32_t)FMT_MINUS)
		return false;
	if (v->kind == VALUE_INT && it->conv == 'd') {
		s = put_decimal(digits + sizeof(digits), v);
		len = (size_t)(digits + sizeof(digits) - s);
	} else if (v->kind != VALUE_TEXT || it->conv != 's' || !is_plain(s, len)) {
		return false;
	}
	pad = len < want ? want - len : 0;
	if (len > OUT_SIZE || pad + len > OUT_SIZE - o->n)
		return false;
	if (pad && it->flags & FMT_MINUS)
		memset(to + len, ' ', pad);
	else if (pad)
		to = (char *)memset(to, ' ', pad) + pad;
	out_copy(to, s, len);
	o->n += pad + len;
	return true;
}

static void conv_text(
	struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *owed)
{
	(void)owed;
	if (!put_simple(o, it, width, prec, v))
		print_conv(o, it, width, prec, v);
}

#define ADDRESS_MAX 46 /* INET6_ADDRSTRLEN */

/* %+s: a port follows the address, so one of IPv6 is in brackets. */
static bool put_brackets(const struct value *v, char *buf, struct value *to)
{
	if (v->kind != VALUE_TEXT || v->len > ADDRESS_MAX || !memchr(v->s, ':', v->len))
		return false;
	*to = *v;
	buf[0] = '[';
	memcpy(buf + 1, v->s, v->len);
	buf[v->len + 1] = ']';
	to->s = buf;
	to->len = v->len + 2;
	return true;
}

/* A zero-padded number is the second half of another ("%d.%03d"): it keeps its width. */
static void conv_column(
	struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *owed)
{
	size_t want = width > 0 && !(it->flags & FMT_ZERO) ? (size_t)width : 0;
	size_t room = want > *owed ? want - *owed : 0;
	uint64_t start = out_total(o), n;
	static const struct value dash = { .kind = VALUE_TEXT, .s = "-", .len = 1, .trusted = true };
	struct fmt_item text = *it;
	char address[ADDRESS_MAX + 2];
	struct value bracketed;

	if (is_unknown(it, v)) {
		text.conv = 's';
		v = &dash;
		it = &text;
	} else if (it->flags & FMT_PLUS && it->conv == 's') {
		text.flags &= ~(uint32_t)FMT_PLUS;
		it = &text;
		if (put_brackets(v, address, &bracketed))
			v = &bracketed;
	}
	if (!put_simple(o, it, want ? (int)room : width, prec, v))
		print_conv(o, it, want ? (int)room : width, prec, v);
	if (!want)
		return;
	n = out_total(o) - start;
	*owed = *owed + n > want ? *owed + n - want : 0;
}

/* ---- distributions ----------------------------------------------------------------------------------------------- */
static void dist_drawn(struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal)
{
	dist_print(o, g, words, normal, &o->options->agg);
}

struct buckets {
	struct out *o;
	bool any;
};

static void bucket_json(void *ctx, int64_t value, int64_t n)
{
	struct buckets *b = ctx;
	char buf[80];

	if (!n)
		return;
	snprintf(buf, sizeof(buf), "%s{\"value\":%" PRId64 ",\"count\":%" PRId64 "}", b->any ? "," : "", value, n);
	out_str(b->o, buf);
	b->any = true;
}

/* [{"value":4,"count":1}] */
static void dist_json(struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal)
{
	struct buckets b = { .o = o };

	out_str(o, "[");
	agg_each_bucket(g, words, normal, bucket_json, &b);
	out_str(o, "]");
}

static void bucket_csv(void *ctx, int64_t value, int64_t n)
{
	struct buckets *b = ctx;
	char buf[80];

	if (!n)
		return;
	snprintf(buf, sizeof(buf), "%s%" PRId64 ":%" PRId64, b->any ? " " : "", value, n);
	out_str(b->o, buf);
	b->any = true;
}

/* 4:1 8:3 */
static void dist_csv(struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal)
{
	struct buckets b = { .o = o };

	agg_each_bucket(g, words, normal, bucket_csv, &b);
}

/* ---- the styles -------------------------------------------------------------------------------------------------- */
const struct style style_text = { text_escaped, conv_text, stack_lines, dist_drawn };
const struct style style_columns = { text_escaped, conv_column, stack_lines, dist_drawn };
const struct style style_json = { text_json, conv_json, stack_joined, dist_json };
const struct style style_csv = { text_csv, conv_csv, stack_joined, dist_csv };
const struct style style_plain = { text_plain, conv_alone, stack_lines, dist_drawn };
