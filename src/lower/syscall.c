/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall: narrows sites at sys_enter and sys_exit that concern only a few system calls.
 * Input: a site with calls. Output: the same site at the tracepoints of those calls, so that other calls run no
 * program. The context of such a program is a record: the call's number, then the arguments or the return value.
 * Invariant: registers are read from the task, because the context has none. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/program.h"

#define RECORD_NR 8 /* offsets: behind the tracer's own words */
#define RECORD_RET 16

/* Does e need the kernel's stack? It is not available there: the record comes with the registers of the process. */
static bool expr_walks(const struct expr *e)
{
	if (!e)
		return false;
	if (e->kind == EX_CALL && e->name && !strcmp(e->name, "stack"))
		return true;
	if (e->sym && e->sym->kind == SYM_BUILTIN && (e->sym->builtin == BI_caller || e->sym->builtin == BI_stackdepth))
		return true;
	for (size_t i = 0; i < e->args.n; i++)
		if (expr_walks(e->args.v[i]))
			return true;
	return expr_walks(e->a) || expr_walks(e->b) || expr_walks(e->c);
}

static bool stmt_walks(struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (expr_walks(v[i]->expr) || stmt_walks(v[i]->then.v, v[i]->then.n) ||
			stmt_walks(v[i]->otherwise.v, v[i]->otherwise.n))
			return true;
	return false;
}

static bool walks_stack(const struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->v.n; i++) {
		const struct clause *c = jobs->v.v[i].clause;

		if (expr_walks(c->pred) || stmt_walks(c->body.v, c->body.n))
			return true;
	}
	return false;
}

const struct site *syscall_site(struct lowerer *lw, const struct site *s, const struct jobs *jobs)
{
	struct site *by;

	if (!s->calls || !lw->env->syscall_event || lw->env->no_regs || walks_stack(jobs))
		return s;
	for (const char *const *c = s->calls; *c; c++)
		if (!lw->env->syscall_event(lw->env->ctx, s->target, *c))
			return s;
	by = ARENA_NEW(lw->arena, struct site);
	*by = *s;
	by->attach = ATTACH_SYSCALL;
	return by;
}

void syscall_targets(struct prog_ctx *pg, struct image_prog *p)
{
	while (pg->site->calls[p->ntargets])
		p->ntargets++;
	p->targets = ARENA_ARRAY(pg->lw->arena, struct image_target, p->ntargets);
	for (size_t i = 0; i < p->ntargets; i++)
		p->targets[i] = (struct image_target){ .func = pg->site->calls[i] };
}

vreg syscall_word(struct clause_ctx *cx, unsigned i)
{
	struct ir *ir = cx->ir;
	vreg task;

	if (i == 0) {
		task = ir_call(ir, BPF_FUNC_get_current_task_btf, NULL, 0, true);
		return ir_call(ir, BPF_FUNC_task_pt_regs, &task, 1, true);
	}
	if (!strcmp(cx->pg->site->target, "sys_exit"))
		return ir_ld(ir, ir_ctx(ir), RECORD_RET, 8, false, true);
	return ir_ld(ir, ir_ctx(ir), RECORD_NR, 4, true, true);
}
