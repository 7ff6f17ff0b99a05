/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_expr: parses expressions by precedence climbing.
 * Input: tokens. Output: a tree, or NULL after an error.
 * Invariant: no tree is higher than PARSE_DEPTH_MAX, chains such as a+b+c+... included, so walkers may recurse.
 * Source: D manual, chapter "Types, Operators, and Expressions", table of precedence. */
#include <string.h>

#include "base/strmap.h"
#include "lang/parse/parser.h"

/* From the weakest binding up. */
enum prec {
	PREC_NONE,
	PREC_COMMA,
	PREC_ASSIGN,
	PREC_COND,
	PREC_LOR,
	PREC_LXOR,
	PREC_LAND,
	PREC_OR,
	PREC_XOR,
	PREC_AND,
	PREC_EQ,
	PREC_REL,
	PREC_SHIFT,
	PREC_ADD,
	PREC_MUL,
};

/* The operators between two operands (D manual, table of precedence). */
static const struct {
	unsigned char prec;
	enum expr_op op;
} infix[TOK_COUNT] = {
	[TOK_COMMA] = { PREC_COMMA, OP_NONE },
	[TOK_ASSIGN] = { PREC_ASSIGN, OP_ASSIGN },
	[TOK_ADD_EQ] = { PREC_ASSIGN, OP_ADD },
	[TOK_SUB_EQ] = { PREC_ASSIGN, OP_SUB },
	[TOK_MUL_EQ] = { PREC_ASSIGN, OP_MUL },
	[TOK_DIV_EQ] = { PREC_ASSIGN, OP_DIV },
	[TOK_MOD_EQ] = { PREC_ASSIGN, OP_MOD },
	[TOK_SHL_EQ] = { PREC_ASSIGN, OP_SHL },
	[TOK_SHR_EQ] = { PREC_ASSIGN, OP_SHR },
	[TOK_AND_EQ] = { PREC_ASSIGN, OP_AND },
	[TOK_OR_EQ] = { PREC_ASSIGN, OP_OR },
	[TOK_XOR_EQ] = { PREC_ASSIGN, OP_XOR },
	[TOK_QUESTION] = { PREC_COND, OP_NONE },
	[TOK_LOR] = { PREC_LOR, OP_LOR },
	[TOK_LXOR] = { PREC_LXOR, OP_LXOR },
	[TOK_LAND] = { PREC_LAND, OP_LAND },
	[TOK_PIPE] = { PREC_OR, OP_OR },
	[TOK_CARET] = { PREC_XOR, OP_XOR },
	[TOK_AMP] = { PREC_AND, OP_AND },
	[TOK_EQ] = { PREC_EQ, OP_EQ },
	[TOK_NE] = { PREC_EQ, OP_NE },
	[TOK_LT] = { PREC_REL, OP_LT },
	[TOK_LE] = { PREC_REL, OP_LE },
	[TOK_GT] = { PREC_REL, OP_GT },
	[TOK_GE] = { PREC_REL, OP_GE },
	[TOK_SHL] = { PREC_SHIFT, OP_SHL },
	[TOK_SHR] = { PREC_SHIFT, OP_SHR },
	[TOK_PLUS] = { PREC_ADD, OP_ADD },
	[TOK_MINUS] = { PREC_ADD, OP_SUB },
	[TOK_STAR] = { PREC_MUL, OP_MUL },
	[TOK_SLASH] = { PREC_MUL, OP_DIV },
	[TOK_PERCENT] = { PREC_MUL, OP_MOD },
};

/* The operators before an operand. OP_NONE: the token is none. */
static const enum expr_op prefix[TOK_COUNT] = {
	[TOK_MINUS] = OP_NEG,
	[TOK_PLUS] = OP_POS,
	[TOK_BANG] = OP_NOT,
	[TOK_TILDE] = OP_COMPL,
	[TOK_STAR] = OP_DEREF,
	[TOK_AMP] = OP_ADDR,
	[TOK_INC] = OP_PREINC,
	[TOK_DEC] = OP_PREDEC,
};

static struct expr *parse_operand(struct parser *p);
static struct expr *parse_prec(struct parser *p, unsigned min);

/* ---- nodes ------------------------------------------------------------------------------------------------------- */
/* A node of height 1; node_done() sets the height once the children are in place. */
static struct expr *node_new(struct parser *p, enum expr_kind kind, struct loc loc)
{
	struct expr *e = ARENA_NEW(p->arena, struct expr);

	e->kind = kind;
	e->loc = loc;
	e->depth = 1;
	return e;
}

/* The height of a node of height depth that gets this child. */
static uint32_t higher(uint32_t depth, const struct expr *child)
{
	return child && child->depth >= depth ? child->depth + 1 : depth;
}

/* Sets the height of a node whose children are in place. NULL when it is too high. */
static struct expr *node_done(struct parser *p, struct expr *e)
{
	uint32_t d = 1;

	d = higher(d, e->a);
	d = higher(d, e->b);
	d = higher(d, e->c);
	for (size_t i = 0; i < e->args.n; i++)
		d = higher(d, e->args.v[i]);
	if (e->tyx && e->tyx->depth >= d)
		d = e->tyx->depth + 1;
	e->depth = d;
	return parser_height_ok(p, e->loc, d) ? e : NULL;
}

/* NULL if the operand was an error, so that errors travel up without a test at each caller. */
static struct expr *node_unary(struct parser *p, enum expr_kind kind, enum expr_op op, struct loc loc, struct expr *a)
{
	if (!a)
		return NULL;
	struct expr *e = node_new(p, kind, loc);

	e->op = op;
	e->a = a;
	return node_done(p, e);
}

/* ---- primary expressions ----------------------------------------------------------------------------------------- */
/* arguments := [ assign ("," assign)* ] close */
static bool parse_args(struct parser *p, struct expr *e, enum tok_kind close, struct loc open)
{
	p->pred_nest++;
	if (parser_kind(p) != close) {
		do {
			struct expr *arg = parse_assign(p);

			if (!arg) {
				p->pred_nest--;
				return false;
			}
			*vec_push(p->arena, &e->args) = arg;
		} while (parser_accept(p, TOK_COMMA));
	}
	p->pred_nest--;
	return parser_expect_close(p, close, open);
}

/* keys := "[" assign ("," assign)* "]" */
static bool parse_keys(struct parser *p, struct expr *e)
{
	const struct loc open = parser_take_loc(p);

	if (parser_kind(p) == TOK_RBRACK) {
		parser_unexpected(p, "a key");
		return false;
	}
	return parse_args(p, e, TOK_RBRACK, open);
}

/* "(" expr ")" */
static struct expr *parse_paren(struct parser *p)
{
	const struct loc open = parser_take_loc(p);

	p->pred_nest++;
	struct expr *e = parse_expr(p);

	p->pred_nest--;
	if (!e || !parser_expect_close(p, TOK_RPAR, open))
		return NULL;
	e->paren = true;
	return e;
}

/* A macro's argument may be negative, which a literal never is. */
static struct expr *parse_int(struct parser *p)
{
	const struct token t = parser_take(p);
	struct expr *e = node_new(p, EX_INT, parser_loc(p, &t));

	e->ival = t.ival;
	e->isuffix = t.isuffix;
	return t.negative ? node_unary(p, EX_UNARY, OP_NEG, e->loc, e) : e;
}

/* D does not join strings that stand side by side. */
static struct expr *parse_string(struct parser *p)
{
	const struct token t = parser_take(p);
	struct expr *e = node_new(p, EX_STR, parser_loc(p, &t));

	e->str = t.text;
	e->slen = t.textlen;
	if (parser_kind(p) == TOK_STR) {
		parser_unexpected(p, "an operator");
		return NULL;
	}
	return e;
}

/* A name alone, or object "`" name. */
static struct expr *take_ident(struct parser *p)
{
	const struct token t = parser_take(p);
	const char *tick = strrchr(t.text, '`');
	struct expr *e = node_new(p, tick ? EX_SCOPED : EX_IDENT, parser_loc(p, &t));

	e->name = t.text;
	if (tick) {
		e->name = tick + 1;
		e->obj = arena_strndup(p->arena, t.text, (size_t)(tick - t.text));
	}
	return e;
}

/* Words of D that only mean something outside of expressions, where they are read by their text, and names of types.
 * Of the kernel's types only *_t: a script that was written elsewhere cannot know all their names. */
static bool is_reserved(const struct parser *p, const char *word)
{
	size_t len = strlen(word);

	return !strcmp(word, "import") || !strcmp(word, "probe") || !strcmp(word, "provider") ||
		!strcmp(word, "counter") || strmap_get(p->env->typenames, word) ||
		(len > 2 && !strcmp(word + len - 2, "_t") && !strchr(word, '`') && parser_is_typename(p, word));
}

/* ident | object "`" ident | ident "(" arguments ")" */
static struct expr *parse_ident(struct parser *p)
{
	if (is_reserved(p, parser_peek(p, 0)->text)) {
		parser_unexpected(p, "an expression");
		return NULL;
	}
	struct expr *e = take_ident(p);

	if (e->kind == EX_IDENT && !strcmp(e->name, "pkt") && parser_kind(p) != TOK_ARROW)
		p->own_pkt = true;
	if (e->kind != EX_IDENT || parser_kind(p) != TOK_LPAR)
		return e;
	const struct loc open = parser_take_loc(p);

	e->kind = EX_CALL;
	return parse_args(p, e, TOK_RPAR, open) ? node_done(p, e) : NULL;
}

/* The token holds the name without @. */
static struct expr *take_agg(struct parser *p)
{
	const struct token t = parser_take(p);
	struct expr *e = node_new(p, EX_AGG, parser_loc(p, &t));

	e->name = t.text;
	return e;
}

/* "@" [ident] [keys] */
static struct expr *parse_agg(struct parser *p)
{
	struct expr *e = take_agg(p);

	if (parser_kind(p) != TOK_LBRACK)
		return e;
	return parse_keys(p, e) ? node_done(p, e) : NULL;
}

/* A member's or variable's name after -> or . : keywords may be names there, as struct members are C's. */
static bool parse_name_after(struct parser *p, struct token *name, const char *what)
{
	const struct token *t = parser_peek(p, 0);

	if ((t->kind == TOK_IDENT && !strchr(t->text, '`')) || t->kind >= KW_AUTO) {
		*name = parser_take(p);
		return true;
	}
	parser_unexpected(p, what);
	return false;
}

/* ("self" | "this") "->" ident */
static struct expr *parse_scoped_var(struct parser *p)
{
	const struct token scope = parser_take(p);
	struct token name;

	if (parser_peek(p, 0)->kind == TOK_DOT) {
		parser_error(p, parser_loc(p, parser_peek(p, 0)), D_SYNTAX, "use ->", "expected '->', found '.'");
		return NULL;
	}
	if (!parser_expect(p, TOK_ARROW, scope.kind == KW_SELF ? "after self" : "after this") ||
		!parse_name_after(p, &name, "the name of a variable"))
		return NULL;
	struct expr *e = node_new(p, EX_IDENT, loc_span(parser_loc(p, &scope), parser_loc(p, &name)));

	e->name = name.text;
	e->scope = scope.kind == KW_SELF ? SCOPE_SELF : SCOPE_THIS;
	return e;
}

/* "offsetof" "(" typename "," ident ")" */
static struct expr *parse_offsetof(struct parser *p)
{
	struct expr *e = node_new(p, EX_OFFSETOF, parser_take_loc(p));
	struct token name;

	if (!parser_expect(p, TOK_LPAR, "after offsetof") || !(e->tyx = parse_typename(p)) ||
		!parser_expect(p, TOK_COMMA, "after the type") || !parse_name_after(p, &name, "the name of a member") ||
		!parser_expect(p, TOK_RPAR, "after the member"))
		return NULL;
	e->name = name.text;
	return node_done(p, e);
}

/* "xlate" "<" typename ">" ( "(" expr ")" | unary ) */
static struct expr *parse_xlate(struct parser *p)
{
	struct expr *e = node_new(p, EX_XLATE, parser_take_loc(p));

	if (!parser_expect(p, TOK_LT, "after xlate") || !(e->tyx = parse_typename(p)) ||
		!parser_expect(p, TOK_GT, "after the type"))
		return NULL;
	e->a = parser_kind(p) == TOK_LPAR ? parse_paren(p) : parse_operand(p);
	return e->a ? node_done(p, e) : NULL;
}

/* primary := ident | call | integer | string | aggregation | "(" expr ")" | self->x | offsetof | xlate */
static struct expr *parse_primary(struct parser *p)
{
	const enum tok_kind k = parser_kind(p);

	if (k == TOK_IDENT)
		return parse_ident(p);
	if (k == TOK_INT)
		return parse_int(p);
	if (k == TOK_STR)
		return parse_string(p);
	if (k == TOK_AGG)
		return parse_agg(p);
	if (k == TOK_LPAR)
		return parse_paren(p);
	if (k == KW_SELF || k == KW_THIS)
		return parse_scoped_var(p);
	if (k == KW_OFFSETOF)
		return parse_offsetof(p);
	if (k == KW_XLATE)
		return parse_xlate(p);
	parser_unexpected(p, "an expression");
	return NULL;
}

/* ---- postfix and prefix operators -------------------------------------------------------------------------------- */
/* The packet of a variable's scope. */
static bool is_pkt(const struct expr *e)
{
	return e->kind == EX_IDENT && e->scope == SCOPE_GLOBAL && !e->paren && !e->obj && !strcmp(e->name, "pkt");
}

/* a "." name | a "->" name | "pkt" "->" ident */
static struct expr *parse_member(struct parser *p, struct expr *a)
{
	const bool arrow = parser_kind(p) == TOK_ARROW;
	struct token name;

	parser_take_loc(p);
	if (!parse_name_after(p, &name, "the name of a member"))
		return NULL;
	if (arrow && !p->own_pkt && is_pkt(a)) {
		a->loc = loc_span(a->loc, parser_loc(p, &name));
		a->name = name.text;
		a->scope = SCOPE_PKT;
		return a;
	}
	struct expr *e = node_unary(p, EX_MEMBER, OP_NONE, parser_loc(p, &name), a);

	if (e) {
		e->name = name.text;
		e->arrow = arrow;
	}
	return e;
}

/* a keys */
static struct expr *parse_index(struct parser *p, struct expr *a)
{
	struct expr *e = node_new(p, EX_INDEX, parser_loc(p, parser_peek(p, 0)));

	e->a = a;
	if (!parse_keys(p, e))
		return NULL;
	e->loc = loc_span(e->loc, parser_loc(p, &p->prev));
	return node_done(p, e);
}

/* postfix := primary ( keys | ("." | "->") name | "++" | "--" )* */
static struct expr *parse_postfix(struct parser *p)
{
	struct expr *e = parse_primary(p);

	while (e) {
		const enum tok_kind k = parser_kind(p);

		if (k == TOK_LBRACK) {
			e = parse_index(p, e);
		} else if (k == TOK_ARROW || k == TOK_DOT) {
			e = parse_member(p, e);
		} else if (k == TOK_INC || k == TOK_DEC) {
			e = node_unary(p, EX_UNARY, k == TOK_INC ? OP_POSTINC : OP_POSTDEC, parser_take_loc(p), e);
		} else if (k == TOK_LPAR) {
			parser_error(p, parser_loc(p, parser_peek(p, 0)), D_FUNC_IDENT, NULL,
				"only a function's name can be called");
			return NULL;
		} else {
			break;
		}
	}
	return e;
}

/* Does a type follow the next parenthesis? (name) and (name * are ambiguous in C's grammar: a typename wins, unless an
 * operand follows the star. */
static bool type_in_parens(struct parser *p)
{
	if (parser_kind(p) != TOK_LPAR)
		return false;
	const struct token *t = parser_peek(p, 1);

	if (t->kind != TOK_IDENT)
		return parser_is_type(p, t);
	if (!parser_is_typename(p, t->text))
		return false;
	enum tok_kind k = parser_peek(p, 2)->kind;

	if (k == TOK_STAR)
		k = parser_peek(p, 3)->kind;
	return k == TOK_RPAR || k == TOK_STAR || k == KW_CONST || k == KW_VOLATILE || k == KW_RESTRICT;
}

/* "(" typename ")" ; the span of it all in *loc */
static struct tyx *parse_type_parens(struct parser *p, struct loc *loc)
{
	*loc = parser_take_loc(p);
	struct tyx *ty = parse_typename(p);

	if (!ty || !parser_expect_close(p, TOK_RPAR, *loc))
		return NULL;
	*loc = loc_span(*loc, parser_loc(p, &p->prev));
	return ty;
}

/* (name *) can only be meant as a type, known or not. */
static bool unknown_type_in_parens(struct parser *p)
{
	unsigned i = 2;

	if (parser_kind(p) != TOK_LPAR || parser_peek(p, 1)->kind != TOK_IDENT)
		return false;
	while (i < PARSE_AHEAD - 1 && parser_peek(p, i)->kind == TOK_STAR)
		i++;
	return i > 2 && parser_peek(p, i)->kind == TOK_RPAR;
}

/* "(" name "*"+ ")" : the checker reports that there is no such type */
static struct tyx *parse_unknown_type(struct parser *p, struct loc *loc)
{
	struct tyx *ty, *of;

	parser_take_loc(p);
	of = tyx_new(p, TYX_NAME, parser_loc(p, parser_peek(p, 0)));
	*loc = of->loc;
	of->name = parser_take(p).text;
	for (; parser_kind(p) == TOK_STAR; of = ty) {
		ty = tyx_new(p, TYX_PTR, parser_take_loc(p));
		ty->of = of;
		ty->depth = of->depth + 1;
	}
	parser_take(p);
	return of;
}

/* "(" typename ")" unary */
static struct expr *parse_cast(struct parser *p)
{
	struct loc loc;
	struct tyx *ty = type_in_parens(p) ? parse_type_parens(p, &loc) : parse_unknown_type(p, &loc);
	struct expr *a = ty ? parse_operand(p) : NULL;

	if (!a)
		return NULL;
	struct expr *e = node_new(p, EX_CAST, loc);

	e->tyx = ty;
	e->a = a;
	return node_done(p, e);
}

/* "sizeof" ( "(" typename ")" | unary ) | "stringof" unary */
static struct expr *parse_word_operator(struct parser *p)
{
	const enum expr_kind kind = parser_kind(p) == KW_STRINGOF ? EX_STRINGOF : EX_SIZEOF;
	struct loc loc = parser_take_loc(p);

	if (kind == EX_STRINGOF || !type_in_parens(p))
		return node_unary(p, kind, OP_NONE, loc, parse_operand(p));
	struct expr *e = node_new(p, kind, loc);

	e->tyx = parse_type_parens(p, &loc);
	return e->tyx ? node_done(p, e) : NULL;
}

/* prefix-operator unary */
static struct expr *parse_prefix(struct parser *p)
{
	const enum expr_op op = prefix[parser_kind(p)];
	const struct loc loc = parser_take_loc(p);

	return node_unary(p, EX_UNARY, op, loc, parse_operand(p));
}

/* unary := postfix | prefix-operator unary | cast | sizeof | stringof */
static struct expr *parse_unary(struct parser *p)
{
	const enum tok_kind k = parser_kind(p);

	if (prefix[k])
		return parse_prefix(p);
	if (k == KW_SIZEOF || k == KW_STRINGOF)
		return parse_word_operator(p);
	if (type_in_parens(p) || unknown_type_in_parens(p))
		return parse_cast(p);
	return parse_postfix(p);
}

/* The unary that a prefix operator works on: one level deeper. */
static struct expr *parse_operand(struct parser *p)
{
	if (!parser_enter(p))
		return NULL;
	struct expr *e = parse_unary(p);

	parser_leave(p);
	return e;
}

/* ---- infix operators --------------------------------------------------------------------------------------------- */
/* cond := a "?" expr ":" cond */
static struct expr *parse_cond(struct parser *p, struct expr *a)
{
	struct expr *e = node_new(p, EX_COND, parser_take_loc(p));

	e->a = a;
	p->pred_cond++;
	e->b = parse_expr(p);
	p->pred_cond--;
	if (!e->b || !parser_expect(p, TOK_COLON, "of ?:"))
		return NULL;
	e->c = parse_prec(p, PREC_COND);
	return e->c ? node_done(p, e) : NULL;
}

/* a operator b. Assignments group from the right, all others from the left. */
static struct expr *parse_infix(struct parser *p, struct expr *a)
{
	const enum tok_kind k = parser_kind(p);
	const unsigned prec = infix[k].prec;
	struct expr *e = node_new(p, EX_BINARY, parser_take_loc(p));

	if (prec == PREC_ASSIGN)
		e->kind = EX_ASSIGN;
	else if (prec == PREC_COMMA)
		e->kind = EX_COMMA;
	e->op = infix[k].op;
	e->a = a;
	e->b = parse_prec(p, prec == PREC_ASSIGN ? prec : prec + 1); /* assignments group from the right */
	return e->b ? node_done(p, e) : NULL;
}

/* An operand, and the operators behind it that bind at least as strongly as min. */
static struct expr *parse_prec(struct parser *p, unsigned min)
{
	if (!parser_enter(p))
		return NULL;
	struct expr *e = parse_unary(p);

	while (e) {
		const enum tok_kind k = parser_kind(p);
		const unsigned prec = infix[k].prec;

		if (!prec || prec < min || (k == TOK_SLASH && p->in_pred && predicate_ends(p)))
			break;
		e = k == TOK_QUESTION ? parse_cond(p, e) : parse_infix(p, e);
	}
	parser_leave(p);
	return e;
}

struct expr *parse_expr(struct parser *p)
{
	return parse_prec(p, PREC_COMMA);
}

/* Without a comma: an argument, a key, a value. */
struct expr *parse_assign(struct parser *p)
{
	return parse_prec(p, PREC_ASSIGN);
}

/* Without assignments: a constant expression. */
struct expr *parse_const(struct parser *p)
{
	return parse_prec(p, PREC_COND);
}
