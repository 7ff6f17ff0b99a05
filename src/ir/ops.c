/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops: facts about single IR instructions. Input: an instruction or constants; output: an answer. Pure. */
#include "ir/ops.h"

#include <endian.h>

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

bool ir_droppable(const struct ir_insn *in)
{
	switch ((enum ir_op)in->op) {
	case IR_IMM:
	case IR_MOV:
	case IR_LD:
	case IR_ALU:
	case IR_ALUI:
	case IR_NEG:
	case IR_EXT:
	case IR_BE:
	case IR_CTX:
	case IR_MAP:
	case IR_MAPVAL:
	case IR_STACK:
	case IR_KSYM:
	case IR_PC:
		return true;
	case IR_CALL:
	case IR_KFUNC:
		return in->pure;
	case IR_ST:
	case IR_STI:
	case IR_LIB:
	case IR_LABEL:
	case IR_JMP:
	case IR_JCC:
	case IR_JCCI:
	case IR_XADD:
	case IR_XCHG:
	case IR_CMPXCHG:
	case IR_RET:
		return false;
	}
	return false;
}

bool ir_shareable(const struct ir_insn *in)
{
	return ir_droppable(in) && !in->fresh && (in->op != IR_LD || in->pure);
}

bool ir_is_call(const struct ir_insn *in)
{
	return in->op == IR_CALL || in->op == IR_KFUNC || in->op == IR_LIB;
}

bool ir_is_jump(const struct ir_insn *in)
{
	return in->op == IR_JMP || in->op == IR_JCC || in->op == IR_JCCI;
}

bool ir_is_memory(const struct ir_insn *in)
{
	return in->op == IR_LD || in->op == IR_ST || in->op == IR_STI || in->op == IR_XADD || in->op == IR_XCHG ||
		in->op == IR_CMPXCHG;
}

bool ir_ends_flow(const struct ir_insn *in)
{
	return in->op == IR_JMP || in->op == IR_RET;
}

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

int64_t ir_eval_ext(int64_t a, unsigned size, bool sx)
{
	unsigned sh = 64 - 8 * size;
	uint64_t up = (uint64_t)a << sh;
	return sx ? (int64_t)up >> sh : (int64_t)(up >> sh);
}

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
	return op == ALU_ADD || op == ALU_MUL || op == ALU_AND || op == ALU_OR || op == ALU_XOR;
}

enum ir_cc ir_cc_swap(enum ir_cc cc)
{
	static const enum ir_cc swapped[] = {
		[CC_EQ] = CC_EQ,
		[CC_NE] = CC_NE,
		[CC_ULT] = CC_UGT,
		[CC_ULE] = CC_UGE,
		[CC_UGT] = CC_ULT,
		[CC_UGE] = CC_ULE,
		[CC_SLT] = CC_SGT,
		[CC_SLE] = CC_SGE,
		[CC_SGT] = CC_SLT,
		[CC_SGE] = CC_SLE,
		[CC_SET] = CC_SET,
	};
	return swapped[cc];
}

bool ir_cc_negate(enum ir_cc *cc)
{
	static const enum ir_cc opposite[] = {
		[CC_EQ] = CC_NE,
		[CC_NE] = CC_EQ,
		[CC_ULT] = CC_UGE,
		[CC_ULE] = CC_UGT,
		[CC_UGT] = CC_ULE,
		[CC_UGE] = CC_ULT,
		[CC_SLT] = CC_SGE,
		[CC_SLE] = CC_SGT,
		[CC_SGT] = CC_SLE,
		[CC_SGE] = CC_SLT,
		[CC_SET] = CC_SET,
	};
	*cc = opposite[*cc];
	return *cc != CC_SET;
}
