/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr: expressions. A value is an integer in a register, a string in registers, or a place in memory. */
#include <string.h>

#include "lower/priv.h"

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

static struct val lower_assign(struct lowerer *lw, const struct expr *e)
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
	case FN___pagesize:
		return int_val(ir_imm(lw->ir, lw->env->page_size ? lw->env->page_size : 4096), e->type);
	case FN___pkt:
		return int_val(packet_load(lw, e), e->type);
	case FN___dnswire:
		return int_val(packet_dns_wire(lw, e), e->type);
	case FN___stamp:
	case FN___stamped:
		return (struct val){ .k = V_INT, .type = e->type, .r = stamp_read(lw, e) };
	case FN___former:
		return int_val(stamp_exchange(lw, e), e->type);
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
	struct val v;

	if (e->xl && !e->sym)
		return lower_args(lw, e);
	if (e->sym && e->sym->kind == SYM_ASSOC)
		return var_read(lw, e);
	if (e->sym && e->sym->kind == SYM_INLINE) {
		size_t depth = lw->env_stack.n;

		for (size_t i = 0; i < e->sym->nkeys; i++) {
			struct val a = { .k = V_STR, .type = e->sym->keys[i] };
			struct binding *b;

			if (type_is_string(a.type))
				a.s = lower_str_as(lw, e->args.v[i], e->sym->params[i]->form);
			else
				a = lower_load(lw, lower_expr(lw, e->args.v[i]), e->args.v[i]);
			if (a.k == V_INT && e->sym->keys[i]->size < 8)
				a = int_val(plain_number(lw, a), a.type);
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
	v = lower_args(lw, e);
	return v.k == V_NONE ? lower_element(lw, e, e->args.v[0]) : v;
}

/* The operand is computed here; the members are when they are named. */
static struct val lower_xlate(struct lowerer *lw, const struct expr *e)
{
	struct val *in = ARENA_NEW(lw->arena, struct val);

	*in = lower_load(lw, lower_expr(lw, e->a), e->a);
	return (struct val){ .k = V_XL, .type = e->type, .xl = e->xl->xl, .bind = in };
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
