/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring: places for records in the ring of this CPU.
 * Input: a size; a record that is complete or not wanted. Output: code.
 * Invariants: of a place that was reserved the code of each path either submits or discards the record. The verifier
 * checks that in programs for kernels before Linux 6.1, which use BPF ring buffers: control flow is the same.
 *
 * A BPF ring buffer takes a lock with interrupts disabled, and an exchange that waits until the record's bytes are in
 * the CPU's cache. A ring of ours (abi/abi.h) takes one compare-exchange. Programs that interrupt each other on a CPU
 * get places one behind the other, and complete their records in any order. */
#include <linux/bpf.h>

#include "abi/arch.h"
#include "lower/program.h"
#include "lower/state/state.h"

#define TRIES 2 /* at a place that a program which interrupts this one takes: each makes the program longer */
#define HEAD ((int32_t)sizeof(struct dw_ring_head))

/* The two kinds of rings. */
struct ring_kind {
	vreg (*reserve)(struct clause_ctx *cx, vreg ring, uint32_t size, uint32_t full);
	void (*submit)(struct clause_ctx *cx, vreg rec, bool wake);
	void (*discard)(struct clause_ctx *cx, vreg rec);
};

/* ---- the kernel's ------------------------------------------------------------------------------------------------ */
static vreg kernel_reserve(struct clause_ctx *cx, vreg ring, uint32_t size, uint32_t full)
{
	struct ir *ir = cx->ir;
	vreg rec = ir_var(ir);

	ir_set(ir, rec,
		ir_call(ir, BPF_FUNC_ringbuf_reserve, (vreg[]){ ring, ir_imm(ir, size), ir_imm(ir, 0) }, 3, false));
	ir_jcci(ir, CC_EQ, rec, 0, full);
	return rec;
}

/* The consumer polls: no interrupt for each record. */
static void kernel_submit(struct clause_ctx *cx, vreg rec, bool wake)
{
	const int flags = wake ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;

	ir_call(cx->ir, BPF_FUNC_ringbuf_submit, (vreg[]){ rec, ir_imm(cx->ir, flags) }, 2, false);
}

static void kernel_discard(struct clause_ctx *cx, vreg rec)
{
	ir_call(cx->ir, BPF_FUNC_ringbuf_discard, (vreg[]){ rec, ir_imm(cx->ir, BPF_RB_NO_WAKEUP) }, 2, false);
}

/* ---- ours -------------------------------------------------------------------------------------------------------- */
/* Takes a place of so many bytes. Returns its position, or jumps to full. */
static vreg take_place(struct clause_ctx *cx, vreg ring, uint32_t bytes, uint32_t full)
{
	struct ir *ir = cx->ir;
	const uint32_t taken = ir_newlabel(ir);
	const vreg limit = ir_ld(ir, ring, DW_RING_LIMIT, 8, false, false), pos = ir_var(ir);

	ir_set(ir, pos, ir_ld(ir, ring, DW_RING_PRODUCED, 8, false, false));
	for (unsigned i = 0; i < TRIES; i++) {
		vreg end = ir_alui(ir, ALU_ADD, pos, (int32_t)bytes), seen;

		ir_jcc(ir, CC_UGT, end, limit, full);
		seen = ir_cmpxchg(ir, ring, DW_RING_PRODUCED, pos, end);
		ir_jcc(ir, CC_EQ, seen, pos, taken);
		ir_set(ir, pos, seen);
	}
	ir_jmp(ir, full);
	ir_label(ir, taken);
	return pos;
}

/* The head shows that the record is not complete. Its two words are stored at once, or the consumer could read an old
 * one of them. */
static vreg own_reserve(struct clause_ctx *cx, vreg ring, uint32_t size, uint32_t full)
{
	struct ir *ir = cx->ir;
	const uint32_t room = (size + 7) / 8 * 8;
	const uint64_t key = DW_RING_KEY(cx->lw->env->secret), head = key << 32 | DW_RING_BUSY | room;
	const vreg pos = take_place(cx, ring, room + HEAD, full);
	vreg at = ir_alu(ir, ALU_ADD, ring, ir_wrap(ir, pos, map_for(cx->lw, MAP_RINGS))), rec = ir_var(ir), high;

	if (room > cx->lw->im->rec_most)
		cx->lw->im->rec_most = room;
	ir_set(ir, rec, ir_alui(ir, ALU_ADD, at, DW_RING_DATA + HEAD));
	high = ir_alui(ir, ALU_SHL, pos, 29);
	ir_st(ir, rec, -HEAD, 8, ir_alu(ir, ALU_XOR, high, ir_imm(ir, (int64_t)head)));
	return rec;
}

/* The bits are in the uppermost byte of the head's first word. Where others may see stores in another order, they must
 * see the record's before this one. */
static void complete(struct clause_ctx *cx, vreg rec, uint32_t bits)
{
	struct ir *ir = cx->ir;
	vreg len;

	if (ARCH_STORES_IN_ORDER) {
		ir_sti(ir, rec, -HEAD + 3, 1, (int32_t)(bits >> 24));
		return;
	}
	len = ir_ld(ir, rec, -HEAD, 4, false, false);
	(void)ir_xchg(ir, rec, -HEAD, 4, ir_alu(ir, ALU_XOR, len, ir_imm(ir, DW_RING_BUSY | bits)));
}

/* Rings the bell: a BPF ring buffer whose records say nothing. If it is full, the consumer has not looked since the
 * first of them, and will. */
static void ring_bell(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg nothing = ir_stack(ir, ir_stack_alloc(ir, 8));

	ir_sti(ir, nothing, 0, 8, 0);
	ir_call(ir, BPF_FUNC_ringbuf_output,
		(vreg[]){ ir_map(ir, map_for(cx->lw, MAP_BELL)), nothing, ir_imm(ir, 8),
			ir_imm(ir, BPF_RB_FORCE_WAKEUP) },
		4, false);
	ir_stack_release(ir, mark);
}

static void own_submit(struct clause_ctx *cx, vreg rec, bool wake)
{
	complete(cx, rec, 0);
	if (wake)
		ring_bell(cx);
}

static void own_discard(struct clause_ctx *cx, vreg rec)
{
	complete(cx, rec, DW_RING_DISCARD);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */
static const struct ring_kind *kind(const struct clause_ctx *cx)
{
	static const struct ring_kind kernels = { kernel_reserve, kernel_submit, kernel_discard },
				      own = { own_reserve, own_submit, own_discard };

	return cx->lw->env->ringbuf ? &kernels : &own;
}

/* The ring of this CPU, or for a CPU that has none of its own, since it went online later, the first. Jumps to none if
 * there is none. */
static vreg find_ring(struct clause_ctx *cx, uint32_t none)
{
	struct ir *ir = cx->ir;
	const uint32_t rings = map_for(cx->lw, MAP_RINGS);
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), cpu, ring;

	cpu = ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true);
	ir_st(ir, key, 0, 4, cx->lw->env->ringbuf ? cpu : ir_ringof(ir, cpu, rings));
	ring = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, rings), key }, 2, false);
	ir_jcci(ir, CC_EQ, ring, 0, none);
	return ring;
}

vreg ring_reserve(struct clause_ctx *cx, uint32_t size, uint32_t full_label)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	const uint32_t got = ir_newlabel(ir), full = ir_newlabel(ir);
	vreg rec = kind(cx)->reserve(cx, find_ring(cx, full_label), size, full);

	ir_jmp(ir, got);
	ir_label(ir, full);
	count_drop(cx, DW_DROP_RING);
	ir_jmp(ir, full_label);
	ir_label(ir, got);
	ir_stack_release(ir, mark);
	return rec;
}

void ring_submit(struct clause_ctx *cx, vreg rec, bool wake)
{
	kind(cx)->submit(cx, rec, wake);
}

void ring_discard(struct clause_ctx *cx, vreg rec)
{
	kind(cx)->discard(cx, rec);
}
