/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clause: one clause: its predicate, its statements, its record.
 * Invariant: the code leaves a clause by its next label, with the record submitted or discarded. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/priv.h"

static void lower_stmts(struct lowerer *lw, struct stmt *const *v, size_t n, bool count);

static bool is_step(const struct expr *e)
{
	return e->kind == EX_UNARY && e->op >= OP_PREINC;
}

/* x++, x += n as statements: one atomic addition where the variable allows it. */
static bool atomic_step(struct lowerer *lw, const struct expr *e)
{
	bool dec = e->op == OP_PREDEC || e->op == OP_POSTDEC || e->op == OP_SUB;
	vreg d;

	if (is_step(e) && e->type->kind == T_INT) {
		return var_add(lw, e->a, ir_imm(lw->ir, dec ? -1 : 1), dec);
	}
	if (e->kind != EX_ASSIGN || (e->op != OP_ADD && e->op != OP_SUB) || e->type->kind != T_INT ||
		e->type->size < 4 || (is_plain_var(e->a) && e->a->sym->scope == SCOPE_THIS))
		return false;
	if (!is_plain_var(e->a) && (e->a->kind != EX_MEMBER || e->a->isuffix))
		return false;
	d = lower_int(lw, e->b);
	return var_add(lw, e->a, dec ? ir_neg(lw->ir, d) : d, dec);
}

static void lower_stmt_expr(struct lowerer *lw, const struct expr *e)
{
	lw->ir->loc = e->loc;
	if (e->kind == EX_ASSIGN && e->a->kind == EX_AGG)
		lower_agg(lw, e);
	else if (e->kind == EX_CALL && e->sym &&
		(func_class(e->sym->func) == FC_ACTION || func_class(e->sym->func) == FC_SYM))
		lower_action(lw, e);
	else if (!atomic_step(lw, e))
		(void)lower_load(lw, lower_expr(lw, e), e);
}

static void lower_if(struct lowerer *lw, const struct stmt *s)
{
	struct ir *ir = lw->ir;
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir);
	size_t mark = memo_mark(lw);

	lower_jump(lw, s->expr, no, false);
	lower_stmts(lw, s->then.v, s->then.n, false);
	ir_jmp(ir, end);
	memo_release(lw, mark);
	ir_label(ir, no);
	lower_stmts(lw, s->otherwise.v, s->otherwise.n, false);
	ir_label(ir, end);
	memo_release(lw, mark);
}

static void lower_stmts(struct lowerer *lw, struct stmt *const *v, size_t n, bool count)
{
	for (size_t i = 0; i < n; i++) {
		int32_t mark = ir_stack_mark(lw->ir), held = scratch_mark(lw);

		if (count)
			lw->stmt_no++;
		if (v[i]->kind == ST_IF)
			lower_if(lw, v[i]);
		else
			lower_stmt_expr(lw, v[i]->expr);
		ir_stack_release(lw->ir, mark);
		scratch_release(lw, held);
	}
}

/* At a fault: the clauses of ERROR, as if they stood here: in the thread that faulted, before the next clause.
 * Arguments: arg0 the probe's id, arg1 the enabled probe's, arg2 the action, arg3 where in its program, arg4 the
 * fault, arg5 its value. */
static void fire_error(struct lowerer *lw)
{
	const vreg args[ERROR_ARGS] = { multi_id(lw), multi_epid(lw), lw->fault_action, lw->fault_pc, lw->fault_code,
		lw->fault_value };
	const struct probe *probe = lw->probe;
	vreg member = lw->member, entry = lw->entry;
	uint32_t next = lw->next_label, unused = lw->unused_label;
	bool may_have_ended = lw->may_have_ended;

	lw->error_args = args;
	lw->member = 0;
	lw->unused_label = 0;
	for (size_t i = 0; i < lw->errors->jobs.v.n; i++) {
		lower_clause(lw, &lw->errors->jobs.v.v[i]);
		may_have_ended |= lw->may_have_ended;
	}
	lw->error_args = NULL;
	lw->probe = probe;
	lw->prov = probe->prov;
	lw->member = member;
	lw->entry = entry;
	lw->next_label = next;
	lw->unused_label = unused;
	lw->may_have_ended = may_have_ended;
}

/* A record of the fault instead of the clause's own. */
static void lower_fault_exit(struct lowerer *lw)
{
	struct ir *ir = lw->ir;
	bool fires = lw->errors && !lw->error_args;
	uint32_t noted = fires ? ir_newlabel(ir) : lw->next_label;
	vreg r;

	ir_label(ir, lw->fault_label);
	if (lw->rec)
		ir_call(ir, BPF_FUNC_ringbuf_discard, (vreg[]){ lw->rec, ir_imm(ir, BPF_RB_NO_WAKEUP) }, 2, false);
	ir_label(ir, lw->early_label);
	r = ring_reserve(lw, sizeof(struct dw_err), noted);
	ir_st(ir, r, offsetof(struct dw_err, rec.ts), 8, ktime(lw));
	ir_sti(ir, r, offsetof(struct dw_err, rec.epid), 4, -1);
	ir_sti(ir, r, offsetof(struct dw_err, rec.len), 4, sizeof(struct dw_err));
	ir_st(ir, r, offsetof(struct dw_err, epid), 4, multi_epid(lw));
	ir_st(ir, r, offsetof(struct dw_err, action), 4, lw->fault_action);
	ir_st(ir, r, offsetof(struct dw_err, fault), 4, lw->fault_code);
	ir_st(ir, r, offsetof(struct dw_err, pc), 4, lw->fault_pc);
	ir_st(ir, r, offsetof(struct dw_err, value), 8, lw->fault_value);
	ring_submit(lw, r, true);
	if (fires) {
		ir_label(ir, noted);
		fire_error(lw);
	}
}

static bool has_exit(const struct epid *ep)
{
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].kind == ACT_EXIT)
			return true;
	return false;
}

/* The word that exit() sets: from then on no clause runs, those of this firing neither, but for END's and ERROR's. */
static vreg ended_word(struct lowerer *lw)
{
	if (!lw->ended_room) {
		lw->ended_room = lw->im->globals_size + 1;
		lw->im->globals_size += 8;
	}
	return ir_mapval(lw->ir, map_for(lw, MAP_GLOBALS), (int32_t)lw->ended_room - 1);
}

/* Asked at the head of a program, and where a clause before this one may have ended the trace. */
static void leave_when_ended(struct lowerer *lw)
{
	bool last = !strcmp(lw->prov->name, "dtrace") && strcmp(lw->probe->name, "BEGIN") != 0;

	if (lw->may_have_ended && checker_exits(lw->ck) && !last) {
		if (!lw->ended_label && !lw->unused_label)
			lw->ended_label = ir_newlabel(lw->ir);
		ir_jcci(lw->ir, CC_NE, ir_ld(lw->ir, ended_word(lw), 0, 8, false, false), 0,
			lw->unused_label ? lw->unused_label : lw->ended_label);
	}
	lw->may_have_ended = false;
}

/* The record is on its way: a clause that faults behind its exit() has none, and does not end the trace. */
static void submit_record(struct lowerer *lw, bool exits)
{
	struct ir *ir = lw->ir;
	uint32_t not_yet = ir_newlabel(ir);

	ring_submit(lw, lw->rec, exits);
	if (exits) {
		ir_jcci(ir, CC_EQ, lw->exiting, 0, not_yet);
		ir_sti(ir, ended_word(lw), 0, 8, 1);
		ir_label(ir, not_yet);
	}
}

static void begin_record(struct lowerer *lw, const struct epid *ep)
{
	struct ir *ir = lw->ir;

	lw->rec = ring_reserve(lw, ep->rec_size, lw->next_label);
	ir_st(ir, lw->rec, offsetof(struct dw_rec, ts), 8, ktime(lw));
	ir_st(ir, lw->rec, offsetof(struct dw_rec, epid), 8,
		ir_alu(ir, ALU_OR, multi_epid(lw), ir_imm(ir, (int64_t)((uint64_t)ep->rec_size << 32))));
	if (ep->spec_off)
		ir_sti(ir, lw->rec, (int32_t)ep->spec_off, 8, 0);
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].guard_off)
			ir_sti(ir, lw->rec, (int32_t)ep->actions[i].guard_off, 8, 0);
}

/* The predicate of a clause. With only one in the program, and if neither it nor what stands before it wants scratch
 * memory, that is not taken unless the predicate holds. */
static void lower_predicate(struct lowerer *lw, const struct expr *pred)
{
	size_t faults = lw->faults;

	if (!lw->unused_label) {
		lower_jump(lw, pred, lw->next_label, false);
		return;
	}
	lower_jump(lw, pred, lw->unused_label, false);
	if (lw->scratch || lw->faults != faults)
		return;
	lw->scratch_at = lw->ir->code.n;
	lw->taken_late = true;
}

void lower_clause(struct lowerer *lw, const struct job *job)
{
	struct ir *ir = lw->ir;
	const struct clause *c = job->clause;
	struct epid *ep = &lw->im->epids.v[job->epid];
	int32_t stack = ir_stack_mark(ir), held = scratch_mark(lw);
	size_t memo = memo_mark(lw);

	lw->clause = c;
	lw->epid = job->epid;
	lw->rec = 0;
	lw->stmt_no = 0;
	lw->action_no = 0;
	lw->actions = ep->actions;
	lw->fault_code = ir_var(ir);
	lw->fault_value = ir_var(ir);
	lw->fault_action = ir_var(ir);
	lw->fault_pc = ir_var(ir);
	lw->next_label = ir_newlabel(ir);
	lw->fault_label = lw->early_label = ir_newlabel(ir); /* faults of the predicate: no record yet */
	multi_clause(lw, job, lw->next_label);
	leave_when_ended(lw);
	if (c->pred)
		lower_predicate(lw, c->pred);
	scratch_release(lw, held);
	lw->fault_label = ir_newlabel(ir);
	lw->exiting = has_exit(ep) ? ir_var(ir) : 0;
	if (lw->exiting)
		ir_seti(ir, lw->exiting, 0);
	if (ep->rec_size)
		begin_record(lw, ep);
	lower_stmts(lw, c->body.v, c->body.n, true);
	if (lw->rec)
		submit_record(lw, lw->exiting != 0);
	lw->may_have_ended = lw->exiting != 0;
	ir_jmp(ir, lw->next_label);
	memo_release(lw, memo);
	lower_fault_exit(lw);
	ir_label(ir, lw->next_label);
	ir_stack_release(ir, stack);
	lw->clause = NULL;
}

/* Places where paths meet again with different values. */
static size_t expr_branches(const struct expr *e)
{
	size_t n;

	if (!e)
		return 0;
	n = e->kind == EX_COND || (e->kind == EX_UNARY && e->op == OP_NOT) ||
		(e->kind == EX_BINARY && e->op >= OP_LAND) || e->kind == EX_ASSIGN ||
		(e->sym && (e->sym->kind == SYM_ASSOC || e->sym->scope == SCOPE_SELF));
	for (size_t i = 0; i < e->args.n; i++)
		n += expr_branches(e->args.v[i]);
	return n + expr_branches(e->a) + expr_branches(e->b) + expr_branches(e->c);
}

static size_t stmt_branches(struct stmt *const *v, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += expr_branches(v[i]->expr) + (v[i]->kind == ST_IF) + stmt_branches(v[i]->then.v, v[i]->then.n) +
			stmt_branches(v[i]->otherwise.v, v[i]->otherwise.n);
	return sum;
}

size_t clauses_branches(const struct jobs *jobs)
{
	size_t sum = 0;

	for (size_t i = 0; i < jobs->v.n; i++) {
		const struct clause *c = jobs->v.v[i].clause;

		sum += expr_branches(c->pred) + stmt_branches(c->body.v, c->body.n);
	}
	return sum;
}
