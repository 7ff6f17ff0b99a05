/* check_call: functions: subroutines in expressions, actions and aggregations as statements. */
#include <string.h>

#include "lang/check_priv.h"

static const struct {
	unsigned lo, hi;
} nargs_of[] = {
#define X(n, c, lo, hi) { lo, hi },
	FUNCS(X)
#undef X
};

static void collect_name(void *ctx, const char *key, void *value)
{
	const char ***p = ctx;

	(void)value;
	if (strncmp(key, "__", 2))
		*(*p)++ = key;
}

static const char *nearest_func(struct checker *ck, const char *name)
{
	const char **names = ARENA_ARRAY(ck->arena, const char *, FN_COUNT + 1), **end = names, *near;

	strmap_each(ck->funcs, collect_name, &end);
	near = nearest_name(name, names);
	return near ? arena_printf(ck->arena, "did you mean %s()?", near) : NULL;
}

static enum dtag proto_tag(enum func f)
{
	static const enum dtag tags[FN_COUNT] = {
		[FN_exit] = D_EXIT_PROTO,
		[FN_clear] = D_CLEAR_PROTO,
		[FN_trunc] = D_TRUNC_PROTO,
		[FN_normalize] = D_NORMALIZE_PROTO,
		[FN_denormalize] = D_NORMALIZE_PROTO,
		[FN_printa] = D_PRINTA_PROTO,
		[FN_printf] = D_PRINTF_ARG_PROTO,
	};

	return tags[f] ? tags[f] : D_PROTO_LEN;
}

static struct symbol *find_func(struct checker *ck, struct expr *e)
{
	struct symbol *s = strmap_get(ck->funcs, e->name);

	if (!s || (func_class(s->func) == FC_DLIB && !ck->library)) {
		err(ck, e->loc, D_FUNC_UNDEF, nearest_func(ck, e->name), "there is no function %s()", e->name);
		return NULL;
	}
	if (e->args.n < nargs_of[s->func].lo || e->args.n > nargs_of[s->func].hi) {
		unsigned lo = nargs_of[s->func].lo, hi = nargs_of[s->func].hi;
		enum dtag tag = proto_tag(s->func);

		if (lo == hi)
			err(ck, e->loc, tag, NULL, "%s() takes %u argument%s, not %zu", e->name, lo, lo == 1 ? "" : "s",
				e->args.n);
		else
			err(ck, e->loc, tag, NULL, "%s() takes %u to %u arguments, not %zu", e->name, lo, hi,
				e->args.n);
		return NULL;
	}
	e->sym = s;
	return s;
}

/* ---- subroutines ------------------------------------------------------------------------------------------------- */
/* __has(expr): does the expression mean something on this kernel? Becomes an integer. */
static struct type *check_has(struct checker *ck, struct expr *e)
{
	struct diags *keep = ck->d;
	bool ok;

	ck->d = diags_new(ck->arena);
	ok = check_expr(ck, e->args.v[0]) != NULL;
	ck->d = keep;
	e->kind = EX_INT;
	e->ival = ok;
	return ck->ts->int32;
}

struct type *check_call(struct checker *ck, struct expr *e)
{
	struct symbol *s = find_func(ck, e);
	struct types *ts = ck->ts;
	struct type *t;

	if (!s)
		return NULL;
	if (func_class(s->func) == FC_ACTION)
		return err(ck, e->loc, D_OP_ACT, "write it as a statement of its own", "%s() has no value", e->name);
	if (func_class(s->func) == FC_AGG)
		return err(ck, e->loc, D_AGG_FUNC, arena_printf(ck->arena, "@name = %s(...);", e->name),
			"%s() is an aggregating function: its result goes to an aggregation", e->name);
	if (s->func == FN___has)
		return check_has(ck, e);
	if (s->func == FN___loadavg)
		return ts->string;
	t = check_expr(ck, e->args.v[0]);
	if (!t)
		return NULL;
	if (s->func == FN___ip6 ? t->kind != T_PTR : !type_is_int(t))
		return err(ck, e->args.v[0]->loc, D_PROTO_ARG, NULL, "%s() takes %s, not %s", e->name,
			s->func == FN___ip6 ? "a pointer" : "an integer", type_name(ts, t));
	if (s->func == FN___ip4 || s->func == FN___ip6 || s->func == FN___zone)
		return ts->string;
	if (s->func == FN_ntohs || s->func == FN_htons)
		return ts->uint16;
	return s->func == FN_ntohll || s->func == FN_htonll ? ts->uint64 : ts->uint32;
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
struct symbol *check_agg_ref(struct checker *ck, struct expr *e)
{
	struct symbol *s;

	if (e->kind != EX_AGG)
		return NULL;
	s = strmap_get(ck->aggs, e->name);
	if (!s) { /* printed before it is filled, in program order: filled in when its assignment is found */
		s = sym_new(ck, SYM_AGG, e->name, e->loc);
		strmap_put(ck->aggs, e->name, s);
		*vec_push(ck->arena, &ck->agg_list) = s;
	}
	e->sym = s;
	return s;
}

static bool agg_keys(struct checker *ck, struct expr *lhs, struct symbol *s, bool first)
{
	if (first) {
		s->nkeys = lhs->args.n;
		s->keys = ARENA_ARRAY(ck->arena, struct type *, s->nkeys + 1);
	} else if (s->nkeys != lhs->args.n) {
		err(ck, lhs->loc, D_PROTO_LEN, NULL, "@%s has %zu key%s elsewhere, %zu here", s->name, s->nkeys,
			s->nkeys == 1 ? "" : "s", lhs->args.n);
		return false;
	}
	for (size_t i = 0; i < lhs->args.n; i++) {
		struct type *t = check_expr(ck, lhs->args.v[i]);

		if (!t)
			return false;
		if (is_xlated(lhs->args.v[i]) || (!type_is_scalar(t) && !type_is_string(t))) {
			err(ck, lhs->args.v[i]->loc, D_KEY_TYPE, NULL, "%s cannot be a key", type_name(ck->ts, t));
			return false;
		}
		if (first)
			s->keys[i] = type_is_string(t) ? ck->ts->string : t;
		else if (type_is_string(s->keys[i]) != type_is_string(t)) {
			err(ck, lhs->args.v[i]->loc, D_PROTO_ARG, NULL, "key %zu of @%s is %s elsewhere", i + 1,
				s->name, type_name(ck->ts, s->keys[i]));
			return false;
		}
	}
	return true;
}

/* An integer constant argument. */
static bool agg_const(struct checker *ck, struct expr *call, size_t i, enum dtag tag, int64_t *v)
{
	struct expr *a = call->args.v[i];

	if (!check_expr(ck, a))
		return false;
	if (!const_eval(ck->ts, ck->d, a, v)) {
		err(ck, a->loc, tag, NULL, "argument %zu of %s() must be an integer constant", i + 1, call->name);
		return false;
	}
	return true;
}

static bool lquant_params(struct checker *ck, struct expr *c, int64_t *p)
{
	p[2] = 1;
	if (!agg_const(ck, c, 1, D_LQUANT_BASETYPE, &p[0]) || !agg_const(ck, c, 2, D_LQUANT_LIMTYPE, &p[1]))
		return false;
	if (c->args.n > 3 && !agg_const(ck, c, 3, D_LQUANT_STEPTYPE, &p[2]))
		return false;
	if (p[0] < INT32_MIN || p[0] > INT32_MAX)
		return err(ck, c->args.v[1]->loc, D_LQUANT_BASEVAL, NULL, "the base does not fit 32 bits"), false;
	if (p[1] < INT32_MIN || p[1] > INT32_MAX)
		return err(ck, c->args.v[2]->loc, D_LQUANT_LIMVAL, NULL, "the limit does not fit 32 bits"), false;
	if (p[0] >= p[1])
		return err(ck, c->args.v[2]->loc, D_LQUANT_MISMATCH, NULL, "the base must be below the limit"), false;
	if (p[2] < 1 || p[2] > UINT16_MAX)
		return err(ck, c->args.v[3]->loc, D_LQUANT_STEPVAL, NULL, "the step must be from 1 to 65535"), false;
	if ((p[1] - p[0]) / p[2] > 3000)
		return err(ck, c->loc, D_LQUANT_STEPSMALL, "a larger step", "more than 3000 levels"), false;
	return true;
}

static bool llquant_params(struct checker *ck, struct expr *c, int64_t *p)
{
	static const enum dtag tags[] = { D_LLQUANT_FACTORTYPE, D_LLQUANT_LOWTYPE, D_LLQUANT_HIGHTYPE,
		D_LLQUANT_NSTEPTYPE };
	int64_t power = 1;

	for (size_t i = 0; i < 4; i++)
		if (!agg_const(ck, c, i + 1, tags[i], &p[i]))
			return false;
	if (p[0] < 2 || p[0] > UINT16_MAX)
		return err(ck, c->args.v[1]->loc, D_LLQUANT_FACTORSMALL, NULL, "the factor must be two or more"), false;
	if (p[1] < 0 || p[2] <= p[1] || p[2] > 63)
		return err(ck, c->args.v[2]->loc, D_LLQUANT_MAGRANGE, NULL,
			       "low must be below high, both from 0 to 63"),
		       false;
	if (p[3] < p[0] || p[3] % p[0])
		return err(ck, c->args.v[4]->loc, D_LLQUANT_FACTOREVEN, NULL,
			       "the steps must be a multiple of the factor"),
		       false;
	for (int64_t i = 0; i <= p[2]; i++)
		if (__builtin_mul_overflow(power, p[0], &power))
			return err(ck, c->args.v[3]->loc, D_LLQUANT_HIGHVAL, NULL,
				       "factor to the power of high does not fit 64 bits"),
			       false;
	if ((p[2] - p[1] + 1) * p[3] > 3000)
		return err(ck, c->loc, D_LLQUANT_NSTEPVAL, NULL, "more than 3000 levels"), false;
	return true;
}

static bool agg_params(struct checker *ck, struct expr *call, enum func f, int64_t *p)
{
	struct type *t;

	if (call->args.n) {
		t = check_expr(ck, call->args.v[0]);
		if (!t)
			return false;
		if (!type_is_int(t)) {
			err(ck, call->args.v[0]->loc, D_AGG_SCALAR, NULL, "%s() takes an integer, not %s", call->name,
				type_name(ck->ts, t));
			return false;
		}
	}
	if (f == FN_lquantize && !lquant_params(ck, call, p))
		return false;
	if (f == FN_llquantize && !llquant_params(ck, call, p))
		return false;
	/* the increment of quantize, lquantize, llquantize */
	for (size_t i = f == FN_quantize ? 1 : f == FN_lquantize ? 4 : 5; i < call->args.n; i++) {
		t = check_expr(ck, call->args.v[i]);
		if (!t)
			return false;
		if (!type_is_int(t)) {
			err(ck, call->args.v[i]->loc, D_QUANT_PROTO, NULL, "the increment must be an integer");
			return false;
		}
	}
	return true;
}

/* Are the parameters of lquantize and llquantize those that the aggregation has elsewhere? */
static bool same_params(struct checker *ck, const struct expr *call, const struct symbol *s, const int64_t *p)
{
	static const struct {
		enum dtag tag;
		const char *what;
	} lq[] = { { D_LQUANT_MATCHBASE, "base" }, { D_LQUANT_MATCHLIM, "limit" }, { D_LQUANT_MATCHSTEP, "step" } },
	  llq[] = { { D_LLQUANT_FACTORMATCH, "factor" }, { D_LLQUANT_LOWMATCH, "low magnitude" },
		  { D_LLQUANT_HIGHMATCH, "high magnitude" }, { D_LLQUANT_NSTEPMATCH, "number of steps" } };
	bool ll = s->func == FN_llquantize;

	for (size_t i = 0; i < (ll ? 4 : 3); i++)
		if (p[i] != s->aggp[i]) {
			err(ck, i + 1 < call->args.n ? call->args.v[i + 1]->loc : call->loc,
				ll ? llq[i].tag : lq[i].tag, NULL, "@%s has %s %lld elsewhere, %lld here", s->name,
				ll ? llq[i].what : lq[i].what, (long long)s->aggp[i], (long long)p[i]);
			return false;
		}
	return true;
}

/* @a[keys] = func(args); */
void check_agg_assign(struct checker *ck, struct expr *e)
{
	struct symbol *s = check_agg_ref(ck, e->a), *f;
	int64_t p[5] = { 0 };
	bool first = !s->ready;

	if (e->op != OP_ASSIGN) {
		err(ck, e->loc, D_AGG_NULL, "use = and an aggregating function", "%s= on an aggregation",
			expr_op_text(e->op));
		return;
	}
	if (e->b->kind != EX_CALL) {
		err(ck, e->b->loc, D_AGG_FUNC, "for example @a = count();",
			"an aggregation takes the result of an aggregating function");
		return;
	}
	f = find_func(ck, e->b);
	if (!f)
		return;
	if (func_class(f->func) != FC_AGG) {
		err(ck, e->b->loc, D_AGG_FUNC, "count, sum, avg, min, max, stddev, quantize, lquantize, llquantize",
			"%s() is no aggregating function", e->b->name);
		return;
	}
	if (!agg_params(ck, e->b, f->func, p) || !agg_keys(ck, e->a, s, first))
		return;
	if (!first && s->func != f->func) {
		err(ck, e->loc, D_AGG_REDEF, NULL, "@%s is filled by %s() elsewhere", s->name, func_name(s->func));
		return;
	}
	if (!first && !same_params(ck, e->b, s, p))
		return;
	s->func = f->func;
	memcpy(s->aggp, p, sizeof(p));
	s->ready = true;
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */
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
	if (e->args.n - 1 != f->nargs) {
		err(ck, e->loc, D_PRINTF_ARG_PROTO, NULL, "the format takes %zu argument%s, %zu given", f->nargs,
			f->nargs == 1 ? "" : "s", e->args.n - 1);
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
	check_int_arg(ck, e, 0, D_EXIT_TYPE);
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
	struct symbol *s = find_func(ck, e);

	if (!s)
		return;
	if (checks[s->func])
		checks[s->func](ck, e);
	else
		e->type = check_call(ck, e);
}
