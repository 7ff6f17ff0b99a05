/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clause: one clause: its predicate, its statements, its record.
 * Input: a checked clause. Output: code in the program of its site.
 * Invariant: the code leaves a clause by its next label, with the record submitted or discarded. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"

static void lower_stmts(struct clause_ctx *cx, struct stmt *const *v, size_t n, bool count);

/* x++, ++x, x--, --x. */
static bool is_step(const struct expr *e)
{
	return e->kind == EX_UNARY && e->op >= OP_PREINC;
}

/* x++, x += n as statements: one atomic addition where the variable allows it. */
static bool atomic_step(struct clause_ctx *cx, const struct expr *e)
{
	bool dec = e->op == OP_PREDEC || e->op == OP_POSTDEC || e->op == OP_SUB;
	vreg d;

	if (is_step(e) && e->type->kind == T_INT) {
		return var_add(cx, e->a, ir_imm(cx->ir, dec ? -1 : 1), dec);
	}
	if (e->kind != EX_ASSIGN || (e->op != OP_ADD && e->op != OP_SUB) || e->type->kind != T_INT ||
		expr_has_effects(e->b) || (is_plain_var(e->a) && e->a->sym->scope == SCOPE_THIS))
		return false;
	if (!is_plain_var(e->a) && (e->a->kind != EX_MEMBER || e->a->isuffix))
		return false;
	d = lower_int(cx, e->b);
	return var_add(cx, e->a, dec ? ir_neg(cx->ir, d) : d, dec);
}

/* How many aggregations follow each other with the same keys. left: sampling may leave the first one out. */
static size_t same_keys(struct clause_ctx *cx, struct stmt *const *v, size_t n, bool left)
{
	size_t i = 1;

	while (i < n && stmt_is_agg(v[i]) && agg_same_store(v[0]->expr, v[i]->expr) &&
		sample_leaves(cx, v[i]->expr) == left)
		i++;
	return i;
}

/* Lowers an aggregation and those that follow it with the same keys, which are stored once. Returns how many. A firing
 * that sampling leaves out does not count. What is remembered behind the jump is forgotten, as in an if. */
static size_t lower_aggs(struct clause_ctx *cx, struct stmt *const *v, size_t n, bool count)
{
	const bool left = sample_leaves(cx, v[0]->expr);
	const size_t same = same_keys(cx, v, n, left), mark = memo_mark(cx->pg);
	uint32_t end = left ? ir_newlabel(cx->ir) : 0;
	struct agg_key key = { 0 };

	if (left)
		ir_jcci(cx->ir, CC_NE, cx->pg->left_out, 0, end);
	for (size_t i = 1; i < same; i++)
		lower_agg_ahead(cx, v[i]->expr, &key);
	for (size_t i = 0; i < same; i++) {
		cx->stmt_no += i && count;
		cx->ir->loc = v[i]->expr->loc;
		lower_agg(cx, v[i]->expr, &key);
	}
	if (left) {
		ir_label(cx->ir, end);
		memo_release(cx->pg, mark);
	}
	return same;
}

/* A statement: an action, or an expression for its effects. Reading memory may fault, so a value that is not used is
 * read all the same. */
static void lower_stmt_expr(struct clause_ctx *cx, const struct expr *e)
{
	cx->ir->loc = e->loc;
	if (e->kind == EX_CALL && e->sym &&
		(func_class(e->sym->func) == FC_ACTION || func_class(e->sym->func) == FC_SYM))
		lower_action(cx, e);
	else if (!atomic_step(cx, e))
		(void)lower_load(cx, lower_expr(cx, e), e);
}

/* Values remembered within a branch are forgotten at its end: the other path has not computed them. */
static void lower_if(struct clause_ctx *cx, const struct stmt *s)
{
	struct ir *ir = cx->ir;
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir);
	size_t mark = memo_mark(cx->pg);

	lower_jump(cx, s->expr, no, false);
	lower_stmts(cx, s->then.v, s->then.n, false);
	ir_jmp(ir, end);
	memo_release(cx->pg, mark);
	ir_label(ir, no);
	lower_stmts(cx, s->otherwise.v, s->otherwise.n, false);
	ir_label(ir, end);
	memo_release(cx->pg, mark);
}

/* count: these are the clause's own statements, by which faults are numbered (action #1, #2, ...). */
static void lower_stmts(struct clause_ctx *cx, struct stmt *const *v, size_t n, bool count)
{
	for (size_t i = 0, done; i < n; i += done) {
		int32_t mark = ir_stack_mark(cx->ir), held = scratch_mark(cx->pg);

		if (count)
			cx->stmt_no++;
		done = 1;
		if (v[i]->kind == ST_IF)
			lower_if(cx, v[i]);
		else if (stmt_is_agg(v[i]))
			done = lower_aggs(cx, v + i, n - i, count);
		else
			lower_stmt_expr(cx, v[i]->expr);
		ir_stack_release(cx->ir, mark);
		scratch_release(cx->pg, held);
	}
}

/* At a fault, runs the clauses of ERROR inline: in the thread that faulted, before the next clause.
 * Arguments: arg0 the probe's id, arg1 the enabled probe's id, arg2 the action, arg3 its offset in the program, arg4
 * the fault, arg5 its value. Returns whether one of them may have ended the trace. */
static bool fire_error(struct clause_ctx *cx)
{
	const vreg args[ERROR_ARGS] = { multi_id(cx), multi_epid(cx), cx->fault_action, cx->fault_pc, cx->fault_code,
		cx->fault_value };
	const struct jobs *jobs = &cx->lw->errors->jobs;
	bool may_have_ended = cx->exiting != 0, any = may_have_ended;

	for (size_t i = 0; i < jobs->v.n; i++) {
		may_have_ended = lower_clause(cx->pg, &jobs->v.v[i], args, may_have_ended);
		any |= may_have_ended;
	}
	return any;
}

/* Submits a record of the fault instead of the clause's own. Returns whether the clause, or one of ERROR's, may have
 * ended the trace. */
static bool lower_fault_exit(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	bool fires = cx->lw->errors && !cx->error_args;
	uint32_t noted = fires ? ir_newlabel(ir) : cx->next_label;
	vreg r;

	ir_label(ir, cx->fault_label);
	if (cx->rec)
		ring_discard(cx, cx->rec);
	ir_label(ir, cx->early_label);
	r = ring_reserve(cx, sizeof(struct dw_err), noted);
	ir_st(ir, r, offsetof(struct dw_err, rec.ts), 8, ktime(cx));
	ir_sti(ir, r, offsetof(struct dw_err, rec.epid), 4, -1);
	ir_sti(ir, r, offsetof(struct dw_err, rec.len), 4, sizeof(struct dw_err));
	ir_st(ir, r, offsetof(struct dw_err, epid), 4, multi_epid(cx));
	ir_st(ir, r, offsetof(struct dw_err, action), 4, cx->fault_action);
	ir_st(ir, r, offsetof(struct dw_err, fault), 4, cx->fault_code);
	ir_st(ir, r, offsetof(struct dw_err, pc), 4, cx->fault_pc);
	ir_st(ir, r, offsetof(struct dw_err, value), 8, cx->fault_value);
	ring_submit(cx, r, true);
	if (!fires)
		return cx->exiting != 0;
	ir_label(ir, noted);
	return fire_error(cx);
}

/* Does the clause call exit()? */
static bool has_exit(const struct epid *ep)
{
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].kind == ACT_EXIT)
			return true;
	return false;
}

/* The address of the gate (abi/abi.h). */
static vreg gate_word(struct clause_ctx *cx)
{
	return ir_mapval(cx->ir, map_for(cx->lw, MAP_GATE), 0);
}

/* Where a program goes on that runs none of its clauses, or no more of them. */
static uint32_t leave_label(struct clause_ctx *cx)
{
	if (cx->unused_label)
		return cx->unused_label;
	if (!cx->pg->ended_label)
		cx->pg->ended_label = ir_newlabel(cx->ir);
	return cx->pg->ended_label;
}

/* Emitted at the head of a program, and after each clause that may have ended the trace. exit() shuts the gate: no
 * clause runs then, not even the later ones of this firing, except those of END and ERROR, and those of the last walk.
 * BEGIN's run before it opens. */
static void leave_when_shut(struct clause_ctx *cx)
{
	bool dtrace = !strcmp(cx->prov->name, "dtrace"), begin = dtrace && !strcmp(cx->probe->name, "BEGIN");
	bool exits = checker_exits(cx->lw->ck);
	vreg gate;

	if ((dtrace && !begin) || (begin && !exits) || !(exits || cx->lw->gated))
		return;
	gate = ir_ld(cx->ir, gate_word(cx), 0, 8, false, false);
	if (at_walk(cx->pg))
		gate = ir_alui(cx->ir, ALU_AND, gate, DW_GATE_OPEN & DW_GATE_LAST);
	ir_jcci(cx->ir, begin ? CC_EQ : CC_NE, gate, begin ? DW_GATE_ENDED : DW_GATE_OPEN, leave_label(cx));
}

void clauses_begin(struct clause_ctx *head)
{
	head->unused_label = head->pg->unused_label;
	leave_when_shut(head);
	sample_draw(head, leave_label);
}

/* Submits the record. A clause that faults after its exit() has no record, and does not end the trace. */
static void submit_record(struct clause_ctx *cx, bool exits)
{
	struct ir *ir = cx->ir;
	uint32_t not_yet = ir_newlabel(ir);

	ring_submit(cx, cx->rec, exits);
	if (exits) {
		ir_jcci(ir, CC_EQ, cx->exiting, 0, not_yet);
		ir_sti(ir, gate_word(cx), 0, 8, DW_GATE_ENDED);
		ir_label(ir, not_yet);
	}
}

/* Reserves the record and writes its head. Guards of actions within an if start as 0, so an action that does not run is
 * skipped by the consumer. */
static void begin_record(struct clause_ctx *cx, const struct epid *ep)
{
	struct ir *ir = cx->ir;
	vreg epid;

	cx->rec = ep->rest ? capture_reserve(cx, ep) : ring_reserve(cx, ep->rec_size, cx->next_label);
	ir_st(ir, cx->rec, offsetof(struct dw_rec, ts), 8, ktime(cx));
	epid = multi_epid(cx);
	ir_st(ir, cx->rec, offsetof(struct dw_rec, epid), 8,
		ir_alu(ir, ALU_OR, epid, ir_imm(ir, (int64_t)((uint64_t)ep->rec_size << 32))));
	if (ep->spec_off)
		ir_sti(ir, cx->rec, (int32_t)ep->spec_off, 8, 0);
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].guard_off)
			ir_sti(ir, cx->rec, (int32_t)ep->actions[i].guard_off, 8, 0);
}

/* The predicate of a clause. If the program has only one clause, and neither its predicate nor the code before it
 * needs scratch memory, the slot is taken only where the predicate holds. */
static void lower_predicate(struct clause_ctx *cx, const struct expr *pred)
{
	struct prog_ctx *pg = cx->pg;

	if (!cx->unused_label) {
		lower_jump(cx, pred, cx->next_label, false);
		return;
	}
	lower_jump(cx, pred, cx->unused_label, false);
	if (pg->scratch || cx->faults)
		return;
	pg->scratch_at = cx->ir->code.n;
	pg->taken_late = true;
}

/* The state of a clause. args: those of ERROR, if this is a clause of ERROR inlined behind a fault. */
static struct clause_ctx begin_clause(struct prog_ctx *pg, const struct job *job, const vreg *args)
{
	struct clause_ctx cx = prog_head(pg);

	cx.clause = job->clause;
	cx.epid = job->epid;
	cx.actions = pg->lw->im->epids.v[job->epid].actions;
	cx.fault_code = ir_var(cx.ir);
	cx.fault_value = ir_var(cx.ir);
	cx.fault_action = ir_var(cx.ir);
	cx.fault_pc = ir_var(cx.ir);
	cx.next_label = ir_newlabel(cx.ir);
	cx.fault_label = cx.early_label = ir_newlabel(cx.ir); /* faults of the predicate: no record yet */
	cx.unused_label = pg->unused_label;
	if (args) {
		cx.error_args = args;
		cx.member = 0;
		cx.unused_label = 0;
	}
	return cx;
}

/* may_have_ended: did an earlier clause of this firing perhaps call exit()? Returns the same for the next one. */
bool lower_clause(struct prog_ctx *pg, const struct job *job, const vreg *args, bool may_have_ended)
{
	struct ir *ir = pg->ir;
	const struct clause *c = job->clause;
	const struct epid *ep = &pg->lw->im->epids.v[job->epid];
	int32_t stack = ir_stack_mark(ir), held = scratch_mark(pg);
	size_t memo = memo_mark(pg);
	struct clause_ctx cx = begin_clause(pg, job, args);

	multi_clause(&cx, job);
	if (may_have_ended)
		leave_when_shut(&cx);
	sample_clause(&cx);
	heap_begin_clause(&cx);
	if (c->pred)
		lower_predicate(&cx, c->pred);
	scratch_release(pg, held);
	cx.fault_label = ir_newlabel(ir);
	cx.exiting = has_exit(ep) ? ir_var(ir) : 0;
	if (cx.exiting)
		ir_seti(ir, cx.exiting, 0);
	if (ep->rec_size) {
		pg->lw->im->epids.v[job->epid].packets |= site_has_packet(pg);
		begin_record(&cx, ep);
	}
	lower_stmts(&cx, c->body.v, c->body.n, true);
	if (cx.rec)
		submit_record(&cx, cx.exiting != 0);
	ir_jmp(ir, cx.next_label);
	memo_release(pg, memo);
	may_have_ended = cx.faults ? lower_fault_exit(&cx) : cx.exiting != 0;
	ir_label(ir, cx.next_label);
	ir_stack_release(ir, stack);
	return may_have_ended;
}

/* Counts the places where paths with different values meet again. */
static size_t expr_branches(const struct expr *e)
{
	size_t n;

	if (!e)
		return 0;
	n = e->kind == EX_COND || (e->kind == EX_UNARY && e->op == OP_NOT) ||
		(e->kind == EX_BINARY && e->op >= OP_LAND) || e->kind == EX_ASSIGN ||
		(e->sym && symbol_is_dynamic(e->sym));
	for (size_t i = 0; i < e->args.n; i++)
		n += expr_branches(e->args.v[i]);
	return n + expr_branches(e->a) + expr_branches(e->b) + expr_branches(e->c);
}

/* The same for statements. */
static size_t stmt_branches(struct stmt *const *v, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += expr_branches(v[i]->expr) + (v[i]->kind == ST_IF) + stmt_branches(v[i]->then.v, v[i]->then.n) +
			stmt_branches(v[i]->otherwise.v, v[i]->otherwise.n);
	return sum;
}

/* The sum for all clauses, by which the caller decides whether blur() is worth its cost. */
size_t clauses_branches(const struct jobs *jobs)
{
	size_t sum = 0;

	for (size_t i = 0; i < jobs->v.n; i++) {
		const struct clause *c = jobs->v.v[i].clause;

		sum += expr_branches(c->pred) + stmt_branches(c->body.v, c->body.n);
	}
	return sum;
}
