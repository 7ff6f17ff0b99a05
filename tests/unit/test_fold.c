/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fold: the rewriting rules of the optimiser, one a row: what x becomes, how many operations that takes behind the
 * optimiser, and the same result as before for every value of a list. No root, no kernel. */
#include "datum.h"
#include "ir_sim.h"
#include "unit.h"

struct step {
	enum ir_alu op;
	int64_t imm;
};

static const uint64_t values[] = { 0, 1, 2, 3, 7, 8, 15, 16, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x0123456789abcdef, 0x7fffffffffffffff, 0x8000000000000000,
	0xfffffffffffffff8, 0xffffffffffffffff };

/* x is loaded from the context, with size bytes; steps of it that are no-ops stand for none. */
static const struct value_rule {
	const char *what;
	unsigned size, nsteps;
	struct step steps[3];
	unsigned left; /* operations with an immediate */
	enum ir_alu op;
	int64_t imm; /* ... of the last that is left */
} value_rules[] = {
	{ "nothing added", 8, 1, { { ALU_ADD, 0 } }, 0, ALU_ADD, 0 },
	{ "times one", 8, 1, { { ALU_MUL, 1 } }, 0, ALU_ADD, 0 },
	{ "divided by one", 8, 1, { { ALU_DIV, 1 } }, 0, ALU_ADD, 0 },
	{ "all bits kept", 8, 1, { { ALU_AND, -1 } }, 0, ALU_ADD, 0 },
	{ "times nothing", 8, 1, { { ALU_MUL, 0 } }, 0, ALU_ADD, 0 },
	{ "modulo one", 8, 1, { { ALU_MOD, 1 } }, 0, ALU_ADD, 0 },
	{ "shifted by 64", 8, 1, { { ALU_SHL, 64 } }, 0, ALU_ADD, 0 },
	{ "a subtraction", 8, 1, { { ALU_SUB, 5 } }, 1, ALU_ADD, -5 },
	{ "times eight", 8, 1, { { ALU_MUL, 8 } }, 1, ALU_SHL, 3 },
	{ "divided by 16", 8, 1, { { ALU_DIV, 16 } }, 1, ALU_SHR, 4 },
	{ "modulo 256", 8, 1, { { ALU_MOD, 256 } }, 1, ALU_AND, 255 },
	{ "times six", 8, 1, { { ALU_MUL, 6 } }, 1, ALU_MUL, 6 },
	{ "sums", 8, 3, { { ALU_ADD, 5 }, { ALU_ADD, 7 }, { ALU_SUB, 2 } }, 1, ALU_ADD, 10 },
	{ "sums that cancel", 8, 2, { { ALU_ADD, 5 }, { ALU_SUB, 5 } }, 0, ALU_ADD, 0 },
	{ "sums beyond an immediate", 8, 2, { { ALU_ADD, INT32_MAX }, { ALU_ADD, 1 } }, 2, ALU_ADD, 1 },
	{ "masks", 8, 2, { { ALU_AND, 0xff }, { ALU_AND, 0x3c } }, 1, ALU_AND, 0x3c },
	{ "bits set twice", 8, 2, { { ALU_OR, 1 }, { ALU_OR, 6 } }, 1, ALU_OR, 7 },
	{ "bits flipped twice", 8, 2, { { ALU_XOR, 3 }, { ALU_XOR, 5 } }, 1, ALU_XOR, 6 },
	{ "shifts", 8, 2, { { ALU_SHL, 3 }, { ALU_SHL, 4 } }, 1, ALU_SHL, 7 },
	{ "shifts beyond the word", 8, 2, { { ALU_SHR, 40 }, { ALU_SHR, 30 } }, 2, ALU_SHR, 30 },
	{ "a byte up and down", 1, 2, { { ALU_SHL, 56 }, { ALU_SHR, 56 } }, 0, ALU_ADD, 0 },
	{ "four bits of a byte", 1, 2, { { ALU_SHL, 60 }, { ALU_SHR, 60 } }, 1, ALU_AND, 15 },
	{ "a half up and down", 8, 2, { { ALU_SHL, 32 }, { ALU_SHR, 32 } }, 2, ALU_SHR, 32 },
};

/* Does x, behind the steps, jump? */
static const struct jump_rule {
	const char *what;
	unsigned size, nsteps;
	struct step steps[2];
	enum ir_cc cc;
	int32_t imm;
	bool stays; /* the comparison is made when it runs, with this condition and immediate */
	enum ir_cc cc_left;
	int32_t imm_left;
} jump_rules[] = {
	{ "a byte is below 256", 1, 0, { { ALU_ADD, 0 } }, CC_ULT, 256, false, CC_EQ, 0 },
	{ "a byte is never 300", 1, 0, { { ALU_ADD, 0 } }, CC_EQ, 300, false, CC_EQ, 0 },
	{ "a byte is no negative", 1, 0, { { ALU_ADD, 0 } }, CC_SGE, 0, false, CC_EQ, 0 },
	{ "a byte is above -1", 1, 0, { { ALU_ADD, 0 } }, CC_SGT, -1, false, CC_EQ, 0 },
	{ "nothing is below zero", 4, 0, { { ALU_ADD, 0 } }, CC_ULT, 0, false, CC_EQ, 0 },
	{ "two bytes may be 65535", 2, 0, { { ALU_ADD, 0 } }, CC_UGE, 65535, true, CC_UGE, 65535 },
	{ "a word may be negative", 8, 0, { { ALU_ADD, 0 } }, CC_SLT, 0, true, CC_SLT, 0 },
	{ "a masked bit is tested", 8, 1, { { ALU_AND, 4 } }, CC_NE, 0, true, CC_SET, 4 },
	{ "a bit-field is tested where it is", 1, 2, { { ALU_SHL, 61 }, { ALU_SHR, 62 } }, CC_NE, 0, true, CC_SET, 6 },
	{ "a masked value is compared", 8, 1, { { ALU_AND, 6 } }, CC_EQ, 2, true, CC_EQ, 2 },
	{ "three bits are never 8", 8, 1, { { ALU_AND, 7 } }, CC_EQ, 8, false, CC_EQ, 0 },
	{ "bits outside of a byte", 1, 0, { { ALU_ADD, 0 } }, CC_SET, 0x100, false, CC_EQ, 0 },
};

static vreg steps_of(struct ir *ir, unsigned size, const struct step *steps, unsigned n)
{
	vreg x = ir_ld(ir, ir_ctx(ir), 0, size, false, true);

	for (unsigned i = 0; i < n; i++)
		x = ir_alui(ir, steps[i].op, x, (int32_t)steps[i].imm);
	return x;
}

static struct ir *value_program(struct arena *a, const struct value_rule *r)
{
	struct ir *ir = ir_new(a);

	ir_ret(ir, steps_of(ir, r->size, r->steps, r->nsteps));
	return ir;
}

static struct ir *jump_program(struct arena *a, const struct jump_rule *r)
{
	struct ir *ir = ir_new(a);
	uint32_t taken = ir_newlabel(ir);

	ir_jcci(ir, r->cc, steps_of(ir, r->size, r->steps, r->nsteps), r->imm, taken);
	ir_ret(ir, ir_imm(ir, 1));
	ir_label(ir, taken);
	ir_ret(ir, ir_imm(ir, 2));
	return ir;
}

static void same_results(const struct ir *before, const struct ir *after, const char *what)
{
	for (size_t i = 0; i < ROWS(values); i++) {
		struct sim m = { .ctx = { values[i] } }, n = { .ctx = { values[i] } };
		uint64_t want = sim_run_ir(&m, before), got = sim_run_ir(&n, after);

		CHECK(!m.fault && !n.fault && got == want, "%s: of %llx %llx, not %llx", what,
			(unsigned long long)values[i], (unsigned long long)got, (unsigned long long)want);
	}
}

static unsigned count(const struct ir *ir, enum ir_op op, const struct ir_insn **last)
{
	unsigned n = 0;

	for (size_t i = 0; i < ir->code.n; i++)
		if (ir->code.v[i].op == op) {
			*last = &ir->code.v[i];
			n++;
		}
	return n;
}

static void check_value(struct arena *a, const struct value_rule *r)
{
	struct ir *ir = value_program(a, r);
	const struct ir_insn *last = NULL;
	unsigned n;

	ir_optimise(ir);
	n = count(ir, IR_ALUI, &last);
	CHECK(n == r->left, "%s: %u operations, not %u", r->what, n, r->left);
	CHECK(!n || (last->sub == r->op && last->imm == r->imm), "%s: ends by another operation", r->what);
	same_results(value_program(a, r), ir, r->what);
}

static void check_jump(struct arena *a, const struct jump_rule *r)
{
	struct ir *ir = jump_program(a, r);
	const struct ir_insn *last = NULL;
	unsigned n;

	ir_optimise(ir);
	n = count(ir, IR_JCCI, &last);
	CHECK(n == r->stays, "%s: %u comparisons", r->what, n);
	CHECK(!n || (last->sub == r->cc_left && last->imm2 == r->imm_left), "%s: compared otherwise", r->what);
	same_results(jump_program(a, r), ir, r->what);
}

int main(void)
{
	struct arena *a = arena_new();

	for (size_t i = 0; i < ROWS(value_rules); i++)
		check_value(a, &value_rules[i]);
	for (size_t i = 0; i < ROWS(jump_rules); i++)
		check_jump(a, &jump_rules[i]);
	arena_free(a);
	return unit_end();
}
