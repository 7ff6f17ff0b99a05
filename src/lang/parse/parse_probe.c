/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_probe: parses clauses: probe descriptions, predicates, and the start of the body.
 * Input: the text at a description. Output: a DECL_CLAUSE.
 * Invariant: an error in one part does not hide errors in the others. The body is parsed after a bad predicate, too. */
#include <string.h>

#include "lang/parse/parser.h"

/* ---- probe descriptions ------------------------------------------------------------------------------------------ */
/* A description of digits only is the number that -l shows. */
static bool all_digits(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

/* Numbers of probes are 1 to 2^32 - 1. (Overflow: the loop ends behind the limit.) */
static bool pdesc_id(struct parser *p, const struct token *t, struct pdesc *out)
{
	uint64_t id = 0;

	for (const char *s = t->text; *s && id <= UINT32_MAX; s++)
		id = id * 10 + (uint64_t)(*s - '0');
	if (id == 0 || id > UINT32_MAX) {
		parser_error(p, parser_loc(p, t), D_PDESC_INVAL, NULL, "no probe can have the number %s", t->text);
		return false;
	}
	out->id = (uint32_t)id;
	return true;
}

/* What other systems call the kernel's own module. */
static const char *module_name(const char *name)
{
	static const char *const kernels[] = { "kernel", "genunix", "mach_kernel", NULL };

	for (const char *const *k = kernels; *k; k++)
		if (!strcmp(name, *k))
			return "vmlinux";
	return name;
}

/* provider:module:function:name, of which parts on the left may be missing. */
static bool pdesc_from_token(struct parser *p, const struct token *t, struct pdesc *out)
{
	const char **parts[] = { &out->name, &out->func, &out->mod, &out->prov };
	const char *end = t->text + t->textlen;
	unsigned n = 0;

	*out = (struct pdesc){ .loc = parser_loc(p, t), .prov = "", .mod = "", .func = "", .name = "" };
	out->text = arena_strndup(p->arena, t->text, t->textlen); /* with what $1 became */
	for (const char *s = t->text; *s; s++) {
		if (lex_is_pdesc((unsigned char)*s) || *s == '/') /* a path */
			continue;
		parser_error(p, out->loc, D_PDESC_INVAL, NULL, "invalid probe description \"%s\"", t->text);
		return false; /* a macro's value can be anything */
	}
	if (all_digits(t->text))
		return pdesc_id(p, t, out);
	/* Missing parts are those on the left: read from the right. */
	for (;;) {
		const char *s = end;

		while (s > t->text && s[-1] != ':')
			s--;
		if (n == 4) {
			parser_error(p, out->loc, D_PDESC_INVAL, "as in provider:module:function:name",
				"a probe description has at most four parts");
			return false;
		}
		*parts[n++] = arena_strndup(p->arena, s, (size_t)(end - s));
		if (s == t->text) {
			out->mod = module_name(out->mod);
			return true;
		}
		end = s - 1;
	}
}

/* ---- predicates -------------------------------------------------------------------------------------------------- */
/* The word at off as a probe description: is it one that no expression could be? */
static bool looks_like_pdesc(const struct parser *p, uint32_t off)
{
	const char *s = p->src->text + off;
	uint32_t end = off;
	bool colon = false;

	for (; lex_is_pdesc(parser_byte(p, end)); end++) {
		if (parser_byte(p, end) == ':' && parser_byte(p, end + 1) == ':')
			return true;
		colon |= parser_byte(p, end) == ':';
	}
	const uint32_t n = end - off;

	if ((n == 5 && (!memcmp(s, "BEGIN", 5) || !memcmp(s, "ERROR", 5))) || (n == 3 && !memcmp(s, "END", 3)))
		return true;
	return colon && p->pred_cond == 0;
}

/* A line that ends with / and the next one begins "word /", "word {" or "word,": a new clause rather than a division
 * that was broken there. */
static bool clause_on_next_line(const struct parser *p, uint32_t from, uint32_t off)
{
	uint32_t end = off;

	if (!memchr(p->src->text + from, '\n', off - from))
		return false;
	while (lex_is_pdesc(parser_byte(p, end)))
		end++;
	const int c = parser_byte(p, lex_peek_blank(p->src, end));

	return end > off && (c == '/' || c == '{' || c == ',');
}

/* In DTrace a / ends the predicate when { or the end of the text follows. A predicate may also end without a body: then
 * a new description or a declaration follows, and no other / could close the predicate. */
bool predicate_ends(struct parser *p)
{
	uint32_t off = lex_peek_blank(p->src, parser_offset(p) + 1);
	const int c = parser_byte(p, off);
	unsigned nest = 0;

	if (c == '{' || c == ';' || c == '}' || c == -1)
		return true; /* even inside brackets: one is not closed */
	if (p->pred_nest)
		return false;
	if (looks_like_pdesc(p, off) || clause_on_next_line(p, parser_offset(p) + 1, off))
		return true;
	while (off < p->src->len) {
		const int b = parser_byte(p, off);
		const uint32_t next = lex_peek_step(p->src, off);

		if (b == '(' || b == '[')
			nest++;
		else if (nest && (b == ')' || b == ']'))
			nest--;
		else if (b == '{' || b == '}' || b == ';')
			return true;
		else if (b == '/' && next == off + 1 && nest == 0)
			return false;
		off = next;
	}
	return true;
}

/* predicate := "/" expr "/" */
static bool parse_predicate(struct parser *p, struct clause *c)
{
	const struct token open = parser_take(p);

	p->in_pred = true;
	p->pred_nest = p->pred_cond = 0;
	if (parser_kind(p) == TOK_SLASH) {
		parser_error(p, loc_span(parser_loc(p, &open), parser_loc(p, parser_peek(p, 0))), D_SYNTAX, NULL,
			"empty predicate");
		p->in_pred = false;
		return false;
	}
	struct expr *e = parse_expr(p);

	p->in_pred = false;
	if (!e)
		return false;
	if (e->kind == EX_ASSIGN && e->op == OP_ASSIGN && (e->b->kind == EX_INT || e->b->kind == EX_STR) && !e->paren)
		diag_warn(p->env->diags, e->loc, D_SYNTAX, "did you mean ==? (to assign, use parentheses)",
			"assignment of a constant as a predicate");
	if (!parser_accept(p, TOK_SLASH)) {
		if (parser_kind(p) == TOK_ASSIGN)
			parser_error(p, parser_loc(p, parser_peek(p, 0)), D_SYNTAX, "did you mean ==?",
				"assignment in a predicate");
		parser_unexpected(p, "an operator or the '/' that ends the predicate");
		return false;
	}
	c->pred = e;
	return true;
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */
/* What stands where a clause should begin: the message shows what was probably meant. */
static void bad_start(struct parser *p, const struct token *t)
{
	if (t->kind == TOK_SLASH)
		parser_error(p, parser_loc(p, t), D_SYNTAX, "write the probe before it: tcp:::send /pid == 5/",
			"a predicate without a probe");
	else if (t->kind == TOK_LBRACE)
		parser_error(p, parser_loc(p, t), D_SYNTAX, "write the probe before it: BEGIN { ... }",
			"a body without a probe");
	else if (t->kind == TOK_RBRACE)
		parser_error(p, parser_loc(p, t), D_SYNTAX, NULL, "'}' without '{'");
	else if (t->kind == TOK_AGG)
		parser_error(p, parser_loc(p, t), D_SYNTAX, "statements belong in a clause: BEGIN { ... }",
			"a statement outside of a clause");
	else
		parser_unexpected(p, "a probe description");
}

/* The next byte that counts. Between the parts of a clause no token is lexed before it is sure in which mode. */
static int next_byte(struct parser *p)
{
	lex_blank(&p->lx);
	return parser_byte(p, p->lx.off);
}

/* probes := pdesc ("," pdesc)* */
static bool parse_probes(struct parser *p, struct clause *c)
{
	do {
		const struct token t = *parser_peek_pdesc(p);
		struct pdesc d;

		if (t.kind != TOK_PDESC) {
			if (c->probes.n == 0)
				bad_start(p, &t);
			else
				parser_unexpected(p, "a probe description after ','");
			return false;
		}
		parser_take(p);
		if (!pdesc_from_token(p, &t, &d))
			return false;
		*vec_push(p->arena, &c->probes) = d;
		c->loc = loc_span(c->loc, d.loc);
	} while (next_byte(p) == ',' && parser_accept(p, TOK_COMMA));
	return true;
}

/* What could stand after a clause without a body, which ends at from? A next clause or declaration, on its own line or
 * at least looking like one. */
static bool may_end_here(const struct parser *p, uint32_t from)
{
	const uint32_t off = p->lx.off;
	const int c = parser_byte(p, off);
	uint32_t end = off;

	if (c == -1 || c == ';')
		return true;
	if (!lex_is_pdesc(c))
		return false;
	if (memchr(p->src->text + from, '\n', off - from))
		return true;
	while (lex_is_pdesc(parser_byte(p, end)))
		end++;
	const int d = parser_byte(p, lex_peek_blank(p->src, end));

	return d == '{' || d == '/' || d == ',' || d == -1 || looks_like_pdesc(p, off);
}

/* Nothing of a clause follows its probes. Say what may have been meant. */
static void bad_continuation(struct parser *p, const struct clause *c)
{
	const struct token *t = parser_peek(p, 0);
	const struct pdesc *d = &c->probes.v[0];
	const bool plain = c->probes.n == 1 && !c->pred && !strpbrk(d->text, ":-.*?$");

	if (t->kind == TOK_BAD)
		parser_unexpected(p, "");
	else if ((t->kind == TOK_GT && c->probes.n && d->text[strlen(d->text) - 1] == '-') || /* self->x */
		(plain &&
			(t->kind == TOK_ARROW || (t->kind >= TOK_ADD_EQ && t->kind <= TOK_XOR_EQ) ||
				t->kind == TOK_ASSIGN || t->kind == TOK_LPAR || t->kind == TOK_INC)))
		parser_error(p, parser_loc(p, t), D_SYNTAX, "statements belong in a clause: BEGIN { ... }",
			"a statement outside of a clause");
	else if (plain && t->kind == TOK_IDENT)
		parser_error(p, d->loc, D_SYNTAX, "a type, or a probe description such as tcp:::send",
			"unknown type '%s'", d->text);
	else
		parser_unexpected(p, c->pred ? "'{'" : "',', '/' or '{'");
}

/* After an error before the body: on to the body, if there is one. */
static void recover_to_body(struct parser *p)
{
	uint32_t off = parser_offset(p);

	while (parser_byte(p, off) != -1 && !strchr("{};", parser_byte(p, off)))
		off = lex_peek_step(p->src, off);
	if (parser_byte(p, off) != '{' || p->stop)
		return;
	p->panic = p->lx.mute = false;
	parser_seek(p, off);
}

/* clause := probes [predicate] [body] */
void parse_clause(struct parser *p)
{
	struct clause c = { .loc = { p->src, parser_offset(p), 1 } };

	if (!parse_probes(p, &c) || (next_byte(p) == '/' && !parse_predicate(p, &c)))
		recover_to_body(p);
	if (p->panic || p->stop)
		return;
	const uint32_t from = p->lx.off;

	if (next_byte(p) == '{') {
		parse_body(p, &c);
	} else if (!may_end_here(p, from)) {
		bad_continuation(p, &c);
		return;
	}
	if (!c.probes.n)
		return; /* its body was parsed for its errors */
	c.index = p->prog->nclauses++;
	parser_add(p, DECL_CLAUSE, c.loc)->u.clause = c;
}
