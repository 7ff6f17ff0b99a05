/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold: rewriting one IR instruction with what is known of its operands. Internal to the optimiser. */
#ifndef DWIRE_IR_FOLD_H
#define DWIRE_IR_FOLD_H
#include "ir/ir.h"

/* What is known of a register. */
struct ir_val {
	vreg repl;             /* the same value under another name; 0: none */
	uint32_t def;          /* 1 + index of the only definition in the new code; 0: a variable, or not there */
	uint8_t ubits;         /* as unsigned, less than 2^ubits */
	bool verifier_unaware; /* we can prove this range, the verifier cannot: tests made for the verifier stay */
	uint8_t sbits;         /* equal to its low sbits bits, sign-extended */
	bool scalar;           /* certainly no pointer */
	bool known;            /* always imm */
	bool nonzero;          /* never 0 */
	int64_t imm;
	uint32_t version; /* variables: definitions so far; it is unchanged where this is */
	vreg cur;         /* variables: the register that the last definition, in cur_block, copied to it; or 0 */
	uint32_t cur_block;
	uint32_t set_at; /* variables: instructions of the new code up to the last definition */
};

/* A node of the dominator tree. jump is an ancestor far up, so that looking one up takes logarithmic time. */
struct ir_block {
	uint32_t idom, jump, depth;
};

struct ir_expr; /* a shared value or a known fact */

/* One forward pass. Program order is a topological order, so each block's predecessors come before it and the
 * dominator tree grows with the pass. Blocks are numbered from 1 in that order; idom[b] < b. */
struct ir_opt {
	struct ir *ir;
	struct arena *scratch; /* for what the pass needs only while it runs */
	VEC(struct ir_insn) out;
	VEC(struct ir_val) vals; /* by vreg */
	VEC(struct ir_block) blocks;
	VEC(struct ir_expr) exprs;
	uint32_t *heads; /* hash chains of exprs, 1 + index */
	uint32_t hash_mask;
	uint32_t block;      /* the current one; 0: not reached */
	uint32_t *label_dom; /* by label: common dominator of the jumps seen so far; 0: none */
	uint32_t *label_at;  /* by label: index in the old code */
	/* By vreg below nlefts: definitions of a variable that are still to come. After the last one, as control flow
	 * only goes forward, it is as constant as other registers. */
	uint32_t *defs_left, nlefts;
	uint32_t *reads;       /* by vreg below nlefts: instructions that read it */
	uint32_t *label_after; /* by index in the old code: a label to put behind it, or 0 */
};

/* One step of simplification of an instruction whose operands are resolved; true when it changed (call again).
 * It may become IR_MOV (a copy) or IR_IMM. */
bool ir_fold(struct ir_opt *o, struct ir_insn *in);
/* Decides a jump. 1: it is always taken; 0: never; -1: not known. */
int ir_fold_jump(struct ir_opt *o, struct ir_insn *in);
/* What is known of in's result from its operands. */
struct ir_val ir_known(const struct ir_opt *o, const struct ir_insn *in);
#endif
