/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event: args[] at a tracepoint of which only the format file is known: the fields of the record that it writes.
 * Input: the record, which is the context of the program. Output: numbers by single loads, else places in it.
 * Invariant: the verifier lets a program load aligned words of the record at fixed places only: all else goes through
 * its address as a plain number. */
#include "lower/site/site.h"

#define LOWER_HALF 0xffff

bool at_event(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_EVENT;
}

static const struct kernel_field *field_of(struct lowerer *lw, unsigned i)
{
	size_t n = 0;
	const struct kernel_field *v = lw->env->event ? lw->env->event(lw->env->ctx, lw->site->target, &n) : NULL;

	return i < n ? &v[i] : NULL;
}

unsigned event_fields(struct lowerer *lw)
{
	size_t n = 0;

	return lw->env->event && lw->env->event(lw->env->ctx, lw->site->target, &n) ? (unsigned)n : 0;
}

/* The record's place off as a number. */
static vreg record_at(struct lowerer *lw, uint32_t off)
{
	vreg at =
		plain_number(lw, (struct val){ .k = V_INT, .type = lw->ts->uint64, .ours = true, .r = ir_ctx(lw->ir) });

	return ir_alui(lw->ir, ALU_ADD, at, (int32_t)off);
}

static bool is_word(const struct kernel_field *f)
{
	return (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) && f->off % f->size == 0;
}

static vreg load_word(struct lowerer *lw, const struct kernel_field *f)
{
	struct ir *ir = lw->ir;

	if (is_word(f))
		return ir_ld(ir, ir_ctx(ir), (int32_t)f->off, f->size, f->is_signed, true);
	return record_at(lw, f->off);
}

/* Where in memory a dynamic field's bytes are. */
static vreg dynamic_at(struct lowerer *lw, const struct kernel_field *f)
{
	vreg off = ir_alui(lw->ir, ALU_AND, load_word(lw, f), LOWER_HALF);

	return ir_alu(lw->ir, ALU_ADD, record_at(lw, f->relative ? f->off + f->size : 0), off);
}

vreg event_word(struct lowerer *lw, unsigned i)
{
	const struct kernel_field *f = field_of(lw, i);

	return f ? load_word(lw, f) : ir_imm(lw->ir, 0);
}

struct val event_arg(struct lowerer *lw, unsigned i, struct type *type)
{
	const struct kernel_field *f = field_of(lw, i);
	struct val v = { .k = V_INT, .type = type };

	if (!f) {
		v.r = ir_imm(lw->ir, 0);
	} else if (type->kind == T_STRING) {
		v.k = V_STR;
		v.s = str_at(lw, dynamic_at(lw, f));
	} else if (type_is_block(type)) {
		v.k = V_MEM;
		v.r = record_at(lw, f->off);
	} else if (f->dynamic) {
		v.r = dynamic_at(lw, f);
	} else if (is_word(f)) {
		v.r = load_word(lw, f);
		if (type->size < f->size || type->is_signed != f->is_signed)
			v.r = ir_ext(lw->ir, v.r, type->size, type->is_signed);
	} else { /* in a packed record */
		v.k = V_MEM;
		v.r = record_at(lw, f->off);
		v = lower_load(lw, v, NULL);
	}
	return v;
}
