/* check_act: actions, as statements: their arguments and formats.
 * Input: a call of an action. Output: types of its arguments; a parsed format in expr.extra.
 * Invariant: what passes here can be recorded and printed. */
#include <string.h>

#include "lang/check_priv.h"

static bool conv_is_string(char c)
{
	return c == 's' || c == 'S';
}

static void check_conv(struct checker *ck, const struct fmt_item *it, struct expr *arg, size_t n)
{
	struct type *t = arg->type;

	if (!t)
		return;
	if (is_xlated(arg)) {
		err(ck, arg->loc, D_PRINTF_ARG_TYPE, "name one of its members", "%s is made by a translator",
			ast_expr_text(ck->arena, arg));
		return;
	}
	if (conv_is_string(it->conv) ? !type_is_string(t) : type_is_string(t) || !type_is_scalar(t))
		err(ck, arg->loc, D_PRINTF_ARG_TYPE,
			conv_is_string(it->conv)    ? type_is_scalar(t) ? "%d prints integers" : NULL
				: type_is_string(t) ? "%s prints strings"
						    : NULL,
			"conversion #%zu, %s, cannot print %s", n, it->conv_text, type_name(ck->ts, t));
}

static struct fmt *parse_format(struct checker *ck, struct expr *arg, enum dtag tag)
{
	struct fmt *f = ARENA_NEW(ck->arena, struct fmt);
	const char *why = NULL;
	size_t off = 0;

	if (arg->kind != EX_STR) {
		err(ck, arg->loc, tag, NULL, "the format must be a string literal");
		return NULL;
	}
	if (fmt_parse(ck->arena, arg->str, arg->slen, f, &why, &off)) {
		err(ck, arg->loc, D_PRINTF_ARG_FMT, NULL, "%s", why ? why : "bad format");
		return NULL;
	}
	return f;
}

/* Which tag says that a format does not take n arguments: too many, a * without its width, or a value is missing. */
static enum dtag args_tag(const struct fmt *f, size_t n)
{
	if (n > f->nargs)
		return D_PRINTF_ARG_EXTRA;
	for (size_t i = 0; i < f->n; i++) {
		const struct fmt_item *it = &f->items[i];
		size_t stars = (size_t)(it->star_width + it->star_prec);

		if (n < stars)
			return D_PRINTF_DYN_PROTO;
		n -= stars;
		if (it->conv && n-- == 0)
			break;
	}
	return D_PRINTF_ARG_PROTO;
}

static void check_printf(struct checker *ck, struct expr *e)
{
	struct fmt *f = parse_format(ck, e->args.v[0], D_PRINTF_ARG_FMT);
	size_t arg = 1, n = 0;

	for (size_t i = 1; i < e->args.n; i++)
		check_expr(ck, e->args.v[i]);
	if (!f)
		return;
	e->extra = f;
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].flags & FMT_AGG) {
			err(ck, e->args.v[0]->loc, D_PRINTF_AGG_CONV, NULL, "%%@ is for printa()");
			return;
		}
	if (!e->args.v[0]->slen) {
		err(ck, e->args.v[0]->loc, D_PRINTF_FMT_EMPTY, NULL, "the format is empty");
		return;
	}
	if (e->args.n - 1 != f->nargs) {
		err(ck, e->loc, args_tag(f, e->args.n - 1), NULL, "the format takes %zu argument%s, %zu given",
			f->nargs, f->nargs == 1 ? "" : "s", e->args.n - 1);
		return;
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct fmt_item *it = &f->items[i];

		for (int star = it->star_width + it->star_prec; star > 0; star--, arg++)
			if (e->args.v[arg]->type && !type_is_int(e->args.v[arg]->type))
				err(ck, e->args.v[arg]->loc, D_PRINTF_DYN_TYPE, NULL, "* takes an integer");
		if (!it->conv)
			continue;
		n++;
		check_conv(ck, it, e->args.v[arg++], n);
	}
}

static void check_printa(struct checker *ck, struct expr *e)
{
	size_t i = 0;

	if (e->args.v[0]->kind != EX_AGG) {
		e->extra = parse_format(ck, e->args.v[0], D_PRINTA_PROTO);
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

static void check_int_arg(struct checker *ck, struct expr *e, size_t i, enum dtag tag)
{
	struct type *t = check_expr(ck, e->args.v[i]);

	if (t && !type_is_int(t))
		err(ck, e->args.v[i]->loc, tag, NULL, "argument %zu of %s() must be an integer, not %s", i + 1, e->name,
			type_name(ck->ts, t));
}

static void check_trace(struct checker *ck, struct expr *e)
{
	struct type *t;

	if (e->args.v[0]->kind == EX_AGG) {
		err(ck, e->args.v[0]->loc, D_TRACE_AGG, "use printa()", "trace() cannot print an aggregation");
		return;
	}
	t = check_expr(ck, e->args.v[0]);
	if (t && t->kind == T_VOID)
		err(ck, e->args.v[0]->loc, D_TRACE_VOID, NULL, "trace() of nothing");
	else if (t && (is_xlated(e->args.v[0]) || (!type_is_scalar(t) && !type_is_string(t))))
		err(ck, e->args.v[0]->loc, D_TRACE_DYN, "name one of its members", "trace() cannot print %s",
			type_name(ck->ts, t));
}

static void check_exit(struct checker *ck, struct expr *e)
{
	check_int_arg(ck, e, 0, D_PROTO_ARG);
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

void check_action(struct checker *ck, struct expr *e)
{
	static void (*const checks[FN_COUNT])(struct checker *, struct expr *) = {
		[FN_trace] = check_trace,
		[FN_printf] = check_printf,
		[FN_printa] = check_printa,
		[FN_exit] = check_exit,
		[FN_clear] = check_clear,
		[FN_trunc] = check_trunc,
		[FN_normalize] = check_normalize,
		[FN_denormalize] = check_normalize,
	};
	struct symbol *s = func_find(ck, e);

	if (!s)
		return;
	if (checks[s->func])
		checks[s->func](ck, e);
	else
		e->type = check_call(ck, e);
}
