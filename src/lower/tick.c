/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick: the head of a program that fires a tick probe.
 * Input: a probe with a period that fires on one CPU. Output: code that leaves the program if the period is not over.
 * Invariant: a tick has two programs, one of an event and one that attach/tick.c runs if the event does not fire. The
 * one that advances `next` in struct dw_tick fires the probe, so it fires once in each period. */
#include <stddef.h>

#include "lower/expr/expr.h"
#include "lower/program.h"

/* The probe's place in the map of ticks. */
static uint32_t tick_number(struct prog_ctx *pg)
{
	struct lowerer *lw = pg->lw;

	if (!lw->nticks || lw->tick_probe != pg->probe_index)
		lw->nticks++;
	lw->tick_probe = pg->probe_index;
	return lw->nticks - 1;
}

void tick_begin(struct clause_ctx *cx)
{
	struct prog_ctx *pg = cx->pg;
	struct ir *ir = cx->ir;
	vreg at, now, next, over, left;

	if (!pg->site->one_cpu)
		return;
	pg->tick = tick_number(pg) + 1;
	at = ir_mapval(ir, map_for(cx->lw, MAP_TICKS), (int32_t)((pg->tick - 1) * sizeof(struct dw_tick)));
	if (pg->site->attach != ATTACH_PERF)
		return;
	left = ir_imm(ir, (int64_t)pg->probe->period_ns);
	now = ktime(cx);
	next = ir_ld(ir, at, offsetof(struct dw_tick, next), 8, false, false);
	ir_jcc(ir, CC_ULT, now, next, pg->exit_label);
	over = ir_alu(ir, ALU_DIV, ir_alu(ir, ALU_SUB, now, next), left);
	now = ir_alu(ir, ALU_ADD, next, ir_alu(ir, ALU_MUL, ir_alui(ir, ALU_ADD, over, 1), left));
	ir_jcc(ir, CC_NE, ir_cmpxchg(ir, at, offsetof(struct dw_tick, next), next, now), next, pg->exit_label);
	ir_xadd(ir, at, offsetof(struct dw_tick, missed), 8, over);
}

void ticks_finish(struct lowerer *lw)
{
	if (lw->maps[MAP_TICKS])
		lw->im->maps.v[lw->maps[MAP_TICKS] - 1].value_size = lw->nticks * (uint32_t)sizeof(struct dw_tick);
}
