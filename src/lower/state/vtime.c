/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtime: vtimestamp, the CPU time of the current thread in ns.
 * Input: reads of vtimestamp. Output: code for them, and a program at each thread switch, present only if a script
 * reads vtimestamp.
 * Invariant: the kernel updates its own count only at ticks and switches. So the program at a switch notes, per CPU,
 * the next thread, the time, and the thread's count, which is exact then; a reader adds the time since. A note is
 * valid only for the thread whose number it holds. A reader that finds the note of another thread (no switch seen yet,
 * or the switch itself is traced) writes a new one. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"

/* A note. */
enum { NOTE_TID = 0, NOTE_TIME = 8, NOTE_COUNT = 16, NOTE_SIZE = 24 };

static struct val task_val(struct lowerer *lw, vreg r)
{
	struct type *t = types_tagged(lw->ts, T_STRUCT, "task_struct");

	return (struct val){ .k = V_INT,
		.type = type_ptr(lw->ts, t ? t : lw->ts->void_),
		.r = r,
		.btf = t ? t->btf_id : 0,
		.ptr = PTR_SURE };
}

static vreg task_member(struct clause_ctx *cx, struct val task, const char *name, const char *inner)
{
	struct val v = lower_member_of(cx, task, task.type->of, name);

	if (v.type && inner)
		v = lower_member_of(cx, v, v.type, inner);
	return v.type ? lower_load(cx, v, NULL).r : ir_imm(cx->ir, 0);
}

/* This CPU's note. Jumps to none if the lookup fails, which cannot happen, but the verifier demands the test. */
static vreg note_of(struct clause_ctx *cx, uint32_t none)
{
	struct ir *ir = cx->ir;
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), p;

	ir_sti(ir, key, 0, 8, 0);
	p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_VTIME)), key }, 2, false);
	ir_jcci(ir, CC_EQ, p, 0, none);
	return p;
}

static void note_task(struct clause_ctx *cx, vreg p, vreg tid, vreg now, struct val task)
{
	ir_st(cx->ir, p, NOTE_TID, 8, tid);
	ir_st(cx->ir, p, NOTE_TIME, 8, now);
	ir_st(cx->ir, p, NOTE_COUNT, 8, task_member(cx, task, "se", "sum_exec_runtime"));
}

struct val vtime_read(struct clause_ctx *cx, const struct symbol *s)
{
	struct ir *ir = cx->ir;
	struct val v = { .k = V_INT, .type = s->type, .r = ir_var(ir) };
	uint32_t end = ir_newlabel(ir), note = ir_newlabel(ir), noted = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir);
	struct val task = current_task(cx);
	vreg tid = task_member(cx, task, "pid", NULL), p, now;

	if (!cx->lw->maps[MAP_VTIME])
		cx->lw->vtime_probe = cx->pg->probe_index;
	ir_seti(ir, v.r, 0);
	p = note_of(cx, end);
	now = ktime(cx);
	ir_jcc(ir, CC_NE, ir_ld(ir, p, NOTE_TID, 8, false, false), tid, note);
	ir_jcci(ir, CC_NE, ir_ld(ir, p, NOTE_TIME, 8, false, false), 0, noted);
	ir_label(ir, note);
	note_task(cx, p, tid, now, task);
	ir_label(ir, noted);
	ir_set(ir, v.r,
		ir_alu(ir, ALU_ADD, ir_ld(ir, p, NOTE_COUNT, 8, false, false),
			ir_alu(ir, ALU_SUB, now, ir_ld(ir, p, NOTE_TIME, 8, false, false))));
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return v;
}

/* After all probes: the program at the switch. sched_switch has (preempt, prev, next, ...). */
void vtime_finish(struct lowerer *lw)
{
	struct image_prog p = { .attach = ATTACH_TP_BTF,
		.target = "sched_switch",
		.name = "dw_vtimestamp",
		.probe = lw->vtime_probe,
		.notes = true,
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_TRACE_RAW_TP };
	struct prog_ctx pg = { .lw = lw, .ir = ir_new(lw->arena) };
	struct clause_ctx cx = { .lw = lw, .pg = &pg, .ir = pg.ir };
	uint32_t end = ir_newlabel(pg.ir);
	struct kernel_func f;
	struct val next;
	vreg note;

	if (!lw->maps[MAP_VTIME] || !lw->env->tracepoint)
		return;
	p.attach_btf_id = lw->env->tracepoint(lw->env->ctx, NULL, p.target, &f);
	next = task_val(lw, ir_ld(pg.ir, ir_ctx(pg.ir), 16, 8, false, true));
	note = note_of(&cx, end);
	note_task(&cx, note, task_member(&cx, next, "pid", NULL), ktime(&cx), next);
	ir_label(pg.ir, end);
	ir_ret(pg.ir, ir_imm(pg.ir, 0));
	ir_optimise(pg.ir);
	if (!p.attach_btf_id || f.nargs < 3 || ir_emit(pg.ir, lw->arena, &p.code, NULL))
		lower_error(lw, (struct loc){ 0 }, D_KERNEL, "vtimestamp needs the tracepoint sched_switch");
	else
		prog_add_notes(lw, &p);
}
