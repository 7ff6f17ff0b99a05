/* SPDX-License-Identifier: GPL-2.0-or-later */
/* act: the records of clauses.
 * Input: a clause's actions. Output: the layout of its record, and code that fills one record per firing.
 * Invariant: a record is a head followed by the values of the actions at fixed offsets, planned before code is made. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

#define REC_MAX 32768u /* bytes */
#define LIT_BYTES 2u   /* of the number of a literal: lit_number() */

/* ---- planning ---------------------------------------------------------------------------------------------------- */
struct plan {
	struct lowerer *lw;
	struct epid *ep;
	VEC(struct action) actions;
	uint32_t off;
	unsigned depth; /* of if */
	bool records;   /* data */
	bool narrow;    /* the action's */
};

/* Is argument n printed by %A? Then it is an address in the current process's memory. */
static bool is_uaddr_conv(const struct fmt *fmt, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < fmt->n; i++) {
		at += (size_t)fmt->items[i].star_width + (size_t)fmt->items[i].star_prec;
		if (fmt->items[i].conv && at++ == n)
			return fmt->items[i].conv == 'A';
	}
	return false;
}

/* Values that are shown take the bytes of their types; those that act keep 64 bits. */
static bool is_narrow(const struct action *a)
{
	return a->kind == ACT_PRINTF || a->kind == ACT_TRACE || a->kind == ACT_PCAP;
}

/* Room for n bytes at a multiple of n (at most 8), so that stores are aligned. Returns where they begin. */
static uint32_t plan_room(struct plan *p, uint32_t n)
{
	uint32_t align = n == 1 || n == 2 || n == 4 ? n : 8;
	uint32_t off = (p->off + align - 1) & ~(align - 1);

	p->off = off + n;
	return off;
}

/* A number, or the number of a literal: of its own bytes, because each line of a record that the consumer reads comes
 * from another CPU's cache. */
static struct field plan_number(struct plan *p, struct field f)
{
	f.off = plan_room(p, p->narrow && f.size < 8 ? f.size : 8);
	return f;
}

/* Places a datum in the record. */
static struct field plan_field(struct plan *p, const struct expr *e, bool uaddr)
{
	struct field f = { .name = e->name, .kind = FIELD_INT };
	const struct type *t = e->type;

	if (t && t->special) {
		f.kind = sym_field(t);
		f.size = t->size;
		f.off = plan_room(p, (f.size + 7) & ~7u);
		return f;
	}
	if (t && type_is_string(t)) {
		int form = expr_form(p->lw->ck, e);

		f.kind = form_rep(form) == REP_LIT ? FIELD_LIT : form_rep(form) == REP_TSTR ? FIELD_TSTR : FIELD_CHARS;
		if (f.kind == FIELD_LIT) {
			f.size = LIT_BYTES;
			return plan_number(p, f);
		}
		f.size = form_size(form);
		f.off = plan_room(p, f.size);
		return f;
	}
	if (uaddr) {
		f.kind = FIELD_UADDR;
		f.is_plain = true;
		f.size = 16;
		f.off = plan_room(p, f.size);
		return f;
	}
	if (t && type_is_block(t)) {
		f.kind = FIELD_BYTES;
		f.size = t->size;
		f.off = plan_room(p, (t->size + 7) / 8 * 8);
		if (p->off > REC_MAX)
			lower_error(p->lw, e->loc, D_LIMIT, "a record of %u bytes is too large", p->off);
		return f;
	}
	f.size = t && t->size && t->size <= 8 ? t->size : 8;
	f.is_float = t && type_is_float(t);
	f.is_signed = t && t->is_signed && !f.is_float;
	return plan_number(p, f);
}

/* pcap(): the bytes of the packet, behind all that has a fixed size. The last argument stands for them. */
static void plan_rest(struct epid *ep)
{
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].kind == ACT_PCAP)
			ep->actions[i].args[CAPTURE_BYTES] =
				(struct field){ .name = "packet", .kind = FIELD_REST, .off = ep->rec_size };
}

/* The arguments behind the format, or all. */
static void plan_args(struct plan *p, struct action *a, const struct expr *e, size_t from)
{
	a->args = ARENA_ARRAY(p->lw->arena, struct field, e->args.n + 1);
	for (size_t i = from; i < e->args.n; i++)
		a->args[a->nargs++] = plan_field(p, e->args.v[i], a->fmt && is_uaddr_conv(a->fmt, i - from));
}

/* Aggregations that no clause fills are left out: printa() shows nothing for them. */
static void plan_aggs(struct plan *p, struct action *a, const struct expr *e, size_t from, size_t to)
{
	a->aggs = ARENA_ARRAY(p->lw->arena, uint32_t, e->args.n + 1);
	for (size_t i = from; i < to && i < e->args.n; i++) {
		struct symbol *s = e->args.v[i]->sym;

		if (s && s->ready)
			a->aggs[a->naggs++] = agg_index(p->lw, s);
	}
}

/* Functions whose call is recorded itself, as stack(), are traced. */
static enum action_kind action_kind(enum func f)
{
	switch ((int)f) {
	case FN_printf:
		return ACT_PRINTF;
	case FN_printa:
		return ACT_PRINTA;
	case FN_exit:
		return ACT_EXIT;
	case FN_clear:
		return ACT_CLEAR;
	case FN_trunc:
		return ACT_TRUNC;
	case FN_normalize:
		return ACT_NORMALIZE;
	case FN_denormalize:
		return ACT_DENORMALIZE;
	case FN_print:
		return ACT_PRINT;
	case FN_system:
		return ACT_SYSTEM;
	case FN_freopen:
		return ACT_FREOPEN;
	case FN_setopt:
		return ACT_SETOPT;
	case FN_tracemem:
		return ACT_TRACEMEM;
	case FN_pcap:
		return ACT_PCAP;
	case FN_ftruncate:
		return ACT_FTRUNCATE;
	case FN_snapshot:
		return ACT_SNAPSHOT;
	case FN_commit:
		return ACT_COMMIT;
	case FN_discard:
		return ACT_DISCARD;
	default:
		return ACT_TRACE;
	}
}

/* The type as declared. In expressions a narrow bit-field is promoted to int, but its field in the record is not. */
static struct type *declared_type(const struct expr *e)
{
	return e->kind == EX_MEMBER && e->isuffix && e->member ? e->member->type : e->type;
}

/* Within an if the record has a guard: the consumer runs the action only if the branch was taken. */
static void plan_action(struct plan *p, const struct expr *e)
{
	struct action *a = vec_push(p->lw->arena, &p->actions);

	a->kind = action_kind(e->sym->func);
	a->loc = e->loc;
	p->narrow = is_narrow(a);
	(void)plan_room(p, 0);
	if (p->depth)
		a->guard_off = plan_room(p, 8);
	if (func_class(e->sym->func) == FC_SYM) {
		a->args = ARENA_NEW(p->lw->arena, struct field);
		a->args[a->nargs++] = plan_field(p, e, false);
		return;
	}
	switch ((int)a->kind) {
	case ACT_PRINTF:
	case ACT_SYSTEM:
	case ACT_FREOPEN:
		a->fmt = e->extra;
		plan_args(p, a, e, 1);
		break;
	case ACT_PRINTA:
		a->fmt = e->extra;
		plan_aggs(p, a, e, a->fmt ? 1 : 0, e->args.n);
		break;
	case ACT_PRINT:
		plan_args(p, a, e, 0);
		a->args[0].type = ptype_of(p->lw, declared_type(e->args.v[0]));
		break;
	case ACT_PCAP:
		plan_args(p, a, e, 0);
		if (p->ep->rest)
			lower_error(p->lw, e->loc, D_PROTO_ARG, "a clause has one pcap() at most");
		p->ep->rest = (uint32_t)e->args.v[CAPTURE_BYTES]->ival;
		break;
	case ACT_TRACE:
	case ACT_TRACEMEM:
	case ACT_EXIT:
	case ACT_SETOPT:
	case ACT_FTRUNCATE:
	case ACT_SNAPSHOT:
	case ACT_COMMIT:
	case ACT_DISCARD:
		plan_args(p, a, e, 0);
		break;
	default:
		plan_aggs(p, a, e, 0, 1);
		plan_args(p, a, e, 1);
		for (size_t i = 0; i < a->nargs; i++) /* numbers that act and are not shown keep their 64 bits */
			a->args[i].size = 8;
		break;
	}
}

static bool is_action(const struct expr *e)
{
	return e->kind == EX_CALL && e->sym &&
		(func_class(e->sym->func) == FC_ACTION || func_class(e->sym->func) == FC_SYM);
}

/* Actions that the kernel carries out record nothing, except speculate(), which says where the clause's record goes. */
static void plan_call(struct plan *p, const struct expr *e)
{
	unsigned traits = func_traits(e->sym->func);

	p->records |= (traits & FT_RECORD) != 0;
	p->lw->im->destructive |= (traits & FT_DESTRUCTIVE) != 0;
	if (!(traits & FT_KERNEL))
		plan_action(p, e);
	else if (e->sym->func == FN_speculate && !p->ep->spec_off)
		p->ep->spec_off = plan_room(p, 8);
}

/* In program order, both branches of each if: the record has room for all actions of the clause. */
static void plan_stmts(struct plan *p, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i]->kind == ST_EXPR) {
			if (is_action(v[i]->expr))
				plan_call(p, v[i]->expr);
			continue;
		}
		p->depth++;
		plan_stmts(p, v[i]->then.v, v[i]->then.n);
		plan_stmts(p, v[i]->otherwise.v, v[i]->otherwise.n);
		p->depth--;
	}
}

/* { } and { speculate(n); } have the default action: they record that the probe fired. */
static bool is_default_action(const struct clause *c)
{
	const struct expr *e = c->body.n == 1 && c->body.v[0]->kind == ST_EXPR ? c->body.v[0]->expr : NULL;

	return !c->body.n || (e && is_action(e) && e->sym->func == FN_speculate);
}

/* The layout of the clause's record: head, then guards and data in program order. No actions: no record. */
void plan_record(struct lowerer *lw, const struct clause *c, struct epid *ep)
{
	struct plan p = { .lw = lw, .ep = ep, .off = sizeof(struct dw_rec) };

	plan_stmts(&p, c->body.v, c->body.n);
	ep->actions = p.actions.v;
	ep->nactions = p.actions.n;
	(void)plan_room(&p, 0);
	ep->quiet_head = !p.records && !is_default_action(c);
	if (p.actions.n || is_default_action(c))
		ep->rec_size = p.off;
	plan_rest(ep);
}

/* ---- drops ------------------------------------------------------------------------------------------------------- */
/* Atomic, as a program that interrupts this one may count too. */
void count_drop(struct clause_ctx *cx, enum dw_drop cause)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	uint32_t end = ir_newlabel(ir);
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), p;

	ir_sti(ir, key, 0, 4, (int32_t)cause);
	p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_DROPS)), key }, 2, false);
	ir_jcci(ir, CC_EQ, p, 0, end);
	ir_xadd(ir, p, 0, 8, ir_imm(ir, 1));
	ir_label(ir, end);
	ir_stack_release(ir, mark);
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */
/* Writes the datum to the place that plan_field() gave it; number: the bytes of one that plan_number() placed. */
static void store_arg(struct clause_ctx *cx, const struct expr *e, const struct field *f, unsigned number)
{
	struct sval s;

	if (f->kind == FIELD_BYTES) {
		struct val to = {
			.k = V_MEM, .type = e->type, .r = cx->rec, .off = f->off, .ptr = PTR_OURS, .mut = true
		};

		place_copy(cx, to, lower_expr(cx, e), f->size);
		return;
	}
	if (f->kind == FIELD_INT) {
		ir_st(cx->ir, cx->rec, (int32_t)f->off, number, lower_word(cx, e));
		return;
	}
	if (f->kind >= FIELD_SYM && f->kind <= FIELD_UCOPY) {
		sym_store(cx, e, f->size, cx->rec, (int32_t)f->off);
		return;
	}
	s = lower_str_as(cx, e, expr_form(cx->lw->ck, e));
	str_need(cx, &s);
	if (f->kind == FIELD_LIT)
		ir_st(cx->ir, cx->rec, (int32_t)f->off, number, s.w[0]);
	else
		str_store(cx, s, cx->rec, (int32_t)f->off);
}

/* Scratch memory of one argument is free again for the next. */
static void lower_recorded(struct clause_ctx *cx, const struct expr *e)
{
	const struct action *a = &cx->actions[cx->action_no++];
	bool self = func_class(e->sym->func) == FC_SYM; /* the call itself is recorded */
	size_t from = self ? 0 : e->args.n - a->nargs;  /* the format and aggregations stand first */

	for (size_t i = 0; i < a->nargs; i++) {
		int32_t mark = scratch_mark(cx->pg);

		if (a->kind == ACT_COMMIT || a->kind == ACT_DISCARD)
			ir_st(cx->ir, cx->rec, (int32_t)a->args[i].off, 8, spec_end(cx, e->args.v[from + i]));
		else if (a->args[i].kind == FIELD_REST)
			capture_copy(cx);
		else
			store_arg(cx, self ? e : e->args.v[from + i], &a->args[i], is_narrow(a) ? a->args[i].size : 8);
		scratch_release(cx->pg, mark);
	}
	if (a->guard_off)
		ir_sti(cx->ir, cx->rec, (int32_t)a->guard_off, 8, 1);
	if (a->kind == ACT_EXIT)
		ir_seti(cx->ir, cx->exiting, 1);
}

/* Actions come in the order in which plan_stmts() met them: action_no counts them. */
void lower_action(struct clause_ctx *cx, const struct expr *e)
{
	if (!(func_traits(e->sym->func) & FT_KERNEL))
		lower_recorded(cx, e);
	else if (e->sym->func == FN_speculate)
		spec_choose(cx, e);
	else
		lower_destructive(cx, e);
}
