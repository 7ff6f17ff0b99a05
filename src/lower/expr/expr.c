/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr: lowers expressions.
 * Input: a checked expression. Output: struct val: an integer in a register, a string in registers, or a place in
 * memory.
 * Invariant: the IR's position is that of the expression being lowered, so each fault and error names its place. */
#include "lower/expr/expr.h"

#include <string.h>

#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

/* - ~ ! * & + ++ -- */
static struct val lower_unary(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg r;

	switch ((int)e->op) {
	case OP_NEG:
	case OP_COMPL:
		r = lower_int(cx, e->a);
		return int_val(e->op == OP_NEG ? ir_neg(ir, r) : ir_alui(ir, ALU_XOR, r, -1), e->type);
	case OP_NOT:
		return int_val(truth_value(cx, e), e->type);
	case OP_DEREF:
		return e->xl ? lower_expr(cx, e->a) : lower_element(cx, e, NULL);
	case OP_ADDR:
		return int_val(lower_address(cx, e->a), e->type);
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		return lower_incdec(cx, e);
	default: /* OP_POS */
		return int_val(lower_int(cx, e->a), e->type);
	}
}

/* Can it only be a number to the verifier, never a pointer? True of literals, argN, and variables that live in maps. */
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

/* A translated structure cast to a number is 1: it exists. A narrowing cast must make a number of a pointer first,
 * because the verifier allows no arithmetic on pointers that it knows. */
static struct val lower_cast(struct clause_ctx *cx, const struct expr *e)
{
	struct val v;

	if (type_is_string(e->type))
		return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(cx, e) };
	if (e->a->type->kind == T_STRING && e->type->kind == T_PTR)
		return int_val(text_address(cx, e->a), e->type);
	v = lower_load(cx, lower_expr(cx, e->a), e->a);
	if (v.k == V_MEM)
		v = int_val(lower_addr_value(cx, v), e->type);
	if (e->type->kind == T_VOID)
		return v;
	if (v.k == V_XL || v.k == V_SITE)
		v = int_val(ir_imm(cx->ir, 1), e->type);
	if ((v.btf || v.held) && (e->type->size < 8 || is_bool(e->type))) {
		v.r = plain_number(cx, v);
		v.btf = 0;
		v.held = false;
	}
	v.r = convert_int(cx, v.r, e->a->type, e->type);
	if (!v.btf && v.ptr != PTR_OURS)
		v.ptr = is_plain_number(e->a) ? PTR_NUMBER : PTR_PLAIN;
	v.type = e->type; /* btf stays: a pointer kept in a uint64_t is still one to the verifier */
	return v;
}

/* The value of an assignment is what the variable holds afterwards, narrowed to its type. Only plain variables are
 * handled here; structures, arrays and memory go to place_assign(). */
static struct val lower_assign(struct clause_ctx *cx, const struct expr *e)
{
	struct type *t = e->a->type, *ut;
	struct val v = { .k = V_STR, .type = t };
	vreg a, b;

	if (!is_plain_var(e->a))
		return place_assign(cx, e);
	if (type_is_string(t)) {
		v.s = type_is_string(e->b->type) ? lower_str_as(cx, e->b, e->a->sym->form)
						 : str_null(cx, e->a->sym->form);
		return var_write(cx, e->a, v);
	}
	if (e->op == OP_ASSIGN) {
		if (e->b->type->kind == T_STRING)
			v = int_val(text_address(cx, e->b), t);
		else
			v = lower_load(cx, lower_expr(cx, e->b), e->b);
		if (v.k != V_INT)
			v = int_val(lower_int(cx, e->b), e->b->type);
		v.r = keep_int(cx, v.r, e->b->type, t);
		return var_write(cx, e->a, v);
	}
	ut = t->kind == T_PTR ? t : type_usual(cx->lw->ts, t, e->b->type);
	a = lower_int(cx, e->a);
	b = lower_int(cx, e->b);
	if (t->kind == T_PTR)
		b = scale_index(cx, b, pointee_size(t));
	v = int_val(keep_int(cx, arith(cx, e->op, e->b, a, b, ut), ut, t), t);
	return var_write(cx, e->a, v);
}

/* ntohl() and the like: size bytes are swapped. */
static struct val lower_swap(struct clause_ctx *cx, const struct expr *e, unsigned size)
{
	return int_val(ir_be(cx->ir, lower_int(cx, e->args.v[0]), size), e->type);
}

/* The first network namespace is zone 0, the global zone; others have their inode number. */
static struct val lower_zoneid(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg ns = lower_int(cx, e->args.v[0]), r = ir_var(ir);
	uint32_t end = ir_newlabel(ir);

	ir_seti(ir, r, 0);
	ir_jcc(ir, CC_EQ, ns, ir_imm(ir, cx->lw->env->first_netns), end);
	ir_set(ir, r, ns);
	ir_label(ir, end);
	return int_val(r, e->type);
}

/* Word n of struct dw_machine, whose size is a power of two words: masking n bounds it for the verifier. */
static vreg lower_machine(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg n = ir_alui(ir, ALU_AND, lower_int(cx, e->args.v[0]), (int64_t)(sizeof(struct dw_machine) / 8 - 1));
	vreg at = ir_alu(ir, ALU_ADD, ir_mapval(ir, map_for(cx->lw, MAP_MACHINE), 0), ir_alui(ir, ALU_SHL, n, 3));

	return ir_ld(ir, at, 0, 8, false, false);
}

/* The number's place in the map; scripts have few, so a list does. */
static vreg lower_reading(struct clause_ctx *cx, const struct expr *e)
{
	struct image *im = cx->lw->im;
	const struct image_reading want = { e->args.v[0]->str, e->sym->func == FN_netcounter_moved };
	size_t i = 0;

	while (i < im->readings.n &&
		(im->readings.v[i].moved != want.moved || strcmp(im->readings.v[i].name, want.name) != 0))
		i++;
	if (i == DW_READINGS) {
		lower_error(cx->lw, e->loc, D_PROTO_ARG, "a script can read %u counters", DW_READINGS);
		i = 0;
	} else if (i == im->readings.n)
		*vec_push(cx->lw->arena, &im->readings) = want;
	return ir_ld(cx->ir, ir_mapval(cx->ir, map_for(cx->lw, MAP_READINGS), (int32_t)i * 8), 0, 8, false, false);
}

/* A call of a subroutine. What the compiler itself evaluates was replaced by the checker. */
static struct val lower_call(struct clause_ctx *cx, const struct expr *e)
{
	vreg r;

	switch ((int)e->sym->func) { /* subroutines only: the checker saw to it */
	case FN_ntohs:
	case FN_htons:
		return lower_swap(cx, e, 2);
	case FN_ntohl:
	case FN_htonl:
		return lower_swap(cx, e, 4);
	case FN_ntohll:
	case FN_htonll:
		return lower_swap(cx, e, 8);
	case FN___zoneid:
		return lower_zoneid(cx, e);
	case FN___owner:
		return lower_owner_of(cx, e);
	case FN___machine:
		return int_val(lower_machine(cx, e), e->type);
	case FN_netcounter:
	case FN_netcounter_moved:
		return int_val(lower_reading(cx, e), e->type);
	case FN___pagesize:
		return int_val(ir_imm(cx->ir, cx->lw->env->page_size ? cx->lw->env->page_size : 4096), e->type);
	case FN___pathdata:
		return int_val(ir_imm(cx->ir, cx->lw->env->pathdata), e->type);
	case FN___pkt:
		return int_val(packet_load(cx, e), e->type);
	case FN___dnswire:
		return int_val(packet_dns_wire(cx, e), e->type);
	case FN___dnshash:
		return int_val(packet_dns_hash(cx, e), e->type);
	case FN___stamp:
	case FN___stamped:
		return (struct val){ .k = V_INT, .type = e->type, .r = stamp_read(cx, e) };
	case FN___former:
		return int_val(stamp_exchange(cx, e), e->type);
	case FN___packet:
		return int_val(packet_note(cx, e), e->type);
	case FN___packet_was:
		return int_val(packet_was(cx, e), e->type);
	case FN___box:
		return int_val(box_find(cx, e), e->type);
	case FN___nft:
		return int_val(nft_find(cx, e), e->type);
	case FN___xt:
		return int_val(xt_walk(cx, e), e->type);
	case FN_speculation:
		return (struct val){ .k = V_INT, .type = e->type, .r = spec_begin(cx) };
	case FN_inet_in:
		return int_val(lower_inet_in(cx, e), e->type);
	case FN_pcap_match:
		return int_val(packet_match(cx, e), e->type);
	case FN_rand:
	case FN_progenyof:
	case FN___user:
	case FN___isaddr:
	case FN___mix:
	case FN___dnsport:
	case FN___numa:
	case FN___regs:
		return lower_subr(cx, e);
	default:
		break;
	}
	if (lower_text_number(cx, e, &r) || lower_heap_call(cx, e, &r))
		return int_val(r, e->type);
	return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(cx, e) };
}

/* Narrowed to its declared type. A ?: of dlib is narrowed in each arm, which often costs nothing, because the arms'
 * loads have that size. */
static struct val narrow_inline(struct clause_ctx *cx, const struct expr *e)
{
	const struct expr *value = e->sym->inl->value;

	if (value->kind == EX_COND && in_library(value) && type_is_int(e->type) && type_is_int(value->type))
		return lower_cond(cx, value, e->type);
	return int_val(keep_int(cx, lower_int(cx, value), value->type, e->type), e->type);
}

/* The value of an inline with parameters. One of dlib with a translated structure alone, such as the site's P, is like
 * a member of it: computed once on paths that all have it. */
static struct val inline_int(struct clause_ctx *cx, const struct expr *e)
{
	const struct val *of = &cx->pg->env_stack.v[cx->pg->env_stack.n - 1].val;
	const bool member = e->sym->nkeys == 1 && of->k == V_XL && in_library(e->sym->inl->value);
	const void *base = of->bind; /* the stack may move */
	struct val v;

	if (member && memo_get(cx->pg, base, e->sym, e->sym->name, &v))
		return v;
	v = narrow_inline(cx, e);
	if (member)
		memo_put(cx->pg, base, e->sym, e->sym->name, v);
	return v;
}

/* An element of args[], of an associative array or of memory; or an inline with parameters, which are bound to
 * values for the time of the call. So arguments are computed once. */
static struct val lower_index(struct clause_ctx *cx, const struct expr *e)
{
	struct val v;

	if (e->xl && !e->sym)
		return lower_args(cx, e);
	if (e->sym && e->sym->kind == SYM_ASSOC)
		return var_read(cx, e);
	if (e->sym && e->sym->kind == SYM_INLINE) {
		size_t depth = cx->pg->env_stack.n;

		for (size_t i = 0; i < e->sym->nkeys; i++) {
			struct val a = { .k = V_STR, .type = e->sym->keys[i] };
			struct binding *b;

			if (type_is_string(a.type))
				a.s = lower_str_as(cx, e->args.v[i], e->sym->params[i]->form);
			else
				a = lower_load(cx, lower_expr(cx, e->args.v[i]), e->args.v[i]);
			if (a.k == V_INT && e->sym->keys[i]->size < 8)
				a = int_val(plain_number(cx, a), a.type);
			if (a.k == V_INT)
				a.r = keep_int(cx, a.r, e->args.v[i]->type, e->sym->keys[i]);
			b = vec_push(cx->lw->arena, &cx->pg->env_stack);
			b->param = e->sym->params[i];
			b->val = a;
		}
		if (e->xl || type_is_block(e->type))
			v = lower_expr(cx, e->sym->inl->value);
		else if (type_is_string(e->type))
			v = (struct val){ .k = V_STR, .type = e->type, .s = lower_str(cx, e->sym->inl->value) };
		else
			v = inline_int(cx, e);
		cx->pg->env_stack.n = depth;
		return v;
	}
	v = lower_args(cx, e);
	return v.k == V_NONE ? lower_element(cx, e, e->args.v[0]) : v;
}

/* Computes the operand here. The members are made where they are named. */
static struct val lower_xlate(struct clause_ctx *cx, const struct expr *e)
{
	struct val *in = ARENA_NEW(cx->lw->arena, struct val);

	*in = lower_load(cx, lower_expr(cx, e->a), e->a);
	return (struct val){ .k = V_XL, .type = e->type, .xl = e->xl->xl, .bind = in };
}

/* Each kind of node has a function; each result is one struct val. */
struct val lower_expr(struct clause_ctx *cx, const struct expr *e)
{
	cx->ir->loc = e->loc;
	switch (e->kind) {
	case EX_INT:
		return int_val(ir_imm(cx->ir, (int64_t)e->ival), e->type);
	case EX_STR:
		return (struct val){ .k = V_STR, .type = e->type, .s = str_const(cx, e->str, e->slen) };
	case EX_IDENT:
		return var_read(cx, e);
	case EX_UNARY:
		return lower_unary(cx, e);
	case EX_BINARY:
		return lower_binary(cx, e);
	case EX_ASSIGN:
		return lower_assign(cx, e);
	case EX_COND:
		return lower_cond(cx, e, NULL);
	case EX_CALL:
		return lower_call(cx, e);
	case EX_INDEX:
		return lower_index(cx, e);
	case EX_MEMBER:
		return lower_member(cx, e);
	case EX_CAST:
		return lower_cast(cx, e);
	case EX_STRINGOF:
		return (struct val){ .k = V_STR, .type = e->type, .s = lower_str(cx, e) };
	case EX_COMMA:
		(void)lower_expr(cx, e->a);
		return lower_expr(cx, e->b);
	case EX_XLATE:
		return lower_xlate(cx, e);
	case EX_SCOPED:
		return lower_symbol(cx, e);
	case EX_SIZEOF:
	case EX_OFFSETOF:
	case EX_AGG:
		break; /* gone after the checker */
	}
	return int_val(ir_imm(cx->ir, 0), e->type ? e->type : cx->lw->ts->int64);
}
