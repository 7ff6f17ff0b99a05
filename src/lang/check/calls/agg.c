/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg: checks @a[keys] = func(args).
 * Input: the assignment as parsed. Output: the aggregation's symbol: its function, parameters and key types.
 * Invariant: a symbol is complete after its first correct assignment. Later assignments must agree with it.
 * Source: D manual, chapter "Aggregations". */
#include <string.h>

#include "lang/check/calls/calls.h"

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

/* Are both structures, unions or arrays of one type, or neither? */
static bool same_block(const struct type *a, const struct type *b)
{
	bool x = type_is_block(a) && !type_is_string(a), y = type_is_block(b) && !type_is_string(b);

	return x == y && (!x || type_same(a, b));
}

/* The first clause that fills the aggregation decides number and types of its keys; later ones must agree. Strings
 * agree with each other: their forms are joined. */
static bool agg_keys(struct checker *ck, struct expr *lhs, struct symbol *s, bool first)
{
	if (first) {
		s->nkeys = lhs->args.n;
		s->keys = ARENA_ARRAY(ck->arena, struct type *, s->nkeys + 1);
		s->key_names = ARENA_ARRAY(ck->arena, const char *, s->nkeys + 1);
		for (size_t i = 0; i < s->nkeys; i++)
			s->key_names[i] = lhs->args.v[i]->name;
	} else if (s->nkeys != lhs->args.n) {
		err(ck, lhs->loc, D_PROTO_LEN, NULL, "@%s has %zu key%s elsewhere, %zu here", s->name, s->nkeys,
			s->nkeys == 1 ? "" : "s", lhs->args.n);
		return false;
	}
	for (size_t i = 0; i < lhs->args.n; i++) {
		struct type *t;

		ck->in_key = true; /* what is summed by its bytes cannot be a copy of a stack */
		t = check_datum(ck, lhs->args.v[i], D_KEY_TYPE);
		ck->in_key = false;

		if (!t)
			return false;
		if (is_xlated(lhs->args.v[i])) {
			err(ck, lhs->args.v[i]->loc, D_KEY_TYPE, "name one of its members",
				"%s is made by a translator: it cannot be a key", type_name(ck->ts, t));
			return false;
		}
		if (!check_key_type(ck, lhs->args.v[i]->loc, t))
			return false;
		if (first)
			s->keys[i] = type_is_string(t) ? ck->ts->string : t;
		else if (type_is_string(s->keys[i]) != type_is_string(t) || s->keys[i]->special != t->special ||
			!same_block(s->keys[i], t) ||
			(type_is_scalar(t) && !numbers_fit(ck, NULL, s->keys[i], lhs->args.v[i]))) {
			err(ck, lhs->args.v[i]->loc, D_PROTO_ARG, NULL, "key %zu of @%s is %s elsewhere", i + 1,
				s->name, type_name(ck->ts, s->keys[i]));
			return false;
		}
		if (t->special && t->size > s->keys[i]->size) /* room for the deepest of its stacks */
			s->keys[i] = t;
	}
	return true;
}

/* Argument i of the call as an integer constant. False after an error. */
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

/* The limits are those of DTrace, which packs base, limit and step into one word: 32, 32 and 16 bits. */
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
	if (p[2] < 1)
		return err(ck, c->args.v[3]->loc, D_LQUANT_STEPTYPE, NULL, "the step must be positive"), false;
	if (p[2] > UINT16_MAX)
		return err(ck, c->args.v[3]->loc, D_LQUANT_STEPVAL, NULL, "the step must be from 1 to 65535"), false;
	if (p[1] - p[0] < p[2])
		return err(ck, c->args.v[3]->loc, D_LQUANT_STEPLARGE, "a smaller step", "the step leaves no level"),
		       false;
	if ((p[1] - p[0]) / p[2] > UINT16_MAX)
		return err(ck, c->loc, D_LQUANT_STEPSMALL, "a larger step", "more than 65535 levels"), false;
	return true;
}

/* As in DTrace: factor, low, high and steps have 16 bits; steps divide each magnitude evenly. 3000 levels are what a
 * map's value holds (WORDS_MAX in lower/state/agg.c). */
static bool llquant_params(struct checker *ck, struct expr *c, int64_t *p)
{
	static const enum dtag tags[] = { D_LLQUANT_FACTORTYPE, D_LLQUANT_LOWTYPE, D_LLQUANT_HIGHTYPE,
		D_LLQUANT_NSTEPTYPE };
	static const enum dtag values[] = { D_LLQUANT_FACTORVAL, D_LLQUANT_LOWVAL, D_LLQUANT_HIGHVAL,
		D_LLQUANT_NSTEPVAL };
	int64_t power;

	for (size_t i = 0; i < 4; i++)
		if (!agg_const(ck, c, i + 1, tags[i], &p[i]))
			return false;
	for (size_t i = 0; i < 4; i++)
		if (p[i] < 0 || p[i] > UINT16_MAX)
			return err(ck, c->args.v[i + 1]->loc, values[i], NULL, "this must be from 0 to 65535"), false;
	if (p[1] >= p[2])
		return err(ck, c->args.v[2]->loc, D_LLQUANT_MAGRANGE, NULL, "low must be below high"), false;
	if (p[0] < 2)
		return err(ck, c->args.v[1]->loc, D_LLQUANT_FACTORSMALL, NULL, "the factor must be two or more"), false;
	if (p[3] < p[0])
		return err(ck, c->args.v[4]->loc, D_LLQUANT_FACTORNSTEPS, NULL,
			       "the number of steps must not be below the factor"),
		       false;
	for (power = p[0]; power < p[3]; power *= p[0])
		;
	if (p[3] % p[0] || power % p[3])
		return err(ck, c->args.v[4]->loc, D_LLQUANT_FACTOREVEN, NULL,
			       "the steps must be a multiple of the factor, and divide a power of it"),
		       false;
	power = 1;
	for (int64_t i = 0; i <= p[2]; i++)
		if (__builtin_mul_overflow(power, p[0], &power))
			return err(ck, c->args.v[3]->loc, D_LLQUANT_MAGTOOBIG, NULL,
				       "factor to the power of high does not fit 64 bits"),
			       false;
	if ((p[2] - p[1] + 1) * p[3] > 3000)
		return err(ck, c->loc, D_LLQUANT_NSTEPVAL, NULL, "more than 3000 levels"), false;
	return true;
}

/* The first argument is the value that is aggregated; quantize(), lquantize() and llquantize() take an increment as
 * their last one. p gets the parameters of the buckets. False after an error. */
static bool agg_params(struct checker *ck, struct expr *call, enum func f, int64_t *p)
{
	struct type *t;

	if (call->args.n) {
		t = check_expr(ck, call->args.v[0]);
		if (!t)
			return false;
		if (is_xlated(call->args.v[0]) || !type_is_scalar(t)) {
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
			err(ck, call->args.v[i]->loc, D_PROTO_ARG, NULL, "the increment must be an integer");
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

/* @a[keys] = func(args). The first one makes the aggregation; later ones must have its function and parameters. */
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
	f = func_find(ck, e->b);
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
