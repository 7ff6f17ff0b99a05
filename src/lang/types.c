/* types: written types and kernel types -> struct type; C's conversions. See types.h. */
#include "lang/types.h"

#include <string.h>

static struct type *new_type(struct types *ts, enum type_kind kind, const char *name, uint32_t size, bool sgn)
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

static struct type *alias_of(struct types *ts, struct type *t, const char *name)
{
	struct type *n = ARENA_NEW(ts->arena, struct type);

	*n = *t;
	n->alias = name;
	return n;
}

void types_add_typedef(struct types *ts, const char *name, struct type *t)
{
	strmap_put(ts->typedefs, name, alias_of(ts, t, arena_strdup(ts->arena, name)));
}

/* The names that D has without any header; sizes as on every 64-bit Linux. */
static void add_basics(struct types *ts)
{
	const struct {
		const char *name;
		struct type *t;
	} names[] = {
		{ "int8_t", ts->int8 },
		{ "int16_t", ts->int16 },
		{ "int32_t", ts->int32 },
		{ "int64_t", ts->int64 },
		{ "uint8_t", ts->uint8 },
		{ "uint16_t", ts->uint16 },
		{ "uint32_t", ts->uint32 },
		{ "uint64_t", ts->uint64 },
		{ "intptr_t", ts->int64 },
		{ "uintptr_t", ts->uint64 },
		{ "size_t", ts->uint64 },
		{ "ssize_t", ts->int64 },
		{ "uchar_t", ts->uint8 },
		{ "ushort_t", ts->uint16 },
		{ "uint_t", ts->uint32 },
		{ "ulong_t", ts->ulong_ },
		{ "u_longlong_t", ts->uint64 },
		{ "longlong_t", ts->int64 },
		{ "ptrdiff_t", ts->int64 },
		{ "pid_t", ts->int32 },
		{ "id_t", ts->int32 },
		{ "uid_t", ts->uint32 },
		{ "gid_t", ts->uint32 },
		{ "zoneid_t", ts->uint32 },
		{ "processorid_t", ts->int32 },
		{ "hrtime_t", ts->int64 },
		{ "time_t", ts->int64 },
		{ "caddr_t", NULL },
		{ "in_port_t", ts->uint16 },
		{ "ipaddr_t", ts->uint32 },
		{ "boolean_t", ts->int32 },
		{ "dev_t", ts->uint64 },
		{ "off_t", ts->int64 },
		{ "offset_t", ts->int64 },
		{ "u_char", ts->uint8 },
		{ "u_short", ts->uint16 },
		{ "u_int", ts->uint32 },
		{ "u_long", ts->ulong_ },
		{ "u_int8_t", ts->uint8 },
		{ "u_int16_t", ts->uint16 },
		{ "u_int32_t", ts->uint32 },
		{ "u_int64_t", ts->uint64 },
		{ "u_quad_t", ts->uint64 },
		{ "quad_t", ts->int64 },
		{ "mode_t", ts->uint32 },
		{ "ino_t", ts->uint64 },
		{ "nlink_t", ts->uint32 },
		{ "clock_t", ts->int64 },
		{ "clockid_t", ts->int32 },
		{ "timer_t", ts->int32 },
		{ "key_t", ts->int32 },
		{ "daddr_t", ts->int64 },
		{ "taskid_t", ts->int32 },
		{ "projid_t", ts->int32 },
		{ "poolid_t", ts->int32 },
		{ "ctid_t", ts->int32 },
		{ "psetid_t", ts->int32 },
		{ "lgrp_id_t", ts->int32 },
		{ "chipid_t", ts->int32 },
		{ "model_t", ts->uint32 },
		{ "major_t", ts->uint32 },
		{ "minor_t", ts->uint32 },
		{ "blkcnt_t", ts->int64 },
		{ "blksize_t", ts->int32 },
		{ "fsblkcnt_t", ts->uint64 },
		{ "suseconds_t", ts->int64 },
		{ "useconds_t", ts->uint32 },
		{ "pgcnt_t", ts->uint64 },
		{ "pfn_t", ts->uint64 },
		{ "diskaddr_t", ts->uint64 },
		{ "socklen_t", ts->uint32 },
		{ "sa_family_t", ts->uint16 },
		{ "in_addr_t", ts->uint32 },
		{ "wchar_t", ts->int32 },
		{ "pthread_t", ts->uint32 },
		{ "intmax_t", ts->int64 },
		{ "uintmax_t", ts->uint64 },
		{ "register_t", ts->int64 },
		{ "vm_offset_t", ts->uint64 },
		{ "lwpid_t", ts->int32 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		types_add_typedef(ts, names[i].name, names[i].t ? names[i].t : type_ptr(ts, ts->char_));
}

struct types *types_new(struct arena *a, const struct ktypes *kernel)
{
	struct types *ts = ARENA_NEW(a, struct types);

	ts->arena = a;
	ts->kernel = kernel;
	ts->typedefs = strmap_new(a);
	ts->tags = strmap_new(a);
	ts->enumerators = strmap_new(a);
	ts->void_ = new_type(ts, T_VOID, "void", 0, false);
	ts->string = new_type(ts, T_STRING, "string", 256, false);
	ts->char_ = new_type(ts, T_INT, "char", 1, true);
	ts->int8 = new_type(ts, T_INT, "signed char", 1, true);
	ts->uint8 = new_type(ts, T_INT, "unsigned char", 1, false);
	ts->int16 = new_type(ts, T_INT, "short", 2, true);
	ts->uint16 = new_type(ts, T_INT, "unsigned short", 2, false);
	ts->int32 = new_type(ts, T_INT, "int", 4, true);
	ts->uint32 = new_type(ts, T_INT, "unsigned int", 4, false);
	ts->long_ = ts->int64 = new_type(ts, T_INT, "long", 8, true);
	ts->ulong_ = ts->uint64 = new_type(ts, T_INT, "unsigned long", 8, false);
	ts->longlong = new_type(ts, T_INT, "long long", 8, true);
	ts->ulonglong = new_type(ts, T_INT, "unsigned long long", 8, false);
	ts->bool_ = new_type(ts, T_INT, "_Bool", 1, false);
	ts->float_ = new_type(ts, T_FLOAT, "float", 4, true);
	ts->double_ = new_type(ts, T_FLOAT, "double", 8, true);
	ts->ldouble = new_type(ts, T_FLOAT, "long double", 16, true);
	ts->declared = strmap_new(a);
	ts->constants = strmap_new(a);
	add_basics(ts);
	return ts;
}

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

struct type *type_memory(struct types *ts, uint32_t n)
{
	return new_type(ts, T_STRUCT, "", n, false);
}

struct type *type_ptr(struct types *ts, struct type *of)
{
	struct type *t = new_type(ts, T_PTR, "", 8, false);

	t->of = of;
	return t;
}

struct type *type_array(struct types *ts, struct type *of, uint32_t n)
{
	struct type *t = new_type(ts, T_ARRAY, "", of->size * n, false);

	t->of = of;
	t->nelems = n;
	return t;
}

static const char *tag_word(enum type_kind kind)
{
	return kind == T_STRUCT ? "struct" : kind == T_UNION ? "union" : "enum";
}

/* Made of the BTF of the kernel or a module? */
static bool is_kernels(const struct type *t)
{
	return t->btf_id || t->module;
}

struct type *types_tagged(struct types *ts, enum type_kind kind, const char *tag)
{
	const char *key = arena_printf(ts->arena, "%s %s", tag_word(kind), tag);
	struct type *t = strmap_get(ts->tags, key);

	if (!t && ts->kernel) {
		t = ts->kernel->find(ts->kernel->ctx, ts, kind, tag);
		if (t)
			strmap_put(ts->tags, key, t);
	}
	return t;
}

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

void type_complete(struct types *ts, struct type *t)
{
	struct type *c = t->canon;

	if (type_is_sou(c) && !c->complete && is_kernels(c) && ts->kernel)
		ts->kernel->complete(ts->kernel->ctx, ts, c);
	if (t != c) {
		t->members = c->members;
		t->nmembers = c->nmembers;
		t->size = c->size;
		t->complete = c->complete;
	}
}

/* ---- written types ----------------------------------------------------------------------------------------------- */
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

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* What C aligns it to; structures of the kernel may be packed: then less. */
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

static bool same_name_before(const struct type *t, const char *name)
{
	for (size_t i = 0; name && i < t->nmembers; i++)
		if (t->members[i].name && !strcmp(t->members[i].name, name))
			return true;
	return false;
}

/* Members go where a C compiler for 64-bit Linux puts them. */
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
	out->bit_off = (uint32_t)at;
	if (at + width > *bits)
		*bits = at + width;
	if (al > *align)
		*align = al;
	return true;
}

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

static struct type *resolve_sou(struct types *ts, struct diags *d, const struct tyx *x)
{
	enum type_kind kind = x->kind == TYX_STRUCT ? T_STRUCT : T_UNION;
	const char *tag = x->name ? x->name : "";
	const char *key = arena_printf(ts->arena, "%s %s", tag_word(kind), tag);
	struct type *t = *tag ? strmap_get(ts->tags, key) : NULL;

	if (t && is_kernels(t) && x->has_body) /* a kernel's may be hidden by one of the script's */
		t = NULL;
	if (!x->has_body) {
		t = types_tagged(ts, kind, tag);
		if (t)
			return t;
		if (x->scope) {
			diag_error(d, x->loc, D_TYPE_ERR, NULL, "the kernel has no %s %s", tag_word(kind), tag);
			return NULL;
		}
	}
	if (t && x->has_body && (t->complete || t->members)) { /* members: it is this very one, inside of itself */
		diag_error(d, x->loc, D_DECL_TYPERED, NULL, "%s %s is declared already", tag_word(kind), tag);
		return NULL;
	}
	if (!t) {
		t = new_type(ts, kind, tag, 0, false);
		t->complete = false;
		if (*tag)
			strmap_put(ts->tags, key, t);
	}
	if (x->has_body)
		layout_body(ts, d, t, x);
	return t;
}

/* The values of a header's enum may need more than an int, as GNU C has it. */
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
	if (old && !is_kernels(old)) { /* a kernel's may be hidden by one of the script's */
		diag_error(d, x->loc, D_DECL_TYPERED, NULL, "enum %s is declared already", x->name);
		return NULL;
	}
	t = new_type(ts, T_ENUM, x->name ? x->name : "", 4, true);
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
			struct type *f = new_type(ts, T_FUNC, "", 0, false);
			f->of = t;
			t = f;
		}
		return t;
	}
	return NULL;
}

/* ---- members and names ------------------------------------------------------------------------------------------- */
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

const char *type_nearest_member(struct types *ts, struct type *t, const char *name)
{
	const char **names = ARENA_ARRAY(ts->arena, const char *, t->nmembers + 1);
	size_t n = 0;

	type_complete(ts, t);
	for (size_t i = 0; i < t->nmembers; i++)
		if (t->members[i].name)
			names[n++] = t->members[i].name;
	return nearest_name(name, names);
}

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
		return arena_printf(a, "%s %s", tag_word(t->kind), *t->name ? t->name : "(anonymous)");
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
struct type *type_promote(struct types *ts, struct type *t)
{
	if (t->kind == T_ENUM)
		return t->is_signed && t->size <= 4 ? ts->int32 : type_int(ts, t->size < 4 ? 4 : t->size, t->is_signed);
	return t->kind == T_INT && t->size < 4 ? ts->int32 : t;
}

struct type *type_usual(struct types *ts, struct type *a, struct type *b)
{
	a = type_promote(ts, a);
	b = type_promote(ts, b);
	if (a->size != b->size)
		return a->size > b->size ? a : b;
	return a->is_signed ? b : a;
}
