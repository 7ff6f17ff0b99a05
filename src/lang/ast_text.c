/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ast_text: writes types and expressions back as D, for messages and for --dump=types.
 * Input: a tree. Output: text that parses to the same tree.
 * Invariant: parentheses stand where the source had them (expr.paren). The shape of the tree needs no others. */
#include "lang/ast_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "" for an operator that is none. */
const char *expr_op_text(enum expr_op op)
{
	static const char *const texts[] = {
#define X(e, s) s,
		EXPR_OPS(X)
#undef X
	};

	return (unsigned)op < sizeof(texts) / sizeof(texts[0]) ? texts[op] : "";
}

/* In quotes, with escapes that the lexer reads back. */
void ast_print_string(FILE *out, const char *s, size_t len)
{
	static const char letters[] = "abfnrtv\\\"", bytes[] = "\a\b\f\n\r\t\v\\\"";

	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		const char *p = s[i] ? strchr(bytes, s[i]) : NULL;

		if (p)
			fprintf(out, "\\%c", letters[p - bytes]);
		else if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			fprintf(out, "\\%03o", (unsigned char)s[i]);
		else
			putc(s[i], out);
	}
	putc('"', out);
}

/* A variable with its scope: "self->x". */
void ast_print_variable(FILE *out, enum var_scope scope, const char *name)
{
	static const char *const prefix[] = { "", "self->", "this->", "pkt->" };

	fprintf(out, "%s%s", prefix[scope], name);
}

static void print_expr(FILE *out, const struct expr *e);

/* ---- types ------------------------------------------------------------------------------------------------------- */
/* In the order of C's usual spelling, whatever order the source has. */
static void print_spec(FILE *out, uint32_t spec)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} words[] = {
		{ SPEC_USERLAND, "userland" },
		{ SPEC_SIGNED, "signed" },
		{ SPEC_UNSIGNED, "unsigned" },
		{ SPEC_VOID, "void" },
		{ SPEC_CHAR, "char" },
		{ SPEC_SHORT, "short" },
		{ SPEC_LONG, "long" },
		{ SPEC_LONGLONG, "long long" },
		{ SPEC_INT, "int" },
		{ SPEC_FLOAT, "float" },
		{ SPEC_DOUBLE, "double" },
		{ SPEC_STRING, "string" },
		{ SPEC_BOOL, "_Bool" },
	};
	const char *gap = "";

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (spec & words[i].bit) {
			fprintf(out, "%s%s", gap, words[i].text);
			gap = " ";
		}
	}
}

/* The type without what stands around the name: "int" of int *x[3]. A body is shown as { ... }. */
static void print_base(FILE *out, const struct tyx *ty)
{
	if (ty->kind == TYX_BASIC) {
		print_spec(out, ty->spec);
		return;
	}
	if (ty->kind != TYX_NAME)
		fputs(ty->kind == TYX_STRUCT ? "struct" : ty->kind == TYX_UNION ? "union" : "enum", out);
	if (ty->kind != TYX_NAME && ty->name)
		putc(' ', out);
	if (ty->scope)
		fprintf(out, "%s`", ty->scope);
	if (ty->name)
		fputs(ty->name, out);
	if (ty->has_body)
		fputs(" { ... }", out);
}

/* Pointers, arrays, functions: what a declarator adds to a base. */
static bool is_derived(const struct tyx *ty)
{
	return ty->kind == TYX_PTR || ty->kind == TYX_ARRAY || ty->kind == TYX_ASSOC || ty->kind == TYX_FUNC;
}

/* Do brackets or a parameter list follow the name? Then a pointer to it needs parentheses: int (*x)[3]. */
static bool binds_tighter(const struct tyx *ty)
{
	return is_derived(ty) && ty->kind != TYX_PTR;
}

/* A declarator is written from the inside out, as in C: this writes the base and the stars before the name. A
 * pointer to an array or function opens a parenthesis, which print_after() closes. */
static void print_before(FILE *out, const struct tyx *ty)
{
	if (!is_derived(ty)) {
		print_base(out, ty);
		return;
	}
	print_before(out, ty->of);
	if (ty->kind != TYX_PTR)
		return;
	if (ty->of->kind != TYX_PTR)
		putc(' ', out);
	fputs(binds_tighter(ty->of) ? "(*" : "*", out);
}

/* From the name outwards: brackets, parameter lists, and the parentheses that print_before() opened. */
static void print_after(FILE *out, const struct tyx *ty)
{
	for (; is_derived(ty); ty = ty->of) {
		if (ty->kind == TYX_PTR) {
			if (binds_tighter(ty->of))
				putc(')', out);
			continue;
		}
		putc(ty->kind == TYX_FUNC ? '(' : '[', out);
		if (ty->size)
			print_expr(out, ty->size);
		for (size_t i = 0; i < ty->keys.n; i++) {
			fputs(i ? ", " : "", out);
			ast_print_type(out, ty->keys.v[i], NULL);
		}
		putc(ty->kind == TYX_FUNC ? ')' : ']', out);
	}
}

/* As a declaration of name; name NULL: the type alone. */
void ast_print_type(FILE *out, const struct tyx *ty, const char *name)
{
	const struct tyx *inner = ty;

	while (binds_tighter(inner))
		inner = inner->of;
	print_before(out, ty);
	if (name)
		fprintf(out, "%s%s", inner->kind == TYX_PTR ? "" : " ", name);
	print_after(out, ty);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */
/* The keys of an array or the arguments of a call, with commas between them. */
static void print_args(FILE *out, const struct expr *e, char open, char close)
{
	putc(open, out);
	for (size_t i = 0; i < e->args.n; i++) {
		fputs(i ? ", " : "", out);
		print_expr(out, e->args.v[i]);
	}
	putc(close, out);
}

/* A number as it was written: in hexadecimal if it was not decimal, with its suffix. A character constant has up to
 * eight bytes, the first one in the highest byte that is used. */
static void print_int(FILE *out, const struct expr *e)
{
	if (e->isuffix & ISUF_CHAR) {
		char bytes[8] = { 0 };
		size_t n = 0;

		for (int shift = 56; shift >= 0; shift -= 8)
			if (e->ival >> shift || shift == 0)
				bytes[n++] = (char)(e->ival >> shift);
		putc('\'', out);
		for (size_t i = 0; i < n; i++) {
			if (bytes[i] == '\'' || bytes[i] == '\\')
				fprintf(out, "\\%c", bytes[i]);
			else if (bytes[i] < ' ' || bytes[i] == 0x7f)
				fprintf(out, "\\%03o", (unsigned char)bytes[i]);
			else
				putc(bytes[i], out);
		}
		putc('\'', out);
		return;
	}
	if (e->isuffix & ISUF_NODEC)
		fprintf(out, "0x%" PRIx64, e->ival);
	else
		fprintf(out, "%" PRIu64, e->ival);
	fputs(e->isuffix & ISUF_U ? "u" : "", out);
	fputs(e->isuffix & ISUF_LL ? "ll" : e->isuffix & ISUF_L ? "l" : "", out);
}

/* ++ and -- may stand behind the operand. */
static void print_unary(FILE *out, const struct expr *e)
{
	if (e->op == OP_POSTINC || e->op == OP_POSTDEC) {
		print_expr(out, e->a);
		fputs(expr_op_text(e->op), out);
		return;
	}
	const char *text = expr_op_text(e->op);

	fputs(text, out);
	/* - -x, + ++x, & &x: without the gap the lexer would read another operator */
	if (e->a->kind == EX_UNARY && !e->a->paren && e->a->op != OP_POSTINC && e->a->op != OP_POSTDEC &&
		expr_op_text(e->a->op)[0] == text[0])
		putc(' ', out);
	print_expr(out, e->a);
}

/* Blanks on both sides; a comma has one behind it. */
static void print_infix(FILE *out, const struct expr *e)
{
	print_expr(out, e->a);
	if (e->kind == EX_COMMA)
		fputs(", ", out);
	else if (e->kind == EX_ASSIGN && e->op != OP_ASSIGN)
		fprintf(out, " %s= ", expr_op_text(e->op));
	else
		fprintf(out, " %s ", expr_op_text(e->op));
	print_expr(out, e->b);
}

/* sizeof, stringof, offsetof, xlate, casts: operators that begin with a word or a type. */
static void print_word(FILE *out, const struct expr *e)
{
	if (e->kind == EX_STRINGOF || e->kind == EX_SIZEOF)
		fputs(e->kind == EX_SIZEOF ? "sizeof " : "stringof ", out);
	else if (e->kind == EX_OFFSETOF)
		fputs("offsetof", out);
	else if (e->kind == EX_XLATE)
		fputs("xlate ", out);
	if (e->tyx) {
		putc(e->kind == EX_XLATE ? '<' : '(', out);
		ast_print_type(out, e->tyx, NULL);
		if (e->kind == EX_OFFSETOF)
			fprintf(out, ", %s", e->name);
		fputs(e->kind == EX_XLATE ? "> " : ")", out);
	}
	if (e->a)
		print_expr(out, e->a);
}

/* By the kind of node, without the parentheses around it. */
static void print_node(FILE *out, const struct expr *e)
{
	switch (e->kind) {
	case EX_INT:
		print_int(out, e);
		break;
	case EX_STR:
		ast_print_string(out, e->str, e->slen);
		break;
	case EX_IDENT:
		ast_print_variable(out, e->scope, e->name);
		break;
	case EX_SCOPED:
		fprintf(out, "%s`%s", e->obj, e->name);
		break;
	case EX_AGG:
		fprintf(out, "@%s", e->name);
		if (e->args.n)
			print_args(out, e, '[', ']');
		break;
	case EX_UNARY:
		print_unary(out, e);
		break;
	case EX_BINARY:
	case EX_ASSIGN:
	case EX_COMMA:
		print_infix(out, e);
		break;
	case EX_COND:
		print_expr(out, e->a);
		fputs(" ? ", out);
		print_expr(out, e->b);
		fputs(" : ", out);
		print_expr(out, e->c);
		break;
	case EX_CALL:
		fputs(e->name, out);
		print_args(out, e, '(', ')');
		break;
	case EX_INDEX:
		print_expr(out, e->a);
		print_args(out, e, '[', ']');
		break;
	case EX_MEMBER:
		print_expr(out, e->a);
		fprintf(out, "%s%s", e->arrow ? "->" : ".", e->name);
		break;
	case EX_CAST:
	case EX_SIZEOF:
	case EX_OFFSETOF:
	case EX_STRINGOF:
	case EX_XLATE:
		print_word(out, e);
		break;
	}
}

static void print_expr(FILE *out, const struct expr *e)
{
	if (e->paren)
		putc('(', out);
	print_node(out, e);
	if (e->paren)
		putc(')', out);
}

/* The expression as messages show it. Used only after an error, so its cost does not matter. */
const char *ast_expr_text(struct arena *a, const struct expr *e)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	const char *copy = "expression"; /* it is only for a message: no memory, no detail */

	if (!out)
		return copy;
	print_expr(out, e);
	if (!fclose(out))
		copy = arena_strndup(a, text, len);
	free(text);
	return copy;
}
