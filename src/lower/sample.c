/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample: one firing in so many runs its clauses, the others are left out and counted (-x sample, -x samplerate).
 * Input: the clauses of a program. Output: a draw before its first clause, and jumps around what is left out.
 * Invariant: whatever changes a variable, ends the trace or acts on what is traced is never left out. So a clause that
 * notes a time at an entry and one that reads it at a return see the same calls as without sampling, and only what they
 * record is left out. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"

/* What a statement does besides recording. */
enum keeps {
	KEEPS_NOTHING,
	KEEPS_THIS, /* it sets this-> variables, which later clauses of the same firing may read */
	KEEPS_STATE
};

static enum keeps more(enum keeps a, enum keeps b)
{
	return a > b ? a : b;
}

/* Actions that only record data. */
static bool only_records(enum func f)
{
	return f == FN_trace || f == FN_printf || f == FN_print || f == FN_tracemem || f == FN_pcap;
}

static bool call_keeps(enum func f)
{
	return f == FN_speculation || f == FN___former || (func_class(f) == FC_ACTION && !only_records(f));
}

static enum keeps assigned_keeps(const struct expr *to)
{
	if (to->kind == EX_AGG)
		return KEEPS_NOTHING;
	return to->kind == EX_IDENT && to->sym && to->sym->kind == SYM_VAR && to->scope == SCOPE_THIS ? KEEPS_THIS
												      : KEEPS_STATE;
}

static enum keeps expr_keeps(const struct expr *e)
{
	enum keeps k = KEEPS_NOTHING;

	if (!e)
		return k;
	if (e->kind == EX_ASSIGN)
		k = assigned_keeps(e->a);
	else if (e->kind == EX_UNARY && e->op >= OP_PREINC)
		k = assigned_keeps(e->a);
	else if (e->kind == EX_CALL && e->sym && call_keeps(e->sym->func))
		return KEEPS_STATE;
	if (e->sym && e->sym->kind == SYM_INLINE && e->loc.src && !e->loc.src->library)
		k = more(k, expr_keeps(e->sym->inl->value));
	for (size_t i = 0; i < e->args.n; i++)
		k = more(k, expr_keeps(e->args.v[i]));
	k = more(k, expr_keeps(e->a));
	return more(k, more(expr_keeps(e->b), expr_keeps(e->c)));
}

static enum keeps stmts_keep(struct stmt *const *v, size_t n)
{
	enum keeps k = KEEPS_NOTHING;

	for (size_t i = 0; i < n; i++) {
		k = more(k, expr_keeps(v[i]->expr));
		k = more(k, stmts_keep(v[i]->then.v, v[i]->then.n));
		k = more(k, stmts_keep(v[i]->otherwise.v, v[i]->otherwise.n));
	}
	return k;
}

static enum keeps clause_keeps(const struct clause *c)
{
	return more(expr_keeps(c->pred), stmts_keep(c->body.v, c->body.n));
}

/* Is it an aggregation that changes nothing else? */
static bool is_aggregation(const struct expr *e)
{
	return e->kind == EX_ASSIGN && e->a->kind == EX_AGG && expr_keeps(e) == KEEPS_NOTHING;
}

static bool has_aggregation(struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((v[i]->kind == ST_EXPR && is_aggregation(v[i]->expr)) ||
			has_aggregation(v[i]->then.v, v[i]->then.n) ||
			has_aggregation(v[i]->otherwise.v, v[i]->otherwise.n))
			return true;
	return false;
}

/* Probes that dwire or a clock fires are few, and walks show what there is. The arguments of path and sctp keep what
 * they saw before. */
static bool may_sample(const struct prog_ctx *pg)
{
	enum attach_way way = attach_info(pg->site->attach)->way;
	const char *prov = pg->probe->prov->name;

	return pg->lw->env->sample && way != WAY_HAND && way != WAY_PERF && way != WAY_WALK &&
		strcmp(prov, "path") != 0 && strcmp(prov, "sctp") != 0;
}

void sample_plan(struct prog_ctx *pg, const struct jobs *jobs)
{
	enum keeps all = KEEPS_NOTHING;
	bool some = false;

	pg->sampling = SAMPLE_NOTHING;
	if (!may_sample(pg) || !jobs->v.n)
		return;
	for (size_t i = 0; i < jobs->v.n; i++) {
		const struct clause *c = jobs->v.v[i].clause;
		enum keeps k = clause_keeps(c);

		all = more(all, k);
		some |= k == KEEPS_NOTHING || has_aggregation(c->body.v, c->body.n);
	}
	pg->sampling = all != KEEPS_STATE ? SAMPLE_FIRINGS : some ? SAMPLE_PARTS : SAMPLE_NOTHING;
	pg->lw->im->sampled |= pg->sampling != SAMPLE_NOTHING;
}

vreg sample_rate(struct clause_ctx *cx)
{
	if (cx->pg->rate)
		return cx->pg->rate;
	return cx->lw->env->sample
		? ir_ld(cx->ir, ir_mapval(cx->ir, map_for(cx->lw, MAP_SAMPLE), 0), 0, 8, false, false)
		: ir_imm(cx->ir, 1);
}

/* The draw: a number of 32 bits, times the rate, is below 2^32 for one in rate of them. */
void sample_draw(struct clause_ctx *cx, uint32_t (*leave)(struct clause_ctx *cx))
{
	struct prog_ctx *pg = cx->pg;
	struct ir *ir = cx->ir;
	uint32_t run = ir_newlabel(ir);
	vreg drawn;

	if (pg->sampling == SAMPLE_NOTHING)
		return;
	pg->rate = sample_rate(cx);
	if (pg->sampling == SAMPLE_PARTS) {
		pg->left_out = ir_var(ir);
		ir_seti(ir, pg->left_out, 0);
	}
	ir_jcci(ir, CC_EQ, pg->rate, 1, run);
	drawn = ir_ext(ir, ir_call(ir, BPF_FUNC_get_prandom_u32, NULL, 0, false), 4, false);
	drawn = ir_alui(ir, ALU_SHR, ir_alu(ir, ALU_MUL, drawn, pg->rate), 32);
	ir_jcci(ir, CC_EQ, drawn, 0, run);
	count_drop(cx, DW_DROP_SAMPLED);
	if (pg->sampling == SAMPLE_FIRINGS)
		ir_jmp(ir, leave(cx));
	else
		ir_seti(ir, pg->left_out, 1);
	ir_label(ir, run);
}

void sample_clause(struct clause_ctx *cx)
{
	if (cx->pg->left_out && !cx->error_args && clause_keeps(cx->clause) == KEEPS_NOTHING)
		ir_jcci(cx->ir, CC_NE, cx->pg->left_out, 0, cx->next_label);
}

bool sample_leaves(const struct clause_ctx *cx, const struct expr *e)
{
	return cx->pg->left_out && !cx->error_args && is_aggregation(e);
}

vreg sample_times(struct clause_ctx *cx, const struct expr *e)
{
	bool drawn = cx->pg->sampling == SAMPLE_FIRINGS || sample_leaves(cx, e);

	return cx->lw->env->samplescale && drawn && !cx->error_args ? sample_rate(cx) : 0;
}
