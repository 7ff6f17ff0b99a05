/* check_expr: types of expressions. Each function gives the type, or NULL when an error was reported (then callers
 * stay silent). */
#include <errno.h>
#include <string.h>

#include "lang/check_priv.h"

static const char *tname(struct checker *ck, const struct type *t)
{
	return type_name(ck->ts, t);
}

bool is_xlated(const struct expr *e)
{
	return e->xl != NULL;
}

/* ---- args[] ------------------------------------------------------------------------------------------------------ */
/* Of the text of an argument's type: "struct x *", "unsigned long", a typedef's name. What is not known is a number. */
static struct type *sig_base(struct checker *ck, const char *word)
{
	static const struct {
		const char *name;
		uint32_t size;
		bool is_signed;
	} ints[] = {
		{ "int", 4, true },
		{ "unsigned int", 4, false },
		{ "long", 8, true },
		{ "unsigned long", 8, false },
		{ "short", 2, true },
		{ "unsigned short", 2, false },
		{ "unsigned char", 1, false },
	};
	struct types *ts = ck->ts;

	for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		if (!strcmp(word, ints[i].name))
			return type_int(ts, ints[i].size, ints[i].is_signed);
	if (!strncmp(word, "struct ", 7))
		return types_tagged(ts, T_STRUCT, word + 7);
	if (!strncmp(word, "union ", 6))
		return types_tagged(ts, T_UNION, word + 6);
	if (!strncmp(word, "enum ", 5))
		return types_tagged(ts, T_ENUM, word + 5);
	return !strcmp(word, "void")      ? ts->void_
		: !strcmp(word, "char")   ? ts->char_
		: !strcmp(word, "bool")   ? ts->bool_
		: !strcmp(word, "string") ? ts->string
					  : types_typedef(ts, word);
}

static struct type *sig_type(struct checker *ck, const char *text)
{
	struct type *t = strmap_get(ck->sig_types, text);
	size_t n = strcspn(text, "*");

	if (t)
		return t;
	check_use(ck, text);
	while (n && text[n - 1] == ' ')
		n--;
	t = sig_base(ck, arena_strndup(ck->arena, text, n));
	if (!t)
		t = ck->ts->int64;
	for (const char *s = strchr(text, '*'); s && *s; s++)
		t = type_ptr(ck->ts, t);
	strmap_put(ck->sig_types, text, t);
	return t;
}

static unsigned sig_nargs(const struct probe_sig *s)
{
	unsigned n = 0;

	while (s->args && s->args[n])
		n++;
	return n;
}

static bool is_translated(struct checker *ck, const char *raw, const char *text)
{
	struct type *t = strchr(text, '*') ? sig_type(ck, text) : NULL;

	return t && t->kind == T_PTR && (t->of->kind == T_STRUCT || t->of->kind == T_UNION) &&
		check_xlator(ck, raw, t->of) != NULL;
}

struct type *sig_arg_type(struct checker *ck, struct expr *at, unsigned i, bool *xlated)
{
	const char *text = NULL;

	for (size_t p = 0; p < ck->nsigs; p++) {
		const struct probe_sig *s = ck->sigs[p];
		unsigned n = sig_nargs(s);

		if (i >= n)
			return err(ck, at->loc, D_ARGS_IDX, n ? NULL : "this probe has no typed arguments",
				"args[%u]: %s:::%s has %u argument%s", i, s->prov, s->name, n, n == 1 ? "" : "s");
		if (text && strcmp(text, s->args[i]))
			return err(ck, at->loc, D_ARGS_MULTI, "use one clause for each kind of probe",
				"args[%u] has not one type in all probes of this clause: %s and %s", i, text,
				s->args[i]);
		text = s->args[i];
		*xlated = s->raw && is_translated(ck, s->raw, text);
	}
	if (!text)
		return err(ck, at->loc, D_ARGS_NONE, NULL, "args[] has no meaning here");
	return sig_type(ck, text);
}

static bool is_sou(const struct type *t)
{
	return t->kind == T_STRUCT || t->kind == T_UNION;
}

static struct type *check_args(struct checker *ck, struct expr *e)
{
	int64_t i;
	bool xlated = false;
	struct type *t;

	if (e->args.n != 1 || !check_expr(ck, e->args.v[0]))
		return e->args.n == 1 ? NULL : err(ck, e->loc, D_ARGS_TYPE, NULL, "args[] takes one index");
	if (!const_eval(ck->ts, ck->d, e->args.v[0], &i))
		return err(ck, e->args.v[0]->loc, D_ARGS_TYPE, NULL, "the index of args[] must be an integer constant");
	if (i < 0 || i > 63)
		return err(ck, e->args.v[0]->loc, D_ARGS_IDX, NULL, "there is no args[%lld]", (long long)i);
	t = sig_arg_type(ck, e, (unsigned)i, &xlated);
	if (!t)
		return NULL;
	e->ival = (uint64_t)i;
	if (xlated) {
		e->xl = ARENA_NEW(ck->arena, struct xlate_use);
		e->xl->out = t->of;
		e->xl->argno = (unsigned)i;
	}
	return t;
}

/* A translated structure, or a pointer to one, is not a value: only its members are. */
bool check_is_value(struct checker *ck, const struct expr *e)
{
	if (is_xlated(e))
		err(ck, e->loc, D_OP_DYN, "name one of its members", "%s is made by a translator: it is not one value",
			ast_expr_text(ck->arena, e));
	return !is_xlated(e);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
void check_inline(struct checker *ck, struct symbol *s)
{
	struct symbol **params = ck->params;
	size_t n = ck->nparams;
	bool library = ck->library;

	if (s->ready)
		return;
	s->ready = true; /* before: an inline that names itself ends here */
	ck->params = s->params;
	ck->nparams = s->nkeys;
	ck->library = s->loc.src && s->loc.src->library;
	if (check_expr(ck, s->inl->value) && !type_fits(ck, s->type, s->inl->value->type)) {
		err(ck, s->inl->loc, D_OP_INCOMPAT, NULL, "%s is %s: it cannot take %s", s->name, tname(ck, s->type),
			tname(ck, s->inl->value->type));
		s->inl->value->type = NULL;
	}
	ck->params = params;
	ck->nparams = n;
	ck->library = library;
}

/* The type of an inline without parameters: its value is checked when it is first named. An integer constant takes the
 * name's place, so that it can stand where D wants constants. */
static struct type *inline_type(struct checker *ck, struct expr *e, struct symbol *s)
{
	int64_t v;

	check_inline(ck, s);
	if (!s->inl->value->type)
		return NULL;
	e->xl = s->inl->value->xl;
	if (type_is_int(s->type) && const_eval(ck->ts, ck->d, s->inl->value, &v)) {
		e->kind = EX_INT;
		e->ival = (uint64_t)types_wrap(s->type, v);
		e->isuffix = 0;
	}
	return s->type;
}

static struct type *check_ident(struct checker *ck, struct expr *e)
{
	struct symbol *s = sym_find(ck, e->name, e->scope);
	int64_t v;

	if (!s && e->scope == SCOPE_GLOBAL) {
		const int64_t *en = strmap_get(ck->ts->enumerators, e->name);

		if (en || (ck->ts->kernel && ck->ts->kernel->enumerator(ck->ts->kernel->ctx, e->name, &v))) {
			s = sym_new(ck, SYM_CONST, e->name, e->loc);
			s->type = ck->ts->int32;
			s->value = en ? *en : v;
			if (s->value != (int32_t)s->value)
				s->type = ck->ts->int64;
			strmap_put(ck->globals, e->name, s);
		}
	}
	if (!s && e->scope == SCOPE_GLOBAL && strmap_get(ck->funcs, e->name) && strncmp(e->name, "__", 2))
		return err(ck, e->loc, D_IDENT_BADREF, NULL, "%s is a function", e->name);
	if (!s)
		return err(ck, e->loc, e->scope == SCOPE_GLOBAL ? D_IDENT_UNDEF : D_VAR_UNDEF,
			sym_nearest(ck, e->name, e->scope),
			"there is no variable %s%s: it is read before anything is assigned to it",
			e->scope == SCOPE_SELF           ? "self->"
				: e->scope == SCOPE_THIS ? "this->"
							 : "",
			e->name);
	e->sym = s;
	if (s->kind == SYM_ASSOC)
		return err(ck, e->loc, D_ARR_BADREF, "give it a key in [ ]", "%s is an associative array", e->name);
	if (s->kind == SYM_BUILTIN && s->builtin == BI_args)
		return err(ck, e->loc, D_ARGS_TYPE, "args[0], args[1], ...", "args needs an index");
	if (s->kind == SYM_INLINE) {
		if (s->nkeys)
			return err(ck, e->loc, D_ARR_BADREF, NULL, "%s needs an index in [ ]", e->name);
		return inline_type(ck, e, s);
	}
	if (s->kind == SYM_BUILTIN && s->builtin >= BI_arg0 && s->builtin <= BI_arg9)
		e->ival = (uint64_t)(s->builtin - BI_arg0);
	return s->xl ? check_kept_xlate(ck, e, s) : s->type;
}

static bool check_keys(struct checker *ck, struct expr *e, struct symbol *s)
{
	bool call = strncmp(s->name, "__fn_", 5) == 0; /* a subroutine of dlib */
	const char *name = s->name + (call ? 5 : 0), *word = call ? "argument" : "key";

	if (e->args.n != s->nkeys) {
		err(ck, e->loc, D_PROTO_LEN, NULL, "%s takes %zu %s%s, not %zu", name, s->nkeys, word,
			s->nkeys == 1 ? "" : "s", e->args.n);
		return false;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		struct type *t = e->args.v[i]->type;

		if (!t || !check_is_value(ck, e->args.v[i]))
			return false;
		if (!type_fits(ck, s->keys[i], t)) {
			err(ck, e->args.v[i]->loc, D_PROTO_ARG, NULL, "%s %zu of %s is %s, not %s", word, i + 1, name,
				tname(ck, s->keys[i]), tname(ck, t));
			return false;
		}
	}
	return true;
}

static struct type *check_element(struct checker *ck, struct expr *e, struct type *t)
{
	int64_t i;

	if (e->args.n != 1 || !type_is_int(e->args.v[0]->type))
		return err(ck, e->loc, D_ARR_BADREF, NULL, "an array takes one integer as its index");
	type_complete(ck->ts, t->of);
	if (t->of->kind == T_VOID || t->of->kind == T_FUNC)
		return err(ck, e->loc, D_DEREF_VOID, NULL, "%s has no elements", tname(ck, t));
	if (t->kind == T_ARRAY && check_in_variable(e->a) && const_eval(ck->ts, ck->d, e->args.v[0], &i) &&
		(i < 0 || i >= t->nelems))
		return err(ck, e->args.v[0]->loc, D_ARR_BADREF, NULL, "%s has %u elements: there is none at %lld",
			ast_expr_text(ck->arena, e->a), t->nelems, (long long)i);
	return t->of;
}

/* uregs[], regs[]: as many as the machine has, dlib says. */
static bool check_register(struct checker *ck, const struct expr *e, const struct symbol *s)
{
	bool is_regs = (!strcmp(s->name, "uregs") || !strcmp(s->name, "regs")) && s->loc.src->library;
	struct symbol *regs;
	int64_t i, n;

	check_use(ck, "__nregs");
	regs = is_regs ? strmap_get(ck->globals, "__nregs") : NULL;
	if (!regs || regs->kind != SYM_INLINE || !const_eval(ck->ts, ck->d, e->args.v[0], &i) ||
		!const_eval(ck->ts, ck->d, regs->inl->value, &n) || (i >= 0 && i < n))
		return true;
	err(ck, e->args.v[0]->loc, D_REGS_IDX, "R_PC, R_SP, ...", "there is no register %lld", (long long)i);
	return false;
}

/* a[1]["x"] of an array of associative arrays is a[1, "x"]. */
static void join_keys(struct checker *ck, struct expr *e)
{
	const struct expr *id;
	const struct symbol *s;
	expr_list all = { 0 };

	if (e->a->kind == EX_INDEX && e->a->a->kind == EX_INDEX)
		join_keys(ck, e->a);
	id = e->a->kind == EX_INDEX ? e->a->a : NULL;
	s = id && id->kind == EX_IDENT ? sym_find(ck, id->name, id->scope) : NULL;
	if (!s || s->kind != SYM_ASSOC || e->a->args.n + e->args.n > s->nkeys)
		return;
	for (size_t i = 0; i < e->a->args.n; i++)
		*vec_push(ck->arena, &all) = e->a->args.v[i];
	for (size_t i = 0; i < e->args.n; i++)
		*vec_push(ck->arena, &all) = e->args.v[i];
	e->a = e->a->a;
	memcpy(&e->args, &all, sizeof(all));
}

static struct type *check_index(struct checker *ck, struct expr *e)
{
	struct symbol *s;
	struct type *t;
	bool ok = true;

	if (e->a->kind == EX_INDEX)
		join_keys(ck, e);

	if (e->a->kind == EX_IDENT || (e->a->kind == EX_SCOPED && check_dlib_symbol(ck, e->a))) {
		s = sym_find(ck, e->a->name, e->a->scope);
		if (s && s->kind == SYM_BUILTIN && s->builtin == BI_args)
			return check_args(ck, e);
	} else {
		s = NULL;
	}
	for (size_t i = 0; i < e->args.n; i++)
		ok &= check_expr(ck, e->args.v[i]) != NULL;
	if (s && (s->kind == SYM_ASSOC || (s->kind == SYM_INLINE && s->nkeys))) {
		e->sym = e->a->sym = s;
		if (s->kind == SYM_INLINE)
			check_inline(ck, s);
		if (!ok || !check_keys(ck, e, s) || (s->kind == SYM_INLINE && !s->inl->value->type) ||
			!check_register(ck, e, s))
			return NULL;
		e->xl = s->kind == SYM_INLINE ? s->inl->value->xl : NULL;
		return s->xl ? check_kept_xlate(ck, e, s) : s->type;
	}
	t = check_expr(ck, e->a);
	if (!t || !ok)
		return NULL;
	if (t->kind != T_PTR && t->kind != T_ARRAY)
		return err(ck, e->loc, D_ARR_BADREF, NULL, "%s is neither an array nor a pointer",
			ast_expr_text(ck->arena, e->a));
	return check_element(ck, e, t);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */
static struct type *no_member(struct checker *ck, struct expr *e, struct type *st)
{
	const char *near = type_nearest_member(ck->ts, st, e->name);

	return err(ck, e->loc, D_TYPE_MEMBER, near ? arena_printf(ck->arena, "did you mean %s?", near) : NULL,
		"%s has no member %s", tname(ck, st), e->name);
}

/* e is a member of a translated st: finds and checks the expression that makes it. */
static bool check_translated(struct checker *ck, struct expr *e, struct type *st)
{
	const struct xlator *xl = e->a->xl->xl;

	for (size_t i = 0; i < ck->nsigs && !xl; i++)
		if (ck->sigs[i]->raw)
			xl = check_xlator(ck, ck->sigs[i]->raw, st);
	if (!xl)
		return err(ck, e->loc, D_XLATE_NONE, NULL, "no translator makes %s here", tname(ck, st)), false;
	e->extra = NULL;
	for (size_t i = 0; i < xl->ninits; i++)
		if (!strcmp(xl->inits[i].name, e->name)) {
			struct xl_member *xm = ARENA_NEW(ck->arena, struct xl_member);

			xm->xl = (struct xlator *)(uintptr_t)xl;
			xm->init = &xl->inits[i];
			e->extra = xm;
		}
	if (!e->extra && e->a->xl->in)
		return err(ck, e->loc, D_XLATE_NOCONV, NULL, "the translator of %s does not say what %s is",
			       tname(ck, st), e->name),
		       false;
	if (!check_xl_member(ck, xl, e->name))
		return err(ck, e->loc, D_XLATE_MEMB, NULL, "%s.%s cannot be had from this kernel", tname(ck, st),
			       e->name),
		       false;
	return true;
}

static struct type *check_member(struct checker *ck, struct expr *e)
{
	struct type *t = check_expr(ck, e->a), *st;
	struct type_member *m;
	uint32_t off = 0;

	if (!t)
		return NULL;
	if (e->arrow && t->kind != T_PTR)
		return err(
			ck, e->loc, D_OP_PTR, is_sou(t) ? "use ." : NULL, "-> needs a pointer, not %s", tname(ck, t));
	if (!e->arrow && !is_sou(t))
		return err(ck, e->loc, D_OP_SOU, t->kind == T_PTR ? "use ->" : NULL, ". needs a structure, not %s",
			tname(ck, t));
	st = e->arrow ? t->of : t;
	type_complete(ck->ts, st);
	if (!is_sou(st))
		return err(
			ck, e->loc, D_OP_SOU, NULL, "%s does not point to a structure", ast_expr_text(ck->arena, e->a));
	if (!st->complete)
		return err(ck, e->loc, D_OP_INCOMPLETE, NULL, "%s is not known here", tname(ck, st));
	m = type_find_member(ck->ts, st, e->name, &off);
	if (!m)
		return no_member(ck, e, st);
	e->ival = off;
	e->isuffix = m->bits;
	e->member = m;
	type_complete(ck->ts, m->type);
	if (is_xlated(e->a) && !check_translated(ck, e, st))
		return NULL;
	if (m->bits && m->bits < 32 && m->type->size == 4) /* C: its values fit an int */
		return ck->ts->int32;
	if (e->extra) /* a structure that is translated in its turn */
		e->xl = ((const struct xl_member *)e->extra)->init->value->xl;
	return m->type;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */
static struct type *bad_operands(struct checker *ck, struct expr *e, struct type *a, struct type *b, enum dtag tag)
{
	const char *hint = NULL;

	if (type_is_string(a) || type_is_string(b))
		hint = "strings take the comparisons only: == != < <= > >=";
	return err(ck, e->loc, tag, hint, "%s cannot take %s and %s", expr_op_text(e->op), tname(ck, a), tname(ck, b));
}

static bool is_char_pointer(const struct type *t)
{
	return t->kind == T_PTR && t->of->kind == T_INT && t->of->size == 1;
}

bool check_text_of(struct checker *ck, struct expr **e)
{
	struct expr *s;

	if (!(*e)->type || !is_char_pointer((*e)->type) || is_xlated(*e))
		return false;
	s = ARENA_NEW(ck->arena, struct expr);
	s->kind = EX_STRINGOF;
	s->loc = (*e)->loc;
	s->depth = (*e)->depth;
	s->type = ck->ts->string;
	s->a = *e;
	*e = s;
	return true;
}

static struct type *check_compare(struct checker *ck, struct expr *e, struct type *a, struct type *b)
{
	if (type_is_string(a) && type_is_string(b))
		return ck->ts->int32;
	if (type_is_string(a) != type_is_string(b)) {
		struct type *o = type_is_string(a) ? b : a;

		if (expr_is_null(ck->ts, type_is_string(a) ? e->b : e->a))
			return ck->ts->int32;
		if (check_text_of(ck, type_is_string(a) ? &e->b : &e->a))
			return ck->ts->int32;
		return err(ck, e->loc, D_OP_INCOMPAT,
			(e->a->kind == EX_INT || e->b->kind == EX_INT) ? "quote the address: \"10.0.0.5\"" : NULL,
			"cannot compare string with %s", tname(ck, o));
	}
	a = a->kind == T_ARRAY ? type_ptr(ck->ts, a->of) : a;
	b = b->kind == T_ARRAY ? type_ptr(ck->ts, b->of) : b;
	if (!type_is_scalar(a) || !type_is_scalar(b) || (a->kind == T_PTR && b->kind == T_PTR && !type_fits(ck, a, b)))
		return bad_operands(ck, e, a, b, D_OP_INCOMPAT);
	return ck->ts->int32;
}

static struct type *check_addsub(struct checker *ck, struct expr *e, struct type *a, struct type *b)
{
	struct type *p;

	a = a->kind == T_ARRAY ? type_ptr(ck->ts, a->of) : a; /* an array stands for its address */
	b = b->kind == T_ARRAY ? type_ptr(ck->ts, b->of) : b;
	p = a->kind == T_PTR ? a : b;

	if (type_is_int(a) && type_is_int(b))
		return type_usual(ck->ts, a, b);
	if (p->kind == T_PTR && (p->of->kind == T_VOID || p->of->kind == T_FUNC) && !ck->library)
		return bad_operands(ck, e, a, b, D_OP_INCOMPAT);
	if (p->kind == T_PTR) {
		type_complete(ck->ts, p->of);
		if (!p->of->size && p->of->kind != T_VOID)
			return err(ck, e->loc, D_OP_INCOMPLETE, NULL, "the size of what %s points to is not known",
				tname(ck, p));
	}
	if (a->kind == T_PTR && type_is_int(b))
		return a;
	if (e->op == OP_ADD && type_is_int(a) && b->kind == T_PTR)
		return b;
	if (e->op == OP_SUB && a->kind == T_PTR && b->kind == T_PTR && (ck->library || type_same(a->of, b->of)))
		return ck->ts->int64;
	return bad_operands(ck, e, a, b, D_OP_INCOMPAT);
}

static struct type *check_binary(struct checker *ck, struct expr *e)
{
	struct type *a = check_expr(ck, e->a), *b = check_expr(ck, e->b);
	int64_t v;

	if (!a || !b)
		return NULL;
	if (!(e->op >= OP_LAND && e->op <= OP_GE) && (!check_is_value(ck, e->a) || !check_is_value(ck, e->b)))
		return NULL;
	switch (e->op) {
	case OP_ADD:
	case OP_SUB:
		return check_addsub(ck, e, a, b);
	case OP_MUL:
	case OP_DIV:
	case OP_MOD:
		if (!type_is_int(a) || !type_is_int(b))
			return bad_operands(ck, e, a, b, e->op == OP_MOD ? D_OP_INT : D_OP_ARITH);
		if (e->op != OP_MUL && const_eval(ck->ts, ck->d, e->b, &v) && !v)
			return err(ck, e->b->loc, D_DIV_ZERO, NULL, "expression contains division by zero");
		return type_usual(ck->ts, a, b);
	case OP_AND:
	case OP_OR:
	case OP_XOR:
		if (!type_is_int(a) || !type_is_int(b))
			return bad_operands(ck, e, a, b, D_OP_INT);
		return type_usual(ck->ts, a, b);
	case OP_SHL:
	case OP_SHR:
		if (!type_is_int(a) || !type_is_int(b))
			return bad_operands(ck, e, a, b, D_OP_INT);
		return type_promote(ck->ts, a);
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR:
		if ((!type_is_scalar(a) && !type_is_string(a)) || (!type_is_scalar(b) && !type_is_string(b)))
			return bad_operands(ck, e, a, b, D_OP_SCALAR);
		return ck->ts->int32;
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		return check_compare(ck, e, a, b);
	case OP_NONE:
	case OP_ASSIGN:
	case OP_NEG:
	case OP_POS:
	case OP_NOT:
	case OP_COMPL:
	case OP_DEREF:
	case OP_ADDR:
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		break;
	}
	return err(ck, e->loc, D_SYNTAX, NULL, "%s is no operator for two values", expr_op_text(e->op));
}

static struct type *deref_type(struct checker *ck, struct expr *e, struct type *t)
{
	if (t->kind != T_PTR && t->kind != T_ARRAY)
		return err(ck, e->loc, D_DEREF_NONPTR, NULL, "* needs a pointer, not %s", tname(ck, t));
	if (t->of->kind == T_FUNC)
		return err(ck, e->loc, D_DEREF_FUNC, NULL, "* cannot take a pointer to a function");
	if (t->of->kind == T_VOID)
		return err(
			ck, e->loc, D_DEREF_VOID, "cast it to a pointer to a type", "a void * points to nothing known");
	e->xl = e->a->xl;
	type_complete(ck->ts, t->of);
	return t->of;
}

/* &e: of what lies in memory; a variable as a whole has no address, as D's may move. */
static struct type *check_address(struct checker *ck, struct expr *e, struct type *t)
{
	struct expr *a = e->a;
	bool var = a->kind == EX_IDENT || (a->kind == EX_INDEX && a->sym);

	if (var)
		return err(ck, e->loc, D_ADDROF_VAR, NULL, "& cannot take the address of a variable of D: %s",
			ast_expr_text(ck->arena, a));
	if (a->kind != EX_MEMBER && a->kind != EX_SCOPED && a->kind != EX_INDEX &&
		!(a->kind == EX_UNARY && a->op == OP_DEREF))
		return err(ck, e->loc, D_ADDROF_LVAL, NULL, "& needs something that lies in memory");
	if (a->kind == EX_MEMBER && (a->extra || a->isuffix))
		return err(ck, e->loc, D_ADDROF_BITFIELD, NULL, "%s has no address", ast_expr_text(ck->arena, a));
	return type_ptr(ck->ts, t);
}

static struct type *check_scoped(struct checker *ck, struct expr *e, bool address);

static struct type *check_unary(struct checker *ck, struct expr *e)
{
	struct type *t;

	if (e->op == OP_ADDR && e->a->kind == EX_SCOPED)
		t = e->a->type = check_scoped(ck, e->a, true);
	else if (e->op == OP_ADDR && e->a->kind == EX_AGG)
		return err(ck, e->loc, D_ADDROF_VAR, NULL, "an aggregation has no address");
	else
		t = check_step_operand(ck, e);

	if (!t || (e->op != OP_NOT && e->op != OP_DEREF && !check_is_value(ck, e->a)))
		return NULL;
	switch (e->op) {
	case OP_NEG:
	case OP_POS:
	case OP_COMPL:
		if (!type_is_int(t))
			return err(ck, e->loc, e->op == OP_COMPL ? D_OP_INT : D_OP_ARITH, NULL,
				"%s needs an integer, not %s", expr_op_text(e->op), tname(ck, t));
		return type_promote(ck->ts, t);
	case OP_NOT:
		if (!type_is_scalar(t) && !type_is_string(t))
			return err(ck, e->loc, D_OP_SCALAR, NULL, "! needs a scalar, not %s", tname(ck, t));
		return ck->ts->int32;
	case OP_DEREF:
		return deref_type(ck, e, t);
	case OP_ADDR:
		return check_address(ck, e, t);
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		return check_step(ck, e, t);
	case OP_NONE:
	case OP_ASSIGN:
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_DIV:
	case OP_MOD:
	case OP_SHL:
	case OP_SHR:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR:
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		break;
	}
	return err(ck, e->loc, D_SYNTAX, NULL, "%s is no operator for one value", expr_op_text(e->op));
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */
static struct type *check_cond(struct checker *ck, struct expr *e)
{
	struct type *c = check_expr(ck, e->a), *b, *d;

	if (!c)
		return NULL;
	if (ck->library && e->a->kind == EX_INT) { /* __has(): the other arm may mean nothing */
		e->b = e->c = e->a->ival ? e->b : e->c;
		return check_expr(ck, e->b);
	}
	if (!type_is_scalar(c) && !type_is_string(c))
		return err(ck, e->a->loc, D_OP_SCALAR, NULL, "the condition of ?: is %s", tname(ck, c));
	if (has_no_value(ck, e->b) || has_no_value(ck, e->c))
		return err(ck, e->loc, D_CG_EXPR, "use if and else, or two clauses with predicates",
			"an action cannot stand in an expression");
	b = check_expr(ck, e->b);
	d = check_expr(ck, e->c);
	if (!b || !d || !check_is_value(ck, e->b) || !check_is_value(ck, e->c))
		return NULL;
	if (type_is_string(b) && type_is_string(d))
		return ck->ts->string;
	if (type_is_int(b) && type_is_int(d))
		return type_usual(ck->ts, b, d);
	if (is_sou(b) && type_same(b, d)) {
		type_complete(ck->ts, b);
		return b;
	}
	b = b->kind == T_ARRAY ? type_ptr(ck->ts, b->of) : b;
	d = d->kind == T_ARRAY ? type_ptr(ck->ts, d->of) : d;
	if (b->kind == T_PTR && ((d->kind == T_PTR && type_fits(ck, b, d)) || type_is_int(d)))
		return b->of->kind == T_VOID && d->kind == T_PTR ? d : b;
	if (d->kind == T_PTR && type_is_int(b))
		return d;
	return err(ck, e->loc, D_OP_INCOMPAT, NULL, "the two values of ?: are %s and %s", tname(ck, b), tname(ck, d));
}

static struct type *check_cast(struct checker *ck, struct expr *e)
{
	struct type *to = types_resolve(ck->ts, ck->d, e->tyx), *from = check_expr(ck, e->a);

	if (!to || !from || !check_is_value(ck, e->a))
		return NULL;
	if (type_is_string(to) && (type_is_string(from) || type_is_scalar(from)))
		return ck->ts->string;
	if (to->kind == T_VOID || (type_is_scalar(to) && (type_is_scalar(from) || from->kind == T_ARRAY)))
		return to;
	if (to->kind == T_PTR && from->kind == T_STRING) /* the address of its characters */
		return to;
	return err(ck, e->loc, D_CAST_INVAL, NULL, "%s cannot be cast to %s", tname(ck, from), tname(ck, to));
}

static struct type *check_sizeof(struct checker *ck, struct expr *e)
{
	struct type *t = e->tyx ? types_resolve(ck->ts, ck->d, e->tyx) : check_expr(ck, e->a);

	if (!t)
		return NULL;
	type_complete(ck->ts, t);
	if (!t->size || (e->a && e->a->kind == EX_SCOPED && t->kind == T_PTR && t->of->kind == T_FUNC))
		return err(ck, e->loc, D_SIZEOF_TYPE, NULL, "%s has no size", tname(ck, t));
	if (e->a && e->a->kind == EX_MEMBER && e->a->isuffix)
		return err(ck, e->loc, D_SIZEOF_BITFIELD, NULL, "a bit-field has no size in bytes");
	e->ival = t->kind != T_STRING ? t->size : e->a && e->a->kind == EX_STR ? e->a->slen + 1 : ck->strsize;
	e->kind = EX_INT;
	return ck->ts->uint64;
}

static struct type *check_offsetof(struct checker *ck, struct expr *e)
{
	struct type *t = types_resolve(ck->ts, ck->d, e->tyx);
	uint32_t off;
	const struct type_member *m;

	if (!t)
		return NULL;
	type_complete(ck->ts, t);
	if (!is_sou(t) || !t->complete)
		return err(
			ck, e->loc, D_OFFSETOF_TYPE, NULL, "offsetof needs a structure or union, not %s", tname(ck, t));
	m = type_find_member(ck->ts, t, e->name, &off);
	if (!m)
		return no_member(ck, e, t);
	if (m->bits)
		return err(ck, e->loc, D_OFFSETOF_BITFIELD, NULL, "%s is a bit-field", e->name);
	e->ival = off / 8;
	e->kind = EX_INT;
	return ck->ts->uint64;
}

/* `name, module`name. address: only where it lies is asked for, so its type may be unknown. */
static struct type *check_scoped(struct checker *ck, struct expr *e, bool address)
{
	const struct ktypes *k = ck->ts->kernel;
	struct ksymbol *s = ARENA_NEW(ck->arena, struct ksymbol);
	bool jiffies = !strcmp(e->name, "jiffies") && (!e->obj || !*e->obj || !strcmp(e->obj, "vmlinux")) && !address;
	int r = jiffies ? 0 : k && k->symbol ? k->symbol(k->ctx, ck->ts, e->obj, e->name, s) : -ENOENT;

	if (jiffies) /* a helper tells it: not all kernels say where it lies */
		return ck->ts->ulong_;
	if (r == -ENODEV)
		return err(ck, e->loc, D_IDENT_UNDEF, NULL, "there is no module %s", e->obj);
	if (r == -ENOENT)
		return err(ck, e->loc, D_IDENT_UNDEF, NULL, "the kernel has no symbol %s", e->name);
	if (r || !s->addr)
		return err(ck, e->loc, D_KERNEL,
			r == -ENODATA ? "kernels with CONFIG_KALLSYMS_ALL do" : "see /proc/sys/kernel/kptr_restrict",
			"this kernel does not tell the address of %s", e->name);
	e->extra = s;
	if (!s->type && address)
		return ck->ts->void_;
	if (!s->type)
		return err(ck, e->loc, D_SYM_NOTYPES, arena_printf(ck->arena, "give it one: *(int *)&`%s", e->name),
			"the kernel has no type information for its variable %s", e->name);
	return s->type->kind == T_FUNC && !address ? type_ptr(ck->ts, s->type) : s->type;
}

static struct type *check_kind(struct checker *ck, struct expr *e)
{
	struct type *t;

	switch (e->kind) {
	case EX_INT:
		return e->type ? e->type : types_literal(ck->ts, e);
	case EX_STR:
		return ck->ts->string;
	case EX_IDENT:
		return check_ident(ck, e);
	case EX_SCOPED:
		return check_dlib_symbol(ck, e) ? check_ident(ck, e) : check_scoped(ck, e, false);
	case EX_AGG:
		return err(ck, e->loc, D_AGG_SCALAR, "aggregations are printed by printa() or at the end",
			"the value of @%s cannot be read", e->name);
	case EX_UNARY:
		return check_unary(ck, e);
	case EX_BINARY:
		return check_binary(ck, e);
	case EX_ASSIGN:
		return check_assign(ck, e);
	case EX_COND:
		return check_cond(ck, e);
	case EX_CALL:
		return check_call(ck, e);
	case EX_INDEX:
		return check_index(ck, e);
	case EX_MEMBER:
		return check_member(ck, e);
	case EX_CAST:
		return check_cast(ck, e);
	case EX_SIZEOF:
		return check_sizeof(ck, e);
	case EX_OFFSETOF:
		return check_offsetof(ck, e);
	case EX_STRINGOF:
		t = check_expr(ck, e->a);
		if (t && !type_is_string(t) && (!type_is_scalar(t) || is_xlated(e->a)))
			return err(ck, e->loc, D_STRINGOF_TYPE, NULL, "stringof cannot take %s", tname(ck, t));
		return t ? ck->ts->string : NULL;
	case EX_XLATE:
		return check_xlate(ck, e);
	case EX_COMMA:
		t = check_expr(ck, e->a);
		return t ? check_expr(ck, e->b) : NULL;
	}
	return NULL;
}

struct type *check_expr(struct checker *ck, struct expr *e)
{
	e->type = check_kind(ck, e);
	return e->type;
}
