/* SPDX-License-Identifier: GPL-2.0-or-later */
/* types: finds types by name and tag, completes structures, finds members, converts as C does. See types.h.
 * Input: names and types. Output: struct type, from the script, the libraries or the kernel.
 * Invariant: a type is made once for each name, so that most comparisons are of pointers. */
#include "lang/types.h"

#include <string.h>

#include "base/diag/nearest.h"

/* A new, complete type. name is borrowed; structures get their members later. */
struct type *type_new(struct types *ts, enum type_kind kind, const char *name, uint32_t size, bool sgn)
{
	struct type *t = ARENA_NEW(ts->arena, struct type);

	t->kind = kind;
	t->name = name;
	t->size = size;
	t->is_signed = sgn;
	t->complete = true;
	t->canon = t;
	return t;
}

/* A copy that has the typedef's name, for messages and hints. canon still leads to the type itself. */
static struct type *alias_of(struct types *ts, struct type *t, const char *name)
{
	struct type *n = ARENA_NEW(ts->arena, struct type);

	*n = *t;
	n->alias = name;
	return n;
}

/* A later typedef of the same name hides an earlier one. */
void types_add_typedef(struct types *ts, const char *name, struct type *t)
{
	strmap_put(ts->typedefs, name, alias_of(ts, t, arena_strdup(ts->arena, name)));
}

/* The names that D has without any header; sizes as on every 64-bit Linux. name, member of struct types */
/* clang-format off */
#define BASIC_TYPES(X) \
	X(int8_t, int8) X(int16_t, int16) X(int32_t, int32) X(int64_t, int64) X(uint8_t, uint8) \
	X(uint16_t, uint16) X(uint32_t, uint32) X(uint64_t, uint64) X(intptr_t, int64) \
	X(uintptr_t, uint64) X(size_t, uint64) X(ssize_t, int64) X(uchar_t, uint8) X(ushort_t, uint16) \
	X(uint_t, uint32) X(ulong_t, ulong_) X(u_longlong_t, uint64) X(longlong_t, int64) \
	X(ptrdiff_t, int64) X(pid_t, int32) X(id_t, int32) X(uid_t, uint32) X(gid_t, uint32) \
	X(zoneid_t, uint32) X(processorid_t, int32) X(hrtime_t, int64) X(time_t, int64) \
	X(in_port_t, uint16) X(ipaddr_t, uint32) X(boolean_t, int32) X(dev_t, uint64) X(off_t, int64) \
	X(offset_t, int64) X(u_char, uint8) X(u_short, uint16) X(u_int, uint32) X(u_long, ulong_) \
	X(u_int8_t, uint8) X(u_int16_t, uint16) X(u_int32_t, uint32) X(u_int64_t, uint64) \
	X(u_quad_t, uint64) X(quad_t, int64) X(mode_t, uint32) X(ino_t, uint64) X(nlink_t, uint32) \
	X(clock_t, int64) X(clockid_t, int32) X(timer_t, int32) X(key_t, int32) X(daddr_t, int64) \
	X(taskid_t, int32) X(projid_t, int32) X(poolid_t, int32) X(ctid_t, int32) X(psetid_t, int32) \
	X(lgrp_id_t, int32) X(chipid_t, int32) X(model_t, uint32) X(major_t, uint32) X(minor_t, uint32) \
	X(blkcnt_t, int64) X(blksize_t, int32) X(fsblkcnt_t, uint64) X(suseconds_t, int64) \
	X(useconds_t, uint32) X(pgcnt_t, uint64) X(pfn_t, uint64) X(diskaddr_t, uint64) \
	X(socklen_t, uint32) X(sa_family_t, uint16) X(in_addr_t, uint32) X(wchar_t, int32) \
	X(pthread_t, uint32) X(intmax_t, int64) X(uintmax_t, uint64) X(register_t, int64) X(bool, bool_) \
	X(vm_offset_t, uint64) X(lwpid_t, int32)
/* clang-format on */

static void add_basics(struct types *ts)
{
#define X(name, t) types_add_typedef(ts, #name, ts->t);
	BASIC_TYPES(X)
#undef X
	types_add_typedef(ts, "caddr_t", type_ptr(ts, ts->char_));
}

/* Widths are those of LP64, which x86-64 and arm64 share. */
struct types *types_new(struct arena *a, const struct ktypes *kernel)
{
	struct types *ts = ARENA_NEW(a, struct types);

	ts->arena = a;
	ts->kernel = kernel;
	ts->generation = kernel && kernel->begin ? kernel->begin(kernel->ctx) : 0;
	ts->typedefs = strmap_new(a);
	ts->tags = strmap_new(a);
	ts->enumerators = strmap_new(a);
	ts->void_ = type_new(ts, T_VOID, "void", 0, false);
	ts->string = type_new(ts, T_STRING, "string", 256, false);
	ts->char_ = type_new(ts, T_INT, "char", 1, true);
	ts->int8 = type_new(ts, T_INT, "signed char", 1, true);
	ts->uint8 = type_new(ts, T_INT, "unsigned char", 1, false);
	ts->int16 = type_new(ts, T_INT, "short", 2, true);
	ts->uint16 = type_new(ts, T_INT, "unsigned short", 2, false);
	ts->int32 = type_new(ts, T_INT, "int", 4, true);
	ts->uint32 = type_new(ts, T_INT, "unsigned int", 4, false);
	ts->long_ = ts->int64 = type_new(ts, T_INT, "long", 8, true);
	ts->ulong_ = ts->uint64 = type_new(ts, T_INT, "unsigned long", 8, false);
	ts->longlong = type_new(ts, T_INT, "long long", 8, true);
	ts->ulonglong = type_new(ts, T_INT, "unsigned long long", 8, false);
	ts->bool_ = type_new(ts, T_INT, "_Bool", 1, false);
	ts->float_ = type_new(ts, T_FLOAT, "float", 4, true);
	ts->double_ = type_new(ts, T_FLOAT, "double", 8, true);
	ts->ldouble = type_new(ts, T_FLOAT, "long double", 16, true);
	ts->declared = strmap_new(a);
	ts->constants = strmap_new(a);
	add_basics(ts);
	return ts;
}

/* The integer type of that size in bytes. */
struct type *type_int(struct types *ts, uint32_t size, bool sgn)
{
	switch (size) {
	case 1:
		return sgn ? ts->int8 : ts->uint8;
	case 2:
		return sgn ? ts->int16 : ts->uint16;
	case 4:
		return sgn ? ts->int32 : ts->uint32;
	default:
		return sgn ? ts->int64 : ts->uint64;
	}
}

/* Such a type is only copied, compared and printed as bytes: it has no members to look up. */
struct type *type_memory(struct types *ts, uint32_t n)
{
	return type_new(ts, T_STRUCT, "", n, false);
}

struct type *type_ptr(struct types *ts, struct type *of)
{
	struct type *t = type_new(ts, T_PTR, "", 8, false);

	t->of = of;
	return t;
}

/* The caller has checked that the size fits 32 bits. */
struct type *type_array(struct types *ts, struct type *of, uint32_t n)
{
	struct type *t = type_new(ts, T_ARRAY, "", of->size * n, false);

	t->of = of;
	t->nelems = n;
	return t;
}

const char *type_tag_word(enum type_kind kind)
{
	return kind == T_STRUCT ? "struct" : kind == T_UNION ? "union" : "enum";
}

bool type_is_kernels(const struct type *t)
{
	return t->btf_id || t->module;
}

/* Looked up in the script and the libraries first, so that they can hide a structure of the kernel. An answer of the
 * kernel is kept; that there is none is not. */
struct type *types_tagged(struct types *ts, enum type_kind kind, const char *tag)
{
	const char *key = arena_printf(ts->arena, "%s %s", type_tag_word(kind), tag);
	struct type *t = strmap_get(ts->tags, key);

	if (!t && ts->kernel) {
		t = ts->kernel->find(ts->kernel->ctx, ts, kind, tag);
		if (t)
			strmap_put(ts->tags, key, t);
	}
	return t;
}

/* A typedef of the kernel is made when a text first names it. */
struct type *types_typedef(struct types *ts, const char *name)
{
	struct type *t = strmap_get(ts->typedefs, name);

	if (!t && ts->kernel) {
		t = ts->kernel->find(ts->kernel->ctx, ts, T_VOID, name);
		if (t) {
			types_add_typedef(ts, name, t);
			t = strmap_get(ts->typedefs, name);
		}
	}
	return t;
}

bool types_is_name(struct types *ts, const char *name)
{
	return types_typedef(ts, name) != NULL;
}

/* Members are read from the kernel when they are first wanted: most structures are only pointed to. */
void type_complete(struct types *ts, struct type *t)
{
	struct type *c = t->canon;

	if (type_is_sou(c) && !c->complete && type_is_kernels(c) && ts->kernel)
		ts->kernel->complete(ts->kernel->ctx, ts, c);
	if (t != c) {
		t->members = c->members;
		t->nmembers = c->nmembers;
		t->size = c->size;
		t->complete = c->complete;
	}
}

/* ---- members and names ------------------------------------------------------------------------------------------- */
/* The members of this structure come first, then those of its anonymous ones, as in C. The walk ends: BTF that
 * contains itself has no members (kernel/btf/btf.c), and a script cannot write such a structure. */
struct type_member *type_find_member(struct types *ts, struct type *t, const char *name, uint32_t *bit_off)
{
	type_complete(ts, t);
	for (size_t i = 0; i < t->nmembers; i++) {
		struct type_member *m = &t->members[i];

		if (m->name && !strcmp(m->name, name)) {
			*bit_off = m->bit_off;
			return m;
		}
	}
	for (size_t i = 0; i < t->nmembers; i++) {
		struct type_member *m = &t->members[i], *in;
		uint32_t off;

		if (m->name || (m->type->kind != T_STRUCT && m->type->kind != T_UNION))
			continue;
		in = type_find_member(ts, m->type, name, &off);
		if (in) {
			*bit_off = m->bit_off + off;
			return in;
		}
	}
	return NULL;
}

/* The offset in bytes of a member of a kernel structure, -1 if it has none. For callers without D, such as the owner
 * service and pid namespaces. */
int64_t types_offset(struct types *ts, const char *tag, const char *const *path)
{
	struct type *t = types_tagged(ts, T_STRUCT, tag);
	int64_t off = 0;

	for (; t && *path; path++) {
		uint32_t bit;
		const struct type_member *m = type_find_member(ts, t, *path, &bit);

		off += m ? bit / 8 : 0;
		t = m ? m->type : NULL;
	}
	return t ? off : -1;
}

/* A longer name that begins so wins over a typing error: "state" for "stat". */
const char *type_nearest_member(struct types *ts, struct type *t, const char *name)
{
	const char **names, *longer;
	size_t n = 0;

	type_complete(ts, t);
	names = ARENA_ARRAY(ts->arena, const char *, t->nmembers + 1);
	for (size_t i = 0; i < t->nmembers; i++)
		if (t->members[i].name)
			names[n++] = t->members[i].name;
	longer = longer_name(name, names);
	return longer ? longer : nearest_name(name, names);
}

/* An anonymous structure has no name that a user could write: "struct (anonymous)". */
const char *type_name(struct types *ts, const struct type *t)
{
	struct arena *a = ts->arena;

	if (t->alias)
		return t->alias;
	switch (t->kind) {
	case T_VOID:
	case T_INT:
	case T_FLOAT:
	case T_STRING:
		return t->name;
	case T_ENUM:
	case T_STRUCT:
	case T_UNION:
		return arena_printf(a, "%s %s", type_tag_word(t->kind), *t->name ? t->name : "(anonymous)");
	case T_PTR: {
		const char *of = type_name(ts, t->of);
		return arena_printf(a, "%s%s*", of, of[0] && of[strlen(of) - 1] == '*' ? "" : " ");
	}
	case T_ARRAY:
		return arena_printf(a, "%s [%u]", type_name(ts, t->of), t->nelems);
	case T_FUNC:
		return arena_printf(a, "%s ()", type_name(ts, t->of));
	}
	return "?";
}

bool type_is_int(const struct type *t)
{
	return t->kind == T_INT || t->kind == T_ENUM;
}

bool type_is_scalar(const struct type *t)
{
	return type_is_int(t) || t->kind == T_PTR;
}

/* char * is not one: D reads text behind a pointer only by stringof() or copyinstr(). */
bool type_is_string(const struct type *t)
{
	return t->kind == T_STRING || (t->kind == T_ARRAY && t->of->kind == T_INT && t->of->size == 1);
}

bool type_is_float(const struct type *t)
{
	return t->kind == T_FLOAT && t->size <= 8;
}

bool type_is_sou(const struct type *t)
{
	return t->kind == T_STRUCT || t->kind == T_UNION;
}

bool type_is_block(const struct type *t)
{
	return type_is_sou(t) || t->kind == T_ARRAY;
}

/* Structures with one tag are one type even if two translators declared them apart; anonymous ones are equal only if
 * they are the same object. */
bool type_same(const struct type *a, const struct type *b)
{
	if (a == b || a->canon == b->canon)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case T_VOID:
	case T_STRING:
		return true;
	case T_INT:
	case T_FLOAT:
		return a->size == b->size && a->is_signed == b->is_signed;
	case T_PTR:
	case T_FUNC:
		return type_same(a->of, b->of);
	case T_ARRAY:
		return a->nelems == b->nelems && type_same(a->of, b->of);
	case T_ENUM:
	case T_STRUCT:
	case T_UNION:
		return *a->name && !strcmp(a->name, b->name);
	}
	return false;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */
struct type *type_operand(struct types *ts, struct type *t)
{
	return t->kind == T_ENUM ? type_int(ts, t->size, t->is_signed) : t;
}

/* Differs from C, which would promote both to int first: see types.h. */
struct type *type_usual(struct types *ts, struct type *a, struct type *b)
{
	a = type_operand(ts, a);
	b = type_operand(ts, b);
	if (a->size != b->size)
		return a->size > b->size ? a : b;
	return a->is_signed ? b : a;
}
