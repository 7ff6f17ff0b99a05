/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_declarator: parses what stands around a name: pointers, arrays, keys, parameters, as in C.
 * Input: tokens, and the type before them. Output: struct declarator, or false after an error.
 * Invariant: no type is higher than PARSE_DEPTH_MAX. The outermost node's depth bounds any walk over the type. */
#include <string.h>

#include "lang/parse/parser.h"

/* A declarator is read from the name outwards: type is what the name is, hole is where the rest goes. */
struct chain {
	struct tyx *type;
	struct tyx **hole;
	uint32_t length; /* nodes, and the height of what hangs off them */
};

/* Puts a node where the rest of the declarator goes. side: the height of what hangs off it, such as parameters. */
static bool chain_add(struct parser *p, struct chain *c, struct tyx *ty, uint32_t side)
{
	*c->hole = ty;
	c->hole = &ty->of;
	c->length += 1 + side;
	return parser_height_ok(p, ty->loc, c->length);
}

static bool chain_declarator(struct parser *p, struct chain *c, struct declarator *out);

/* param := specifiers declarator | "@" | "..." */
static bool parse_param(struct parser *p, struct tyx *into, struct declarator *names)
{
	struct dspec spec;
	struct declarator d = { 0 };

	if (!parse_dspec(p, &spec))
		return false;
	if (spec.storage) {
		parser_error(p, spec.loc, D_DECL_PARMCLASS, NULL, "a parameter has no storage class");
		return false;
	}
	if (!parse_declarator(p, spec.base, &d))
		return false;
	*vec_push(p->arena, &into->keys) = d.type;
	if (names)
		*vec_push(p->arena, &names->params) = d.name;
	return true;
}

/* void without anything around it. */
static bool is_void(const struct tyx *ty)
{
	return ty->kind == TYX_BASIC && ty->spec == SPEC_VOID;
}

/* Checks parameters: void is none unless it stands alone and unnamed, and an associative array cannot be one. */
static bool params_ok(struct parser *p, enum tok_kind close, const struct tyx *into, const struct declarator *names)
{
	for (size_t i = 0; i < into->keys.n; i++) {
		if (into->keys.v[i]->kind == TYX_ASSOC) {
			parser_error(p, into->keys.v[i]->loc, D_DECL_PROTO_TYPE, NULL,
				"an associative array cannot be a parameter or a key");
			return false;
		}
		if (!is_void(into->keys.v[i]))
			continue;
		if (close == TOK_RBRACK)
			parser_error(p, into->keys.v[i]->loc, D_DECL_PROTO_TYPE, NULL, "void is no type of a key");
		else if (into->keys.n > 1)
			parser_error(p, into->keys.v[i]->loc, D_DECL_PROTO_VOID, NULL, "void must stand alone");
		else if (names && i < names->params.n && names->params.v[i])
			parser_error(p, into->keys.v[i]->loc, D_DECL_PROTO_NAME, NULL, "void takes no name");
		else
			continue;
		return false;
	}
	return true;
}

/* params := [ param ("," param)* ] */
bool parse_params(struct parser *p, enum tok_kind close, struct tyx *into, struct declarator *names)
{
	if (parser_kind(p) == close)
		return true;
	if (!parser_enter(p))
		return false;
	bool ok = true, dots = false;

	do {
		const struct token *t = parser_peek(p, 0);

		if (dots || (t->kind == TOK_ELLIPSIS && close == TOK_RBRACK)) {
			parser_error(p, parser_loc(p, t), D_DECL_PROTO_VARARGS, NULL,
				dots ? "nothing follows ..." : "the keys of an array are all named");
			ok = false;
		} else if (t->kind == TOK_ELLIPSIS || (t->kind == TOK_AGG && !t->textlen)) {
			dots = t->kind == TOK_ELLIPSIS;
			parser_take(p); /* in prototypes of built-in functions: any arguments, any aggregation */
		} else {
			ok = parse_param(p, into, names);
		}
	} while (ok && parser_accept(p, TOK_COMMA));
	parser_leave(p);
	if (!ok || !params_ok(p, close, into, names))
		return false;
	/* (void) is an empty list */
	if (close == TOK_RPAR && into->keys.n == 1 && into->keys.v[0]->kind == TYX_BASIC &&
		into->keys.v[0]->spec == SPEC_VOID)
		into->keys.n = 0;
	return ok;
}

/* The height of the highest key. */
static uint32_t keys_depth(const struct tyx *ty)
{
	uint32_t d = 0;

	for (size_t i = 0; i < ty->keys.n; i++)
		if (ty->keys.v[i]->depth > d)
			d = ty->keys.v[i]->depth;
	return d;
}

/* brackets := "[" "]" | "[" const "]" | "[" params "]" */
static bool chain_brackets(struct parser *p, struct chain *c, struct declarator *names)
{
	const struct loc at = parser_take_loc(p);
	struct tyx *ty = tyx_new(p, TYX_ARRAY, at);
	uint32_t side = 0;

	if (parser_is_type(p, parser_peek(p, 0))) {
		ty->kind = TYX_ASSOC;
		if (!parse_params(p, TOK_RBRACK, ty, names))
			return false;
		side = keys_depth(ty);
	} else if (parser_kind(p) != TOK_RBRACK) {
		if (!(ty->size = parse_const(p)))
			return false;
		side = ty->size->depth;
	}
	if (!parser_expect_close(p, TOK_RBRACK, at))
		return false;
	ty->loc = loc_span(at, parser_loc(p, &p->prev));
	return chain_add(p, c, ty, side);
}

/* "(" params ")" */
static bool chain_function(struct parser *p, struct chain *c)
{
	struct tyx *ty = tyx_new(p, TYX_FUNC, parser_take_loc(p));

	struct declarator names = { 0 };

	return parse_params(p, TOK_RPAR, ty, &names) && parser_expect_close(p, TOK_RPAR, ty->loc) &&
		chain_add(p, c, ty, keys_depth(ty));
}

/* Does "(" begin a declarator, as in (*f)(int), and not a parameter list? A typename after it means a list. */
static bool nested_declarator(struct parser *p)
{
	const struct token *t = parser_peek(p, 1);

	if (t->kind == TOK_IDENT)
		return !parser_is_typename(p, t->text);
	return t->kind == TOK_STAR || t->kind == TOK_LPAR || t->kind == TOK_LBRACK;
}

/* direct := [ident | "(" declarator ")"] ( brackets | "(" params ")" )* */
static bool chain_direct(struct parser *p, struct chain *c, struct declarator *out)
{
	bool named = false;

	if (parser_kind(p) == TOK_IDENT) {
		const struct token t = parser_take(p);

		out->name = t.text;
		out->loc = parser_loc(p, &t);
		named = true;
		if (strchr(t.text, '`')) {
			parser_error(p, out->loc, D_DECL_SCOPE, NULL, "a declaration takes a plain name");
			return false;
		}
	} else if (parser_kind(p) == TOK_LPAR && nested_declarator(p)) {
		const struct loc open = parser_take_loc(p);

		if (!chain_declarator(p, c, out) || !parser_expect_close(p, TOK_RPAR, open))
			return false;
	} else if (parser_kind(p) >= KW_AUTO) {
		parser_unexpected(p, "a name");
		return false;
	}
	for (;; named = false) {
		if (parser_kind(p) == TOK_LBRACK) {
			if (!chain_brackets(p, c, named ? out : NULL))
				return false;
		} else if (parser_kind(p) == TOK_LPAR) {
			if (!chain_function(p, c))
				return false;
		} else {
			return true;
		}
	}
}

/* declarator := ("*" qualifier*)* direct */
static bool chain_declarator(struct parser *p, struct chain *c, struct declarator *out)
{
	VEC(struct loc) stars = { 0 };

	if (!parser_enter(p))
		return false;
	for (;;) {
		const enum tok_kind k = parser_kind(p);

		if (k == TOK_STAR)
			*vec_push(p->arena, &stars) = parser_take_loc(p);
		else if (k == KW_CONST || k == KW_VOLATILE || k == KW_RESTRICT || k == KW_USERLAND)
			parser_take(p);
		else
			break;
	}
	bool ok = chain_direct(p, c, out);

	for (size_t i = stars.n; ok && i > 0; i--)
		ok = chain_add(p, c, tyx_new(p, TYX_PTR, stars.v[i - 1]), 0);
	parser_leave(p);
	return ok;
}

/* The name is optional: without it this parses the declarator of a type name. */
bool parse_declarator(struct parser *p, struct tyx *base, struct declarator *out)
{
	struct chain c = { 0 };

	*out = (struct declarator){ .loc = parser_loc(p, parser_peek(p, 0)) };
	c.hole = &c.type;
	if (!chain_declarator(p, &c, out))
		return false;
	*c.hole = base;
	out->type = c.type;
	if (c.length)
		c.type->depth = c.length + base->depth;
	return parser_height_ok(p, out->loc, c.type->depth);
}

/* typename := specifiers declarator, without storage class and name */
struct tyx *parse_typename(struct parser *p)
{
	struct dspec spec;
	struct declarator d;

	if (!parse_dspec(p, &spec) || !parse_declarator(p, spec.base, &d))
		return NULL;
	if (spec.storage) {
		parser_error(p, spec.loc, D_DECL_BADCLASS, NULL, "no storage class can stand here");
		return NULL;
	}
	if (d.name) {
		parser_error(p, d.loc, D_SYNTAX, NULL, "a type is wanted here, without the name '%s'", d.name);
		return NULL;
	}
	return d.type;
}
