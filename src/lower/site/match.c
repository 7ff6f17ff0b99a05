/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match: pcap_match("tcp port 80"): does the packet match an expression of pcap-filter(7)?
 * Input: instructions of classic BPF (compile/packetfilter.h). Output: the same as IR.
 * Invariant: as in the kernel's filters, a packet that is too short for a load does not match.
 * Source: the kernel's Documentation/networking/filter.rst. */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"

struct matching {
	struct clause_ctx *cx;
	vreg a, x, mem[BPF_MEMWORDS], result, length, start;
	uint32_t *labels; /* of each instruction */
	uint32_t no, end;
	int32_t slot;
};

static void set_narrow(struct matching *m, vreg to, vreg from)
{
	ir_set(m->cx->ir, to, ir_ext(m->cx->ir, from, 4, false));
}

/* size bytes of the packet, from network order. */
static vreg load_packet(struct matching *m, vreg off, uint32_t size)
{
	struct ir *ir = m->cx->ir;
	vreg to = ir_stack(ir, m->slot), r;

	if (at_packet_hook(m->cx->pg)) {
		r = ir_call(ir, BPF_FUNC_skb_load_bytes, (vreg[]){ ir_ctx(ir), off, to, ir_imm(ir, (int32_t)size) }, 4,
			false);
	} else {
		ir_jcc(ir, CC_SGT, ir_alui(ir, ALU_ADD, off, (int32_t)size), m->length, m->no);
		r = ir_call(ir, BPF_FUNC_probe_read_kernel,
			(vreg[]){ to, ir_imm(ir, (int32_t)size), ir_alu(ir, ALU_ADD, m->start, off) }, 3, false);
	}
	ir_jcci(ir, CC_NE, r, 0, m->no);
	r = ir_ld(ir, ir_stack(ir, m->slot), 0, size, false, false);
	return size > 1 ? ir_be(ir, r, size) : r;
}

static vreg constant(struct matching *m, uint32_t k)
{
	return ir_imm(m->cx->ir, (int64_t)(uint64_t)k);
}

static void do_load(struct matching *m, const struct packet_insn *in)
{
	struct ir *ir = m->cx->ir;
	uint32_t size = BPF_SIZE(in->code) == BPF_W ? 4 : BPF_SIZE(in->code) == BPF_H ? 2 : 1;
	vreg to = BPF_CLASS(in->code) == BPF_LDX ? m->x : m->a, v = 0;

	switch (BPF_MODE(in->code)) {
	case BPF_IMM:
		v = constant(m, in->k);
		break;
	case BPF_LEN:
		v = m->length;
		break;
	case BPF_MEM:
		v = m->mem[in->k % BPF_MEMWORDS];
		break;
	case BPF_ABS:
		v = load_packet(m, constant(m, in->k), size);
		break;
	case BPF_IND:
		v = load_packet(m, ir_ext(ir, ir_alu(ir, ALU_ADD, m->x, constant(m, in->k)), 4, false), size);
		break;
	default: /* BPF_MSH: the length of an IPv4 header */
		v = load_packet(m, constant(m, in->k), 1);
		v = ir_alui(ir, ALU_SHL, ir_alui(ir, ALU_AND, v, 15), 2);
		break;
	}
	set_narrow(m, to, v);
}

/* A division by zero does not match. */
static void do_alu(struct matching *m, const struct packet_insn *in)
{
	static const enum ir_alu ops[] = { ALU_ADD, ALU_SUB, ALU_MUL, ALU_DIV, ALU_OR, ALU_AND, ALU_SHL, ALU_SHR };
	struct ir *ir = m->cx->ir;
	vreg b = BPF_SRC(in->code) == BPF_X ? m->x : constant(m, in->k);
	unsigned op = BPF_OP(in->code);
	enum ir_alu alu = op == BPF_MOD ? ALU_MOD : op == BPF_XOR ? ALU_XOR : ops[op >> 4 & 7];

	if (op == BPF_NEG) {
		set_narrow(m, m->a, ir_neg(ir, m->a));
		return;
	}
	if (op == BPF_DIV || op == BPF_MOD)
		ir_jcci(ir, CC_EQ, b, 0, m->no);
	if (op == BPF_LSH || op == BPF_RSH)
		b = ir_alui(ir, ALU_AND, b, 31);
	set_narrow(m, m->a, ir_alu(ir, alu, m->a, b));
}

static void do_jump(struct matching *m, const struct packet_insn *in, size_t at)
{
	struct ir *ir = m->cx->ir;
	vreg b = BPF_SRC(in->code) == BPF_X ? m->x : constant(m, in->k);
	unsigned op = BPF_OP(in->code);

	if (op == BPF_JA) {
		ir_jmp(ir, m->labels[at + 1 + in->k]);
		return;
	}
	if (op == BPF_JSET)
		ir_jcci(ir, CC_NE, ir_alu(ir, ALU_AND, m->a, b), 0, m->labels[at + 1 + in->jt]);
	else
		ir_jcc(ir,
			op == BPF_JEQ           ? CC_EQ
				: op == BPF_JGT ? CC_UGT
						: CC_UGE,
			m->a, b, m->labels[at + 1 + in->jt]);
	ir_jmp(ir, m->labels[at + 1 + in->jf]);
}

static void do_return(struct matching *m, const struct packet_insn *in)
{
	struct ir *ir = m->cx->ir;

	if (BPF_RVAL(in->code) == BPF_A) {
		ir_jcci(ir, CC_EQ, m->a, 0, m->no);
	} else if (!in->k) {
		ir_jmp(ir, m->no);
		return;
	}
	ir_seti(ir, m->result, 1);
	ir_jmp(ir, m->end);
}

static void do_insn(struct matching *m, const struct packet_insn *in, size_t at)
{
	struct ir *ir = m->cx->ir;

	ir_label(ir, m->labels[at]);
	switch (BPF_CLASS(in->code)) {
	case BPF_LD:
	case BPF_LDX:
		do_load(m, in);
		break;
	case BPF_ST:
		ir_set(ir, m->mem[in->k % BPF_MEMWORDS], m->a);
		break;
	case BPF_STX:
		ir_set(ir, m->mem[in->k % BPF_MEMWORDS], m->x);
		break;
	case BPF_ALU:
		do_alu(m, in);
		break;
	case BPF_JMP:
		do_jump(m, in, at);
		break;
	case BPF_RET:
		do_return(m, in);
		break;
	default: /* BPF_MISC */
		ir_set(ir, BPF_MISCOP(in->code) == BPF_TXA ? m->a : m->x,
			BPF_MISCOP(in->code) == BPF_TXA ? m->x : m->a);
		break;
	}
}

/* Registers and memory begin as 0. At functions and tracepoints the linear part of the buffer is the packet. */
static void begin(struct matching *m, const struct packet_filter *f)
{
	struct ir *ir = m->cx->ir;

	m->result = ir_var(ir);
	ir_seti(ir, m->result, 0);
	m->no = m->end = ir_newlabel(ir);
	m->labels = ARENA_ARRAY(m->cx->lw->arena, uint32_t, f->n + 1);
	for (size_t i = 0; i < f->n; i++)
		m->labels[i] = ir_newlabel(ir);
	m->a = ir_var(ir);
	m->x = ir_var(ir);
	ir_seti(ir, m->a, 0);
	ir_seti(ir, m->x, 0);
	for (size_t i = 0; i < BPF_MEMWORDS; i++) {
		m->mem[i] = ir_var(ir);
		ir_seti(ir, m->mem[i], 0);
	}
	m->slot = ir_stack_alloc(ir, 8);
}

/* The filter of the call; NULL after an error. */
static const struct packet_filter *filter_of(struct clause_ctx *cx, const struct expr *text)
{
	const struct lower_env *env = cx->lw->env;
	const struct packet_filter *f;
	const char *why = "no filter can be compiled";
	struct loc at = text->loc;
	size_t off = 0;

	f = env->filter ? env->filter(env->ctx, text->str, &why, &off) : NULL;
	if (f)
		return f;
	if (at.len == text->slen + 2 && off < text->slen)
		at = (struct loc){ at.src, at.off + 1 + (uint32_t)off, (uint32_t)strcspn(text->str + off, " ") };
	diag_error(cx->lw->d, at, D_PROTO_ARG, "man pcap-filter has the syntax", "pcap_match(): %s", why);
	return NULL;
}

vreg packet_match(struct clause_ctx *cx, const struct expr *e)
{
	struct matching m = { .cx = cx };
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	const struct packet_filter *f;

	if (!site_has_packet(cx->pg))
		return ir_imm(ir, 0);
	f = filter_of(cx, e->args.v[0]);
	if (!f)
		return ir_imm(ir, 0);
	if (at_packet_hook(cx->pg)) {
		m.length = ir_ld(ir, ir_ctx(ir), (int32_t)offsetof(struct __sk_buff, len), 4, false, true);
	} else {
		m.start = site_number(cx, "dw_has_bytes[P] ? P->nh : 0");
		m.length = site_number(cx, "dw_has_bytes[P] ? (uint64_t)P->skb->head + P->skb->tail - P->nh : 0");
	}
	begin(&m, f);
	for (size_t i = 0; i < f->n; i++)
		do_insn(&m, &f->v[i], i);
	ir_label(ir, m.end);
	ir_stack_release(ir, mark);
	return m.result;
}
