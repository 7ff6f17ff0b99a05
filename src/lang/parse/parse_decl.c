/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_decl: parses what stands between clauses: variables, types, inlines, translators, providers.
 * Input: tokens, from the first word on. Output: a struct decl for each declarator, appended to the program.
 * Invariants: a typedef's name is known as soon as its declarator ends, so the next one may use it. After an error the
 * declaration is left out; parse.c skips to its end. */
#include <string.h>

#include "base/strmap.h"
#include "lang/parse/parser.h"

/* Of providers and their probes: they become names of C. */
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define NAME_MOST 127u

/* Appends a declaration to the program. */
struct decl *parser_add(struct parser *p, enum decl_kind kind, struct loc loc)
{
	struct decl *d = ARENA_NEW(p->arena, struct decl);

	d->kind = kind;
	d->loc = loc;
	*vec_push(p->arena, &p->prog->decls) = d;
	return d;
}

/* Reports a missing ";". At the end of a line that ends the panic: parsing goes on with the next declaration. */
static void missing_semicolon(struct parser *p)
{
	const struct token *t = parser_peek(p, 0);

	if (t->kind == TOK_BAD || p->panic) {
		parser_unexpected(p, "';'");
		return;
	}
	if (t->kind == TOK_ASSIGN) {
		parser_error(p, parser_loc(p, t), D_SYNTAX, "assign in a clause such as BEGIN, or declare an inline",
			"a declaration takes no initial value");
	} else if (t->first_on_line || t->kind == TOK_EOF) {
		/* Point at the end of the previous line: the ; is missing there. */
		parser_error(p, (struct loc){ p->src, p->prev.off + p->prev.len, 1 }, D_SYNTAX, NULL,
			"expected ';' after the declaration");
		p->panic = p->lx.mute = false;
	} else {
		parser_unexpected(p, "';'");
	}
}

/* Makes one declarator a typedef or a variable. A typedef's name is known at once, because it decides how the rest is
 * parsed. False after an error. */
static bool add_declarator(struct parser *p, const struct dspec *spec, const struct declarator *d)
{
	if (spec->storage == STORAGE_TYPEDEF) {
		struct decl *decl = parser_add(p, DECL_TYPEDEF, d->loc);

		decl->u.typedef_.type = d->type;
		decl->u.typedef_.name = d->name;
		strmap_put(p->env->typenames, d->name, decl);
		return true;
	}
	if (spec->storage == STORAGE_STATIC || spec->storage == STORAGE_OTHER) {
		parser_error(p, spec->loc, D_DECL_BADCLASS, "a variable is global, self or this",
			"D has no such storage class");
		return false;
	}
	struct decl *decl = parser_add(p, DECL_VAR, d->loc);
	struct var_decl *v = &decl->u.var;

	v->scope = spec->storage == STORAGE_SELF ? SCOPE_SELF
		: spec->storage == STORAGE_THIS  ? SCOPE_THIS
						 : SCOPE_GLOBAL;
	p->own_pkt |= v->scope == SCOPE_GLOBAL && !strcmp(d->name, "pkt");
	v->is_extern = spec->storage == STORAGE_EXTERN;
	v->type = d->type;
	v->name = d->name;
	v->loc = d->loc;
	return true;
}

/* declaration := specifiers [ declarator ("," declarator)* ] ";"
 * A struct, union or enum may stand alone, to declare its tag. */
void parse_declaration(struct parser *p)
{
	struct dspec spec;
	struct declarator d;

	if (!parse_dspec(p, &spec))
		return;
	if (parser_kind(p) == TOK_SEMI) {
		if (spec.base->kind != TYX_STRUCT && spec.base->kind != TYX_UNION && spec.base->kind != TYX_ENUM) {
			parser_error(p, spec.loc, D_DECL_USELESS, NULL, "this declares nothing");
			return;
		}
		parser_take(p);
		parser_add(p, DECL_TYPE, spec.loc)->u.type = spec.base;
		return;
	}
	do {
		if (!parse_declarator(p, spec.base, &d))
			return;
		if (!d.name) {
			parser_unexpected(p, "a name");
			return;
		}
		if (!add_declarator(p, &spec, &d))
			return;
		spec.base = tyx_again(p, spec.base);
	} while (parser_accept(p, TOK_COMMA));
	if (!parser_accept(p, TOK_SEMI))
		missing_semicolon(p);
}

/* inline := "inline" specifiers declarator "=" assign ";"
 * Parameters are the keys of an associative array: inline int f[int x] = x + 1; */
void parse_inline(struct parser *p)
{
	struct dspec spec;
	struct declarator d;
	struct loc loc = parser_loc(p, parser_peek(p, 0));

	parser_take(p);
	if (!parse_dspec(p, &spec) || !parse_declarator(p, spec.base, &d))
		return;
	if (spec.storage) {
		parser_error(p, spec.loc, D_DECL_BADCLASS, NULL, "an inline has no storage class");
		return;
	}
	if (!d.name) {
		parser_unexpected(p, "a name");
		return;
	}
	for (size_t i = 0; i < d.params.n; i++) {
		if (!d.params.v[i]) {
			parser_error(p, d.type->keys.v[i]->loc, D_DECL_PROTO_FORM, "as in inline int f[int x] = x + 1;",
				"a parameter of an inline needs a name");
			return;
		}
		p->own_pkt |= !strcmp(d.params.v[i], "pkt");
	}
	if (!parser_expect(p, TOK_ASSIGN, "and the value of the inline"))
		return;
	struct expr *value = parse_assign(p);

	if (!value)
		return;
	struct decl *decl = parser_add(p, DECL_INLINE, loc);
	struct inline_def *i = &decl->u.inl;

	i->type = d.type;
	i->name = d.name;
	i->params.v = d.params.v;
	i->params.n = d.params.n;
	i->params.cap = d.params.cap;
	i->value = value;
	i->loc = d.loc;
	if (!parser_accept(p, TOK_SEMI))
		missing_semicolon(p);
}

/* inits := ( ident "=" assign ";" )* "}"
 * Keywords of D may be names of members, as they may be in C. */
static bool parse_inits(struct parser *p, struct xlator *x, struct loc open)
{
	VEC(struct tyx_member_init) inits = { 0 };

	while (parser_kind(p) != TOK_RBRACE && parser_kind(p) != TOK_EOF) {
		const struct token name = *parser_peek(p, 0);

		if (name.kind != TOK_IDENT && name.kind < KW_AUTO) {
			parser_unexpected(p, "the name of a member");
			return false;
		}
		parser_take(p);
		if (!parser_expect(p, TOK_ASSIGN, "after the member's name"))
			return false;
		struct expr *value = parse_assign(p);

		if (!value || !parser_expect(p, TOK_SEMI, "after the member's value"))
			return false;
		struct tyx_member_init *init = vec_push(p->arena, &inits);

		*init = (struct tyx_member_init){ .name = name.text, .value = value, .loc = parser_loc(p, &name) };
	}
	x->inits = inits.v;
	x->ninits = inits.n;
	return parser_expect_close(p, TOK_RBRACE, open);
}

/* translator := "translator" typename "<" specifiers declarator ">" "{" inits "}" ";"
 * D manual, chapter "Translators". */
void parse_translator(struct parser *p)
{
	const struct token word = parser_take(p);
	struct xlator x = { .loc = parser_loc(p, &word) };
	struct dspec spec;
	struct declarator d;

	if (!(x.out = parse_typename(p)) || !parser_expect(p, TOK_LT, "and the type that is translated") ||
		!parse_dspec(p, &spec) || !parse_declarator(p, spec.base, &d))
		return;
	if (!d.name) {
		parser_unexpected(p, "a name for what is translated");
		return;
	}
	x.in = d.type;
	x.param = d.name;
	p->own_pkt |= !strcmp(d.name, "pkt");
	if (!parser_expect(p, TOK_GT, "after the name"))
		return;
	const struct token open = *parser_peek(p, 0);

	if (!parser_expect(p, TOK_LBRACE, "and the members") || !parse_inits(p, &x, parser_loc(p, &open)))
		return;
	parser_add(p, DECL_XLATOR, x.loc)->u.xlator = x;
	if (!parser_accept(p, TOK_SEMI))
		missing_semicolon(p);
}

/* ---- providers --------------------------------------------------------------------------------------------------- */
/* Can the text be part of a name of C? What is the kind of thing that has it. */
static bool provider_name_ok(struct parser *p, struct loc at, const char *what)
{
	for (uint32_t i = 0; i < at.len; i++) {
		const int c = parser_byte(p, at.off + i);

		if (c < 0 || !strchr(NAME_CHARS "-", c)) {
			parser_error(p, at, D_PROV_BADNAME, NULL, "the name of a %s has letters, digits and _", what);
			return false;
		}
	}
	if (at.len <= NAME_MOST)
		return true;
	parser_error(p, at, D_PROV_BADNAME, NULL, "the name of a %s has at most %u characters", what, NAME_MOST);
	return false;
}

/* The name in the source's text, with __ for each -. */
static const char *note_name(struct parser *p, struct loc at)
{
	char *name = ARENA_ARRAY(p->arena, char, 2 * (size_t)at.len + 1), *to = name;

	for (uint32_t i = 0; i < at.len; i++) {
		const char c = p->src->text[at.off + i];

		if (c == '-')
			*to++ = '_';
		*to++ = c == '-' ? '_' : c;
	}
	return name;
}

/* probe-name := ident ("-" ident)* ; of the probe, which the provider must not have yet */
static bool parse_probe_name(struct parser *p, struct strmap *seen, struct provider_probe *probe)
{
	struct loc at = parser_loc(p, parser_peek(p, 0));

	do {
		if (!parser_accept(p, TOK_IDENT)) {
			parser_unexpected(p, "the name of a probe");
			return false;
		}
		at = loc_span(at, parser_loc(p, &p->prev));
	} while (parser_accept(p, TOK_MINUS));
	probe->loc = at;
	if (!provider_name_ok(p, at, "probe"))
		return false;
	probe->name = note_name(p, at);
	if (strmap_get(seen, probe->name)) {
		parser_error(p, at, D_PROV_PRDUP, NULL, "the provider has probe %.*s already", (int)at.len,
			p->src->text + at.off);
		return false;
	}
	strmap_put(seen, probe->name, p);
	return true;
}

/* "(" params ")" */
static bool parse_probe_params(struct parser *p, struct tyx *into)
{
	const struct token open = *parser_peek(p, 0);

	return parser_expect(p, TOK_LPAR, "and the arguments") && parse_params(p, TOK_RPAR, into, NULL) &&
		parser_expect_close(p, TOK_RPAR, parser_loc(p, &open));
}

/* probe := "probe" probe-name "(" params ")" [ ":" "(" params ")" ] ";" */
static bool parse_provider_probe(struct parser *p, struct strmap *seen, struct provider_decl *prov)
{
	struct tyx params = { .kind = TYX_FUNC }, shown = { .kind = TYX_FUNC };
	struct provider_probe probe = { 0 };

	parser_take(p);
	if (!parse_probe_name(p, seen, &probe) || !parse_probe_params(p, &params))
		return false;
	while (parser_accept(p, TOK_COLON))
		if (!parse_probe_params(p, &shown))
			return false;
	for (size_t i = 0; i < params.keys.n; i++)
		vec_push(p->arena, &probe.args)->type = params.keys.v[i];
	*vec_push(p->arena, &prov->probes) = probe;
	return parser_expect(p, TOK_SEMI, "after the probe");
}

/* The name that comes next. False after an error. */
static bool parse_provider_name(struct parser *p, struct provider_decl *prov)
{
	const struct token name = parser_take(p);
	size_t n;

	prov->loc = parser_loc(p, &name);
	if (!provider_name_ok(p, prov->loc, "provider"))
		return false;
	prov->name = arena_strndup(p->arena, p->src->text + name.off, name.len);
	n = strlen(prov->name);
	if (n && prov->name[n - 1] >= '0' && prov->name[n - 1] <= '9') {
		parser_error(p, prov->loc, D_PROV_BADNAME, "a process's number is added to it",
			"the name of a provider cannot end with a digit");
		return false;
	}
	return true;
}

/* provider := "provider" name "{" probe* "}" [";"] : the probes that a program has. Any word is a type there: a pointer
 * to it is an address, whatever it is. */
void parse_provider(struct parser *p)
{
	struct strmap *seen = strmap_new(p->arena);
	struct provider_decl prov = { 0 };
	bool ok;

	parser_take(p);
	if (!parse_provider_name(p, &prov))
		return;
	const struct token open = *parser_peek(p, 0);

	if (!parser_expect(p, TOK_LBRACE, "and the probes"))
		return;
	p->in_provider = ok = true;
	while (ok && parser_kind(p) != TOK_RBRACE && parser_kind(p) != TOK_EOF) {
		const struct token *t = parser_peek(p, 0);

		ok = t->kind == TOK_IDENT && !strcmp(t->text, "probe");
		if (ok)
			ok = parse_provider_probe(p, seen, &prov);
		else
			parser_unexpected(p, "'probe'");
	}
	p->in_provider = false;
	if (ok && parser_expect_close(p, TOK_RBRACE, parser_loc(p, &open)))
		parser_add(p, DECL_PROVIDER, prov.loc)->u.provider = prov;
}
