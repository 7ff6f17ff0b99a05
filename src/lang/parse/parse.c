/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse: the parser's entry points, its window of tokens, its errors, and the recovery from them.
 * Input: a source. Output: declarations and clauses appended to the program, and diagnostics.
 * Invariant: every loop of the parser takes a token or stops. PARSE_DEPTH_MAX bounds the C stack. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/strmap.h"
#include "lang/parse/parser.h"

/* ---- tokens ------------------------------------------------------------------------------------------------------ */
/* A token without bytes (the end of the text) is shown as one column. */
struct loc parser_loc(const struct parser *p, const struct token *t)
{
	return (struct loc){ p->src, t->off, t->len ? t->len : 1 };
}

/* The place of an error about t: the token itself or, at the end of the text, the token before it. */
static struct loc parser_blame(const struct parser *p, const struct token *t)
{
	if (t->kind == TOK_EOF && p->prev.len)
		return parser_loc(p, &p->prev);
	return parser_loc(p, t);
}

/* From the start of a to the end of b. */
struct loc loc_span(struct loc a, struct loc b)
{
	const uint32_t end = b.off + b.len;

	return (struct loc){ a.src, a.off, end > a.off + a.len ? end - a.off : a.len };
}

/* The token ahead places further on, 0 the next. Tokens are read when first looked at. When memory runs low the text
 * ends, so that the parser stops by itself; the arena's failure is reported later. */
const struct token *parser_peek(struct parser *p, unsigned ahead)
{
	while (p->ntok <= ahead) {
		struct token *t = &p->tok[p->ntok];

		if (p->stop || arena_low(p->arena))
			*t = (struct token){ .kind = TOK_EOF, .off = (uint32_t)p->src->len, .text = "" };
		else
			lex_token(&p->lx, t);
		p->ntok++;
	}
	return &p->tok[ahead];
}

enum tok_kind parser_kind(struct parser *p)
{
	return parser_peek(p, 0)->kind;
}

/* The next token as a probe description, which has other rules than D. Works only if no token was looked at yet. */
const struct token *parser_peek_pdesc(struct parser *p)
{
	if (p->ntok || p->stop || arena_low(p->arena))
		return parser_peek(p, 0);
	lex_pdesc(&p->lx, &p->tok[0]);
	p->ntok = 1;
	return &p->tok[0];
}

/* line:col kind text, counting lines on from the token before. */
static void trace_token(struct parser *p, const struct token *t)
{
	static const char *const kinds[] = { "eof", "bad", "identifier", "integer", "string", "aggregation", "probe" };

	for (; p->trace_at.off < t->off; p->trace_at.off++) {
		if (p->src->text[p->trace_at.off] == '\n') {
			p->trace_line++;
			p->trace_at.len = p->trace_at.off + 1;
		}
	}
	const char *kind = t->kind <= TOK_PDESC ? kinds[t->kind] : t->kind >= KW_AUTO ? "keyword" : "punctuator";

	fprintf(p->trace, "%u:%u %s", p->trace_line, t->off - p->trace_at.len + 1, kind);
	if (t->len)
		fprintf(p->trace, " %.*s", (int)t->len, p->src->text + t->off);
	putc('\n', p->trace);
}

/* Takes the next token; the window moves up by one. */
struct token parser_take(struct parser *p)
{
	const struct token t = *parser_peek(p, 0);

	p->ntok--;
	memmove(&p->tok[0], &p->tok[1], p->ntok * sizeof(p->tok[0]));
	if (p->trace && !p->stop)
		trace_token(p, &t);
	p->prev = t;
	return t;
}

struct loc parser_take_loc(struct parser *p)
{
	const struct token t = parser_take(p);

	return parser_loc(p, &t);
}

bool parser_accept(struct parser *p, enum tok_kind k)
{
	if (parser_kind(p) != k)
		return false;
	parser_take_loc(p);
	return true;
}

bool parser_expect(struct parser *p, enum tok_kind k, const char *context)
{
	if (parser_accept(p, k))
		return true;
	parser_unexpected(p, arena_printf(p->arena, "'%s' %s", tok_name(k), context));
	return false;
}

/* The message names the place of the bracket that is not closed, which may be far above. */
bool parser_expect_close(struct parser *p, enum tok_kind k, struct loc open)
{
	unsigned line, col;

	if (parser_accept(p, k))
		return true;
	if (p->panic)
		return false;
	loc_position(open, &line, &col);
	parser_unexpected(p,
		arena_printf(p->arena, "'%s' for the '%c' at %u:%u", tok_name(k), p->src->text[open.off], line, col));
	return false;
}

/* Where the next token begins. */
uint32_t parser_offset(const struct parser *p)
{
	return p->ntok ? p->tok[0].off : p->lx.off;
}

/* Goes on at an offset; tokens that were looked at are read again. */
void parser_seek(struct parser *p, uint32_t off)
{
	p->ntok = 0;
	p->lx.off = off < p->src->len ? off : (uint32_t)p->src->len;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */
/* A token as messages show it, cut to 40 bytes. */
static const char *parser_describe(const struct parser *p, const struct token *t)
{
	const int len = t->len < 40 ? (int)t->len : 40;

	if (t->kind == TOK_EOF)
		return "the end of the text";
	if (t->kind == TOK_STR)
		return "a string";
	return arena_printf(p->arena, "'%.*s'", len, p->src->text + t->off);
}

/* Reports only the first error of a panic: later ones usually follow from it. */
void parser_error(struct parser *p, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
{
	va_list ap;

	if (p->panic || p->stop)
		return;
	p->panic = true;
	p->lx.mute = true;
	va_start(ap, fmt);
	diag_error(p->env->diags, at, tag, hint, "%s", arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
}

/* What a writer of C, awk or bpftrace may have meant. */
static const char *unexpected_hint(struct parser *p, const struct token *t)
{
	const bool after_word = p->prev.kind == TOK_IDENT && p->prev.text;

	if (t->kind == TOK_STR && p->prev.kind == TOK_STR)
		return "D does not join adjacent strings: write one string";
	if (after_word && (!strcmp(p->prev.text, "and") || !strcmp(p->prev.text, "or") || !strcmp(p->prev.text, "not")))
		return "the logical operators are &&, ||, ^^ and !";
	if (t->kind == TOK_IDENT && (!strcmp(t->text, "and") || !strcmp(t->text, "or")))
		return "the logical operators are &&, || and ^^";
	if (t->kind == TOK_ASSIGN && (p->prev.kind == TOK_EQ || p->prev.kind == TOK_NE))
		return "D compares with == and !=";
	if (t->kind == KW_FOR || t->kind == KW_WHILE || t->kind == KW_DO)
		return "D has no loops";
	if (t->kind == KW_SWITCH || t->kind == KW_CASE)
		return "D has no switch: use if and else, or ?:";
	if (t->kind == KW_RETURN || t->kind == KW_GOTO || t->kind == KW_BREAK || t->kind == KW_CONTINUE)
		return "a clause runs to its end; a predicate or if decides what runs";
	if (t->kind == TOK_ELLIPSIS || t->kind == TOK_EOF)
		return NULL;
	if (t->kind >= KW_AUTO)
		return "this word is reserved in D";
	return NULL;
}

/* Reports that what was expected is not there. A bad token was reported by the lexer. */
void parser_unexpected(struct parser *p, const char *what)
{
	const struct token *t = parser_peek(p, 0);

	if (t->kind == TOK_BAD) { /* the lexer has reported it */
		p->panic = true;
		p->lx.mute = true;
		return;
	}
	if (p->panic)
		return;
	parser_error(p, parser_blame(p, t), D_SYNTAX, unexpected_hint(p, t), "expected %s, found %s", what,
		parser_describe(p, t));
}

/* Ends the parsing: from here on every token is the end of the text. For limits, after which nothing can be
 * understood. */
static void parser_stop(struct parser *p, struct loc at, const char *message)
{
	if (p->stop)
		return;
	p->panic = false;
	parser_error(p, at, D_LIMIT, NULL, "%s", message);
	p->stop = true;
	p->ntok = 0;
	p->lx.off = (uint32_t)p->src->len;
}

/* Each rule that recurses counts itself, so that no input overflows the C stack. */
bool parser_enter(struct parser *p)
{
	if (p->depth >= PARSE_DEPTH_MAX) {
		parser_stop(p, parser_loc(p, parser_peek(p, 0)), "nested too deeply: the limit is 4000 levels");
		return false;
	}
	p->depth++;
	return true;
}

/* Ends what parser_enter() began. */
void parser_leave(struct parser *p)
{
	p->depth--;
}

/* Walkers of the tree recurse, so trees are limited in height as the parser is in depth. False after an error. */
bool parser_height_ok(struct parser *p, struct loc at, uint32_t depth)
{
	if (depth <= PARSE_DEPTH_MAX)
		return true;
	parser_stop(p, at, "expression or type too long: the limit is 4000 operators deep");
	return false;
}

/* ---- typenames --------------------------------------------------------------------------------------------------- */
/* mod`name counts by its name: which module has it is checked later. */
bool parser_is_typename(const struct parser *p, const char *name)
{
	const char *tick = strrchr(name, '`');

	if (tick)
		name = tick + 1;
	if (p->in_provider || strmap_get(p->env->typenames, name))
		return true;
	return p->env->is_typename && p->env->is_typename(p->env->ctx, name);
}

/* Can a type begin with the keyword? */
static bool is_type_keyword(enum tok_kind k)
{
	static const bool table[TOK_COUNT] = {
		[KW_CHAR] = true,
		[KW_SHORT] = true,
		[KW_INT] = true,
		[KW_LONG] = true,
		[KW_SIGNED] = true,
		[KW_FLOAT] = true,
		[KW_DOUBLE] = true,
		[KW_UNSIGNED] = true,
		[KW_STRING] = true,
		[KW_VOID] = true,
		[KW_STRUCT] = true,
		[KW_UNION] = true,
		[KW_ENUM] = true,
		[KW_USERLAND] = true,
		[KW_BOOL] = true,
		[KW_CONST] = true,
		[KW_VOLATILE] = true,
		[KW_RESTRICT] = true,
	};

	return table[k];
}

/* Can a type begin with the token? */
bool parser_is_type(struct parser *p, const struct token *t)
{
	return is_type_keyword(t->kind) || (t->kind == TOK_IDENT && parser_is_typename(p, t->text));
}

/* ---- lines that begin with # ------------------------------------------------------------------------------------- */
static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\f' || *s == '\v'))
		s++;
	return s;
}

/* Bytes up to the next blank. */
static size_t word_length(const char *s, const char *end)
{
	const char *from = s;

	while (s < end && !strchr(" \t\r\f\v", *s) && *s)
		s++;
	return (size_t)(s - from);
}

static bool word_is(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(s, word, n);
}

/* pragma-line := "#" "pragma" "D" word args. Others' pragmas are not ours. */
static void take_pragma(struct parser *p, struct loc line, const char *s, const char *end)
{
	size_t n = word_length(s, end);

	if (!word_is(s, n, "D"))
		return;
	s = skip_blanks(s + n, end);
	n = word_length(s, end);
	if (!n) {
		lex_report(&p->lx, line.off, line.len, D_PRAGMA_MALFORM, "as in #pragma D option quiet",
			"#pragma D needs a word");
		return;
	}
	struct decl *d = parser_add(p, DECL_PRAGMA, line);

	d->u.pragma.loc = line;
	d->u.pragma.word = arena_strndup(p->arena, s, n);
	s = skip_blanks(s + n, end);
	while (end > s && strchr(" \t\r\f\v", end[-1]))
		end--;
	d->u.pragma.args = arena_strndup(p->arena, s, (size_t)(end - s));
	if (p->env->pragma)
		p->env->pragma(p->env->ctx, &d->u.pragma);
}

/* line-mark := "#" ["line"] number [ "\"" file "\"" flags ]; diag.c finds the places by it */
static void take_line_mark(struct parser *p, struct loc line, const char *s, const char *end)
{
	const char *file, *from = p->src->text + line.off;
	size_t len;
	unsigned number;

	if (line_mark(from, from + line.len, &number, &file, &len)) {
		s += *s == 'l' ? 4 : 0;
		s = skip_blanks(s, end);
		while (s < end && *s >= '0' && *s <= '9')
			s++;
		s = skip_blanks(s, end);
		if (s == end || file)
			return;
	}
	lex_report(&p->lx, line.off, line.len, D_PRAGMA_MALFORM, "as in #line 5 \"file.d\"",
		"malformed line number: a number and the name of a file in quotes are needed");
}

/* The lexer calls this for each line that begins with "#", wherever it stands. */
static void take_hash_line(void *ctx, struct loc line)
{
	struct parser *p = ctx;
	const char *s = p->src->text + line.off + 1, *end = s + line.len - 1;

	if (p->stop || (s < end && *s == '!')) /* a script's first line, wherever it is pasted */
		return;
	s = skip_blanks(s, end);
	const size_t n = word_length(s, end);

	if (n == 0 || word_is(s, n, "ident"))
		return;
	if ((*s >= '0' && *s <= '9') || word_is(s, n, "line")) {
		take_line_mark(p, line, s, end);
		return;
	}
	if (word_is(s, n, "pragma")) {
		take_pragma(p, line, skip_blanks(s + n, end), end);
		return;
	}
	if (word_is(s, n, "error")) {
		lex_report(&p->lx, line.off, line.len, D_PRAGERR, NULL, "#error%.*s", (int)(end - s - 5), s + 5);
		return;
	}
	lex_report(&p->lx, line.off, line.len, D_PRAGCTL_INVAL,
		"with -C the preprocessor understands more, in scripts (-s)", "invalid control line #%.*s",
		(int)(n < 40 ? n : 40), s);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */
/* Skips a failed declaration or clause that began at start, up to and including its ; or closing brace. Braces count
 * from the start, since the error may be inside them. */
static void skip_declaration(struct parser *p, uint32_t start)
{
	const uint32_t error = parser_offset(p);
	uint32_t off = start;
	unsigned braces = 0;

	while (off < p->src->len) {
		const char c = p->src->text[off];
		const bool past = off >= error;

		off = lex_peek_step(p->src, off);
		if (c == '{')
			braces++;
		else if (c == '}' && braces)
			braces--;
		else if (c != ';' && c != '}')
			continue;
		if (!past || braces || c == '{')
			continue;
		const uint32_t next = lex_peek_blank(p->src, off);

		/* struct { ... } x; goes on behind the brace */
		if (c == ';' || !strchr("*,;", parser_byte(p, next)) || memchr(p->src->text + off, '\n', next - off))
			break;
	}
	parser_seek(p, off > error ? off : error);
}

/* The word at the start of a declaration or clause; its end in *end. */
static const char *leading_word(const struct parser *p, uint32_t off, uint32_t *end)
{
	*end = off;
	while (*end < p->src->len && lex_is_ident((unsigned char)p->src->text[*end]))
		++*end;
	return arena_strndup(p->arena, p->src->text + off, *end - off < 256 ? *end - off : 256);
}

enum top { TOP_CLAUSE, TOP_DECLARATION, TOP_INLINE, TOP_TRANSLATOR, TOP_PROVIDER };

/* A probe description or a declaration? The first word decides, if no : or - is glued to it. */
static enum top classify(struct parser *p, uint32_t off)
{
	uint32_t end;

	if (!lex_is_ident_start(parser_byte(p, off)))
		return TOP_CLAUSE;
	const char *word = leading_word(p, off, &end);
	const enum tok_kind k = tok_keyword(word, strlen(word));
	const uint32_t next = lex_peek_blank(p->src, end);
	const int c = parser_byte(p, next), glued = parser_byte(p, end);

	if (glued == ':' || glued == '-' || glued == '.' || glued == '?')
		return TOP_CLAUSE;
	if (k == KW_INLINE)
		return TOP_INLINE;
	if (k == KW_TRANSLATOR)
		return TOP_TRANSLATOR;
	if (is_type_keyword(k) || k == KW_SELF || k == KW_THIS || k == KW_TYPEDEF || k == KW_EXTERN || k == KW_STATIC ||
		k == KW_AUTO || k == KW_REGISTER)
		return TOP_DECLARATION;
	if (!strcmp(word, "provider") && next > end && lex_is_ident_start(c))
		return TOP_PROVIDER;
	/* A typename counts only if what follows can be a declarator: a probe may bear the same name. */
	if ((c == '*' || c == '(' || (next > end && lex_is_ident_start(c))) && parser_is_typename(p, word))
		return TOP_DECLARATION;
	return TOP_CLAUSE;
}

/* One declaration or clause, by its first words. */
static void parse_top(struct parser *p, uint32_t off)
{
	switch (classify(p, off)) {
	case TOP_CLAUSE:
		parse_clause(p);
		break;
	case TOP_DECLARATION:
		parse_declaration(p);
		break;
	case TOP_INLINE:
		parse_inline(p);
		break;
	case TOP_TRANSLATOR:
		parse_translator(p);
		break;
	case TOP_PROVIDER:
		parse_provider(p);
		break;
	}
}

/* program := (clause | declaration | inline | translator | provider | ";")*
 * A round that took nothing moves on by one byte, so the loop ends. */
static void parse_program(struct parser *p)
{
	while (!p->stop) {
		parser_seek(p, parser_offset(p));
		lex_blank(&p->lx);
		const uint32_t off = p->lx.off;

		if (off >= p->src->len)
			break;
		if (p->src->text[off] == ';') {
			parser_take_loc(p);
			continue;
		}
		parse_top(p, off);
		if (p->panic) {
			skip_declaration(p, off);
			p->panic = p->lx.mute = false;
		}
		if (!p->stop && parser_offset(p) == off)
			parser_seek(p, off + 1);
	}
}

static void parser_init(struct parser *p, const struct parse_env *env, const struct source *src, struct program *prog)
{
	*p = (struct parser){
		.env = env,
		.arena = env->arena,
		.src = src,
		.prog = prog,
		.lx = { .env = env, .src = src, .hash_line = take_hash_line },
		.trace_at = { .src = src },
		.trace_line = 1,
	};
	p->lx.ctx = p;
	p->lx.off = (uint32_t)src->from;
	if (!src->from && src->len >= 3 && !memcmp(src->text, "\xef\xbb\xbf", 3)) /* a byte order mark */
		p->lx.off = 3;
}

/* Is the source text at all? One error is more useful than one for each byte. */
static bool source_ok(const struct parse_env *env, const struct source *src)
{
	const struct loc at = { src, 0, 1 };
	const char *nul = src->len > src->from ? memchr(src->text + src->from, '\0', src->len - src->from) : NULL;

	if (src->len > PARSE_TEXT_MAX) {
		diag_error(env->diags, at, D_LIMIT, NULL, "the text is larger than 16 MiB");
		return false;
	}
	if (nul) {
		diag_error(env->diags, (struct loc){ src, (uint32_t)(nul - src->text), 1 }, D_SYNTAX, NULL,
			"not a D program: it holds a zero byte");
		return false;
	}
	return true;
}

/* trace: where tokens are written; NULL: nowhere. */
static int parse_traced(const struct parse_env *env, const struct source *src, struct program *prog, FILE *trace)
{
	const size_t before = diags_errors(env->diags);
	struct parser p;

	if (!source_ok(env, src))
		return -EINVAL;
	parser_init(&p, env, src, prog);
	p.trace = trace;
	parse_program(&p);
	return diags_errors(env->diags) > before ? -EINVAL : 0;
}

/* Returns 0, or -EINVAL after errors. The parts that could be parsed are in the program in either case. */
int parse_source(const struct parse_env *env, const struct source *src, struct program *prog)
{
	return parse_traced(env, src, prog, NULL);
}

/* Parses, because the lexer's rules depend on the parser (a probe description, a predicate's end). */
int tokens_dump(const struct parse_env *env, const struct source *src, FILE *out)
{
	struct program scratch = { 0 };

	return parse_traced(env, src, &scratch, out);
}

/* One expression and nothing behind it: conditions of sites, which the library has as text. */
struct expr *parse_expr_text(const struct parse_env *env, const struct source *src)
{
	const size_t before = diags_errors(env->diags);
	struct program scratch = { 0 };
	struct parser p;

	if (!source_ok(env, src))
		return NULL;
	parser_init(&p, env, src, &scratch);
	struct expr *e = parse_expr(&p);

	if (e && parser_kind(&p) != TOK_EOF)
		parser_unexpected(&p, "an operator or the end");
	return diags_errors(env->diags) > before ? NULL : e;
}
