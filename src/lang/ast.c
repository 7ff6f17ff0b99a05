/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ast: prints the tree for --dump=ast, one node a line, two spaces a level.
 * Input: a program. Output: text with every field that the parser sets, except places in the source.
 * Invariant: the recursion is bounded by PARSE_DEPTH_MAX, as the parser makes no higher tree. */
#include <inttypes.h>
#include <string.h>

#include "lang/ast_text.h"

/* Expressions and types contain each other: sizeof(int[n + 1]). */
static void dump_expr(FILE *out, const struct expr *e, int level);

/* Two blanks a level. */
static void indent(FILE *out, int level)
{
	fprintf(out, "%*s", level * 2, "");
}

static void dump_type(FILE *out, const struct tyx *ty, const char *name, int level);

/* Members of structures and unions with their types, or enumerators with their values, one a line. */
static void dump_members(FILE *out, const struct tyx *ty, int level)
{
	for (size_t i = 0; i < ty->members.n; i++) {
		const struct tyx_member *m = &ty->members.v[i];

		indent(out, level);
		if (ty->kind == TYX_ENUM) {
			fprintf(out, "enumerator %s\n", m->name);
			if (m->value)
				dump_expr(out, m->value, level + 1);
			continue;
		}
		fputs(m->bits ? "bits " : "member ", out);
		dump_type(out, m->type, m->name, level);
		if (m->bits)
			dump_expr(out, m->bits, level + 1);
	}
}

/* The type on the rest of the line; below it the members of a structure that has its body here. */
static void dump_type(FILE *out, const struct tyx *ty, const char *name, int level)
{
	ast_print_type(out, ty, name);
	putc('\n', out);
	while (ty->kind == TYX_PTR || ty->kind == TYX_ARRAY || ty->kind == TYX_ASSOC || ty->kind == TYX_FUNC)
		ty = ty->of;
	if (ty->has_body)
		dump_members(out, ty, level + 1);
}

/* Operators that are words, with their type: "cast (int)", "xlate <csinfo_t>". offsetof also has the name of the
 * member, which is not an expression. */
static void dump_word(FILE *out, const struct expr *e, const char *word)
{
	fputs(word, out);
	if (e->tyx) {
		fputs(e->kind == EX_XLATE ? " <" : " (", out);
		ast_print_type(out, e->tyx, NULL);
		putc(e->kind == EX_XLATE ? '>' : ')', out);
	}
	if (e->kind == EX_OFFSETOF)
		fprintf(out, " %s", e->name);
}

/* A literal's suffix and its base matter, because they decide its type. The suffixes are the bits of enum
 * int_suffix. */
static void dump_int(FILE *out, const struct expr *e)
{
	static const char *const suffixes[] = { "", " u", " l", " ul", " ll", " ull" };

	fprintf(out, "int %" PRIu64 "%s", e->ival, suffixes[(e->isuffix & 7) < 6 ? e->isuffix & 7 : 0]);
	fputs(e->isuffix & ISUF_CHAR ? " char" : "", out);
	fputs(e->isuffix & ISUF_NODEC ? " hex-or-octal" : "", out);
}

/* ++ and -- may stand before or behind the operand, so the dump says which. */
static void dump_unary(FILE *out, const struct expr *e)
{
	const bool post = e->op == OP_POSTINC || e->op == OP_POSTDEC;

	fprintf(out, "%s %s", post ? "postfix" : "unary", expr_op_text(e->op));
}

/* One node without its children. There is no default, so that a new kind must be printed before this compiles. */
static void dump_head(FILE *out, const struct expr *e)
{
	switch (e->kind) {
	case EX_INT:
		dump_int(out, e);
		break;
	case EX_STR:
		fputs("string ", out);
		ast_print_string(out, e->str, e->slen);
		break;
	case EX_IDENT:
		fputs("ident ", out);
		ast_print_variable(out, e->scope, e->name);
		break;
	case EX_SCOPED:
		fprintf(out, "scoped %s`%s", e->obj, e->name);
		break;
	case EX_AGG:
		fprintf(out, "agg @%s", e->name);
		break;
	case EX_UNARY:
		dump_unary(out, e);
		break;
	case EX_BINARY:
		fprintf(out, "binary %s", expr_op_text(e->op));
		break;
	case EX_ASSIGN:
		fprintf(out, "assign %s%s", e->op == OP_ASSIGN ? "" : expr_op_text(e->op), "=");
		break;
	case EX_COND:
		fputs("cond", out);
		break;
	case EX_CALL:
		fprintf(out, "call %s", e->name);
		break;
	case EX_INDEX:
		fputs("index", out);
		break;
	case EX_MEMBER:
		fprintf(out, "member %s%s", e->arrow ? "->" : ".", e->name);
		break;
	case EX_CAST:
		dump_word(out, e, "cast");
		break;
	case EX_SIZEOF:
		dump_word(out, e, "sizeof");
		break;
	case EX_OFFSETOF:
		dump_word(out, e, "offsetof");
		break;
	case EX_STRINGOF:
		dump_word(out, e, "stringof");
		break;
	case EX_XLATE:
		dump_word(out, e, "xlate");
		break;
	case EX_COMMA:
		fputs("comma", out);
		break;
	}
}

/* One node a line, its children one level deeper. */
static void dump_expr(FILE *out, const struct expr *e, int level)
{
	indent(out, level);
	dump_head(out, e);
	putc('\n', out);
	if (e->a)
		dump_expr(out, e->a, level + 1);
	if (e->b)
		dump_expr(out, e->b, level + 1);
	if (e->c)
		dump_expr(out, e->c, level + 1);
	for (size_t i = 0; i < e->args.n; i++)
		dump_expr(out, e->args.v[i], level + 1);
}

/* A statement; an if has its condition and branches below it. */
static void dump_stmt(FILE *out, const struct stmt *s, int level)
{
	if (s->kind == ST_EXPR) {
		dump_expr(out, s->expr, level);
		return;
	}
	indent(out, level);
	fputs("if\n", out);
	dump_expr(out, s->expr, level + 1);
	indent(out, level);
	fputs("then\n", out);
	for (size_t i = 0; i < s->then.n; i++)
		dump_stmt(out, s->then.v[i], level + 1);
	if (!s->otherwise.n)
		return;
	indent(out, level);
	fputs("else\n", out);
	for (size_t i = 0; i < s->otherwise.n; i++)
		dump_stmt(out, s->otherwise.v[i], level + 1);
}

/* A clause: its descriptions, always with four parts, of which missing ones are empty; its predicate; its body. */
static void dump_clause(FILE *out, const struct clause *c)
{
	fprintf(out, "clause %" PRIu32 "\n", c->index);
	for (size_t i = 0; i < c->probes.n; i++) {
		const struct pdesc *d = &c->probes.v[i];

		if (d->id)
			fprintf(out, "  probe %" PRIu32 "\n", d->id);
		else
			fprintf(out, "  probe %s:%s:%s:%s\n", d->prov, d->mod, d->func, d->name);
	}
	if (c->pred) {
		fputs("  predicate\n", out);
		dump_expr(out, c->pred, 2);
	}
	if (c->has_body)
		fputs("  body\n", out);
	for (size_t i = 0; i < c->body.n; i++)
		dump_stmt(out, c->body.v[i], 2);
}

/* An inline: its type and name, its parameters, its value. The value is a tree, not yet evaluated. */
static void dump_inline(FILE *out, const struct inline_def *i)
{
	fputs("inline ", out);
	dump_type(out, i->type, i->name, 0);
	for (size_t k = 0; k < i->params.n; k++)
		fprintf(out, "  param %s\n", i->params.v[k]);
	dump_expr(out, i->value, 1);
}

/* A translator: its two types, then its members in the order of the text. */
static void dump_xlator(FILE *out, const struct xlator *x)
{
	fputs("translator ", out);
	ast_print_type(out, x->out, NULL);
	fputs(" < ", out);
	ast_print_type(out, x->in, x->param);
	fputs(" >\n", out);
	for (size_t i = 0; i < x->ninits; i++) {
		fprintf(out, "  init %s\n", x->inits[i].name);
		dump_expr(out, x->inits[i].value, 2);
	}
}

/* A variable that is declared, with its scope. */
static void dump_var(FILE *out, const struct var_decl *v)
{
	static const char *const scopes[] = { "global", "self", "this", "pkt" };

	fprintf(out, "var %s ", v->is_extern ? "extern" : scopes[v->scope]);
	dump_type(out, v->type, v->name, 0);
}

static void dump_provider(FILE *out, const struct provider_decl *prov)
{
	fprintf(out, "provider %s\n", prov->name);
	for (size_t i = 0; i < prov->probes.n; i++) {
		const struct provider_probe *probe = &prov->probes.v[i];

		fprintf(out, "  probe %s\n", probe->name);
		for (size_t k = 0; k < probe->args.n; k++) {
			fputs("    ", out);
			dump_type(out, probe->args.v[k].type, NULL, 2);
		}
	}
}

/* Declarations in the order of the text. There is no default, so that a new kind must be printed before this
 * compiles. */
void ast_dump(const struct program *p, FILE *out)
{
	for (size_t i = 0; i < p->decls.n; i++) {
		const struct decl *d = p->decls.v[i];

		switch (d->kind) {
		case DECL_TYPE:
			fputs("type ", out);
			dump_type(out, d->u.type, NULL, 0);
			break;
		case DECL_TYPEDEF:
			fputs("typedef ", out);
			dump_type(out, d->u.typedef_.type, d->u.typedef_.name, 0);
			break;
		case DECL_VAR:
			dump_var(out, &d->u.var);
			break;
		case DECL_INLINE:
			dump_inline(out, &d->u.inl);
			break;
		case DECL_XLATOR:
			dump_xlator(out, &d->u.xlator);
			break;
		case DECL_PROVIDER:
			dump_provider(out, &d->u.provider);
			break;
		case DECL_PRAGMA:
			fprintf(out, "pragma %s%s%s\n", d->u.pragma.word, *d->u.pragma.args ? " " : "",
				d->u.pragma.args);
			break;
		case DECL_CLAUSE:
			dump_clause(out, &d->u.clause);
			break;
		}
	}
}

/* Does evaluating it change something? Assignments, ++ and -- do. A comma counts too: it has its left side for an
 * effect. */
bool expr_has_effects(const struct expr *e)
{
	if (!e)
		return false;
	if (e->kind == EX_ASSIGN || e->kind == EX_COMMA || (e->kind == EX_UNARY && e->op >= OP_PREINC))
		return true;
	for (size_t i = 0; i < e->args.n; i++)
		if (expr_has_effects(e->args.v[i]))
			return true;
	return expr_has_effects(e->a) || expr_has_effects(e->b) || expr_has_effects(e->c);
}

bool stmt_is_agg(const struct stmt *s)
{
	return s->kind == ST_EXPR && s->expr->kind == EX_ASSIGN && s->expr->a->kind == EX_AGG;
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

bool expr_same(const struct expr *x, const struct expr *y)
{
	if (!x || !y)
		return x == y;
	if (x->kind != y->kind || x->kind == EX_CALL || x->op != y->op || x->type != y->type || x->sym != y->sym ||
		x->form != y->form || x->scope != y->scope || x->ival != y->ival ||
		(x->kind != EX_CAST && (x->tyx || y->tyx)) || x->args.n != y->args.n || !same_text(x->name, y->name) ||
		!same_text(x->obj, y->obj) || x->slen != y->slen || (x->slen && memcmp(x->str, y->str, x->slen) != 0))
		return false;
	for (size_t i = 0; i < x->args.n; i++)
		if (!expr_same(x->args.v[i], y->args.v[i]))
			return false;
	return expr_same(x->a, y->a) && expr_same(x->b, y->b) && expr_same(x->c, y->c);
}
