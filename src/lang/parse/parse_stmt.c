/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_stmt: parses the body of a clause.
 * Input: tokens at the {. Output: the clause's list of statements.
 * Invariant: an error costs one statement. A body that is never closed ends where the next clause plainly begins, so it
 * does not swallow the rest of the program. */
#include <string.h>

#include "lang/parse/parser.h"

struct stmt_vec {
	VEC(struct stmt *) list;
};

static bool parse_stmts(struct parser *p, struct stmt_vec *out);

/* Where a statement should begin: does a clause, "a:b:c:d" or "name {"? No statement looks like that. */
static bool clause_begins(struct parser *p)
{
	const struct token *t = parser_peek(p, 0);
	uint32_t end = t->off;

	while (lex_is_pdesc(parser_byte(p, end))) {
		if (parser_byte(p, end) == ':' && parser_byte(p, end + 1) == ':')
			return true;
		end++;
	}
	/* Only as the first word of a line: elsewhere a brace is more likely the mistake. */
	return end > t->off && t->kind == TOK_IDENT && t->first_on_line &&
		parser_byte(p, lex_peek_blank(p->src, end)) == '{';
}

/* Over a bracketed stretch and what it holds, from the bracket at off. */
static uint32_t skip_group(const struct parser *p, uint32_t off, char open, char close)
{
	unsigned nest = 0;

	while (off < p->src->len) {
		const char c = p->src->text[off];

		off = lex_peek_step(p->src, off);
		if (c == open)
			nest++;
		else if (c == close && --nest == 0)
			break;
	}
	return off;
}

/* After a statement that failed: behind its ; or before the } that closes what it stands in. */
static void skip_statement(struct parser *p, uint32_t from, enum tok_kind first)
{
	uint32_t off = parser_offset(p), past;

	if (first == KW_FOR || first == KW_WHILE || first == KW_SWITCH || first == KW_DO) {
		past = lex_peek_blank(p->src, from + (uint32_t)strlen(tok_name(first)));
		if (parser_byte(p, past) == '(')
			past = lex_peek_blank(p->src, skip_group(p, past, '(', ')'));
		if (parser_byte(p, past) == '{') {
			parser_seek(p, skip_group(p, past, '{', '}'));
			return;
		}
		off = past > off ? past : off;
	}
	while (off < p->src->len) {
		const char c = p->src->text[off];

		if (c == '}')
			break;
		off = c == '{' ? skip_group(p, off, '{', '}') : lex_peek_step(p->src, off);
		if (c == ';' || c == '{')
			break;
	}
	parser_seek(p, off);
}

/* block := "{" statements "}" ; false: it is not closed. Parsing goes on from there as if it were; the blocks around it
 * are not closed either: one report is enough. */
static bool parse_block(struct parser *p, struct stmt_vec *out)
{
	const struct loc open = parser_take_loc(p);

	if (parse_stmts(p, out))
		return true;
	if (!p->stop && !p->unclosed) {
		parser_error(p, open, D_SYNTAX, NULL, "this '{' is never closed");
		p->panic = p->lx.mute = false;
		p->unclosed = true;
	}
	return false;
}

/* What if decides: a block or one statement. */
static bool parse_branch(struct parser *p, struct stmt_vec *out);

/* if := "if" "(" expr ")" branch [ "else" branch ] */
static struct stmt *parse_if(struct parser *p)
{
	const struct loc word = parser_take_loc(p), open = parser_loc(p, parser_peek(p, 0));
	struct stmt *s = ARENA_NEW(p->arena, struct stmt);
	struct stmt_vec then = { 0 }, otherwise = { 0 };

	s->kind = ST_IF;
	s->loc = word;
	if (!parser_expect(p, TOK_LPAR, "after if") || !(s->expr = parse_expr(p)) ||
		!parser_expect_close(p, TOK_RPAR, open) || !parse_branch(p, &then))
		return NULL;
	if (parser_accept(p, KW_ELSE) && !parse_branch(p, &otherwise))
		return NULL;
	s->then.v = then.list.v;
	s->then.n = then.list.n;
	s->then.cap = then.list.cap;
	s->otherwise.v = otherwise.list.v;
	s->otherwise.n = otherwise.list.n;
	s->otherwise.cap = otherwise.list.cap;
	return s;
}

/* After an expression: ; or the end of the block. A ; that is missing at the end of a line costs nothing. */
static bool end_statement(struct parser *p)
{
	const struct token *t = parser_peek(p, 0);

	if (parser_accept(p, TOK_SEMI) || t->kind == TOK_RBRACE || t->kind == TOK_EOF)
		return true;
	if (!t->first_on_line || t->kind == TOK_BAD || t->kind == TOK_RPAR || t->kind == TOK_RBRACK) {
		parser_unexpected(p, "an operator or ';'");
		return false;
	}
	if (!clause_begins(p)) {
		parser_error(p, (struct loc){ p->src, p->prev.off + p->prev.len, 1 }, D_SYNTAX, NULL,
			"expected ';' after the statement");
		p->panic = p->lx.mute = false;
	}
	return true;
}

/* A type where a statement should begin: "int x" is for outside. */
static bool is_declaration(struct parser *p)
{
	const struct token *t = parser_peek(p, 0);

	if (t->kind == KW_STATIC || t->kind == KW_TYPEDEF || t->kind == KW_INLINE || t->kind == KW_EXTERN)
		return true;
	if (!parser_is_type(p, t))
		return false;
	return t->kind != TOK_IDENT || parser_peek(p, 1)->kind == TOK_IDENT;
}

/* statement := if | [expr] ";" */
static struct stmt *parse_stmt(struct parser *p)
{
	if (parser_kind(p) == KW_IF)
		return parse_if(p);
	if (is_declaration(p)) {
		parser_error(p, parser_loc(p, parser_peek(p, 0)), D_SYNTAX,
			"declare it before the clause, or assign to this->name", "a declaration inside a clause");
		return NULL;
	}
	struct expr *e = parse_expr(p);

	if (!e || !end_statement(p))
		return NULL;
	struct stmt *s = ARENA_NEW(p->arena, struct stmt);

	s->kind = ST_EXPR;
	s->loc = e->loc;
	s->expr = e;
	return s;
}

static bool parse_branch(struct parser *p, struct stmt_vec *out)
{
	if (parser_kind(p) == TOK_LBRACE || parser_kind(p) == TOK_SEMI)
		return parser_accept(p, TOK_SEMI) || parse_block(p, out);
	if (!parser_enter(p))
		return false;
	struct stmt *s = parse_stmt(p);

	parser_leave(p);
	if (s)
		*vec_push(p->arena, &out->list) = s;
	return s != NULL;
}

/* statements := ( statement | ";" )* "}" ; false: no } was found, or a limit was hit */
static bool parse_stmts(struct parser *p, struct stmt_vec *out)
{
	if (!parser_enter(p))
		return false;
	bool closed = false;

	while (!p->stop) {
		const enum tok_kind kind = parser_kind(p);
		const uint32_t from = parser_offset(p);

		if (kind == TOK_EOF || (kind != TOK_RBRACE && clause_begins(p)))
			break;
		if (parser_accept(p, TOK_RBRACE)) {
			closed = true;
			break;
		}
		if (parser_accept(p, TOK_SEMI))
			continue;
		struct stmt *s = parse_stmt(p);

		if (s) {
			*vec_push(p->arena, &out->list) = s;
			continue;
		}
		if (!p->panic)
			break; /* a block inside gave up */
		skip_statement(p, from, kind);
		p->panic = p->lx.mute = false;
		if (parser_offset(p) == from && parser_byte(p, from) != '}')
			parser_seek(p, from + 1);
	}
	parser_leave(p);
	return closed;
}

/* Statements before an error stay in the body: their own errors are reported too. */
void parse_body(struct parser *p, struct clause *c)
{
	struct stmt_vec body = { 0 };

	c->has_body = true;
	p->unclosed = false;
	parse_block(p, &body);
	c->body.v = body.list.v;
	c->body.n = body.list.n;
	c->body.cap = body.list.cap;
}
