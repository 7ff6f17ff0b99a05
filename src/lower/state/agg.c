/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg: aggregations: @a[keys] = func(value).
 * Input: an aggregating statement. Output: its description in the image, and code that updates the value.
 *
 * A key begins in a hash that all CPUs share, where updates are atomic instructions. A key that is updated often gets
 * an entry in a per-CPU hash, and is updated there from then on, so that CPUs do not contend for it. Why: an entry of a
 * per-CPU hash takes the kernel some 3,000 ns to make, and cannot always be made in an interrupt; one of a plain hash
 * takes 500 (bench/keys.c). A server has new keys with each connection, and its per-CPU values would take memory for
 * each possible CPU. min, max and stddev have the per-CPU map only: they are more than additions.
 *
 * Invariant: a per-CPU value is changed on its CPU only. Where no other program that fills the aggregation can run
 * between a load and its store, an update is those two (is_alone()). Elsewhere it is one atomic instruction. */
#include "lower/state/agg.h"

#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"
#include "lower/text/text.h"
#include "lower/tiers.h"

#define OFTEN_KEYS 16384u /* keys with per-CPU values; further ones stay in the common map */
/* A key gets per-CPU values after so many updates, a power of two: what making them takes is then some 10 ns for each
 * update so far. */
#define OFTEN 256

/* ---- the aggregation in the image -------------------------------------------------------------------------------- */
/* u64s of a value: count has the number; avg a number and a sum; stddev a number, a sum and a sum of squares of 128
 * bits; lquantize two levels more than its steps: below and above; all others two words. */
static uint32_t agg_words(const struct symbol *s)
{
	switch ((int)s->func) {
	case FN_count:
		return 1;
	case FN_stddev:
		return 4;
	case FN_quantize:
		return DW_QUANTIZE_BUCKETS;
	case FN_lquantize:
		return (uint32_t)((s->aggp[1] - s->aggp[0]) / s->aggp[2]) + 2;
	case FN_llquantize:
		return (uint32_t)llq_bounds((uint32_t)s->aggp[0], (uint32_t)s->aggp[1], (uint32_t)s->aggp[2],
			       (uint32_t)s->aggp[3], NULL, 0) +
			1;
	default:
		return 2;
	}
}

#define WORDS_MAX 3000u /* words per value; the kernel allows 32 KiB for a value per CPU */

/* An lquantize() with more levels is sparse: each level is a separate key with a value of one word. */
bool agg_sparse(const struct symbol *s)
{
	return s->func == FN_lquantize && agg_words(s) > WORDS_MAX;
}

/* Keys of less than 8 bytes take 8, so that they are aligned. The numbers of a shared map and of a sparse level follow
 * them. */
static void agg_fields(struct lowerer *lw, struct symbol *s, struct agg *a)
{
	uint32_t off = 0;

	a->keys = ARENA_ARRAY(lw->arena, struct field, s->nkeys + 1);
	a->nkeys = s->nkeys;
	for (size_t i = 0; i < s->nkeys; i++) {
		struct field *f = &a->keys[i];

		f->off = off;
		f->name = s->key_names ? s->key_names[i] : NULL;
		if (s->keys[i]->special) {
			f->kind = sym_field(s->keys[i]);
			f->size = s->keys[i]->size;
			off += f->size;
			continue;
		}
		if (type_is_block(s->keys[i])) {
			f->kind = FIELD_BYTES;
			f->size = s->keys[i]->size;
			off += (f->size + 7) / 8 * 8;
			continue;
		}
		if (s->keys[i]->kind != T_STRING) {
			f->kind = FIELD_INT;
			f->size = s->keys[i]->size;
			f->is_signed = s->keys[i]->is_signed;
			off += 8;
			continue;
		}
		f->kind = form_rep(s->key_forms[i]) == REP_LIT  ? FIELD_LIT
			: form_rep(s->key_forms[i]) == REP_TSTR ? FIELD_TSTR
								: FIELD_CHARS;
		f->size = form_size(s->key_forms[i]);
		off += f->size;
		if (f->kind == FIELD_LIT)
			f->size = 4;
	}
	if (a->shared)
		off += 8;
	if (a->sparse)
		off += 8;
	a->key_size = off ? off : 4;
}

/* Copies the parameters by which the consumer labels the buckets: base, limit and step, or factor, magnitudes and
 * steps.
 * Other functions have none. */
static void set_params(struct agg *a, const struct symbol *s)
{
	if (s->func == FN_lquantize) {
		a->lq_base = s->aggp[0];
		a->lq_limit = s->aggp[1];
		a->lq_step = s->aggp[2];
	} else if (s->func == FN_llquantize) {
		a->llq_factor = (uint32_t)s->aggp[0];
		a->llq_low = (uint32_t)s->aggp[1];
		a->llq_high = (uint32_t)s->aggp[2];
		a->llq_steps = (uint32_t)s->aggp[3];
	}
}

/* The function as the consumer knows it. */
static enum dw_agg_fn agg_fn(enum func f)
{
	static const enum dw_agg_fn fns[] = {
#define X(fn, name) [FN_##name] = DW_AGG_##fn,
		DW_AGG_FNS(X)
#undef X
	};

	return fns[f];
}

/* aggpercpu wants each CPU's part of all values. */
bool agg_begins_apart(const struct lowerer *lw, const struct symbol *s)
{
	return (s->nkeys || s->shared || agg_sparse(s)) && !lw->env->aggpercpu && s->func != FN_min &&
		s->func != FN_max && s->func != FN_stddev;
}

/* The map in which the keys of an aggregation begin, and limits for the other one, m. */
static void add_common(struct lowerer *lw, const struct symbol *s, struct agg *a, struct image_map *m)
{
	struct image_map common = *m;

	if (!agg_begins_apart(lw, s))
		return;
	common.name = arena_printf(lw->arena, "new_%.10s", a->name);
	common.type = BPF_MAP_TYPE_HASH;
	a->common = (a->shared ? map_shared(lw, common) : map_add(lw, common)) + 1;
	slots_begin(lw, s, a, &common);
	if (m->max_entries > OFTEN_KEYS)
		m->max_entries = OFTEN_KEYS;
}

/* The index of the aggregation in the image, which it joins on first use. */
uint32_t agg_index(struct lowerer *lw, struct symbol *s)
{
	uint32_t n = (uint32_t)lw->im->aggs.n, words = agg_words(s);
	struct agg *a;

	if (s->number)
		return s->number - 1;
	a = vec_push(lw->arena, &lw->im->aggs);
	a->name = s->name;
	if (!agg_sparse(s))
		(void)map_share(lw, s, MAP_AGG);
	a->shared = s->shared;
	a->sparse = agg_sparse(s);
	words = a->sparse ? 1 : words;
	a->id = n;
	a->fn = agg_fn(s->func);
	a->nwords = agg_words(s);
	agg_fields(lw, s, a);
	set_params(a, s);
	struct image_map m = {
		.role = MAP_AGG,
		.name = arena_printf(lw->arena, "agg_%.10s", s->name),
		.type = agg_hashed(a) ? BPF_MAP_TYPE_PERCPU_HASH : BPF_MAP_TYPE_PERCPU_ARRAY,
		.key_size = a->key_size,
		.value_size = words * 8,
		.max_entries = agg_hashed(a) ? map_entries(lw->env->aggsize, a->key_size + words * 8) : 1,
		.flags = agg_hashed(a) ? BPF_F_NO_PREALLOC : 0,
	};

	front_begin(lw, s, a, m.max_entries);
	add_common(lw, s, a, &m);
	a->map = a->shared ? map_shared(lw, m) : map_add(lw, m);
	if (agg_hashed(a) && lw->zero_size < words * 8)
		lw->zero_size = words * 8;
	s->number = n + 1;
	return n;
}

/* With interrupts off the kernel can allocate only few new keys at a time, so the map in which they begin is
 * preallocated. */
static void agg_prealloc(struct lowerer *lw, const struct agg *a)
{
	map_preallocate(lw, &lw->im->maps.v[a->common ? a->common - 1 : a->map]);
}

/* Aggregations get their indexes in the order of the script, whichever clause is lowered first. */
void aggs_begin(struct lowerer *lw)
{
	struct symbol **all;
	size_t n = checker_aggs(lw->ck, &all);

	for (size_t i = 0; i < n; i++) {
		bool known = all[i]->ready;

		for (size_t k = 0; known && k < all[i]->nkeys; k++)
			known = all[i]->keys[k]->kind != T_STRING || all[i]->key_forms;
		if (known)
			(void)agg_index(lw, all[i]);
	}
	lw->slots_known = true;
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */
/* Can no program that fills the aggregation interrupt this one? Then a plain addition to a per-CPU value does, which
 * costs less than an atomic one. */
static bool is_alone(const struct clause_ctx *cx, const struct symbol *s)
{
	return site_keeps_cpu(cx->lw->env, cx->pg->site) && !s->irqs;
}

/* To a per-CPU value. */
static void add_word(struct clause_ctx *cx, const struct symbol *s, vreg p, int32_t off, vreg delta)
{
	if (is_alone(cx, s))
		ir_st(cx->ir, p, off, 8, ir_alu(cx->ir, ALU_ADD, ir_ld(cx->ir, p, off, 8, false, false), delta));
	else
		ir_xadd(cx->ir, p, off, 8, delta);
}

/* Keeps the larger value, or the smaller one. */
static void update_minmax(struct clause_ctx *cx, const struct symbol *s, vreg p, vreg v)
{
	const bool max = s->func == FN_max;
	struct ir *ir = cx->ir;
	uint32_t set = ir_newlabel(ir), done = ir_newlabel(ir);
	vreg old, seen;

	old = ir_ld(ir, p, 0, 8, true, false);
	ir_jcci(ir, CC_EQ, ir_ld(ir, p, 8, 8, false, false), 0, set);
	ir_jcc(ir, max ? CC_SLE : CC_SGE, v, old, done);
	ir_label(ir, set);
	if (is_alone(cx, s)) {
		ir_st(ir, p, 0, 8, v);
		ir_sti(ir, p, 8, 8, 1);
		ir_label(ir, done);
		return;
	}
	/* An interrupt may have changed the value: compare again, a few times. */
	for (int i = 0; i < 3; i++) {
		uint32_t again = ir_newlabel(ir);

		seen = ir_cmpxchg(ir, p, 0, old, v);
		ir_jcc(ir, CC_NE, seen, old, again);
		ir_sti(ir, p, 8, 8, 1);
		ir_jmp(ir, done);
		ir_label(ir, again);
		ir_jcc(ir, max ? CC_SLE : CC_SGE, v, seen, done);
		old = seen;
	}
	count_drop(cx, DW_DROP_AGG);
	ir_label(ir, done);
}

/* Adds the square of |v|, 128 bits, with carry. */
static void update_squares(struct clause_ctx *cx, const struct symbol *s, vreg p, vreg v)
{
	struct ir *ir = cx->ir;
	vreg m = ir_var(ir), lo, hi, h, l, mid, old, sum, carry = ir_var(ir);
	uint32_t pos = ir_newlabel(ir), nocarry = ir_newlabel(ir);

	ir_set(ir, m, v);
	ir_jcci(ir, CC_SGE, v, 0, pos);
	ir_set(ir, m, ir_neg(ir, v));
	ir_label(ir, pos);
	h = ir_alui(ir, ALU_SHR, m, 32);
	l = ir_ext(ir, m, 4, false);
	mid = ir_alu(ir, ALU_MUL, h, l); /* twice, at bit 32 */
	lo = ir_alu(ir, ALU_MUL, l, l);
	hi = ir_alu(ir, ALU_ADD, ir_alu(ir, ALU_MUL, h, h), ir_alui(ir, ALU_SHR, mid, 31));
	sum = ir_alu(ir, ALU_ADD, lo, ir_alui(ir, ALU_SHL, mid, 33));
	ir_seti(ir, carry, 0);
	ir_jcc(ir, CC_UGE, sum, lo, nocarry);
	ir_seti(ir, carry, 1);
	ir_label(ir, nocarry);
	hi = ir_alu(ir, ALU_ADD, hi, carry);
	if (is_alone(cx, s)) {
		old = ir_ld(ir, p, 16, 8, false, false);
		lo = ir_alu(ir, ALU_ADD, old, sum);
		ir_st(ir, p, 16, 8, lo);
	} else {
		uint32_t ok = ir_newlabel(ir), give_up = ir_newlabel(ir);
		vreg o = ir_var(ir), n = ir_var(ir);

		ir_set(ir, o, ir_ld(ir, p, 16, 8, false, false));
		for (int i = 0; i < 3; i++) {
			vreg seen;

			ir_set(ir, n, ir_alu(ir, ALU_ADD, o, sum));
			seen = ir_cmpxchg(ir, p, 16, o, n);
			ir_jcc(ir, CC_EQ, seen, o, ok);
			ir_set(ir, o, seen);
		}
		count_drop(cx, DW_DROP_AGG);
		ir_jmp(ir, give_up);
		ir_label(ir, ok);
		ir_seti(ir, carry, 0);
		{
			uint32_t same = ir_newlabel(ir);

			ir_jcc(ir, CC_UGE, n, o, same);
			ir_seti(ir, carry, 1);
			ir_label(ir, same);
		}
		ir_xadd(ir, p, 24, 8, ir_alu(ir, ALU_ADD, hi, carry));
		ir_label(ir, give_up);
		return;
	}
	ir_seti(ir, carry, 0);
	pos = ir_newlabel(ir);
	ir_jcc(ir, CC_UGE, lo, old, pos);
	ir_seti(ir, carry, 1);
	ir_label(ir, pos);
	add_word(cx, s, p, 24, ir_alu(ir, ALU_ADD, hi, carry));
}

/* Adds floor(log2(x)), x > 0, to r. */
static void add_log2(struct clause_ctx *cx, vreg r, vreg value, int sign)
{
	struct ir *ir = cx->ir;
	vreg x = ir_var(ir);

	ir_set(ir, x, value);
	for (int bits = 32; bits; bits /= 2) {
		uint32_t small = ir_newlabel(ir);

		if (bits == 32)
			ir_jcc(ir, CC_ULT, x, ir_imm(ir, 1ll << 32), small);
		else
			ir_jcci(ir, CC_ULT, x, 1 << bits, small);
		ir_set(ir, r, ir_alui(ir, ALU_ADD, r, sign * bits));
		if (bits > 1)
			ir_set(ir, x, ir_alui(ir, ALU_SHR, x, bits));
		ir_label(ir, small);
	}
}

/* Buckets are the powers of two of both signs, with 0 in the middle. */
static vreg quantize_bucket(struct clause_ctx *cx, vreg v)
{
	struct ir *ir = cx->ir;
	vreg r = ir_var(ir);
	uint32_t neg = ir_newlabel(ir), end = ir_newlabel(ir);

	ir_seti(ir, r, 63);
	ir_jcci(ir, CC_EQ, v, 0, end);
	ir_jcci(ir, CC_SLT, v, 0, neg);
	ir_seti(ir, r, 64);
	add_log2(cx, r, v, 1);
	ir_jmp(ir, end);
	ir_label(ir, neg);
	ir_seti(ir, r, 62);
	add_log2(cx, r, ir_neg(ir, v), -1);
	ir_jcci(ir, CC_SGE, r, 0, end);
	ir_seti(ir, r, 0);
	ir_label(ir, end);
	return blur(cx, r);
}

/* The level's index: 0 is below the range, the last one above it. */
static vreg lquantize_level(struct clause_ctx *cx, const struct symbol *s, vreg v)
{
	struct ir *ir = cx->ir;
	vreg r = ir_var(ir), d;
	uint32_t end = ir_newlabel(ir), high = ir_newlabel(ir);

	ir_seti(ir, r, 0);
	ir_jcci(ir, CC_SLT, v, (int32_t)s->aggp[0], end);
	/* As in DTrace, values in an incomplete last step count as too high. */
	ir_jcc(ir, CC_SGE, v, ir_imm(ir, s->aggp[0] + (int64_t)(agg_words(s) - 2) * s->aggp[2]), high);
	d = ir_alu(ir, ALU_SUB, v, ir_imm(ir, s->aggp[0]));
	if (s->aggp[2] > 1)
		d = ir_alui(ir, ALU_DIV, d, (int32_t)s->aggp[2]);
	ir_set(ir, r, ir_alui(ir, ALU_ADD, d, 1));
	ir_jmp(ir, end);
	ir_label(ir, high);
	ir_seti(ir, r, (int64_t)agg_words(s) - 1);
	ir_label(ir, end);
	return blur(cx, r);
}

static void jump_below(struct ir *ir, vreg v, int64_t bound, uint32_t label)
{
	if (bound == (int32_t)bound)
		ir_jcci(ir, CC_SLT, v, (int32_t)bound, label);
	else
		ir_jcc(ir, CC_SLT, v, ir_imm(ir, bound), label);
}

/* The number of bounds[lo..hi) that are <= v, plus lo, by binary search. */
static void search_bounds(
	struct clause_ctx *cx, vreg r, vreg v, const int64_t *bounds, uint32_t lo, uint32_t hi, uint32_t end)
{
	struct ir *ir = cx->ir;
	uint32_t mid, less;

	if (lo == hi) {
		ir_seti(ir, r, lo);
		ir_jmp(ir, end);
		return;
	}
	mid = (lo + hi) / 2;
	less = ir_newlabel(ir);
	jump_below(ir, v, bounds[mid], less);
	search_bounds(cx, r, v, bounds, mid + 1, hi, end);
	ir_label(ir, less);
	search_bounds(cx, r, v, bounds, lo, mid, end);
}

/* Levels of factor 2: below 2^(shift + 1) a step is 1, above it each doubling has 2^shift levels. */
struct llq_powers {
	uint32_t shift;
	int64_t skip; /* levels below the first bound */
};

/* What code_powers() computes, for the value between the first and the last bound. */
static int64_t level_by_powers(const struct llq_powers *p, int64_t v)
{
	const int64_t up = 63 - __builtin_clzll((uint64_t)v) - (int64_t)p->shift;

	return up > 0 ? (v >> up) + (up << p->shift) - p->skip : v - p->skip;
}

/* Are the bounds such levels? The values at each bound and below it show it. */
static bool find_powers(const struct symbol *s, const int64_t *bounds, uint32_t n, struct llq_powers *out)
{
	const uint64_t steps = (uint64_t)s->aggp[3];

	if (s->aggp[0] != 2 || steps < 2 || steps & (steps - 1) || n < 2 || bounds[0] < 1)
		return false;
	*out = (struct llq_powers){ .shift = (uint32_t)__builtin_ctzll(steps) - 1 };
	out->skip = level_by_powers(out, bounds[0]) - 1;
	for (uint32_t i = 0; i < n; i++)
		if (level_by_powers(out, bounds[i]) != (int64_t)i + 1 ||
			(i && level_by_powers(out, bounds[i] - 1) != (int64_t)i))
			return false;
	return true;
}

/* The level's index without a search: a few conditions instead of one a level. */
static void code_powers(struct clause_ctx *cx, vreg r, vreg v, const int64_t *bounds, uint32_t n,
	const struct llq_powers *p, uint32_t end)
{
	struct ir *ir = cx->ir;
	uint32_t inside = ir_newlabel(ir), doubles = ir_newlabel(ir);
	vreg up = ir_var(ir);

	ir_seti(ir, r, 0);
	jump_below(ir, v, bounds[0], end);
	jump_below(ir, v, bounds[n - 1], inside);
	ir_seti(ir, r, n);
	ir_jmp(ir, end);
	ir_label(ir, inside);
	ir_seti(ir, up, -(int64_t)p->shift);
	add_log2(cx, up, v, 1);
	ir_jcci(ir, CC_SGE, up, 0, doubles);
	ir_seti(ir, up, 0);
	ir_label(ir, doubles);
	ir_set(ir, r, ir_alu(ir, ALU_SHR, v, up));
	ir_set(ir, r, ir_alu(ir, ALU_ADD, r, ir_alui(ir, ALU_SHL, up, (int32_t)p->shift)));
	ir_set(ir, r, ir_alui(ir, ALU_SUB, r, (int32_t)p->skip));
	ir_jmp(ir, end);
}

/* The level's index: 0 is below the range, the last one above it. */
static vreg llquantize_level(struct clause_ctx *cx, const struct symbol *s, vreg v)
{
	uint32_t n = agg_words(s) - 1, end = ir_newlabel(cx->ir);
	int64_t *bounds = ARENA_ARRAY(cx->lw->arena, int64_t, n + 1);
	vreg r = ir_var(cx->ir);
	struct llq_powers p;

	llq_bounds((uint32_t)s->aggp[0], (uint32_t)s->aggp[1], (uint32_t)s->aggp[2], (uint32_t)s->aggp[3], bounds, n);
	if (find_powers(s, bounds, n, &p))
		code_powers(cx, r, v, bounds, n, &p, end);
	else
		search_bounds(cx, r, v, bounds, 0, n, end);
	ir_label(cx->ir, end);
	return blur_always(cx, r);
}

static vreg event_times(struct clause_ctx *cx, const struct agg_event *ev)
{
	return ev->times ? ev->times : ir_imm(cx->ir, 1);
}

/* Where the bucket of an event is in the distribution at p. */
static vreg bucket_at(struct clause_ctx *cx, const struct symbol *s, vreg p, const struct agg_event *ev, uint32_t end)
{
	struct ir *ir = cx->ir;
	vreg at;

	if (agg_sparse(s))
		return p;
	/* Never taken: the verifier needs the bound, on the register that is added. Before Linux 6.8 it treats two
	 * loads of one stack word as two values. */
	at = ir_alui(ir, ALU_SHL, ev->level, 3);
	ir_jcci(ir, CC_UGT, at, 8 * ((int32_t)agg_words(s) - 1), end);
	return ir_alu(ir, ALU_ADD, p, at);
}

/* Updates this CPU's value, at p. Falls through, or jumps to end. */
static void update(struct clause_ctx *cx, struct symbol *s, vreg p, const struct agg_event *ev, uint32_t end)
{
	switch ((int)s->func) {
	case FN_count:
		add_word(cx, s, p, 0, event_times(cx, ev));
		break;
	case FN_sum:
		add_word(cx, s, p, 0, ev->v);
		add_word(cx, s, p, 8, ir_imm(cx->ir, 1)); /* so that a sum of 0 is seen as a value */
		break;
	case FN_avg:
		add_word(cx, s, p, 0, event_times(cx, ev));
		add_word(cx, s, p, 8, ev->v);
		break;
	case FN_min:
	case FN_max:
		update_minmax(cx, s, p, ev->v);
		break;
	case FN_stddev:
		add_word(cx, s, p, 0, ir_imm(cx->ir, 1));
		add_word(cx, s, p, 8, ev->v);
		update_squares(cx, s, p, ev->v);
		break;
	default:
		add_word(cx, s, bucket_at(cx, s, p, ev, end), 0, ev->weight);
		break;
	}
}

/* Updates the value that all CPUs share, at p. Returns the number of its updates so far, roughly: CPUs that update it
 * at once may all see the same number, and buckets have one each. */
vreg agg_update_common(struct clause_ctx *cx, struct symbol *s, vreg p, const struct agg_event *ev, uint32_t end)
{
	struct ir *ir = cx->ir;
	vreg counter = p, one = s->func == FN_sum ? ir_imm(ir, 1) : event_times(cx, ev);
	int32_t off = 0;

	switch ((int)s->func) {
	case FN_count:
		break;
	case FN_sum: /* the second word is 0 only where there is no value */
		ir_xadd(ir, p, 0, 8, ev->v);
		off = 8;
		break;
	case FN_avg:
		ir_xadd(ir, p, 8, 8, ev->v);
		break;
	default:
		counter = bucket_at(cx, s, p, ev, end);
		one = ev->weight;
		break;
	}
	ir_xadd(ir, counter, off, 8, one);
	return ir_ld(ir, counter, off, 8, false, false);
}

/* ---- the statement ----------------------------------------------------------------------------------------------- */
vreg agg_lookup(struct clause_ctx *cx, uint32_t map, vreg key)
{
	const vreg args[] = { ir_map(cx->ir, map), key };

	return ir_call(cx->ir, BPF_FUNC_map_lookup_elem, args, 2, false);
}

/* Makes an entry. Returns 0; or fails, also if another CPU was first. */
static vreg insert(struct clause_ctx *cx, uint32_t map, vreg key, vreg value)
{
	const vreg args[] = { ir_map(cx->ir, map), key, value, ir_imm(cx->ir, BPF_NOEXIST) };

	return ir_call(cx->ir, BPF_FUNC_map_update_elem, args, 4, false);
}

static vreg zeroes(struct clause_ctx *cx)
{
	return ir_mapval(cx->ir, map_for(cx->lw, MAP_ZERO), 0);
}

void agg_count_born(struct clause_ctx *cx, const struct agg *a, enum dw_born which)
{
	struct ir *ir = cx->ir;
	vreg born;

	if (a->shared)
		return;
	born = ir_mapval(ir, map_for(cx->lw, MAP_BORN), (int32_t)(a->id * DW_BORN_COUNT + which) * 8);
	ir_xadd(ir, born, 0, 8, ir_imm(ir, 1));
}

void agg_insert_own(struct clause_ctx *cx, const struct agg *a, vreg key)
{
	agg_count_born(cx, a, DW_BORN_OWN);
	insert(cx, a->map, key, zeroes(cx)); /* where it fails, the key stays as it is */
}

void agg_first(struct clause_ctx *cx, const struct symbol *s, vreg p, int32_t off, const struct agg_event *ev)
{
	struct ir *ir = cx->ir;

	if (s->func == FN_sum)
		ir_st(ir, p, off, 8, ev->v);
	else if (ev->times)
		ir_st(ir, p, off, 8, ev->times);
	else
		ir_sti(ir, p, off, 8, 1);
	if (s->func == FN_sum)
		ir_sti(ir, p, off + 8, 8, 1);
	else if (s->func == FN_avg)
		ir_st(ir, p, off + 8, 8, ev->v);
}

/* The value that a key has after its first event; 0: it is not a word or two. */
static vreg first_value(struct clause_ctx *cx, const struct symbol *s, const struct agg_event *ev)
{
	vreg p;

	if (s->func != FN_count && s->func != FN_sum && s->func != FN_avg)
		return 0;
	p = ir_stack(cx->ir, ir_stack_alloc(cx->ir, 16));
	agg_first(cx, s, p, 0, ev);
	return p;
}

/* The value for the key, created if it is new. Jumps to end if there is no room. ev: a new value may begin with it, and
 * then the event is done: jumps to end, too. NULL: a new value is 0. */
static vreg find_value(struct clause_ctx *cx, const struct symbol *s, const struct agg *a, vreg key,
	const struct agg_event *ev, uint32_t end)
{
	struct ir *ir = cx->ir;
	const uint32_t map = a->common ? a->common - 1 : a->map;
	vreg p = ir_var(ir), failed, first;
	uint32_t found = ir_newlabel(ir), old = ir_newlabel(ir);

	ir_set(ir, p, agg_lookup(cx, map, key));
	ir_jcci(ir, CC_NE, p, 0, found);
	first = ev ? first_value(cx, s, ev) : 0;
	failed = insert(cx, map, key, first ? first : zeroes(cx));
	ir_jcci(ir, CC_NE, failed, 0, old);
	agg_count_born(cx, a, DW_BORN_MAP);
	if (first)
		ir_jmp(ir, end);
	ir_label(ir, old);
	ir_set(ir, p, agg_lookup(cx, map, key));
	ir_jcci(ir, CC_NE, p, 0, found);
	count_drop(cx, DW_DROP_AGG);
	ir_jmp(ir, end);
	ir_label(ir, found);
	return p;
}

/* Finds the value and updates it: that of this CPU if the key has one, else the common one. */
static void add_event(struct clause_ctx *cx, struct symbol *s, const struct agg *a, struct agg_key *stored,
	const struct agg_event *ev)
{
	struct ir *ir = cx->ir;
	uint32_t end = ir_newlabel(ir), often = ir_newlabel(ir);
	const vreg key = stored->at, own = ir_var(ir);
	vreg p, n;

	if (front_here(cx, a) && !ev->weighs)
		front_find(cx, a, stored, own, often);
	if (!agg_hashed(a)) {
		ir_set(ir, own, agg_lookup(cx, a->map, key));
		ir_jcci(ir, CC_EQ, own, 0, end);
	} else if (!a->common) {
		ir_set(ir, own, find_value(cx, s, a, key, NULL, end));
		ir_label(ir, often);
	} else {
		if (slots_here(cx, a))
			slots_add(cx, s, a, stored, &(struct slots_event){ ev, own, often, end });
		ir_set(ir, own, agg_lookup(cx, a->map, key));
		ir_jcci(ir, CC_NE, own, 0, often);
		p = find_value(cx, s, a, key, ev, end);
		n = agg_update_common(cx, s, p, ev, end);
		ir_jcci(ir, CC_NE, ir_alui(ir, ALU_AND, n, OFTEN - 1), 0, end);
		agg_insert_own(cx, a, key);
		ir_jmp(ir, end);
		ir_label(ir, often);
	}
	update(cx, s, own, ev, end);
	ir_label(ir, end);
}

/* The bucket of a distribution that v belongs to. */
static vreg agg_level(struct clause_ctx *cx, const struct symbol *s, vreg v)
{
	if (s->func == FN_quantize)
		return quantize_bucket(cx, v);
	if (s->func == FN_lquantize)
		return lquantize_level(cx, s, v);
	return s->func == FN_llquantize ? llquantize_level(cx, s, v) : 0;
}

/* -x samplescale: numbers, sums and distributions count for the firings that sampling left out. The least, the greatest
 * and the deviation of those that ran are estimates as they are. */
static void scale_event(struct clause_ctx *cx, const struct symbol *s, const struct expr *e, struct agg_event *ev)
{
	if (s->func == FN_min || s->func == FN_max || s->func == FN_stddev)
		return;
	ev->times = sample_times(cx, e);
	if (!ev->times)
		return;
	if (s->func == FN_sum || s->func == FN_avg)
		ev->v = ir_alu(cx->ir, ALU_MUL, ev->v, ev->times);
	else if (s->func != FN_count)
		ev->weight = ir_alu(cx->ir, ALU_MUL, ev->weight, ev->times);
}

bool agg_same_store(const struct expr *x, const struct expr *y)
{
	const struct symbol *s = x->a->sym, *o = y->a->sym;

	return agg_same_keys(x, y) && !s->shared && !o->shared && !agg_sparse(s) && !agg_sparse(o);
}

/* Stores the keys, unless they were stored for an aggregation before; without keys, the one of the array. */
static void store_key(struct clause_ctx *cx, const struct expr *e, bool hashed, struct agg_key *key)
{
	struct ir *ir = cx->ir;

	if (key->at)
		return;
	if (hashed) {
		key->at = key_store(cx, &e->a->args, e->a->sym, &key->size, NULL);
	} else {
		key->at = ir_stack(ir, ir_stack_alloc(ir, 8));
		ir_sti(ir, key->at, 0, 4, 0);
	}
}

/* The value of an update. */
static struct agg_event event_of(struct clause_ctx *cx, const struct expr *e)
{
	struct symbol *s = e->a->sym;
	const struct expr *call = e->b;
	const uint32_t inc = s->func == FN_quantize ? 1 : s->func == FN_lquantize ? 4 : 5;
	struct agg_event ev = { 0 };

	if (call->args.n) {
		ev.v = lower_int(cx, call->args.v[0]);
		if (s->func == FN_min || s->func == FN_max)
			ev.v = ir_mov(cx->ir, ev.v);
	}
	ev.level = agg_level(cx, s, ev.v);
	ev.weighs = call->args.n > inc;
	ev.weight = ev.weighs ? lower_int(cx, call->args.v[inc]) : ir_imm(cx->ir, 1);
	scale_event(cx, s, e, &ev);
	return ev;
}

/* A fault in a value must leave the aggregations before it, so only values that cannot fault are computed early. */
static bool cannot_fault(const struct expr *call)
{
	return !call->args.n || call->args.v[0]->kind == EX_INT ||
		(is_plain_var(call->args.v[0]) && call->args.v[0]->sym->scope == SCOPE_THIS);
}

void lower_agg_ahead(struct clause_ctx *cx, const struct expr *e, struct agg_key *key)
{
	const struct symbol *s = e->a->sym;
	const uint32_t n = agg_index(cx->lw, e->a->sym);

	if (key->nnext < AGG_AHEAD && cx->lw->im->aggs.v[n].slots && cannot_fault(e->b))
		key->next[key->nnext++] = (struct agg_next){ .s = s, .id = n, .ev = event_of(cx, e) };
}

/* Keys and value are computed before the lookup, because computing may fault, and a fault must not leave a new key. */
void lower_agg(struct clause_ctx *cx, const struct expr *e, struct agg_key *key)
{
	struct ir *ir = cx->ir;
	struct symbol *s = e->a->sym;
	struct agg_event ev;
	uint32_t n;
	bool hashed;
	size_t memo;

	for (size_t i = 0; i < s->nkeys; i++)
		if (s->keys[i]->kind == T_STRING && !s->key_forms)
			return; /* an error was reported */
	n = agg_index(cx->lw, s);
	hashed = agg_hashed(&cx->lw->im->aggs.v[n]);
	if (cx->pg->site->irqs_off && hashed)
		agg_prealloc(cx->lw, &cx->lw->im->aggs.v[n]);
	store_key(cx, e, hashed, key);
	ev = event_of(cx, e);
	if (cx->lw->im->aggs.v[n].sparse)
		ir_st(ir, key->at, (int32_t)key->size - 8, 8, ev.level);
	memo = memo_mark(cx->pg);
	add_event(cx, s, &cx->lw->im->aggs.v[n], key, &ev);
	memo_release(cx->pg, memo);
}
