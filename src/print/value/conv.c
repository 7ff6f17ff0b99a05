/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conv: one conversion of a format: a value as %d, %x, %s, %Y, ... with flags, width and precision.
 * Input: a decoded value and the conversion. Output: text in an out.
 * Source: D manual, chapter "Output Formatting". */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "namespaces/zone.h"
#include "print/value/netnames.h"
#include "print/value/values.h"
#include "symbols/symtext.h"

/* sign, prefix and digits of a number, padded as C's printf does. */
struct numtext {
	const char *prefix; /* "", "-", "+", " ", "0x" */
	const char *digits;
	size_t len;
	size_t min_digits; /* precision */
};

/* Pads as C does: blanks, or zeros behind the sign and prefix. zero_pad: the flag "0", which "-" overrides. */
static void put_number(struct out *o, const struct fmt_item *it, int width, const struct numtext *t, bool zero_pad)
{
	size_t npre = strlen(t->prefix);
	size_t zeros = t->min_digits > t->len ? t->min_digits - t->len : 0;
	size_t total = npre + zeros + t->len;
	size_t pad = width > 0 && (size_t)width > total ? (size_t)width - total : 0;

	if (zero_pad && !(it->flags & FMT_MINUS)) {
		zeros += pad;
		pad = 0;
	}
	if (!(it->flags & FMT_MINUS))
		out_pad(o, pad);
	out_bytes(o, t->prefix, npre);
	while (zeros--)
		out_bytes(o, "0", 1);
	out_bytes(o, t->digits, t->len);
	if (it->flags & FMT_MINUS)
		out_pad(o, pad);
}

/* As in C: "+" overrides " ". */
static const char *sign_text(const struct fmt_item *it, bool negative)
{
	return negative ? "-" : it->flags & FMT_PLUS ? "+" : it->flags & FMT_SPACE ? " " : "";
}

/* Writes the digits of v, which is not 0, before end. Returns where they begin. */
static char *put_digits(char *end, uint64_t v, unsigned base, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	const unsigned shift = base == 8 ? 3 : 4;

	if (base == 10) /* a division by a constant is a multiplication */
		for (; v; v /= 10)
			*--end = (char)('0' + v % 10);
	else
		for (; v; v >>= shift)
			*--end = set[v & (base - 1)];
	return end;
}

/* base: 8, 10 or 16. prec: the least number of digits; -1: not given. */
static void print_int(
	struct out *o, const struct fmt_item *it, int width, int prec, uint64_t u, unsigned base, const char *prefix)
{
	char buf[24], *p = put_digits(buf + sizeof(buf), u, base, it->conv == 'X');
	struct numtext t = { .prefix = prefix, .min_digits = prec > 0 ? (size_t)prec : 0 };

	/* As in C: a zero printed with precision 0 has no digits. */
	if (!u && prec != 0)
		*--p = '0';
	t.digits = p;
	t.len = (size_t)(buf + sizeof(buf) - p);
	if (base == 8 && (it->flags & FMT_ALT) && t.min_digits <= t.len && (!t.len || *p != '0'))
		t.min_digits = t.len + 1;
	put_number(o, it, width, &t, (it->flags & FMT_ZERO) && prec < 0);
}

static void print_signed(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v)
{
	/* As in DTrace, %d of an unsigned number is %u: no sign. */
	bool negative = v->is_signed && (int64_t)v->i < 0;

	print_int(o, it, width, prec, negative ? -v->i : v->i, 10, v->is_signed ? sign_text(it, negative) : "");
}

/* Whole numbers print as %f, too. */
static double float_value(const struct value *v)
{
	double d;
	float f;

	if (!v->is_float)
		return v->is_signed ? (double)(int64_t)v->i : (double)v->i;
	if (v->size == 4) {
		uint32_t bits = (uint32_t)v->i;

		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	}
	memcpy(&d, &v->i, sizeof(d));
	return d;
}

/* The C library formats it; precision is limited to 64 so that the text fits. */
static void print_float(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v)
{
	double value = float_value(v), x = signbit(value) ? -value : value;
	bool negative = signbit(value);
	bool alt = it->flags & FMT_ALT;
	char buf[128];
	int n = 0;

	if (prec < 0)
		prec = 6;
	if (prec > 64)
		prec = 64;
	switch (it->conv) {
#define FLOAT_CASE(c, letter)                                                \
	case c:                                                              \
		n = alt ? snprintf(buf, sizeof(buf), "%#.*" letter, prec, x) \
			: snprintf(buf, sizeof(buf), "%.*" letter, prec, x); \
		break
		FLOAT_CASE('e', "e");
		FLOAT_CASE('E', "E");
		FLOAT_CASE('g', "g");
		FLOAT_CASE('G', "G");
		FLOAT_CASE('f', "f");
		FLOAT_CASE('F', "F");
#undef FLOAT_CASE
	default:
		break;
	}
	struct numtext t = { .prefix = sign_text(it, negative), .digits = buf, .len = n > 0 ? (size_t)n : 0 };

	put_number(o, it, width, &t, it->flags & FMT_ZERO);
}

/* %#Y: ISO 8601 with microseconds and zone, "2026-11-21T02:35:08.123456+01:00". Returns its length. */
static size_t put_iso(char *buf, size_t size, const struct tm *tm, int64_t ns)
{
	long east = tm->tm_gmtoff / 60, minutes = east < 0 ? -east : east;
	size_t n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", tm);

	return n +
		(size_t)snprintf(buf + n, size - n, ".%06u%c%02ld:%02ld", (unsigned)(ns / 1000), east < 0 ? '-' : '+',
			minutes / 60, minutes % 60);
}

/* %Y: "2026 Nov 21 02:35:08"; %T: "Sat, 21 Nov 2026 02:35:08 UTC"; %#T: "02:35:08"; local time, from nanoseconds since
 * the epoch. */
static void print_time(struct out *o, const struct fmt_item *it, int width, const struct value *v)
{
	bool mail = it->conv == 'T', alt = it->flags & FMT_ALT;
	int64_t ns = (int64_t)v->i;
	time_t sec = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	struct tm tm;
	char buf[64];
	size_t n = 0;

	if (!localtime_r(&sec, &tm))
		n = 0;
	else if (alt && !mail)
		n = put_iso(buf, sizeof(buf), &tm, ns - (int64_t)sec * 1000000000);
	else
		n = strftime(buf, sizeof(buf),
			alt            ? "%H:%M:%S"
				: mail ? "%a, %d %b %Y %H:%M:%S %Z"
				       : "%Y %b %e %H:%M:%S",
			&tm);
	out_text(o, buf, n, true, width);
}

/* %B: an amount of bytes in KB of 1024 bytes, with one decimal: "1.5"; %#B: in the unit that fits, "512B", "1.5K",
 * "2.0G". */
static void print_amount(struct out *o, const struct fmt_item *it, int width, const struct value *v)
{
	static const char units[] = "BKMGTPE";
	double n = v->is_signed ? (double)(int64_t)v->i : (double)v->i;
	char buf[32];
	int unit = 0;

	if (it->flags & FMT_ALT)
		for (; (n < 0 ? -n : n) >= 1024 && units[unit + 1]; unit++)
			n /= 1024;
	else
		n /= 1024;
	snprintf(buf, sizeof(buf),
		it->flags & FMT_ALT && !unit  ? "%.0f%c"
			: it->flags & FMT_ALT ? "%.1f%c"
					      : "%.1f",
		n, units[unit]);
	out_text(o, buf, strlen(buf), true, width);
}

/* The letter of D's escape sequence for a byte, or 0. */
static char escape_letter(char c)
{
	static const char bytes[] = "\a\b\f\n\r\t\v\\\"", letters[] = "abfnrtv\\\"";
	const char *at = c ? strchr(bytes, c) : NULL;

	return at ? letters[at - bytes] : '\0';
}

/* %S and %C: as in a D literal. What has no letter is escaped by out_text. */
static void print_quoted(struct out *o, int width, const char *s, size_t len)
{
	char buf[2048];
	size_t n = 0;

	for (size_t i = 0; i < len && n + 2 <= sizeof(buf); i++) {
		char letter = escape_letter(s[i]);

		if (letter)
			buf[n++] = '\\';
		buf[n++] = letter ? letter : s[i];
	}
	out_text(o, buf, n, false, width);
}

static void print_char(struct out *o, int width, const struct value *v)
{
	char c = (char)v->i;

	/* A newline or tab made by a number is layout; any other control byte may be a packet's. */
	out_text(o, &c, 1, c == '\n' || c == '\t', width);
}

/* %a and %A: the symbol at an address of the kernel, or of the process that is traced. */
static void print_symbol(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v)
{
	uint64_t pid = it->conv == 'A' && v->names ? symtext_target(v->names) : 0;
	const char *symbol;

	if (!v->names) {
		print_int(o, it, width, prec, value_bits(v), 16, "0x");
		return;
	}
	symbol = symtext_name(v->names, pid ? FIELD_UADDR : FIELD_INT, pid, v->i);
	out_text(o, symbol, strlen(symbol), false, it->flags & FMT_MINUS ? -width : width);
}

/* An integer under any conversion. Those that C does not have: %a and %A a symbol, %P a port's name, %T and %Y a
 * time, %C a quoted character, %k a stack, which an integer is not. */
static void print_conv_int(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v)
{
	int field = it->flags & FMT_MINUS ? -width : width;
	bool alt = (it->flags & FMT_ALT) && value_bits(v);
	char conv = it->conv2 ? it->conv2 : it->conv, c = (char)v->i, name[NETNAME_MAX];

	switch (conv) {
	case 'u':
	case 'U':
		print_int(o, it, width, prec, value_bits(v), 10, "");
		break;
	case 'x':
	case 'p':
	case 'X':
		print_int(o, it, width, prec, value_bits(v), 16, !alt ? "" : conv == 'X' ? "0X" : "0x");
		break;
	case 'a':
	case 'A':
		print_symbol(o, it, width, prec, v);
		break;
	case 'o':
	case 'O':
		print_int(o, it, width, prec, value_bits(v), 8, "");
		break;
	case 'P':
		netname_port((uint16_t)v->i, name);
		out_text(o, name, strlen(name), false, field);
		break;
	case 'c':
		print_char(o, field, v);
		break;
	case 'C':
		print_quoted(o, field, &c, 1);
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		print_float(o, it, width, prec, v);
		break;
	case 'B':
		print_amount(o, it, field, v);
		break;
	case 'k':
		out_text(o, "(not available)", 15, true, field);
		break;
	case 'T':
	case 'y':
	case 'Y':
		print_time(o, it, field, v);
		break;
	case 's':
	case 'S':
		print_signed(o, it, width, -1, v);
		break;
	default:
		print_signed(o, it, width, prec, v);
		break;
	}
}

/* Texts, stacks and memory. The precision cuts a text; that of a zone's name is cut so that what distinguishes it
 * stays. */
void print_conv(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v)
{
	int field = it->flags & FMT_MINUS ? -width : width;
	char name[NETNAME_MAX];
	const char *text = v->s;
	size_t len = v->len;

	if (v->kind == VALUE_INT) {
		print_conv_int(o, it, width < 0 ? 0 : width, prec, v);
		return;
	}
	if (v->kind == VALUE_STACK) {
		/* As in DTrace: not indented, but for a width with "-". */
		o->style->stack(o, v, it->flags & FMT_MINUS && width > 0 ? width : 0);
		return;
	}
	if (v->kind == VALUE_BYTES) {
		if (it->conv != 's' && it->conv != 'S') {
			print_dump(o, (const uint8_t *)v->s, v->len);
			return;
		}
		len = strnlen(v->s, len);
	}
	if (width < 0)
		field = 0;
	if (it->conv == 'I') {
		netname_host(text, len, name);
		text = name;
		len = strlen(name);
	}
	if (prec > 0 && (size_t)prec < len) { /* %.0s is as no precision, in DTrace */
		if (v->kind == VALUE_TEXT && v->zone)
			text += zone_dull(text, len, (size_t)prec);
		len = (size_t)prec < len - (size_t)(text - v->s) ? (size_t)prec : len - (size_t)(text - v->s);
	}
	if (it->conv == 'S')
		print_quoted(o, field, text, len);
	else
		out_text(o, text, len, v->trusted, field);
}
