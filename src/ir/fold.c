/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold: the local rewriting rules of the optimiser.
 * Input: one instruction with resolved operands, and what is known of them. Output: the same instruction in a
 * simpler form.
 * Invariant: the result is the same for every value that the operands can have, by BPF's arithmetic: 64 bits that
 * wrap, x / 0 = 0, x % 0 = x. */
#include "ir/fold.h"

#include <stddef.h>

#include "ir/ops.h"

/* What is known of a register. */
static const struct ir_val *val(const struct ir_opt *o, vreg v)
{
	return &o->vals.v[v];
}

/* The instruction that defines a register; NULL for a variable. Valid until the next instruction is added. */
static const struct ir_insn *def_of(const struct ir_opt *o, vreg v)
{
	uint32_t def = val(o, v)->def;
	return def ? &o->out.v[def - 1] : NULL;
}

/* May register v, which the instruction def read, be read here instead? Registers are set once, so they may; a variable
 * only if it was not set since. */
static bool stable(const struct ir_opt *o, const struct ir_insn *def, vreg v)
{
	if (!v || !o->ir->is_var.v[v])
		return v;
	return v < o->nlefts && !o->defs_left[v] && def - o->out.v >= (ptrdiff_t)val(o, v)->set_at;
}

/* Immediates of BPF instructions are 32 bits, sign-extended. */
static bool fits32(int64_t v)
{
	return v == (int32_t)v;
}

/* The instruction becomes a constant. Returns true, as ir_fold() does after a change. */
static bool to_imm(struct ir_insn *in, int64_t imm)
{
	in->op = IR_IMM;
	in->imm = imm;
	in->a = in->b = 0;
	in->size = 8;
	return true;
}

/* The instruction becomes a copy, which the forward pass resolves. */
static bool to_copy(struct ir_insn *in, vreg a)
{
	in->op = IR_MOV;
	in->a = a;
	in->b = 0;
	return true;
}

/* x op y with constants or equal operands. x - x and x ^ x become 0 only for numbers: the verifier must not see a
 * pointer become a constant. */
static bool fold_alu(struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_val *a = val(o, in->a), *b = val(o, in->b);
	enum ir_alu op = (enum ir_alu)in->sub;
	if (a->known && b->known)
		return to_imm(in, ir_eval_alu(op, a->imm, b->imm));
	if (b->known && fits32(b->imm)) {
		in->op = IR_ALUI;
		in->imm = b->imm;
		in->b = 0;
		return true;
	}
	if (a->known && fits32(a->imm) && ir_alu_commutes(op)) {
		in->op = IR_ALUI;
		in->imm = a->imm;
		in->a = in->b;
		in->b = 0;
		return true;
	}
	if (in->a != in->b)
		return false;
	if (op == ALU_AND || op == ALU_OR)
		return to_copy(in, in->a);
	if ((op == ALU_SUB || op == ALU_XOR) && a->scalar)
		return to_imm(in, 0);
	return false;
}

/* x op imm, where imm is a power of two or a neutral or absorbing element. */
static bool fold_alui_simple(struct ir_insn *in)
{
	enum ir_alu op = (enum ir_alu)in->sub;
	int64_t k = in->imm;
	if (op == ALU_SHL || op == ALU_SHR || op == ALU_SAR)
		k &= 63;
	bool zero_leaves = op != ALU_MUL && op != ALU_DIV && op != ALU_AND; /* x % 0 is x */
	bool one_leaves = op == ALU_MUL || op == ALU_DIV;
	if ((k == 0 && zero_leaves) || (k == 1 && one_leaves) || (k == -1 && op == ALU_AND))
		return to_copy(in, in->a);
	if ((k == 0 && !zero_leaves) || (k == 1 && op == ALU_MOD))
		return to_imm(in, 0);
	if (op == ALU_SUB && k != INT32_MIN) {
		in->sub = ALU_ADD;
		in->imm = -k;
		return true;
	}
	bool power = k > 0 && (k & (k - 1)) == 0;
	if (!power || (op != ALU_MUL && op != ALU_DIV && op != ALU_MOD))
		return false;
	in->sub = op == ALU_MUL ? ALU_SHL : op == ALU_DIV ? ALU_SHR : ALU_AND;
	in->imm = op == ALU_MOD ? k - 1 : __builtin_ctzll((uint64_t)k);
	return true;
}

/* (x op k1) op k2 becomes x op k; an address of the stack or of a map's value plus a constant becomes one address. */
static bool fold_alui_chain(struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_insn *def = def_of(o, in->a);
	enum ir_alu op = (enum ir_alu)in->sub;
	if (!def)
		return false;
	if (op == ALU_ADD && (def->op == IR_STACK || def->op == IR_MAPVAL)) {
		int64_t off = def->off + in->imm;
		if (!fits32(off) || (def->op == IR_STACK ? off >= 0 : off < 0))
			return false;
		in->op = def->op;
		in->imm = def->imm;
		in->off = (int32_t)off;
		in->a = 0;
		return true;
	}
	if (def->op != IR_ALUI || !stable(o, def, def->a))
		return false;
	bool up_and_down = op == ALU_SHR && def->sub == ALU_SHL && def->imm == in->imm && in->imm >= 0 && in->imm < 64;
	if (up_and_down && val(o, def->a)->scalar && val(o, def->a)->ubits + in->imm <= 64)
		return to_copy(in, def->a);
	if (up_and_down && in->imm > 32) {
		in->sub = ALU_AND;
		in->a = def->a;
		in->imm = (int64_t)((1ull << (64 - in->imm)) - 1);
		return true;
	}
	if (def->sub != in->sub)
		return false;
	int64_t k;
	if (op == ALU_ADD)
		k = def->imm + in->imm;
	else if (op == ALU_AND || op == ALU_OR || op == ALU_XOR)
		k = ir_eval_alu(op, def->imm, in->imm);
	else if ((op == ALU_SHL || op == ALU_SHR) && (def->imm & 63) + (in->imm & 63) < 64)
		k = (def->imm & 63) + (in->imm & 63);
	else
		return false;
	if (!fits32(k))
		return false;
	in->a = def->a;
	in->imm = k;
	return true;
}

/* x op constant. */
static bool fold_alui(struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_val *a = val(o, in->a);
	if (a->known)
		return to_imm(in, ir_eval_alu((enum ir_alu)in->sub, a->imm, in->imm));
	return fold_alui_simple(in) || fold_alui_chain(o, in);
}

/* Replaces *v by the operand of the extension that made it, if only the low size bytes are used. */
static bool skip_ext(struct ir_opt *o, vreg *v, unsigned size)
{
	const struct ir_insn *def = def_of(o, *v);
	if (!def || def->op != IR_EXT || def->size < size || !stable(o, def, def->a) || !val(o, def->a)->scalar)
		return false;
	*v = def->a;
	return true;
}

/* An extension of a value that already has so few bits is a copy. */
static bool fold_ext(struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_val *a = val(o, in->a);
	if (a->known)
		return to_imm(in, ir_eval_ext(a->imm, in->size, in->sx));
	if (a->scalar && (in->sx ? a->sbits : a->ubits) <= 8 * in->size)
		return to_copy(in, in->a);
	return skip_ext(o, &in->a, in->size);
}

/* Two swaps of a word make a number of it (ir_number()). Is it one already? That ir_val.scalar says so is not enough:
 * since Linux 6.17 what is computed from some pointers is a pointer to the verifier. */
static bool is_number_already(struct ir_opt *o, const struct ir_insn *in, const struct ir_insn *first)
{
	const struct ir_insn *made = first && first->op == IR_BE ? def_of(o, first->a) : NULL;

	return made && in->size == 8 && first->size == 8 && stable(o, first, first->a) &&
		(made->op == IR_BE || made->op == IR_LIB);
}

/* Only the low size bytes are read, so an extension before it does not matter. */
static bool fold_be(struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_val *a = val(o, in->a);
	const struct ir_insn *def = def_of(o, in->a);

	if (a->known)
		return to_imm(in, ir_eval_be(a->imm, in->size));
	if (is_number_already(o, in, def))
		return to_copy(in, def->a);
	return skip_ext(o, &in->a, in->size);
}

/* Moves a constant distance from the base into the offset of a load or store. */
static bool fold_address(struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_insn *def = def_of(o, in->a);
	if (!def)
		return false;
	if (def->op == IR_ALUI && def->sub == ALU_ADD && stable(o, def, def->a)) {
		int64_t off = in->off + def->imm;
		if (off != (int16_t)off)
			return false;
		in->a = def->a;
		in->off = (int32_t)off;
		return true;
	}
	return false;
}

/* A constant becomes the immediate of the store. A store of fewer than 8 bytes ignores upper bits, so it skips
 * extensions. */
static bool fold_memory(struct ir_opt *o, struct ir_insn *in)
{
	if (in->op == IR_ST && val(o, in->b)->known) {
		int64_t v = val(o, in->b)->imm;
		if (in->size < 8 || fits32(v)) {
			in->op = IR_STI;
			in->imm = (int32_t)v;
			in->b = 0;
			return true;
		}
	}
	if (in->op == IR_ST && in->size < 8 && skip_ext(o, &in->b, in->size))
		return true;
	return fold_address(o, in);
}

/* Returns true if the instruction changed; the caller repeats until it does not. */
bool ir_fold(struct ir_opt *o, struct ir_insn *in)
{
	switch ((enum ir_op)in->op) {
	case IR_ALU:
		return fold_alu(o, in);
	case IR_ALUI:
		return fold_alui(o, in);
	case IR_NEG:
		return val(o, in->a)->known && to_imm(in, ir_eval_alu(ALU_SUB, 0, val(o, in->a)->imm));
	case IR_EXT:
		return fold_ext(o, in);
	case IR_BE:
		return fold_be(o, in);
	case IR_LD:
	case IR_ST:
	case IR_STI:
	case IR_XADD:
	case IR_FADD:
	case IR_XCHG:
	case IR_CMPXCHG:
		return fold_memory(o, in);
	case IR_IMM:
	case IR_MOV:
	case IR_WRAP:
	case IR_RINGOF:
	case IR_CTX:
	case IR_MAP:
	case IR_MAPVAL:
	case IR_STACK:
	case IR_KSYM:
	case IR_PC:
	case IR_CALL:
	case IR_KFUNC:
	case IR_LIB:
	case IR_LABEL:
	case IR_JMP:
	case IR_JCC:
	case IR_JCCI:
	case IR_RET:
		return false;
	}
	return false;
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */
/* Decides x cc k for every x with 0 <= x < 2^ubits, ubits < 64: 1 true, 0 false, -1 it depends. */
static int decide_by_range(enum ir_cc cc, unsigned ubits, int64_t imm)
{
	uint64_t max = (1ull << ubits) - 1, k = (uint64_t)imm;
	switch (cc) {
	case CC_EQ:
		return k > max ? 0 : -1;
	case CC_NE:
		return k > max ? 1 : -1;
	case CC_ULT:
		return k > max ? 1 : k == 0 ? 0 : -1;
	case CC_ULE:
		return k >= max ? 1 : -1;
	case CC_UGT:
		return k >= max ? 0 : -1;
	case CC_UGE:
		return k > max ? 0 : k == 0 ? 1 : -1;
	case CC_SLT:
		return imm <= 0 ? 0 : k > max ? 1 : -1;
	case CC_SLE:
		return imm < 0 ? 0 : k >= max ? 1 : -1;
	case CC_SGT:
		return imm < 0 ? 1 : k >= max ? 0 : -1;
	case CC_SGE:
		return imm <= 0 ? 1 : k > max ? 0 : -1;
	case CC_SET:
		return (k & max) == 0 ? 0 : -1;
	}
	return -1;
}

/* 1: the condition holds, 0: it does not, -1: unknown. A range that the verifier does not see is not used: the verifier
 * would walk the path that the test excludes, and refuse it. */
static int decide(enum ir_cc cc, const struct ir_val *a, int64_t imm)
{
	if (a->nonzero && imm == 0 && (cc == CC_EQ || cc == CC_NE))
		return cc == CC_NE;
	if (imm == 0 && (cc == CC_ULT || cc == CC_UGE)) /* of any value */
		return cc == CC_UGE;
	return a->scalar && !a->verifier_unaware && a->ubits < 64 ? decide_by_range(cc, a->ubits, imm) : -1;
}

/* x cc x: 1 or 0; -1 for "some bit is set", which depends on x. */
static int decide_same(enum ir_cc cc)
{
	switch (cc) {
	case CC_EQ:
	case CC_ULE:
	case CC_UGE:
	case CC_SLE:
	case CC_SGE:
		return 1;
	case CC_NE:
	case CC_ULT:
	case CC_UGT:
	case CC_SLT:
	case CC_SGT:
		return 0;
	case CC_SET:
		return -1;
	}
	return -1;
}

/* Turns (x & mask) != 0 into one test of bits (JSET), and likewise ((x << a) >> b) != 0. */
static void fold_bit_test(const struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_insn *def = def_of(o, in->a), *inner;
	uint64_t mask;
	if (in->sub != CC_NE || in->imm2 != 0 || !def || def->op != IR_ALUI || !stable(o, def, def->a))
		return;
	if (def->sub == ALU_AND && def->imm > 0) {
		in->a = def->a;
		in->imm2 = (int32_t)def->imm;
		in->sub = CC_SET;
		return;
	}
	inner = def_of(o, def->a);
	if (def->sub != ALU_SHR || !inner || inner->op != IR_ALUI || inner->sub != ALU_SHL || inner->imm < 0 ||
		inner->imm > def->imm || def->imm > 63 || !stable(o, inner, inner->a))
		return;
	mask = ~0ull >> def->imm << (def->imm - inner->imm);
	if (mask > INT32_MAX)
		return;
	in->a = inner->a;
	in->imm2 = (int32_t)mask;
	in->sub = CC_SET;
}

/* Simplifies a conditional jump and moves a constant to its right side. 1: always taken, 0: never, -1: not decided. */
int ir_fold_jump(struct ir_opt *o, struct ir_insn *in)
{
	if (in->op == IR_JMP)
		return 1;
	const struct ir_val *a = val(o, in->a);
	if (in->op == IR_JCC) {
		const struct ir_val *b = val(o, in->b);
		if (a->known && b->known)
			return ir_eval_cc((enum ir_cc)in->sub, a->imm, b->imm);
		if (a->known && fits32(a->imm)) {
			vreg t = in->a;
			in->a = in->b;
			in->b = t;
			in->sub = (uint8_t)ir_cc_swap((enum ir_cc)in->sub);
			a = val(o, in->a);
			b = val(o, in->b);
		}
		if (b->known && !fits32(b->imm))
			return decide((enum ir_cc)in->sub, a, b->imm);
		if (!b->known)
			return in->a == in->b ? decide_same((enum ir_cc)in->sub) : -1;
		in->op = IR_JCCI;
		in->imm2 = (int32_t)b->imm;
		in->b = 0;
	}
	if (a->known)
		return ir_eval_cc((enum ir_cc)in->sub, a->imm, in->imm2);
	fold_bit_test(o, in);
	a = val(o, in->a);
	return decide((enum ir_cc)in->sub, a, in->imm2);
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */
/* Bits that the number needs: 0 for 0. */
static unsigned bit_length(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static unsigned umax(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned umin(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* ubits: the value is below 2^ubits. sbits: it fits that many bits with its sign. scalar: it is no pointer. Bounds
 * above 64 mean that nothing is known. */
static struct ir_val bits(unsigned ubits, unsigned sbits, bool scalar)
{
	ubits = umin(ubits, 64);
	sbits = umin(sbits, 64);
	if (scalar)
		sbits = umin(sbits, ubits + 1);
	return (struct ir_val){ .ubits = (uint8_t)ubits, .sbits = (uint8_t)sbits, .scalar = scalar };
}

/* Does the verifier know less of the result than alu_bits() does? Then bounds checks that we could drop must stay,
 * because it needs them. */
static bool is_verifier_unaware(enum ir_alu op, const struct ir_val *a, const struct ir_val *b)
{
	switch (op) {
	case ALU_DIV:
	case ALU_MOD:
		return true;
	case ALU_MUL:
		return a->verifier_unaware || b->verifier_unaware || a->ubits > 32 || b->ubits > 32;
	case ALU_AND:
		return a->ubits < b->ubits ? a->verifier_unaware : b->verifier_unaware;
	case ALU_SHR:
	case ALU_SAR:
		return a->verifier_unaware || !b->known;
	case ALU_ADD:
	case ALU_SUB:
	case ALU_OR:
	case ALU_XOR:
	case ALU_SHL:
		return a->verifier_unaware || b->verifier_unaware;
	}
	return true;
}

/* Bounds of the result by those of the operands. A carry costs a bit; the difference of unsigned numbers may be
 * negative. */
static struct ir_val alu_bits(enum ir_alu op, const struct ir_val *a, const struct ir_val *b)
{
	unsigned au = a->ubits, bu = b->ubits;
	bool small = b->known && (uint64_t)b->imm < 64;
	unsigned k = small ? (unsigned)b->imm : 0;
	switch (op) {
	case ALU_ADD:
		return bits(umax(au, bu) + 1, umax(a->sbits, b->sbits) + 1u, a->scalar && b->scalar);
	case ALU_SUB:
		return bits(64, umax(a->sbits, b->sbits) + 1u, a->scalar && b->scalar);
	case ALU_MUL:
		return bits(au + bu, (unsigned)a->sbits + b->sbits, true);
	case ALU_DIV:
	case ALU_MOD:
		return bits(au, 64, true);
	case ALU_AND:
		return bits(umin(au, bu), umax(a->sbits, b->sbits), true);
	case ALU_OR:
	case ALU_XOR:
		return bits(umax(au, bu), umax(a->sbits, b->sbits), true);
	case ALU_SHL:
		return small ? bits(au + k, a->sbits + k, true) : bits(64, 64, true);
	case ALU_SHR:
		return bits(au > k ? au - k : 0, 64, true);
	case ALU_SAR:
		return bits(au, a->sbits > k ? a->sbits - k : 1, true);
	}
	return bits(64, 64, false);
}

/* The bounds of the result, and whether the verifier knows them too. */
static struct ir_val known_alu(enum ir_alu op, const struct ir_val *a, const struct ir_val *b)
{
	struct ir_val v = alu_bits(op, a, b);
	v.verifier_unaware = is_verifier_unaware(op, a, b);
	return v;
}

/* Everything is known of a constant. */
static struct ir_val known_imm(int64_t imm)
{
	struct ir_val v = bits(bit_length((uint64_t)imm), bit_length((uint64_t)(imm < 0 ? ~imm : imm)) + 1, true);
	v.known = true;
	v.imm = imm;
	return v;
}

/* A pointer: nothing but that it is not 0, if so. */
static struct ir_val known_pointer(bool nonzero)
{
	struct ir_val v = bits(64, 64, false);
	v.nonzero = nonzero;
	return v;
}

/* What the optimiser may assume of an instruction's result, whatever path leads to it. */
struct ir_val ir_known(const struct ir_opt *o, const struct ir_insn *in)
{
	unsigned width = 8u * in->size;
	switch ((enum ir_op)in->op) {
	case IR_IMM:
		return known_imm(in->imm);
	case IR_MOV: {
		const struct ir_val *a = val(o, in->a);
		struct ir_val copy = bits(a->ubits, a->sbits, a->scalar);
		copy.nonzero = a->nonzero;
		copy.verifier_unaware = a->verifier_unaware;
		return copy;
	}
	case IR_LD:
	case IR_EXT:
		return in->sx ? bits(64, width, true) : bits(width, 64, in->op == IR_EXT || in->size < 8);
	case IR_BE:
		return bits(width, 64, true);
	case IR_FADD:
	case IR_XCHG:
	case IR_CMPXCHG:
		return bits(width, 64, in->size < 8);
	case IR_ALU:
		return known_alu((enum ir_alu)in->sub, val(o, in->a), val(o, in->b));
	case IR_ALUI: {
		struct ir_val k = known_imm(in->imm);
		return known_alu((enum ir_alu)in->sub, val(o, in->a), &k);
	}
	case IR_NEG:
		return bits(64, val(o, in->a)->sbits + 1u, true);
	case IR_WRAP:
	case IR_RINGOF:
		return bits(32, 64, true);
	case IR_LIB:
		return bits(64, 64, true);
	case IR_CTX:
	case IR_MAP:
	case IR_MAPVAL:
	case IR_STACK:
		return known_pointer(true);
	case IR_CALL:
	case IR_KFUNC:
		return known_pointer(in->nonzero);
	case IR_KSYM:
	case IR_PC:
	case IR_ST:
	case IR_STI:
	case IR_LABEL:
	case IR_JMP:
	case IR_JCC:
	case IR_JCCI:
	case IR_XADD:
	case IR_RET:
		return bits(64, 64, false);
	}
	return bits(64, 64, false);
}
