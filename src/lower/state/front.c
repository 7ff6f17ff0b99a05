/* SPDX-License-Identifier: GPL-2.0-or-later */
/* front: finds a key's value in the table in front of the aggregation's maps (abi/front.h).
 * Input: a key in memory, 8-aligned. Output: code that finds the key's slot, or takes a free one; where there is
 * neither, it goes on to the maps. Not for avg() and stddev(): the consumer could take their words on both sides of an
 * event.
 *
 * Why: the kernel's hash takes some 25 ns for each look-up; aggregations with the same keys need one here together. */
#include "abi/front.h"

#include <linux/bpf.h>

#include "abi/arch.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/agg.h"

#define KEY_MAX 32u /* longer ones have slots (abi/slots.h), or are many */
#define TABLES 7u   /* a program may use 64 maps; some are left for tables of slots */
#define LINE 64u
#define SEARCHES 64 /* of a large program: the verifier takes only so many conditions */
/* A map with less room was asked for: it keeps its meaning. */
#define ENTRIES_MIN 4096u

/* Bytes of a slot with so many in use: whole lines of the CPU's cache, an odd number of them, so that the first lines
 * of the slots are spread over the cache. */
static uint32_t slot_size(uint32_t used)
{
	return ((used + LINE - 1) / LINE | 1) * LINE;
}

/* Gives the values of a table their places in a slot: those of a word or two first, beside the key. */
static void lay_out(struct lowerer *lw, uint32_t front)
{
	uint32_t at = 0;

	for (int large = 0; large < 2; large++)
		for (size_t i = 0; i < lw->im->aggs.n; i++) {
			struct agg *a = &lw->im->aggs.v[i];

			if (a->front != front || (a->nwords > 2) != large)
				continue;
			a->front_value = at ? at : DW_FRONT_KEY + a->key_size;
			at = a->front_value + a->nwords * 8;
		}
	for (size_t i = 0; i < lw->im->aggs.n; i++)
		if (lw->im->aggs.v[i].front == front) {
			lw->im->aggs.v[i].front_used = at;
			lw->im->aggs.v[i].front_size = slot_size(at);
		}
	lw->im->maps.v[front - 1].value_size = DW_FRONT_SLOTS * slot_size(at);
}

/* The table of another aggregation of its group; 0: there is none, or its slots have no room. */
static uint32_t table_of_group(struct lowerer *lw, const struct symbol *s, const struct agg *a)
{
	const struct agg *with = agg_alike(lw, s, a);

	return with && with->front && slot_size(with->front_used + a->nwords * 8) <= DW_FRONT_SIZE ? with->front : 0;
}

void front_begin(struct lowerer *lw, const struct symbol *s, struct agg *a, uint32_t entries)
{
	const uint32_t size = slot_size(DW_FRONT_KEY + a->key_size + a->nwords * 8);

	if (lw->env->no_exchange || lw->env->aggpercpu || !agg_hashed(a) || a->shared || a->sparse ||
		a->key_size > KEY_MAX || a->key_size % 8 || size > DW_FRONT_SIZE || entries < ENTRIES_MIN ||
		a->fn == DW_AGG_AVG || a->fn == DW_AGG_STDDEV)
		return;
	a->front = table_of_group(lw, s, a);
	if (!a->front && lw->ntables < TABLES) {
		lw->ntables++;
		a->front = map_add_value(lw, MAP_FRONT, arena_printf(lw->arena, "front_%.8s", a->name), 0) + 1;
	}
	if (a->front)
		lay_out(lw, a->front);
}

bool front_here(const struct clause_ctx *cx, const struct agg *a)
{
	return a->front && !is_user_site(cx->pg->site) && (!cx->pg->blurs || cx->pg->front_searches < SEARCHES);
}

/* The first slot of the key's, on this CPU; jumps to none if the CPU has no part. */
static vreg bucket(struct clause_ctx *cx, const struct agg *a, vreg key, uint32_t none)
{
	struct ir *ir = cx->ir;
	const int32_t mark = ir_stack_mark(ir);
	const vreg odd = ir_imm(ir, (int64_t)DW_FRONT_FACTOR), io = ir_stack(ir, ir_stack_alloc(ir, 8));
	vreg h = ir_ld(ir, key, 0, 8, false, false), at;

	ir_st(ir, io, 0, 4, ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true));
	at = agg_lookup(cx, a->front - 1, io);
	ir_stack_release(ir, mark);
	ir_jcci(ir, CC_EQ, at, 0, none);
	for (uint32_t off = 8; off < a->key_size; off += 8) {
		vreg word = ir_ld(ir, key, (int32_t)off, 8, false, false);

		h = ir_alu(ir, ALU_MUL, h, odd);
		h = ir_alu(ir, ALU_XOR, ir_alui(ir, ALU_SHR, h, 32), word);
	}
	h = ir_alui(ir, ALU_SHR, ir_alu(ir, ALU_MUL, h, odd), 64 - (int32_t)DW_FRONT_BUCKET_BITS);
	return ir_alu(ir, ALU_ADD, at, ir_alui(ir, ALU_MUL, h, (int32_t)(DW_FRONT_WAYS * a->front_size)));
}

/* Goes on if the slot at off has another key, or none. */
static void compare(struct clause_ctx *cx, const struct agg *a, vreg slots, int32_t off, vreg key, uint32_t other)
{
	struct ir *ir = cx->ir;
	vreg differs = 0;

	ir_jcci(ir, CC_NE, ir_ld(ir, slots, off, 8, false, false), DW_FRONT_USED, other);
	for (int32_t i = 0; i < (int32_t)a->key_size; i += 8) {
		vreg mine = ir_ld(ir, key, i, 8, false, false),
		     d = ir_ld(ir, slots, off + (int32_t)DW_FRONT_KEY + i, 8, false, false);

		d = ir_alu(ir, ALU_XOR, d, mine);
		differs = differs ? ir_alu(ir, ALU_OR, differs, d) : d;
	}
	ir_jcci(ir, CC_NE, differs, 0, other);
}

/* Takes the slot at off, whose values are 0. A program that this one interrupts may be taking it. */
static void claim(struct clause_ctx *cx, const struct agg *a, vreg slots, int32_t off, vreg key, uint32_t other)
{
	struct ir *ir = cx->ir;
	const vreg free = ir_imm(ir, DW_FRONT_FREE), busy = ir_imm(ir, DW_FRONT_BUSY);

	ir_jcci(ir, CC_NE, ir_ld(ir, slots, off, 8, false, false), DW_FRONT_FREE, other);
	ir_jcci(ir, CC_NE, ir_cmpxchg(ir, slots, off, free, busy), DW_FRONT_FREE, other);
	for (int32_t i = 0; i < (int32_t)a->key_size; i += 8)
		ir_st(ir, slots, off + (int32_t)DW_FRONT_KEY + i, 8, ir_ld(ir, key, i, 8, false, false));
	if (ARCH_STORES_IN_ORDER)
		ir_sti(ir, slots, off, 8, DW_FRONT_USED);
	else
		(void)ir_xchg(ir, slots, off, 8, ir_imm(ir, DW_FRONT_USED));
}

void front_find(struct clause_ctx *cx, const struct agg *a, struct agg_key *key, vreg own, uint32_t often)
{
	typedef void try(struct clause_ctx *, const struct agg *, vreg, int32_t, vreg, uint32_t);
	static try *const tries[] = { compare, claim };
	struct ir *ir = cx->ir;
	const uint32_t none = ir_newlabel(ir), found = ir_newlabel(ir);
	const bool again = key->front == a->front;

	if (again) {
		ir_jcci(ir, CC_EQ, key->front_slot, 0, none);
	} else {
		const vreg slots = bucket(cx, a, key->at, none), way = ir_var(ir);
		vreg at;

		cx->pg->front_searches++;
		key->front = a->front;
		key->front_slot = ir_var(ir);
		for (size_t t = 0; t < sizeof(tries) / sizeof(tries[0]); t++)
			for (uint32_t i = 0; i < DW_FRONT_WAYS; i++) {
				uint32_t other = ir_newlabel(ir);

				tries[t](cx, a, slots, (int32_t)(i * a->front_size), key->at, other);
				ir_seti(ir, way, i);
				ir_jmp(ir, found);
				ir_label(ir, other);
			}
		ir_jmp(ir, none);
		ir_label(ir, found);
		at = ir_alui(ir, ALU_AND, blur(cx, way), DW_FRONT_WAYS - 1);
		at = ir_alui(ir, ALU_MUL, at, (int32_t)a->front_size);
		ir_set(ir, key->front_slot, ir_alu(ir, ALU_ADD, slots, at));
	}
	ir_set(ir, own, ir_alui(ir, ALU_ADD, key->front_slot, (int32_t)a->front_value));
	ir_jmp(ir, often);
	ir_label(ir, none);
	if (!again)
		ir_seti(ir, key->front_slot, 0);
}
