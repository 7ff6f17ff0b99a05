/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind: stacks at cgroup hooks, where programs cannot use the kernel's helper.
 * Input: a site at a cgroup hook. Output: frames, walked by a function of bpf/lib.bpf.c from the program's own frame
 * upwards, or from the saved registers of the process.
 * Invariant: kernel stacks are walked on x86_64 only: on other machines a BPF program's frame pointer is not part of
 * the kernel's chain of frames. */
#include <linux/bpf.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/expr/expr.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

#define W(member) ((int32_t)offsetof(struct dw_unwind, member))

uint64_t kernel_symbol(struct lowerer *lw, const char *name)
{
	struct ksymbol s = { 0 };
	const struct ktypes *k = lw->ts->kernel;

	return k && k->symbol && !k->symbol(k->ctx, lw->ts, "vmlinux", name, &s) ? s.addr : 0;
}

/* Does the kernel's table have the layout that we know (Linux 6.4)? */
static bool known_orc(struct lowerer *lw)
{
	struct type *t = types_tagged(lw->ts, T_STRUCT, "orc_entry");
	const struct type_member *m;
	uint32_t bit = 0;

	if (!t)
		return false;
	type_complete(lw->ts, t);
	m = type_find_member(lw->ts, t, "type", &bit);
	return t->size == 6 && m && bit == 40 && m->bits == 3;
}

static void store(struct clause_ctx *cx, int32_t w, int32_t member, uint64_t value)
{
	ir_st(cx->ir, scratch_ptr(cx, w), member, 8, ir_imm(cx->ir, (int64_t)value));
}

/* Stores the unwind tables. False: this kernel's stacks cannot be walked. */
static bool store_tables(struct clause_ctx *cx, int32_t w)
{
	uint64_t from = kernel_symbol(cx->lw, "_stext"), to = kernel_symbol(cx->lw, "_etext"),
		 ips = kernel_symbol(cx->lw, "__start_orc_unwind_ip"),
		 end = kernel_symbol(cx->lw, "__stop_orc_unwind_ip"),
		 entries = kernel_symbol(cx->lw, "__start_orc_unwind");

	if (!ARCH_ORC || !from || !to || (ips && (!entries || end <= ips || !known_orc(cx->lw))))
		return false;
	store(cx, w, W(from), from);
	store(cx, w, W(to), to);
	store(cx, w, W(ips), ips);
	store(cx, w, W(entries), entries);
	store(cx, w, W(hook),
		kernel_symbol(cx->lw,
			at_netfilter(cx->pg)                                    ? "nf_hook_run_bpf"
				: cx->pg->site->attach == ATTACH_CGROUP_SOCKOPS ? "__cgroup_bpf_run_filter_sock_ops"
										: "__cgroup_bpf_run_filter_skb"));
	store(cx, w, W(count), ips ? (end - ips) / 4 : 0);
	return true;
}

static void read_into(struct clause_ctx *cx, int32_t w, int32_t member, vreg from)
{
	struct ir *ir = cx->ir;

	ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ scratch_ptr(cx, w + member), ir_imm(ir, 8), from }, 3, false);
}

/* Starts at the program's frame. Above it are the caller's frame pointer and the return address. */
static void start_kernel(struct clause_ctx *cx, int32_t w)
{
	struct ir *ir = cx->ir;
	vreg frame;

	/* A pointer that is stored and loaded again is a number to the verifier. */
	ir_st(ir, scratch_ptr(cx, w), W(word), 8, ir_stack(ir, 0));
	frame = ir_ld(ir, scratch_ptr(cx, w), W(word), 8, false, false);
	read_into(cx, w, W(bp), frame);
	read_into(cx, w, W(ip), ir_alui(ir, ALU_ADD, frame, 8));
	ir_st(ir, scratch_ptr(cx, w), W(sp), 8, ir_alui(ir, ALU_ADD, frame, 16));
}

static void start_user(struct clause_ctx *cx, int32_t w)
{
	vreg regs = current_regs(cx);

	read_into(cx, w, W(bp), ir_alui(cx->ir, ALU_ADD, regs, ARCH_REGS_BP));
	read_into(cx, w, W(ip), ir_alui(cx->ir, ALU_ADD, regs, ARCH_REGS_IP));
}

vreg unwind_stack(struct clause_ctx *cx, bool user, uint32_t len, vreg base, int32_t off)
{
	struct ir *ir = cx->ir;
	int32_t mark = scratch_mark(cx->pg), w = scratch_alloc(cx->pg, sizeof(struct dw_unwind));
	vreg n;

	if (!user && !store_tables(cx, w)) {
		lower_error(cx->lw, ir->loc, D_KERNEL,
			"%s:::%s is seen by a cgroup hook, where this kernel's stack cannot be walked", cx->prov->name,
			cx->probe->name);
		return ir_imm(ir, 0);
	}
	zero_bytes(cx, base, off, len);
	if (user)
		start_user(cx, w);
	else
		start_kernel(cx, w);
	n = ir_lib(ir, user ? LIB_walk_user : LIB_walk_kernel,
		(vreg[]){ scratch_ptr(cx, w), off ? ir_alui(ir, ALU_ADD, base, off) : base, ir_imm(ir, len / 8) }, 3);
	scratch_release(cx->pg, mark);
	return ir_alui(ir, ALU_SHL, n, 3);
}
