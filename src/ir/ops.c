/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops: facts about single IR instructions.
 * Input: an instruction or constants. Output: an answer; nothing is changed.
 * Invariant: constants are computed exactly as BPF does at run time. */
#include "ir/ops.h"

#include <endian.h>

/* Pointers into the instruction, so that a pass can replace operands. The order is a, b, c, arguments. */
unsigned ir_uses(struct ir_insn *in, vreg *uses[IR_MAX_USES])
{
	unsigned n = 0;
	if (in->a)
		uses[n++] = &in->a;
	if (in->b)
		uses[n++] = &in->b;
	if (in->c)
		uses[n++] = &in->c;
	for (unsigned i = 0; i < in->nargs; i++)
		uses[n++] = &in->args[i];
	return n;
}

/* The flags of the operation, from the list in ir.h. */
static unsigned traits(const struct ir_insn *in)
{
	static const uint8_t table[] = {
#define X(o, name, traits) traits,
		IR_OPS(X)
#undef X
	};

	return table[in->op];
}

/* Has the instruction no effect but its result? Then it may go if the result is unused. */
bool ir_droppable(const struct ir_insn *in)
{
	return (traits(in) & IRT_VALUE) || (in->pure && (traits(in) & IRT_CALL));
}

/* Two such instructions with equal operands have equal results. A load qualifies only if its memory does not change. */
bool ir_shareable(const struct ir_insn *in)
{
	return ir_droppable(in) && !in->fresh && (in->op != IR_LD || in->pure);
}

bool ir_is_call(const struct ir_insn *in)
{
	return traits(in) & IRT_CALL;
}

bool ir_is_jump(const struct ir_insn *in)
{
	return traits(in) & IRT_JUMP;
}

/* Does the instruction load or store at address a + off? */
bool ir_is_memory(const struct ir_insn *in)
{
	return traits(in) & IRT_MEMORY;
}

/* Does control never reach the instruction behind it? */
bool ir_ends_flow(const struct ir_insn *in)
{
	return traits(in) & IRT_ENDS;
}

/* BPF defines x / 0 as 0 and x % 0 as x, masks shift counts with 63, and divides unsigned. */
int64_t ir_eval_alu(enum ir_alu op, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;
	unsigned sh = (unsigned)(y & 63);
	switch (op) {
	case ALU_ADD:
		return (int64_t)(x + y);
	case ALU_SUB:
		return (int64_t)(x - y);
	case ALU_MUL:
		return (int64_t)(x * y);
	case ALU_DIV:
		return y ? (int64_t)(x / y) : 0;
	case ALU_MOD:
		return y ? (int64_t)(x % y) : a;
	case ALU_AND:
		return (int64_t)(x & y);
	case ALU_OR:
		return (int64_t)(x | y);
	case ALU_XOR:
		return (int64_t)(x ^ y);
	case ALU_SHL:
		return (int64_t)(x << sh);
	case ALU_SHR:
		return (int64_t)(x >> sh);
	case ALU_SAR:
		return a >> sh;
	}
	return 0;
}

/* Signed conditions compare as int64_t, the others as uint64_t. */
bool ir_eval_cc(enum ir_cc cc, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;
	switch (cc) {
	case CC_EQ:
		return a == b;
	case CC_NE:
		return a != b;
	case CC_ULT:
		return x < y;
	case CC_ULE:
		return x <= y;
	case CC_UGT:
		return x > y;
	case CC_UGE:
		return x >= y;
	case CC_SLT:
		return a < b;
	case CC_SLE:
		return a <= b;
	case CC_SGT:
		return a > b;
	case CC_SGE:
		return a >= b;
	case CC_SET:
		return (x & y) != 0;
	}
	return false;
}

/* size 8: unchanged. */
int64_t ir_eval_ext(int64_t a, unsigned size, bool sx)
{
	unsigned sh = 64 - 8 * size;
	uint64_t up = (uint64_t)a << sh;
	return sx ? (int64_t)up >> sh : (int64_t)(up >> sh);
}

/* Both machines are little endian: the low size bytes are swapped and zero-extended. */
int64_t ir_eval_be(int64_t a, unsigned size)
{
	if (size == 2)
		return htobe16((uint16_t)a);
	if (size == 4)
		return htobe32((uint32_t)a);
	if (size == 8)
		return (int64_t)htobe64((uint64_t)a);
	return (uint8_t)a;
}

bool ir_alu_commutes(enum ir_alu op)
{
	static const bool commutes[] = {
#define X(o, s, commutes) commutes,
		IR_ALUS(X)
#undef X
	};

	return commutes[op];
}

/* a cc b is b swap(cc) a. */
enum ir_cc ir_cc_swap(enum ir_cc cc)
{
	static const enum ir_cc swapped[] = {
#define X(o, s, swapped, opposite) swapped,
		IR_CCS(X)
#undef X
	};

	return swapped[cc];
}

/* Returns false for CC_SET, which has no opposite; *cc is then unusable. */
bool ir_cc_negate(enum ir_cc *cc)
{
	static const enum ir_cc opposite[] = {
#define X(o, s, swapped, opposite) opposite,
		IR_CCS(X)
#undef X
	};

	*cc = opposite[*cc];
	return *cc != CC_SET;
}
