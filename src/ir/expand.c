/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expand: calls of functions for words (bpf/lib_words.h) become calls of their parts. The last thing that the optimiser
 * does, so that equal calls are shared as a whole before.
 * Input: IR with calls that look into a table and into the hash behind it. Output: the table alone is looked at first,
 * and only if something is left to do the whole is called.
 * Why: each return takes a CPU with mitigations some 10 ns, and a whole calls its part.
 * Invariant: a result becomes a variable, as it is set on two paths. */
#include "ir/expand.h"

#include "abi/words.h"

#define MOST 128u /* calls in a program; one with more is long as it is, and stays below the limit of conditions */

/* The call of a part with the first arguments of the whole, and the whole's result. */
static void push_part(struct ir *ir, const struct ir_insn *whole, enum bpflib part, unsigned nargs)
{
	ir_lib(ir, part, whole->args, nargs);
	ir->code.v[ir->code.n - 1].d = whole->d;
}

static vreg elsewhere(struct ir *ir, const struct ir_insn *whole)
{
	return ir_ld(ir, whole->args[0], DW_WORDS_ELSEWHERE, 8, false, false);
}

/* The hash is read only if it has elements. */
static void expand_read(struct ir *ir, const struct ir_insn *whole)
{
	uint32_t end = ir_newlabel(ir);

	push_part(ir, whole, LIB_word_find, 2);
	ir_jcci(ir, CC_NE, whole->d, 0, end);
	ir_jcci(ir, CC_EQ, elsewhere(ir, whole), 0, end);
	*vec_push(ir->arena, &ir->code) = *whole;
	ir_label(ir, end);
}

/* Who makes or deletes an element in the table deletes that in the hash, too. A part that has done it all returns 0. */
static void expand_change(struct ir *ir, const struct ir_insn *whole, enum bpflib part)
{
	uint32_t both = ir_newlabel(ir), end = ir_newlabel(ir);

	ir_jcci(ir, CC_NE, elsewhere(ir, whole), 0, both);
	push_part(ir, whole, part, whole->nargs - 1u);
	ir_jcci(ir, CC_EQ, whole->d, 0, end);
	ir_label(ir, both);
	*vec_push(ir->arena, &ir->code) = *whole;
	ir_label(ir, end);
}

static bool is_whole(const struct ir_insn *in)
{
	return in->op == IR_LIB &&
		(in->imm == LIB_word_read || in->imm == LIB_word_write || in->imm == LIB_word_delete);
}

static void expand_insn(struct ir *ir, const struct ir_insn *in)
{
	if (!is_whole(in)) {
		*vec_push(ir->arena, &ir->code) = *in;
		return;
	}
	ir->is_var.v[in->d] = true;
	ir->loc = in->loc;
	ir->quiet = in->quiet;
	if (in->imm == LIB_word_read)
		expand_read(ir, in);
	else
		expand_change(ir, in, in->imm == LIB_word_write ? LIB_word_put : LIB_word_drop);
}

void ir_expand(struct ir *ir)
{
	const struct ir before = *ir;
	size_t wholes = 0;

	for (size_t i = 0; i < ir->code.n; i++)
		wholes += is_whole(&ir->code.v[i]);
	if (!wholes || wholes > MOST)
		return;
	ir->code.v = NULL;
	ir->code.n = ir->code.cap = 0;
	for (size_t i = 0; i < before.code.n; i++)
		expand_insn(ir, &before.code.v[i]);
	ir->loc = before.loc;
	ir->quiet = before.quiet;
}
