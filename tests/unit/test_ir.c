/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ir: the back end. What optimiser, register allocator and emitter make of an IR program is run on the BPF
 * machine of ir_sim.h and, as root, in the kernel, and compared with what the IR itself does. The random programs come
 * from a fixed seed; DWIRE_TEST_SEED sets another. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "abi/abi.h"
#include "base/diag/report.h"
#include "ir/ir.h"
#include "ir_sim.h"
#include "load/functab.h"
#include "unit.h"

/* ---- random programs --------------------------------------------------------------------------------------------- */
#define STACK_WORDS 6
#define NVARS 4
#define POOL 48

struct gen {
	struct ir *ir;
	uint64_t seed;
	bool kernel; /* only what the kernel can run too */
	vreg pool[POOL];
	unsigned npool, limit; /* how many values are alive at once: from no spills at all to many */
	vreg vars[NVARS];
	int32_t stack[STACK_WORDS];
	unsigned budget;
};

static uint32_t rnd(struct gen *g, uint32_t n)
{
	g->seed ^= g->seed << 13;
	g->seed ^= g->seed >> 7;
	g->seed ^= g->seed << 17;
	return (uint32_t)(g->seed >> 20) % n;
}

static int64_t random_imm(struct gen *g)
{
	static const int64_t special[] = { 0, 1, -1, 2, 8, 255, 65535, 4096, INT32_MAX, INT32_MIN, 0xffffffffll,
		0x80000000ll, INT64_MIN, INT64_MAX, 63, 64 };
	if (rnd(g, 2))
		return special[rnd(g, ROWS(special))];
	int64_t v = (int64_t)(g->seed * 0x2545f4914f6cdd1dull);
	return v >> rnd(g, 64);
}

static vreg any(struct gen *g)
{
	if (rnd(g, 5) == 0)
		return g->vars[rnd(g, NVARS)];
	if (rnd(g, 6) == 0)
		return ir_imm(g->ir, random_imm(g));
	return g->pool[rnd(g, g->npool)];
}

static void keep(struct gen *g, vreg v)
{
	if (g->npool < g->limit)
		g->pool[g->npool++] = v;
	else
		g->pool[rnd(g, g->limit)] = v;
}

/* A word of memory on the stack or in the map, reached directly, through the offset, or through an addition. */
static vreg random_word(struct gen *g, int32_t *off)
{
	struct ir *ir = g->ir;
	int32_t at = 8 * (int32_t)rnd(g, STACK_WORDS), split = 8 * (int32_t)rnd(g, 4);
	*off = split;
	if (rnd(g, 2)) {
		vreg base = ir_mapval(ir, 0, at);
		return rnd(g, 2) ? ir_alui(ir, ALU_ADD, base, 8) : base;
	}
	*off = 0;
	vreg base = ir_stack(ir, g->stack[at / 8]);
	return rnd(g, 3) ? base : ir_alui(ir, ALU_ADD, ir_alui(ir, ALU_ADD, base, -8), 8);
}

static void random_memory(struct gen *g)
{
	struct ir *ir = g->ir;
	unsigned size = 1u << rnd(g, 4);
	int32_t off, inner = (int32_t)(rnd(g, 8) & (8 - size));
	vreg base = random_word(g, &off);
	switch (rnd(g, 7)) {
	case 0:
		ir_sti(ir, base, off + inner, size, (int32_t)random_imm(g));
		break;
	case 1:
	case 2:
		ir_st(ir, base, off + inner, size, any(g));
		break;
	case 3:
		ir_xadd(ir, base, off, size < 8 ? 4 : 8, any(g));
		break;
	case 4:
		keep(g,
			rnd(g, 2) ? ir_xchg(ir, base, off, size < 8 ? 4 : 8, any(g))
				  : ir_fadd(ir, base, off, size < 8 ? 4 : 8, any(g)));
		break;
	case 5:
		keep(g, ir_cmpxchg(ir, base, off, rnd(g, 2) ? ir_ld(ir, base, off, 8, false, false) : any(g), any(g)));
		break;
	default:
		keep(g, ir_ld(ir, base, off + inner, size, rnd(g, 2), false));
		break;
	}
}

static void random_call(struct gen *g)
{
	struct ir *ir = g->ir;
	vreg args[5];
	unsigned kind = rnd(g, g->kernel ? 3 : 5);
	if (kind == 0) {
		args[0] = ir_stack(ir, g->stack[rnd(g, STACK_WORDS)]);
		args[1] = ir_imm(ir, 8);
		args[2] = ir_mapval(ir, 0, 8 * (int32_t)rnd(g, 4));
		keep(g, ir_call(ir, SIM_READ, args, 3, false));
	} else if (kind == 1) {
		args[0] = ir_mapval(ir, 0, 8 * (int32_t)rnd(g, 4));
		args[1] = ir_imm(ir, 16);
		keep(g, ir_lib(ir, LIB_str_len, args, 2));
	} else if (kind == 2) {
		args[0] = ir_stack(ir, g->stack[rnd(g, STACK_WORDS)]);
		args[1] = ir_mapval(ir, 0, 8 * (int32_t)rnd(g, 4));
		args[2] = ir_imm(ir, 8);
		keep(g, ir_lib(ir, LIB_str_cmp, args, 3));
	} else {
		unsigned n = 1 + rnd(g, 5);
		for (unsigned i = 0; i < n; i++)
			args[i] = any(g);
		keep(g, ir_call(ir, (int)(1000 + 8 * rnd(g, 3) + n), args, n, kind == 3));
	}
}

/* A chain over a value of few bits, ending in what its range may decide. */
static void random_narrow(struct gen *g)
{
	static const int32_t edges[] = { 0, 1, -1, 127, 128, 254, 255, 256, 32767, 32768, 65535, 65536, INT32_MAX };
	static const enum ir_alu ops[] = { ALU_ADD, ALU_MUL, ALU_AND, ALU_OR, ALU_XOR, ALU_SHL, ALU_SHR, ALU_SAR,
		ALU_DIV, ALU_MOD, ALU_SUB };
	struct ir *ir = g->ir;
	vreg v = rnd(g, 2) ? ir_ext(ir, any(g), 1u << rnd(g, 3), rnd(g, 2)) : ir_be(ir, any(g), 2);
	for (unsigned n = rnd(g, 2) ? rnd(g, 4) : 0; n; n--) {
		enum ir_alu op = ops[rnd(g, ROWS(ops))];
		if (rnd(g, 4) == 0)
			v = ir_alu(ir, op, v, ir_ext(ir, any(g), 1u << rnd(g, 2), rnd(g, 2)));
		else
			v = ir_alui(ir, op, v, rnd(g, 2) ? (int32_t)rnd(g, 20) : edges[rnd(g, ROWS(edges))]);
	}
	if (rnd(g, 2)) {
		keep(g, ir_ext(ir, v, 1u << rnd(g, 3), rnd(g, 2)));
		return;
	}
	vreg result = ir_var(ir);
	uint32_t label = ir_newlabel(ir);
	ir_seti(ir, result, 1);
	ir_jcci(ir, (enum ir_cc)rnd(g, CC_SET + 1), v, edges[rnd(g, ROWS(edges))], label);
	ir_seti(ir, result, 0);
	ir_label(ir, label);
	keep(g, ir_mov(ir, result));
}

/* Arguments that nothing else wants, so that they compete for R1-R5. */
static void random_shuffle(struct gen *g)
{
	struct ir *ir = g->ir;
	vreg v[5], args[5];
	for (unsigned round = 0; round < 2; round++) {
		unsigned n = 2 + rnd(g, 4);
		for (unsigned i = 0; i < n; i++)
			v[i] = ir_alu(ir, ALU_ADD, any(g), any(g));
		for (unsigned i = 0; i < n; i++)
			args[i] = ir_alu(ir, ALU_XOR, v[rnd(g, n)], v[rnd(g, n)]);
		for (unsigned i = 0; i < n; i++)
			args[i] = rnd(g, 2) ? v[rnd(g, n)] : args[rnd(g, n)];
		keep(g, ir_call(ir, (int)(1000 + n), args, n, false));
	}
}

static void random_value(struct gen *g)
{
	struct ir *ir = g->ir;
	static const unsigned be[] = { 2, 4, 8 };
	vreg v;
	switch (rnd(g, 9)) {
	case 0:
	case 1:
	case 2:
		v = ir_alu(ir, (enum ir_alu)rnd(g, ALU_SAR + 1), any(g), any(g));
		break;
	case 3:
	case 4:
		v = ir_alui(ir, (enum ir_alu)rnd(g, ALU_SAR + 1), any(g), (int32_t)random_imm(g));
		break;
	case 5:
		v = ir_ext(ir, any(g), 1u << rnd(g, 3), rnd(g, 2));
		break;
	case 6:
		v = ir_be(ir, any(g), be[rnd(g, 3)]);
		break;
	case 7: { /* the variable changes between two steps of a chain that would fold */
		vreg var = g->vars[rnd(g, NVARS)];
		enum ir_alu op = rnd(g, 2) ? ALU_ADD : ALU_AND;
		vreg t = rnd(g, 2) ? ir_alui(ir, op, var, 12345) : rnd(g, 2) ? ir_neg(ir, var) : ir_mov(ir, var);
		if (rnd(g, 2))
			ir_set(ir, var, any(g));
		v = ir_alui(ir, op, t, 77777);
		break;
	}
	default:
		v = ir_ld(ir, ir_ctx(ir), 8 * (int32_t)rnd(g, 6), 8, false, true);
		break;
	}
	keep(g, v);
}

static void random_block(struct gen *g, unsigned depth);

static void random_jump(struct gen *g, uint32_t label)
{
	enum ir_cc cc = (enum ir_cc)rnd(g, CC_SET + 1);
	if (rnd(g, 2))
		ir_jcci(g->ir, cc, any(g), (int32_t)random_imm(g), label);
	else
		ir_jcc(g->ir, cc, any(g), any(g), label);
}

/* What an arm defines is not known behind it: the pool is put back. */
static void random_arm(struct gen *g, unsigned depth)
{
	vreg pool[POOL];
	unsigned npool = g->npool;
	memcpy(pool, g->pool, sizeof(pool));
	random_block(g, depth + 1);
	if (rnd(g, 3) == 0)
		ir_seti(g->ir, g->vars[rnd(g, NVARS)], rnd(g, 2));
	if (rnd(g, 12) == 0)
		ir_ret(g->ir, any(g));
	memcpy(g->pool, pool, sizeof(pool));
	g->npool = npool;
}

static void random_if(struct gen *g, unsigned depth)
{
	struct ir *ir = g->ir;
	uint32_t other = ir_newlabel(ir), end = ir_newlabel(ir);
	random_jump(g, other);
	if (rnd(g, 4) == 0)
		random_jump(g, other);
	random_arm(g, depth);
	if (rnd(g, 2)) {
		ir_jmp(ir, end);
		ir_label(ir, other);
		random_arm(g, depth);
	} else {
		ir_label(ir, other);
	}
	ir_label(ir, end);
	if (rnd(g, 3) == 0) { /* a test of a variable that the arms may have set: a chance to thread jumps */
		uint32_t skip = ir_newlabel(ir);
		ir_jcci(ir, rnd(g, 2) ? CC_EQ : CC_NE, g->vars[rnd(g, NVARS)], (int32_t)rnd(g, 2), skip);
		random_arm(g, depth);
		ir_label(ir, skip);
	}
}

static void random_block(struct gen *g, unsigned depth)
{
	for (unsigned n = 1 + rnd(g, 12); n && g->budget; n--) {
		g->budget--;
		switch (rnd(g, 12)) {
		case 0:
			ir_set(g->ir, g->vars[rnd(g, NVARS)], any(g));
			break;
		case 1:
		case 2:
			random_memory(g);
			break;
		case 3:
			random_call(g);
			break;
		case 4:
			if (depth < 4)
				random_if(g, depth);
			break;
		case 5:
			random_narrow(g);
			break;
		case 6:
			if (!g->kernel)
				random_shuffle(g);
			break;
		default:
			random_value(g);
			break;
		}
	}
}

static struct ir *random_program(struct arena *a, uint64_t seed, bool kernel, unsigned budget)
{
	struct gen g = {
		.ir = ir_new(a), .seed = seed * 0x9e3779b97f4a7c15ull + 1, .kernel = kernel, .budget = budget
	};
	g.limit = 6 + rnd(&g, POOL - 6);
	struct ir *ir = g.ir;
	for (unsigned i = 0; i < STACK_WORDS; i++) {
		g.stack[i] = ir_stack_alloc(ir, 8);
		ir_sti(ir, ir_stack(ir, g.stack[i]), 0, 8, (int32_t)random_imm(&g));
	}
	for (unsigned i = 0; i < 6; i++)
		keep(&g, ir_ld(ir, ir_ctx(ir), 8 * (int32_t)i, 8, false, true));
	for (unsigned i = 0; i < NVARS; i++) {
		g.vars[i] = ir_var(ir);
		ir_seti(ir, g.vars[i], rnd(&g, 3));
	}
	while (g.budget)
		random_block(&g, 0);
	vreg sum = ir_imm(ir, 1);
	for (unsigned i = 0; i < g.npool + NVARS; i++) {
		vreg v = i < g.npool ? g.pool[i] : g.vars[i - g.npool];
		sum = ir_alu(ir, ALU_ADD, ir_alui(ir, ALU_MUL, sum, 31), v);
	}
	ir_st(ir, ir_mapval(ir, 0, 512), 0, 8, sum);
	ir_ret(ir, sum);
	return ir;
}

static void fill(struct sim *m, uint64_t seed)
{
	struct gen g = { .seed = seed * 77 + 5 };
	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < SIM_CTX; i++)
		m->ctx[i] = (uint64_t)random_imm(&g);
	for (unsigned i = 0; i < 256; i++)
		m->value[i] = rnd(&g, 5) ? (unsigned char)rnd(&g, 256) : 0;
}

/* What the IR does, on memory filled from seed. */
static uint64_t expect(struct sim *m, const struct ir *ir, uint64_t seed)
{
	fill(m, seed);
	return sim_run_ir(m, ir);
}

static bool same_outcome(const struct sim *a, const struct sim *b, const struct ir *ir)
{
	size_t objects = ir->guard ? 0 : (size_t)ir->frame_max; /* guarded calls move them */
	return !a->fault && !b->fault && memcmp(a->value, b->value, SIM_VALUE) == 0 &&
		memcmp(a->stack[0] + 512 - objects, b->stack[0] + 512 - objects, objects) == 0;
}

/* False when the program is refused because its spills take more stack than there is. */
static bool check_on_sim(const struct ir *ir, const struct sim *want, uint64_t result, uint64_t seed, const char *what)
{
	static struct sim got;
	struct code code;
	struct report_kept why;
	report_keep(&why);
	int err = ir_emit(ir, ir->arena, &code, &why.reporter);
	if (err == -E2BIG && strstr(why.message, "bytes of stack"))
		return false;
	CHECK(err == 0, "seed %llu %s: %s", (unsigned long long)seed, what, why.message);
	if (err)
		return true;
	fill(&got, seed);
	uint64_t r = sim_run_bpf(&got, code.insns);
	CHECK(!got.fault, "seed %llu %s: %s", (unsigned long long)seed, what, got.fault);
	CHECK(r == result && same_outcome(want, &got, ir), "seed %llu %s: %llx, expected %llx",
		(unsigned long long)seed, what, (unsigned long long)r, (unsigned long long)result);
	return true;
}

static void test_random(uint64_t first, unsigned count)
{
	static struct sim want, after;
	size_t plain = 0, optimised = 0;
	unsigned refused = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct arena *a = arena_new();
		struct ir *ir = random_program(a, seed, false, 10 + (unsigned)(seed % 90));
		uint64_t result = expect(&want, ir, seed);
		plain += ir->code.n;
		refused += !check_on_sim(ir, &want, result, seed, "plain");
		ir_optimise(ir);
		optimised += ir->code.n;
		uint64_t again = expect(&after, ir, seed);
		CHECK(again == result && same_outcome(&want, &after, ir),
			"seed %llu: optimised IR gives %llx, not %llx", (unsigned long long)seed,
			(unsigned long long)again, (unsigned long long)result);
		refused += !check_on_sim(ir, &want, result, seed, "optimised");
		ir->guard = GUARD_ALL;
		refused += !check_on_sim(ir, &want, result, seed, "guarded");
		arena_free(a);
	}
	CHECK(optimised < plain, "the optimiser removed nothing");
	CHECK(refused < count / 20, "%u programs were refused", refused);
	printf("random programs: %u, %zu instructions, %zu optimised, %u refused\n", count, plain, optimised, refused);
}

/* ---- the optimiser, case by case --------------------------------------------------------------------------------- */
static unsigned count(const struct ir *ir, enum ir_op op)
{
	unsigned n = 0;
	for (size_t i = 0; i < ir->code.n; i++)
		n += ir->code.v[i].op == op;
	return n;
}

static const struct ir_insn *first(const struct ir *ir, enum ir_op op)
{
	static const struct ir_insn none = { .size = 0 };
	for (size_t i = 0; i < ir->code.n; i++)
		if (ir->code.v[i].op == op)
			return &ir->code.v[i];
	return &none;
}

static void test_operands(struct arena *a)
{
	struct ir *ir = ir_new(a);
	vreg ctx = ir_ctx(ir), w = ir_ld(ir, ctx, 0, 4, false, false);
	vreg x = ir_ext(ir, ir_ext(ir, w, 4, false), 8, true);
	vreg sum = ir_alu(ir, ALU_ADD, ir_imm(ir, 5), x);
	uint32_t out = ir_newlabel(ir);
	ir_jcc(ir, CC_ULT, ir_imm(ir, 7), sum, out);
	ir_st(ir, ctx, 8, 8, ir_imm(ir, -3));
	ir_label(ir, out);
	ir_ld(ir, ctx, 24, 8, false, false);
	ir_ret(ir, ir_ext(ir, sum, 8, false));
	ir_optimise(ir);
	CHECK(count(ir, IR_EXT) == 0, "a zero-extended load was extended again");
	CHECK(first(ir, IR_ALUI)->imm == 5 && count(ir, IR_ALU) == 0, "no immediate operand");
	CHECK(first(ir, IR_JCCI)->sub == CC_UGT && first(ir, IR_JCCI)->imm2 == 7, "no swapped comparison");
	CHECK(first(ir, IR_STI)->imm == -3 && count(ir, IR_ST) == 0, "no immediate store");
	CHECK(count(ir, IR_LD) == 1, "a dead load stayed");
	CHECK(count(ir, IR_IMM) == 0, "a dead constant stayed");
}

/* Reads of an element are shared until elements are made or deleted; one that nobody needs is dropped. Of each that is
 * left a part is called before. */
static void test_elements(struct arena *a)
{
	struct ir *ir = ir_new(a);
	vreg ctx = ir_ctx(ir), key = ir_ld(ir, ctx, 0, 8, false, true), other = ir_ld(ir, ctx, 8, 8, false, true);
	const vreg args[] = { ir_mapval(ir, 0, 0), key, ir_map(ir, 1) }, more[] = { args[0], other, args[2] };
	vreg sum = ir_lib_find(ir, LIB_word_read, args, 3, 4);

	(void)ir_lib_find(ir, LIB_word_read, more, 3, 3);
	sum = ir_alu(ir, ALU_ADD, sum, ir_lib_find(ir, LIB_word_read, args, 3, 4));
	sum = ir_alu(ir, ALU_ADD, sum, ir_lib_find(ir, LIB_word_read, more, 3, 4));
	(void)ir_lib(ir, LIB_word_delete, args, 3);
	ir_ret(ir, ir_alu(ir, ALU_ADD, sum, ir_lib_find(ir, LIB_word_read, args, 3, 5)));
	ir_optimise(ir);
	CHECK(count(ir, IR_LIB) == 2 * 4, "calls: %zu", (size_t)count(ir, IR_LIB));
}

/* The rest of a division whose quotient is there takes no second one. */
static void test_quotient(struct arena *a)
{
	struct ir *ir = ir_new(a);
	vreg x = ir_ld(ir, ir_ctx(ir), 0, 8, false, true);
	vreg seconds = ir_alui(ir, ALU_DIV, x, 1000), rest = ir_alui(ir, ALU_MOD, x, 1000);
	struct sim m = { .ctx = { UINT64_MAX - 5 } };

	seconds = ir_alui(ir, ALU_SHL, seconds, 10);
	ir_ret(ir, ir_alu(ir, ALU_XOR, seconds, rest));
	ir_optimise(ir);
	CHECK(count(ir, IR_ALUI) == 3, "operations: %zu", (size_t)count(ir, IR_ALUI));
	CHECK(sim_run_ir(&m, ir) == ((m.ctx[0] / 1000) << 10 ^ m.ctx[0] % 1000), "another result");
}

static void test_addresses(struct arena *a)
{
	struct ir *ir = ir_new(a);
	vreg p = ir_ld(ir, ir_ctx(ir), 0, 8, false, false), q = ir_alui(ir, ALU_ADD, p, 16);
	ir_st(ir, ir_alu(ir, ALU_ADD, q, ir_imm(ir, 8)), 4, 4, ir_imm(ir, 1));
	ir_st(ir, ir_mapval(ir, 0, 24), 0, 8, ir_ld(ir, ir_mapval(ir, 0, 40), -8, 8, false, false));
	ir_st(ir, ir_alui(ir, ALU_ADD, p, 32767), 1, 1, p);
	ir_ret(ir, ir_imm(ir, 0));
	ir_optimise(ir);
	CHECK(first(ir, IR_STI)->off == 28, "offset %d", first(ir, IR_STI)->off);
	CHECK(count(ir, IR_MAPVAL) == 1 && first(ir, IR_MAPVAL)->off == 0, "members of a map value share no base");
	CHECK(first(ir, IR_ST)->off == 24, "offset %d", first(ir, IR_ST)->off);
	CHECK(count(ir, IR_ALUI) == 1, "an offset that does not fit was folded");
}

/* if (c) x = load; else y = load; then load again: nothing dominates, nothing may be shared. */
static void test_dominance(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t other = ir_newlabel(ir), end = ir_newlabel(ir);
	vreg ctx = ir_ctx(ir), p = ir_ld(ir, ctx, 0, 8, false, true);
	ir_jcci(ir, CC_EQ, p, 0, other);
	ir_st(ir, ctx, 8, 8, ir_ld(ir, p, 8, 8, false, true));
	ir_st(ir, ctx, 16, 8, ir_ld(ir, p, 8, 8, false, true)); /* shared with the line above */
	ir_jmp(ir, end);
	ir_label(ir, other);
	ir_st(ir, ctx, 24, 8, ir_ld(ir, ctx, 0, 8, false, true)); /* p itself */
	ir_label(ir, end);
	ir_ret(ir, ir_ld(ir, p, 8, 8, false, true));
	ir_optimise(ir);
	CHECK(count(ir, IR_LD) == 3, "%u loads", count(ir, IR_LD));
}

static void test_checks(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t null = ir_newlabel(ir);
	vreg ctx = ir_ctx(ir), p = ir_ld(ir, ctx, 0, 8, false, true), sum = ir_imm(ir, 0);
	for (int i = 0; i < 4; i++) { /* each use checks again: one check is enough */
		ir_jcci(ir, CC_EQ, p, 0, null);
		sum = ir_alu(ir, ALU_ADD, sum, ir_ld(ir, p, 8 * i, 8, false, false));
	}
	ir_ret(ir, sum);
	ir_label(ir, null);
	uint32_t never = ir_newlabel(ir);
	ir_jcci(ir, CC_NE, p, 0, never);
	ir_ret(ir, ir_imm(ir, 1));
	ir_label(ir, never);
	ir_ret(ir, ir_imm(ir, 2));
	ir_optimise(ir);
	CHECK(count(ir, IR_JCCI) == 1, "%u checks", count(ir, IR_JCCI));
	CHECK(count(ir, IR_RET) == 2, "%u returns", count(ir, IR_RET));
}

/* What is never 0 is not tested, nor what has the same value. */
static void test_sure(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t null = ir_newlabel(ir);
	vreg ctx = ir_ctx(ir), p = ir_sure(ir, ir_ld(ir, ctx, 0, 8, false, true)),
	     other = ir_ld(ir, ctx, 8, 8, false, true);
	ir_jcci(ir, CC_EQ, p, 0, null);
	ir_jcci(ir, CC_EQ, ir_ld(ir, ctx, 0, 8, false, true), 0, null);
	ir_jcci(ir, CC_EQ, other, 0, null);
	ir_ret(ir, ir_alu(ir, ALU_ADD, p, other));
	ir_label(ir, null);
	ir_ret(ir, ir_imm(ir, 1));
	ir_optimise(ir);
	CHECK(count(ir, IR_JCCI) == 1, "%u checks", count(ir, IR_JCCI));
	CHECK(count(ir, IR_LD) == 2, "%u loads", count(ir, IR_LD));
}

/* b = x && y as a variable, then tested: nothing of it is left but the two branches. */
static void test_threading(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir), skip = ir_newlabel(ir);
	vreg ctx = ir_ctx(ir), b = ir_var(ir);
	ir_jcci(ir, CC_EQ, ir_ld(ir, ctx, 0, 8, false, true), 0, no);
	ir_jcci(ir, CC_EQ, ir_ld(ir, ctx, 8, 8, false, true), 0, no);
	ir_seti(ir, b, 1);
	ir_jmp(ir, end);
	ir_label(ir, no);
	ir_seti(ir, b, 0);
	ir_label(ir, end);
	ir_jcci(ir, CC_EQ, b, 0, skip);
	ir_sti(ir, ctx, 16, 8, 1);
	ir_label(ir, skip);
	ir_ret(ir, ir_imm(ir, 0));
	ir_optimise(ir);
	CHECK(count(ir, IR_MOV) == 0, "the variable stayed");
	CHECK(count(ir, IR_JCCI) == 2 && count(ir, IR_JMP) == 0, "%u branches", count(ir, IR_JCCI));
}

/* (c ? x == 1 : y == 1) in a variable, copied to another, then tested: each way knows at once where to go. */
static void test_threading_copies(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t other = ir_newlabel(ir), end = ir_newlabel(ir), skip = ir_newlabel(ir);
	vreg ctx = ir_ctx(ir), outer = ir_var(ir);
	ir_jcci(ir, CC_EQ, ir_ld(ir, ctx, 0, 8, false, true), 0, other);
	for (int i = 1; i <= 2; i++) {
		uint32_t ready = ir_newlabel(ir);
		vreg inner = ir_var(ir);
		ir_seti(ir, inner, 0);
		ir_jcci(ir, CC_NE, ir_ld(ir, ctx, 8 * i, 8, false, true), 1, ready);
		ir_seti(ir, inner, 1);
		ir_label(ir, ready);
		ir_set(ir, outer, ir_ext(ir, inner, 4, true));
		if (i == 1) {
			ir_jmp(ir, end);
			ir_label(ir, other);
		}
	}
	ir_label(ir, end);
	ir_jcci(ir, CC_EQ, ir_ext(ir, ir_mov(ir, outer), 4, true), 0, skip);
	ir_sti(ir, ctx, 24, 8, 1);
	ir_label(ir, skip);
	ir_ret(ir, ir_imm(ir, 0));
	ir_optimise(ir);
	CHECK(count(ir, IR_MOV) == 0, "%u copies stayed", count(ir, IR_MOV));
	CHECK(count(ir, IR_JCCI) == 3, "%u branches", count(ir, IR_JCCI));
}

/* Clauses that each test the same variable: one test is left, and what one of them has loaded the next ones use. */
static void test_threading_facts(struct arena *a)
{
	struct ir *ir = ir_new(a);
	vreg ctx = ir_ctx(ir), p = ir_ld(ir, ctx, 0, 8, false, true), v = ir_var(ir);
	ir_set(ir, v, ir_ld(ir, ctx, 8, 8, false, false));
	for (int i = 0; i < 3; i++) {
		uint32_t skip = ir_newlabel(ir);
		ir_jcci(ir, CC_EQ, ir_mov(ir, v), 0, skip);
		ir_st(ir, ctx, 16 + 8 * i, 8, ir_ld(ir, p, 8, 8, false, true));
		ir_label(ir, skip);
	}
	ir_ret(ir, ir_imm(ir, 0));
	ir_optimise(ir);
	CHECK(count(ir, IR_JCCI) == 1, "%u tests", count(ir, IR_JCCI));
	CHECK(count(ir, IR_LD) == 3, "%u loads", count(ir, IR_LD));
}

/* Members of one bit, of four, and signed ones of which only zero is asked. */
static void test_bits(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t out = ir_newlabel(ir);
	vreg ctx = ir_ctx(ir), byte = ir_ld(ir, ctx, 0, 1, false, true), word = ir_ld(ir, ctx, 4, 4, true, true);
	ir_jcci(ir, CC_NE, ir_alui(ir, ALU_SHR, ir_alui(ir, ALU_SHL, byte, 62), 63), 0, out);
	ir_st(ir, ctx, 8, 8, ir_alui(ir, ALU_SHR, ir_alui(ir, ALU_SHL, byte, 60), 60));
	ir_jcci(ir, CC_NE, word, 0, out);
	ir_st(ir, ctx, 16, 4, word);
	ir_jcci(ir, CC_EQ, ir_ld(ir, ctx, 24, 4, true, true), -1, out);
	ir_st(ir, ctx, 16, 8, ir_imm(ir, 1));
	ir_label(ir, out);
	ir_ret(ir, ir_imm(ir, 0));
	ir_optimise(ir);
	CHECK(first(ir, IR_JCCI)->sub == CC_SET && first(ir, IR_JCCI)->imm2 == 2,
		"a test of a bit is no test of a bit");
	CHECK(count(ir, IR_ALUI) == 1 && first(ir, IR_ALUI)->sub == ALU_AND && first(ir, IR_ALUI)->imm == 15,
		"four bits took %u operations", count(ir, IR_ALUI));
	for (size_t i = 0; i < ir->code.n; i++)
		CHECK(ir->code.v[i].op != IR_LD || ir->code.v[i].sx == (ir->code.v[i].off == 24), "load at %d: sign %d",
			ir->code.v[i].off, ir->code.v[i].sx);
}

static void test_variables(struct arena *a)
{
	struct ir *ir = ir_new(a);
	vreg ctx = ir_ctx(ir), v = ir_var(ir);
	ir_set(ir, v, ir_ld(ir, ctx, 0, 8, false, true));
	vreg old = ir_mov(ir, v);
	ir_set(ir, v, ir_ld(ir, ctx, 8, 8, false, true));
	ir_ret(ir, ir_alu(ir, ALU_SUB, v, old));
	ir_optimise(ir);
	CHECK(count(ir, IR_LD) == 2 && count(ir, IR_ALU) == 1 && count(ir, IR_MOV) == 0, "copies across a definition");
}

/* ---- the emitter, case by case ----------------------------------------------------------------------------------- */
static char *text_of(void (*print)(FILE *, const void *), const void *what)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	if (!f)
		abort();
	print(f, what);
	fclose(f);
	return text;
}

static void print_code(FILE *f, const void *what)
{
	const struct code *code = what;
	bpf_disasm(code->insns, code->n, f);
}

static void print_ir(FILE *f, const void *what)
{
	ir_dump(what, f);
}

static void check_text(unsigned line, const char *got, const char *want)
{
	CHECK(strcmp(got, want) == 0, "line %u:\n%s--- expected:\n%s", line, got, want);
}

/* After its last definition a variable is as good as any register; and v += 4 is one instruction. */
static void test_final_variables(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t small = ir_newlabel(ir), smaller = ir_newlabel(ir);
	vreg ctx = ir_ctx(ir), x = ir_ld(ir, ctx, 0, 8, false, true), v = ir_var(ir);
	ir_set(ir, v, ir_ld(ir, ctx, 8, 8, false, true));
	ir_jcci(ir, CC_ULT, x, 256, small);
	ir_set(ir, v, ir_alui(ir, ALU_ADD, v, 16));
	ir_label(ir, small);
	ir_jcci(ir, CC_ULT, x, 16, smaller);
	ir_set(ir, v, ir_alui(ir, ALU_ADD, v, 4));
	ir_label(ir, smaller);
	vreg copy = ir_mov(ir, v);
	ir_st(ir, ctx, 8, 8, copy);
	ir_ret(ir, copy);
	ir_optimise(ir);
	CHECK(count(ir, IR_MOV) == 3, "%u copies", count(ir, IR_MOV));
	struct code code;
	struct report_kept why;
	report_keep(&why);
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == 0, "refused: %s", why.message);
	char *text = text_of(print_code, &code);
	CHECK(strstr(text, "< 0x10 goto pc+1\n"), "more than one instruction to add:\n%s", text);
	free(text);
}

/* The counting of events per key, as the lowering writes it: as short as by hand. */
static void test_counting(struct arena *a)
{
	struct ir *ir = ir_new(a);
	static const struct source src = { .name = "t.d", .text = "a\nbb\n", .len = 5 };
	uint32_t hit = ir_newlabel(ir), out = ir_newlabel(ir);
	ir->loc = (struct loc){ &src, 0, 1 };
	int32_t key = ir_stack_alloc(ir, 4);
	vreg pid = ir_alui(ir, ALU_SHR, ir_call(ir, BPF_FUNC_get_current_pid_tgid, NULL, 0, true), 32);
	vreg tgid = ir_ext(ir, pid, 4, true);
	ir_st(ir, ir_stack(ir, key), 0, 4, tgid);
	ir->loc = (struct loc){ &src, 2, 2 };
	vreg args[] = { ir_map(ir, 3), ir_stack(ir, key) };
	vreg p = ir_call(ir, BPF_FUNC_map_lookup_elem, args, 2, false);
	ir_jcci(ir, CC_NE, p, 0, hit);
	ir_jmp(ir, out);
	ir_label(ir, hit);
	ir_xadd(ir, p, 0, 8, ir_imm(ir, 1));
	ir_label(ir, out);
	ir_ret(ir, ir_imm(ir, 0));
	ir_optimise(ir);
	char *text = text_of(print_ir, ir);
	check_text(__LINE__, text,
		"; t.d:1:1\n\tv1 = call 14() pure\n\tv2 = v1 >>u 32\n\tv4 = stack -8\n\tst4 [v4 + 0] = v2\n"
		"; t.d:2:1\n\tv5 = map 3\n\tv7 = call 1(v5, v4)\n\tif (v7 == 0) goto L2\n\tv8 = 1\n\txadd8 [v7 + 0] += "
		"v8\n"
		"L2:\n\tv9 = 0\n\treturn v9\n");
	free(text);
	struct code code;
	struct report_kept why;
	report_keep(&why);
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == 0, "not emitted");
	text = text_of(print_code, &code);
	check_text(__LINE__, text,
		"0: (85) call bpf_get_current_pid_tgid#14\n1: (77) r0 >>= 32\n2: (63) *(u32 *)(r10 -8) = r0\n"
		"3: (18) r1 = map[fd:0]\n5: (bf) r2 = r10\n6: (07) r2 += -8\n7: (85) call bpf_map_lookup_elem#1\n"
		"8: (15) if r0 == 0x0 goto pc+2\n9: (b7) r5 = 1\n10: (db) lock *(u64 *)(r0 +0) += r5\n11: (b7) r0 = 0\n"
		"12: (95) exit\n");
	free(text);
	CHECK(code.maps.n == 1 && code.maps.v[0].insn == 3 && code.maps.v[0].map == 3 &&
			code.maps.v[0].kind == CODE_MAP,
		"map");
	CHECK(code.lines.n == 2 && code.lines.v[0].insn == 0 && code.lines.v[1].insn == 3 &&
			code.lines.v[1].loc.off == 2,
		"lines: %zu", code.lines.n);
}

/* What the loader writes into the instructions for rings, whatever else is done with them. */
static void test_rings(struct arena *a)
{
	struct ir *ir = ir_new(a);
	vreg cpu = ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true);
	vreg at = ir_wrap(ir, cpu, 5), of = ir_ringof(ir, cpu, 5), sum = ir_alu(ir, ALU_ADD, of, at);
	struct report_kept why;
	struct code code;
	char *text;

	report_keep(&why);
	ir_ret(ir, ir_alu(ir, ALU_ADD, sum, ir_wrap(ir, cpu, 5))); /* the same again */
	ir_optimise(ir);
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == 0, "not emitted");
	text = text_of(print_code, &code);
	check_text(__LINE__, text,
		"0: (85) call bpf_get_smp_processor_id#8\n1: (bf) r5 = r0\n2: (57) r5 &= 0\n3: (a5) if r0 < 0x0 goto "
		"pc+1\n"
		"4: (b7) r0 = 0\n5: (0f) r0 += r5\n6: (0f) r0 += r5\n7: (95) exit\n");
	free(text);
	CHECK(code.maps.n == 2, "%zu", code.maps.n);
	for (size_t i = 0; i < code.maps.n; i++) {
		const struct bpf_insn *in = &code.insns[code.maps.v[i].insn];
		const bool wrap = code.maps.v[i].kind == CODE_WRAP;

		CHECK(code.maps.v[i].map == 5 &&
				in->code == (wrap ? BPF_ALU64 | BPF_AND | BPF_K : BPF_JMP | BPF_JLT | BPF_K),
			"reference %zu", i);
		CHECK(wrap || code.maps.v[i].kind == CODE_RINGS, "reference %zu", i);
	}
}

static void test_disasm(void)
{
#define INSN(c, d, s, o, i)                                                         \
	{                                                                           \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
	}
	static const struct bpf_insn code[] = {
		INSN(0x79, 1, 6, 8, 0),
		INSN(0x7b, 10, 1, -8, 0),
		INSN(0x72, 10, 0, -1, 5),
		INSN(0x0f, 1, 2, 0, 0),
		INSN(0xbc, 1, 2, 0, 0),
		INSN(0xc7, 3, 0, 0, 32),
		INSN(0x87, 4, 0, 0, 0),
		INSN(0xdc, 1, 0, 0, 16),
		INSN(0x65, 1, 0, 4, -1),
		INSN(0x1e, 0, 6, -2, 0),
		INSN(0x05, 0, 0, 7, 0),
		INSN(0x85, 0, 1, 0, 12),
		INSN(0x85, 0, 2, 0, 777),
		INSN(0x85, 0, 0, 0, 100000),
		INSN(0xdb, 1, 2, 8, 0xe1),
		INSN(0xc3, 1, 2, 0, 0xf1),
		INSN(0xdb, 1, 2, 0, 1),
		INSN(0x18, 1, 2, 0, 5),
		INSN(0, 0, 0, 0, 16),
		INSN(0x18, 2, 0, 0, 1),
		INSN(0, 0, 0, 0, 1),
		INSN(0x18, 3, 3, 0, 9),
		INSN(0, 0, 0, 0, 0),
		INSN(0x20, 0, 0, 0, 0),
		INSN(0xf7, 0, 0, 0, 0),
		INSN(0x95, 0, 0, 0, 0),
		INSN(0x18, 1, 0, 0, 0),
	};
#undef INSN
	struct code what = { .n = ROWS(code) };
	struct bpf_insn copy[ROWS(code)];
	memcpy(copy, code, sizeof(code));
	what.insns = copy;
	char *text = text_of(print_code, &what);
	check_text(__LINE__, text,
		"0: (79) r1 = *(u64 *)(r6 +8)\n1: (7b) *(u64 *)(r10 -8) = r1\n2: (72) *(u8 *)(r10 -1) = 5\n3: (0f) r1 "
		"+= r2\n"
		"4: (bc) w1 = w2\n5: (c7) r3 s>>= 32\n6: (87) r4 = -r4\n7: (dc) r1 = be16 r1\n"
		"8: (65) if r1 s> 0xffffffff goto pc+4\n9: (1e) if w0 == w6 goto pc-2\n10: (05) goto pc+7\n"
		"11: (85) call pc+12\n12: (85) call kernel-function#777\n13: (85) call unknown#100000\n"
		"14: (db) r2 = atomic64_xchg((u64 *)(r1 +8), r2)\n15: (c3) r0 = atomic_cmpxchg((u32 *)(r1 +0), r0, "
		"r2)\n"
		"16: (db) r2 = atomic64_fetch_add((u64 *)(r1 +0), r2)\n17: (18) r1 = map[fd:5][0]+16\n"
		"19: (18) r2 = 0x100000001\n21: (18) r3 = ksym[btf:9]\n23: (20) unknown\n24: (f7) unknown\n25: (95) "
		"exit\n"
		"26: (18) unknown\n");
	free(text);
}

#define FAR_LABELS 5
#define FAR_STEPS 80000

/* Jumps over up to 80,000 instructions, to labels that several jumps share, from the start and from the middle. */
static void test_far_jumps(struct arena *a)
{
	static struct sim want;
	struct ir *ir = ir_new(a);
	uint32_t labels[FAR_LABELS];
	vreg x = ir_ld(ir, ir_ctx(ir), 0, 8, false, true), sum = ir_var(ir);

	ir_seti(ir, sum, 0);
	for (unsigned i = 0; i < FAR_LABELS; i++)
		labels[i] = ir_newlabel(ir);
	for (unsigned i = 0; i < FAR_STEPS; i++) {
		if (i % (FAR_STEPS / 20) == 0)
			ir_jcci(ir, CC_EQ, ir_alui(ir, ALU_AND, x, 31), (int32_t)(i / (FAR_STEPS / 20)),
				labels[i / (FAR_STEPS / 20) % FAR_LABELS]);
		ir_set(ir, sum, ir_alui(ir, ALU_ADD, sum, 1));
	}
	for (unsigned i = 0; i < FAR_LABELS; i++) {
		ir_set(ir, sum, ir_alui(ir, ALU_MUL, sum, 3));
		ir_label(ir, labels[i]);
	}
	ir_ret(ir, sum);
	for (uint64_t seed = 0; seed < 22; seed++) {
		struct code code;
		struct report_kept why;
		static struct sim got;
		uint64_t r;
		int err;

		memset(&want, 0, sizeof(want));
		want.ctx[0] = seed;
		got = want;
		r = sim_run_ir(&want, ir);
		report_keep(&why);
		err = ir_emit(ir, ir->arena, &code, &why.reporter);
		CHECK(err == 0, "%s", why.message);
		if (err)
			return;
		CHECK(code.n > FAR_STEPS && sim_run_bpf(&got, code.insns) == r && !got.fault, "x %d: not %llu: %s",
			(int)seed, (unsigned long long)r, got.fault ? got.fault : "");
	}
}

/* Does some path lead to each instruction? All jumps go forward, so one pass finds out. */
static bool all_reached(const struct code *code)
{
	bool *to = calloc(code->n + 1, sizeof(*to)), all = to != NULL;

	for (size_t i = 0; all && i < code->n; i++) {
		const struct bpf_insn *in = &code->insns[i];
		bool jumps = BPF_CLASS(in->code) == BPF_JMP && BPF_OP(in->code) != BPF_CALL;
		bool stays = jumps && (BPF_OP(in->code) == BPF_JA || BPF_OP(in->code) == BPF_EXIT);

		all = i == 0 || to[i];
		if (jumps && BPF_OP(in->code) != BPF_EXIT)
			to[i + 1 + (size_t)in->off] = true;
		to[i + 1] |= !stays;
	}
	free(to);
	return all;
}

/* Stepping stones at each place of an if with an else: the verifier refuses instructions that nothing reaches. */
static void test_far_jumps_reached(struct arena *a)
{
	for (int before = 0; before < 6; before++) {
		struct ir *ir = ir_new(a);
		struct report_kept why;
		struct code code;
		uint32_t far = ir_newlabel(ir);
		vreg x = ir_ld(ir, ir_ctx(ir), 0, 8, false, true), sum = ir_var(ir);
		int err;

		ir_seti(ir, sum, 0);
		ir_jcci(ir, CC_EQ, x, 77, far);
		for (int i = 0; i < before; i++)
			ir_set(ir, sum, ir_alui(ir, ALU_XOR, sum, i + 1));
		for (int i = 0; i < 12000; i++) {
			uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir);

			ir_jcci(ir, CC_EQ, x, i, no);
			ir_set(ir, sum, ir_alui(ir, ALU_ADD, sum, 1));
			ir_jmp(ir, end);
			ir_label(ir, no);
			ir_set(ir, sum, ir_alui(ir, ALU_MUL, sum, 3));
			ir_label(ir, end);
		}
		ir_label(ir, far);
		ir_ret(ir, sum);
		report_keep(&why);
		err = ir_emit(ir, ir->arena, &code, &why.reporter);
		CHECK(!err, "%s", why.message);
		CHECK(err || (code.n > 36000 && all_reached(&code)), "%d before: an instruction that nothing reaches",
			before);
	}
}

static void test_refusals(struct arena *a)
{
	struct code code;
	struct report_kept why;
	report_keep(&why);
	struct ir *ir = ir_new(a);
	ir_stack_alloc(ir, 500);
	ir_ret(ir, ir_imm(ir, 0));
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == 0, "%s", why.message);
	ir_stack_alloc(ir, 16);
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == -E2BIG && strstr(why.message, "stack"),
		"520 bytes of stack");

	ir = ir_new(a); /* a library function takes a frame of its own */
	int32_t s = ir_stack_alloc(ir, 488);
	vreg args[] = { ir_stack(ir, s), ir_imm(ir, 8) };
	ir_ret(ir, ir_lib(ir, LIB_str_len, args, 2));
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == -E2BIG && strstr(why.message, "stack"),
		"488 bytes and a call");

	ir = ir_new(a);
	ir_sti(ir, ir_ctx(ir), 40000, 8, 1);
	ir_ret(ir, ir_ctx(ir));
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == -E2BIG && strstr(why.message, "offset"),
		"an offset of 40000");

	ir = ir_new(a);
	ir_sti(ir, ir_ctx(ir), 0, 8, 1);
	CHECK(ir_emit(ir, ir->arena, &code, &why.reporter) == -EINVAL && strstr(why.message, "return"),
		"a program without an end");
}

/* ---- guarded calls ----------------------------------------------------------------------------------------------- */
#define GUARD_KEPT 6

/* Adds up words of the context that are loaded before a call that uses R6-R9 and stack of its own. */
static struct ir *guard_program(struct arena *a, enum ir_guard guard)
{
	struct ir *ir = ir_new(a);
	int32_t at = ir_stack_alloc(ir, 24);
	vreg kept[GUARD_KEPT], sum;

	ir->guard = guard;
	for (int32_t i = 0; i < 24; i += 8)
		ir_sti(ir, ir_stack(ir, at), i, 8, 0);
	for (int32_t i = 0; i < GUARD_KEPT; i++)
		kept[i] = ir_ld(ir, ir_ctx(ir), 8 * i, 8, false, false);
	sum = ir_lib(ir, LIB_tstr_text, (vreg[]){ ir_stack(ir, at), ir_mapval(ir, 0, 256) }, 2);
	for (unsigned i = 0; i < GUARD_KEPT; i++)
		sum = ir_alu(ir, ALU_ADD, sum, kept[i]);
	sum = ir_alu(ir, ALU_ADD, sum, ir_ld(ir, ir_stack(ir, at), 16, 8, false, false));
	ir_ret(ir, sum);
	return ir;
}

/* The program's own stores and loads through R10, before the functions of the library. */
static bool is_frame_access(const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code);

	return class == BPF_LDX ? in->src_reg == BPF_REG_10
				: (class == BPF_STX || class == BPF_ST) && in->dst_reg == BPF_REG_10;
}

/* What the program knows is out of the function's reach: R6-R9 hold the frame pointer at the call, and what it has on
 * the stack is below the deepest place of the function (24 bytes of tstr_text()). */
static void check_guarded(const struct code *code)
{
	unsigned kept = 0, restored = 0, call = 0, end = 0;

	while (code->insns[end].code != (BPF_JMP | BPF_EXIT))
		end++;
	while (code->insns[call].code != (BPF_JMP | BPF_CALL))
		call++;
	for (unsigned i = 0; i < end; i++) {
		const struct bpf_insn *in = &code->insns[i];

		CHECK(!is_frame_access(in) || in->off < -24, "instruction %u is at %d", i, in->off);
		if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && in->src_reg == BPF_REG_10 && in->dst_reg >= BPF_REG_6)
			kept++;
		restored += i > call && i <= call + 4 && in->code == (BPF_LDX | BPF_DW | BPF_MEM) &&
			in->src_reg == BPF_REG_10 && in->dst_reg >= BPF_REG_6;
	}
	CHECK(kept == 4 && restored == 4, "%u saved, %u restored", kept, restored);
}

static void test_guards(struct arena *a)
{
	static const enum ir_guard guards[] = { GUARD_NONE, GUARD_LOCAL, GUARD_ALL };
	static struct sim want, got;
	struct code code[ROWS(guards)];
	struct report_kept why;

	report_keep(&why);
	for (size_t i = 0; i < ROWS(guards); i++) {
		struct ir *ir = guard_program(a, guards[i]);
		uint64_t result = expect(&want, ir, 7);

		CHECK(ir_emit(ir, a, &code[i], &why.reporter) == 0, "%s", why.message);
		fill(&got, 7);
		CHECK(sim_run_bpf(&got, code[i].insns) == result && !got.fault, "guard %zu: %s", i,
			got.fault ? got.fault : "another result");
	}
	check_guarded(&code[1]); /* there is room */
	check_guarded(&code[2]);
	CHECK(code[1].n > code[0].n && code[0].stack < code[2].stack, "without guards %zu instructions, with them %zu",
		code[0].n, code[1].n);
}

/* ---- the library functions --------------------------------------------------------------------------------------- */
#define TEXT_SIZE 48 /* what tstr_text() fills */
#define OUT 256      /* where in the map's value text and second strings stand */
#define RESULT 768

/* value: tstr or string at 0, string or text at OUT, result at RESULT. */
static struct ir *lib_program(struct arena *a, enum bpflib fn, int32_t size)
{
	struct ir *ir = ir_new(a);
	vreg args[] = { ir_mapval(ir, 0, 0), ir_mapval(ir, 0, OUT), ir_imm(ir, size) };
	vreg two[] = { args[0], args[2] };
	vreg r = fn == LIB_str_len ? ir_lib(ir, fn, two, 2) : ir_lib(ir, fn, args, fn == LIB_tstr_text ? 2 : 3);
	ir_st(ir, ir_mapval(ir, 0, RESULT), 0, 8, r);
	ir_ret(ir, ir_imm(ir, 0));
	ir_optimise(ir);
	return ir;
}

/* How a program is run: by the BPF machine here, or by the kernel. */
struct runner {
	struct arena *arena;
	int map; /* -1: here */
	int prog;
	struct code code;
	struct sim sim;
};

static char verifier_log[1 << 20];

/* The instruction count that the verifier reports, or 0. */
static unsigned verifier_cost(void)
{
	const char *at = strstr(verifier_log, "processed ");
	return at ? (unsigned)strtoul(at + strlen("processed "), NULL, 10) : 0;
}

static bool runner_load(struct runner *r, const struct ir *ir, unsigned max_cost, const char *what)
{
	struct report_kept why;
	report_keep(&why);
	int err = ir_emit(ir, ir->arena, &r->code, &why.reporter);
	CHECK(err == 0, "%s: %s", what, why.message);
	if (err || r->map < 0)
		return !err;
	for (size_t i = 0; i < r->code.maps.n; i++)
		r->code.insns[r->code.maps.v[i].insn].imm = r->map;
	struct func_types types = { 0 };
	struct func_table funcs;
	CHECK(func_table_make(&types, &r->code, &funcs) == 0, "%s: no types", what);
	LIBBPF_OPTS(
		bpf_prog_load_opts, opts, .log_buf = verifier_log, .log_size = sizeof(verifier_log), .log_level = 4);
	if (funcs.n) {
		opts.prog_btf_fd = (uint32_t)types.btf;
		opts.func_info = funcs.v;
		opts.func_info_cnt = funcs.n;
		opts.func_info_rec_size = sizeof(*funcs.v);
	}
	verifier_log[0] = 0;
	r->prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "t", "GPL", r->code.insns, r->code.n, &opts);
	if (r->prog < 0) { /* once more, for the reason */
		opts.log_level = 1;
		bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "t", "GPL", r->code.insns, r->code.n, &opts);
	}
	func_table_free(&funcs);
	func_types_free(&types);
	CHECK(r->prog >= 0, "%s: not loaded: %s", what, verifier_log);
	CHECK(r->prog < 0 || verifier_cost() <= max_cost, "%s: the verifier walked %u instructions", what,
		verifier_cost());
	return r->prog >= 0;
}

static void runner_close(struct runner *r)
{
	if (r->map >= 0)
		close(r->prog);
}

/* Runs on r->sim's memory. */
static uint32_t runner_run(struct runner *r)
{
	uint32_t key = 0;
	if (r->map < 0) {
		uint64_t result = sim_run_bpf(&r->sim, r->code.insns);
		CHECK(!r->sim.fault, "%s", r->sim.fault);
		return (uint32_t)result;
	}
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = r->sim.ctx, .ctx_size_in = sizeof(r->sim.ctx));
	int err = bpf_map_update_elem(r->map, &key, r->sim.value, 0);
	if (!err)
		err = bpf_prog_test_run_opts(r->prog, &opts);
	if (!err)
		err = bpf_map_lookup_elem(r->map, &key, r->sim.value);
	CHECK(!err, "cannot run: %s", strerror(-err));
	return opts.retval;
}

/* Text of an address by the rules of RFC 5952, with IPv4 addresses below ::/96 as inet_ntop() has them. */
static void text_ip6(const uint8_t *b, char *out)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }, compatible[12];
	size_t best = 8, best_len = 1;
	if (memcmp(b, mapped, 12) == 0) {
		sprintf(out, "::ffff:%u.%u.%u.%u", b[12], b[13], b[14], b[15]);
		return;
	}
	if (memcmp(b, compatible, 12) == 0 && (b[12] || b[13])) {
		sprintf(out, "::%u.%u.%u.%u", b[12], b[13], b[14], b[15]);
		return;
	}
	for (size_t i = 0; i < 8; i++) {
		size_t n = 0;
		while (i + n < 8 && !b[2 * (i + n)] && !b[2 * (i + n) + 1])
			n++;
		if (n > best_len) {
			best = i;
			best_len = n;
		}
	}
	*out = 0;
	for (size_t i = 0; i < 8; i++) {
		if (i == best) {
			out += sprintf(out, "::");
			i += best_len - 1;
			continue;
		}
		out += sprintf(out, "%s%x", i && i != best + best_len ? ":" : "", b[2 * i] << 8 | b[2 * i + 1]);
	}
}

static void check_address(struct runner *r, uint32_t tag, const uint8_t *b)
{
	char want[TEXT_SIZE] = "", system[TEXT_SIZE] = "";
	if (tag == DW_STR_IP4)
		inet_ntop(AF_INET, b, want, sizeof(want));
	if (tag == DW_STR_IP6) {
		text_ip6(b, want);
		inet_ntop(AF_INET6, b, system, sizeof(system));
		CHECK(strcmp(want, system) == 0, "the test is wrong: %s, %s", want, system);
	}
	struct dw_tstr s = { .tag = tag };
	memcpy(s.b, b, 16);
	memset(r->sim.value, 0x55, SIM_VALUE);
	memcpy(r->sim.value, &s, sizeof(s));
	runner_run(r);
	uint64_t len;
	memcpy(&len, r->sim.value + RESULT, 8);
	CHECK(len == strlen(want) && memcmp(r->sim.value + OUT, want, TEXT_SIZE) == 0,
		"tag %u: %.64s (%llu), expected %s", tag, (const char *)r->sim.value + OUT, (unsigned long long)len,
		want);
	CHECK(r->sim.value[OUT + TEXT_SIZE] == 0x55, "wrote past the end");
}

static void test_tstr_text(struct runner *r)
{
	struct gen g = { .seed = 99 };
	static const uint16_t groups[] = { 0, 1, 0xa, 0x10, 0xff, 0x100, 0xabc, 0x1000, 0xffff, 0x9a0f };
	if (!runner_load(r, lib_program(r->arena, LIB_tstr_text, TEXT_SIZE), 3000, "tstr_text"))
		return;
	uint8_t b[16];
	for (unsigned mask = 0; mask < 256; mask++) { /* every pattern of zero groups */
		for (size_t i = 0; i < 8; i++) {
			unsigned v = mask >> i & 1 ? groups[1 + rnd(&g, ROWS(groups) - 1)] : 0;
			b[2 * i] = (uint8_t)(v >> 8);
			b[2 * i + 1] = (uint8_t)v;
		}
		check_address(r, DW_STR_IP6, b);
	}
	for (unsigned i = 0; i < 300; i++) {
		memset(b, 0, sizeof(b));
		for (unsigned k = 0; k < 16; k++)
			b[k] = rnd(&g, 3) ? (uint8_t)rnd(&g, 256) : (uint8_t)rnd(&g, 12);
		if (i < 100) {
			memset(b, 0, 10);
			b[10] = b[11] = i % 3 ? 0xff : 0;
		}
		check_address(r, DW_STR_IP6, b);
		memset(b + 4, 0, 12);
		check_address(r, DW_STR_IP4, b);
	}
	check_address(r, DW_STR_NONE, b);
	runner_close(r);
}

static void test_strings(struct runner *r, int32_t size)
{
	static const char *const words[] = { "", "a", "b", "ab", "abc", "abd", "\xff", "\x7f", "a\xff",
		"zzzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzzy" };
	if (!runner_load(r, lib_program(r->arena, LIB_str_cmp, size), 20u * (unsigned)size + 200, "str_cmp"))
		return;
	for (unsigned i = 0; i < ROWS(words) * ROWS(words); i++) {
		const char *a = words[i / ROWS(words)], *b = words[i % ROWS(words)];
		memset(r->sim.value, 0, SIM_VALUE);
		strcpy((char *)r->sim.value, a);
		strcpy((char *)r->sim.value + OUT, b);
		runner_run(r);
		int64_t got;
		memcpy(&got, r->sim.value + RESULT, 8);
		int want = strncmp(a, b, (size_t)size);
		CHECK(got == (want > 0) - (want < 0), "\"%s\" \"%s\" %d: %lld", a, b, size, (long long)got);
	}
	runner_close(r);
	if (!runner_load(r, lib_program(r->arena, LIB_str_len, size), 12u * (unsigned)size + 200, "str_len"))
		return;
	for (unsigned n = 0; n <= 256; n += n < 20 ? 1 : 59) {
		memset(r->sim.value, 0, SIM_VALUE);
		memset(r->sim.value, 'x', n);
		runner_run(r);
		uint64_t got;
		memcpy(&got, r->sim.value + RESULT, 8);
		CHECK(got == (n < (unsigned)size ? n : (unsigned)size), "length %u of %d: %llu", n, size,
			(unsigned long long)got);
	}
	runner_close(r);
}

static void test_lib(struct runner *r)
{
	test_tstr_text(r);
	test_strings(r, 16);
	test_strings(r, 256);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */
static void check_in_kernel(
	struct runner *r, const struct ir *ir, const struct sim *want, uint64_t result, uint64_t seed)
{
	char what[32];
	snprintf(what, sizeof(what), "seed %llu", (unsigned long long)seed);
	fill(&r->sim, seed);
	if (!runner_load(r, ir, 200000, what))
		return;
	uint32_t got = runner_run(r);
	CHECK(got == (uint32_t)result && memcmp(r->sim.value, want->value, SIM_VALUE) == 0, "%s: %x, expected %x", what,
		got, (uint32_t)result);
	runner_close(r);
}

static void test_random_in_kernel(struct runner *r, uint64_t first_seed, unsigned n)
{
	static struct sim want;
	for (uint64_t seed = first_seed; seed < first_seed + n; seed++) {
		r->arena = arena_new();
		struct ir *ir = random_program(r->arena, seed, true, 8 + (unsigned)(seed % 40));
		uint64_t result = expect(&want, ir, seed);
		check_in_kernel(r, ir, &want, result, seed);
		ir_optimise(ir);
		check_in_kernel(r, ir, &want, result, seed);
		arena_free(r->arena);
	}
}

/* A pointer that may be null is checked while its spilled copies wait: the verifier must see through that. Library
 * functions get stack memory; text goes to a buffer of 256 bytes and its length is used as an offset. */
static void test_pointers_in_kernel(struct runner *r)
{
	struct ir *ir = ir_new(r->arena);
	uint32_t null = ir_newlabel(ir), far = ir_newlabel(ir);
	int32_t key = ir_stack_alloc(ir, 8), s = ir_stack_alloc(ir, 24), text = ir_stack_alloc(ir, 48);
	vreg p[8], ctx = ir_ctx(ir);
	for (unsigned i = 0; i < ROWS(p); i++) {
		ir_sti(ir, ir_stack(ir, key), 0, 4, 0);
		vreg args[] = { ir_map(ir, 0), ir_stack(ir, key) };
		p[i] = ir_call(ir, BPF_FUNC_map_lookup_elem, args, 2, false);
	}
	vreg sum = ir_ld(ir, ctx, 0, 8, false, true);
	for (unsigned i = 0; i < ROWS(p); i++) {
		ir_jcci(ir, CC_EQ, p[i], 0, null);
		vreg w = ir_ld(ir, p[i], 8 * (int32_t)i, 8, false, false);
		ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, false);
		sum = ir_alu(ir, ALU_ADD, sum, w);
		ir_st(ir, p[i], 8 * (int32_t)i, 8, sum);
	}
	for (int32_t i = 0; i < 24; i += 4)
		ir_sti(ir, ir_stack(ir, s), i, 4, i ? 0x01020304 : DW_STR_IP6);
	vreg args[] = { ir_stack(ir, s), ir_stack(ir, text) };
	vreg len = ir_lib(ir, LIB_tstr_text, args, 2);
	ir_jcci(ir, CC_UGT, len, 45, far);
	vreg at = ir_alu(ir, ALU_ADD, ir_stack(ir, text), len);
	ir_st(ir, at, 0, 1, ir_imm(ir, '!'));
	ir_label(ir, far);
	ir_st(ir, p[0], 128, 8, len);
	ir_st(ir, p[0], 136, 8, ir_ld(ir, ir_stack(ir, text), 24, 8, false, false));
	ir_label(ir, null);
	ir_ret(ir, sum);
	for (unsigned optimised = 0; optimised < 2; optimised++) {
		if (!runner_load(r, ir, 4000, "pointers"))
			return;
		memset(&r->sim, 0, sizeof(r->sim));
		r->sim.ctx[0] = 100;
		for (size_t i = 0; i < 8; i++)
			r->sim.value[8 * i] = (unsigned char)(i + 1);
		CHECK(runner_run(r) == 136, "wrong sum");
		CHECK(r->sim.value[56] == 136 && r->sim.value[128] == 31, "wrong values");
		CHECK(memcmp(r->sim.value + 136, "403:201!", 8) == 0, "text: %.8s", (const char *)r->sim.value + 136);
		runner_close(r);
		ir_optimise(ir);
	}
}

static void test_kernel(uint64_t seed)
{
	static struct runner r;
	r.map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "t", 4, SIM_VALUE, 1, NULL);
	if (geteuid() != 0 || r.map < 0) {
		printf("not root: nothing was run in the kernel\n");
		return;
	}
	r.arena = arena_new();
	test_lib(&r);
	test_pointers_in_kernel(&r);
	arena_free(r.arena);
	test_random_in_kernel(&r, seed, 300);
	close(r.map);
}

int main(void)
{
	static void (*const cases[])(struct arena *) = { test_operands, test_elements, test_quotient, test_addresses,
		test_dominance, test_checks, test_sure, test_threading, test_threading_copies, test_threading_facts,
		test_bits, test_final_variables, test_variables, test_counting, test_far_jumps, test_far_jumps_reached,
		test_refusals, test_guards, test_rings };
	static struct runner here;
	const char *text = getenv("DWIRE_TEST_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
	for (unsigned i = 0; i < ROWS(cases); i++) {
		struct arena *a = arena_new();
		cases[i](a);
		arena_free(a);
	}
	test_disasm();
	here.map = -1;
	here.arena = arena_new();
	test_lib(&here);
	arena_free(here.arena);
	test_random(seed, 3000);
	test_kernel(seed);
	return unit_end();
}
