/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regalloc: linear scan over program order. Input: IR; output: struct ra, the same instructions with every value in a
 * register, a stack slot, or made anew at each use (constants and addresses).
 *
 * Positions: instruction i reads its operands at 2i and sets its result at 2i+1; an operand that is still read while
 * the result is being made counts as read at 2i+2. Control only goes forward, so a live range is one stretch, and two
 * values may share a register when their stretches do not overlap. A value that gets no register is split: its uses
 * get copies with short live ranges, first one copy for a stretch of code without calls and without labels to which
 * several ways lead, then one for each use; the scan is repeated until all have a place. What a jump has compared is
 * thus in the same register where it leads to: before Linux 6.9 the verifier does not know the bounds of what is
 * read from the stack once more.
 * Invariants: a value that lives across a call is in R6-R9. A register is read only after it was set. */
#include "ir/regalloc.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/diag/report.h"
#include "ir/ops.h"

#define ALL_REGS 0x3ffu
#define SAVED_REGS 0x3c0u /* R6-R9 outlive calls */
#define MAX_ROUNDS 200

/* ---- helpers ----------------------------------------------------------------------------------------------------- */
/* Values beyond those of the IR are copies that splitting makes. */
static vreg new_val(struct ra *ra, enum ra_kind kind)
{
	struct ra_val *v = vec_push(ra->arena, &ra->vals);
	v->kind = (uint8_t)kind;
	return (vreg)ra->vals.n - 1;
}

static void append(struct ra *ra, const struct ir_insn *in)
{
	*vec_push(ra->arena, &ra->code) = *in;
}

/* May operand *use of in be anywhere, because the instruction starts by copying it into a register? */
static bool ra_copies(const struct ir_insn *in, const vreg *use)
{
	switch ((enum ir_op)in->op) {
	case IR_CALL:
	case IR_KFUNC:
	case IR_LIB:
		return true;
	case IR_RET:
	case IR_MOV:
	case IR_ALU:
	case IR_ALUI:
	case IR_NEG:
	case IR_EXT:
	case IR_BE:
	case IR_WRAP:
	case IR_RINGOF:
		return use == &in->a;
	case IR_FADD:
	case IR_XCHG:
	case IR_CMPXCHG:
		return use == &in->b;
	case IR_IMM:
	case IR_LD:
	case IR_ST:
	case IR_STI:
	case IR_CTX:
	case IR_MAP:
	case IR_MAPVAL:
	case IR_STACK:
	case IR_KSYM:
	case IR_PC:
	case IR_LABEL:
	case IR_JMP:
	case IR_JCC:
	case IR_JCCI:
	case IR_XADD:
		return false;
	}
	return false;
}

/* Is the operand still wanted when the result is written? Additions are not commuted: of scalar += pointer the verifier
 * of Linux 6.17 on keeps the scalar's range for the sum, and removes the branches that it decides. */
static bool read_late(const struct ra *ra, const struct ir_insn *in, const vreg *use)
{
	if (in->op == IR_ALU && use == &in->b && in->a != in->b)
		return in->sub == ALU_ADD || !ir_alu_commutes((enum ir_alu)in->sub) || ra->vals.v[in->a].kind != RA_REG;
	return ((in->op == IR_XCHG || in->op == IR_FADD) && use == &in->a) || (in->op == IR_CMPXCHG && use != &in->b);
}

/* Constants and addresses: making one again costs as much as a load from a slot, and no slot. */
static bool is_remat(const struct ir_insn *in)
{
	return in->op == IR_IMM || in->op == IR_STACK || in->op == IR_MAP || in->op == IR_MAPVAL || in->op == IR_KSYM;
}

static bool is_slot_access(const struct ra *ra, const struct ir_insn *in, uint32_t slot)
{
	return ir_is_memory(in) && in->a == ra->slots && (uint32_t)in->off == slot;
}

/* ---- preparation ------------------------------------------------------------------------------------------------- */
/* Memory at a stack object is addressed by R10. */
static void use_frame_pointer(struct ra *ra, struct ir_insn *in)
{
	const struct ra_val *base = &ra->vals.v[in->a];
	if (base->kind != RA_REMAT || base->remat->op != IR_STACK)
		return;
	in->off += base->remat->off;
	in->a = ra->fp;
}

/* Values that can be made again lose their definition here; their uses get copies in rewrite(). */
static void prepare_insn(struct ra *ra, const struct ir *ir, const struct ir_insn *from, vreg ctx)
{
	struct ir_insn in = *from;
	vreg *uses[IR_MAX_USES];
	if (in.op == IR_CTX)
		return;
	if (is_remat(&in) && !ir->is_var.v[in.d]) {
		struct ra_val *v = &ra->vals.v[in.d];
		v->kind = RA_REMAT;
		v->remat = from;
		v->split = true;
		return;
	}
	unsigned n = ir_uses(&in, uses);
	for (unsigned i = 0; i < n; i++)
		if (ctx && ra->vals.v[*uses[i]].partner == ctx)
			*uses[i] = ctx;
	if (ir_is_memory(&in))
		use_frame_pointer(ra, &in);
	append(ra, &in);
}

/* `t = a op b; var = t`, t not read again, is one instruction. Not where the operation needs an operand after it has
 * begun to write its result. */
static bool joins_next(const struct ir *ir, size_t i, const uint32_t *reads)
{
	const struct ir_insn *in = &ir->code.v[i], *next = in + 1;
	if (i + 1 == ir->code.n || next->op != IR_MOV || next->a != in->d || !ir->is_var.v[next->d] ||
		reads[in->d] != 1)
		return false;
	return in->op == IR_ALUI || in->op == IR_EXT || in->op == IR_BE || in->op == IR_NEG || in->op == IR_WRAP ||
		in->op == IR_RINGOF || in->op == IR_LD || in->op == IR_CALL || (in->op == IR_ALU && in->b != next->d);
}

/* By vreg of the IR. */
static uint32_t *count_reads(struct ra *ra, const struct ir *ir)
{
	uint32_t *reads = ARENA_ARRAY(ra->arena, uint32_t, ir->nvregs + 1);
	for (size_t i = 0; i < ir->code.n; i++) {
		struct ir_insn in = ir->code.v[i];
		vreg *uses[IR_MAX_USES];
		unsigned n = ir_uses(&in, uses);
		for (unsigned u = 0; u < n; u++)
			reads[*uses[u]]++;
	}
	return reads;
}

/* The context pointer is in R1 only at the start, so it is taken there, whatever path wants it. */
static vreg prepare_ctx(struct ra *ra, const struct ir *ir)
{
	vreg ctx = 0;
	for (size_t i = 0; i < ir->code.n; i++) {
		struct ir_insn in = ir->code.v[i];
		if (in.op != IR_CTX)
			continue;
		if (!ctx) {
			ctx = new_val(ra, RA_REG);
			vreg d = in.d;
			in.d = ctx;
			append(ra, &in);
			in.d = d;
		}
		ra->vals.v[in.d].partner = ctx;
	}
	return ctx;
}

/* Copies the code that can be reached. */
static int prepare(struct ra *ra, const struct ir *ir, const struct reporter *to)
{
	bool *target = ARENA_ARRAY(ra->arena, bool, ir->nlabels + 1);
	bool reached = true;
	ra->nlabels = ir->nlabels + 1;
	ra->labels = ARENA_ARRAY(ra->arena, struct ra_label, ra->nlabels);
	for (uint32_t v = 0; v <= ir->nvregs; v++)
		new_val(ra, RA_REG);
	ra->fp = new_val(ra, RA_NONE);
	ra->slots = new_val(ra, RA_NONE);
	vreg ctx = prepare_ctx(ra, ir);
	const uint32_t *reads = count_reads(ra, ir);
	for (size_t i = 0; i < ir->code.n; i++) {
		const struct ir_insn *in = &ir->code.v[i];
		struct ir_insn joined;
		if (in->op == IR_LABEL)
			reached |= target[in->imm];
		if (!reached)
			continue;
		if (joins_next(ir, i, reads)) {
			joined = *in;
			joined.d = ir->code.v[++i].d;
			in = &joined;
		}
		prepare_insn(ra, ir, in, ctx);
		if (ir_is_jump(in))
			target[in->imm] = true;
		if (ir_ends_flow(in))
			reached = false;
	}
	return reached ? report_error(to, -EINVAL, D_LIMIT, NULL, "the program does not end in a return") : 0;
}

/* ---- rewriting: splits values ------------------------------------------------------------------------------------ */
static void begin_region(struct ra *ra, uint32_t before, uint32_t until)
{
	*vec_push(ra->arena, &ra->regions) = (struct ra_region){ before, until };
}

static uint32_t this_region(const struct ra *ra)
{
	return (uint32_t)ra->regions.n - 1;
}

/* Is the last copy of val valid here? */
static bool has_copy(const struct ra *ra, const struct ra_val *val)
{
	uint32_t r = this_region(ra), until = UINT32_MAX;

	while (val->copy && r > val->region) {
		until = ra->regions.v[r].until;
		r = ra->regions.v[r].before;
	}
	return val->copy && r == val->region && val->made < until;
}

/* A new register for a use or a definition of v at that instruction. */
static vreg new_copy(struct ra *ra, vreg v, uint32_t at)
{
	const vreg d = new_val(ra, RA_REG);
	struct ra_val *val = &ra->vals.v[v], *copy = &ra->vals.v[d];

	copy->origin = val->kind;
	copy->slot = val->slot;
	copy->remat = val->remat;
	copy->level = val->level == 0 ? 1 : 2;
	if (val->level == 0) {
		val->copy = d;
		val->region = this_region(ra);
		val->made = at;
	}
	return d;
}

/* A register that holds v for the instruction about to be added, which was the one at. */
static vreg copy_of(struct ra *ra, vreg v, uint32_t at, struct loc loc)
{
	const struct ra_val *val = &ra->vals.v[v];
	if (has_copy(ra, val))
		return val->copy;
	struct ir_insn in = { .op = IR_LD, .size = 8, .a = ra->slots, .off = (int32_t)val->slot };
	if (val->kind == RA_REMAT)
		in = *val->remat;
	in.loc = loc;
	in.d = new_copy(ra, v, at);
	append(ra, &in);
	return in.d;
}

/* A small constant is stored without a register. */
static void store_slot(struct ra *ra, const struct ir_insn *in, vreg from, uint32_t slot)
{
	const struct ra_val *v = &ra->vals.v[from];
	struct ir_insn st = { .op = IR_ST, .size = 8, .a = ra->slots, .b = from, .off = (int32_t)slot, .loc = in->loc };
	if (v->kind == RA_REMAT) {
		st.op = IR_STI;
		st.b = 0;
		st.imm = v->remat->imm;
	}
	append(ra, &st);
}

/* Adds an instruction whose result lives in a slot. It was the one at. */
static void define_in_slot(struct ra *ra, struct ir_insn *in, uint32_t at)
{
	vreg v = in->d;
	uint32_t slot = ra->vals.v[v].slot;
	const struct ra_val *a = &ra->vals.v[in->a];
	ra->vals.v[v].copy = 0;
	bool direct = in->op == IR_MOV && !a->split &&
		(a->kind == RA_REG ||
			(a->kind == RA_REMAT && a->remat->op == IR_IMM && a->remat->imm == (int32_t)a->remat->imm));
	if (direct) {
		store_slot(ra, in, in->a, slot);
		return;
	}
	in->d = new_copy(ra, v, at);
	append(ra, in);
	store_slot(ra, in, in->d, slot);
}

/* Does the instruction only move a split value between its slot and the register that it no longer has? */
static bool is_void(const struct ra *ra, const struct ir_insn *in)
{
	const struct ra_val *d = &ra->vals.v[in->d], *b = &ra->vals.v[in->b];
	if (in->d && d->split && d->origin == RA_REMAT)
		return true;
	if (in->op == IR_LD && d->split && is_slot_access(ra, in, d->slot))
		return true;
	return in->op == IR_ST && b->split && b->kind == RA_SLOT && is_slot_access(ra, in, b->slot);
}

/* Copies that were valid at the only jump to a label are so behind it. falls: the code above goes on there, too. */
static void enter_label(struct ra *ra, uint32_t label, uint32_t calls, bool falls)
{
	const struct ra_label *l = &ra->labels[label];

	if (!falls && l->jumps == 1 && l->calls == calls)
		begin_region(ra, l->region, l->at + 1);
	else if (!falls || l->jumps)
		begin_region(ra, 0, 0);
}

static void note_jump(struct ra *ra, uint32_t label, uint32_t calls, uint32_t at)
{
	const uint32_t jumps = ra->labels[label].jumps + 1;

	ra->labels[label] = (struct ra_label){ jumps, this_region(ra), calls, at };
}

/* Replaces uses and definitions of split values by copies. */
static void rewrite(struct ra *ra)
{
	struct ir_insn *old = ra->code.v;
	uint32_t n = (uint32_t)ra->code.n, calls = 0;
	bool falls = true;

	ra->code.v = NULL;
	ra->code.n = ra->code.cap = 0;
	ra->regions.n = 0;
	begin_region(ra, 0, 0); /* none */
	begin_region(ra, 0, 0);
	memset(ra->labels, 0, ra->nlabels * sizeof(*ra->labels));
	for (uint32_t i = 0; i < n; i++) {
		struct ir_insn in = old[i];
		vreg *uses[IR_MAX_USES];
		if (is_void(ra, &in))
			continue;
		unsigned nuses = ir_uses(&in, uses);
		for (unsigned u = 0; u < nuses; u++)
			if (ra->vals.v[*uses[u]].split && !ra_copies(&in, uses[u]))
				*uses[u] = copy_of(ra, *uses[u], i, in.loc);
		if (in.op == IR_LABEL)
			enter_label(ra, (uint32_t)in.imm, calls, falls);
		if (ir_is_jump(&in))
			note_jump(ra, (uint32_t)in.imm, calls, i);
		if (ir_is_call(&in)) {
			begin_region(ra, 0, 0);
			calls++;
		}
		falls = !ir_ends_flow(&in);
		if (in.d && ra->vals.v[in.d].split)
			define_in_slot(ra, &in, i);
		else
			append(ra, &in);
	}
	for (size_t v = 0; v < ra->vals.n; v++)
		ra->vals.v[v].split = false;
}

/* ---- live ranges ------------------------------------------------------------------------------------------------- */
struct scan {
	struct ra *ra;
	VEC(vreg) order;     /* by start */
	VEC(uint32_t) calls; /* positions where R0-R5 are lost */
	VEC(uint32_t) r0;    /* positions where R0 is lost */
	vreg in_reg[RA_REGS];
	bool any_split;
};

/* Extends the live range of v to position at. */
static void touch(struct scan *s, vreg v, uint32_t at)
{
	struct ra_val *val = &s->ra->vals.v[v];
	if (val->kind != RA_REG)
		return;
	if (val->uses++ == 0) {
		val->start = at;
		*vec_push(s->ra->arena, &s->order) = v;
	}
	if (at > val->end)
		val->end = at;
}

/* By the positions that the head of this file describes. */
static void live_ranges(struct scan *s)
{
	struct ra *ra = s->ra;
	for (size_t v = 0; v < ra->vals.n; v++) {
		struct ra_val *val = &ra->vals.v[v];
		val->start = val->end = val->uses = 0;
		val->partner = 0;
		memset(val->pref, 0, sizeof(val->pref));
	}
	for (size_t i = 0; i < ra->code.n; i++) {
		struct ir_insn *in = &ra->code.v[i];
		uint32_t at = (uint32_t)(2 * i);
		vreg *uses[IR_MAX_USES];
		unsigned n = ir_uses(in, uses);
		for (unsigned u = 0; u < n; u++)
			touch(s, *uses[u], read_late(ra, in, uses[u]) ? at + 2 : at);
		if (in->d)
			touch(s, in->d, at + 1);
		if (ir_is_call(in))
			*vec_push(ra->arena, &s->calls) = at;
		if (in->op == IR_CMPXCHG)
			*vec_push(ra->arena, &s->r0) = at;
	}
}

/* Is one of the sorted positions inside the live range, past its start and before its end? */
static bool crosses(const uint32_t *at, size_t n, const struct ra_val *v)
{
	size_t lo = 0, hi = n;
	while (lo < hi) { /* first position after start */
		size_t mid = lo + (hi - lo) / 2;
		if (at[mid] > v->start)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo < n && at[lo] < v->end;
}

/* Wishes are weights, not demands: pick_free() takes the free register with the largest sum. A weight is kept in 8
 * bits. */
static void wish(struct ra *ra, vreg v, unsigned reg, unsigned weight)
{
	uint8_t *p = &ra->vals.v[v].pref[reg];
	*p = (uint8_t)(*p + weight > 200 ? 200 : *p + weight);
}

/* d starts as a copy of a: what d wishes a wishes too, and d likes to take a's register. */
static void wish_copy(struct ra *ra, vreg d, vreg a)
{
	for (unsigned r = 0; r < RA_REGS; r++)
		wish(ra, a, r, ra->vals.v[d].pref[r] / 2u);
	ra->vals.v[d].partner = a;
}

/* Walks backwards, so that the wishes of a result are known when its operands are met. */
static void wishes(struct ra *ra)
{
	for (size_t i = ra->code.n; i-- > 0;) {
		const struct ir_insn *in = &ra->code.v[i];
		for (unsigned u = 0; u < in->nargs; u++)
			wish(ra, in->args[u], u + 1, 8);
		if (in->d && (ir_is_call(in) || in->op == IR_CMPXCHG))
			wish(ra, in->d, 0, 8);
		if (in->op == IR_CTX)
			wish(ra, in->d, 1, 8);
		else if (in->op == IR_RET)
			wish(ra, in->a, 0, 8);
		else if (in->op == IR_CMPXCHG)
			wish(ra, in->b, 0, 8);
		else if (in->d && (in->op == IR_XCHG || in->op == IR_FADD))
			wish_copy(ra, in->d, in->b);
		else if (in->d && in->a && ra_copies(in, &in->a))
			wish_copy(ra, in->d, in->a);
	}
}

/* ---- the scan ---------------------------------------------------------------------------------------------------- */
/* A copy goes back to where it came from, a slot or nowhere; a value of the program gets a new slot. */
static void split(struct scan *s, vreg v)
{
	struct ra_val *val = &s->ra->vals.v[v];
	val->split = true;
	s->any_split = true;
	val->kind = val->origin;
	if (val->origin == RA_NONE) {
		val->kind = RA_SLOT;
		val->slot = s->ra->nslots++;
	}
}

/* What keeping the value in a register saves, for each position that it blocks it. */
static uint64_t weight(const struct ra_val *v)
{
	if (v->level == 2)
		return UINT64_MAX;
	uint64_t w = (uint64_t)v->uses * 100000 / (v->end - v->start + 2);
	return v->origin == RA_REMAT ? w / 2 : w;
}

/* R6-R9 come last: they are the only ones that outlive calls. -1: none is free. */
static int pick_free(const struct scan *s, vreg v)
{
	static const uint8_t order[RA_REGS] = { 0, 5, 4, 3, 2, 1, 6, 7, 8, 9 };
	const struct ra_val *val = &s->ra->vals.v[v], *partner = &s->ra->vals.v[val->partner];
	int best = -1;
	unsigned best_score = 0;
	for (unsigned i = 0; i < RA_REGS; i++) {
		uint8_t r = order[i];
		if (s->in_reg[r] || !(val->allowed >> r & 1))
			continue;
		unsigned score = val->pref[r];
		if (val->partner && partner->kind == RA_REG && partner->uses && partner->reg == r)
			score += 6;
		if (best < 0 || score > best_score) {
			best = r;
			best_score = score;
		}
	}
	return best;
}

/* Nothing is free: the value that is worth least gives way. False: there is none. */
static bool evict(struct scan *s, vreg v)
{
	struct ra_val *val = &s->ra->vals.v[v];
	vreg victim = v;
	uint64_t least = weight(val);
	for (unsigned r = 0; r < RA_REGS; r++) {
		if (!s->in_reg[r] || !(val->allowed >> r & 1))
			continue;
		uint64_t w = weight(&s->ra->vals.v[s->in_reg[r]]);
		if (w < least) {
			least = w;
			victim = s->in_reg[r];
		}
	}
	if (least == UINT64_MAX)
		return false;
	split(s, victim);
	if (victim != v) {
		val->reg = s->ra->vals.v[victim].reg;
		s->in_reg[val->reg] = v;
	}
	return true;
}

/* Values come in the order of their starts: a register whose value has ended is free from here on. */
static bool place(struct scan *s, vreg v)
{
	struct ra_val *val = &s->ra->vals.v[v];
	for (unsigned r = 0; r < RA_REGS; r++)
		if (s->in_reg[r] && s->ra->vals.v[s->in_reg[r]].end <= val->start)
			s->in_reg[r] = 0;
	val->allowed = ALL_REGS;
	if (crosses(s->calls.v, s->calls.n, val))
		val->allowed = SAVED_REGS;
	else if (crosses(s->r0.v, s->r0.n, val))
		val->allowed = ALL_REGS & ~1u;
	int r = pick_free(s, v);
	if (r < 0)
		return evict(s, v);
	val->reg = (uint8_t)r;
	s->in_reg[r] = v;
	return true;
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */
struct slot_range {
	uint32_t first, last; /* instructions */
	bool used;
};

/* Slots are live from their first to their last access, as control goes forward. */
static void touch_slot(struct slot_range *range, uint32_t i)
{
	if (!range->used)
		range->first = i;
	range->used = true;
	range->last = i;
}

/* Gives each slot 8 bytes below the stack objects; slots that are never wanted together share them. */
static void place_slots(struct ra *ra, int32_t frame_max)
{
	struct slot_range *ranges = ARENA_ARRAY(ra->arena, struct slot_range, ra->nslots + 1);
	uint32_t *taken_until = ARENA_ARRAY(ra->arena, uint32_t, ra->nslots + 1);
	int32_t base = (frame_max + 7) & ~7;
	uint32_t n = 0, *order = ARENA_ARRAY(ra->arena, uint32_t, ra->nslots + 1), norder = 0;
	for (uint32_t i = 0; i < ra->code.n; i++) {
		struct ir_insn *in = &ra->code.v[i];
		vreg *uses[IR_MAX_USES];
		unsigned nuses = ir_uses(in, uses);
		for (unsigned u = 0; u < nuses; u++) {
			const struct ra_val *v = &ra->vals.v[*uses[u]];
			bool base_of = *uses[u] == ra->slots;
			if (v->kind != RA_SLOT && !base_of)
				continue;
			uint32_t slot = base_of ? (uint32_t)in->off : v->slot;
			if (!ranges[slot].used)
				order[norder++] = slot;
			touch_slot(&ranges[slot], i);
		}
	}
	ra->slot_off = ARENA_ARRAY(ra->arena, int32_t, ra->nslots + 1);
	for (uint32_t i = 0; i < norder; i++) {
		const struct slot_range *range = &ranges[order[i]];
		uint32_t at = 0;
		while (at < n && taken_until[at] >= range->first)
			at++;
		if (at == n)
			n++;
		taken_until[at] = range->last;
		ra->slot_off[order[i]] = -base - 8 * (int32_t)(at + 1);
	}
	ra->stack = base + 8 * (int32_t)n;
}

/* Linear scan (Poletto and Sarkar 1999), repeated after each round of splitting. It ends: copies of level 2 are
 * never split again, and rounds are limited. */
int ra_run(const struct ir *ir, struct ra *ra, const struct reporter *to)
{
	int err = prepare(ra, ir, to);
	if (err)
		return err;
	rewrite(ra);
	for (unsigned round = 0;; round++) {
		struct scan s = { .ra = ra };
		live_ranges(&s);
		wishes(ra);
		for (size_t i = 0; i < s.order.n; i++) {
			if (round < MAX_ROUNDS && place(&s, s.order.v[i]))
				continue;
			return report_error(to, -E2BIG, D_LIMIT, NULL, "too many values are wanted at once");
		}
		if (!s.any_split)
			break;
		rewrite(ra);
	}
	place_slots(ra, ir->frame_max);
	return 0;
}
