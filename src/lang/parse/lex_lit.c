/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lex_lit: lexes integers, character constants, strings and macro variables.
 * Input: the lexer on the first byte. Output: a token with its value, and the lexer behind it.
 * Invariant: a malformed literal is reported and still taken as a whole, so that the parser goes on behind it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lang/parse/lex.h"

/* The byte at an offset; -1 behind the end of the text. */
static int at(const struct lexer *lx, uint32_t off)
{
	return off < lx->src->len ? (unsigned char)lx->src->text[off] : -1;
}

/* 0 to 15 for a hexadecimal digit, 99 for other bytes. */
static int digit_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Digits of s[0..n) in a base. The number of digits read; *oflow when the value does not fit in 64 bits. */
static size_t read_digits(const char *s, size_t n, unsigned base, uint64_t *value, bool *oflow)
{
	size_t i;

	*value = 0;
	*oflow = false;
	for (i = 0; i < n && digit_value((unsigned char)s[i]) < (int)base; i++) {
		const unsigned d = (unsigned)digit_value((unsigned char)s[i]);

		if (__builtin_mul_overflow(*value, base, value) || __builtin_add_overflow(*value, d, value))
			*oflow = true;
	}
	return i;
}

/* u, l, ul, lu, ll, ull, llu in any case (both letters of ll in the same one). Bits of enum int_suffix, or -1. */
static int read_suffix(const char *s, size_t n)
{
	int bits = 0;

	for (size_t i = 0; i < n; i++) {
		const int c = s[i] | 0x20;

		if (c == 'u' && !(bits & ISUF_U)) {
			bits |= ISUF_U;
		} else if (c == 'l' && !(bits & (ISUF_L | ISUF_LL))) {
			if (i + 1 < n && s[i + 1] == s[i]) {
				bits |= ISUF_LL;
				i++;
			} else {
				bits |= ISUF_L;
			}
		} else {
			return -1;
		}
	}
	return bits;
}

/* 10, 010, 0x1f, with C's suffixes. What looks like a number with a fraction (10.0.0.5) is taken as a whole and
 * refused, with the hint that an address is a string. */
void lex_number(struct lexer *lx, struct token *out)
{
	const char *s = lx->src->text + out->off, *kind = "decimal";
	unsigned base = 10;
	size_t n = 0, skip = 0;
	bool oflow;

	while (at(lx, lx->off) != '`' && lex_is_ident(at(lx, lx->off)))
		lx->off++;
	n = lx->off - out->off;
	if (n > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		kind = "hexadecimal";
		skip = 2;
	} else if (n > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9') {
		base = 8;
		kind = "octal";
		skip = 1;
	}
	out->kind = TOK_INT;
	out->text = arena_strndup(lx->env->arena, s, n);
	out->textlen = n;
	const size_t digits = read_digits(s + skip, n - skip, base, &out->ival, &oflow);
	const size_t end = skip + digits;
	const int suffix = read_suffix(s + end, n - end);

	if (skip == 2 && !digits)
		lex_report(lx, out->off, (uint32_t)n, D_SYNTAX, NULL, "a hexadecimal constant needs digits");
	else if (suffix < 0)
		lex_report(lx, out->off + (uint32_t)end, 1, s[end] >= '0' && s[end] <= '9' ? D_INT_DIGIT : D_SYNTAX,
			NULL, "invalid digit '%c' in %s constant", s[end], kind);
	else if (oflow)
		lex_report(lx, out->off, (uint32_t)n, D_INT_OFLOW, NULL, "constant does not fit in 64 bits");
	out->isuffix = (suffix < 0 ? 0 : (uint32_t)suffix) | (base != 10 ? ISUF_NODEC : 0);
	if (at(lx, lx->off) == '.' && at(lx, lx->off + 1) >= '0' && at(lx, lx->off + 1) <= '9') {
		do
			lx->off++;
		while (lex_is_ident(at(lx, lx->off)) || at(lx, lx->off) == '.');
		lex_report(lx, out->off, lx->off - out->off, D_SYNTAX, "an address is a string: write it in quotes",
			"D has no floating-point constants");
	}
}

/* Reads the escape sequence at the backslash. Returns its byte and moves *off behind it; -1: it stands for nothing (a
 * joined line), -2: the text ends in it. */
static int read_escape(struct lexer *lx, uint32_t *off)
{
	static const char letters[] = "abfnrtv\\'\"?", bytes[] = "\a\b\f\n\r\t\v\\'\"?";
	const uint32_t start = *off;
	const int c = at(lx, start + 1);
	uint32_t i = start + 1;
	unsigned value = 0;

	if (c == -1) {
		lex_report(lx, start, 1, D_SYNTAX, NULL, "the text ends inside an escape sequence");
		*off = i;
		return -2;
	}
	if (c == '\n') {
		*off = start + 2;
		return -1;
	}
	if (c >= '0' && c <= '7') {
		for (; i < start + 4 && at(lx, i) >= '0' && at(lx, i) <= '7'; i++)
			value = value * 8 + (unsigned)(at(lx, i) - '0');
		*off = i;
		return (int)(value & 0xff);
	}
	if (c == 'x' && digit_value(at(lx, start + 2)) < 16) {
		for (i = start + 2; i < start + 4 && digit_value(at(lx, i)) < 16; i++)
			value = value * 16 + (unsigned)digit_value(at(lx, i));
		*off = i;
		return (int)value;
	}
	*off = start + 2;
	const char *p = c ? strchr(letters, c) : NULL;

	if (p)
		return (unsigned char)bytes[p - letters];
	if (!lx->mute)
		diag_warn(lx->env->diags, (struct loc){ lx->src, start, 2 }, D_SYNTAX, NULL, "unknown escape sequence");
	return c;
}

/* Decodes the next character of a literal at *i into *c, which is negative if the escape was bad or stands for nothing.
 * False at the end of the literal, of the line or of the text; *c is then the byte found there. */
static bool next_char(struct lexer *lx, uint32_t *i, char quote, struct token *out, int *c)
{
	*c = at(lx, *i);
	if (*c == -1 || *c == '\n' || *c == quote)
		return false;
	if (*c == '\\')
		*c = read_escape(lx, i);
	else
		++*i;
	if (*c == -2)
		out->kind = TOK_BAD; /* reported */
	return true;
}

/* "text": escapes are decoded, and the text may contain NUL bytes. It has to end on its line, so that a missing
 * quote is reported where it is missing. */
void lex_string(struct lexer *lx, struct token *out)
{
	uint32_t i = lx->off + 1, n = 0, j = i;
	int c;

	/* The decoded text is never longer than the written one: find the end first, then one allocation. */
	while ((c = at(lx, j)) != -1 && c != '"' && c != '\n')
		j += c == '\\' ? 2 : 1;
	char *text = arena_try(lx->env->arena, (j < lx->src->len ? j : (uint32_t)lx->src->len) - i + 1);

	if (!text) { /* longer than what is left of the reserve */
		out->kind = TOK_BAD;
		out->text = "";
		lx->off = (uint32_t)lx->src->len;
		return;
	}
	out->kind = TOK_STR;
	while (next_char(lx, &i, '"', out, &c))
		if (c >= 0)
			text[n++] = (char)c;
	out->text = text;
	out->textlen = n;
	if (c == '"') {
		lx->off = i + 1;
		return;
	}
	lx->off = i;
	if (out->kind == TOK_BAD)
		return;
	lex_report(lx, out->off, i - out->off, D_STR_NL, "close it with \"; a newline in a string is \\n",
		c == '\n' ? "newline in string" : "end of text in string");
	out->kind = TOK_BAD;
}

/* 'c' or 'abcd': up to 8 characters, of which the first has the highest byte, as with Sun's compilers. On a
 * little-endian machine that is not the order in memory. */
void lex_char(struct lexer *lx, struct token *out)
{
	static const char hint[] = "strings take double quotes";
	uint32_t i = lx->off + 1;
	unsigned n = 0;
	int c;

	out->kind = TOK_INT;
	out->isuffix = ISUF_CHAR;
	while (next_char(lx, &i, '\'', out, &c)) {
		if (c < 0)
			continue;
		out->ival = out->ival << 8 | (unsigned)c;
		n++;
	}
	lx->off = c == '\'' ? i + 1 : i;
	const uint32_t len = lx->off - out->off;

	if (out->kind == TOK_BAD)
		return;
	if (c == '\n' || c == -1) {
		lex_report(lx, out->off, len, D_CHR_NL, "close it with '; strings take double quotes",
			c == -1 ? "end of text in character constant" : "newline in character constant");
		out->kind = TOK_BAD;
	} else if (n == 0) {
		lex_report(lx, out->off, len, D_CHR_NULL, "the byte 0 is '\\0'; an empty string is \"\"",
			"empty character constant");
	} else if (n > 8) {
		lex_report(lx, out->off, len, D_CHR_OFLOW, hint, "character constant is longer than 8 bytes");
	}
}

/* The argument $index, marked as used; NULL after a report. With -x defaultargs a missing one is 0 or "". */
static const char *macro_argument(struct lexer *lx, uint32_t off, uint32_t len, uint64_t index, bool string)
{
	const struct macros *m = lx->env->macros;

	if (m && index < (uint64_t)(m->argc > 0 ? m->argc : 0)) {
		if (m->used)
			m->used[index] = 1;
		return m->argv[index];
	}
	if (index > INT32_MAX) {
		lex_report(lx, off, len, D_MACRO_OFLOW, NULL, "the number of this macro argument is too large");
		return NULL;
	}
	if (m && m->defaultargs)
		return string ? "" : "0";
	lex_report(lx, off, len, D_MACRO_UNDEF, "give it as an argument of the script, or set -x defaultargs",
		"macro argument $%" PRIu64 " is not defined", index);
	return NULL;
}

/* $target, $pid ...: its value in decimal, or NULL after a report. */
static const char *macro_variable(struct lexer *lx, uint32_t off, uint32_t len, const char *name, bool in_probe)
{
	const struct macros *m = lx->env->macros;
	bool known = false;
	int64_t value = m && m->number ? m->number(m->ctx, name, in_probe, &known) : 0;

	if (known)
		return arena_printf(lx->env->arena, "%" PRId64, value);
	lex_report(lx, off, len, D_MACRO_UNDEF,
		!strcmp(name, "target") ? "$target is the process given by -p or -c"
					: "a variable of one clause is this->name",
		"macro variable $%s is not defined", name);
	return NULL;
}

/* The value of the macro variable at *off, as text; NULL after a report. *string: it was written with $$. *off moves
 * behind it. */
static const char *macro_value(struct lexer *lx, uint32_t *off, bool in_probe, bool *string)
{
	const uint32_t start = *off;
	uint32_t i = start + 1;
	uint64_t index;
	bool oflow;

	*string = at(lx, i) == '$';
	if (*string)
		i++;
	const uint32_t name = i;
	const bool number = at(lx, i) >= '0' && at(lx, i) <= '9';

	while (number ? at(lx, i) >= '0' && at(lx, i) <= '9' : lex_is_ident(at(lx, i)) && at(lx, i) != '`')
		i++;
	*off = i;
	if (i == name) {
		lex_report(
			lx, start, i - start, D_SYNTAX, "as in $1, $$1 or $target", "a name or number must follow $");
		return NULL;
	}
	if (number) {
		read_digits(lx->src->text + name, i - name, 10, &index, &oflow);
		return macro_argument(lx, start, i - start, oflow ? UINT64_MAX : index, *string);
	}
	return macro_variable(
		lx, start, i - start, arena_strndup(lx->env->arena, lx->src->text + name, i - name), in_probe);
}

/* For descriptions of probes, where a macro is a part of a name. */
const char *lex_macro_text(struct lexer *lx, uint32_t *off)
{
	bool string;

	return macro_value(lx, off, true, &string);
}

/* Is the value a number as the shell gave it: [-+] decimal, octal or hexadecimal? Then it becomes an integer token. */
static bool macro_number(struct lexer *lx, const char *s, struct token *out)
{
	const bool negative = *s == '-';
	const char *p = negative || *s == '+' ? s + 1 : s;
	unsigned base = 10;
	bool oflow;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	} else if (p[0] == '0' && p[1]) {
		base = 8;
		p++;
	}
	const size_t n = strlen(p);

	if (!n || read_digits(p, n, base, &out->ival, &oflow) != n)
		return false;
	out->kind = TOK_INT;
	out->negative = negative;
	out->isuffix = base != 10 ? ISUF_NODEC : 0;
	if (oflow)
		lex_report(lx, out->off, lx->off - out->off, D_MACRO_OFLOW, NULL, "argument %s does not fit in 64 bits",
			s);
	return true;
}

/* $1, $$1, $pid, $target: an integer, a name or a string, depending on the value. $$ always makes a string. */
void lex_macro(struct lexer *lx, struct token *out)
{
	bool string;
	const char *value = macro_value(lx, &lx->off, false, &string), *p;

	out->kind = TOK_BAD;
	if (!value)
		return;
	out->text = arena_strdup(lx->env->arena, value);
	out->textlen = strlen(value);
	if (string) {
		out->kind = TOK_STR;
		return;
	}
	if (macro_number(lx, value, out))
		return;
	for (p = value; lex_is_ident((unsigned char)*p); p++)
		;
	if (*p || p == value) { /* neither a number nor a name: a string, which may be quoted */
		const bool quoted = out->textlen > 1 && *value == '"' && value[out->textlen - 1] == '"';

		out->kind = TOK_STR;
		if (quoted)
			out->text = arena_strndup(lx->env->arena, value + 1, out->textlen -= 2);
		return;
	}
	if (!lex_is_ident_start((unsigned char)*value) || p[-1] == '`') {
		lex_report(lx, out->off, lx->off - out->off, D_SYNTAX, "as a string it is $$ and the number",
			"the value of this macro variable, \"%s\", is neither a number nor a name", value);
		return;
	}
	out->kind = tok_keyword(value, out->textlen);
}
