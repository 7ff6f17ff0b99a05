/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet: bytes of a packet, by their offset from the IP header.
 * Input: __pkt(), __dnsname(), __dnswire(), __dnshash() of dlib. Output: numbers and text.
 * Invariant: bytes outside the packet read as 0. cgroup_skb programs can read all bytes, even those that a driver
 * keeps in pages; at functions only the linear part of the buffer can be read, and the rest reads as 0. */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

#define NAME_ROOM 256u
#define HASH_ROOM 64

/* Does the program run at a hook of a cgroup, where a helper reads the packet? */
bool at_packet_hook(const struct prog_ctx *pg)
{
	return pg->site->attach == ATTACH_CGROUP_INGRESS || pg->site->attach == ATTACH_CGROUP_EGRESS;
}

/* Has the site a packet whose bytes can be read? */
static bool has_bytes(const struct prog_ctx *pg)
{
	return at_packet_hook(pg) || pg->site->attach == ATTACH_FENTRY || pg->site->attach == ATTACH_KPROBE;
}

/* The value of a D text at this site; 0 after an error. */
vreg site_number(struct clause_ctx *cx, const char *text)
{
	const struct site_text *t = lower_site_text(cx->pg, text);

	return t ? lower_int(cx, t->expr) : ir_imm(cx->ir, 0);
}

/* How many bytes there are from the offset on; below 1: none. */
static vreg bytes_left(struct clause_ctx *cx, vreg off)
{
	struct ir *ir = cx->ir;
	vreg n = at_packet_hook(cx->pg)
		? ir_ld(ir, ir_ctx(ir), (int32_t)offsetof(struct __sk_buff, len), 4, false, true)
		: site_number(cx, "(int64_t)P->skb->tail - P->skb->network_header");

	return ir_alu(ir, ALU_SUB, n, off);
}

/* What copy_bytes() takes for the offset. Call it before a branch: a value of the site is computed once in a program,
 * and a later reader of P->nh would use one that the branch skips. */
static vreg bytes_at(struct clause_ctx *cx, vreg off)
{
	return at_packet_hook(cx->pg) ? off : ir_alu(cx->ir, ALU_ADD, site_number(cx, "P->nh"), off);
}

/* Copies size bytes at that place to `to`. Bytes that cannot be read leave zeroes there. */
static void copy_bytes(struct clause_ctx *cx, vreg from, vreg to, vreg size)
{
	struct ir *ir = cx->ir;

	if (at_packet_hook(cx->pg))
		ir_call(ir, BPF_FUNC_skb_load_bytes, (vreg[]){ ir_ctx(ir), from, to, size }, 4, false);
	else
		ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ to, size, from }, 3, false);
}

/* __pkt(offset, size): bytes of the packet as a number, converted from network order. */
vreg packet_load(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t size = (uint32_t)e->args.v[1]->ival;
	int32_t mark = ir_stack_mark(ir), at;
	uint32_t none = ir_newlabel(ir);
	vreg p, off, from, r;

	if (!has_bytes(cx->pg))
		return ir_imm(ir, 0);
	off = lower_int(cx, e->args.v[0]);
	from = bytes_at(cx, off);
	at = ir_stack_alloc(ir, 8);
	p = ir_stack(ir, at);
	ir_sti(ir, p, 0, 8, 0);
	if (!at_packet_hook(cx->pg))
		ir_jcci(ir, CC_SLT, bytes_left(cx, off), (int32_t)size, none);
	copy_bytes(cx, from, p, ir_imm(ir, (int32_t)size));
	ir_label(ir, none);
	r = ir_ld(ir, ir_stack(ir, at), 0, size, false, false);
	ir_stack_release(ir, mark);
	return size > 1 ? ir_be(ir, r, size) : r;
}

/* Bounds n again, which is 1 to NAME_ROOM: the verifier may have compared another copy of it. */
static vreg proved(struct ir *ir, vreg n)
{
	return ir_alui(ir, ALU_ADD, ir_alui(ir, ALU_AND, ir_alui(ir, ALU_SUB, n, 1), NAME_ROOM - 1), 1);
}

/* Writes the name at the offset to out (NAME_ROOM bytes) and returns its length in the packet, in bytes. */
static vreg dns_name(struct clause_ctx *cx, const struct expr *e, vreg out)
{
	struct ir *ir = cx->ir;
	uint32_t none = ir_newlabel(ir), most = ir_newlabel(ir);
	int32_t mark = scratch_mark(cx->pg), in = scratch_alloc(cx->pg, NAME_ROOM);
	vreg off = lower_int(cx, e->args.v[0]), from = bytes_at(cx, off), len = ir_var(ir), wire = ir_var(ir);

	ir_seti(ir, wire, 0);
	ir_sti(ir, out, 0, 1, 0);
	ir_set(ir, len, bytes_left(cx, off));
	ir_jcci(ir, CC_SLE, len, 0, none);
	ir_jcci(ir, CC_SLT, len, (int32_t)NAME_ROOM, most);
	ir_seti(ir, len, (int32_t)NAME_ROOM - 1);
	ir_label(ir, most);
	copy_bytes(cx, from, scratch_ptr(cx, in), proved(ir, len));
	ir_set(ir, wire, ir_lib(ir, LIB_dns_name, (vreg[]){ out, scratch_ptr(cx, in), len }, 3));
	ir_label(ir, none);
	scratch_release(cx->pg, mark);
	return wire;
}

/* __dnsname(offset): the name as text, with dots. */
struct sval packet_dns_name(struct clause_ctx *cx, const struct expr *e)
{
	struct sval out = text_new(cx, expr_form(cx->lw->ck, e));

	if (has_bytes(cx->pg))
		(void)dns_name(cx, e, out.mem);
	else
		ir_sti(cx->ir, out.mem, 0, 1, 0);
	return out;
}

/* __dnswire(offset): the bytes that the name takes in the packet. */
vreg packet_dns_wire(struct clause_ctx *cx, const struct expr *e)
{
	int32_t mark = scratch_mark(cx->pg), out;
	vreg wire;

	if (!has_bytes(cx->pg))
		return ir_imm(cx->ir, 0);
	out = scratch_alloc(cx->pg, NAME_ROOM);
	wire = dns_name(cx, e, scratch_ptr(cx, out));
	scratch_release(cx->pg, mark);
	return wire;
}

/* The number of the question at the offset, of its first HASH_ROOM bytes at most. It needs no scratch memory: it may be
 * the key of a stamp. */
vreg packet_dns_hash(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t none = ir_newlabel(ir), most = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir), in = ir_stack_alloc(ir, HASH_ROOM);
	vreg off, from, len = ir_var(ir), hash = ir_var(ir);

	ir_seti(ir, hash, 0);
	if (!has_bytes(cx->pg))
		return hash;
	off = lower_int(cx, e->args.v[0]);
	from = bytes_at(cx, off);
	for (int32_t i = 0; i < HASH_ROOM; i += 8)
		ir_sti(ir, ir_stack(ir, in), i, 8, 0);
	ir_set(ir, len, bytes_left(cx, off));
	ir_jcci(ir, CC_SLE, len, 0, none);
	ir_jcci(ir, CC_SLT, len, HASH_ROOM, most);
	ir_seti(ir, len, HASH_ROOM - 1);
	ir_label(ir, most);
	ir_set(ir, len, ir_alui(ir, ALU_ADD, ir_alui(ir, ALU_AND, ir_alui(ir, ALU_SUB, len, 1), HASH_ROOM - 1), 1));
	copy_bytes(cx, from, ir_stack(ir, in), len);
	ir_set(ir, hash, ir_lib(ir, LIB_dns_hash, (vreg[]){ ir_stack(ir, in), len }, 2));
	ir_label(ir, none);
	ir_stack_release(ir, mark);
	return hash;
}
