/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk: programs of BPF iterators, which the kernel runs for each object of a kind while dwire reads the iterator.
 * Input: the site. Output: the head of such a program.
 * Invariant: a program writes one byte for each object, whether its clauses act or not. A read ends when as many bytes
 * as it asks for are there, so dwire can empty the rings between two reads, and a walk over any number of objects loses
 * no record. Source: kernel/bpf/bpf_iter.c (bpf_seq_read). */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"

bool at_walk(const struct prog_ctx *pg)
{
	return pg->site->attach == ATTACH_WALK;
}

/* The first word of the context is a struct bpf_iter_meta, which has the file that the iterator writes to. */
void walk_begin(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	struct val meta, seq;
	int32_t mark;
	vreg byte;

	if (!at_walk(cx->pg))
		return;
	meta = ptr_val(cx->lw, site_word(cx, 0), "bpf_iter_meta");
	seq = lower_load_trusted(cx, lower_member_of(cx, meta, meta.type->of, "seq"), NULL);
	mark = ir_stack_mark(ir);
	byte = ir_stack(ir, ir_stack_alloc(ir, 8));
	ir_sti(ir, byte, 0, 8, 0);
	ir_call(ir, BPF_FUNC_seq_write, (vreg[]){ seq.r, byte, ir_imm(ir, 1) }, 3, false);
	ir_stack_release(ir, mark);
}
