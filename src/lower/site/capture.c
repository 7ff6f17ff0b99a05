/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture: a packet as a whole, from its IP header on, at the end of a clause's record.
 * Input: the packet of the site. Output: a record that is as long as the packet, up to the bytes that pcap() keeps.
 * Invariant: a byte that cannot be read ends the copy; bytes that were not copied are not in the record.
 *
 * A hook of a cgroup reads the packet by a helper, netfilter and typed tracepoints by a dynptr (Linux 6.4, 6.12): these
 * reach all bytes, also those in pages. Other programs reach the linear part of the buffer; the file shows that the
 * packet was longer. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"

/* Headers that IP and the transport protocol have taken off: IPv6 with extension headers, and TCP's options. */
#define PULLED_MAX 512
#define DYNPTR_SIZE 16

/* A record has room for one of these, so that small packets do not take the ring from large ones. The kernel wants a
 * constant size for each reservation. */
static const uint32_t rooms[] = { 128, 512, 1600, 4096, 16384 };

/* May the program call bpf_dynptr_from_skb() for the packet that the site names? */
static bool has_dynptr(struct clause_ctx *cx)
{
	const struct lower_env *env = cx->lw->env;

	return env->kfunc_dynptr && site_has_member(cx->pg, "skb") &&
		(at_netfilter(cx->pg) || (site_is_tracepoint(cx->pg) && env->dynptr_traced));
}

/* ---- room -------------------------------------------------------------------------------------------------------- */
/* How much of the packet is wanted: its length from the IP header on, most bytes at the most. There is no record yet
 * that a fault would have to discard. */
static vreg bytes_wanted(struct clause_ctx *cx, uint32_t most)
{
	struct ir *ir = cx->ir;
	uint32_t fits = ir_newlabel(ir), fault = cx->fault_label;
	vreg want = ir_var(ir);

	cx->fault_label = cx->early_label;
	ir_set(ir, want, site_number(cx, "dw_has_bytes[P] ? (uint32_t)dw_buffer_len[P] : 0"));
	cx->fault_label = fault;
	ir_jcci(ir, CC_ULE, want, (int32_t)most, fits);
	ir_seti(ir, want, (int32_t)most);
	ir_label(ir, fits);
	return want;
}

/* Reserves a record with so much room. */
static void reserve(struct clause_ctx *cx, vreg rec, uint32_t size, uint32_t room)
{
	uint32_t slack = at_packet_hook(cx->pg) ? 0 : PULLED_MAX;

	ir_set(cx->ir, rec, ring_reserve(cx, size + (room + 7) / 8 * 8 + slack, cx->next_label));
	ir_seti(cx->ir, cx->room, (int32_t)room);
}

vreg capture_reserve(struct clause_ctx *cx, const struct epid *ep)
{
	struct ir *ir = cx->ir;
	uint32_t got = ir_newlabel(ir), next;
	vreg rec = ir_var(ir);

	cx->want = bytes_wanted(cx, ep->rest);
	cx->room = ir_var(ir);
	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]) && rooms[i] < ep->rest; i++) {
		next = ir_newlabel(ir);
		ir_jcci(ir, CC_UGT, cx->want, (int32_t)rooms[i], next);
		reserve(cx, rec, ep->rec_size, rooms[i]);
		ir_jmp(ir, got);
		ir_label(ir, next);
	}
	reserve(cx, rec, ep->rec_size, ep->rest);
	ir_label(ir, got);
	return rec;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */
/* n as a length that the verifier accepts: jumps to none unless it is from 1 to room. */
static vreg checked(struct clause_ctx *cx, vreg n, uint32_t none)
{
	struct ir *ir = cx->ir;
	vreg len = ir_var(ir);

	ir_set(ir, len, n);
	ir_jcci(ir, CC_SLE, len, 0, none);
	ir_jcc(ir, CC_SGT, len, cx->room, none);
	return len;
}

static void set_length(struct clause_ctx *cx, vreg n)
{
	uint32_t size = cx->lw->im->epids.v[cx->epid].rec_size;

	ir_st(cx->ir, cx->rec, (int32_t)offsetof(struct dw_rec, len), 4, ir_alui(cx->ir, ALU_ADD, n, (int32_t)size));
}

/* Copies n bytes from a kernel address to `to`. Jumps to none if they cannot be read. */
static void copy_linear(struct clause_ctx *cx, vreg to, vreg n, vreg from, uint32_t none)
{
	vreg r = ir_call(cx->ir, BPF_FUNC_probe_read_kernel, (vreg[]){ to, n, from }, 3, false);

	ir_jcci(cx->ir, CC_NE, r, 0, none);
}

static void copy_by_hook(struct clause_ctx *cx, vreg to, uint32_t none)
{
	struct ir *ir = cx->ir;
	vreg len = checked(cx, cx->want, none), r;

	r = ir_call(ir, BPF_FUNC_skb_load_bytes, (vreg[]){ ir_ctx(ir), ir_imm(ir, 0), to, len }, 4, false);
	ir_jcci(ir, CC_NE, r, 0, none);
	set_length(cx, len);
}

/* What lies between nh and the end of the linear part. */
static void copy_by_address(struct clause_ctx *cx, vreg to, vreg nh, uint32_t none)
{
	struct ir *ir = cx->ir;
	uint32_t fits = ir_newlabel(ir);
	vreg n = ir_var(ir), len, there;

	/* From Linux 6.17 on the verifier knows skb->head as a pointer, and what is left of it behind nh as one, too,
	 * where nh has become a number. Through memory the difference is a number; the packet comes there next. */
	there = ir_alu(ir, ALU_SUB, site_number(cx, "(uint64_t)P->skb->head + P->skb->tail"), nh);
	ir_st(ir, to, 0, 8, there);
	there = ir_ld(ir, to, 0, 8, false, false);
	ir_set(ir, n, cx->want);
	ir_jcc(ir, CC_SLE, n, there, fits);
	ir_set(ir, n, there);
	ir_label(ir, fits);
	len = checked(cx, n, none);
	copy_linear(cx, to, len, nh, none);
	set_length(cx, len);
}

/* A dynptr begins at skb->data. Headers before that, which are in the linear part, are copied first. */
static void copy_by_dynptr(struct clause_ctx *cx, vreg to, vreg nh, vreg data, vreg skb, uint32_t none)
{
	struct ir *ir = cx->ir;
	uint32_t front = ir_newlabel(ir), behind = ir_newlabel(ir);
	vreg off = ir_var(ir), head = ir_var(ir), dyn, len, r;

	ir_set(ir, off, ir_alu(ir, ALU_SUB, nh, data));
	ir_seti(ir, head, 0);
	ir_jcci(ir, CC_SGE, off, 0, front);
	ir_set(ir, head, ir_neg(ir, off));
	ir_seti(ir, off, 0);
	ir_jcci(ir, CC_SLE, head, 0, none);
	ir_jcci(ir, CC_SGT, head, PULLED_MAX, none);
	ir_jcc(ir, CC_SLE, head, cx->want, behind);
	ir_set(ir, head, cx->want); /* less is wanted than these headers */
	len = checked(cx, head, none);
	copy_linear(cx, to, len, nh, none);
	set_length(cx, len);
	ir_jmp(ir, none);
	ir_label(ir, behind);
	copy_linear(cx, to, head, nh, none);
	set_length(cx, head);
	ir_label(ir, front);
	len = checked(cx, ir_alu(ir, ALU_SUB, cx->want, head), none);
	ir_jcci(ir, CC_EQ, skb, 0, none);
	dyn = ir_stack(ir, ir_stack_alloc(ir, DYNPTR_SIZE));
	r = ir_kfunc(ir, cx->lw->env->kfunc_dynptr, (vreg[]){ skb, ir_imm(ir, 0), dyn }, 3, false);
	ir_jcci(ir, CC_NE, r, 0, none);
	r = ir_call(ir, BPF_FUNC_dynptr_read, (vreg[]){ ir_alu(ir, ALU_ADD, to, head), len, dyn, off, ir_imm(ir, 0) },
		5, false);
	ir_jcci(ir, CC_NE, r, 0, none);
	set_length(cx, ir_alu(ir, ALU_ADD, len, head));
	ir_label(ir, none);
}

/* The packet as the site names it: a pointer that the verifier trusts. */
static vreg named_packet(struct clause_ctx *cx)
{
	struct type *t = types_tagged(cx->lw->ts, T_STRUCT, "sk_buff");

	return site_member(cx, &cx->pg->site_val, "skb", type_ptr(cx->lw->ts, t)).r;
}

bool site_has_packet(const struct prog_ctx *pg)
{
	const struct xlator *xl = pg->site_val.xl;
	const struct expr *is = xl ? check_xl_member(pg->lw->ck, xl, "has_pkt") : NULL;
	const struct type *raw = pg->probe->prov->raw ? types_tagged(pg->lw->ts, T_STRUCT, pg->probe->prov->raw) : NULL;

	for (; xl && !is && raw; raw = check_base(pg->lw->ck, raw)) {
		xl = check_xlator(pg->lw->ck, raw->name, raw);
		is = xl ? check_xl_member(pg->lw->ck, xl, "has_pkt") : NULL;
	}
	return is && !(is->kind == EX_INT && !is->ival);
}

void capture_copy(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	uint32_t none = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir);
	vreg to, nh, data;

	if (!site_has_packet(cx->pg))
		return;
	to = ir_alui(ir, ALU_ADD, cx->rec, (int32_t)cx->lw->im->epids.v[cx->epid].rec_size);
	if (at_packet_hook(cx->pg)) {
		copy_by_hook(cx, to, none);
	} else {
		nh = site_number(cx, "P->nh");
		data = site_number(cx, "(uint64_t)P->skb->data");
		if (has_dynptr(cx))
			copy_by_dynptr(cx, to, nh, data, named_packet(cx), none);
		else
			copy_by_address(cx, to, nh, none);
	}
	ir_label(ir, none);
	ir_stack_release(ir, mark);
}

/* Does another probe of the same clause have packets? */
static bool captured_elsewhere(const struct lowerer *lw, struct loc loc)
{
	for (size_t i = 0; i < lw->im->epids.n; i++) {
		const struct epid *ep = &lw->im->epids.v[i];

		for (size_t k = 0; ep->packets && k < ep->nactions; k++)
			if (ep->actions[k].loc.src == loc.src && ep->actions[k].loc.off == loc.off)
				return true;
	}
	return false;
}

void capture_check(struct lowerer *lw, const struct planned *plan)
{
	for (size_t i = 0; i < plan->jobs.v.n; i++) {
		const struct epid *ep = &lw->im->epids.v[plan->jobs.v.v[i].epid];

		for (size_t k = 0; ep->rest && !ep->packets && k < ep->nactions; k++)
			if (ep->actions[k].kind == ACT_PCAP && !captured_elsewhere(lw, ep->actions[k].loc))
				diag_error(lw->d, ep->actions[k].loc, D_PROTO_ARG,
					"dwire -lvv shows where a probe is seen; tcp:::send, ip:::drop and others have "
					"packets",
					"pcap(): %s:::%s is seen where the kernel has no packet",
					plan->set[0].probe->prov->name, plan->set[0].probe->name);
	}
}
