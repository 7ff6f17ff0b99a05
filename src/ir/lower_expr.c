/* lower_expr: expressions. A value is an integer in a register, a string in registers, or a place in memory. */
#include <linux/bpf.h>
#include <string.h>

#include "ir/lower_priv.h"

static struct val int_val(vreg r, struct type *t)
{
	return (struct val){ .k = V_INT, .type = t, .r = r };
}

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
	if (p.btf && p.btf == st->btf_id) {
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

static bool in_library(const struct expr *at)
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
	(void)at;
	if (!v.ours && !v.btf) {
		out.r = probe_read(lw, lower_addr_value(lw, v), t->size, t->is_signed);
		return out;
	}
	out.r = ir_ld(lw->ir, v.r, (int32_t)v.off, t->size, t->is_signed, !v.mut && !lw->heap);
	if (t->kind == T_PTR && !v.ours && (t->of->kind == T_STRUCT || t->of->kind == T_UNION))
		out.btf = t->of->btf_id;
	return out;
}

vreg lower_addr_value(struct lowerer *lw, struct val v)
{
	vreg r = plain_number(lw, v);

	return v.off ? ir_alui(lw->ir, ALU_ADD, r, (int32_t)v.off) : r;
}

/* The verifier refuses arithmetic on a pointer that it knows, but for the difference of two: that to NULL is it. */
vreg plain_number(struct lowerer *lw, struct val v)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir);
	vreg at, out, r;

	if (!v.btf && !v.ours)
		return v.r;
	if (lw->env->kfunc_rdonly_cast && v.btf) {
		r = ir_kfunc(ir, lw->env->kfunc_rdonly_cast, (vreg[]){ ir_imm(ir, 0), ir_imm(ir, v.btf) }, 2, true);
		return ir_alu(ir, ALU_SUB, v.r, r);
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

static struct val lower_member(struct lowerer *lw, const struct expr *e)
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

static bool is_sou(const struct type *t)
{
	return t->kind == T_STRUCT || t->kind == T_UNION;
}

vreg scale_index(struct lowerer *lw, vreg v, uint32_t size)
{
	return size == 1 ? v : ir_alui(lw->ir, ALU_MUL, v, (int32_t)size);
}

/* a[i] of an array or pointer, *p. */
static struct val lower_element(struct lowerer *lw, const struct expr *e, const struct expr *index)
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
	if (fixed && !i && base.k == V_INT && is_sou(el)) { /* *p, p[0] */
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
	if (is_sou(el)) {
		base = int_val(out.r, e->a->type);
		out.r = mem_base(lw, base, el->canon, !in_library(e), &plain);
		out.btf = plain ? 0 : el->canon->btf_id;
	}
	return out;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */
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

/* ---- integers ---------------------------------------------------------------------------------------------------- */
static bool is_bool(const struct type *t)
{
	return t->kind == T_INT && !strcmp(t->name, "_Bool");
}

static vreg not_zero(struct lowerer *lw, vreg v)
{
	vreg r = ir_var(lw->ir);
	uint32_t end = ir_newlabel(lw->ir);

	ir_seti(lw->ir, r, 0);
	ir_jcci(lw->ir, CC_EQ, v, 0, end);
	ir_seti(lw->ir, r, 1);
	ir_label(lw->ir, end);
	return blur(lw, r);
}

vreg convert_int(struct lowerer *lw, vreg v, const struct type *from, const struct type *to)
{
	if (is_bool(to) && (!from || !is_bool(from)))
		return not_zero(lw, v);
	if (to->size >= 8 || to->kind == T_PTR || !to->size)
		return v;
	if (from && from->size < to->size && (!from->is_signed || to->is_signed))
		return v;
	if (from && from->size == to->size && from->is_signed == to->is_signed)
		return v;
	return ir_ext(lw->ir, v, to->size, to->is_signed);
}

vreg blur_always(struct lowerer *lw, vreg v)
{
	/* Loaded anew each time: a test of one result would tell the verifier what is in a shared one. */
	vreg zero = ir_ld(lw->ir, ir_mapval(lw->ir, map_for(lw, MAP_ZERO), 0), 0, 8, false, false);

	return ir_alu(lw->ir, ALU_XOR, v, zero);
}

/* Where paths meet with different constants the verifier goes on with each of them, so the paths of a long program
 * would multiply; with a value that it does not know they are one. */
vreg blur(struct lowerer *lw, vreg v)
{
	return lw->blurs ? blur_always(lw, v) : v;
}

static vreg number(struct lowerer *lw, const struct expr *e, bool raw)
{
	struct val v;

	if (e->type && e->type->kind == T_STRING)
		return text_address(lw, e);
	v = lower_load(lw, lower_expr(lw, e), e);
	if (v.k == V_INT)
		return raw ? v.r : plain_number(lw, v);
	if (v.k == V_MEM)
		return lower_addr_value(lw, v);
	if (v.k == V_XL || v.k == V_SITE) /* as a number: not NULL where the probe has it */
		return ir_imm(lw->ir, 1);
	return ir_imm(lw->ir, 0);
}

vreg lower_int(struct lowerer *lw, const struct expr *e)
{
	return number(lw, e, false);
}

vreg lower_word(struct lowerer *lw, const struct expr *e)
{
	return number(lw, e, true);
}

/* x when sign is 0, -x when it is -1. */
static vreg apply_sign(struct ir *ir, vreg x, vreg sign)
{
	return ir_alu(ir, ALU_SUB, ir_alu(ir, ALU_XOR, x, sign), sign);
}

/* Signed division and remainder from unsigned ones (the signed instructions came with Linux 6.6). No branches: each
 * would double the paths that the verifier walks. */
static vreg divide_signed(struct lowerer *lw, vreg a, vreg b, bool mod)
{
	struct ir *ir = lw->ir;
	vreg sa = ir_alui(ir, ALU_SAR, a, 63), sb = ir_alui(ir, ALU_SAR, b, 63);
	vreg q = ir_alu(ir, mod ? ALU_MOD : ALU_DIV, apply_sign(ir, a, sa), apply_sign(ir, b, sb));

	return apply_sign(ir, q, mod ? sa : ir_alu(ir, ALU_XOR, sa, sb));
}

static vreg divide(struct lowerer *lw, const struct expr *rhs, vreg a, vreg b, const struct type *t, bool mod)
{
	struct ir *ir = lw->ir;
	int64_t c;

	if (!const_eval(lw->ts, lw->d, rhs, &c) || !c) {
		uint32_t ok = ir_newlabel(ir);

		ir_jcci(ir, CC_NE, b, 0, ok);
		lower_fault(lw, DW_FAULT_DIVZERO, 0);
		ir_label(ir, ok);
	}
	if (!t->is_signed)
		return ir_alu(ir, mod ? ALU_MOD : ALU_DIV, a, b);
	return divide_signed(lw, a, b, mod);
}

vreg arith(struct lowerer *lw, enum expr_op op, const struct expr *rhs, vreg a, vreg b, const struct type *t)
{
	struct ir *ir = lw->ir;
	vreg r;

	switch ((int)op) {
	case OP_ADD:
		r = ir_alu(ir, ALU_ADD, a, b);
		break;
	case OP_SUB:
		r = ir_alu(ir, ALU_SUB, a, b);
		break;
	case OP_MUL:
		r = ir_alu(ir, ALU_MUL, a, b);
		break;
	case OP_SHL:
		r = ir_alu(ir, ALU_SHL, a, ir_alui(ir, ALU_AND, b, 63));
		break;
	case OP_DIV:
	case OP_MOD:
		r = divide(lw, rhs, a, b, t, op == OP_MOD);
		break;
	case OP_SHR:
		return ir_alu(ir, t->is_signed ? ALU_SAR : ALU_SHR, a, ir_alui(ir, ALU_AND, b, 63));
	case OP_AND:
		return ir_alu(ir, ALU_AND, a, b);
	case OP_OR:
		return ir_alu(ir, ALU_OR, a, b);
	default:
		return ir_alu(ir, ALU_XOR, a, b);
	}
	return t->size < 8 ? ir_ext(ir, r, t->size, t->is_signed) : r;
}

static bool is_address(const struct type *t)
{
	return t->kind == T_PTR || t->kind == T_ARRAY;
}

uint32_t pointee_size(const struct type *t)
{
	return is_address(t) && t->of->size ? t->of->size : 1;
}

static vreg pointer_arith(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	const struct type *ta = e->a->type, *tb = e->b->type;
	vreg a = lower_int(lw, e->a), b = lower_int(lw, e->b);

	if (is_address(ta) && is_address(tb))
		return divide_signed(lw, ir_alu(ir, ALU_SUB, a, b), ir_imm(ir, (int64_t)pointee_size(ta)), false);
	if (is_address(ta))
		b = scale_index(lw, b, pointee_size(ta));
	else
		a = scale_index(lw, a, pointee_size(tb));
	return ir_alu(ir, e->op == OP_SUB ? ALU_SUB : ALU_ADD, a, b);
}

/* The deeper side first, where nobody can tell: so a + (b + (c + ...)) keeps one value at a time, not all. */
static bool right_first(const struct expr *e)
{
	return e->b->depth > e->a->depth + 8 && !expr_has_effects(e);
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */
static enum ir_cc compare_cc(enum expr_op op, bool sgn)
{
	switch ((int)op) {
	case OP_EQ:
		return CC_EQ;
	case OP_NE:
		return CC_NE;
	case OP_LT:
		return sgn ? CC_SLT : CC_ULT;
	case OP_LE:
		return sgn ? CC_SLE : CC_ULE;
	case OP_GT:
		return sgn ? CC_SGT : CC_UGT;
	default:
		return sgn ? CC_SGE : CC_UGE;
	}
}

static enum expr_op negated(enum expr_op op)
{
	switch ((int)op) {
	case OP_EQ:
		return OP_NE;
	case OP_NE:
		return OP_EQ;
	case OP_LT:
		return OP_GE;
	case OP_LE:
		return OP_GT;
	case OP_GT:
		return OP_LE;
	default:
		return OP_LT;
	}
}

static bool is_compare(enum expr_op op)
{
	return op >= OP_EQ && op <= OP_GE;
}

static void int_compare_jump(struct lowerer *lw, const struct expr *e, uint32_t label, bool when)
{
	struct type *ta = e->a->type, *tb = e->b->type, *t;
	bool ptr = ta->kind == T_PTR || tb->kind == T_PTR;
	vreg a, b = 0;
	enum expr_op op = when ? e->op : negated(e->op);
	int64_t c;

	if (right_first(e))
		b = lower_word(lw, e->b);
	a = lower_word(lw, e->a);

	t = ptr ? lw->ts->uint64 : type_usual(lw->ts, ta, tb);
	a = convert_int(lw, a, ta, t);
	if (!ptr && const_eval(lw->ts, lw->d, e->b, &c) && c == (int32_t)c && (t->is_signed || c >= 0)) {
		ir_jcci(lw->ir, compare_cc(op, t->is_signed), a, (int32_t)c, label);
		return;
	}
	b = convert_int(lw, b ? b : lower_word(lw, e->b), tb, t);
	ir_jcc(lw->ir, compare_cc(op, t->is_signed), a, b, label);
}

static bool is_chain(const struct expr *e)
{
	while (e->kind == EX_UNARY && e->op == OP_NOT)
		e = e->a;
	return e->kind == EX_BINARY && (e->op == OP_LAND || e->op == OP_LOR);
}

static void logic_jump(struct lowerer *lw, const struct expr *e, uint32_t label, bool when)
{
	bool both = (e->op == OP_LAND) != when; /* the jump is taken when either side decides it */
	size_t mark = memo_mark(lw);
	uint32_t skip;

	if (both) {
		lower_jump(lw, e->a, label, when);
		lower_jump(lw, e->b, label, when);
		return;
	}
	skip = ir_newlabel(lw->ir);
	lower_jump(lw, e->a, skip, !when);
	if (!is_chain(e->a)) /* all of it has run, whichever way it went */
		mark = memo_mark(lw);
	lower_jump(lw, e->b, label, when);
	memo_release(lw, mark);
	ir_label(lw->ir, skip);
}

size_t cond_jump(struct lowerer *lw, const struct expr *e, uint32_t no)
{
	size_t mark = memo_mark(lw);

	lower_jump(lw, e, no, false);
	return is_chain(e) ? mark : memo_mark(lw);
}

static vreg truth_value(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	vreg r = ir_var(ir);
	uint32_t end = ir_newlabel(ir);
	size_t mark = memo_mark(lw);

	ir_seti(ir, r, 0);
	lower_jump(lw, e, end, false);
	ir_seti(ir, r, 1);
	ir_label(ir, end);
	memo_release(lw, mark);
	return blur(lw, r);
}

void lower_jump(struct lowerer *lw, const struct expr *e, uint32_t label, bool when)
{
	vreg r;

	lw->ir->loc = e->loc;
	if (e->kind == EX_BINARY && (e->op == OP_LAND || e->op == OP_LOR)) {
		logic_jump(lw, e, label, when);
	} else if (e->kind == EX_BINARY && e->op == OP_LXOR) {
		r = ir_alu(lw->ir, ALU_XOR, truth_value(lw, e->a), truth_value(lw, e->b));
		ir_jcci(lw->ir, when ? CC_NE : CC_EQ, r, 0, label);
	} else if (e->kind == EX_UNARY && e->op == OP_NOT) {
		lower_jump(lw, e->a, label, !when);
	} else if (e->kind == EX_BINARY && is_compare(e->op)) {
		if (type_is_string(e->a->type) || type_is_string(e->b->type))
			str_jump(lw, e, label, when);
		else
			int_compare_jump(lw, e, label, when);
	} else if (type_is_string(e->type)) {
		str_truth_jump(lw, lower_str(lw, e), label, when);
	} else {
		r = lower_word(lw, e);
		ir_jcci(lw->ir, when ? CC_NE : CC_EQ, r, 0, label);
	}
}

static bool is_logic(const struct expr *e)
{
	if (e->kind == EX_UNARY)
		return e->op == OP_NOT;
	return e->kind == EX_BINARY && (is_compare(e->op) || e->op == OP_LAND || e->op == OP_LOR || e->op == OP_LXOR);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */
static struct val lower_binary(struct lowerer *lw, const struct expr *e)
{
	vreg a, b;

	if (is_logic(e))
		return int_val(truth_value(lw, e), e->type);
	if (is_address(e->a->type) || is_address(e->b->type))
		return int_val(pointer_arith(lw, e), e->type);
	if (right_first(e)) {
		b = lower_int(lw, e->b);
		a = convert_int(lw, lower_int(lw, e->a), e->a->type, e->type);
	} else {
		a = convert_int(lw, lower_int(lw, e->a), e->a->type, e->type);
		b = lower_int(lw, e->b);
	}
	if (e->op != OP_SHL && e->op != OP_SHR)
		b = convert_int(lw, b, e->b->type, e->type);
	return int_val(arith(lw, e->op, e->b, a, b, e->type), e->type);
}

static struct val lower_incdec(struct lowerer *lw, const struct expr *e)
{
	bool inc = e->op == OP_PREINC || e->op == OP_POSTINC, post = e->op == OP_POSTINC || e->op == OP_POSTDEC;
	int32_t step = (int32_t)pointee_size(e->type);
	struct val old, new;
	vreg r;

	if (!is_plain_var(e->a))
		return place_step(lw, e);
	old = lower_load(lw, lower_expr(lw, e->a), e->a);
	r = ir_alui(lw->ir, ALU_ADD, old.r, inc ? step : -step);

	if (e->type->size < 8)
		r = ir_ext(lw->ir, r, e->type->size, e->type->is_signed);
	new = int_val(r, e->type);
	var_write(lw, e->a, new);
	return post ? int_val(old.r, e->type) : new;
}

/* &e: nothing is read, so &((struct s *)0)->m is an offset, as in C. */
static vreg lower_address(struct lowerer *lw, const struct expr *e)
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

static struct val lower_unary(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	vreg r;

	switch ((int)e->op) {
	case OP_NEG:
	case OP_COMPL:
		r = convert_int(lw, lower_int(lw, e->a), e->a->type, e->type);
		r = e->op == OP_NEG ? ir_neg(ir, r) : ir_alui(ir, ALU_XOR, r, -1);
		return int_val(e->type->size < 8 ? ir_ext(ir, r, e->type->size, e->type->is_signed) : r, e->type);
	case OP_NOT:
		return int_val(truth_value(lw, e), e->type);
	case OP_DEREF:
		return e->xl ? lower_expr(lw, e->a) : lower_element(lw, e, NULL);
	case OP_ADDR:
		return int_val(lower_address(lw, e->a), e->type);
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		return lower_incdec(lw, e);
	default: /* OP_POS */
		return int_val(convert_int(lw, lower_int(lw, e->a), e->a->type, e->type), e->type);
	}
}

/* The types that a value goes through on its way out of nested ?:, innermost first. */
struct passage {
	const struct type *to;
	const struct passage *next;
};

static void cond_into(struct lowerer *lw, const struct expr *e, vreg r, const struct passage *out);

static void arm_into(struct lowerer *lw, const struct expr *e, vreg r, const struct passage *out)
{
	const struct type *from = e->type;
	vreg v;

	if (e->kind == EX_COND && e->b != e->c) {
		cond_into(lw, e, r, out);
		return;
	}
	v = lower_int(lw, e);
	for (; out; out = out->next) {
		v = convert_int(lw, v, from, out->to);
		from = out->to;
	}
	ir_set(lw->ir, r, v);
}

/* All arms of nested ?: set one register, so that a long chain does not keep one for each. */
static void cond_into(struct lowerer *lw, const struct expr *e, vreg r, const struct passage *out)
{
	struct ir *ir = lw->ir;
	struct passage through = { e->type, out };
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir);
	size_t mark;

	if (!out || !type_same(out->to, e->type))
		out = &through;
	mark = cond_jump(lw, e->a, no);
	arm_into(lw, e->b, r, out);
	ir_jmp(ir, end);
	memo_release(lw, mark);
	ir_label(ir, no);
	arm_into(lw, e->c, r, out);
	ir_label(ir, end);
	memo_release(lw, mark);
}

/* A copy of the structure that is chosen. */
static struct val cond_block(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir), size = e->type->size;
	struct val to = { .k = V_MEM, .type = e->type, .ours = true, .mut = true };
	size_t mark;
	int32_t off = scratch_alloc(lw, size);

	mark = cond_jump(lw, e->a, no);
	to.r = scratch_ptr(lw, off);
	place_copy(lw, to, lower_expr(lw, e->b), size);
	ir_jmp(ir, end);
	memo_release(lw, mark);
	ir_label(ir, no);
	to.r = scratch_ptr(lw, off);
	place_copy(lw, to, lower_expr(lw, e->c), size);
	ir_label(ir, end);
	memo_release(lw, mark);
	to.r = scratch_ptr(lw, off);
	return to;
}

/* The branch of a library's condition that the site decides: it asks for a member that is a constant there. NULL: it
 * is not decided. A branch alone keeps what is known of its value: that a pointer is one to the verifier. */
static const struct expr *decided_branch(struct lowerer *lw, const struct expr *e)
{
	struct val v;

	if (e->a->kind != EX_MEMBER || !in_library(e))
		return NULL;
	v = lower_expr(lw, e->a);
	for (size_t i = lw->ir->code.n; v.k == V_INT && i-- > 0;) {
		const struct ir_insn *in = &lw->ir->code.v[i];

		if (in->d == v.r)
			return in->op != IR_IMM ? NULL : in->imm ? e->b : e->c;
	}
	return NULL;
}

static struct val lower_cond(struct lowerer *lw, const struct expr *e)
{
	const struct expr *only;
	vreg r;

	if (e->b == e->c) /* decided by the checker */
		return lower_expr(lw, e->b);
	if (type_is_string(e->type))
		return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(lw, e) };
	if (type_is_block(e->type))
		return cond_block(lw, e);
	only = decided_branch(lw, e);
	if (only)
		return lower_expr(lw, only);
	r = ir_var(lw->ir);
	cond_into(lw, e, r, NULL);
	return int_val(blur(lw, r), e->type);
}

/* A literal, an argument of the probe, a variable in a map. */
static bool is_plain_number(const struct expr *e)
{
	const struct symbol *s = e->sym;

	if (!type_is_int(e->type))
		return false;
	if (e->kind == EX_INT)
		return true;
	if ((e->kind != EX_IDENT && e->kind != EX_INDEX) || !s)
		return false;
	return s->kind == SYM_ASSOC || (s->kind == SYM_VAR && s->scope != SCOPE_THIS) ||
		(s->kind == SYM_BUILTIN && s->builtin >= BI_arg0 && s->builtin <= BI_arg9);
}

static struct val lower_cast(struct lowerer *lw, const struct expr *e)
{
	struct val v;

	if (type_is_string(e->type))
		return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(lw, e) };
	if (e->a->type->kind == T_STRING && e->type->kind == T_PTR)
		return int_val(text_address(lw, e->a), e->type);
	v = lower_load(lw, lower_expr(lw, e->a), e->a);
	if (v.k == V_MEM)
		v = int_val(lower_addr_value(lw, v), e->type);
	if (e->type->kind == T_VOID)
		return v;
	if (v.k == V_XL || v.k == V_SITE)
		v = int_val(ir_imm(lw->ir, 1), e->type);
	if (v.btf && (e->type->size < 8 || is_bool(e->type))) {
		v.r = plain_number(lw, v);
		v.btf = 0;
	}
	v.r = convert_int(lw, v.r, e->a->type, e->type);
	v.number = !v.btf && !v.ours && is_plain_number(e->a);
	v.type = e->type; /* btf stays: a pointer kept in a uint64_t is still one to the verifier */
	return v;
}

struct val lower_assign(struct lowerer *lw, const struct expr *e)
{
	struct type *t = e->a->type, *ut;
	struct val v = { .k = V_STR, .type = t };
	bool shift;
	vreg a, b;

	if (!is_plain_var(e->a))
		return place_assign(lw, e);
	if (type_is_string(t)) {
		v.s = type_is_string(e->b->type) ? lower_str_as(lw, e->b, e->a->sym->form)
						 : str_zero(lw, e->a->sym->form);
		return var_write(lw, e->a, v);
	}
	if (e->op == OP_ASSIGN) {
		if (e->b->type->kind == T_STRING)
			v = int_val(text_address(lw, e->b), t);
		else
			v = lower_load(lw, lower_expr(lw, e->b), e->b);
		if (v.k != V_INT)
			v = int_val(lower_int(lw, e->b), e->b->type);
		if (!e->a->sym->wide)
			v.r = convert_int(lw, v.r, e->b->type, t);
		return var_write(lw, e->a, v);
	}
	shift = e->op == OP_SHL || e->op == OP_SHR;
	ut = t->kind == T_PTR ? t : shift ? type_promote(lw->ts, t) : type_usual(lw->ts, t, e->b->type);
	a = convert_int(lw, lower_int(lw, e->a), t, ut);
	b = lower_int(lw, e->b);
	if (t->kind == T_PTR)
		b = scale_index(lw, b, pointee_size(t));
	else if (!shift)
		b = convert_int(lw, b, e->b->type, ut);
	v = int_val(arith(lw, e->op, e->b, a, b, ut), t);
	if (!e->a->sym->wide)
		v.r = convert_int(lw, v.r, ut, t);
	return var_write(lw, e->a, v);
}

static struct val lower_swap(struct lowerer *lw, const struct expr *e, unsigned size)
{
	return int_val(ir_be(lw->ir, lower_int(lw, e->args.v[0]), size), e->type);
}

static struct val lower_zoneid(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	vreg ns = lower_int(lw, e->args.v[0]), r = ir_var(ir);
	uint32_t end = ir_newlabel(ir);

	ir_seti(ir, r, 0);
	ir_jcc(ir, CC_EQ, ns, ir_imm(ir, lw->env->first_netns), end);
	ir_set(ir, r, ns);
	ir_label(ir, end);
	return int_val(r, e->type);
}

/* Number n of struct dw_machine. */
static vreg lower_machine(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	vreg n = ir_alui(ir, ALU_AND, lower_int(lw, e->args.v[0]), (int64_t)(sizeof(struct dw_machine) / 8 - 1));
	vreg at = ir_alu(ir, ALU_ADD, ir_mapval(ir, map_for(lw, MAP_MACHINE), 0), ir_alui(ir, ALU_SHL, n, 3));

	return ir_ld(ir, at, 0, 8, false, false);
}

static struct val lower_call(struct lowerer *lw, const struct expr *e)
{
	vreg r;

	switch ((int)e->sym->func) { /* subroutines only: the checker saw to it */
	case FN_ntohs:
	case FN_htons:
		return lower_swap(lw, e, 2);
	case FN_ntohl:
	case FN_htonl:
		return lower_swap(lw, e, 4);
	case FN_ntohll:
	case FN_htonll:
		return lower_swap(lw, e, 8);
	case FN___zoneid:
		return lower_zoneid(lw, e);
	case FN___owner:
		return lower_owner_of(lw, e);
	case FN___machine:
		return int_val(lower_machine(lw, e), e->type);
	case FN___pkt:
		return int_val(packet_load(lw, e), e->type);
	case FN___dnswire:
		return int_val(packet_dns_wire(lw, e), e->type);
	case FN___stamp:
	case FN___stamped:
		return (struct val){ .k = V_INT, .type = e->type, .r = stamp_read(lw, e) };
	case FN_speculation:
		return (struct val){ .k = V_INT, .type = e->type, .r = spec_begin(lw) };
	case FN_inet_in:
		return int_val(lower_inet_in(lw, e), e->type);
	case FN_rand:
	case FN_progenyof:
	case FN___user:
	case FN___numa:
	case FN___regs:
		return lower_subr(lw, e);
	default:
		break;
	}
	if (lower_text_number(lw, e, &r) || lower_heap_call(lw, e, &r))
		return int_val(r, e->type);
	return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(lw, e) };
}

static struct val lower_index(struct lowerer *lw, const struct expr *e)
{
	if (e->xl && !e->sym)
		return lower_args(lw, e);
	if (e->sym && e->sym->kind == SYM_ASSOC)
		return var_read(lw, e);
	if (e->sym && e->sym->kind == SYM_INLINE) {
		size_t depth = lw->env_stack.n;
		struct val v;

		for (size_t i = 0; i < e->sym->nkeys; i++) {
			struct val a = { .k = V_STR, .type = e->sym->keys[i] };
			struct binding *b;

			if (type_is_string(a.type))
				a.s = lower_str_as(lw, e->args.v[i], e->sym->params[i]->form);
			else
				a = lower_load(lw, lower_expr(lw, e->args.v[i]), e->args.v[i]);
			if (a.k == V_INT)
				a.r = convert_int(lw, a.r, e->args.v[i]->type, e->sym->keys[i]);
			b = vec_push(lw->arena, &lw->env_stack);
			b->param = e->sym->params[i];
			b->val = a;
		}
		if (e->xl)
			v = lower_expr(lw, e->sym->inl->value);
		else if (type_is_string(e->type))
			v = (struct val){ .k = V_STR, .type = e->type, .s = lower_str(lw, e->sym->inl->value) };
		else
			v = int_val(
				convert_int(lw, lower_int(lw, e->sym->inl->value), e->sym->inl->value->type, e->type),
				e->type);
		lw->env_stack.n = depth;
		return v;
	}
	return lower_args(lw, e).k == V_NONE ? lower_element(lw, e, e->args.v[0]) : lower_args(lw, e);
}

/* The operand is computed here; the members are when they are named. */
static struct val lower_xlate(struct lowerer *lw, const struct expr *e)
{
	struct val *in = ARENA_NEW(lw->arena, struct val);

	*in = lower_load(lw, lower_expr(lw, e->a), e->a);
	return (struct val){ .k = V_XL, .type = e->type, .xl = e->xl->xl, .bind = in };
}

/* `name: where the kernel says it lies; a function is its address. */
static struct val lower_symbol(struct lowerer *lw, const struct expr *e)
{
	const struct ksymbol *s = e->extra;
	struct val v = { .k = V_MEM, .type = e->type };

	if (!s)
		return int_val(ir_call(lw->ir, BPF_FUNC_jiffies64, NULL, 0, false), e->type);
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

struct val lower_expr(struct lowerer *lw, const struct expr *e)
{
	lw->ir->loc = e->loc;
	switch (e->kind) {
	case EX_INT:
		return int_val(ir_imm(lw->ir, (int64_t)e->ival), e->type);
	case EX_STR:
		return (struct val){ .k = V_STR, .type = e->type, .s = str_const(lw, e->str, e->slen) };
	case EX_IDENT:
		return var_read(lw, e);
	case EX_UNARY:
		return lower_unary(lw, e);
	case EX_BINARY:
		return lower_binary(lw, e);
	case EX_ASSIGN:
		return lower_assign(lw, e);
	case EX_COND:
		return lower_cond(lw, e);
	case EX_CALL:
		return lower_call(lw, e);
	case EX_INDEX:
		return lower_index(lw, e);
	case EX_MEMBER:
		return lower_member(lw, e);
	case EX_CAST:
		return lower_cast(lw, e);
	case EX_STRINGOF:
		return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(lw, e) };
	case EX_COMMA:
		(void)lower_expr(lw, e->a);
		return lower_expr(lw, e->b);
	case EX_XLATE:
		return lower_xlate(lw, e);
	case EX_SCOPED:
		return lower_symbol(lw, e);
	case EX_SIZEOF:
	case EX_OFFSETOF:
	case EX_AGG:
		break; /* gone after the checker */
	}
	return int_val(ir_imm(lw->ir, 0), e->type ? e->type : lw->ts->int64);
}
