/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lex: turns D text into tokens, one at a time. The parser chooses the mode: expressions, or probe descriptions, whose
 * words (tcp:::state-change, tick-1s, pid$target:::) would mean something else in an expression. */
#ifndef DWIRE_LANG_PARSE_LEX_H
#define DWIRE_LANG_PARSE_LEX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/parse/parse.h"

/* Longer spellings before their prefixes: the lexer takes the first that fits. */
/* clang-format off */
#define TOK_PUNCTUATORS(X)                                                                                \
	X(TOK_SHL_EQ, "<<=") X(TOK_SHR_EQ, ">>=") X(TOK_ELLIPSIS, "...") X(TOK_ADD_EQ, "+=")               \
	X(TOK_SUB_EQ, "-=") X(TOK_MUL_EQ, "*=") X(TOK_DIV_EQ, "/=") X(TOK_MOD_EQ, "%=") X(TOK_AND_EQ, "&=") \
	X(TOK_OR_EQ, "|=") X(TOK_XOR_EQ, "^=") X(TOK_ARROW, "->") X(TOK_INC, "++") X(TOK_DEC, "--")         \
	X(TOK_SHL, "<<") X(TOK_SHR, ">>") X(TOK_LAND, "&&") X(TOK_LOR, "||") X(TOK_LXOR, "^^")              \
	X(TOK_EQ, "==") X(TOK_NE, "!=") X(TOK_LE, "<=") X(TOK_GE, ">=") X(TOK_LPAR, "(") X(TOK_RPAR, ")")   \
	X(TOK_LBRACK, "[") X(TOK_RBRACK, "]") X(TOK_LBRACE, "{") X(TOK_RBRACE, "}") X(TOK_COMMA, ",")       \
	X(TOK_SEMI, ";") X(TOK_QUESTION, "?") X(TOK_COLON, ":") X(TOK_DOT, ".") X(TOK_PLUS, "+")            \
	X(TOK_MINUS, "-") X(TOK_STAR, "*") X(TOK_SLASH, "/") X(TOK_PERCENT, "%") X(TOK_AMP, "&")            \
	X(TOK_PIPE, "|") X(TOK_CARET, "^") X(TOK_TILDE, "~") X(TOK_BANG, "!") X(TOK_LT, "<") X(TOK_GT, ">") \
	X(TOK_ASSIGN, "=")
/* clang-format on */

/* clang-format off */
#define TOK_KEYWORDS(X)                                                                                   \
	X(KW_AUTO, "auto") X(KW_BREAK, "break") X(KW_CASE, "case") X(KW_CHAR, "char") X(KW_CONST, "const")  \
	X(KW_CONTINUE, "continue") X(KW_DEFAULT, "default") X(KW_DO, "do") X(KW_DOUBLE, "double")           \
	X(KW_ELSE, "else") X(KW_ENUM, "enum") X(KW_EXTERN, "extern") X(KW_FLOAT, "float") X(KW_FOR, "for")  \
	X(KW_GOTO, "goto") X(KW_IF, "if") X(KW_INLINE, "inline") X(KW_INT, "int") X(KW_LONG, "long")        \
	X(KW_OFFSETOF, "offsetof") X(KW_REGISTER, "register") X(KW_RESTRICT, "restrict")                    \
	X(KW_RETURN, "return") X(KW_SELF, "self") X(KW_SHORT, "short") X(KW_SIGNED, "signed")               \
	X(KW_SIZEOF, "sizeof") X(KW_STATIC, "static") X(KW_STRING, "string") X(KW_STRINGOF, "stringof")     \
	X(KW_STRUCT, "struct") X(KW_SWITCH, "switch") X(KW_THIS, "this") X(KW_TRANSLATOR, "translator")     \
	X(KW_TYPEDEF, "typedef") X(KW_UNION, "union") X(KW_UNSIGNED, "unsigned") X(KW_USERLAND, "userland") \
	X(KW_VOID, "void") X(KW_VOLATILE, "volatile") X(KW_WHILE, "while") X(KW_XLATE, "xlate")             \
	X(KW_BOOL, "_Bool")
/* clang-format on */

enum tok_kind {
	TOK_EOF,
	TOK_BAD,   /* reported already */
	TOK_IDENT, /* text; may hold backquotes */
	TOK_INT,   /* ival, isuffix, negative (a macro argument) */
	TOK_STR,   /* text, textlen, decoded */
	TOK_AGG,   /* text: the name after @, or "" */
	TOK_PDESC, /* text: the description, macro variables replaced */
#define X(k, s) k,
	TOK_PUNCTUATORS(X) TOK_KEYWORDS(X)
#undef X
		TOK_COUNT
};

struct token {
	enum tok_kind kind;
	uint32_t off, len;
	const char *text;
	size_t textlen;
	uint64_t ival;
	uint32_t isuffix;
	bool negative;
	bool first_on_line; /* a line ended between the token before and this one */
};

struct lexer {
	const struct parse_env *env;
	const struct source *src;
	uint32_t off; /* of what comes next */
	bool mute;    /* the parser skips: report nothing */
	/* A line that begins with #, without its newline; the lexer goes on behind it. */
	void (*hash_line)(void *ctx, struct loc at);
	void *ctx;
};

/* Skips blanks, comments and lines that begin with #. Did a line end on the way? */
bool lex_blank(struct lexer *lx);
/* The next token of an expression, statement or declaration. */
void lex_token(struct lexer *lx, struct token *out);
/* The next token where a probe description may stand: TOK_PDESC, or else what lex_token finds. */
void lex_pdesc(struct lexer *lx, struct token *out);

const char *tok_name(enum tok_kind k);
/* The keyword of that spelling, or TOK_IDENT. */
enum tok_kind tok_keyword(const char *s, size_t len);
bool lex_is_ident_start(int c);
bool lex_is_ident(int c);
bool lex_is_pdesc(int c);
/* A description's module may be a file's absolute path: "pid1:/usr/bin/x:main:entry". How long it is when one begins at
 * the slash at off; 0: the slash is something else. */
uint32_t lex_pdesc_path(const struct source *src, uint32_t off);

/* Looking ahead in the raw text, without tokens and without reports. */
/* Offset of the next byte that is no blank and in no comment. */
uint32_t lex_peek_blank(const struct source *src, uint32_t off);
/* Goes over one string, character constant, comment or byte. */
uint32_t lex_peek_step(const struct source *src, uint32_t off);

/* lex_lit.c: literals and macro variables; out->off is set, lx->off stands on the first byte. */
void lex_number(struct lexer *lx, struct token *out);
void lex_string(struct lexer *lx, struct token *out);
void lex_char(struct lexer *lx, struct token *out);
void lex_macro(struct lexer *lx, struct token *out);
/* The text that the macro variable at *off stands for, and *off behind it; NULL: reported. */
const char *lex_macro_text(struct lexer *lx, uint32_t *off);
void lex_report(struct lexer *lx, uint32_t off, uint32_t len, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
#endif
