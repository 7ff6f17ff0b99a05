/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parser: shared by the files of the parser; only parse*.c include it. Each grammar rule has one function, and the rule
 * stands above it. A rule that fails has reported the error, and returns NULL or false. Callers pass that up to the
 * next place where parsing can start again: a statement, a declaration, a clause. */
#ifndef DWIRE_LANG_PARSE_PARSER_H
#define DWIRE_LANG_PARSE_PARSER_H
#include <stdio.h>

#include "lang/parse/lex.h"

#define PARSE_DEPTH_MAX 4000u
#define PARSE_TEXT_MAX ((size_t)16 << 20)
#define PARSE_AHEAD 6

struct parser {
	const struct parse_env *env;
	struct arena *arena;
	const struct source *src;
	struct program *prog;
	struct lexer lx;
	struct token tok[PARSE_AHEAD]; /* lexed and not taken yet */
	unsigned ntok;
	struct token prev; /* taken last */
	unsigned depth;    /* rules that wait for an inner one */
	bool panic;        /* an error was reported and nothing has been skipped yet: keep quiet */
	bool stop;         /* a limit was hit: every further token is the end of text */
	bool in_provider;  /* of a provider's declaration: any word may be a type */
	bool own_pkt;      /* the script has a variable of the name pkt: pkt->x is a member of what it points to */
	bool unclosed;     /* a { of the current body has no }: reported once, not for each brace around it */
	/* In a predicate / has two meanings: how many brackets and how many ? are open decides. */
	bool in_pred;
	unsigned pred_nest, pred_cond;
	/* --dump=tokens */
	FILE *trace;
	struct loc trace_at; /* of the last position, to count on from there */
	unsigned trace_line;
};

/* ---- parse.c: tokens, errors, starting again --------------------------------------------------------------------- */
/* The next token, lexed when asked for: the caller's mode decides how. ahead 0 is the next one. */
const struct token *parser_peek(struct parser *p, unsigned ahead);
enum tok_kind parser_kind(struct parser *p);
/* Like parser_peek, where a probe description may stand. */
const struct token *parser_peek_pdesc(struct parser *p);
struct token parser_take(struct parser *p);
/* Takes the next token and returns its place only: rules recurse, and a token would enlarge each stack frame. */
struct loc parser_take_loc(struct parser *p);
/* Takes the next token if it is k. */
bool parser_accept(struct parser *p, enum tok_kind k);
/* Takes k, or reports that it is missing; context is as in "after the condition". */
bool parser_expect(struct parser *p, enum tok_kind k, const char *context);
/* Closes a bracket opened at open. */
bool parser_expect_close(struct parser *p, enum tok_kind k, struct loc open);
struct loc parser_loc(const struct parser *p, const struct token *t);
/* From the start of a to the end of b. */
struct loc loc_span(struct loc a, struct loc b);
/* Reports an error and starts a panic. In a panic nothing is reported. */
void parser_error(struct parser *p, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Reports "expected WHAT, found TOKEN" at the next token. */
void parser_unexpected(struct parser *p, const char *what);
/* Offset where the parser stands: of the next token. */
uint32_t parser_offset(const struct parser *p);
/* Forgets tokens lexed ahead and goes on at off. */
void parser_seek(struct parser *p, uint32_t off);
/* Counts a level of nesting. False, after D_LIMIT, if there are too many. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);
/* False, after D_LIMIT, if a tree has become too high. */
bool parser_height_ok(struct parser *p, struct loc at, uint32_t depth);
/* Does the next token (one of those ahead) begin a type? */
bool parser_is_type(struct parser *p, const struct token *t);
bool parser_is_typename(const struct parser *p, const char *name);

/* The byte of the text at off; -1: the text ends before it. */
static inline int parser_byte(const struct parser *p, uint32_t off)
{
	return off < p->src->len ? (unsigned char)p->src->text[off] : -1;
}

/* ---- parse_expr.c ------------------------------------------------------------------------------------------------ */
struct expr *parse_expr(struct parser *p);   /* with commas */
struct expr *parse_assign(struct parser *p); /* up to a comma */
struct expr *parse_const(struct parser *p);  /* no comma, no assignment */

/* ---- parse_type.c, parse_declarator.c ---------------------------------------------------------------------------- */
enum {
	STORAGE_TYPEDEF = 1,
	STORAGE_EXTERN = 2,
	STORAGE_STATIC = 4,
	STORAGE_SELF = 8,
	STORAGE_THIS = 16,
	STORAGE_OTHER = 32
};

struct dspec { /* what stands before the declarators */
	uint32_t storage;
	struct tyx *base;
	struct loc loc;
};

struct declarator {
	const char *name; /* NULL: none was written */
	struct loc loc;
	struct tyx *type;
	VEC(const char *) params; /* of the brackets next to the name; NULL where unnamed */
};

bool parse_dspec(struct parser *p, struct dspec *out);
bool parse_declarator(struct parser *p, struct tyx *base, struct declarator *out);
/* The base for a further declarator: a struct's body is in the first one only. */
struct tyx *tyx_new(struct parser *p, enum tyx_kind kind, struct loc loc);
struct tyx *tyx_again(struct parser *p, struct tyx *base);
struct tyx *parse_typename(struct parser *p);
/* Type list of a prototype or of an associative array, up to the closing bracket, which is left. */
bool parse_params(struct parser *p, enum tok_kind close, struct tyx *into, struct declarator *names);

/* ---- parse_decl.c ------------------------------------------------------------------------------------------------ */
void parse_declaration(struct parser *p);
void parse_inline(struct parser *p);
void parse_translator(struct parser *p);
void parse_provider(struct parser *p);
struct decl *parser_add(struct parser *p, enum decl_kind kind, struct loc loc);

/* ---- parse_probe.c ----------------------------------------------------------------------------------------------- */
void parse_clause(struct parser *p);
/* Does the / that comes next end the predicate? */
bool predicate_ends(struct parser *p);

/* ---- parse_stmt.c ------------------------------------------------------------------------------------------------ */
/* { statements }; the { comes next. */
void parse_body(struct parser *p, struct clause *c);
#endif
