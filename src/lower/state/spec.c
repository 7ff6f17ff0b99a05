/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec: speculations.
 * Input: speculation(), speculate(), commit(), discard(). Output: code.
 * Invariant: a speculation is a bit in the map's words, set while it is active. One atomic exchange sets or clears
 * it, so only one program can find it clear and set it, or find it set and clear it. A speculative record takes the
 * way of all records, with the speculation's number, and the consumer keeps it until the commit. */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"

#define TRIES 4 /* at changing a word that other CPUs change, too */

static uint32_t spec_count(const struct lowerer *lw)
{
	return lw->env->nspec;
}

static uint32_t spec_words(const struct lowerer *lw)
{
	return (spec_count(lw) + 63) / 64;
}

static uint32_t spec_map(struct lowerer *lw)
{
	uint32_t map = map_for(lw, MAP_SPECS);

	lw->im->maps.v[map].value_size = (spec_words(lw) ? spec_words(lw) : 1) * 8;
	return map;
}

/* The bits of word i beyond the number of speculations. */
static int64_t unused_bits(const struct lowerer *lw, uint32_t i)
{
	uint32_t in_last = spec_count(lw) % 64;

	return i + 1 < spec_words(lw) || !in_last ? 0 : (int64_t)(-1ull << in_last);
}

/* floor(log2(x)) of a power of two. */
static vreg bit_number(struct clause_ctx *cx, vreg x)
{
	static const int64_t masks[] = { 0x5555555555555555ll, 0x3333333333333333ll, 0x0f0f0f0f0f0f0f0fll,
		0x00ff00ff00ff00ffll, 0x0000ffff0000ffffll, 0x00000000ffffffffll };
	struct ir *ir = cx->ir;
	vreg n = ir_var(ir);

	ir_seti(ir, n, 0);
	for (unsigned i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		uint32_t low = ir_newlabel(ir);

		ir_jcci(ir, CC_NE, ir_alu(ir, ALU_AND, x, ir_imm(ir, masks[i])), 0, low);
		ir_set(ir, n, ir_alui(ir, ALU_ADD, n, 1 << i));
		ir_label(ir, low);
	}
	return n;
}

/* Sets the lowest clear bit of the word at p, puts the speculation's number into id and jumps to done. Falls through
 * if no bit is clear. */
static void take_bit(struct clause_ctx *cx, vreg p, uint32_t word, vreg id, uint32_t done)
{
	struct ir *ir = cx->ir;
	uint32_t none = ir_newlabel(ir);
	vreg old = ir_var(ir), all = ir_imm(ir, -1);

	ir_set(ir, old, ir_ld(ir, p, (int32_t)word * 8, 8, false, false));
	for (int i = 0; i < TRIES; i++) {
		uint32_t again = ir_newlabel(ir);
		vreg clear = ir_alu(ir, ALU_XOR, ir_alu(ir, ALU_OR, old, ir_imm(ir, unused_bits(cx->lw, word))), all),
		     bit, seen;

		ir_jcci(ir, CC_EQ, clear, 0, none);
		bit = ir_alu(ir, ALU_AND, clear, ir_neg(ir, clear));
		seen = ir_cmpxchg(ir, p, (int32_t)word * 8, old, ir_alu(ir, ALU_OR, old, bit));
		ir_jcc(ir, CC_NE, seen, old, again);
		ir_set(ir, id, ir_alui(ir, ALU_ADD, bit_number(cx, bit), (int32_t)word * 64 + 1));
		ir_jmp(ir, done);
		ir_label(ir, again);
		ir_set(ir, old, seen);
	}
	ir_label(ir, none);
}

vreg spec_begin(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	uint32_t done = ir_newlabel(ir);
	vreg id = ir_var(ir), p = ir_mapval(ir, spec_map(cx->lw), 0);

	for (uint32_t i = 0; i < spec_words(cx->lw); i++)
		take_bit(cx, p, i, id, done);
	count_drop(cx, DW_DROP_SPEC);
	ir_seti(ir, id, 0);
	ir_label(ir, done);
	return id;
}

/* The address of the word with speculation id's bit, and the bit. Jumps to none if id is 0. A number out of range is
 * a fault (must_be), except in speculate(), which then records nothing, as in DTrace. */
static vreg find_bit(struct clause_ctx *cx, vreg id, uint32_t none, bool must_be, vreg *bit)
{
	struct ir *ir = cx->ir;
	vreg i, p = ir_mapval(ir, spec_map(cx->lw), 0);

	i = ir_var(ir);
	ir_set(ir, i, ir_alui(ir, ALU_SUB, id, 1));
	ir_jcci(ir, CC_EQ, id, 0, none);
	if (must_be)
		fault_unless(cx, CC_ULT, i, (int32_t)spec_count(cx->lw), DW_FAULT_ILLOP, ir_imm(ir, 0));
	else
		ir_jcci(ir, CC_UGE, i, (int32_t)spec_count(cx->lw), none);
	*bit = ir_alu(ir, ALU_SHL, ir_imm(ir, 1), ir_alui(ir, ALU_AND, i, 63));
	return spec_words(cx->lw) <= 1 ? p
				       : ir_alu(ir, ALU_ADD, p, ir_alui(ir, ALU_SHL, ir_alui(ir, ALU_SHR, i, 6), 3));
}

/* Directs the rest of the clause to the speculation. If there is none, the rest does not run. */
void spec_choose(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t none = ir_newlabel(ir), active = ir_newlabel(ir);
	vreg id = ir_ext(ir, lower_int(cx, e->args.v[0]), 4, true), bit = 0, p;

	p = find_bit(cx, id, none, false, &bit);
	ir_jcci(ir, CC_NE, ir_alu(ir, ALU_AND, ir_ld(ir, p, 0, 8, false, false), bit), 0, active);
	ir_label(ir, none);
	if (cx->rec)
		ring_discard(cx, cx->rec);
	ir_jmp(ir, cx->next_label);
	ir_label(ir, active);
	if (cx->rec)
		ir_st(ir, cx->rec, (int32_t)cx->lw->im->epids.v[cx->epid].spec_off, 8, id);
}

vreg spec_end(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t none = ir_newlabel(ir), end = ir_newlabel(ir), cleared = ir_newlabel(ir);
	vreg id = ir_ext(ir, lower_int(cx, e), 4, true), bit = 0, p, was = ir_var(ir), old = ir_var(ir);

	p = find_bit(cx, id, none, true, &bit);
	ir_set(ir, old, ir_ld(ir, p, 0, 8, false, false));
	for (int i = 0; i < TRIES; i++) {
		vreg seen;

		ir_jcci(ir, CC_EQ, ir_alu(ir, ALU_AND, old, bit), 0, none);
		seen = ir_cmpxchg(ir, p, 0, old, ir_alu(ir, ALU_XOR, old, bit));
		ir_jcc(ir, CC_EQ, seen, old, cleared);
		ir_set(ir, old, seen);
	}
	count_drop(cx, DW_DROP_SPEC);
	ir_label(ir, none);
	ir_seti(ir, was, 0);
	ir_jmp(ir, end);
	ir_label(ir, cleared);
	ir_set(ir, was, id);
	ir_label(ir, end);
	return was;
}
