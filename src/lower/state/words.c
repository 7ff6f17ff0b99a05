/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words: elements of variables whose key and value are a word each: in a table of our own (abi/words.h), and where that
 * has no room, in the variable's hash.
 * Input: an element. Output: a call of the function that reads, writes or deletes it (bpf/lib_words.h). What happens in
 * the table the verifier checks once for a program; what happens in the hash, at each call. The optimiser calls the
 * function for the table alone where that is enough (ir/expand.c).
 *
 * Why: in a server an array has a new key with each connection, whose element the kernel's hash allocates and frees. A
 * variable to which numbers are added in place (x[k]++) stays in the hash: two CPUs that make its element at once must
 * get the same one. The keys of variables that share a map are longer.
 * Invariants:
 * - The table counts as a part of dynvarsize, and has at most half of its room: by the time that the hash is full, so
 *   are nearly all buckets.
 * - A pair hides an element of the hash with the same key; who makes the pair, or deletes the key, deletes that. */
#include "abi/words.h"

#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"

#define PAIRS (DW_WORD_BUCKETS * DW_WORD_PAIRS)
#define TABLES 8 /* a program may use 64 maps */

static bool is_word(const struct symbol *s, const struct image_map *m)
{
	return m->key_size == 8 && m->value_size == 8 && !s->shared && !s->counted && s->scope != SCOPE_PKT &&
		s->type->kind != T_STRING && !type_is_block(s->type) &&
		(s->kind != SYM_ASSOC ||
			(s->keys[0]->kind != T_STRING && !s->keys[0]->special && !type_is_block(s->keys[0])));
}

void words_begin(struct lowerer *lw, struct symbol *s, struct image_map *m)
{
	if (lw->env->no_exchange || !is_word(s, m) || m->max_entries < 2 * PAIRS || lw->nwords == TABLES)
		return;
	lw->nwords++;
	m->max_entries -= PAIRS;
	s->words = map_add_value(lw, MAP_WORDS, arena_printf(lw->arena, "dw_w_%.9s", s->name), DW_WORDS_SIZE) + 1;
}

vreg words_read(struct clause_ctx *cx, const struct element *el)
{
	struct ir *ir = cx->ir;
	const vreg table = ir_mapval(ir, el->words - 1, 0);

	return ir_lib_find(ir, LIB_word_read, (vreg[]){ table, el->word, el->map }, 3, cx->pg->changes);
}

static bool is_zero(const struct ir *ir, vreg v)
{
	for (size_t i = ir->code.n; i-- > 0;)
		if (ir->code.v[i].d == v)
			return ir->code.v[i].op == IR_IMM && !ir->code.v[i].imm;
	return false;
}

void words_write(struct clause_ctx *cx, const struct element *el, vreg value)
{
	struct ir *ir = cx->ir;
	const vreg table = ir_mapval(ir, el->words - 1, 0);
	uint32_t end;

	cx->pg->changes++;
	if (is_zero(ir, value)) { /* is shorter */
		ir_lib(ir, LIB_word_delete, (vreg[]){ table, el->word, el->map }, 3);
		return;
	}
	end = ir_newlabel(ir);
	ir_jcci(ir, CC_EQ, ir_lib(ir, LIB_word_write, (vreg[]){ table, el->word, value, el->map }, 4), 0, end);
	count_drop(cx, DW_DROP_DYN);
	ir_label(ir, end);
}
