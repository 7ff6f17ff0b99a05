/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sym: values of func(), stack() and the like.
 * Input: a call. Output: addresses in a record or key; the consumer finds their names.
 * Invariant: equal stacks are equal bytes: the bytes behind the last frame are zero. */
#include <linux/bpf.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/expr/expr.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

#define FRAMES_MAX 127

/* The kind of the field that keeps a value of the type. */
enum field_kind sym_field(const struct type *t)
{
	switch (t->special) {
	case SPECIAL_SYM:
		return FIELD_SYM;
	case SPECIAL_MOD:
		return FIELD_MOD;
	case SPECIAL_USYM:
		return FIELD_USYM;
	case SPECIAL_UMOD:
		return FIELD_UMOD;
	case SPECIAL_UADDR:
		return FIELD_UADDR;
	case SPECIAL_STACK:
		return FIELD_STACK;
	case SPECIAL_USTACK:
		return FIELD_USTACK;
	case SPECIAL_UCOPY:
		return FIELD_UCOPY;
	case SPECIAL_NONE:
		break;
	}
	return FIELD_INT;
}

/* Can the helper read stacks here? At hooks of cgroups and netfilter there is no such helper; an iterator's stack is
 * dwire's own. */
static bool has_stacks(const struct prog_ctx *pg)
{
	return !at_cgroup(pg) && !at_netfilter(pg) && !at_walk(pg);
}

/* Frames of the kernel's stack that are our own: the program, and what runs programs at a tracepoint. */
static uint32_t own_frames(const struct prog_ctx *pg)
{
	switch ((int)pg->site->attach) {
	case ATTACH_TP_BTF:
	case ATTACH_FENTRY:
	case ATTACH_FEXIT:
		return 2 + ARCH_FRAMES_TWICE;
	case ATTACH_TEST_RUN:
		return 1 + ARCH_FRAMES_TWICE;
	default:
		return 0;
	}
}

/* Calls bpf_get_stack(). Bytes of frames, or a negative errno. */
static vreg get_stack(struct clause_ctx *cx, vreg at, uint32_t len, vreg flags)
{
	struct ir *ir = cx->ir;

	return ir_call(ir, BPF_FUNC_get_stack, (vreg[]){ ir_ctx(ir), at, ir_imm(ir, len), flags }, 4, false);
}

#define GLUE_SIZE 0x80 /* bytes; upper bound for such a function */

/* Removes frames of functions that the kernel generates between the tracepoint and our program: one if several
 * programs are attached, one more at some tracepoints. n: the result of get_stack(). */
static vreg skip_glue(struct clause_ctx *cx, vreg at, uint32_t len, vreg n)
{
	static const char *const glue[] = { "__bpf_trace_", "__traceiter_" };
	struct ir *ir = cx->ir;
	vreg r = ir_var(ir), skip = ir_var(ir);

	ir_set(ir, r, n);
	ir_seti(ir, skip, own_frames(cx->pg));
	for (uint32_t i = 0; i < 2; i++) {
		const char *name = arena_printf(cx->lw->arena, "%s%s", glue[i], cx->pg->site->target);
		uint64_t addr = kernel_symbol(cx->lw, name);
		uint32_t no = ir_newlabel(ir);
		vreg first;

		if (!addr)
			continue;
		first = ir_ld(ir, at, 0, 8, false, false);
		first = ir_alu(ir, ALU_SUB, first, ir_imm(ir, (int64_t)addr));
		ir_jcci(ir, CC_UGE, first, GLUE_SIZE, no);
		ir_set(ir, skip, ir_alui(ir, ALU_ADD, skip, 1));
		ir_set(ir, r, get_stack(cx, at, len, ir_mov(ir, skip)));
		ir_label(ir, no);
	}
	return r;
}

/* The stack of a thread that is not running: where it will continue. Its process's stack cannot be read from here. */
static vreg task_stack(struct clause_ctx *cx, bool user, vreg at, uint32_t len)
{
	struct ir *ir = cx->ir;
	struct val task;
	vreg n;

	if (user || !site_task(cx, type_ptr(cx->lw->ts, cx->lw->ts->void_), &task)) {
		zero_bytes(cx, at, 0, len);
		return ir_imm(ir, 0);
	}
	n = ir_call(ir, BPF_FUNC_get_task_stack, (vreg[]){ task.r, at, ir_imm(ir, len), ir_imm(ir, 0) }, 4, false);
	return n;
}

/* Writes len bytes of frames to base + off. The helper zeroes the rest, also when it fails. Returns the bytes of
 * frames, or a negative errno. */
static vreg sym_get_stack(struct clause_ctx *cx, bool user, uint32_t len, vreg base, int32_t off)
{
	struct ir *ir = cx->ir;
	vreg at, n;

	if (!has_stacks(cx->pg))
		return unwind_stack(cx, user, len, base, off);
	at = off ? ir_alui(ir, ALU_ADD, base, off) : base;
	if (cx->pg->site->task)
		return task_stack(cx, user, at, len);
	n = get_stack(cx, at, len, ir_imm(ir, user ? BPF_F_USER_STACK : own_frames(cx->pg)));
	return user || cx->pg->site->attach != ATTACH_TP_BTF ? n : skip_glue(cx, at, len, n);
}

/* caller and ucaller: the second frame. stackdepth and ustackdepth: the number of frames. */
struct val sym_builtin(struct clause_ctx *cx, const struct symbol *s)
{
	struct ir *ir = cx->ir;
	bool user = s->builtin == BI_ucaller || s->builtin == BI_ustackdepth;
	bool depth = s->builtin == BI_stackdepth || s->builtin == BI_ustackdepth;
	int32_t mark = scratch_mark(cx->pg), stack = ir_stack_mark(ir);
	struct val v = { .k = V_INT, .type = s->type };
	vreg buf, n;

	if (!depth) {
		buf = ir_stack(ir, ir_stack_alloc(ir, 16));
		(void)sym_get_stack(cx, user, 16, buf, 0);
		v.r = ir_ld(ir, buf, 8, 8, false, false);
	} else {
		v.r = ir_var(ir);
		n = sym_get_stack(cx, user, FRAMES_MAX * 8, scratch_ptr(cx, scratch_alloc(cx->pg, FRAMES_MAX * 8)), 0);
		uint32_t none = ir_newlabel(ir);

		ir_seti(ir, v.r, 0);
		ir_jcci(ir, CC_SLE, n, 0, none);
		ir_set(ir, v.r, ir_alui(ir, ALU_SHR, n, 3));
		ir_label(ir, none);
	}
	ir_stack_release(ir, stack);
	scratch_release(cx->pg, mark);
	return v;
}

#define PIECE 512 /* bytes copied at once; an unreadable piece ends the copy */

/* Copies the process's registers and a part of its stack, in which the consumer finds the frames. */
static void copy_stack(struct clause_ctx *cx, uint32_t frames, uint32_t size, vreg base, int32_t off)
{
	struct ir *ir = cx->ir;
	vreg regs = current_regs(cx), sp, n = ir_var(ir), r;
	uint32_t end = ir_newlabel(ir);

	ir_st(ir, base, off, 8, current_number(cx, BI_pid));
	ir_sti(ir, base, off + 12, 4, (int32_t)frames);
	ir_call(ir, BPF_FUNC_probe_read_kernel,
		(vreg[]){ ir_alui(ir, ALU_ADD, base, off + 16), ir_imm(ir, UCOPY_HEAD - 16), regs }, 3, false);
	ir_seti(ir, n, 0);
	sp = ir_ld(ir, base, off + 16 + 8 * UCOPY_SP, 8, false, false);
	for (uint32_t at = 0; at + PIECE <= size - UCOPY_HEAD; at += PIECE) {
		r = ir_call(ir, BPF_FUNC_probe_read_user,
			(vreg[]){ ir_alui(ir, ALU_ADD, base, off + UCOPY_HEAD + (int32_t)at), ir_imm(ir, PIECE),
				ir_alui(ir, ALU_ADD, sp, (int32_t)at) },
			3, false);
		ir_jcci(ir, CC_NE, r, 0, end);
		ir_seti(ir, n, at + PIECE);
	}
	ir_label(ir, end);
	ir_st(ir, base, off + 8, 4, n);
}

/* Stores the value of a call such as stack() or usym() at base + off, size bytes. Values of processes begin with the
 * process id. */
void sym_store(struct clause_ctx *cx, const struct expr *e, uint32_t size, vreg base, int32_t off)
{
	struct ir *ir = cx->ir;
	enum type_special special = e->type->special;
	uint32_t len = (uint32_t)e->ival * 8;
	vreg addr = 0;

	if (special == SPECIAL_UCOPY) {
		copy_stack(cx, (uint32_t)e->ival, size, base, off);
		return;
	}
	if (special == SPECIAL_STACK || special == SPECIAL_USTACK) {
		if (special == SPECIAL_USTACK) {
			ir_st(ir, base, off, 8, current_number(cx, BI_pid));
			off += 8;
			size -= 8;
		}
		(void)sym_get_stack(cx, special == SPECIAL_USTACK, len, base, off);
		for (; len < size; len += 8)
			ir_sti(ir, base, off + (int32_t)len, 8, 0);
		return;
	}
	/* %A of a plain address: an integer here, its field is of 16 bytes */
	addr = lower_int(cx, special ? e->args.v[0] : e);
	if (size == 16) {
		ir_st(ir, base, off, 8, current_number(cx, BI_pid));
		off += 8;
	}
	ir_st(ir, base, off, 8, addr);
}
