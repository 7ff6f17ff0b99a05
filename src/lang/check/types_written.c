/* SPDX-License-Identifier: GPL-2.0-or-later */
/* types_written: makes types from their D text.
 * Input: a struct tyx. Output: its struct type, or NULL after an error.
 * Invariant: the layout of structures is that of a C compiler for 64-bit Linux (LP64). */
#include <string.h>

#include "lang/types.h"

/* A set of words such as unsigned long int, which may come in any order. The rules are those of C. NULL after an
 * error, if they exclude each other. */
static struct type *resolve_basic(struct types *ts, struct diags *d, const struct tyx *x)
{
	uint32_t s = x->spec & ~(uint32_t)SPEC_USERLAND;
	bool uns = s & SPEC_UNSIGNED;

	if ((s & SPEC_SIGNED) && uns) {
		diag_error(d, x->loc, D_DECL_COMBO, NULL, "signed and unsigned exclude each other");
		return NULL;
	}
	switch (s & ~(uint32_t)(SPEC_SIGNED | SPEC_UNSIGNED)) {
	case SPEC_VOID:
		return ts->void_;
	case SPEC_STRING:
		return ts->string;
	case SPEC_BOOL:
		return ts->bool_;
	case SPEC_FLOAT:
		return ts->float_;
	case SPEC_DOUBLE:
		return ts->double_;
	case SPEC_DOUBLE | SPEC_LONG:
		return ts->ldouble;
	case SPEC_CHAR:
		return uns ? ts->uint8 : s & SPEC_SIGNED ? ts->int8 : ts->char_;
	case SPEC_SHORT:
	case SPEC_SHORT | SPEC_INT:
		return uns ? ts->uint16 : ts->int16;
	case 0:
	case SPEC_INT:
		return uns ? ts->uint32 : ts->int32;
	case SPEC_LONG:
	case SPEC_LONG | SPEC_INT:
		return uns ? ts->ulong_ : ts->long_;
	case SPEC_LONGLONG:
	case SPEC_LONGLONG | SPEC_INT:
	case SPEC_LONGLONG | SPEC_LONG:
	case SPEC_LONGLONG | SPEC_LONG | SPEC_INT:
		return uns ? ts->ulonglong : ts->longlong;
	default:
		diag_error(d, x->loc, D_DECL_COMBO, NULL, "this combination of type words means nothing");
		return NULL;
	}
}

/* n rounded up to a multiple of to, which need not be a power of two. */
static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* The alignment in bytes that C gives the type. A packed structure of the kernel has less, which its size shows. */
static uint32_t type_align(struct types *ts, struct type *t)
{
	uint32_t al = 1;

	while (t->kind == T_ARRAY)
		t = t->of;
	if (t->kind != T_STRUCT && t->kind != T_UNION)
		return t->kind == T_STRING || !t->size ? 8 : t->size;
	type_complete(ts, t);
	for (size_t i = 0; i < t->nmembers; i++) {
		uint32_t m = type_align(ts, t->members[i].type);

		al = m > al ? m : al;
	}
	while (al > 1 && t->size % al)
		al /= 2;
	return al;
}

/* The width of a bit-field: a constant from 1 to the bits of its type; 0, without a name, ends the unit. False after an
 * error. */
static bool bit_field(struct types *ts, struct diags *d, const struct tyx_member *m, struct type_member *out)
{
	int64_t n;

	if (out->type->kind != T_INT && out->type->kind != T_ENUM) {
		diag_error(d, m->loc, D_DECL_BFTYPE, NULL, "bit-field %s must be of an integer type",
			m->name ? m->name : "");
		return false;
	}
	if (!const_eval(ts, d, m->bits, &n) || n < 0 || (!n && m->name)) {
		diag_error(d, m->loc, D_DECL_BFCONST, NULL, "the width of bit-field %s must be a positive constant",
			m->name ? m->name : "");
		return false;
	}
	if (n > (int64_t)out->type->size * 8) {
		diag_error(d, m->loc, D_DECL_BFSIZE, NULL, "bit-field %s is wider than its type, %s",
			m->name ? m->name : "", type_name(ts, out->type));
		return false;
	}
	out->bits = (uint32_t)n;
	return true;
}

/* Has the structure a member of that name already? Anonymous members have none. */
static bool same_name_before(const struct type *t, const char *name)
{
	for (size_t i = 0; name && i < t->nmembers; i++)
		if (t->members[i].name && !strcmp(t->members[i].name, name))
			return true;
	return false;
}

/* Resolves a member and places it behind the others. *bits is the size so far in bits, *align the largest alignment. A
 * bit-field that would cross a unit of its type begins a new one (System V ABI). False after an error. */
static bool place_member(struct types *ts, struct diags *d, struct type *t, const struct tyx_member *m,
	struct type_member *out, uint64_t *bits, uint32_t *align)
{
	uint64_t at = t->kind == T_UNION ? 0 : *bits, width, room;
	uint32_t al;

	out->name = m->name;
	out->type = types_resolve(ts, d, m->type);
	if (!out->type)
		return false;
	type_complete(ts, out->type);
	if (same_name_before(t, m->name)) {
		diag_error(d, m->loc, D_DECL_IDRED, NULL, "there are two members %s", m->name);
		return false;
	}
	al = type_align(ts, out->type);
	if (m->bits) {
		if (!bit_field(ts, d, m, out))
			return false;
		width = out->bits;
		room = (uint64_t)out->type->size * 8;
		if (!width || at % room + width > room)
			at = round_up(at, (uint64_t)al * 8);
	} else {
		if (out->type->kind == T_VOID || out->type->kind == T_FUNC) {
			diag_error(d, m->loc, D_DECL_VOIDOBJ, NULL, "member %s cannot be %s", m->name ? m->name : "",
				type_name(ts, out->type));
			return false;
		}
		if (!out->type->size && out->type->kind != T_ARRAY && !out->type->complete) {
			diag_error(d, m->loc, D_DECL_INCOMPLETE, NULL, "member %s has no complete type",
				m->name ? m->name : "");
			return false;
		}
		width = (uint64_t)out->type->size * 8;
		at = round_up(at, (uint64_t)al * 8);
	}
	if (at + width > UINT32_MAX) {
		diag_error(d, m->loc, D_DECL_ARRBIG, NULL, "%s %s is too large", type_tag_word(t->kind), t->name);
		return false;
	}
	out->bit_off = (uint32_t)at;
	if (at + width > *bits)
		*bits = at + width;
	if (al > *align)
		*align = al;
	return true;
}

/* Places all members and pads the size to the alignment. A member with an error is left out, so that the others are
 * still checked. */
static void layout_body(struct types *ts, struct diags *d, struct type *t, const struct tyx *x)
{
	uint64_t bits = 0;
	uint32_t align = 1;

	t->members = ARENA_ARRAY(ts->arena, struct type_member, x->members.n + 1);
	for (size_t i = 0; i < x->members.n; i++)
		if (place_member(ts, d, t, &x->members.v[i], &t->members[t->nmembers], &bits, &align))
			t->nmembers++;
	t->size = (uint32_t)((bits / 8 + (bits % 8 ? 1 : 0) + align - 1) / align * align);
	t->complete = true;
}

/* struct s or union u. Without a body it names a type of the script or the kernel; with one it makes a type, which
 * may hide a type of the kernel with the same tag. NULL after an error. */
static struct type *resolve_sou(struct types *ts, struct diags *d, const struct tyx *x)
{
	enum type_kind kind = x->kind == TYX_STRUCT ? T_STRUCT : T_UNION;
	const char *tag = x->name ? x->name : "";
	const char *key = arena_printf(ts->arena, "%s %s", type_tag_word(kind), tag);
	struct type *t = *tag ? strmap_get(ts->tags, key) : NULL;

	if (t && type_is_kernels(t) && x->has_body) /* a kernel's may be hidden by one of the script's */
		t = NULL;
	if (!x->has_body) {
		t = types_tagged(ts, kind, tag);
		if (t)
			return t;
		if (x->scope) {
			diag_error(d, x->loc, D_TYPE_ERR, NULL, "the kernel has no %s %s", type_tag_word(kind), tag);
			return NULL;
		}
	}
	if (t && x->has_body && (t->complete || t->members)) { /* members: it is this very one, inside of itself */
		diag_error(d, x->loc, D_DECL_TYPERED, NULL, "%s %s is declared already", type_tag_word(kind), tag);
		return NULL;
	}
	if (!t) {
		t = type_new(ts, kind, tag, 0, false);
		t->complete = false;
		if (*tag)
			strmap_put(ts->tags, key, t);
	}
	if (x->has_body)
		layout_body(ts, d, t, x);
	return t;
}

/* As in GNU C, an enum whose values do not fit an int is unsigned or has 64 bits. Only enums of headers may be so. */
static void widen_enum(struct type *t)
{
	int64_t least = 0, most = 0;

	for (size_t i = 0; i < t->nenums; i++) {
		least = t->enums[i].value < least ? t->enums[i].value : least;
		most = t->enums[i].value > most ? t->enums[i].value : most;
	}
	if (least >= INT32_MIN && most <= INT32_MAX)
		return;
	t->is_signed = least < 0;
	if (least < 0 || most > UINT32_MAX)
		t->size = 8;
}

/* enum e, with or without a body. Enumerators become names of the program. After an error in one value the rest
 * count on. */
static struct type *resolve_enum(struct types *ts, struct diags *d, const struct tyx *x)
{
	struct type *t = x->name && !x->has_body ? types_tagged(ts, T_ENUM, x->name) : NULL;
	const char *key = x->name ? arena_printf(ts->arena, "enum %s", x->name) : NULL;
	int64_t next = 0, *slot;
	struct type *old;

	if (t)
		return t;
	if (!x->has_body) {
		diag_error(d, x->loc, D_TYPE_ERR, NULL, "there is no enum %s", x->name ? x->name : "");
		return NULL;
	}
	old = key ? strmap_get(ts->tags, key) : NULL;
	if (old && !type_is_kernels(old)) { /* a kernel's may be hidden by one of the script's */
		diag_error(d, x->loc, D_DECL_TYPERED, NULL, "enum %s is declared already", x->name);
		return NULL;
	}
	t = type_new(ts, T_ENUM, x->name ? x->name : "", 4, true);
	if (x->name)
		strmap_put(ts->tags, key, t);
	t->enums = ARENA_ARRAY(ts->arena, struct ktype_enum, x->members.n + 1);
	for (size_t i = 0; i < x->members.n; i++) {
		const struct tyx_member *m = &x->members.v[i];

		if (m->value && !const_eval(ts, d, m->value, &next))
			diag_error(d, m->loc, D_DECL_ENCONST, NULL, "value of %s is not a constant", m->name);
		else if ((next < INT32_MIN || next > INT32_MAX) && !loc_in_header(m->loc))
			diag_error(d, m->loc, D_DECL_ENOFLOW, NULL, "the value of enumerator %s does not fit an int",
				m->name);
		if (strmap_get(ts->enumerators, m->name))
			diag_error(d, m->loc, D_UNKNOWN, NULL, "there are two enumerators %s", m->name);
		slot = ARENA_NEW(ts->arena, int64_t);
		t->enums[t->nenums++] = (struct ktype_enum){ m->name, next };
		*slot = next;
		next = (int64_t)((uint64_t)next + 1);
		strmap_put(ts->enumerators, m->name, slot);
	}
	widen_enum(t);
	return t;
}

/* An array. Its size is a constant, or 0 if none is written, as in a parameter. The limit of 2 GiB keeps offsets in 32
 * bits. NULL after an error. */
static struct type *resolve_array(struct types *ts, struct diags *d, const struct tyx *x)
{
	struct type *of = types_resolve(ts, d, x->of);
	int64_t n = 0;

	if (!of)
		return NULL;
	type_complete(ts, of);
	if (of->kind == T_VOID || of->kind == T_FUNC || (!of->complete && !of->size && of->kind != T_ARRAY)) {
		diag_error(d, x->loc, of->kind == T_VOID ? D_DECL_VOIDOBJ : D_DECL_INCOMPLETE, NULL,
			"there are no arrays of %s", type_name(ts, of));
		return NULL;
	}
	if (x->size && (!const_eval(ts, d, x->size, &n) || n < 0)) {
		diag_error(d, x->loc, D_DECL_ARRSUB, NULL, "size of an array must be a positive constant");
		return NULL;
	}
	if (n > INT32_MAX || n * (int64_t)of->size > INT32_MAX) {
		diag_error(d, x->loc, D_DECL_ARRBIG, NULL, "an array of %lld elements is too large", (long long)n);
		return NULL;
	}
	return type_array(ts, of, (uint32_t)n);
}

/* Recurses over the tree, which is at most PARSE_DEPTH_MAX high. A module in the name (mod`type) must exist. */
struct type *types_resolve(struct types *ts, struct diags *d, const struct tyx *x)
{
	struct type *t = NULL;

	if (x->scope && *x->scope && ts->kernel && !ts->kernel->has_module(ts->kernel->ctx, x->scope)) {
		diag_error(d, x->loc, D_TYPE_ERR, NULL, "there is no module %s", x->scope);
		return NULL;
	}
	switch (x->kind) {
	case TYX_BASIC:
		return resolve_basic(ts, d, x);
	case TYX_NAME:
		t = types_typedef(ts, x->name);
		if (!t) {
			const char *near = ts->kernel ? ts->kernel->nearest(ts->kernel->ctx, T_VOID, x->name) : NULL;
			diag_error(d, x->loc, D_TYPE_ERR,
				near ? arena_printf(ts->arena, "did you mean %s?", near) : NULL, "there is no type %s",
				x->name);
		}
		return t;
	case TYX_STRUCT:
	case TYX_UNION:
		return resolve_sou(ts, d, x);
	case TYX_ENUM:
		return resolve_enum(ts, d, x);
	case TYX_PTR:
		t = types_resolve(ts, d, x->of);
		return t ? type_ptr(ts, t) : NULL;
	case TYX_ARRAY:
		return resolve_array(ts, d, x);
	case TYX_ASSOC:
		return types_resolve(ts, d, x->of);
	case TYX_FUNC:
		t = types_resolve(ts, d, x->of);
		if (t) {
			struct type *f = type_new(ts, T_FUNC, "", 0, false);
			f->of = t;
			t = f;
		}
		return t;
	}
	return NULL;
}
