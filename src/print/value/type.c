/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type: print(), values as declarations: "int x = 0x5", structures with their members.
 * Input: a type and the bytes of a value. Output: text, without a newline at its end.
 * Invariant: no byte outside of the value is read, whatever the type says.
 * Source: the print action of illumos: numbers are hexadecimal, 0 is 0, characters are quoted, an array of them is
 * [ "text" ], an enum is the name of its value. */
#include <ctype.h>
#include <string.h>

#include "print/value/values.h"

#define INDENT 4

/* Bytes of a value; what lies beyond them is not there. */
struct bytes {
	const uint8_t *p;
	size_t len;
};

/* A part of the value; empty if it is not wholly inside. */
static struct bytes bytes_at(struct bytes b, size_t off, size_t size)
{
	static const uint8_t nothing[1];
	struct bytes none = { nothing, 0 };

	return off > b.len || size > b.len - off ? none : (struct bytes){ b.p + off, size };
}

/* The bytes as a little-endian number, as all machines that dwire runs on store it. */
static uint64_t number_of(struct bytes b)
{
	uint64_t v = 0;

	for (size_t i = 0; i < b.len && i < sizeof(v); i++)
		v |= (uint64_t)b.p[i] << 8 * i;
	return v;
}

/* The bits of a bit-field, from bit on. */
static uint64_t bits_at(struct bytes b, uint32_t bit, uint32_t bits)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < bits && i < 64; i++)
		if ((bit + i) / 8 < b.len)
			v |= (uint64_t)(b.p[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
	return v;
}

static void print_hex(struct out *o, uint64_t v)
{
	char buf[24];
	int n = snprintf(buf, sizeof(buf), "%#llx", (unsigned long long)v);

	out_bytes(o, buf, n > 0 ? (size_t)n : 0);
}

static void print_char(struct out *o, uint8_t c)
{
	char buf[16];
	int n = snprintf(buf, sizeof(buf), isprint(c) ? "'%c'" : "'\\%03o'", c);

	out_bytes(o, buf, n > 0 ? (size_t)n : 0);
}

/* The name of the value; the number if it has none, as with flags. Only the bits of the type's size are compared. */
static void print_enum(struct out *o, const struct ptype *t, uint64_t v)
{
	int64_t value = t->size == 4 ? (int32_t)v : (int64_t)v;
	uint64_t mask = t->size >= 8 ? ~0ull : (1ull << 8 * t->size) - 1;

	for (size_t i = 0; i < t->nenums; i++)
		if (((uint64_t)t->enums[i].value & mask) == (v & mask)) {
			out_str(o, t->enums[i].name);
			return;
		}
	out_int(o, value, 0);
}

/* As the print action of illumos: sign and all digits. */
static void print_float(struct out *o, const struct ptype *t, uint64_t v)
{
	char buf[40];
	uint32_t low = (uint32_t)v;
	double d;
	float f;
	int n;

	memcpy(&f, &low, sizeof(f));
	memcpy(&d, &v, sizeof(d));
	n = t->size == 4 ? snprintf(buf, sizeof(buf), "%+.7e", (double)f) : snprintf(buf, sizeof(buf), "%+.13e", d);
	out_bytes(o, buf, n > 0 ? (size_t)n : 0);
}

/* Prints the bits of a number as its type wants it. Pointers and unknown types are shown in hexadecimal. */
static void print_number(struct out *o, const struct ptype *t, uint64_t v)
{
	switch (t->kind) {
	case PT_CHAR:
		print_char(o, (uint8_t)v);
		break;
	case PT_ENUM:
		print_enum(o, t, v);
		break;
	case PT_FLOAT:
		print_float(o, t, v);
		break;
	case PT_INT:
	case PT_BOOL:
	case PT_PTR:
	case PT_ARRAY:
	case PT_SOU:
	case PT_STRING:
	case PT_OPAQUE:
		print_hex(o, v);
		break;
	}
}

/* Characters up to a NUL, all printable: shown as a string. What is no plain char may be an address: only if nothing
 * but NULs follow, and not when it is all of them. */
static bool is_text(const struct ptype *t, struct bytes b)
{
	if (t->kind != PT_ARRAY || t->of->kind != PT_CHAR || !b.len)
		return false;

	size_t n = strnlen((const char *)b.p, b.len), end = strcmp(t->of->text, "char") ? b.len : n;

	for (size_t i = 0; i < end; i++)
		if (i < n ? !isprint(b.p[i]) : b.p[i])
			return false;
	return n || end == n;
}

static void print_value(struct out *o, const struct ptype *t, struct bytes b, size_t depth);

/* Begins a new line at the depth. */
static void print_line(struct out *o, size_t depth)
{
	out_bytes(o, "\n", 1);
	out_pad(o, depth * INDENT);
}

/* A structure or union: each member on its line, "TYPE NAME = VALUE". An anonymous member has no name. */
static void print_members(struct out *o, const struct ptype *t, struct bytes b, size_t depth)
{
	out_bytes(o, "{", 1);
	for (size_t i = 0; i < t->nmembers; i++) {
		const struct pmember *m = &t->members[i];

		print_line(o, depth + 1);
		out_str(o, m->text);
		/* "int x", but "char *s" */
		if (!*m->name || !*m->text || m->text[strlen(m->text) - 1] != '*')
			out_bytes(o, " ", 1);
		if (*m->name) {
			out_str(o, m->name);
			out_str(o, " = ");
		}
		if (m->bits)
			print_number(o, m->type, bits_at(b, m->bit_off, m->bits));
		else
			print_value(o, m->type, bytes_at(b, m->bit_off / 8, m->type->size), depth + 1);
	}
	print_line(o, depth);
	out_bytes(o, "}", 1);
}

/* An array: structures one a line, other elements on one line. */
static void print_elements(struct out *o, const struct ptype *t, struct bytes b, size_t depth)
{
	bool tall = t->of->kind == PT_SOU;

	out_bytes(o, "[", 1);
	for (uint32_t i = 0; i < t->nelems; i++) {
		if (i)
			out_bytes(o, ",", 1);
		if (tall)
			print_line(o, depth + 1);
		else
			out_bytes(o, " ", 1);
		if (tall) {
			out_str(o, t->of->text);
			out_bytes(o, " ", 1);
		}
		print_value(o, t->of, bytes_at(b, (size_t)i * t->of->size, t->of->size), depth + tall);
	}
	if (tall)
		print_line(o, depth);
	else
		out_bytes(o, " ", 1);
	out_bytes(o, "]", 1);
}

/* A value of any type. Bytes that lie outside of it print as 0, because bytes_at() is empty there. */
static void print_value(struct out *o, const struct ptype *t, struct bytes b, size_t depth)
{
	if (is_text(t, b)) {
		out_str(o, "[ \"");
		out_bytes(o, (const char *)b.p, strnlen((const char *)b.p, b.len));
		out_str(o, "\" ]");
	} else if (t->kind == PT_STRING) {
		out_str(o, "[ \"");
		out_text(o, (const char *)b.p, strnlen((const char *)b.p, b.len), false, 0);
		out_str(o, "\" ]");
	} else if (t->kind == PT_SOU) {
		print_members(o, t, b, depth);
	} else if (t->kind == PT_ARRAY) {
		print_elements(o, t, b, depth);
	} else {
		print_number(o, t, number_of(b));
	}
}

void print_typed(struct out *o, const struct ptype *t, const struct value *v)
{
	if (!t)
		return;
	out_str(o, t->text);
	out_bytes(o, " ", 1);
	if (v->kind == VALUE_TEXT) {
		out_bytes(o, "\"", 1);
		out_text(o, v->s, v->len, v->trusted, 0);
		out_bytes(o, "\"", 1);
	} else if (v->kind == VALUE_INT) {
		print_number(o, t, t->size >= 8 || !t->size ? v->i : v->i & ((1ull << 8 * t->size) - 1));
	} else {
		print_value(o, t, (struct bytes){ (const uint8_t *)v->s, v->len }, 0);
	}
}
