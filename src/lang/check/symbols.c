/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols: the symbols of a compilation: built-in names and those that a script makes; the forms of strings.
 * Input: names and expressions. Output: symbols, nearest names for hints, forms.
 * Invariant: a name has one symbol in each scope (global, self, this, aggregations, functions). */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/diag/nearest.h"
#include "base/inet.h"
#include "image/image.h"
#include "lang/check/calls/calls.h"
#include "lang/check/check_priv.h"

#define STRSIZE_MAX 65536u

static const struct {
	const char *name;
	enum func_class class;
} funcs[] = {
#define X(n, c, ...) { #n, c },
	FUNCS(X)
#undef X
};

enum func_class func_class(enum func f)
{
	return funcs[f].class;
}

const char *func_name(enum func f)
{
	return funcs[f].name;
}

/* Reports an error and returns NULL, so that a checker of expressions can return it. */
struct type *err(struct checker *ck, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(ck->d, at, tag, hint, "%s", arena_vprintf(ck->arena, fmt, ap));
	va_end(ap);
	return NULL;
}

struct symbol *sym_new(struct checker *ck, enum sym_kind kind, const char *name, struct loc loc)
{
	struct symbol *s = ARENA_NEW(ck->arena, struct symbol);

	s->kind = kind;
	s->name = name;
	s->loc = loc;
	return s;
}

/* The type of a built-in variable, by the word that BUILTINS has for it. args has a type for each index instead:
 * NULL. */
static struct type *builtin_type(struct checker *ck, const char *word)
{
	struct types *ts = ck->ts;
	struct type *t;

	if (!strcmp(word, "string"))
		return ts->string;
	if (!strcmp(word, "thread")) {
		t = types_tagged(ts, T_STRUCT, "task_struct");
		return type_ptr(ts, t ? t : ts->void_);
	}
	if (!strcmp(word, "args"))
		return NULL;
	return !strcmp(word, "int32")     ? ts->int32
		: !strcmp(word, "uint32") ? ts->uint32
		: !strcmp(word, "uint64") ? ts->uint64
					  : ts->int64;
}

/* Adds D's variables and functions as symbols, so that scripts' names and these are looked up alike. */
static void add_builtins(struct checker *ck)
{
	static const struct {
		const char *name, *type;
	} vars[] = {
#define X(n, t) { #n, #t },
		BUILTINS(X)
#undef X
	};
	struct loc nowhere = { 0 };

	for (unsigned i = 0; i < BI_COUNT; i++) {
		struct symbol *s = sym_new(ck, SYM_BUILTIN, vars[i].name, nowhere);

		s->builtin = (enum builtin)i;
		s->type = builtin_type(ck, vars[i].type);
		strmap_put(ck->globals, s->name, s);
	}
	for (unsigned i = 0; i < FN_COUNT; i++) {
		struct symbol *s = sym_new(ck, SYM_FUNC, funcs[i].name, nowhere);

		s->func = (enum func)i;
		strmap_put(ck->funcs, s->name, s);
	}
}

/* strsize: bytes of a string with its NUL, 1 to STRSIZE_MAX. Everything lives in the arena, which the caller owns. */
struct checker *checker_new(struct arena *a, struct diags *d, struct types *ts, uint32_t strsize)
{
	struct checker *ck = ARENA_NEW(a, struct checker);

	ck->arena = a;
	ck->d = d;
	ck->ts = ts;
	ck->strsize = !strsize ? 1 : strsize > STRSIZE_MAX ? STRSIZE_MAX : strsize;
	ts->string->size = (ck->strsize + 7) / 8 * 8; /* as a member */
	checker_frames(ck, 0, 0, 0, 0);
	ck->hidden = strmap_new(a);
	ck->forgone = strmap_new(a);
	ck->globals = strmap_new(a);
	ck->shadowed = strmap_new(a);
	ck->selfs = strmap_new(a);
	ck->assoc_types = strmap_new(a);
	ck->thiss = strmap_new(a);
	ck->pkts = strmap_new(a);
	ck->aggs = strmap_new(a);
	ck->funcs = strmap_new(a);
	ck->sig_types = strmap_new(a);
	ck->members = strmap_new(a);
	add_builtins(ck);
	return ck;
}

/* Borrows ctx until the checker's last use. */
void checker_use(struct checker *ck, void (*use)(void *ctx, const char *text), void *ctx)
{
	ck->use = use;
	ck->use_ctx = ctx;
}

/* Asks for declarations of the library that the text names. NULL: all of them. */
void check_use(struct checker *ck, const char *text)
{
	if (ck->use)
		ck->use(ck->use_ctx, text);
}

/* most: the upper limit for all three, at most FRAMES_MAX. */
void checker_frames(struct checker *ck, uint32_t stack, uint32_t ustack, uint32_t jstack, uint32_t most)
{
	ck->stackframes = stack ? stack : 20;
	ck->ustackframes = ustack ? ustack : 100;
	ck->jstackframes = jstack ? jstack : 50;
	ck->maxframes = most && most < FRAMES_MAX ? most : FRAMES_MAX;
}

/* The name is not found by sym_find() and not offered in hints. */
void checker_hide(struct checker *ck, const char *name)
{
	strmap_put(ck->hidden, name, ck);
}

void checker_ustackcopy(struct checker *ck, uint32_t bytes)
{
	ck->ustackcopy = bytes;
}

bool checker_exits(const struct checker *ck)
{
	return ck->exits;
}

struct types *checker_types(struct checker *ck)
{
	return ck->ts;
}

size_t checker_aggs(struct checker *ck, struct symbol ***aggs)
{
	*aggs = ck->agg_list.v;
	return ck->agg_list.n;
}

/* The map of a scope's variables. */
struct strmap *sym_scope(struct checker *ck, enum var_scope scope)
{
	struct strmap *const maps[] = {
		[SCOPE_GLOBAL] = ck->globals, [SCOPE_SELF] = ck->selfs, [SCOPE_THIS] = ck->thiss, [SCOPE_PKT] = ck->pkts
	};

	return maps[scope];
}

/* A parameter of the inline that is being checked hides a global. Within the library a name has its original
 * meaning, even if the script defined it again. */
struct symbol *sym_find(struct checker *ck, const char *name, enum var_scope scope)
{
	if (scope == SCOPE_GLOBAL)
		for (size_t i = 0; i < ck->nparams; i++)
			if (!strcmp(ck->params[i]->name, name))
				return ck->params[i];
	if (scope == SCOPE_GLOBAL && strmap_get(ck->hidden, name))
		return NULL;
	if (scope == SCOPE_GLOBAL && ck->library && strmap_get(ck->shadowed, name))
		return strmap_get(ck->shadowed, name);
	return strmap_get(sym_scope(ck, scope), name);
}

/* Finds the name in any scope, for pragmas. */
const struct symbol *checker_find(struct checker *ck, const char *name)
{
	const char *bare = *name == '@' ? name + 1 : name;
	struct strmap *const maps[] = { ck->globals, ck->selfs, ck->thiss, ck->pkts, ck->aggs, ck->funcs };

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		const struct symbol *s = strmap_get(maps[i], maps[i] == ck->aggs ? bare : name);

		if (s)
			return s;
	}
	return NULL;
}

struct name_list {
	VEC(const char *) names;
	struct arena *a;
	struct strmap *hidden; /* not these */
};

/* For strmap_each(): adds names that a script may use. */
static void collect(void *ctx, const char *key, void *value)
{
	struct name_list *l = ctx;

	(void)value;
	if (strncmp(key, "__", 2) != 0 && !strmap_get(l->hidden, key))
		*vec_push(l->a, &l->names) = key;
}

/* Is it written as a constant (SYN)? Only then the end of a longer name is a good hint (TH_SYN). */
static bool is_constant(const char *name)
{
	for (; *name; name++)
		if (!isupper((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* "did you mean x?", or NULL. */
const char *sym_nearest(struct checker *ck, const char *name, enum var_scope scope)
{
	struct name_list l = { .a = ck->arena, .hidden = ck->hidden };
	const char *near;

	check_use(ck, NULL); /* an error is coming: every name counts */
	strmap_each(sym_scope(ck, scope), collect, &l);
	*vec_push(l.a, &l.names) = NULL;
	near = scope == SCOPE_GLOBAL ? elsewhere_var(name) : NULL;
	if (!near && is_constant(name))
		near = longer_name(name, l.names.v);
	if (!near)
		near = nearest_name(name, l.names.v);
	return near ? arena_printf(ck->arena, "did you mean %s%s?",
			      scope == SCOPE_SELF           ? "self->"
				      : scope == SCOPE_THIS ? "this->"
				      : scope == SCOPE_PKT  ? "pkt->"
							    : "",
			      near)
		    : NULL;
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */
/* The smallest form that can hold both: forms are sets of flags, with the larger size. */
int form_join(int a, int b)
{
	int size = (a >> FORM_SHIFT) > (b >> FORM_SHIFT) ? a >> FORM_SHIFT : b >> FORM_SHIFT;

	return ((a | b) & FORM_FLAGS) | size << FORM_SHIFT;
}

/* How values of a form are kept: as a literal's number, as an address or zone, as some words of characters, or as
 * text. */
enum str_rep form_rep(int form)
{
	int flags = form & FORM_FLAGS;

	if ((flags & FORM_TEXT) || ((flags & FORM_CHARS) && form_chars(form) > CHARS_SHORT))
		return REP_TEXT;
	if (flags & FORM_CHARS)
		return REP_CHARS;
	return flags & (FORM_ADDR | FORM_ZONE | FORM_BOX) ? REP_TSTR : REP_LIT;
}

/* Bytes of the longest text of the form, with its NUL. 48 are enough for any address. */
uint32_t form_chars(int form)
{
	uint32_t n = (uint32_t)form >> FORM_SHIFT;

	if ((form & FORM_ADDR) && n < 48)
		n = 48;
	return n ? n : 1;
}

/* Bytes in memory, a multiple of 8. */
uint32_t form_size(int form)
{
	switch (form_rep(form)) {
	case REP_LIT:
		return 8;
	case REP_TSTR:
		return sizeof(struct dw_tstr);
	case REP_CHARS:
	case REP_TEXT:
		return (form_chars(form) + 7) & ~7u;
	}
	return 8;
}

void checker_pcapsize(struct checker *ck, uint64_t bytes)
{
	ck->pcapsize = bytes && bytes < CAPTURE_MAX ? (uint32_t)bytes : CAPTURE_MAX;
}

uint32_t checker_strsize(const struct checker *ck)
{
	return ck->strsize;
}

int form_of_text(const struct checker *ck, uint32_t size)
{
	return FORM_TEXT | (int)(size < ck->strsize ? size : ck->strsize) << FORM_SHIFT;
}

/* A short array is loaded as words; a longer one, or what strsize cuts, is copied as text. */
int form_of_array(const struct checker *ck, uint32_t nelems)
{
	if (nelems <= CHARS_SHORT && nelems <= ck->strsize)
		return FORM_CHARS | (int)nelems << FORM_SHIFT;
	return form_of_text(ck, nelems < UINT16_MAX ? nelems + 1 : UINT16_MAX);
}

/* execname has the kernel's TASK_COMM_LEN, 16 bytes. */
static int builtin_form(const struct checker *ck, enum builtin b)
{
	if (b == BI_execname)
		return form_of_array(ck, 16);
	return b == BI_zonename ? FORM_ZONE : FORM_LIT | 128 << FORM_SHIFT;
}

/* The form of a variable's string; that of an inline is the form of its value. */
static int symbol_form(struct checker *ck, const struct symbol *s)
{
	if (!s)
		return 0;
	if (s->kind == SYM_BUILTIN)
		return builtin_form(ck, s->builtin);
	if (s->type && s->type->kind == T_ARRAY)
		return form_of_array(ck, s->type->nelems);
	return s->kind == SYM_INLINE ? expr_form(ck, s->inl->value) : s->form;
}

/* The form of a member that is a string or an array of characters. */
static int member_form(struct checker *ck, const struct expr *e)
{
	if (e->extra) { /* translated: the translator's expression */
		const struct xl_member *m = e->extra;
		return expr_form(ck, m->init->value);
	}
	if (e->type && e->type->kind == T_STRING && e->member)
		return e->member->form;
	return e->type && e->type->kind == T_ARRAY ? form_of_array(ck, e->type->nelems) : 0;
}

/* Where the form of a variable or member is kept, NULL for other expressions. settle.c lets it grow. */
int *form_kept(struct expr *e)
{
	while (e->kind == EX_INDEX && !e->sym && e->a->type && e->a->type->kind == T_ARRAY)
		e = e->a;
	if ((e->kind == EX_IDENT || e->kind == EX_INDEX) && e->sym)
		return e->sym->kind == SYM_VAR || e->sym->kind == SYM_ASSOC ? &e->sym->form : NULL;
	return e->kind == EX_MEMBER && !e->extra && e->member ? &e->member->form : NULL;
}

static int call_form(struct checker *ck, const struct expr *e)
{
	if (subr_needs_text(e))
		return subr_form(ck, e);
	switch (e->sym ? (int)e->sym->func : -1) {
	case FN_d_path:
	case FN___path:
		return form_of_text(ck, ck->strsize);
	case FN___dnsname:
		return form_of_text(ck, 256);
	case FN___psargs:
		return form_of_text(ck, (uint32_t)e->args.v[1]->ival);
	case FN___container:
		return FORM_BOX;
	case FN___zone:
	case FN___loadavg:
	case FN___moved:
	case FN___linkspeed:
		return FORM_ZONE;
	default:
		return FORM_ADDR;
	}
}

/* x[i]: an associative array's value, an argument of the probe, an element of an array or of what a pointer points
 * to. */
static int element_form(struct checker *ck, const struct expr *e)
{
	const int *kept;

	if (e->sym)
		return symbol_form(ck, e->sym);
	if (!e->type || e->type->kind != T_STRING)
		return e->type && e->type->kind == T_ARRAY ? form_of_array(ck, e->type->nelems) : 0;
	if (e->a->kind == EX_IDENT && !strcmp(e->a->name, "args")) /* the probe's: a subroutine's text */
		return form_of_text(ck, ck->strsize) | FORM_NULL;
	if (e->a->type && e->a->type->kind == T_PTR)
		return form_of_text(ck, e->type->size);
	kept = form_kept((struct expr *)(uintptr_t)e);
	return kept ? *kept : 0;
}

/* The form of a string expression: which kinds of text its value may be, and how long. 0 for other expressions. */
int expr_form(struct checker *ck, const struct expr *e)
{
	uint8_t bytes[16];

	switch (e->kind) {
	case EX_STR: /* an address as it would be printed is kept as an address, so that it equals traced ones */
		return (inet_canonical(e->str, bytes) ? FORM_ADDR : FORM_LIT) |
			(int)(e->slen < ck->strsize ? e->slen + 1 : ck->strsize) << FORM_SHIFT;
	case EX_COND:
		return form_join(expr_form(ck, e->b), expr_form(ck, e->c));
	case EX_COMMA:
		return expr_form(ck, e->b);
	case EX_CAST:
	case EX_STRINGOF:
		if (!e->type || !type_is_string(e->type))
			return 0;
		return e->a->type && type_is_string(e->a->type) ? expr_form(ck, e->a) : form_of_text(ck, ck->strsize);
	case EX_ASSIGN:
		return form_join(expr_form(ck, e->a), expr_form(ck, e->b));
	case EX_IDENT:
		return symbol_form(ck, e->sym);
	case EX_INDEX:
		return element_form(ck, e);
	case EX_MEMBER:
		return member_form(ck, e);
	case EX_CALL:
		return call_form(ck, e);
	case EX_SCOPED:
	case EX_UNARY: /* an array of characters in the kernel, or what a string * points to */
		if (e->type && e->type->kind == T_STRING)
			return form_of_text(ck, e->type->size);
		return e->type && e->type->kind == T_ARRAY ? form_of_array(ck, e->type->nelems) : 0;
	case EX_INT:
	case EX_AGG:
	case EX_BINARY:
	case EX_SIZEOF:
	case EX_OFFSETOF:
	case EX_XLATE:
		return 0;
	}
	return 0;
}
