/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: reads memory.
 * Input: member, element, address and symbol expressions. Output: places (V_MEM) and the values in them.
 * Invariant: no load that the verifier would refuse. A bad pointer of the script is a fault; one of dlib reads as 0. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/site/site.h"

static bool never_null(const struct val *v)
{
	return v->ptr == PTR_SURE || v->ptr == PTR_SURE_NULL;
}

/* What a member or element of base lies in. */
static enum ptr_kind part_of(const struct val *base)
{
	return base->ptr == PTR_OURS ? PTR_OURS : PTR_PLAIN;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
bool in_library(const struct expr *at)
{
	return at->loc.src && at->loc.src->library;
}

/* Reads size bytes of a place in the kernel by the helper, which makes them 0 if the address is bad. In a script that
 * is a fault, whose value is that of the pointer, as in mem_base(). at: the expression, or NULL. */
static vreg probe_read(struct clause_ctx *cx, struct val v, unsigned size, bool sx, const struct expr *at)
{
	const vreg pointer = plain_number(cx, v), addr = lower_addr_value(cx, v);
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg buf = ir_stack(ir, ir_stack_alloc(ir, 8)), r;

	ir_sti(ir, buf, 0, 8, 0);
	r = ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ buf, ir_imm(ir, size), addr }, 3, false);
	if (!at || !in_library(at))
		fault_unless(cx, CC_EQ, r, 0, DW_FAULT_BADADDR, pointer);
	r = ir_ld(ir, buf, 0, size, sx, false);
	ir_stack_release(ir, mark);
	return r;
}

/* A pointer through which the verifier lets us load members of st. If it sets *plain, the verifier does not, and the
 * helper must be used. user: the script itself dereferences it; then NULL, and any address outside the kernel's
 * upper half, is a fault, not a zero. */
static vreg mem_base(struct clause_ctx *cx, struct val p, struct type *st, bool user, bool *plain)
{
	struct ir *ir = cx->ir;
	vreg args[2];

	*plain = false;
	if (p.ptr == PTR_OURS)
		return p.r;
	if (p.btf && p.btf == st->btf_id && p.ptr != PTR_UNSURE) {
		if (user && !never_null(&p))
			fault_unless(cx, CC_NE, p.r, 0, DW_FAULT_BADADDR, p.r);
		return p.r;
	}
	*plain = !st->btf_id || !cx->lw->env->kfunc_rdonly_cast;
	if (!st->btf_id) /* the helper finds bad addresses itself */
		return plain_number(cx, p);
	/* Usually compare with NULL only. Since Linux 6.17 an address made from a kernel pointer is a pointer to the
	 * verifier, which then takes bounds of its offset for bounds of the address. A bad address in the kernel's
	 * half reads as 0. */
	if (user)
		fault_unless(cx, p.ptr == PTR_NUMBER ? CC_SLT : CC_NE, p.r, 0, DW_FAULT_BADADDR, p.r);
	if (*plain)
		return plain_number(cx, p);
	args[0] = p.r;
	args[1] = ir_imm(ir, st->btf_id);
	return ir_kfunc(ir, cx->lw->env->kfunc_rdonly_cast, args, 2, true);
}

/* The aligned bytes that hold a bit-field. In packed structures of the kernel: the bytes from its first one on. */
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
static vreg load_bits(struct clause_ctx *cx, const struct val *v, const struct expr *at)
{
	struct ir *ir = cx->ir;
	struct bit_unit u = bit_unit(v);
	struct val place = *v;
	vreg r;

	place.off = u.off;
	r = v->ptr == PTR_OURS || v->btf ? ir_ld(ir, v->r, (int32_t)u.off, u.size, false, !v->mut)
					 : probe_read(cx, place, u.size, false, at);
	r = ir_alui(ir, ALU_SHL, r, (int32_t)(64 - u.bit - v->bits));
	return ir_alui(ir, v->type->is_signed ? ALU_SAR : ALU_SHR, r, (int32_t)(64 - v->bits));
}

/* Does a second load give the same value? A clause may write to its own memory through a pointer to a kernel type.
 * Conditions of sites and dlib only load kernel memory, and their tests for NULL must hold for later loads. */
static bool stays(const struct clause_ctx *cx, const struct val *v, const struct expr *at)
{
	return !v->mut && (!cx->pg->heap || !cx->clause || !at || in_library(at));
}

/* The base for a load of a pointer to a structure. From Linux 6.4 on, the verifier asks of such a load through a
 * pointer that it trusts whether the result is trusted, too. For that it searches the kernel's BTF by name, up
 * to four times, which takes 0.3 to 1 ms on each path. We need no trust: a cast makes the base untrusted, which saves
 * the search. */
static vreg untrusted_base(struct clause_ctx *cx, const struct val *v)
{
	if (v->walked || !cx->lw->env->kfunc_rdonly_cast)
		return v->r;
	return ir_kfunc(cx->ir, cx->lw->env->kfunc_rdonly_cast, (vreg[]){ v->r, ir_imm(cx->ir, v->btf) }, 2, true);
}

/* Is the base of a member a pointer that the verifier does not trust? The base is of, or a cast of it. */
static bool is_walked(const struct val *base, const struct val *of)
{
	return base->btf && (base->r != of->r || of->walked);
}

/* Loads what a place holds; structures and arrays stay places. */
static struct val load_place(struct clause_ctx *cx, struct val v, const struct expr *at, bool trusted)
{
	struct val out = int_val(0, v.type);
	struct type *t = v.type;
	bool pointer;

	if (v.k != V_MEM || (!type_is_scalar(t) && !type_is_float(t)))
		return v;
	if (v.bits) {
		out.r = load_bits(cx, &v, at);
		return out;
	}
	if (v.ptr != PTR_OURS && !v.btf) {
		out.r = probe_read(cx, v, t->size, t->is_signed, at);
		return out;
	}
	pointer = t->kind == T_PTR && v.ptr != PTR_OURS && type_is_sou(t->of) && t->of->btf_id;
	out.held = pointer && !trusted && cx->lw->env->faults_kill;
	if (pointer && !out.held) {
		out.btf = t->of->btf_id;
		if (!trusted)
			v.r = untrusted_base(cx, &v);
		out.walked = v.walked || (!trusted && cx->lw->env->kfunc_rdonly_cast);
	}
	out.r = ir_ld(cx->ir, v.r, (int32_t)v.off, t->size, t->is_signed, stays(cx, &v, at));
	if (out.btf && !out.walked && !strcmp(t->of->name, "sock"))
		out.ptr = PTR_NULL;
	return out;
}

struct val lower_load(struct clause_ctx *cx, struct val v, const struct expr *at)
{
	return load_place(cx, v, at, false);
}

struct val lower_load_trusted(struct clause_ctx *cx, struct val v, const struct expr *at)
{
	return load_place(cx, v, at, true);
}

vreg lower_addr_value(struct clause_ctx *cx, struct val v)
{
	vreg r = plain_number(cx, v);

	return v.off ? ir_alui(cx->ir, ALU_ADD, r, (int32_t)v.off) : r;
}

vreg plain_number(struct clause_ctx *cx, struct val v)
{
	vreg r;

	if (!v.btf && !v.held && v.ptr != PTR_OURS)
		return v.r;
	r = ir_number(cx->ir, v.r);
	return never_null(&v) ? ir_sure(cx->ir, r) : r;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */
/* The name of a thread, which the kernel pads with zeroes since Linux 5.17, where it has bpf_loop(). */
static bool is_padded(const struct clause_ctx *cx, const struct type *st, const char *name)
{
	uint32_t known = cx->lw->env->nhelpers;

	return !strcmp(name, "comm") && !strcmp(st->name, "task_struct") && (!known || known > BPF_FUNC_loop);
}

struct val lower_member_of(struct clause_ctx *cx, struct val base, struct type *st, const char *name)
{
	struct val out = { .k = V_MEM };
	uint32_t bit = 0;
	const struct type_member *m = type_find_member(cx->lw->ts, st, name, &bit);
	bool plain;

	if (!m)
		return out;
	out.type = m->type;
	out.padded = is_padded(cx, st, name);
	out.ptr = part_of(&base);
	if (base.k == V_MEM) {
		out.r = base.r;
		out.btf = base.btf;
		out.walked = base.walked;
		out.off = base.off + bit / 8;
	} else {
		out.r = mem_base(cx, base, st, false, &plain);
		out.btf = plain ? 0 : st->btf_id;
		out.walked = is_walked(&out, &base);
		out.off = bit / 8;
	}
	out.bits = m->bits;
	out.bit = m->bits ? bit % 8 : 0;
	return out;
}

struct val lower_member(struct clause_ctx *cx, const struct expr *e)
{
	struct val base = lower_expr(cx, e->a), out = { .k = V_MEM, .type = e->type };
	struct type *st = e->arrow ? e->a->type->of : e->a->type;
	bool plain = false;

	if (base.k == V_XL)
		return xl_member(cx, &base, e, e->name);
	if (base.k == V_SITE)
		return site_member(cx, &base, e->name, e->type);
	if (e->arrow) {
		base = lower_load(cx, base, e->a);
		out.r = mem_base(cx, base, st->canon, !in_library(e), &plain);
		out.btf = plain || base.ptr == PTR_OURS ? 0 : st->canon->btf_id;
		out.walked = is_walked(&out, &base);
		out.ptr = part_of(&base);
	} else {
		out.r = base.r;
		out.btf = base.btf;
		out.walked = base.walked;
		out.ptr = part_of(&base);
		out.mut = base.mut;
		out.off = base.off;
	}
	out.padded = is_padded(cx, st, e->name);
	out.off += (uint32_t)e->ival / 8;
	out.bits = e->isuffix;
	if (out.bits)
		out.type = e->member->type;
	place_near(cx, &out);
	out.bit = out.bits ? (uint32_t)e->ival % 8 : 0;
	return out;
}

/* a[i] of an array or pointer, *p. */
struct val lower_element(struct clause_ctx *cx, const struct expr *e, const struct expr *index)
{
	struct val base = lower_expr(cx, e->a), out = { .k = V_MEM, .type = e->type };
	struct type *t = e->a->type, *el = t->of;
	uint32_t size = el->size ? el->size : 1;
	bool plain = false;
	int64_t i = 0;
	bool fixed = !index || const_eval(cx->lw->ts, cx->lw->d, index, &i);

	base = lower_load(cx, base, e->a);
	if (base.k == V_MEM && fixed && i >= 0 && i < (int64_t)t->nelems) { /* inside a structure, at a fixed place */
		out = base;
		out.type = e->type;
		out.off += (uint32_t)(i * size);
		place_near(cx, &out);
		return out;
	}
	if (base.k == V_MEM && base.mut && index) {
		base = place_element(cx, base, t, lower_int(cx, index));
		base.type = e->type;
		return base;
	}
	if (fixed && !i && base.k == V_INT && type_is_sou(el)) { /* *p, p[0] */
		out.r = mem_base(cx, base, el->canon, !in_library(e), &plain);
		out.btf = plain || base.ptr == PTR_OURS ? 0 : el->canon->btf_id;
		out.walked = is_walked(&out, &base);
		out.ptr = part_of(&base);
		return out;
	}
	out.r = base.k == V_MEM ? lower_addr_value(cx, base) : plain_number(cx, base);
	if (!fixed)
		out.r = ir_alu(cx->ir, ALU_ADD, out.r, scale_index(cx, lower_int(cx, index), size));
	else if (i)
		out.r = ir_alu(cx->ir, ALU_ADD, out.r, ir_imm(cx->ir, i * (int64_t)size));
	if (type_is_sou(el)) {
		base = int_val(out.r, e->a->type);
		out.r = mem_base(cx, base, el->canon, !in_library(e), &plain);
		out.btf = plain ? 0 : el->canon->btf_id;
		out.walked = is_walked(&out, &base);
	}
	return out;
}

/* ---- faults, addresses, symbols ---------------------------------------------------------------------------------- */
void lower_fault(struct clause_ctx *cx, enum dw_fault code, vreg value)
{
	struct ir *ir = cx->ir;

	if (!cx->clause) { /* in a site's filter: no clause to blame */
		ir_jmp(ir, cx->pg->exit_label);
		return;
	}
	cx->faults++;
	ir_seti(ir, cx->fault_code, code);
	if (value)
		ir_set(ir, cx->fault_value, value);
	else
		ir_seti(ir, cx->fault_value, 0);
	ir_seti(ir, cx->fault_action, cx->stmt_no);
	ir_set(ir, cx->fault_pc, ir_pc(ir));
	ir_jmp(ir, cx->fault_label);
}

void fault_unless(struct clause_ctx *cx, enum ir_cc cc, vreg v, int32_t limit, enum dw_fault code, vreg value)
{
	uint32_t ok = ir_newlabel(cx->ir);

	ir_jcci(cx->ir, cc, v, limit, ok);
	lower_fault(cx, code, value);
	ir_label(cx->ir, ok);
}

/* &e reads nothing, so &((struct s *)0)->m is an offset, as in C. */
vreg lower_address(struct clause_ctx *cx, const struct expr *e)
{
	struct val v;
	vreg r;

	if (e->kind == EX_MEMBER && !e->arrow && e->a->kind == EX_MEMBER && !e->a->extra) {
		r = lower_address(cx, e->a);
		return e->ival ? ir_alui(cx->ir, ALU_ADD, r, (int32_t)(e->ival / 8)) : r;
	}
	if (e->kind == EX_MEMBER && e->arrow) {
		v = lower_load(cx, lower_expr(cx, e->a), e->a);
		if (v.k == V_INT) {
			v.r = plain_number(cx, v);
			return e->ival ? ir_alui(cx->ir, ALU_ADD, v.r, (int32_t)(e->ival / 8)) : v.r;
		}
	}
	v = lower_expr(cx, e);
	return v.k == V_MEM ? lower_addr_value(cx, v) : plain_number(cx, v);
}

/* The runqueue of the running thread's CPU. Its members exist: the kernel's side of `name has checked them. */
static vreg own_runqueue(struct clause_ctx *cx)
{
	static const char *const path[] = { "se", "cfs_rq", "rq" };
	struct val v = current_task(cx);

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]) && v.type; i++) {
		v = lower_member_of(cx, v, v.type->kind == T_PTR ? v.type->of : v.type, path[i]);
		if (v.type && v.type->kind == T_PTR)
			v = lower_load(cx, v, NULL);
	}
	return v.type ? plain_number(cx, v) : ir_imm(cx->ir, 0);
}

/* `name is the variable at the kernel's address of that symbol. A function is its address. */
struct val lower_symbol(struct clause_ctx *cx, const struct expr *e)
{
	const struct ksymbol *s = e->extra;
	struct val v = { .k = V_MEM, .type = e->type };

	if (!s)
		return int_val(ir_call(cx->ir, BPF_FUNC_jiffies64, NULL, 0, false), e->type);
	if (s->by_runqueue) {
		v.r = ir_alu(cx->ir, ALU_ADD, own_runqueue(cx), ir_imm(cx->ir, s->distance));
		return v;
	}
	if (!s->percpu) {
		v.r = ir_imm(cx->ir, (int64_t)s->addr);
		return s->type && s->type->kind == T_FUNC ? int_val(v.r, e->type) : v;
	}
	v.r = ir_call(cx->ir, BPF_FUNC_this_cpu_ptr, (vreg[]){ ir_ksym(cx->ir, s->percpu) }, 1, false);
	if (type_is_block(s->type)) {
		v.btf = s->type->canon->btf_id;
	} else {
		v.ptr = PTR_OURS; /* memory of a known size to the verifier; its value changes */
		v.mut = true;
	}
	return v;
}
