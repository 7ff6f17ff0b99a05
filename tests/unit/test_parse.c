/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_parse: the parser, table-driven: precedence, predicates, descriptions, types, macros, errors, limits. */
#include <errno.h>
#include <time.h>

#include "base/strmap.h"
#include "diags.h"
#include "lang/parse/parse.h"
#include "unit.h"

struct fixture {
	struct arena *arena;
	struct parse_env env;
	struct macros macros;
	struct source src;
	struct program prog;
	int rc;
};

static bool is_typename(void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "uint32_t") || !strcmp(name, "u8") || !strcmp(name, "entry");
}

static int64_t number(void *ctx, const char *name, bool in_probe, bool *known)
{
	(void)ctx;
	(void)in_probe;
	*known = !strcmp(name, "target");
	return *known ? 4711 : 0;
}

static void fixture_init(struct fixture *f, const char *text, size_t len)
{
	*f = (struct fixture){ .arena = arena_new(), .macros = { .number = number } };
	if (!f->arena)
		abort();
	f->src = (struct source){ .name = "t.d", .text = text, .len = len };
	f->env = (struct parse_env){
		.arena = f->arena,
		.diags = diags_new(f->arena),
		.is_typename = is_typename,
		.typenames = strmap_new(f->arena),
	};
	f->env.macros = &f->macros;
}

static void fixture_parse(struct fixture *f, const char *text, size_t len)
{
	/* A copy of the exact length: AddressSanitizer sees a read behind the end. */
	char *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	memcpy(copy, text, len);
	fixture_init(f, copy, len);
	f->rc = parse_source(&f->env, &f->src, &f->prog);
	EXPECT_INT(f->rc, diags_errors(f->env.diags) ? -EINVAL : 0);
}

static void fixture_free(struct fixture *f)
{
	free((void *)(uintptr_t)f->src.text);
	arena_free(f->arena);
}

static void print_diags(void *ctx, FILE *out)
{
	diags_print(((struct fixture *)ctx)->env.diags, out);
}

/* Only expected to parse: says what was wrong otherwise. */
static void expect_clean(struct fixture *f, const char *text)
{
	char *got = unit_capture(print_diags, f);

	if (f->rc)
		printf("while parsing: %s\n", text);
	EXPECT_STR(got, "");
	free(got);
}

/* ---- expressions: every operand and operator in parentheses shows the tree --------------------------------------- */
static void full(FILE *out, const struct expr *e)
{
	switch (e->kind) {
	case EX_BINARY:
	case EX_ASSIGN:
	case EX_COMMA:
		putc('(', out);
		full(out, e->a);
		fprintf(out, "%s%s", e->kind == EX_COMMA ? "," : expr_op_text(e->op),
			e->kind == EX_ASSIGN && e->op != OP_ASSIGN ? "=" : "");
		full(out, e->b);
		putc(')', out);
		break;
	case EX_UNARY:
		fprintf(out, "(%s", e->op == OP_POSTINC || e->op == OP_POSTDEC ? "post" : "");
		fprintf(out, "%s", expr_op_text(e->op));
		full(out, e->a);
		putc(')', out);
		break;
	case EX_COND:
		putc('(', out);
		full(out, e->a);
		putc('?', out);
		full(out, e->b);
		putc(':', out);
		full(out, e->c);
		putc(')', out);
		break;
	case EX_INDEX:
	case EX_AGG:
	case EX_CALL:
		if (e->a)
			full(out, e->a);
		fprintf(out, "%s%s%c", e->kind == EX_AGG ? "@" : "", e->name ? e->name : "",
			e->kind == EX_CALL ? '(' : '[');
		for (size_t i = 0; i < e->args.n; i++) {
			fputs(i ? ";" : "", out);
			full(out, e->args.v[i]);
		}
		putc(e->kind == EX_CALL ? ')' : ']', out);
		break;
	case EX_MEMBER:
		full(out, e->a);
		fprintf(out, "%s%s", e->arrow ? "->" : ".", e->name);
		break;
	case EX_CAST:
		fputs("(cast ", out);
		full(out, e->a);
		putc(')', out);
		break;
	case EX_STRINGOF:
	case EX_SIZEOF:
	case EX_XLATE:
		fprintf(out, "{%s ", e->kind == EX_SIZEOF ? "sizeof" : e->kind == EX_XLATE ? "xlate" : "stringof");
		if (e->a)
			full(out, e->a);
		putc('}', out);
		break;
	case EX_INT:
		fprintf(out, "%llu", (unsigned long long)e->ival);
		break;
	case EX_STR:
		fprintf(out, "\"%.*s\"", (int)e->slen, e->str);
		break;
	case EX_IDENT:
		fprintf(out, "%s%s", e->scope == SCOPE_SELF ? "self." : e->scope == SCOPE_THIS ? "this." : "", e->name);
		break;
	case EX_SCOPED:
		fprintf(out, "%s`%s", e->obj, e->name);
		break;
	case EX_OFFSETOF:
		fprintf(out, "{offsetof %s}", e->name);
		break;
	}
}

static void print_full(void *ctx, FILE *out)
{
	full(out, ctx);
}

static const struct {
	const char *text, *want;
} expressions[] = {
	{ "a + b * c", "(a+(b*c))" },
	{ "a - b - c", "((a-b)-c)" },
	{ "a = b = c", "(a=(b=c))" },
	{ "a += b <<= c", "(a+=(b<<=c))" },
	{ "a, b = 1, c", "((a,(b=1)),c)" },
	{ "a || b ^^ c && d | e ^ f & g", "(a||(b^^(c&&(d|(e^(f&g))))))" },
	{ "a == b < c << d + e % f", "(a==(b<(c<<(d+(e%f)))))" },
	{ "a && b ^^ c || d", "(((a&&b)^^c)||d)" },
	{ "a ? b : c ? d : e", "(a?b:(c?d:e))" },
	{ "a ? b ? c : d : e", "(a?(b?c:d):e)" },
	{ "a ? b, c : d", "(a?(b,c):d)" },
	{ "x = a ? b : c", "(x=(a?b:c))" },
	{ "-a * !b", "((-a)*(!b))" },
	{ "- -a", "(-(-a))" },
	{ "*p++", "(*(post++p))" },
	{ "++*p", "(++(*p))" },
	{ "&a[1]", "(&a[1])" },
	{ "a---b", "((post--a)-b)" },
	{ "args[2]->ip_saddr", "args[2]->ip_saddr" },
	{ "a.b.c[1, 2]->d", "a.b.c[1;2]->d" },
	{ "p->this->string", "p->this->string" },
	{ "self->x + this->y", "(self.x+this.y)" },
	{ "`jiffies + vmlinux`x", "(`jiffies+vmlinux`x)" },
	{ "a`b`c", "a`b`c" },
	{ "@[a, b]", "@[a;b]" },
	{ "@x = count()", "(@x[]=count())" },
	{ "@x[execname] = sum(a + 1)", "(@x[execname]=sum((a+1)))" },
	{ "f(a, (b, c))", "f(a;(b,c))" },
	{ "(uint32_t)a + b", "((cast a)+b)" },
	{ "(uint32_t *)a", "(cast a)" },
	{ "(uint32_t * 2)", NULL },
	{ "(struct s *)a->b", "(cast a->b)" },
	{ "(int)(char)a", "(cast (cast a))" },
	{ "(a)(b)", NULL },
	{ "sizeof (int) + 1", "({sizeof }+1)" },
	{ "sizeof a + 1", "({sizeof a}+1)" },
	{ "sizeof (a) + 1", "({sizeof a}+1)" },
	{ "stringof(a) == \"x\"", "({stringof a}==\"x\")" },
	{ "stringof a->b", "{stringof a->b}" },
	{ "xlate <struct s *>(a)->b", "{xlate a}->b" },
	{ "offsetof(struct s, m)", "{offsetof m}" },
	{ "a < b > c", "((a<b)>c)" },
	{ "1 /2/ 3", "((1/2)/3)" },
	{ "'a' + 'ab' + '\\n' + '\\'' + '\\0' + '\\x41' + '\\101' + '\"'", "(((((((97+24930)+10)+39)+0)+65)+65)+34)" },
	{ "0x10 + 010 + 10 + 0 + 0xFFFFFFFFFFFFFFFFull", "((((16+8)+10)+0)+18446744073709551615)" },
	{ "\"a\\tb\\\\\\\"\\101\\x42\"", "\"a\tb\\\"AB\"" },
	{ "a /* x */ + // y\n b", "(a+b)" },
	{ "", NULL },
	{ "a b", NULL },
	{ "a +", NULL },
	{ "(a", NULL },
	{ "f(a", NULL },
	{ "a[]", NULL },
	{ "@a[]", NULL },
	{ "self", NULL },
	{ "self.x", NULL },
	{ "a ? b", NULL },
	{ "sizeof", NULL },
	{ "->x", NULL },
	{ "1.5", NULL },
	{ "\"a\" \"b\"", NULL },
};

static void test_expressions(void)
{
	for (size_t i = 0; i < ROWS(expressions); i++) {
		struct fixture f;

		fixture_init(&f, expressions[i].text, strlen(expressions[i].text));
		struct expr *e = parse_expr_text(&f.env, &f.src);

		EXPECT((e != NULL) == (diags_errors(f.env.diags) == 0));
		if (!expressions[i].want || !e) {
			EXPECT_STR(
				e ? expressions[i].text : "error", expressions[i].want ? expressions[i].text : "error");
		} else {
			char *got = unit_capture(print_full, e);

			EXPECT_STR(got, expressions[i].want);
			free(got);
			/* written back, it is the same expression again */
			const char *text = ast_expr_text(f.arena, e);

			f.src = (struct source){ .name = "again", .text = text, .len = strlen(text) };
			e = parse_expr_text(&f.env, &f.src);
			got = e ? unit_capture(print_full, e) : NULL;
			EXPECT_STR(got, expressions[i].want);
			free(got);
		}
		arena_free(f.arena);
	}
}

static void test_int_suffixes(void)
{
	static const struct {
		const char *text;
		uint32_t suffix;
		uint64_t value;
	} rows[] = {
		{ "5", 0, 5 },
		{ "5u", ISUF_U, 5 },
		{ "5UL", ISUF_U | ISUF_L, 5 },
		{ "5lu", ISUF_U | ISUF_L, 5 },
		{ "5ll", ISUF_LL, 5 },
		{ "5LLU", ISUF_U | ISUF_LL, 5 },
		{ "0x5L", ISUF_L | ISUF_NODEC, 5 },
		{ "017", ISUF_NODEC, 15 },
		{ "0", 0, 0 },
		{ "'a'", ISUF_CHAR, 'a' },
		{ "'abcdefgh'", ISUF_CHAR, 0x6162636465666768 },
		{ "18446744073709551615", 0, UINT64_MAX },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fixture f;

		fixture_init(&f, rows[i].text, strlen(rows[i].text));
		const struct expr *e = parse_expr_text(&f.env, &f.src);

		EXPECT(e && e->kind == EX_INT && e->ival == rows[i].value && e->isuffix == rows[i].suffix);
		arena_free(f.arena);
	}
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */
static const char *clause_text(struct fixture *f, const struct decl *d)
{
	const char *text = "";

	if (d->kind != DECL_CLAUSE)
		return arena_printf(f->arena, "decl %d", (int)d->kind);
	for (size_t i = 0; i < d->u.clause.probes.n; i++) {
		const struct pdesc *p = &d->u.clause.probes.v[i];

		text = p->id ? arena_printf(f->arena, "%s%s#%u", text, i ? "," : "", p->id)
			     : arena_printf(f->arena, "%s%s%s|%s|%s|%s", text, i ? "," : "", p->prov, p->mod, p->func,
				       p->name);
	}
	if (d->u.clause.pred)
		text = arena_printf(f->arena, "%s /%s/", text, ast_expr_text(f->arena, d->u.clause.pred));
	if (d->u.clause.has_body)
		text = arena_printf(f->arena, "%s {%zu}", text, d->u.clause.body.n);
	return text;
}

static const struct {
	const char *text, *want;
} programs[] = {
	{ "BEGIN", "|||BEGIN" },
	{ "BEGIN{}", "|||BEGIN {0}" },
	{ "f:n { x; y }", "||f|n {2}" },
	{ "m:f:n { ; x; ; }", "|m|f|n {1}" },
	{ "p:m:f:n,tcp:::send{}", "p|m|f|n,tcp|||send {0}" },
	{ "tcp::: {}", "tcp||| {0}" },
	{ ":::", "|||" },
	{ "42, 7", "#42,#7" },
	{ "fbt::tcp_*:entry,*:::[!a]?", "fbt||tcp_*|entry,*|||[!a]?" },
	{ "tick-1s,profile-997hz", "|||tick-1s,|||profile-997hz" },
	{ "syscall::read:entry/pid==1/{}", "syscall||read|entry /pid == 1/ {0}" },
	{ "BEGIN/ a / b == 2 /{}", "|||BEGIN /a / b == 2/ {0}" },
	{ "BEGIN /a/ /* c */ // d\n {}", "|||BEGIN /a/ {0}" },
	{ "BEGIN /a / b/\nEND {}", "|||BEGIN /a / b/;|||END {0}" },
	{ "BEGIN /a/ END /b/ {}", "|||BEGIN /a/;|||END /b/ {0}" },
	{ "x /a/ y:z /b/ {}", "|||x /a/;||y|z /b/ {0}" },
	{ "x /a/\ny /b/ {}", "|||x /a/;|||y /b/ {0}" },
	{ "x /a/ tick-1s {}", "|||x /a/;|||tick-1s {0}" },
	{ "BEGIN /a ? b / c : d/ {}", "|||BEGIN /a ? b / c : d/ {0}" },
	{ "BEGIN /x[1 / 2] / (3 / 4) / f(5 / 6)/ {}", "|||BEGIN /x[1 / 2] / (3 / 4) / f(5 / 6)/ {0}" },
	{ "BEGIN /\"/ {\" == x/ {}", "|||BEGIN /\"/ {\" == x/ {0}" },
	{ "BEGIN /(x = 5)/ {}", "|||BEGIN /(x = 5)/ {0}" },
	{ "BEGIN /x/;END", "|||BEGIN /x/;|||END" },
	{ "BEGIN /x/", "|||BEGIN /x/" },
	{ "BEGIN\nEND", "|||BEGIN;|||END" },
	{ "BEGIN { if (a) b; else if (c) { d; e } else f; g }", "|||BEGIN {2}" },
	{ "int x; BEGIN {}", "decl 2;|||BEGIN {0}" },
	{ "uint32_t x; uint32_t *y;", "decl 2;decl 2" },
	{ "entry {}", "|||entry {0}" },
	{ "entry\n/x/{}", "|||entry /x/ {0}" },
	{ "string:::entry {} this-1 {}", "string|||entry {0};|||this-1 {0}" },
	{ "typedef int foo; foo x; BEGIN { y = (foo)x; }", "decl 1;decl 2;|||BEGIN {1}" },
	{ "#!/usr/sbin/dtrace -s\n#pragma D option quiet\n# 1 \"x\"\n#line 5\n#pragma ident \"x\"\nBEGIN",
		"decl 5;|||BEGIN" },
	{ "provider x { probe a(int); probe b-c(char *, int y) : (int); }; BEGIN", "decl 7;|||BEGIN" },
	{ "translator struct a < struct b *P > { x = P->y; z = 1; }; inline int q = 5;", "decl 4;decl 3" },
	{ "\xef\xbb\xbf"
	  "BEGIN\r\n{\r\n}\r\n",
		"|||BEGIN {0}" },
	{ "", "" },
	{ " /* nothing */ ", "" },
};

static void test_programs(void)
{
	for (size_t i = 0; i < ROWS(programs); i++) {
		struct fixture f;
		const char *text = "";

		fixture_parse(&f, programs[i].text, strlen(programs[i].text));
		for (size_t k = 0; k < f.prog.decls.n; k++)
			text = arena_printf(f.arena, "%s%s%s", text, k ? ";" : "", clause_text(&f, f.prog.decls.v[k]));
		EXPECT_STR(text, programs[i].want);
		expect_clean(&f, programs[i].text);
		fixture_free(&f);
	}
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */
/* dump=ast of one declaration, first line */
static const struct {
	const char *text, *want;
} declarations[] = {
	{ "int last[int];", "var global int last[int]" },
	{ "string a[int, string];", "var global string a[int, string]" },
	{ "self int x;", "var self int x" },
	{ "this string s;", "var this string s" },
	{ "extern int f(int, char *, ...);", "var extern int f(int, char *)" },
	{ "int (*fp)(void);", "var global int (*fp)()" },
	{ "char *const *argv[4][2 + 1];", "var global char **argv[4][2 + 1]" },
	{ "int (*pa)[3];", "var global int (*pa)[3]" },
	{ "unsigned long long int x;", "var global unsigned long long int x" },
	{ "long unsigned x;", "var global unsigned long x" },
	{ "struct vmlinux`task_struct *t;", "var global struct vmlinux`task_struct *t" },
	{ "const volatile struct s * restrict p;", "var global struct s *p" },
	{ "typedef uint32_t u;", "typedef uint32_t u" },
	{ "typedef struct s { int a; } s_t;", "typedef struct s { ... } s_t" },
	{ "enum e { A, B = 2, };", "type enum e { ... }" },
	{ "inline int X = 5;", "inline int X" },
	{ "inline string tcp_state_string[int32_t state] = 1;", NULL }, /* int32_t is not known here */
	{ "inline string ss[uint32_t state] = state == 1 ? \"a\" : \"b\";", "inline string ss[uint32_t]" },
	{ "translator uint32_t < struct in *P > { a = P->b; };", "translator uint32_t < struct in *P >" },
	{ "#pragma D option  bufsize=4m \n", "pragma option bufsize=4m" },
	{ "#pragma D attributes Stable/Stable/Common provider tcp provider",
		"pragma attributes Stable/Stable/Common provider tcp provider" },
	{ "int;", NULL },
	{ "int int x;", NULL },
	{ "struct;", NULL },
	{ "static int x;", NULL },
	{ "int x = 5;", NULL },
	{ "long char x;", NULL },
	{ "unsigned string x;", NULL },
	{ "self this int x;", NULL },
	{ "inline int f[int] = 1;", NULL },
	{ "inline int x;", NULL },
	{ "int a`b;", NULL },
	{ "typedef;", NULL },
	{ "int x[;", NULL },
	{ "translator uint32_t < struct in * > { };", NULL },
};

static void print_program(void *ctx, FILE *out)
{
	ast_dump(&((struct fixture *)ctx)->prog, out);
}

static void test_declarations(void)
{
	for (size_t i = 0; i < ROWS(declarations); i++) {
		struct fixture f;

		fixture_parse(&f, declarations[i].text, strlen(declarations[i].text));
		if (!declarations[i].want) {
			EXPECT_STR(f.rc ? "error" : declarations[i].text, "error");
		} else {
			char *got = unit_capture(print_program, &f);

			got[strcspn(got, "\n")] = '\0';
			EXPECT_STR(got, declarations[i].want);
			expect_clean(&f, declarations[i].text);
			free(got);
		}
		fixture_free(&f);
	}
}

/* A struct's body is in its first declarator; later ones name it, or share the node when it has no tag. */
static void test_shared_base(void)
{
	static const char text[] = "struct s { int a; } x, *y; struct { int b; } z, *w;";
	struct fixture f;

	fixture_parse(&f, text, strlen(text));
	EXPECT_INT(f.prog.decls.n, 4);
	if (f.prog.decls.n == 4) {
		const struct tyx *x = f.prog.decls.v[0]->u.var.type, *y = f.prog.decls.v[1]->u.var.type->of;

		EXPECT(x->has_body && !y->has_body && !strcmp(y->name, "s"));
		EXPECT(f.prog.decls.v[2]->u.var.type == f.prog.decls.v[3]->u.var.type->of);
	}
	fixture_free(&f);
}

/* ---- errors: tag, line and column of each ------------------------------------------------------------------------ */
static const struct {
	const char *text, *want;
} errors[] = {
	{ "BEGIN { x = ; y = ; }", "D_SYNTAX 1:13 D_SYNTAX 1:19 " },
	{ "BEGIN { x = 1\n y = 2; }", "D_SYNTAX 1:14 " },
	{ "BEGIN { (x; }", "D_SYNTAX 1:11 " },
	{ "BEGIN /pid = 5/ { y = ; }", "D_SYNTAX 1:12 D_SYNTAX 1:23 " },
	{ "BEGIN /x == 1 { }", "D_SYNTAX 1:15 " },
	{ "BEGIN /(x/ { }", "D_SYNTAX 1:10 " },
	{ "BEGIN / / { }", "D_SYNTAX 1:7 " },
	{ "BEGIN { \"abc\n; x = ; }", "D_STR_NL 1:9 D_SYNTAX 2:7 " },
	{ "BEGIN { \"abc", "D_STR_NL 1:9 D_SYNTAX 1:7 " },
	{ "BEGIN { 'a\n; }", "D_CHR_NL 1:9 " },
	{ "BEGIN { ''; }", "D_CHR_NULL 1:9 " },
	{ "BEGIN { 'abcdefghi'; }", "D_CHR_OFLOW 1:9 " },
	{ "BEGIN { \"a\\", "D_SYNTAX 1:11 D_SYNTAX 1:7 " },
	{ "BEGIN { } /* x", "D_SYNTAX 1:11 " },
	{ "BEGIN { $1; $foo; $$2; $; }", "D_MACRO_UNDEF 1:9 D_MACRO_UNDEF 1:13 D_MACRO_UNDEF 1:19 D_SYNTAX 1:24 " },
	{ "BEGIN { 18446744073709551616; 08; 0x; 5z; }",
		"D_INT_OFLOW 1:9 D_INT_DIGIT 1:32 D_SYNTAX 1:35 D_SYNTAX 1:40 " },
	{ "a:b:c:d:e {}", "D_PDESC_INVAL 1:1 " },
	{ "0 {}", "D_PDESC_INVAL 1:1 " },
	{ "4294967296 {}", "D_PDESC_INVAL 1:1 " },
	{ "BEGIN { y = ;\nEND { x = ; }", "D_SYNTAX 1:13 D_SYNTAX 1:7 D_SYNTAX 2:11 " },
	{ "BEGIN { y = 1;\ntcp:::send { x = ; }", "D_SYNTAX 1:7 D_SYNTAX 2:18 " },
	{ "BEGIN { if (x) { y; }\n", "D_SYNTAX 1:7 " },
	{ "BEGIN { for (i = 0; i < 5; i++) { x; } y = ; }", "D_SYNTAX 1:9 D_SYNTAX 1:44 " },
	{ "BEGIN { int x; } foo_t y; x = 1; {} /x/ {} }",
		"D_SYNTAX 1:9 D_SYNTAX 1:18 D_SYNTAX 1:29 D_SYNTAX 1:34 D_SYNTAX 1:37 D_SYNTAX 1:44 " },
	{ "int x\nint y = 5;\n#include <a>\n#pragma D\n",
		"D_SYNTAX 1:6 D_SYNTAX 2:7 D_PRAGCTL_INVAL 3:1 D_PRAGMA_MALFORM 4:1 " },
	{ "self self int x; long long long y; signed unsigned z; int char w; int a`b;",
		"D_DECL_CLASS 1:6 D_DECL_COMBO 1:28 D_DECL_COMBO 1:43 D_DECL_COMBO 1:55 D_DECL_SCOPE 1:71 " },
	{ "struct { self int x; } y; static int z;", "D_DECL_BADCLASS 1:10 D_DECL_BADCLASS 1:27 " },
	{ "BEGIN { \001\002\377 x; y = ; }", "D_SYNTAX 1:9 D_SYNTAX 1:20 " },
	{ "\177ELF\002\001\001", "D_SYNTAX 1:1 " },
	{ "BEGIN,{ x = ; }", "D_SYNTAX 1:7 D_SYNTAX 1:13 " },
	{ "a\"\\", "D_SYNTAX 1:3 " },
};

static const char *error_list(struct fixture *f)
{
	const char *text = "";
	const struct diag *d;

	for (size_t i = 0; (d = diags_get(f->env.diags, i)); i++) {
		unsigned line, col;

		loc_position(d->loc, &line, &col);
		text = arena_printf(f->arena, "%s%s %u:%u ", text, dtag_name(d->tag), line, col);
	}
	return text;
}

static void test_errors(void)
{
	for (size_t i = 0; i < ROWS(errors); i++) {
		struct fixture f;

		fixture_parse(&f, errors[i].text, strlen(errors[i].text));
		EXPECT_STR(error_list(&f), errors[i].want);
		fixture_free(&f);
	}
}

static void test_zero_byte(void)
{
	struct fixture f;

	fixture_parse(&f, "BEGIN\0{}", 8);
	EXPECT_STR(error_list(&f), "D_SYNTAX 1:6 ");
	fixture_free(&f);
}

/* Every prefix of a program that uses all of the grammar ends in a report or a tree, and reads no byte too many. */
static void test_prefixes(void)
{
	static const char text[] =
		"#pragma D option quiet\ntypedef struct t { int a:3; union { char *b[4]; }; } t_t;\n"
		"translator t_t < struct in *P > { a = P->x ? 1 : 0; };\ninline string s[int k] = k == 1 ? \"a\\n\" : "
		"\"b\";\n"
		"self int x; string y[int, string]; enum e { A = 1, B };\n"
		"tcp:::send,pid$target::f:entry,tick-1s\n/(args[2]->x / 2) / 3 == 'ab' && \"x/\" != execname/\n"
		"{ @a[pid, stringof(y)] = quantize(sizeof (t_t *) + 0x1full); self->x = (t_t *)arg0 ? xlate "
		"<t_t>(arg1).a : -1;\n"
		"if (x) { y++; } else z -= offsetof(t_t, a), `w; }\n/* end */ 42 /x/";

	for (size_t n = 0; n < sizeof(text); n++) {
		struct fixture f;

		fixture_parse(&f, text, n);
		if (n == sizeof(text) - 1)
			expect_clean(&f, text);
		fixture_free(&f);
	}
}

/* ---- macros ------------------------------------------------------------------------------------------------------ */
static void test_macros(void)
{
	static const char *const argv[] = { "script", "-5", "foo", "10.0.0.1", "0x10", "tcp" };
	unsigned char used[6] = { 0 };
	static const char text[] = "$5:::send,tick-$4 { $1; $$1; $2; $$3; $4; $target; $$target; $0; $$9; $9 }";
	struct fixture f;

	fixture_init(&f, text, strlen(text));
	f.macros = (struct macros){ .argc = 6, .argv = argv, .used = used, .defaultargs = true, .number = number };
	EXPECT_INT(parse_source(&f.env, &f.src, &f.prog), 0);
	char *got = unit_capture(print_program, &f);

	EXPECT_STR(got,
		"clause 0\n  probe tcp:::send\n  probe :::tick-0x10\n  body\n    unary -\n      int 5\n    string "
		"\"-5\"\n"
		"    ident foo\n    string \"10.0.0.1\"\n    int 16 hex-or-octal\n    int 4711\n    string \"4711\"\n"
		"    ident script\n    string \"\"\n    int 0\n");
	free(got);
	for (size_t i = 0; i < 6; i++)
		EXPECT_INT(used[i], 1);
	arena_free(f.arena);
	/* an argument that is neither a number nor a name is a string; digits that go over into a name are nothing */
	static const char *const odd[] = { "script", "10.0.0.1", "12ab" };

	fixture_init(&f, "BEGIN { $1; $2 }", 16);
	f.macros = (struct macros){ .argc = 3, .argv = odd };
	EXPECT_INT(parse_source(&f.env, &f.src, &f.prog), -EINVAL);
	EXPECT_STR(error_list(&f), "D_SYNTAX 1:13 ");
	arena_free(f.arena);
}

static void test_pdesc(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "tcp:::send{}", "tcp|||send" },
		{ " tick-1s {}", "|||tick-1s" },
		{ "42{}", "#42" },
		{ "a b{}", NULL },
		{ "{}", NULL },
		{ "a,{}", NULL },
		{ "a:b:c:d:e{}", NULL },
		{ "{", NULL },
		{ "tcp:::send/x/{}", "tcp|||send" },
		{ "*{}", "|||*" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fixture f;
		const struct pdesc *p = NULL;

		fixture_init(&f, rows[i].text, strlen(rows[i].text));
		if (!parse_source(&f.env, &f.src, &f.prog) && f.prog.decls.n == 1)
			p = &f.prog.decls.v[0]->u.clause.probes.v[0];
		const char *got = !p ? "error"
			: p->id      ? arena_printf(f.arena, "#%u", p->id)
				     : arena_printf(f.arena, "%s|%s|%s|%s", p->prov, p->mod, p->func, p->name);

		EXPECT_STR(got, rows[i].want ? rows[i].want : "error");
		arena_free(f.arena);
	}
}

static void print_tokens(void *ctx, FILE *out)
{
	struct fixture *f = ctx;

	EXPECT_INT(tokens_dump(&f->env, &f->src, out), 0);
}

static void test_tokens(void)
{
	static const char text[] = "BEGIN,a:b\n/x/ {\n  @y = 1; \"s\" }";
	struct fixture f;

	fixture_init(&f, text, strlen(text));
	char *got = unit_capture(print_tokens, &f);

	EXPECT_STR(got,
		"1:1 probe BEGIN\n1:6 punctuator ,\n1:7 probe a:b\n2:1 punctuator /\n2:2 identifier x\n"
		"2:3 punctuator /\n2:5 punctuator {\n3:3 aggregation @y\n3:6 punctuator =\n3:8 integer 1\n"
		"3:9 punctuator ;\n3:11 string \"s\"\n3:15 punctuator }\n");
	free(got);
	arena_free(f.arena);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */
/* head, n times open, middle, n times close, tail */
static char *nested(
	const char *head, const char *open, const char *middle, const char *close, const char *tail, size_t n)
{
	char *text = malloc(strlen(head) + n * (strlen(open) + strlen(close)) + strlen(middle) + strlen(tail) + 1),
	     *p = text;

	if (!text)
		abort();
	p = stpcpy(p, head);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, open);
	p = stpcpy(p, middle);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, close);
	stpcpy(p, tail);
	return text;
}

static void test_nesting(void)
{
	static const struct {
		const char *head, *open, *middle, *close, *tail;
	} rows[] = {
		{ "BEGIN { x = ", "(", "1", ")", "; }" },
		{ "BEGIN { x = ", "- ", "1", "", "; }" },
		{ "BEGIN { x = ", "(int)", "1", "", "; }" },
		{ "BEGIN { ", "x = ", "1", "", "; }" },
		{ "BEGIN { ", "x[", "1", "]", "; }" },
		{ "BEGIN { ", "@[", "1", "]", "; }" },
		{ "BEGIN { ", "f(", "1", ")", "; }" },
		{ "BEGIN { x = 1", "+ 1", "", "", "; }" },
		{ "BEGIN { x", "->y", "", "", "; }" },
		{ "BEGIN { ", "1 ? 2 : ", "3", "", "; }" },
		{ "BEGIN { ", "1 ? ", "3", " : 4", "; }" },
		{ "BEGIN { ", "1, ", "3", "", "; }" },
		{ "BEGIN { ", "sizeof ", "3", "", "; }" },
		{ "BEGIN { ", "if (1) { ", "3", "}", " }" },
		{ "BEGIN { ", "if (1) ; else ", "3", "", "; }" },
		{ "BEGIN /", "(", "1", ")", "/ { }" },
		{ "int ", "*", "x", "", ";" },
		{ "int ", "(", "x", ")", ";" },
		{ "int x", "[1]", "", "", ";" },
		{ "int x", "(int ", "", ")", ";" },
		{ "struct ", "{ struct ", "s { int x; }", " a; }", " x;" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		static const size_t depths[] = { 1000, 5000, 100000 };

		for (size_t k = 0; k < ROWS(depths); k++) {
			char *text = nested(
				rows[i].head, rows[i].open, rows[i].middle, rows[i].close, rows[i].tail, depths[k]);
			struct fixture f;

			fixture_parse(&f, text, strlen(text));
			if (k == 0) {
				EXPECT_INT(f.rc, 0);
			} else {
				EXPECT_INT(diags_errors(f.env.diags), 1);
				EXPECT(diags_get(f.env.diags, 0) && diags_get(f.env.diags, 0)->tag == D_LIMIT);
			}
			fixture_free(&f);
			free(text);
		}
	}
}

static void test_large(void)
{
	struct fixture f;
	const size_t size = ((size_t)16 << 20) + 1;
	char *text = malloc(size);

	if (!text)
		abort();
	memset(text, ' ', size);
	fixture_parse(&f, text, size);
	EXPECT_STR(error_list(&f), "D_LIMIT 1:1 ");
	fixture_free(&f);
	free(text);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Ten thousand clauses, and texts that invite work that grows with the square of their size. */
static void test_speed(void)
{
	static const struct {
		const char *head, *open, *middle, *close, *tail;
		size_t n;
		int rc;
	} rows[] = {
		{ "",
			"tcp:::send,udp:::send\n/pid == 1 && x / 2 == 3/\n{ @a[args[2]->ip_saddr, 1] = count(); "
			"self->x = 1; }\n",
			"", "", "", 10000, 0 },
		{ "", "BEGIN /x/\n", "", "", "", 100000, 0 },
		{ "BEGIN {", "\"a\";", "", "", "}", 100000, 0 },
		{ "BEGIN /a ", "/ (b) ", "", "", "/ {}", 3000, 0 },
		{ "BEGIN {", "x = ;", "", "", "}", 100000, -EINVAL },
		{ "", "BEGIN { ", "", "", "", 20000, -EINVAL },
		{ "", "$", "", "", "", 1000000, -EINVAL },
		{ "", "/*", "", "", "", 1000000, -EINVAL },
		{ "BEGIN /", "x ' ", "", "", "", 300000, -EINVAL },
		{ "", "{", "", "", "", 1000000, -EINVAL },
		{ "", "a /", "", "", "", 100000, -EINVAL },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		char *text = nested(rows[i].head, rows[i].open, rows[i].middle, rows[i].close, rows[i].tail, rows[i].n);
		const double start = seconds();
		struct fixture f;

		fixture_parse(&f, text, strlen(text));
		const double took = seconds() - start;

		EXPECT_INT(f.rc, rows[i].rc);
		if (took >= 2.0)
			printf("row %zu took %.1f s\n", i, took);
		EXPECT(took < 2.0); /* a second without sanitizers is far more than it takes */
		fixture_free(&f);
		free(text);
	}
}

int main(void)
{
	test_expressions();
	test_int_suffixes();
	test_programs();
	test_declarations();
	test_shared_base();
	test_errors();
	test_zero_byte();
	test_prefixes();
	test_macros();
	test_pdesc();
	test_tokens();
	test_nesting();
	test_large();
	test_speed();
	return unit_end();
}
