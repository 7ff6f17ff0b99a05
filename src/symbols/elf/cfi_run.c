/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi_run: runs the instructions of call frame information, and DWARF's expressions.
 * Input: bytes of .eh_frame. Output: rules for each register; the value of an expression.
 * Invariants: no byte beyond a span is read. Expressions have no jumps, so each of them ends.
 * Source: DWARF 5, sections 2.5, 6.4 and 7.24; Linux Standard Base, chapter "Exception Frames". */
#include <dwarf.h>
#include <string.h>

#include "symbols/elf/cfi_priv.h"

#define STATES 8 /* remembered at once */
#define DEPTH 16 /* of the stack of an expression */

/* ---- bytes ------------------------------------------------------------------------------------------------------- */
/* Bits beyond 64 are dropped: a number that needs them means nothing here. */
bool span_uleb(struct span *s, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; s->p < s->end; shift += 7) {
		uint8_t b = *s->p++;

		if (shift < 64)
			*out |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

/* A signed LEB128. Bits beyond 64 are dropped. False: the span ends in it. */
static bool span_sleb(struct span *s, int64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; s->p < s->end; shift += 7) {
		uint8_t b = *s->p++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (b & 0x80)
			continue;
		if ((b & 0x40) && shift + 7 < 64)
			v |= ~0ull << (shift + 7);
		*out = (int64_t)v;
		return true;
	}
	return false;
}

/* A number of size bytes in little endian, as both machines have it. */
static bool fixed(struct span *s, size_t size, bool is_signed, uint64_t *out)
{
	uint64_t v = 0;

	if (!size || (size_t)(s->end - s->p) < size)
		return false;
	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)s->p[i] << 8 * i;
	s->p += size;
	if (is_signed && size < 8 && v >> (8 * size - 1))
		v |= ~0ull << 8 * size;
	*out = v;
	return true;
}

/* A pointer in one of the formats of .eh_frame. False: an unknown format, or the span ends. */
bool span_value(struct span *s, uint8_t format, uint64_t *out)
{
	int64_t v = 0;

	switch (format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return fixed(s, 8, false, out);
	case DW_EH_PE_udata2:
		return fixed(s, 2, false, out);
	case DW_EH_PE_udata4:
		return fixed(s, 4, false, out);
	case DW_EH_PE_sdata2:
		return fixed(s, 2, true, out);
	case DW_EH_PE_sdata4:
		return fixed(s, 4, true, out);
	case DW_EH_PE_uleb128:
		return span_uleb(s, out);
	case DW_EH_PE_sleb128:
		if (!span_sleb(s, &v))
			return false;
		*out = (uint64_t)v;
		return true;
	default:
		return false;
	}
}

/* A length, then as many bytes: an expression. */
static bool block(struct span *s, struct span *out)
{
	uint64_t n;

	if (!span_uleb(s, &n) || n > (uint64_t)(s->end - s->p))
		return false;
	*out = (struct span){ s->p, s->p + n };
	s->p += n;
	return true;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */
/* An offset in units of the CIE's data alignment. A hostile product wraps, as the sum it is part of does. */
static int64_t factored(const struct cfi_row *row, uint64_t n)
{
	return (int64_t)(n * (uint64_t)row->data_align);
}

/* Sets the rule of a register. Registers that are not followed are ignored. Always true. */
static bool set_rule(struct cfi_row *row, uint64_t reg, enum cfi_rule_kind kind, int64_t off, struct span expr)
{
	if (reg < CFI_REGS)
		row->rules[reg] = (struct cfi_rule){ kind, off, expr };
	return true;
}

/* Instructions that set the rule of one register. Those with _sf have a signed factor. */
static bool run_rule(struct cfi_row *row, uint8_t op, struct span *s)
{
	struct span expr = { 0 };
	uint64_t reg, u = 0;
	int64_t off = 0;

	if (!span_uleb(s, &reg))
		return false;
	switch (op) {
	case DW_CFA_offset_extended:
		return span_uleb(s, &u) && set_rule(row, reg, RULE_OFFSET, factored(row, u), expr);
	case DW_CFA_offset_extended_sf:
		return span_sleb(s, &off) && set_rule(row, reg, RULE_OFFSET, factored(row, (uint64_t)off), expr);
	case DW_CFA_val_offset:
		return span_uleb(s, &u) && set_rule(row, reg, RULE_VAL_OFFSET, factored(row, u), expr);
	case DW_CFA_val_offset_sf:
		return span_sleb(s, &off) && set_rule(row, reg, RULE_VAL_OFFSET, factored(row, (uint64_t)off), expr);
	case DW_CFA_register:
		return span_uleb(s, &u) && set_rule(row, reg, RULE_REGISTER, (int64_t)u, expr);
	case DW_CFA_expression:
		return block(s, &expr) && set_rule(row, reg, RULE_EXPR, 0, expr);
	case DW_CFA_val_expression:
		return block(s, &expr) && set_rule(row, reg, RULE_VAL_EXPR, 0, expr);
	case DW_CFA_restore_extended:
		if (reg < CFI_REGS)
			row->rules[reg] = row->initial[reg];
		return true;
	case DW_CFA_undefined:
		return set_rule(row, reg, RULE_UNDEFINED, 0, expr);
	case DW_CFA_same_value:
		return set_rule(row, reg, RULE_SAME, 0, expr);
	default:
		return false;
	}
}

/* Instructions that say how the CFA (the stack pointer before the call) is found: a register plus an offset, or an
 * expression. */
static bool run_cfa(struct cfi_row *row, uint8_t op, struct span *s)
{
	uint64_t u = 0;

	if (op == DW_CFA_def_cfa_expression)
		return block(s, &row->cfa_expr);
	if (op != DW_CFA_def_cfa_offset && op != DW_CFA_def_cfa_offset_sf && !span_uleb(s, &row->cfa_reg))
		return false;
	row->cfa_expr.p = NULL;
	switch (op) {
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_offset:
		if (!span_uleb(s, &u))
			return false;
		row->cfa_off = (int64_t)u;
		return true;
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		if (!span_sleb(s, &row->cfa_off))
			return false;
		row->cfa_off = factored(row, (uint64_t)row->cfa_off);
		return true;
	default:
		return true; /* the register only */
	}
}

/* How far the instruction advances the location; false: it does not advance. */
static bool advance(uint8_t op, struct span *s, uint64_t *by)
{
	if ((op & 0xc0) == DW_CFA_advance_loc) {
		*by = op & 0x3f;
		return true;
	}
	return op == DW_CFA_advance_loc1    ? fixed(s, 1, false, by)
		: op == DW_CFA_advance_loc2 ? fixed(s, 2, false, by)
					    : op == DW_CFA_advance_loc4 && fixed(s, 4, false, by);
}

/* Instructions that neither advance nor remember. An opcode with an operand in its low 6 bits comes first. */
static bool run_other(struct cfi_row *row, uint8_t op, struct span *s)
{
	const struct span none = { 0 };
	uint64_t u;

	if ((op & 0xc0) == DW_CFA_offset)
		return span_uleb(s, &u) && set_rule(row, op & 0x3f, RULE_OFFSET, factored(row, u), none);
	if ((op & 0xc0) == DW_CFA_restore) {
		if ((op & 0x3f) < CFI_REGS)
			row->rules[op & 0x3f] = row->initial[op & 0x3f];
		return true;
	}
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* arm64: whether the return address is signed */
		return true;
	case DW_CFA_GNU_args_size:
		return span_uleb(s, &u);
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		return run_cfa(row, op, s);
	default:
		return run_rule(row, op, s);
	}
}

/* Runs the instructions from location loc up to addr. An unknown instruction is an error, because it may change later
 * rules. */
bool cfi_run(struct cfi_row *row, struct span ins, uint64_t loc, uint64_t addr)
{
	struct cfi_row kept[STATES];
	unsigned n = 0;
	uint64_t by;

	while (ins.p < ins.end) {
		uint8_t op = *ins.p++;

		if (op == DW_CFA_remember_state) {
			if (n == STATES)
				return false;
			kept[n++] = *row;
		} else if (op == DW_CFA_restore_state) {
			if (!n)
				return false;
			*row = kept[--n];
		} else if (advance(op, &ins, &by)) {
			loc += by * row->code_align;
			if (loc > addr)
				return true;
		} else if (!run_other(row, op, &ins)) {
			return false;
		}
	}
	return true;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */
struct stack {
	uint64_t v[DEPTH];
	unsigned n;
};

/* False: the stack is full. */
static bool push(struct stack *st, uint64_t v)
{
	if (st->n == DEPTH)
		return false;
	st->v[st->n++] = v;
	return true;
}

/* Computes a op b; false: there is no such operation. */
static bool binary(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	switch (op) {
	case DW_OP_plus:
		*out = a + b;
		return true;
	case DW_OP_minus:
		*out = a - b;
		return true;
	case DW_OP_and:
		*out = a & b;
		return true;
	case DW_OP_or:
		*out = a | b;
		return true;
	case DW_OP_mul:
		*out = a * b;
		return true;
	case DW_OP_shl:
		*out = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*out = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_ge:
		*out = (int64_t)a >= (int64_t)b;
		return true;
	case DW_OP_gt:
		*out = (int64_t)a > (int64_t)b;
		return true;
	case DW_OP_le:
		*out = (int64_t)a <= (int64_t)b;
		return true;
	case DW_OP_lt:
		*out = (int64_t)a < (int64_t)b;
		return true;
	case DW_OP_eq:
		*out = a == b;
		return true;
	case DW_OP_ne:
		*out = a != b;
		return true;
	default:
		return false;
	}
}

/* A constant that stands in the expression; false: the operation is none. */
static bool constant(uint8_t op, struct span *s, uint64_t *out)
{
	static const uint8_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8 }; /* const1u, const1s, ... */
	int64_t v;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		*out = (uint64_t)op - DW_OP_lit0;
		return true;
	}
	if (op >= DW_OP_const1u && op <= DW_OP_const8s)
		return fixed(s, sizes[op - DW_OP_const1u], (op - DW_OP_const1u) & 1, out);
	if (op == DW_OP_consts && span_sleb(s, &v)) {
		*out = (uint64_t)v;
		return true;
	}
	return op == DW_OP_constu && span_uleb(s, out);
}

/* The operations that compilers write into .eh_frame; no jumps, so that every expression ends. */
static bool eval_one(const struct cfi_eval *e, uint8_t op, struct span *s, struct stack *st)
{
	uint64_t u;
	int64_t off;

	if (op == DW_OP_nop)
		return true;
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return span_sleb(s, &off) && push(st, e->regs->v[op - DW_OP_breg0] + (uint64_t)off);
	if (op == DW_OP_bregx)
		return span_uleb(s, &u) && u < CFI_REGS && span_sleb(s, &off) &&
			push(st, e->regs->v[u] + (uint64_t)off);
	if (constant(op, s, &u))
		return push(st, u);
	if (!st->n)
		return false;
	if (op == DW_OP_deref)
		return e->read(e->ctx, st->v[st->n - 1], &st->v[st->n - 1]);
	if (op == DW_OP_dup)
		return push(st, st->v[st->n - 1]);
	if (op == DW_OP_drop) {
		st->n--;
		return true;
	}
	if (op == DW_OP_plus_uconst) {
		if (!span_uleb(s, &u))
			return false;
		st->v[st->n - 1] += u;
		return true;
	}
	if (st->n < 2 || !binary(op, st->v[st->n - 2], st->v[st->n - 1], &u))
		return false;
	st->v[--st->n - 1] = u;
	return true;
}

/* first: what the stack begins with, such as the CFA; or NULL. False: an error in the expression. */
bool cfi_expr(const struct cfi_eval *e, struct span expr, const uint64_t *first, uint64_t *out)
{
	struct stack st = { .n = 0 };

	if (first)
		(void)push(&st, *first);
	while (expr.p < expr.end) {
		uint8_t op = *expr.p++;

		if (!eval_one(e, op, &expr, &st))
			return false;
	}
	if (!st.n)
		return false;
	*out = st.v[st.n - 1];
	return true;
}
