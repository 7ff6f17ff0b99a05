/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice: the name of a number, as of a stage or a state, from a table.
 * Input: ?: whose conditions compare one number with constants, and whose arms are literals. Output: code that loads
 * the number of the literal.
 * Invariant: no branch, and the result is no constant: the verifier walks what follows once.
 *
 * Why: comparing with one name behind the other takes longer than the rest of many a clause, and each comparison is
 * code that the CPU has to fetch. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/text/text.h"

#define ROWS_MAX 256u

/* The number, and a literal's number for each of its values; of the last row, for all others. */
struct choice {
	const struct expr *of;
	uint32_t rows; /* a power of two */
	uint16_t lits[ROWS_MAX];
	bool known[ROWS_MAX];
};

/* Without conditions that the checker has decided. */
static const struct expr *undecided(const struct expr *e)
{
	while (e->kind == EX_COND && e->b == e->c)
		e = e->b;
	return e;
}

/* Is it `number == constant`, of a constant that has a row? */
static bool has_row(struct clause_ctx *cx, const struct expr *e, const struct expr *of, int64_t *row)
{
	return e->kind == EX_BINARY && e->op == OP_EQ && (e->a == of || expr_same(e->a, of)) &&
		!type_is_string(of->type) && const_eval(cx->lw->ts, cx->lw->d, e->b, row) && *row >= 0 &&
		*row < ROWS_MAX - 1;
}

/* A literal's number. False: it is too large for a row. */
static bool row_text(struct clause_ctx *cx, const struct expr *e, uint16_t *lit)
{
	const int64_t n = str_const(cx, e->str, e->slen).lit;

	*lit = (uint16_t)n;
	return *lit == n;
}

/* False: the expression is no such choice. */
static bool read_choice(struct clause_ctx *cx, const struct expr *e, struct choice *c)
{
	uint16_t other;
	int64_t row;

	*c = (struct choice){ .of = e->a->kind == EX_BINARY ? e->a->a : NULL, .rows = 2 };
	for (; e->kind == EX_COND; e = undecided(e->c)) {
		const struct expr *arm = undecided(e->b);

		if (!c->of || !has_row(cx, e->a, c->of, &row) || arm->kind != EX_STR)
			return false;
		while (c->rows < row + 2)
			c->rows *= 2;
		if (!c->known[row] && !row_text(cx, arm, &c->lits[row]))
			return false;
		c->known[row] = true;
	}
	if (e->kind != EX_STR || !row_text(cx, e, &other))
		return false;
	for (size_t i = 0; i < c->rows; i++)
		c->lits[i] = c->known[i] ? c->lits[i] : other;
	return true;
}

/* Where the rows are in the table of all choices; equal ones are there once. */
static int32_t place(struct lowerer *lw, const struct choice *c)
{
	const uint32_t size = c->rows * (uint32_t)sizeof(c->lits[0]);
	struct image_map *m;
	uint8_t *data;

	if (!lw->names)
		lw->names = map_add_value(lw, MAP_TABLE, "dw_names", 0) + 1;
	m = &lw->im->maps.v[lw->names - 1];
	for (uint32_t off = 0; off + size <= m->value_size; off += (uint32_t)sizeof(c->lits[0]))
		if (!memcmp((const uint8_t *)m->data + off, c->lits, size))
			return (int32_t)off;
	data = ARENA_ARRAY(lw->arena, uint8_t, m->value_size + size);
	if (m->value_size)
		memcpy(data, m->data, m->value_size);
	memcpy(data + m->value_size, c->lits, size);
	m->data = data;
	m->value_size += size;
	return (int32_t)(m->value_size - size);
}

/* The row of a number: the last one if it has none. */
static vreg row_of(struct ir *ir, vreg number, uint32_t rows)
{
	const vreg beyond = ir_alui(ir, ALU_SHR, number, __builtin_ctz(rows));
	const vreg negative = ir_neg(ir, beyond);
	const vreg none = ir_alui(ir, ALU_SAR, ir_alu(ir, ALU_OR, beyond, negative), 63);

	return ir_alui(ir, ALU_AND, ir_alu(ir, ALU_OR, number, none), (int32_t)rows - 1);
}

bool choice_str(struct clause_ctx *cx, const struct expr *e, struct sval *s)
{
	struct ir *ir = cx->ir;
	struct choice c;
	int64_t number;
	vreg of, row, table;
	int32_t at;

	if (!read_choice(cx, e, &c))
		return false;
	of = lower_word(cx, c.of);
	*s = (struct sval){ .rep = REP_LIT, .lit = -1, .n = 1, .w = ARENA_ARRAY(cx->lw->arena, vreg, 1) };
	if (ir_constant(ir, of, &number)) {
		s->lit = c.lits[(uint64_t)number < c.rows ? (uint32_t)number : c.rows - 1];
		s->w[0] = ir_imm(ir, s->lit);
		return true;
	}
	at = place(cx->lw, &c);
	row = ir_alui(ir, ALU_SHL, row_of(ir, of, c.rows), 1);
	table = ir_mapval(ir, cx->lw->names - 1, at);
	s->w[0] = ir_ld(ir, ir_alu(ir, ALU_ADD, table, row), 0, 2, false, true);
	return true;
}
