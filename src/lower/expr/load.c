/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: what lies in memory.
 * Input: member, element, address and symbol expressions. Output: places (V_MEM) and what they hold.
 * Invariant: no load that the verifier would refuse; a script's own bad pointer is a fault, dlib's reads as 0. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/priv.h"

/* ---- memory ------------------------------------------------------------------------------------------------------ */
/* Reads size bytes at a plain kernel address by the helper; a bad address is a fault. */
static vreg probe_read(struct lowerer *lw, vreg addr, unsigned size, bool sx)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg buf = ir_stack(ir, ir_stack_alloc(ir, 8)), r;
	uint32_t ok = ir_newlabel(ir);

	ir_sti(ir, buf, 0, 8, 0);
	r = ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ buf, ir_imm(ir, size), addr }, 3, false);
	ir_jcci(ir, CC_EQ, r, 0, ok);
	lower_fault(lw, DW_FAULT_BADADDR, addr);
	ir_label(ir, ok);
	r = ir_ld(ir, buf, 0, size, sx, false);
	ir_stack_release(ir, mark);
	return r;
}

/* A script's own pointer: NULL is a fault, not a zero; so are all addresses outside of the kernel's upper half. */
static void check_address(struct lowerer *lw, enum ir_cc good, vreg p)
{
	uint32_t ok = ir_newlabel(lw->ir);

	ir_jcci(lw->ir, good, p, 0, ok);
	lower_fault(lw, DW_FAULT_BADADDR, p);
	ir_label(lw->ir, ok);
}

/* A pointer that the verifier lets us load a member of st through. *plain: it does not, use the helper. */
static vreg mem_base(struct lowerer *lw, struct val p, struct type *st, bool user, bool *plain)
{
	struct ir *ir = lw->ir;
	vreg args[2];

	*plain = false;
	if (p.ours)
		return p.r;
	if (p.btf && p.btf == st->btf_id && !p.unsure) {
		if (user && !p.sure)
			check_address(lw, CC_NE, p.r);
		return p.r;
	}
	if (!st->btf_id || !lw->env->kfunc_rdonly_cast) { /* the helper finds bad addresses itself */
		*plain = true;
		return plain_number(lw, p);
	}
	/* Mostly NULL only: since Linux 6.17 an address made from a pointer in the kernel is a pointer to the verifier,
	 * which then knows bounds of its offset and takes them for bounds of the address. A bad address in the kernel's
	 * half reads as 0. */
	if (user)
		check_address(lw, p.number ? CC_SLT : CC_NE, p.r);
	args[0] = p.r;
	args[1] = ir_imm(ir, st->btf_id);
	return ir_kfunc(ir, lw->env->kfunc_rdonly_cast, args, 2, true);
}

bool in_library(const struct expr *at)
{
	return at->loc.src && at->loc.src->library;
}

/* The aligned bytes that hold a bit-field; in packed structures of the kernel those from its first byte on. */
struct bit_unit bit_unit(const struct val *v)
{
	struct bit_unit u = { .off = v->off, .size = 8, .bit = v->bit };

	for (unsigned size = 1; size <= 8; size *= 2) {
		uint32_t off = v->off / size * size, bit = (v->off - off) * 8 + v->bit;

		if (bit + v->bits <= size * 8)
			return (struct bit_unit){ .off = off, .size = size, .bit = bit };
	}
	return u;
}

/* The bytes that hold a bit-field, as one load. */
static vreg load_bits(struct lowerer *lw, const struct val *v)
{
	struct ir *ir = lw->ir;
	struct bit_unit u = bit_unit(v);
	struct val at = *v;
	vreg r;

	at.off = u.off;
	r = v->ours || v->btf ? ir_ld(ir, v->r, (int32_t)u.off, u.size, false, !v->mut)
			      : probe_read(lw, lower_addr_value(lw, at), u.size, false);
	r = ir_alui(ir, ALU_SHL, r, (int32_t)(64 - u.bit - v->bits));
	return ir_alui(ir, v->type->is_signed ? ALU_SAR : ALU_SHR, r, (int32_t)(64 - v->bits));
}

/* Is it the same when it is loaded again? A clause may write to memory of its own through a pointer to a type of the
 * kernel; what sites' conditions and dlib load is the kernel's, and its tests for NULL must hold for what follows. */
static bool stays(const struct lowerer *lw, const struct val *v, const struct expr *at)
{
	return !v->mut && (!lw->heap || !lw->clause || !at || in_library(at));
}

/* Loads what a place holds; structures and arrays stay places. */
struct val lower_load(struct lowerer *lw, struct val v, const struct expr *at)
{
	struct val out = int_val(0, v.type);
	struct type *t = v.type;

	if (v.k != V_MEM || (!type_is_scalar(t) && !type_is_float(t)))
		return v;
	if (v.bits) {
		out.r = load_bits(lw, &v);
		return out;
	}
	if (!v.ours && !v.btf) {
		out.r = probe_read(lw, lower_addr_value(lw, v), t->size, t->is_signed);
		return out;
	}
	out.r = ir_ld(lw->ir, v.r, (int32_t)v.off, t->size, t->is_signed, stays(lw, &v, at));
	if (t->kind == T_PTR && !v.ours && type_is_sou(t->of))
		out.btf = t->of->btf_id;
	out.null = out.btf && !strcmp(t->of->name, "sock");
	return out;
}

vreg lower_addr_value(struct lowerer *lw, struct val v)
{
	vreg r = plain_number(lw, v);

	return v.off ? ir_alui(lw->ir, ALU_ADD, r, (int32_t)v.off) : r;
}

static vreg minus_null(struct lowerer *lw, struct val v)
{
	struct ir *ir = lw->ir;
	vreg null = ir_kfunc(ir, lw->env->kfunc_rdonly_cast, (vreg[]){ ir_imm(ir, 0), ir_imm(ir, v.btf) }, 2, true);

	return ir_alu(ir, ALU_SUB, v.r, null);
}

/* A pointer that the verifier knows to be NULL is a number: so what a packet or a tracepoint has of sockets. */
static vreg minus_null_if(struct lowerer *lw, struct val v)
{
	uint32_t end = ir_newlabel(lw->ir);
	vreg r = ir_var(lw->ir);

	ir_seti(lw->ir, r, 0);
	ir_jcci(lw->ir, CC_EQ, v.r, 0, end);
	ir_set(lw->ir, r, minus_null(lw, v));
	ir_label(lw->ir, end);
	return r;
}

/* The verifier refuses arithmetic on a pointer that it knows, but for the difference of two: that to NULL is it. */
vreg plain_number(struct lowerer *lw, struct val v)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg at, out, r;

	if (!v.btf && !v.ours)
		return v.r;
	if (lw->env->kfunc_rdonly_cast && v.btf && !v.unsure) {
		r = v.null ? minus_null_if(lw, v) : minus_null(lw, v);
		return v.sure ? ir_sure(ir, r) : r;
	}
	at = ir_stack(ir, ir_stack_alloc(ir, 8));
	out = ir_stack(ir, ir_stack_alloc(ir, 8));
	ir_st(ir, at, 0, 8, v.r);
	ir_sti(ir, out, 0, 8, 0);
	ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ out, ir_imm(ir, 8), at }, 3, false);
	r = ir_ld(ir, out, 0, 8, false, false);
	ir_stack_release(ir, mark);
	return r;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */
struct val lower_member_of(struct lowerer *lw, struct val base, struct type *st, const char *name)
{
	struct val out = { .k = V_MEM };
	uint32_t bit = 0;
	const struct type_member *m = type_find_member(lw->ts, st, name, &bit);
	bool plain;

	if (!m)
		return out;
	out.type = m->type;
	out.ours = base.ours;
	if (base.k == V_MEM) {
		out.r = base.r;
		out.btf = base.btf;
		out.off = base.off + bit / 8;
	} else {
		out.r = mem_base(lw, base, st, false, &plain);
		out.btf = plain ? 0 : st->btf_id;
		out.off = bit / 8;
	}
	out.bits = m->bits;
	out.bit = m->bits ? bit % 8 : 0;
	return out;
}

struct val lower_member(struct lowerer *lw, const struct expr *e)
{
	struct val base = lower_expr(lw, e->a), out = { .k = V_MEM, .type = e->type };
	struct type *st = e->arrow ? e->a->type->of : e->a->type;
	bool plain = false;

	if (base.k == V_XL)
		return xl_member(lw, &base, e, e->name);
	if (base.k == V_SITE)
		return site_member(lw, &base, e->name, e->type);
	if (e->arrow) {
		base = lower_load(lw, base, e->a);
		out.r = mem_base(lw, base, st->canon, !in_library(e), &plain);
		out.btf = plain || base.ours ? 0 : st->canon->btf_id;
		out.ours = base.ours;
	} else {
		out.r = base.r;
		out.btf = base.btf;
		out.ours = base.ours;
		out.mut = base.mut;
		out.off = base.off;
	}
	out.off += (uint32_t)e->ival / 8;
	out.bits = e->isuffix;
	if (out.bits)
		out.type = e->member->type;
	place_near(lw, &out);
	out.bit = out.bits ? (uint32_t)e->ival % 8 : 0;
	return out;
}

/* a[i] of an array or pointer, *p. */
struct val lower_element(struct lowerer *lw, const struct expr *e, const struct expr *index)
{
	struct val base = lower_expr(lw, e->a), out = { .k = V_MEM, .type = e->type };
	struct type *t = e->a->type, *el = t->of;
	uint32_t size = el->size ? el->size : 1;
	bool plain = false;
	int64_t i = 0;
	bool fixed = !index || const_eval(lw->ts, lw->d, index, &i);

	base = lower_load(lw, base, e->a);
	if (base.k == V_MEM && fixed && i >= 0 && i < (int64_t)t->nelems) { /* inside a structure, at a fixed place */
		out = base;
		out.type = e->type;
		out.off += (uint32_t)(i * size);
		place_near(lw, &out);
		return out;
	}
	if (base.k == V_MEM && base.mut && index) {
		base = place_element(lw, base, t, lower_int(lw, index));
		base.type = e->type;
		return base;
	}
	if (fixed && !i && base.k == V_INT && type_is_sou(el)) { /* *p, p[0] */
		out.r = mem_base(lw, base, el->canon, !in_library(e), &plain);
		out.btf = plain || base.ours ? 0 : el->canon->btf_id;
		out.ours = base.ours;
		return out;
	}
	out.r = base.k == V_MEM ? lower_addr_value(lw, base) : plain_number(lw, base);
	if (!fixed)
		out.r = ir_alu(lw->ir, ALU_ADD, out.r, scale_index(lw, lower_int(lw, index), size));
	else if (i)
		out.r = ir_alu(lw->ir, ALU_ADD, out.r, ir_imm(lw->ir, i * (int64_t)size));
	if (type_is_sou(el)) {
		base = int_val(out.r, e->a->type);
		out.r = mem_base(lw, base, el->canon, !in_library(e), &plain);
		out.btf = plain ? 0 : el->canon->btf_id;
	}
	return out;
}

/* ---- faults, addresses, symbols ---------------------------------------------------------------------------------- */
void lower_fault(struct lowerer *lw, enum dw_fault code, vreg value)
{
	struct ir *ir = lw->ir;

	if (!lw->clause) { /* in a site's filter: no clause to blame */
		ir_jmp(ir, lw->exit_label);
		return;
	}
	lw->faults++;
	ir_seti(ir, lw->fault_code, code);
	if (value)
		ir_set(ir, lw->fault_value, value);
	else
		ir_seti(ir, lw->fault_value, 0);
	ir_seti(ir, lw->fault_action, lw->stmt_no);
	ir_set(ir, lw->fault_pc, ir_pc(ir));
	ir_jmp(ir, lw->fault_label);
}

/* &e: nothing is read, so &((struct s *)0)->m is an offset, as in C. */
vreg lower_address(struct lowerer *lw, const struct expr *e)
{
	struct val v;
	vreg r;

	if (e->kind == EX_MEMBER && !e->arrow && e->a->kind == EX_MEMBER && !e->a->extra) {
		r = lower_address(lw, e->a);
		return e->ival ? ir_alui(lw->ir, ALU_ADD, r, (int32_t)(e->ival / 8)) : r;
	}
	if (e->kind == EX_MEMBER && e->arrow) {
		v = lower_load(lw, lower_expr(lw, e->a), e->a);
		if (v.k == V_INT) {
			v.r = plain_number(lw, v);
			return e->ival ? ir_alui(lw->ir, ALU_ADD, v.r, (int32_t)(e->ival / 8)) : v.r;
		}
	}
	v = lower_expr(lw, e);
	return v.k == V_MEM ? lower_addr_value(lw, v) : plain_number(lw, v);
}

/* The running thread's CPU's runqueue. The members are there: the kernel's side of `name has looked. */
static vreg own_runqueue(struct lowerer *lw)
{
	static const char *const path[] = { "se", "cfs_rq", "rq" };
	struct val v = current_task(lw);

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]) && v.type; i++) {
		v = lower_member_of(lw, v, v.type->kind == T_PTR ? v.type->of : v.type, path[i]);
		if (v.type && v.type->kind == T_PTR)
			v = lower_load(lw, v, NULL);
	}
	return v.type ? plain_number(lw, v) : ir_imm(lw->ir, 0);
}

/* `name: where the kernel says it lies; a function is its address. */
struct val lower_symbol(struct lowerer *lw, const struct expr *e)
{
	const struct ksymbol *s = e->extra;
	struct val v = { .k = V_MEM, .type = e->type };

	if (!s)
		return int_val(ir_call(lw->ir, BPF_FUNC_jiffies64, NULL, 0, false), e->type);
	if (s->by_runqueue) {
		v.r = ir_alu(lw->ir, ALU_ADD, own_runqueue(lw), ir_imm(lw->ir, s->distance));
		return v;
	}
	if (!s->percpu) {
		v.r = ir_imm(lw->ir, (int64_t)s->addr);
		return s->type && s->type->kind == T_FUNC ? int_val(v.r, e->type) : v;
	}
	v.r = ir_call(lw->ir, BPF_FUNC_this_cpu_ptr, (vreg[]){ ir_ksym(lw->ir, s->percpu) }, 1, false);
	if (type_is_block(s->type))
		v.btf = s->type->canon->btf_id;
	else
		v.ours = v.mut = true; /* memory of a known size to the verifier; its value changes */
	return v;
}
