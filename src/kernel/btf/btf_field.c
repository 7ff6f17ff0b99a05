/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_field: gives the D types of the fields of a tracepoint's record.
 * Input: a type as the format file writes it; a module's type may have no BTF. Output: a D type of the field's size,
 * as text. */
#include <stdio.h>
#include <string.h>

#include "kernel/btf/btf_priv.h"

struct named {
	const char *text; /* as D writes it; NULL: not known */
	uint32_t size;    /* 0: not known */
	bool block;       /* a structure or union */
};

/* The words of C's integers in any order: "long unsigned int". */
static struct named c_integer(const char *type)
{
	static const char *const names[][2] = { { "char", "unsigned char" }, { "short", "unsigned short" },
		{ "int", "unsigned int" }, { "long", "unsigned long" } };
	static const uint32_t sizes[] = { 1, 2, 4, 8 };
	bool is_unsigned = false;
	unsigned size = 2, words = 0, n;

	for (const char *s = type; *s; s += n + strspn(s + n, " "), words++) {
		n = (unsigned)strcspn(s, " ");
		if (n == 8 && !strncmp(s, "unsigned", n))
			is_unsigned = true;
		else if (n == 4 && !strncmp(s, "char", n))
			size = 0;
		else if (n == 5 && !strncmp(s, "short", n))
			size = 1;
		else if (n == 4 && !strncmp(s, "long", n))
			size = 3;
		else if ((n != 3 || strncmp(s, "int", n) != 0) && (n != 6 || strncmp(s, "signed", n) != 0))
			return (struct named){ 0 };
	}
	return (struct named){ words ? names[size][is_unsigned] : NULL, sizes[size], false };
}

/* A structure, union, enum or typedef that the kernel's BTF has. */
static struct named in_btf(struct kbtf *k, const char *type)
{
	static const struct {
		const char *word;
		uint64_t kinds;
	} tags[] = { { "struct ", 1ull << BTF_KIND_STRUCT }, { "union ", 1ull << BTF_KIND_UNION },
		{ "enum ", 1ull << BTF_KIND_ENUM | 1ull << BTF_KIND_ENUM64 } };
	uint64_t kinds = 1ull << BTF_KIND_TYPEDEF;
	const char *name = type;
	const struct btf_type *t;
	uint32_t id;

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (!strncmp(type, tags[i].word, strlen(tags[i].word))) {
			kinds = tags[i].kinds;
			name = type + strlen(tags[i].word);
		}
	id = kbtf_find_id(k, name, kinds);
	t = kbtf_skip_modifiers(k, &id);
	if (!t || (!btf_is_int(t) && !btf_is_any_enum(t) && !btf_is_ptr(t) && !btf_is_composite(t)))
		return (struct named){ 0 };
	return (struct named){ type, btf_is_ptr(t) ? 8 : t->size, btf_is_composite(t) };
}

/* The type that the format file names. "bool" is an integer of one byte. */
static struct named find_type(struct kbtf *k, const char *type)
{
	struct named n = c_integer(type);

	if (!strcmp(type, "bool") || !strcmp(type, "_Bool"))
		return (struct named){ "bool", 1, false };
	return n.text ? n : in_btf(k, type);
}

/* The integer type of that size. */
static const char *integer(uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? "int8_t" : "uint8_t";
	case 2:
		return is_signed ? "int16_t" : "uint16_t";
	case 4:
		return is_signed ? "int32_t" : "uint32_t";
	default:
		return is_signed ? "int64_t" : "uint64_t";
	}
}

/* The type of an array field. Sizes in the format file decide, because its type may be unknown. */
static const char *array_text(struct arena *a, const struct tpfield *f, struct named is)
{
	if (is.text && is.size == f->size)
		return is.block ? is.text : arena_printf(a, "%s [1]", is.text);
	if (is.text && is.size && f->size % is.size == 0 && (!f->elem || f->elem == is.size))
		return arena_printf(a, "%s [%u]", is.text, f->size / is.size);
	if (f->elem == 2 || f->elem == 4 || f->elem == 8)
		return arena_printf(a, "%s [%u]", integer(f->elem, f->is_signed), f->size / f->elem);
	return arena_printf(a, "uint8_t [%u]", f->size);
}

const char *kbtf_field_text(struct kbtf *k, struct arena *a, const struct tpfield *f)
{
	struct named is = find_type(k, f->type);

	if (f->stars) {
		is.text = is.text ? is.text : "void";
		return arena_printf(a, "%s %.*s%s", is.text, (int)(f->stars < 4 ? f->stars : 4), "****",
			f->place == TP_DYNAMIC ? "*" : "");
	}
	switch (f->place) {
	case TP_DYNTEXT:
		return "string";
	case TP_TEXT:
		return arena_printf(a, "char [%u]", f->size);
	case TP_DYNAMIC:
		return arena_printf(a, "%s *", is.text ? is.text : "uint8_t");
	case TP_ARRAY:
		return array_text(a, f, is);
	case TP_WORD:
		break;
	}
	if (is.block)
		return is.size == f->size ? is.text : integer(f->size, f->is_signed);
	return is.text && is.size <= f->size ? is.text : integer(f->size, f->is_signed);
}
