/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lex: turns D text into tokens.
 * Input: a source of any bytes, without a NUL at its end. Output: the token at the current offset.
 * Invariant: each call moves forward or is at the end. No byte at or past src->len is read. A wrong byte is reported
 * once and gives TOK_BAD. */
#include "lang/parse/lex.h"

#include <stdarg.h>
#include <string.h>

#define PDESC_MAX 1024 /* bytes; DTrace itself needs four parts of at most 128 */

static const char *const names[TOK_COUNT] = { [TOK_EOF] = "end of text",
	[TOK_BAD] = "invalid",
	[TOK_IDENT] = "identifier",
	[TOK_INT] = "integer",
	[TOK_STR] = "string",
	[TOK_AGG] = "aggregation",
	[TOK_PDESC] = "probe",
#define X(k, s) [k] = s,
	TOK_PUNCTUATORS(X) TOK_KEYWORDS(X)
#undef X
};

const char *tok_name(enum tok_kind k)
{
	return names[k];
}

/* ---- characters; c is a byte, or -1 at the end of the text ------------------------------------------------------- */
/* The backquote is part of a word: `name and module`name are symbols of the kernel. */
bool lex_is_ident_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '`';
}

bool lex_is_ident(int c)
{
	return lex_is_ident_start(c) || (c >= '0' && c <= '9');
}

bool lex_is_pdesc(int c)
{
	return c > 0 &&
		(((c >= '0' && c <= '9') || (lex_is_ident_start(c) && c != '`')) || strchr("-+.*?[]!\\$%@:", c));
}

/* The byte at an offset; -1 at the end of the text and beyond. */
static int at(const struct source *src, uint32_t off)
{
	return off < src->len ? (unsigned char)src->text[off] : -1;
}

/* Recognises a path as the module of a probe description, "pid1:/lib/libc.so.6:open:entry", at its first slash. Such a
 * slash could also begin a predicate, but no predicate continues with two colons in one word. Returns the length. */
uint32_t lex_pdesc_path(const struct source *src, uint32_t off)
{
	uint32_t from = off, end = off, path = 0;
	unsigned colons = 0;

	if (at(src, off) != '/' || off < 2 || at(src, off - 1) != ':' || strchr("/*", at(src, off + 1)))
		return 0;
	for (from = off - 1; from && lex_is_pdesc(at(src, from - 1)) && at(src, from - 1) != ':'; from--)
		continue;
	if (from == off - 1 || (from && at(src, from - 1) == ':'))
		return 0;
	for (; lex_is_pdesc(at(src, end)) || at(src, end) == '/'; end++)
		if (at(src, end) == ':' && !colons++)
			path = end - off;
	return colons == 2 ? path : 0;
}

static bool is_blank(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The keyword that a word is, or TOK_IDENT. */
enum tok_kind tok_keyword(const char *s, size_t len)
{
	static const struct {
		char text[14];
		unsigned char len, kind;
	} words[] = {
#define X(k, t) { t, sizeof(t) - 1, k },
		TOK_KEYWORDS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].len == len && words[i].text[0] == s[0] && !memcmp(words[i].text, s, len))
			return (enum tok_kind)words[i].kind;
	return TOK_IDENT;
}

void lex_report(struct lexer *lx, uint32_t off, uint32_t len, enum dtag tag, const char *hint, const char *fmt, ...)
{
	va_list ap;

	if (lx->mute)
		return;
	va_start(ap, fmt);
	diag_error(lx->env->diags, (struct loc){ lx->src, off, len }, tag, hint, "%s",
		arena_vprintf(lx->env->arena, fmt, ap));
	va_end(ap);
}

/* End of the comment that starts at off, or 0 when none starts there. *closed is false at the end of the text. */
static uint32_t comment_end(const struct source *src, uint32_t off, bool *closed)
{
	const uint32_t len = (uint32_t)src->len;
	uint32_t i = off + 2;

	*closed = true;
	if (at(src, off) != '/')
		return 0;
	if (at(src, off + 1) == '/') {
		while (i < len && src->text[i] != '\n')
			i++;
		return i;
	}
	if (at(src, off + 1) != '*')
		return 0;
	for (; i < len; i++)
		if (src->text[i] == '*' && at(src, i + 1) == '/')
			return i + 2;
	*closed = false;
	return len;
}

/* Do only blanks precede off on its line? */
static bool begins_line(const struct source *src, uint32_t off)
{
	while (off > 0 && (src->text[off - 1] == ' ' || src->text[off - 1] == '\t'))
		off--;
	return off == 0 || src->text[off - 1] == '\n';
}

/* Takes the line from its # to its end or to a comment, which may continue on further lines. */
static void take_hash_line(struct lexer *lx)
{
	const uint32_t from = lx->off;
	bool closed, quoted = false;

	while (at(lx->src, lx->off) != -1 && lx->src->text[lx->off] != '\n') {
		quoted ^= lx->src->text[lx->off] == '"';
		if (!quoted && at(lx->src, lx->off + 1) == '*' && comment_end(lx->src, lx->off, &closed))
			break;
		lx->off++;
	}
	if (lx->hash_line)
		lx->hash_line(lx->ctx, (struct loc){ lx->src, from, lx->off - from });
}

/* Reports a comment inside a comment: comments do not nest, so the outer one ends earlier than its author thinks. */
static void report_nested(struct lexer *lx, uint32_t off, uint32_t end)
{
	const char *s = lx->src->text;

	if (s[off + 1] != '*')
		return;
	for (off += 2; off + 3 < end; off++)
		if (s[off] == '/' && s[off + 1] == '*') {
			lex_report(lx, off, 2, D_SYNTAX, "comments do not nest", "/* inside a comment");
			return;
		}
}

bool lex_blank(struct lexer *lx)
{
	bool newline = false, closed;
	uint32_t end;

	for (;;) {
		const int c = at(lx->src, lx->off);

		if (is_blank(c)) {
			newline |= c == '\n';
			lx->off++;
		} else if (c == '/' && (end = comment_end(lx->src, lx->off, &closed))) {
			if (closed)
				report_nested(lx, lx->off, end);
			else
				lex_report(lx, lx->off, 2, D_SYNTAX, "close it with */", "this comment never ends");
			newline |= memchr(lx->src->text + lx->off, '\n', end - lx->off) != NULL;
			lx->off = end;
		} else if (c == '#' && begins_line(lx->src, lx->off)) {
			take_hash_line(lx);
		} else {
			return newline;
		}
	}
}

uint32_t lex_peek_blank(const struct source *src, uint32_t off)
{
	bool closed;
	uint32_t end;

	for (;;) {
		if (is_blank(at(src, off)))
			off++;
		else if (at(src, off) == '/' && (end = comment_end(src, off, &closed)))
			off = end;
		else
			return off;
	}
}

uint32_t lex_peek_step(const struct source *src, uint32_t off)
{
	const int quote = at(src, off);
	bool closed;
	uint32_t end;

	if (quote == '/' && (end = comment_end(src, off, &closed)))
		return end;
	if (quote != '"' && quote != '\'')
		return off + 1;
	for (uint32_t i = off + 1; i < src->len; i++) {
		if (src->text[i] == '\\')
			i++;
		else if (src->text[i] == quote)
			return i + 1;
		else if (src->text[i] == '\n')
			break; /* no string after all, or one that is not closed */
	}
	return off + 1;
}

/* A keyword, a name, or a symbol of the kernel (with a backquote). */
static void lex_word(struct lexer *lx, struct token *out)
{
	const char *s = lx->src->text + out->off;

	while (lex_is_ident(at(lx->src, lx->off)))
		lx->off++;
	out->textlen = lx->off - out->off;
	out->kind = tok_keyword(s, out->textlen);
	out->text = out->kind == TOK_IDENT ? arena_strndup(lx->env->arena, s, out->textlen) : names[out->kind];
	if (out->kind == TOK_IDENT && s[out->textlen - 1] == '`') {
		lex_report(lx, out->off, (uint32_t)out->textlen, D_SYNTAX, NULL, "a name must follow the backquote");
		out->kind = TOK_BAD;
	}
}

/* @ and the name of an aggregation, which may be empty. */
static void lex_agg(struct lexer *lx, struct token *out)
{
	const uint32_t name = ++lx->off;

	if (lex_is_ident_start(at(lx->src, name)) && at(lx->src, name) != '`')
		while (lex_is_ident(at(lx->src, lx->off)) && at(lx->src, lx->off) != '`')
			lx->off++;
	out->kind = TOK_AGG;
	out->textlen = lx->off - name;
	out->text = arena_strndup(lx->env->arena, lx->src->text + name, out->textlen);
}

/* A byte that begins no token. A whole run of such bytes is one error; otherwise binary junk would give thousands. */
static void lex_bad(struct lexer *lx, struct token *out)
{
	static const char *const quotes[] = { "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x98", "\xe2\x80\x99" };
	const char *s = lx->src->text + out->off, *hint = NULL;
	int c;

	do
		c = at(lx->src, ++lx->off);
	while (c >= 0x7f || (c >= 0 && c < ' ' && !is_blank(c)));
	out->kind = TOK_BAD;
	const uint32_t n = lx->off - out->off;

	for (size_t i = 0; i < sizeof(quotes) / sizeof(quotes[0]); i++)
		if (n >= 3 && !memcmp(s, quotes[i], 3))
			hint = "use plain quotes: \" or '";
	if (n >= 2 && !memcmp(s, "\xc2\xa0", 2))
		hint = "this is a no-break space: use a plain one";
	if (*s == '#')
		hint = "put the # line on a separate line";
	if (n == 1 && *s >= ' ' && *s < 0x7f)
		lex_report(lx, out->off, n, D_SYNTAX, hint, "'%c' has no meaning here", *s);
	else
		lex_report(lx, out->off, n, D_SYNTAX, hint, "invalid character");
}

/* The longest punctuator that matches: the list has longer ones before their beginnings. */
static void lex_punctuator(struct lexer *lx, struct token *out)
{
	static const struct {
		char text[4];
		unsigned char len, kind;
	} marks[] = {
#define X(k, t) { t, sizeof(t) - 1, k },
		TOK_PUNCTUATORS(X)
#undef X
	};
	const char *s = lx->src->text + lx->off;
	const size_t left = lx->src->len - lx->off;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const size_t n = marks[i].len;

		if (marks[i].text[0] == *s && n <= left && !memcmp(marks[i].text, s, n)) {
			out->kind = (enum tok_kind)marks[i].kind;
			out->text = names[out->kind];
			out->textlen = n;
			lx->off += (uint32_t)n;
			return;
		}
	}
	lex_bad(lx, out);
}

void lex_token(struct lexer *lx, struct token *out)
{
	*out = (struct token){ .text = "" };
	out->first_on_line = lex_blank(lx);
	out->off = lx->off;
	const int c = at(lx->src, lx->off);

	if (c == -1)
		out->kind = TOK_EOF;
	else if (lex_is_ident_start(c))
		lex_word(lx, out);
	else if (c >= '0' && c <= '9')
		lex_number(lx, out);
	else if (c == '"')
		lex_string(lx, out);
	else if (c == '\'')
		lex_char(lx, out);
	else if (c == '@')
		lex_agg(lx, out);
	else if (c == '$')
		lex_macro(lx, out);
	else
		lex_punctuator(lx, out);
	out->len = lx->off - out->off;
}

/* Replaces the macro variables in a description by their values. An undefined one is reported and sets *bad; the rest
 * of the description is taken all the same. */
static const char *pdesc_expand(struct lexer *lx, uint32_t from, uint32_t end, bool *bad)
{
	const char *text = "";

	while (from < end) {
		uint32_t i = from;

		while (i < end &&
			!(lx->src->text[i] == '$' && i + 1 < end &&
				(lex_is_ident(lx->src->text[i + 1]) || lx->src->text[i + 1] == '$')))
			i++;
		text = arena_printf(lx->env->arena, "%s%.*s", text, (int)(i - from), lx->src->text + from);
		from = i;
		if (i < end) {
			const char *value = lex_macro_text(lx, &from);

			*bad |= !value;
			text = arena_printf(lx->env->arena, "%s%s", text, value ? value : "");
		}
	}
	return text;
}

void lex_pdesc(struct lexer *lx, struct token *out)
{
	*out = (struct token){ .kind = TOK_PDESC };
	out->first_on_line = lex_blank(lx);
	out->off = lx->off;
	for (uint32_t n; (n = lex_is_pdesc(at(lx->src, lx->off)) ? 1 : lex_pdesc_path(lx->src, lx->off)) != 0;)
		lx->off += n;
	out->len = lx->off - out->off;
	if (!out->len) {
		const bool first = out->first_on_line;

		lex_token(lx, out);
		out->first_on_line |= first;
		return;
	}
	const uint32_t end = lx->off;
	bool bad = out->len > PDESC_MAX;

	if (bad)
		lex_report(lx, out->off, out->len, D_PDESC_INVAL, NULL, "probe description is longer than %d bytes",
			PDESC_MAX);
	else if (memchr(lx->src->text + out->off, '$', out->len))
		out->text = pdesc_expand(lx, out->off, end, &bad);
	else
		out->text = arena_strndup(lx->env->arena, lx->src->text + out->off, out->len);
	if (bad) {
		out->kind = TOK_BAD;
		out->text = "";
	}
	out->textlen = strlen(out->text);
}
