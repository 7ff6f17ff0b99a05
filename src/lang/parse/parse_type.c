/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_type: parses type specifiers as C has them, and D's string.
 * Input: tokens. Output: struct tyx, or NULL or false after an error.
 * Invariant: no type is higher than PARSE_DEPTH_MAX. The outermost node's depth bounds any walk over the type. */
#include <string.h>

#include "lang/parse/parser.h"

/* A node of height 1. Whoever adds a part to it adjusts depth. */
struct tyx *tyx_new(struct parser *p, enum tyx_kind kind, struct loc loc)
{
	struct tyx *ty = ARENA_NEW(p->arena, struct tyx);

	ty->kind = kind;
	ty->loc = loc;
	ty->depth = 1;
	return ty;
}

/* struct { ... } a, b: the second declarator names the type, and does not define it again. */
struct tyx *tyx_again(struct parser *p, struct tyx *base)
{
	if (!base->has_body || !base->name)
		return base; /* without a tag, only the node identifies the structure */
	struct tyx *ty = tyx_new(p, base->kind, base->loc);

	ty->name = base->name;
	ty->scope = base->scope;
	return ty;
}

/* ---- specifiers -------------------------------------------------------------------------------------------------- */
/* 0: the keyword is no storage class. */
static uint32_t storage_bit(enum tok_kind k)
{
	static const uint32_t bits[TOK_COUNT] = {
		[KW_TYPEDEF] = STORAGE_TYPEDEF,
		[KW_EXTERN] = STORAGE_EXTERN,
		[KW_STATIC] = STORAGE_STATIC,
		[KW_SELF] = STORAGE_SELF,
		[KW_THIS] = STORAGE_THIS,
		[KW_AUTO] = STORAGE_OTHER,
		[KW_REGISTER] = STORAGE_OTHER,
	};

	return bits[k];
}

/* 0: the keyword is no part of a basic type. */
static uint32_t spec_bit(enum tok_kind k)
{
	static const uint32_t bits[TOK_COUNT] = {
		[KW_VOID] = SPEC_VOID,
		[KW_CHAR] = SPEC_CHAR,
		[KW_SHORT] = SPEC_SHORT,
		[KW_INT] = SPEC_INT,
		[KW_LONG] = SPEC_LONG,
		[KW_SIGNED] = SPEC_SIGNED,
		[KW_UNSIGNED] = SPEC_UNSIGNED,
		[KW_FLOAT] = SPEC_FLOAT,
		[KW_DOUBLE] = SPEC_DOUBLE,
		[KW_STRING] = SPEC_STRING,
		[KW_BOOL] = SPEC_BOOL,
		[KW_USERLAND] = SPEC_USERLAND,
	};

	return bits[k];
}

/* Adds one keyword to a basic type's specifiers. */
static bool add_spec(struct parser *p, struct tyx *ty)
{
	const struct token t = parser_take(p);
	const struct loc at = parser_loc(p, &t);
	const uint32_t bit = spec_bit(t.kind), sign = SPEC_SIGNED | SPEC_UNSIGNED;

	if (bit == SPEC_LONG && (ty->spec & SPEC_LONGLONG)) {
		parser_error(p, at, D_DECL_COMBO, NULL, "long long long is too long");
		return false;
	}
	if (bit == SPEC_LONG && (ty->spec & SPEC_LONG)) {
		ty->spec = (ty->spec & ~(uint32_t)SPEC_LONG) | SPEC_LONGLONG;
	} else if ((bit & sign) && (ty->spec & sign)) {
		parser_error(p, at, D_DECL_COMBO, NULL, "a type is signed or unsigned, once");
		return false;
	} else if (ty->spec & bit) {
		parser_error(p, at, D_DECL_COMBO, NULL, "'%s' twice in a type", t.text);
		return false;
	} else {
		ty->spec |= bit;
	}
	ty->loc = loc_span(ty->loc, at);
	return true;
}

/* DTrace's tag for a sign or a size that does not go with the type. */
static enum dtag combo_tag(uint32_t base, uint32_t sign)
{
	const uint32_t size = base & (SPEC_SHORT | SPEC_LONG | SPEC_LONGLONG), type = base & ~size;

	if (type == SPEC_CHAR && size)
		return D_DECL_CHARATTR;
	if (type == SPEC_VOID && (size || sign))
		return D_DECL_VOIDATTR;
	if (type == 0 || (type & (type - 1)))
		return D_DECL_COMBO;
	if (sign && type != SPEC_INT)
		return D_DECL_SIGNINT;
	if (size && type == SPEC_STRING)
		return D_DECL_LONGINT;
	return (size & (SPEC_LONG | SPEC_LONGLONG)) && type != SPEC_INT ? D_DECL_LONGINT : D_DECL_COMBO;
}

/* Do the keywords make a type of C or D? False after an error. */
static bool check_spec(struct parser *p, const struct tyx *ty)
{
	static const uint32_t bases[] = {
		SPEC_VOID,
		SPEC_CHAR,
		SPEC_SHORT,
		SPEC_SHORT | SPEC_INT,
		SPEC_INT,
		SPEC_LONG,
		SPEC_LONG | SPEC_INT,
		SPEC_LONGLONG,
		SPEC_LONGLONG | SPEC_INT,
		SPEC_FLOAT,
		SPEC_DOUBLE,
		SPEC_LONG | SPEC_DOUBLE,
		SPEC_STRING,
		SPEC_BOOL,
	};
	const uint32_t sign = ty->spec & (SPEC_SIGNED | SPEC_UNSIGNED);
	const uint32_t base = ty->spec & ~(uint32_t)(SPEC_SIGNED | SPEC_UNSIGNED | SPEC_USERLAND);
	bool known = base == 0 && sign;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		known |= base == bases[i];
	if (sign && (base & (SPEC_VOID | SPEC_FLOAT | SPEC_DOUBLE | SPEC_STRING | SPEC_BOOL)))
		known = false;
	if (!known)
		parser_error(p, ty->loc, combo_tag(base, sign), NULL, "these words do not make a type together");
	return known;
}

/* member := declarator [":" const] | ":" const
 * The second form is an unnamed bit-field. */
static bool parse_member_decl(struct parser *p, struct tyx *into, struct tyx *base)
{
	struct declarator d = { .type = base, .loc = parser_loc(p, parser_peek(p, 0)) };

	if (parser_kind(p) != TOK_COLON) {
		if (!parse_declarator(p, base, &d))
			return false;
		if (!d.name) {
			parser_unexpected(p, "the name of a member");
			return false;
		}
	}
	struct expr *bits = NULL;

	if (parser_accept(p, TOK_COLON) && !(bits = parse_const(p)))
		return false;
	struct tyx_member *m = vec_push(p->arena, &into->members);

	*m = (struct tyx_member){ .name = d.name, .type = d.type, .bits = bits, .loc = d.loc };
	if (d.type->depth >= into->depth)
		into->depth = d.type->depth + 1;
	if (bits && bits->depth >= into->depth)
		into->depth = bits->depth + 1;
	return parser_height_ok(p, d.loc, into->depth);
}

/* members := ( specifiers [member ("," member)*] ";" )+ */
static bool parse_members(struct parser *p, struct tyx *ty, struct loc open)
{
	if (parser_kind(p) == TOK_RBRACE) {
		parser_unexpected(p, "a member");
		return false;
	}
	while (parser_kind(p) != TOK_RBRACE && parser_kind(p) != TOK_EOF) {
		struct dspec spec;

		if (!parse_dspec(p, &spec))
			return false;
		if (spec.storage) {
			parser_error(p, spec.loc, D_DECL_BADCLASS, NULL, "a member has no storage class");
			return false;
		}
		if (parser_kind(p) == TOK_SEMI) { /* an anonymous struct or union */
			if (spec.base->kind != TYX_STRUCT && spec.base->kind != TYX_UNION) {
				parser_error(p, spec.loc, D_DECL_MNAME, NULL, "this member has no name");
				return false;
			}
			struct tyx_member *m = vec_push(p->arena, &ty->members);

			*m = (struct tyx_member){ .type = spec.base, .loc = spec.loc };
			if (spec.base->depth >= ty->depth)
				ty->depth = spec.base->depth + 1;
			if (!parser_height_ok(p, spec.loc, ty->depth))
				return false;
		} else {
			do {
				if (!parse_member_decl(p, ty, spec.base))
					return false;
				spec.base = tyx_again(p, spec.base);
			} while (parser_accept(p, TOK_COMMA));
		}
		if (!parser_expect(p, TOK_SEMI, "after the member"))
			return false;
	}
	return parser_expect_close(p, TOK_RBRACE, open);
}

/* enumerators := ident ["=" const] ("," ident ["=" const])* [","] */
static bool parse_enumerators(struct parser *p, struct tyx *ty, struct loc open)
{
	while (parser_kind(p) == TOK_IDENT) {
		const struct token t = parser_take(p);
		struct expr *value = NULL;

		if (parser_accept(p, TOK_ASSIGN) && !(value = parse_const(p)))
			return false;
		struct tyx_member *m = vec_push(p->arena, &ty->members);

		*m = (struct tyx_member){ .name = t.text, .value = value, .loc = parser_loc(p, &t) };
		if (value && value->depth >= ty->depth)
			ty->depth = value->depth + 1;
		if (!parser_height_ok(p, m->loc, ty->depth))
			return false;
		if (!parser_accept(p, TOK_COMMA))
			break;
	}
	if (!ty->members.n) {
		parser_unexpected(p, "an enumerator");
		return false;
	}
	return parser_expect_close(p, TOK_RBRACE, open);
}

/* "{" members or enumerators "}"
 * NULL after an error. */
static struct tyx *parse_type_body(struct parser *p, struct tyx *ty)
{
	const struct loc open = parser_take_loc(p);

	if (!parser_enter(p))
		return NULL;
	ty->has_body = true;
	const bool ok = ty->kind == TYX_ENUM ? parse_enumerators(p, ty, open) : parse_members(p, ty, open);

	parser_leave(p);
	return ok ? ty : NULL;
}

/* [module "`"] name: sets the name and module of a type. */
static void take_name(struct parser *p, struct tyx *ty)
{
	const struct token t = parser_take(p);
	const char *tick = strrchr(t.text, '`');

	ty->name = tick ? tick + 1 : t.text;
	ty->scope = tick ? arena_strndup(p->arena, t.text, (size_t)(tick - t.text)) : NULL;
	ty->loc = loc_span(ty->loc, parser_loc(p, &t));
}

/* struct := ("struct" | "union" | "enum") ( [tag] "{" ... "}" | [module "`"] tag )
 * NULL after an error. */
static struct tyx *parse_tagged(struct parser *p)
{
	const enum tok_kind k = parser_kind(p);
	struct tyx *ty = tyx_new(p,
		k == KW_STRUCT          ? TYX_STRUCT
			: k == KW_UNION ? TYX_UNION
					: TYX_ENUM,
		parser_take_loc(p));

	if (parser_kind(p) == TOK_IDENT)
		take_name(p, ty);
	if (parser_kind(p) == TOK_LBRACE)
		return parse_type_body(p, ty);
	if (ty->name)
		return ty;
	parser_unexpected(p, "a tag or '{'");
	return NULL;
}

/* A typedef's name. */
static struct tyx *parse_named(struct parser *p)
{
	struct tyx *ty = tyx_new(p, TYX_NAME, parser_loc(p, parser_peek(p, 0)));

	take_name(p, ty);
	return ty;
}

/* Takes a storage class: self, this, extern, static, typedef. A declaration has one at most. */
static bool add_storage(struct parser *p, struct dspec *out)
{
	const struct token t = parser_take(p);

	if (out->storage) {
		parser_error(p, parser_loc(p, &t), D_DECL_CLASS, NULL, "two storage classes in one declaration");
		return false;
	}
	out->storage = storage_bit(t.kind);
	return true;
}

/* Reports an unknown word where a type should stand, or what else stands there. */
static void missing_type(struct parser *p, const struct dspec *out)
{
	const struct token *t = parser_peek(p, 0);

	if (t->kind == TOK_IDENT && !p->panic)
		parser_error(p, parser_loc(p, t), D_SYNTAX, out->storage ? "as in: self int x;" : NULL,
			"unknown type '%s'", t->text);
	else
		parser_unexpected(p, "a type");
}

/* DTrace's tag for two types in a declaration; for "unsigned struct x" it is the sign that is wrong. */
static enum dtag two_types_tag(const struct tyx *base)
{
	const uint32_t words = SPEC_SHORT | SPEC_LONG | SPEC_LONGLONG | SPEC_SIGNED | SPEC_UNSIGNED;

	if (!base || base->kind != TYX_BASIC || (base->spec & ~words))
		return D_DECL_COMBO;
	if (base->spec & (SPEC_SIGNED | SPEC_UNSIGNED))
		return D_DECL_SIGNINT;
	return base->spec & (SPEC_LONG | SPEC_LONGLONG) ? D_DECL_LONGINT : D_DECL_COMBO;
}

/* self x; this y, z; extern e[int]; : a variable without a type is an int */
static bool is_implicit_int(struct parser *p, unsigned storage)
{
	const enum tok_kind after = parser_peek(p, 1)->kind;

	return (storage == STORAGE_SELF || storage == STORAGE_THIS || storage == STORAGE_EXTERN) &&
		parser_kind(p) == TOK_IDENT && (after == TOK_SEMI || after == TOK_COMMA || after == TOK_LBRACK);
}

/* specifiers := ( storage | qualifier | type keyword | struct | typedef name )+
 * Qualifiers (const, volatile, restrict) are accepted without effect. */
bool parse_dspec(struct parser *p, struct dspec *out)
{
	*out = (struct dspec){ .loc = parser_loc(p, parser_peek(p, 0)) };
	for (;;) {
		const struct token *t = parser_peek(p, 0);
		const bool basic = out->base && out->base->kind == TYX_BASIC;

		if (t->kind == KW_CONST || t->kind == KW_VOLATILE || t->kind == KW_RESTRICT) {
			parser_take(p);
		} else if (storage_bit(t->kind)) {
			if (!add_storage(p, out))
				return false;
		} else if (spec_bit(t->kind) && (!out->base || basic)) {
			if (!basic)
				out->base = tyx_new(p, TYX_BASIC, parser_loc(p, t));
			if (!add_spec(p, out->base))
				return false;
		} else if (spec_bit(t->kind) ||
			(out->base && (t->kind == KW_STRUCT || t->kind == KW_UNION || t->kind == KW_ENUM))) {
			parser_error(
				p, parser_loc(p, t), two_types_tag(out->base), NULL, "two types in one declaration");
			return false;
		} else if (t->kind == KW_STRUCT || t->kind == KW_UNION || t->kind == KW_ENUM) {
			if (!(out->base = parse_tagged(p)))
				return false;
		} else if ((basic && out->base->spec == SPEC_USERLAND && parser_is_type(p, t)) ||
			(!out->base && t->kind == TOK_IDENT && parser_is_typename(p, t->text))) {
			out->base = parse_named(p); /* userland pid_t: where it lies is known anyway */
		} else {
			break;
		}
	}
	out->loc = loc_span(out->loc, parser_loc(p, &p->prev));
	if (!out->base && is_implicit_int(p, out->storage)) {
		out->base = tyx_new(p, TYX_BASIC, out->loc);
		out->base->spec = SPEC_INT;
	}
	if (!out->base) {
		missing_type(p, out);
		return false;
	}
	return out->base->kind != TYX_BASIC || check_spec(p, out->base);
}
