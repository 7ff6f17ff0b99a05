/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf: answers the checker's questions about kernel types (struct ktypes).
 * Input: struct kbtf. Output: types, enumerators, texts of members.
 * Invariant: a name that the kernel itself lacks is looked up in the module whose name it begins with, as in
 * sctp_association. */
#include "kernel/btf/btf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/btf.h>

#include "base/diag/nearest.h"
#include "kernel/btf/btf_priv.h"
#include "kernel/ksyms.h"

/* Opens the module that a type's name suggests. Most names that a module defines begin with the module's name:
 * sctp_association. */
static void open_named(struct kbtf *k, const char *name)
{
	static const char *const others[][2] = { { "nft_", "nf_tables" }, { "xt_", "x_tables" },
		{ "ip_vs_", "ip_vs" } };

	(void)kbtf_open_module(k, name, strcspn(name, "_"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(name, others[i][0], strlen(others[i][0])))
			(void)kbtf_open_module(k, others[i][1], strlen(others[i][1]));
}

/* Finds a type by kind and name; T_VOID means a typedef. The kernel's own BTF comes first, then the module that the
 * name suggests, then all modules read so far. */
static struct type *kt_find(void *ctx, struct types *ts, enum type_kind kind, const char *name)
{
	struct kbtf *k = ctx;
	uint64_t kinds = kind == T_STRUCT ? 1ull << BTF_KIND_STRUCT
		: kind == T_UNION         ? 1ull << BTF_KIND_UNION
		: kind == T_ENUM          ? 1ull << BTF_KIND_ENUM | 1ull << BTF_KIND_ENUM64
					  : 1ull << BTF_KIND_TYPEDEF;
	uint32_t id = kbtf_find_id(k, name, kinds);
	struct kbtf *m;

	if (id)
		return kbtf_make_type(k, ts, id);
	open_named(k, name);
	for (m = k->modules; m; m = m->next) {
		id = kbtf_find_id(m, name, kinds);
		if (id)
			return kbtf_make_type(m, ts, id);
	}
	return NULL;
}

/* Members that a structure may have, with those of the structures that it contains (of an array one element). */
#define MEMBERS_MOST 100000

/* Is a structure finite: does it contain, by value, neither itself nor more than *left members? The checker, print()
 * and others walk through members by value and rely on it. A forward declaration by value has no size: not finite. */
static bool is_finite(const struct kbtf *k, const struct btf_type *bt, unsigned depth, unsigned *left)
{
	for (unsigned i = 0; i < btf_vlen(bt); i++) {
		uint32_t id = btf_members(bt)[i].type;
		const struct btf_type *t = kbtf_skip_modifiers(k, &id);

		if (depth >= KBTF_DEPTH || !(*left)--)
			return false;
		for (unsigned steps = 0; t && btf_is_array(t) && steps < KBTF_DEPTH; steps++) {
			id = btf_array(t)->type;
			t = kbtf_skip_modifiers(k, &id);
		}
		if (t && (btf_is_fwd(t) || (btf_is_composite(t) && !is_finite(k, t, depth + 1, left))))
			return false;
	}
	return true;
}

/* Fills in the members of a structure. One that is not finite has none, which makes it opaque. */
static void kt_complete(void *ctx, struct types *ts, struct type *t)
{
	struct kbtf *k = t->module ? t->module : ctx;
	const struct btf_type *bt = type_at(k, t->module ? t->module_id : t->btf_id);
	const struct btf_member *m = btf_members(bt);
	unsigned left = MEMBERS_MOST, n = is_finite(k, bt, 0, &left) ? btf_vlen(bt) : 0;

	t->complete = true;
	t->members = ARENA_ARRAY(ts->arena, struct type_member, n + 1u);
	t->nmembers = n;
	for (unsigned i = 0; i < n; i++) {
		const char *name = str_at(k, m[i].name_off);

		t->members[i].name = *name ? name : NULL;
		t->members[i].type = kbtf_make_type(k, ts, m[i].type);
		t->members[i].bit_off = btf_member_bit_offset(bt, i);
		t->members[i].bits = btf_member_bitfield_size(bt, i);
	}
}

/* Enumerator i. Without the flag of a signed enum its 32 bits are unsigned. */
static struct ktype_enum enumerator_at(const struct kbtf *k, const struct btf_type *t, unsigned i)
{
	struct ktype_enum e;

	if (btf_is_enum64(t)) {
		e.name = str_at(k, btf_enum64(t)[i].name_off);
		e.value = (int64_t)btf_enum64_value(&btf_enum64(t)[i]);
	} else {
		e.name = str_at(k, btf_enum(t)[i].name_off);
		e.value = btf_kflag(t) ? btf_enum(t)[i].val : (int64_t)(uint32_t)btf_enum(t)[i].val;
	}
	return e;
}

/* Enumerators are tens of thousands and seldom looked up, so each of the first costs a walk over the enums; an index
 * costs as much as some three. */
#define ENUM_WALKS 4

static uint32_t count_enumerators(const struct kbtf *k)
{
	uint32_t n = 0;

	for (uint32_t id = base_n(k) + !k->base; id < base_n(k) + k->n; id++) {
		const struct btf_type *t = type_at(k, id);

		n += btf_is_any_enum(t) ? btf_vlen(t) : 0;
	}
	return n;
}

/* Names lead to their enums, in the order of BTF: the first of a name is found first. */
static void index_enumerators(struct kbtf *k)
{
	const uint32_t n = count_enumerators(k);

	k->nenums = 256;
	while (k->nenums < 2 * n)
		k->nenums *= 2;
	k->enums = calloc(k->nenums, sizeof(*k->enums));
	for (uint32_t id = base_n(k) + !k->base; k->enums && id < base_n(k) + k->n; id++) {
		const struct btf_type *t = type_at(k, id);

		for (unsigned i = 0; btf_is_any_enum(t) && i < btf_vlen(t); i++)
			index_add(k->enums, k->nenums, enumerator_at(k, t, i).name, id);
	}
}

/* False: t is no enum, or has not that enumerator. */
static bool find_in_enum(const struct kbtf *k, const struct btf_type *t, const char *name, int64_t *value)
{
	for (unsigned i = 0; btf_is_any_enum(t) && i < btf_vlen(t); i++) {
		const struct ktype_enum e = enumerator_at(k, t, i);

		if (!strcmp(e.name, name)) {
			*value = btf_is_enum64(t) ? e.value : (int32_t)e.value;
			return true;
		}
	}
	return false;
}

/* Searches all enums of one BTF. */
static bool find_enumerator(struct kbtf *k, const char *name, int64_t *value)
{
	uint32_t id, h = name_hash(name);

	if (k->enum_walks++ == ENUM_WALKS)
		index_enumerators(k);
	for (; k->enums && (id = k->enums[h & (k->nenums - 1)]) != 0; h++)
		if (find_in_enum(k, type_at(k, id), name, value))
			return true;
	for (id = base_n(k) + !k->base; !k->enums && id < base_n(k) + k->n; id++)
		if (find_in_enum(k, type_at(k, id), name, value))
			return true;
	return false;
}

/* In the kernel's enums, then in those of the modules that were asked for. */
static bool kt_enumerator(void *ctx, const char *name, int64_t *value)
{
	struct kbtf *k = ctx;

	if (find_enumerator(k, name, value))
		return true;
	for (k = k->modules; k; k = k->next)
		if (find_enumerator(k, name, value))
			return true;
	return false;
}

/* The enumerators of an enum, in the arena. Returns their number; 0: there is no such enum. */
static size_t kt_enumerators(void *ctx, struct arena *a, const char *tag, struct ktype_enum **v)
{
	const uint64_t kinds = 1ull << BTF_KIND_ENUM | 1ull << BTF_KIND_ENUM64;
	const struct kbtf *k = ctx, *m = k->modules;
	uint32_t id = kbtf_find_id(k, tag, kinds);
	const struct btf_type *t;
	size_t n;

	for (; !id && m; m = m->next) {
		k = m;
		id = kbtf_find_id(k, tag, kinds);
	}
	t = id ? type_at(k, id) : NULL;
	n = t ? btf_vlen(t) : 0;
	*v = ARENA_ARRAY(a, struct ktype_enum, n + 1);
	for (size_t i = 0; i < n; i++)
		(*v)[i] = enumerator_at(k, t, (unsigned)i);
	return n;
}

/* A type as C writes it. depth: types on the way to it; from KBTF_DEPTH on it is void. */
static const char *type_text(const struct kbtf *k, struct arena *a, uint32_t id, unsigned depth)
{
	const struct btf_type *t = id && depth < KBTF_DEPTH ? type_at(k, id) : NULL;
	const char *name = t ? str_at(k, t->name_off) : "", *of;

	if (!t)
		return "void";
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		of = type_text(k, a, t->type, depth + 1);
		if (t->type && btf_kind(type_at(k, t->type)) == BTF_KIND_FUNC_PROTO)
			return arena_printf(a, "%s (*)()", of);
		return arena_printf(a, "%s%s*", of, of[0] && of[strlen(of) - 1] == '*' ? "" : " ");
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_RESTRICT:
		return type_text(k, a, t->type, depth + 1);
	case BTF_KIND_CONST:
		return arena_printf(a, "const %s", type_text(k, a, t->type, depth + 1));
	case BTF_KIND_VOLATILE:
		return arena_printf(a, "volatile %s", type_text(k, a, t->type, depth + 1));
	case BTF_KIND_ARRAY:
		return arena_printf(a, "%s [%u]", type_text(k, a, btf_array(t)->type, depth + 1), btf_array(t)->nelems);
	case BTF_KIND_STRUCT:
		return arena_printf(a, "struct%s%s", *name ? " " : "", name);
	case BTF_KIND_UNION:
		return arena_printf(a, "union%s%s", *name ? " " : "", name);
	case BTF_KIND_FWD:
		return arena_printf(a, "%s %s", btf_kflag(t) ? "union" : "struct", name);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return arena_printf(a, "enum%s%s", *name ? " " : "", name);
	default:
		return name;
	}
}

/* The type of a member as C writes it; NULL if the structure is not the kernel's. */
static const char *kt_member_text(void *ctx, struct arena *a, const struct type *t, size_t member)
{
	const struct kbtf *k = t->module ? t->module : ctx;
	uint32_t id = t->module ? t->module_id : t->btf_id;
	const struct btf_type *bt = id ? type_at(k, id) : NULL;

	return bt && btf_is_composite(bt) && member < btf_vlen(bt) ? type_text(k, a, btf_members(bt)[member].type, 0)
								   : NULL;
}

/* Finds a name of the same kind with one typing error. Only names with the same first letter are compared. */
static const char *kt_nearest(void *ctx, enum type_kind kind, const char *name)
{
	struct kbtf *k = ctx;
	const char *pair[2] = { NULL, NULL }, *best = NULL;

	for (uint32_t id = 1; id < k->n; id++) {
		const struct btf_type *t = type_at(k, id);
		const char *s;

		if (kind == T_STRUCT ? !btf_is_struct(t) : kind == T_UNION ? !btf_is_union(t) : !btf_is_typedef(t))
			continue;
		s = str_at(k, t->name_off);
		if (s[0] != name[0] || strlen(s) + 1 < strlen(name) || strlen(s) > strlen(name) + 1)
			continue;
		pair[0] = s;
		if (nearest_name(name, pair)) {
			best = s;
			break;
		}
	}
	return best;
}

/* Begins a compilation: types made for an earlier one lie in another arena. */
static uint64_t kt_begin(void *ctx)
{
	struct kbtf *k = ctx;

	return ++k->generations;
}

/* Is the module loaded or built in? */
static bool kt_has_module(void *ctx, const char *module)
{
	char path[128];

	if (ksyms_is_kernel(module))
		return true;
	if (strchr(module, '/') || snprintf(path, sizeof(path), "/sys/module/%s", module) >= (int)sizeof(path) ||
		access(path, F_OK))
		return false;
	(void)kbtf_open_module(ctx, module, strlen(module)); /* its types are asked for next */
	return true;
}

struct ktypes kbtf_ktypes(struct kbtf *k)
{
	return (struct ktypes){
		.ctx = k,
		.begin = kt_begin,
		.find = kt_find,
		.complete = kt_complete,
		.enumerator = kt_enumerator,
		.symbol = kbtf_symbol,
		.has_module = kt_has_module,
		.enumerators = kt_enumerators,
		.member_text = kt_member_text,
		.nearest = kt_nearest,
	};
}
