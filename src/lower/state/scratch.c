/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch: memory for values that fit neither registers nor the BPF stack: characters, large keys.
 * Input: sizes, while code is made. Output: places in a slot, and the code that takes and returns the slot.
 * Invariant: each CPU has a few slots. A program takes a free one when its site's condition holds, by an atomic
 * exchange of the slot's busy word, and returns it at its end, also after a fault. So programs that interrupt or
 * preempt each other have different slots. If none is free, the run is counted as a drop. Places in a slot are fixed
 * at compile time, and a program that places nothing takes no slot. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/program.h"
#include "lower/state/state.h"

/* Head of a slot. */
enum { SLOT_BUSY = 0, SLOT_ADDRESS = 8, SLOT_HEAD = 16 };

void scratch_begin(struct prog_ctx *pg)
{
	pg->scratch_top = SLOT_HEAD;
	pg->scratch_at = pg->ir->code.n;
}

int32_t scratch_alloc(struct prog_ctx *pg, uint32_t size)
{
	int32_t off = pg->scratch_top;

	pg->scratch_top += (int32_t)((size + 7) & ~7u);
	if (pg->scratch_top > pg->lw->scratch_max)
		pg->lw->scratch_max = pg->scratch_top;
	return off;
}

static vreg slot(struct clause_ctx *cx)
{
	if (!cx->pg->scratch)
		cx->pg->scratch = ir_var(cx->ir);
	return cx->pg->scratch;
}

vreg scratch_ptr(struct clause_ctx *cx, int32_t off)
{
	vreg p = ir_alui(cx->ir, ALU_ADD, slot(cx), off);

	cx->ir->code.v[cx->ir->code.n - 1].fresh =
		true; /* remade at each use: cheaper than a register for the whole program */
	return p;
}

vreg scratch_address(struct clause_ctx *cx)
{
	cx->pg->scratch_number = true;
	return ir_ld(cx->ir, slot(cx), SLOT_ADDRESS, 8, false, false);
}

int32_t scratch_mark(const struct prog_ctx *pg)
{
	return pg->scratch_top;
}

void scratch_release(struct prog_ctx *pg, int32_t mark)
{
	pg->scratch_top = mark;
}

struct room room_beside(struct clause_ctx *cx, uint32_t size)
{
	struct room r = { .scratch = cx->pg->scratch_top != 0 };

	r.mark = r.scratch ? scratch_mark(cx->pg) : ir_stack_mark(cx->ir);
	r.at = r.scratch ? scratch_alloc(cx->pg, size) : ir_stack_alloc(cx->ir, size);
	return r;
}

struct room room_take(struct clause_ctx *cx, uint32_t size)
{
	if (cx->lw->env->guard)
		return room_beside(cx, size);
	return (struct room){ .mark = ir_stack_mark(cx->ir), .at = ir_stack_alloc(cx->ir, size) };
}

vreg room_ptr(struct clause_ctx *cx, const struct room *r)
{
	return r->scratch ? scratch_ptr(cx, r->at) : ir_stack(cx->ir, r->at);
}

void room_release(struct clause_ctx *cx, const struct room *r)
{
	if (r->scratch)
		scratch_release(cx->pg, r->mark);
	else
		ir_stack_release(cx->ir, r->mark);
}

void scratch_start_empty(struct prog_ctx *pg, int32_t off)
{
	*vec_push(pg->lw->arena, &pg->scratch_empty) = off;
}

/* Sets a slot's busy word and returns the old one. Before Linux 5.12 there are no exchanges, but a program keeps its
 * CPU to its end (preemption is off), and one that interrupts it between the two instructions has given the slot back
 * when they go on. */
static vreg take(struct clause_ctx *cx, vreg p)
{
	struct ir *ir = cx->ir;
	vreg old;

	if (!cx->lw->env->no_exchange)
		return ir_xchg(ir, p, SLOT_BUSY, 8, ir_imm(ir, 1));
	old = ir_ld(ir, p, SLOT_BUSY, 8, false, false);
	ir_sti(ir, p, SLOT_BUSY, 8, 1);
	return old;
}

/* Takes this CPU's first free slot. Jumps to none if all are busy. */
static void take_slot(struct clause_ctx *cx, uint32_t none)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), map = ir_map(ir, map_for(cx->lw, MAP_SCRATCH)), first;
	uint32_t got = ir_newlabel(ir);

	first = ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true);
	first = ir_alui(ir, ALU_MUL, first, SCRATCH_SLOTS);
	for (int i = 0; i < SCRATCH_SLOTS; i++) {
		vreg p, busy;

		ir_st(ir, key, 0, 4, i ? ir_alui(ir, ALU_ADD, first, i) : first);
		p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ map, key }, 2, false);
		ir_jcci(ir, CC_EQ, p, 0, none);
		busy = take(cx, p);
		ir_set(ir, cx->pg->scratch, p);
		ir_jcci(ir, CC_EQ, busy, 0, got);
	}
	count_drop(cx, DW_DROP_NEST);
	ir_jmp(ir, none);
	ir_label(ir, got);
	ir_stack_release(ir, mark);
}

/* Moves the instructions from index `from` to the end, to the earlier index `to`. */
static void move_code(struct ir *ir, size_t from, size_t to, struct arena *a)
{
	size_t n = ir->code.n - from;
	struct ir_insn *keep = ARENA_ARRAY(a, struct ir_insn, n + 1);

	memcpy(keep, ir->code.v + from, n * sizeof(*keep));
	memmove(ir->code.v + to + n, ir->code.v + to, (from - to) * sizeof(*keep));
	memcpy(ir->code.v + to, keep, n * sizeof(*keep));
}

void scratch_end(struct clause_ctx *cx, uint32_t none)
{
	struct ir *ir = cx->ir;
	size_t from;

	if (!cx->pg->scratch)
		return;
	ir->quiet = true;
	ir_sti(ir, cx->pg->scratch, SLOT_BUSY, 8, 0);
	from = ir->code.n;
	take_slot(cx, none);
	if (cx->pg->scratch_number) /* stored and loaded again, it is a number */
		ir_st(ir, cx->pg->scratch, SLOT_ADDRESS, 8, cx->pg->scratch);
	for (size_t i = 0; i < cx->pg->scratch_empty.n; i++)
		ir_sti(ir, cx->pg->scratch, cx->pg->scratch_empty.v[i], 8, 0);
	move_code(ir, from, cx->pg->scratch_at, cx->lw->arena);
	ir->quiet = false;
}

void scratch_finish(struct lowerer *lw)
{
	if (lw->maps[MAP_SCRATCH])
		lw->im->maps.v[lw->maps[MAP_SCRATCH] - 1].value_size =
			lw->scratch_max ? (uint32_t)(lw->scratch_max + 63) & ~63u : 64;
}
