/* SPDX-License-Identifier: GPL-2.0-or-later */
/* act: checks actions, which are statements: their arguments and formats.
 * Input: a call of an action. Output: the types of its arguments, and a parsed format in expr.extra.
 * Invariant: what passes here can be recorded and printed. */
#include <string.h>

#include "lang/check/calls/calls.h"

#define TRACEMEM_MAX 16384 /* bytes: half of the largest record */

/* Conversions that print text: %s, %S, and %I, the name of an address. */
static bool conv_is_string(char c)
{
	return c == 's' || c == 'S' || c == 'I';
}

/* Conversions that print a number as such: no pointers. */
static bool conv_is_number(char c)
{
	return c && strchr("cCdDiouOUxXP", c);
}

static bool conv_is_float(char c)
{
	return c && strchr("eEfFgG", c);
}

/* Does the size prefix disagree with the size of t? As in C, but without promotion. */
static bool is_other_size(const struct fmt_item *it, const struct type *t)
{
	static const struct {
		const char *prefix;
		uint32_t size;
	} sizes[] = { { "hh", 1 }, { "h", 2 }, { "l", 8 }, { "ll", 8 } };

	for (size_t i = 0; conv_is_number(it->conv) && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcmp(it->size, sizes[i].prefix))
			return type_is_int(t) && t->size != sizes[i].size;
	return false;
}

/* Why the conversion cannot print a t, or NULL if it can. Sets *hint if there is one. */
static const char *conv_mismatch(const struct fmt_item *it, const struct type *t, const char **hint)
{
	bool string = type_is_string(t);

	*hint = NULL;
	if (it->conv == 'k' || t->special >= SPECIAL_STACK) {
		*hint = it->conv == 'k' ? "%k prints what stack() and ustack() give" : "%k prints stacks";
		return it->conv == 'k' && t->special >= SPECIAL_STACK ? NULL : "cannot print";
	}
	if (t->special) {
		*hint = "%a prints the names of addresses";
		return it->conv == 'a' || it->conv == 'A' ? NULL : "cannot print";
	}
	if (conv_is_string(it->conv) || (it->conv == 'w' && it->conv2 == 's')) {
		*hint = type_is_int(t) ? "%d prints integers" : t->kind == T_PTR ? "stringof() makes a string" : NULL;
		return string ? NULL : "cannot print";
	}
	if (conv_is_float(it->conv)) {
		*hint = type_is_int(t) ? "%d prints integers" : NULL;
		return type_is_float(t) ? NULL : "cannot print";
	}
	if (string)
		*hint = "%s prints strings";
	else if (conv_is_number(it->conv) && t->kind == T_PTR)
		*hint = "%p prints pointers";
	else if (is_other_size(it, t))
		*hint = "leave out the size prefix";
	else if (type_is_scalar(t))
		return NULL;
	return "cannot print";
}

/* One conversion and its argument. n counts conversions from 1, for messages. %s of an enum becomes its name. */
static void check_conv(struct checker *ck, const struct fmt_item *it, struct expr *arg, size_t n)
{
	const char *hint, *wrong;

	if (arg->kind == EX_AGG) {
		err(ck, arg->loc, D_PRINTF_ARG_TYPE, "use printa()", "conversion #%zu, %s, cannot print an aggregation",
			n, it->conv_text);
		return;
	}
	if (!arg->type)
		return;
	if (is_xlated(arg)) {
		err(ck, arg->loc, D_PRINTF_ARG_TYPE, "name one of its members", "%s is made by a translator",
			ast_expr_text(ck->arena, arg));
		return;
	}
	if (it->conv == 's' && check_enum_name(ck, arg))
		return;
	wrong = conv_mismatch(it, arg->type, &hint);
	if (wrong)
		err(ck, arg->loc, D_PRINTF_ARG_TYPE, hint, "conversion #%zu, %s, %s %s", n, it->conv_text, wrong,
			type_name(ck->ts, arg->type));
}

/* The format of printf() and the like: a literal, as D reads formats when it compiles. NULL after an error. */
static struct fmt *parse_format(struct checker *ck, struct expr *arg, enum dtag tag)
{
	struct fmt *f = ARENA_NEW(ck->arena, struct fmt);
	struct loc at = arg->loc;

	if (arg->kind != EX_STR) {
		err(ck, arg->loc, tag, NULL, "the format must be a string literal");
		return NULL;
	}
	if (at.len == arg->slen + 2) /* the quotes, and no escapes between them */
		at = (struct loc){ at.src, at.off + 1, at.len - 2 };
	return fmt_parse(ck->arena, arg->str, arg->slen, ck->d, at, f) ? NULL : f;
}

/* Checks the arguments of one conversion: those for "*" first, then its value. *arg moves behind them. n counts
 * conversions from 1, for messages. False when the arguments run out. */
static bool check_item(struct checker *ck, const struct fmt_item *it, struct expr *e, size_t *arg, size_t n)
{
	for (int star = it->star_width + it->star_prec; star > 0; star--, ++*arg) {
		if (*arg >= e->args.n) {
			err(ck, e->loc, D_PRINTF_DYN_PROTO, NULL, "conversion #%zu, %s, lacks an argument for *", n,
				it->conv_text);
			return false;
		}
		if (e->args.v[*arg]->type && !type_is_int(e->args.v[*arg]->type))
			err(ck, e->args.v[*arg]->loc, D_PRINTF_DYN_TYPE, NULL, "* takes an integer");
	}
	if (!it->conv)
		return true;
	if (*arg >= e->args.n) {
		err(ck, e->loc, D_PRINTF_ARG_PROTO, NULL, "conversion #%zu, %s, lacks its argument", n, it->conv_text);
		return false;
	}
	check_conv(ck, it, e->args.v[(*arg)++], n);
	return true;
}

/* Actions with a format and its arguments: printf(), system(), freopen(). */
static void check_printf(struct checker *ck, struct expr *e)
{
	struct fmt *f = parse_format(ck, e->args.v[0], D_PRINTF_ARG_FMT);
	size_t arg = 1, n = 0;

	for (size_t i = 1; i < e->args.n; i++)
		if (e->args.v[i]->kind != EX_AGG)
			check_datum(ck, e->args.v[i], D_PRINTF_ARG_TYPE);
	if (!f)
		return;
	if (!e->args.v[0]->slen) {
		err(ck, e->args.v[0]->loc, D_PRINTF_FMT_EMPTY, NULL, "the format is empty");
		return;
	}
	e->extra = f;
	for (size_t i = 0; i < f->n; i++) {
		n += f->items[i].conv != 0;
		if (f->items[i].flags & FMT_AGG) {
			err(ck, e->args.v[0]->loc, D_PRINTF_AGG_CONV, NULL, "%%@ is for printa()");
			return;
		}
		if (!check_item(ck, &f->items[i], e, &arg, n))
			return;
	}
	if (arg < e->args.n)
		err(ck, e->args.v[arg]->loc, D_PRINTF_ARG_EXTRA, NULL, "the format takes %zu argument%s, %zu given",
			f->nargs, f->nargs == 1 ? "" : "s", e->args.n - 1);
}

/* ---- printa ------------------------------------------------------------------------------------------------------ */
/* Do the aggregations have the same keys, except for the widths of integers? */
static void check_same_keys(struct checker *ck, const struct expr *e, size_t from)
{
	const struct symbol *first = e->args.v[from]->sym;

	for (size_t i = from + 1; i < e->args.n; i++) {
		const struct symbol *s = e->args.v[i]->sym;
		bool same = s->nkeys == first->nkeys;

		for (size_t k = 0; same && k < s->nkeys; k++)
			same = type_is_string(s->keys[k]) == type_is_string(first->keys[k]) &&
				type_is_block(s->keys[k]) == type_is_block(first->keys[k]);
		if (!same)
			err(ck, e->args.v[i]->loc, D_PRINTA_AGGKEY, NULL, "@%s has other keys than @%s", s->name,
				first->name);
	}
}

/* printa(): conversions without "@" print the keys in their order. Keys without a conversion are not printed. */
static void check_key_convs(struct checker *ck, const struct expr *e, const struct fmt *f, const struct symbol *s)
{
	size_t key = 0, n = 0;
	const char *hint, *wrong;

	for (size_t i = 0; i < f->n; i++) {
		const struct fmt_item *it = &f->items[i];

		key += (size_t)it->star_width + (size_t)it->star_prec;
		n += it->conv != 0;
		if (!it->conv || (it->flags & FMT_AGG))
			continue;
		if (key >= s->nkeys) {
			err(ck, e->loc, D_PRINTF_ARG_PROTO, "%@d prints its value",
				"conversion #%zu, %s, lacks a key of @%s", n, it->conv_text, s->name);
			return;
		}
		wrong = conv_mismatch(it, s->keys[key++], &hint);
		if (wrong)
			err(ck, e->loc, D_PRINTF_ARG_TYPE, hint, "conversion #%zu, %s, %s key %zu of @%s, %s", n,
				it->conv_text, wrong, key, s->name, type_name(ck->ts, s->keys[key - 1]));
	}
}

/* %@.99Q needs a distribution and a percentage. Conversions with "@" take the aggregations in turn, and then the last
 * again. */
static void check_quantile_convs(struct checker *ck, const struct expr *e, const struct fmt *f, size_t first)
{
	size_t pos = first, n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct fmt_item *it = &f->items[i];
		const struct symbol *s = e->args.v[pos]->sym;

		n += it->conv != 0;
		if (!it->conv || !(it->flags & FMT_AGG) || fmt_of_report(it))
			continue;
		if (it->conv == 'Q' && s->func != FN_quantize && s->func != FN_lquantize && s->func != FN_llquantize)
			err(ck, e->loc, D_PRINTF_ARG_TYPE, "%@d prints its value",
				"conversion #%zu, %s, takes a distribution, and @%s is none", n, it->conv_text,
				s->name);
		else if (it->conv == 'Q' && it->prec <= 0)
			err(ck, e->loc, D_PRINTF_ARG_PROTO, "%@.99Q is the 99th percentile, %@.999Q that of 99.9 %",
				"conversion #%zu, %s, lacks its percentage", n, it->conv_text);
		pos += pos + 1 < e->args.n;
	}
}

/* Checks what check_action() could not: printa() may stand before the clause that fills its aggregation, so keys are
 * known only after all clauses have been checked. */
static void check_agg_use(struct checker *ck, struct expr *e)
{
	static const enum dtag tags[FN_COUNT] = {
		[FN_printa] = D_PRINTA_AGGBAD,
		[FN_clear] = D_CLEAR_AGGBAD,
		[FN_trunc] = D_TRUNC_AGGBAD,
		[FN_normalize] = D_NORMALIZE_AGGBAD,
		[FN_denormalize] = D_NORMALIZE_AGGBAD,
	};
	size_t first = e->args.n;

	for (size_t i = 0; i < e->args.n; i++) {
		const struct expr *a = e->args.v[i];

		if (a->kind != EX_AGG)
			continue;
		if (!a->sym || !a->sym->ready) {
			err(ck, a->loc, tags[e->sym->func], NULL, "@%s is never filled", a->name);
			return;
		}
		first = i < first ? i : first;
	}
	if (e->sym->func != FN_printa || first == e->args.n)
		return;
	check_same_keys(ck, e, first);
	if (!e->extra)
		return;
	check_key_convs(ck, e, e->extra, e->args.v[first]->sym);
	check_quantile_convs(ck, e, e->extra, first);
}

/* Checks the statements of a clause, those of if and else included. */
static void check_agg_stmts(struct checker *ck, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct expr *e = v[i]->expr;

		if (v[i]->kind == ST_EXPR && e->kind == EX_CALL && e->sym && func_class(e->sym->func) == FC_ACTION)
			check_agg_use(ck, e);
		check_agg_stmts(ck, v[i]->then.v, v[i]->then.n);
		check_agg_stmts(ck, v[i]->otherwise.v, v[i]->otherwise.n);
	}
}

void check_agg_uses(struct checker *ck, struct program *p)
{
	for (size_t i = 0; i < p->decls.n; i++)
		if (p->decls.v[i]->kind == DECL_CLAUSE)
			check_agg_stmts(ck, p->decls.v[i]->u.clause.body.v, p->decls.v[i]->u.clause.body.n);
}

/* printa([format,] @a, ...): keys and values are checked later, when all clauses are known. */
static void check_printa(struct checker *ck, struct expr *e)
{
	size_t i = 0;

	if (e->args.v[0]->kind != EX_AGG) {
		e->extra = parse_format(ck, e->args.v[0], D_PRINTA_AGGARG);
		if (!e->extra)
			return;
		i = 1;
	}
	if (i >= e->args.n)
		err(ck, e->loc, D_PRINTA_PROTO, "printa(\"...\", @a)", "printa() takes an aggregation");
	for (; i < e->args.n; i++) {
		struct expr *a = e->args.v[i];

		if (a->kind != EX_AGG)
			err(ck, a->loc, D_PRINTA_AGGARG, NULL, "printa() takes aggregations, not %s",
				ast_expr_text(ck->arena, a));
		else if (a->args.n)
			err(ck, a->loc, D_PRINTA_AGGKEY, "name it without a key",
				"printa() prints a whole aggregation");
		else
			check_agg_ref(ck, a);
	}
}

/* The first argument of clear(), trunc(), normalize() and denormalize(). False after an error. */
static bool check_agg_arg(struct checker *ck, struct expr *e, enum dtag tag)
{
	if (e->args.v[0]->kind == EX_AGG && !e->args.v[0]->args.n) {
		check_agg_ref(ck, e->args.v[0]);
		return true;
	}
	err(ck, e->args.v[0]->loc, tag, NULL, "%s() takes an aggregation as its first argument, without a key",
		e->name);
	return false;
}

/* Argument i, counted from 0, must be an integer. */
static void check_int_arg(struct checker *ck, struct expr *e, size_t i, enum dtag tag)
{
	struct type *t = check_expr(ck, e->args.v[i]);

	if (t && !type_is_int(t))
		err(ck, e->args.v[i]->loc, tag, NULL, "argument %zu of %s() must be an integer, not %s", i + 1, e->name,
			type_name(ck->ts, t));
}

/* trace() and print() take any value that can be recorded. agg, none, dynamic: DTrace's tags for an aggregation, for no
 * value, and for what has no fixed size. */
static void check_shown(struct checker *ck, struct expr *e, enum dtag agg, enum dtag none, enum dtag dynamic)
{
	struct expr *a = e->args.v[0];
	struct type *t;

	if (a->kind == EX_AGG) {
		err(ck, a->loc, agg, "use printa()", "%s() cannot print an aggregation", e->name);
		return;
	}
	t = check_datum(ck, a, none);
	if (!t)
		return;
	if (t->kind == T_VOID)
		err(ck, a->loc, none, NULL, "%s() of nothing", e->name);
	else if (is_xlated(a))
		err(ck, a->loc, dynamic, "name one of its members", "%s() cannot print what a translator makes",
			e->name);
	else if (dynamic == D_PRINT_DYN && t->special >= SPECIAL_STACK)
		err(ck, a->loc, dynamic, "trace() and printf(\"%k\") do, and so does the call alone",
			"%s() does not print stacks", e->name);
	else if (type_is_block(t) && !t->size)
		err(ck, a->loc, dynamic, NULL, "%s() cannot print %s: its size is not known", e->name,
			type_name(ck->ts, t));
	else if (!type_is_block(t) && !type_is_scalar(t) && !type_is_string(t) && !type_is_float(t) && !t->special)
		err(ck, a->loc, dynamic, NULL, "%s() cannot print %s", e->name, type_name(ck->ts, t));
}

static void check_trace(struct checker *ck, struct expr *e)
{
	check_shown(ck, e, D_TRACE_AGG, D_TRACE_VOID, D_TRACE_DYN);
}

/* print() shows types, which stacks have not. */
static void check_print(struct checker *ck, struct expr *e)
{
	check_shown(ck, e, D_PRINT_AGG, D_PRINT_VOID, D_PRINT_DYN);
}

/* Builds the expression *(struct of size bytes *)address, so that lowering copies the memory as it copies any
 * structure. */
static struct expr *memory_at(struct checker *ck, struct expr *address, uint32_t size)
{
	struct expr *at = ARENA_NEW(ck->arena, struct expr), *cast = ARENA_NEW(ck->arena, struct expr);

	cast->kind = EX_CAST;
	cast->loc = at->loc = address->loc;
	cast->a = address;
	cast->type = type_ptr(ck->ts, type_memory(ck->ts, size));
	at->kind = EX_UNARY;
	at->op = OP_DEREF;
	at->a = cast;
	at->type = cast->type->of;
	return at;
}

/* tracemem(address, size [, shown]). The arguments become the memory itself and, if given, how much of it is shown. The
 * size is a constant, as the record's layout is fixed when the program is compiled. */
static void check_tracemem(struct checker *ck, struct expr *e)
{
	struct expr **v = e->args.v;
	struct type *t = check_expr(ck, v[0]), *n = check_expr(ck, v[1]), *dyn;
	int64_t size;

	if (!t || !n)
		return;
	if (e->args.n > 3) {
		err(ck, e->loc, D_TRACEMEM_ARGS, NULL, "tracemem() takes 2 or 3 arguments, not %zu", e->args.n);
	} else if (is_xlated(v[0]) || t->kind == T_STRING || (!type_is_scalar(t) && t->kind != T_ARRAY)) {
		err(ck, v[0]->loc, D_TRACEMEM_ADDR, NULL, "tracemem() takes an address, not %s", type_name(ck->ts, t));
	} else if (!type_is_int(n)) {
		err(ck, v[1]->loc, D_PROTO_ARG, NULL, "the size must be an integer, not %s", type_name(ck->ts, n));
	} else if (!const_eval(ck->ts, ck->d, v[1], &size) || size <= 0 || size > TRACEMEM_MAX) {
		err(ck, v[1]->loc, D_TRACEMEM_SIZE, NULL, "the size must be a constant from 1 to %d", TRACEMEM_MAX);
	} else if (e->args.n == 3 && (dyn = check_expr(ck, v[2])) != NULL && !type_is_int(dyn)) {
		err(ck, v[2]->loc, D_TRACEMEM_DYNSIZE, NULL, "the size must be an integer, not %s",
			type_name(ck->ts, dyn));
	} else {
		v[0] = memory_at(ck, v[0], (uint32_t)size);
		v[1] = v[e->args.n - 1];
		e->args.n--;
	}
}

/* freopen("") goes back to the standard output; its format is empty. "." would be mistaken for that, so it is
 * refused. */
static void check_freopen(struct checker *ck, struct expr *e)
{
	struct expr *a = e->args.v[0];

	if (a->kind == EX_STR && a->slen == 1 && a->str[0] == '.')
		err(ck, a->loc, D_FREOPEN_INVALID, "\"\" is standard output", "freopen() cannot open \".\"");
	else if (a->kind == EX_STR && !a->slen && e->args.n == 1)
		e->extra = ARENA_NEW(ck->arena, struct fmt);
	else
		check_printf(ck, e);
}

/* Actions with one integer, or none: raise(), chill(), speculate(), ... */
static void check_number(struct checker *ck, struct expr *e)
{
	if (e->args.n)
		check_int_arg(ck, e, 0, D_PROTO_ARG);
}

/* Marks the clause as one that ends the trace: its record must wake the consumer, which polls otherwise. */
static void check_exit(struct checker *ck, struct expr *e)
{
	check_int_arg(ck, e, 0, D_PROTO_ARG);
	ck->exits = true;
}

static void check_clear(struct checker *ck, struct expr *e)
{
	check_agg_arg(ck, e, D_CLEAR_AGGARG);
}

static void check_trunc(struct checker *ck, struct expr *e)
{
	if (check_agg_arg(ck, e, D_TRUNC_AGGARG) && e->args.n > 1)
		check_int_arg(ck, e, 1, D_TRUNC_SCALAR);
}

static void check_normalize(struct checker *ck, struct expr *e)
{
	if (check_agg_arg(ck, e, D_NORMALIZE_AGGARG) && e->args.n > 1)
		check_int_arg(ck, e, 1, D_NORMALIZE_SCALAR);
}

/* setopt("name"), setopt("name", "value") */
static void check_setopt(struct checker *ck, struct expr *e)
{
	for (size_t i = 0; i < e->args.n; i++) {
		struct type *t = check_expr(ck, e->args.v[i]);

		if (t && !type_is_string(t))
			err(ck, e->args.v[i]->loc, D_PROTO_ARG, NULL,
				"argument %zu of setopt() must be a string, not %s", i + 1, type_name(ck->ts, t));
	}
}

/* copyout() and copyoutstr() have prototypes as subroutines do, though they are actions. */
static void check_copyout(struct checker *ck, struct expr *e)
{
	struct type *t;

	(void)check_subr(ck, e, &t);
}

/* Checks a call that is a statement. The table has a check for each action; subroutines and functions such as
 * stack() may stand alone too, which records their value. */
void check_action(struct checker *ck, struct expr *e)
{
	static void (*const checks[FN_COUNT])(struct checker *, struct expr *) = {
		[FN_trace] = check_trace,
		[FN_print] = check_print,
		[FN_printf] = check_printf,
		[FN_printa] = check_printa,
		[FN_exit] = check_exit,
		[FN_clear] = check_clear,
		[FN_trunc] = check_trunc,
		[FN_normalize] = check_normalize,
		[FN_denormalize] = check_normalize,
		[FN_system] = check_printf,
		[FN_freopen] = check_freopen,
		[FN_setopt] = check_setopt,
		[FN_tracemem] = check_tracemem,
		[FN_pcap] = check_pcap,
		[FN_ftruncate] = check_number,
		[FN_snapshot] = check_number,
		[FN_raise] = check_number,
		[FN_stop] = check_number,
		[FN_panic] = check_number,
		[FN_breakpoint] = check_number,
		[FN_chill] = check_number,
		[FN_copyout] = check_copyout,
		[FN_copyoutstr] = check_copyout,
		[FN_speculate] = check_number,
		[FN_commit] = check_number,
		[FN_discard] = check_number,
	};
	struct symbol *s = func_find(ck, e);

	if (!s)
		return;
	if (checks[s->func])
		checks[s->func](ck, e);
	else if (func_class(s->func) == FC_SYM)
		e->type = check_datum(ck, e, D_OP_ACT);
	else
		e->type = check_call(ck, e);
}
