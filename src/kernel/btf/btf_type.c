/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_type: converts a BTF type to a type of the checker, and to D text.
 * Input: struct kbtf, the id of a type. Output: struct type, text.
 * Invariant: each kernel structure is made once in a compilation, so types can be compared by address. */
#include <string.h>
#include <bpf/btf.h>

#include "kernel/btf/btf_priv.h"

/* Skips const, volatile, typedefs and the like; *id becomes the id of the type. NULL: void, or a chain that is too
 * long. */
const struct btf_type *kbtf_skip_modifiers(const struct kbtf *k, uint32_t *id)
{
	for (unsigned steps = 0; *id && steps < KBTF_DEPTH; steps++) {
		const struct btf_type *t = type_at(k, *id);

		if (!btf_is_mod(t) && !btf_is_typedef(t))
			return t;
		*id = t->type;
	}
	*id = 0;
	return NULL;
}

/* A structure, union or enum, made once in a compilation. Members are read by kt_complete(). */
static struct type *make_tagged(struct kbtf *k, struct types *ts, uint32_t id, const struct btf_type *bt)
{
	struct type *t;

	id -= base_n(k);
	if (k->made_for != ts->generation) { /* the last compilation's types died with its arena */
		if (k->made_for)
			memset(k->made, 0, k->n * sizeof(struct type *));
		k->made_for = ts->generation;
	}
	if (k->made[id])
		return k->made[id];
	t = type_new(ts,
		btf_is_struct(bt)          ? T_STRUCT
			: btf_is_union(bt) ? T_UNION
					   : T_ENUM,
		str_at(k, bt->name_off), bt->size, btf_is_any_enum(bt) && btf_kflag(bt));
	t->btf_id = k->base ? 0 : id;
	t->module = k->base ? k : NULL;
	t->module_id = k->base ? id + base_n(k) : 0;
	t->complete = t->kind == T_ENUM;
	k->made[id] = t;
	return t;
}

/* An integer type of D with the same size and sign. */
static struct type *make_int(struct types *ts, const struct kbtf *k, const struct btf_type *bt)
{
	bool sgn = btf_int_encoding(bt) & BTF_INT_SIGNED;
	const char *name = str_at(k, bt->name_off);

	if (btf_int_encoding(bt) & BTF_INT_BOOL)
		return ts->bool_;
	if (bt->size == 1 && !strcmp(name, "char"))
		return ts->char_;
	if (bt->size > 8) { /* __int128: bytes */
		return type_array(ts, ts->uint64, bt->size / 8);
	}
	return type_int(ts, bt->size, sgn);
}

static struct type *make_type(struct kbtf *k, struct types *ts, uint32_t id, unsigned depth);

/* An array of 4 GB or more is no object: void. */
static struct type *make_array(struct kbtf *k, struct types *ts, const struct btf_array *a, unsigned depth)
{
	struct type *of = make_type(k, ts, a->type, depth);

	return (uint64_t)of->size * a->nelems <= UINT32_MAX ? type_array(ts, of, a->nelems) : ts->void_;
}

/* depth: types on the way to this one. */
static struct type *make_type(struct kbtf *k, struct types *ts, uint32_t id, unsigned depth)
{
	const struct btf_type *bt = id && depth < KBTF_DEPTH ? type_at(k, id) : NULL;
	struct type *t;

	if (!bt)
		return ts->void_;
	if (k->base && id < k->base->n)
		k = k->base;
	switch (btf_kind(bt)) {
	case BTF_KIND_INT:
		return make_int(ts, k, bt);
	case BTF_KIND_PTR:
		return type_ptr(ts, make_type(k, ts, bt->type, depth + 1));
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return make_type(k, ts, bt->type, depth + 1);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return make_tagged(k, ts, id, bt);
	case BTF_KIND_ARRAY:
		return make_array(k, ts, btf_array(bt), depth + 1);
	case BTF_KIND_FLOAT:
		return bt->size == 4 ? ts->float_ : ts->double_;
	case BTF_KIND_FWD: { /* a full structure of the name may stand elsewhere */
		enum type_kind kind = btf_kflag(bt) ? T_UNION : T_STRUCT;

		t = types_tagged(ts, kind, str_at(k, bt->name_off));
		return t ? t : ts->void_;
	}
	default:
		return ts->void_;
	}
}

struct type *kbtf_make_type(struct kbtf *k, struct types *ts, uint32_t id)
{
	return make_type(k, ts, id, 0);
}

/* ---- text of types ----------------------------------------------------------------------------------------------- */
/* The type as D writes it. */
static const char *int_text(const struct btf_type *t)
{
	bool sgn = btf_int_encoding(t) & BTF_INT_SIGNED;

	if (btf_int_encoding(t) & BTF_INT_BOOL)
		return "bool";
	switch (t->size) {
	case 1:
		return sgn || (btf_int_encoding(t) & BTF_INT_CHAR) ? "char" : "unsigned char";
	case 2:
		return sgn ? "short" : "unsigned short";
	case 4:
		return sgn ? "int" : "unsigned int";
	default:
		return sgn ? "long" : "unsigned long";
	}
}

/* Of what a pointer points to, or an integer: what has no name that D could look up is void, or an int. */
static const char *base_text(struct kbtf *k, struct arena *a, const struct btf_type *t)
{
	const char *name = t ? str_at(k, t->name_off) : "";

	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		return int_text(t);
	case BTF_KIND_TYPEDEF:
		return name;
	case BTF_KIND_STRUCT:
	case BTF_KIND_FWD:
		return *name &&
				(kbtf_find_id(k, name, 1u << BTF_KIND_STRUCT) ||
					(k->base && kbtf_find_id(k->base, name, 1u << BTF_KIND_STRUCT)))
			? arena_printf(a, "struct %s", name)
			: "void";
	case BTF_KIND_UNION:
		return *name ? arena_printf(a, "union %s", name) : "void";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return *name ? arena_printf(a, "enum %s", name) : "int";
	default:
		return "void";
	}
}

/* A type as D writes it. */
const char *kbtf_d_text(struct kbtf *k, struct arena *a, uint32_t id)
{
	const struct btf_type *t = NULL;
	const char *stars = "", *text;
	unsigned steps = 0;

	for (; id && steps < KBTF_DEPTH; id = t->type, steps++) {
		t = type_at(k, id);
		if (btf_is_ptr(t))
			stars = arena_printf(a, "%s*", stars);
		else if (btf_kind(t) != BTF_KIND_CONST && btf_kind(t) != BTF_KIND_VOLATILE &&
			btf_kind(t) != BTF_KIND_RESTRICT && btf_kind(t) != BTF_KIND_TYPE_TAG)
			break;
	}
	text = base_text(k, a, id && steps < KBTF_DEPTH ? t : NULL);
	return *stars ? arena_printf(a, "%s %s", text, stars) : strcmp(text, "void") != 0 ? text : "unsigned long";
}
