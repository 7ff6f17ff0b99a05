/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptype: the types of values for print().
 * Input: a type of D or of the kernel. Output: a tree in the arena, independent of the compiler's types and complete
 * down to nested members. The target of a pointer is only named.
 * Invariant: every structure in the tree has its size and members. */
#include <string.h>

#include "lower/expr/expr.h"

/* How print() shows a value of the type. */
static enum ptype_kind ptype_kind(const struct lowerer *lw, const struct type *t)
{
	switch (t->kind) {
	case T_INT:
		return t->canon == lw->ts->bool_                         ? PT_BOOL
			: t->size == 1 && strstr(t->canon->name, "char") ? PT_CHAR
									 : PT_INT;
	case T_FLOAT:
		return PT_FLOAT;
	case T_ENUM:
		return PT_ENUM;
	case T_PTR:
		return PT_PTR;
	case T_ARRAY:
		return PT_ARRAY;
	case T_STRUCT:
	case T_UNION:
		return PT_SOU;
	case T_STRING:
		return PT_STRING;
	case T_VOID:
	case T_FUNC:
		break;
	}
	return PT_OPAQUE;
}

/* Copies the enumerators; those of the kernel are read now, as the consumer has no BTF. */
static void ptype_enums(struct lowerer *lw, const struct type *t, struct ptype *p)
{
	const struct ktypes *k = lw->ts->kernel;
	struct ktype_enum *v = t->canon->enums;
	size_t n = t->canon->nenums;

	if (!n && k && k->enumerators && *t->canon->name)
		n = k->enumerators(k->ctx, lw->arena, t->canon->name, &v);
	p->enums = ARENA_ARRAY(lw->arena, struct penum, n + 1);
	for (size_t i = 0; i < n; i++)
		p->enums[p->nenums++] = (struct penum){ v[i].name, v[i].value };
}

/* The name of the type; an anonymous one is shown by its keyword. */
static const char *ptype_text(struct lowerer *lw, const struct type *t)
{
	if (!t->alias && type_is_sou(t) && !*t->name)
		return t->kind == T_STRUCT ? "struct" : "union";
	if (!t->alias && t->kind == T_ENUM && !*t->name)
		return "enum";
	return type_name(lw->ts, t);
}

/* The kernel's own word for the type of a member, or what we call it. */
static const char *member_text(struct lowerer *lw, const struct type *t, size_t i, const char *ours)
{
	const struct ktypes *k = lw->ts->kernel;
	const char *text = (t->canon->btf_id || t->canon->module) && k && k->member_text
		? k->member_text(k->ctx, lw->arena, t->canon, i)
		: NULL;

	return text ? text : ours;
}

/* Pointers end the recursion, so types that point to themselves are finite. */
const struct ptype *ptype_of(struct lowerer *lw, struct type *t)
{
	struct ptype *p = ARENA_NEW(lw->arena, struct ptype);

	type_complete(lw->ts, t);
	p->kind = ptype_kind(lw, t);
	p->text = ptype_text(lw, t);
	p->size = t->size;
	if (p->kind == PT_ENUM)
		ptype_enums(lw, t, p);
	if (p->kind == PT_ARRAY) {
		p->of = ptype_of(lw, t->of);
		p->nelems = t->nelems;
	}
	if (p->kind != PT_SOU)
		return p;
	p->members = ARENA_ARRAY(lw->arena, struct pmember, t->nmembers + 1);
	for (size_t i = 0; i < t->nmembers; i++) {
		const struct type_member *m = &t->members[i];
		const struct ptype *of = ptype_of(lw, m->type);

		p->members[p->nmembers++] = (struct pmember){ .name = m->name ? m->name : "",
			.text = member_text(lw, t, i, of->text),
			.type = of,
			.bit_off = m->bit_off,
			.bits = m->bits };
	}
	return p;
}
