/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event: args[] of a tracepoint that is known only by its format file.
 * Input: the tracepoint's record, which is the program's context. Output: numbers that single loads read, and places
 * in the record.
 * Invariant: the verifier lets a program load only aligned words at fixed offsets of the record. Everything else is
 * read through the record's address as a plain number. */
#include "lower/expr/expr.h"
#include "lower/site/site.h"
#include "lower/text/text.h"

#define LOWER_HALF 0xffff

bool at_event(const struct prog_ctx *pg)
{
	return pg->site->attach == ATTACH_EVENT;
}

static const struct kernel_field *field_of(struct prog_ctx *pg, unsigned i)
{
	size_t n = 0;
	const struct kernel_field *v =
		pg->lw->env->event ? pg->lw->env->event(pg->lw->env->ctx, pg->site->target, &n) : NULL;

	return i < n ? &v[i] : NULL;
}

unsigned event_fields(struct prog_ctx *pg)
{
	size_t n = 0;

	return pg->lw->env->event && pg->lw->env->event(pg->lw->env->ctx, pg->site->target, &n) ? (unsigned)n : 0;
}

/* The record's place off as a number. */
static vreg record_at(struct clause_ctx *cx, uint32_t off)
{
	vreg at = plain_number(
		cx, (struct val){ .k = V_INT, .type = cx->lw->ts->uint64, .ptr = PTR_OURS, .r = ir_ctx(cx->ir) });

	return ir_alui(cx->ir, ALU_ADD, at, (int32_t)off);
}

static bool is_word(const struct kernel_field *f)
{
	return (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) && f->off % f->size == 0;
}

static vreg load_word(struct clause_ctx *cx, const struct kernel_field *f)
{
	struct ir *ir = cx->ir;

	if (is_word(f))
		return ir_ld(ir, ir_ctx(ir), (int32_t)f->off, f->size, f->is_signed, true);
	return record_at(cx, f->off);
}

/* The address of a dynamic field's bytes. */
static vreg dynamic_at(struct clause_ctx *cx, const struct kernel_field *f)
{
	vreg off = ir_alui(cx->ir, ALU_AND, load_word(cx, f), LOWER_HALF);

	return ir_alu(cx->ir, ALU_ADD, record_at(cx, f->relative ? f->off + f->size : 0), off);
}

vreg event_word(struct clause_ctx *cx, unsigned i)
{
	const struct kernel_field *f = field_of(cx->pg, i);

	return f ? load_word(cx, f) : ir_imm(cx->ir, 0);
}

struct val event_arg(struct clause_ctx *cx, unsigned i, struct type *type)
{
	const struct kernel_field *f = field_of(cx->pg, i);
	struct val v = { .k = V_INT, .type = type };

	if (!f) {
		v.r = ir_imm(cx->ir, 0);
	} else if (type->kind == T_STRING) {
		v.k = V_STR;
		v.s = str_at(cx, dynamic_at(cx, f));
	} else if (type_is_block(type)) {
		v.k = V_MEM;
		v.r = record_at(cx, f->off);
	} else if (f->dynamic) {
		v.r = dynamic_at(cx, f);
	} else if (is_word(f)) {
		v.r = load_word(cx, f);
		if (type->size < f->size || type->is_signed != f->is_signed)
			v.r = ir_ext(cx->ir, v.r, type->size, type->is_signed);
	} else { /* in a packed record */
		v.k = V_MEM;
		v.r = record_at(cx, f->off);
		v = lower_load(cx, v, NULL);
	}
	return v;
}
