/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops: facts about single IR instructions, shared by the optimiser, the register allocator and the printer. */
#ifndef DWIRE_IR_OPS_H
#define DWIRE_IR_OPS_H
#include "ir/ir.h"

#define IR_MAX_USES 8

/* Addresses of the operands that the instruction reads; returns how many. */
unsigned ir_uses(struct ir_insn *in, vreg *uses[IR_MAX_USES]);
/* Has the instruction no effect but its result? */
bool ir_droppable(const struct ir_insn *in);
/* Is its result the same whenever its operands are? */
bool ir_shareable(const struct ir_insn *in);
/* Is it CALL, KFUNC or LIB? These clobber R0-R5. */
bool ir_is_call(const struct ir_insn *in);
/* Is it JMP, JCC or JCCI? Their imm is a label. */
bool ir_is_jump(const struct ir_insn *in);
/* Does it access memory at a + off? */
bool ir_is_memory(const struct ir_insn *in);
/* Does control never go on to the next instruction? */
bool ir_ends_flow(const struct ir_insn *in);

/* Compute what BPF computes, also for division by zero and for shifts by 64 and more. */
int64_t ir_eval_alu(enum ir_alu op, int64_t a, int64_t b);
bool ir_eval_cc(enum ir_cc cc, int64_t a, int64_t b);
int64_t ir_eval_ext(int64_t a, unsigned size, bool sx);
int64_t ir_eval_be(int64_t a, unsigned size);

bool ir_alu_commutes(enum ir_alu op);
/* The condition with its operands exchanged. */
enum ir_cc ir_cc_swap(enum ir_cc cc);
/* Puts the opposite condition in *cc; false when there is none (CC_SET). */
bool ir_cc_negate(enum ir_cc *cc);
#endif
