/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch: memory for what fits neither registers nor the BPF stack: characters, large keys.
 * Each CPU has a few slots. A program that wants memory takes a free one when its site's condition holds, by an atomic
 * exchange of the slot's busy word, and gives it back where it ends, faults included: programs that interrupt each
 * other on a CPU, or are preempted, in any order, have different slots. No slot free: the run is counted as a drop.
 * Invariants: places in a slot are fixed when the program is compiled; the code that takes and returns the slot is
 * there only when something was placed in it. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/priv.h"

/* Head of a slot. */
enum { SLOT_BUSY = 0, SLOT_ADDRESS = 8, SLOT_HEAD = 16 };

void scratch_begin(struct lowerer *lw)
{
	lw->scratch = 0;
	lw->scratch_top = SLOT_HEAD;
	lw->scratch_number = false;
	lw->token_off = 0;
	lw->heap = false;
	lw->heap_size = 0;
	lw->scratch_empty.n = 0;
	lw->scratch_at = lw->ir->code.n;
}

int32_t scratch_alloc(struct lowerer *lw, uint32_t size)
{
	int32_t off = lw->scratch_top;

	lw->scratch_top += (int32_t)((size + 7) & ~7u);
	if (lw->scratch_top > lw->scratch_max)
		lw->scratch_max = lw->scratch_top;
	return off;
}

static vreg slot(struct lowerer *lw)
{
	if (!lw->scratch)
		lw->scratch = ir_var(lw->ir);
	return lw->scratch;
}

vreg scratch_ptr(struct lowerer *lw, int32_t off)
{
	vreg p = ir_alui(lw->ir, ALU_ADD, slot(lw), off);

	lw->ir->code.v[lw->ir->code.n - 1].fresh =
		true; /* made again where it is wanted: cheaper than a register all along */
	return p;
}

vreg scratch_address(struct lowerer *lw)
{
	lw->scratch_number = true;
	return ir_ld(lw->ir, slot(lw), SLOT_ADDRESS, 8, false, false);
}

int32_t scratch_mark(const struct lowerer *lw)
{
	return lw->scratch_top;
}

void scratch_release(struct lowerer *lw, int32_t mark)
{
	lw->scratch_top = mark;
}

void scratch_start_empty(struct lowerer *lw, int32_t off)
{
	*vec_push(lw->arena, &lw->scratch_empty) = off;
}

/* Takes the first free slot of this CPU; jumps to none when there is none. */
static void take_slot(struct lowerer *lw, uint32_t none)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), map = ir_map(ir, map_for(lw, MAP_SCRATCH)), first;
	uint32_t got = ir_newlabel(ir);

	first = ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true);
	first = ir_alui(ir, ALU_MUL, first, SCRATCH_SLOTS);
	for (int i = 0; i < SCRATCH_SLOTS; i++) {
		vreg p, busy;

		ir_st(ir, key, 0, 4, i ? ir_alui(ir, ALU_ADD, first, i) : first);
		p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ map, key }, 2, false);
		ir_jcci(ir, CC_EQ, p, 0, none);
		busy = ir_xchg(ir, p, SLOT_BUSY, 8, ir_imm(ir, 1));
		ir_set(ir, lw->scratch, p);
		ir_jcci(ir, CC_EQ, busy, 0, got);
	}
	count_drop(lw, DW_DROP_NEST);
	ir_jmp(ir, none);
	ir_label(ir, got);
	ir_stack_release(ir, mark);
}

/* Moves the instructions from `from` on to the place `to` before them. */
static void move_code(struct ir *ir, size_t from, size_t to, struct arena *a)
{
	size_t n = ir->code.n - from;
	struct ir_insn *keep = ARENA_ARRAY(a, struct ir_insn, n + 1);

	memcpy(keep, ir->code.v + from, n * sizeof(*keep));
	memmove(ir->code.v + to + n, ir->code.v + to, (from - to) * sizeof(*keep));
	memcpy(ir->code.v + to, keep, n * sizeof(*keep));
}

void scratch_end(struct lowerer *lw, uint32_t none)
{
	struct ir *ir = lw->ir;
	size_t from;

	if (!lw->scratch)
		return;
	ir->quiet = true;
	ir_sti(ir, lw->scratch, SLOT_BUSY, 8, 0);
	from = ir->code.n;
	take_slot(lw, none);
	if (lw->scratch_number) /* from memory it comes back as a number */
		ir_st(ir, lw->scratch, SLOT_ADDRESS, 8, lw->scratch);
	for (size_t i = 0; i < lw->scratch_empty.n; i++)
		ir_sti(ir, lw->scratch, lw->scratch_empty.v[i], 8, 0);
	move_code(ir, from, lw->scratch_at, lw->arena);
	ir->quiet = false;
}

void scratch_finish(struct lowerer *lw)
{
	if (lw->maps[MAP_SCRATCH])
		lw->im->maps.v[lw->maps[MAP_SCRATCH] - 1].value_size =
			lw->scratch_max ? (uint32_t)(lw->scratch_max + 63) & ~63u : 64;
}
