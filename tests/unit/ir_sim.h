/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ir_sim: two small machines for test_ir.c. One runs IR, one runs BPF instructions, both on the same memory, so that
 * what the emitter made can be compared with what it was made from. The BPF machine is strict: reading a register
 * that was not set, or that a call has taken away, is a failure. */
#ifndef DWIRE_TESTS_IR_SIM_H
#define DWIRE_TESTS_IR_SIM_H
#include <endian.h>
#include <linux/bpf.h>
#include <string.h>

#include "ir/ir.h"

#define SIM_VALUE 1024 /* bytes of the only map's value */
#define SIM_CTX 12     /* words of the context */
#define SIM_READ BPF_FUNC_probe_read_kernel

struct sim {
	_Alignas(16) unsigned char stack[3][512]; /* of the program, of a library function, of the body of its loop */
	_Alignas(16) unsigned char value[SIM_VALUE];
	uint64_t ctx[SIM_CTX];
	const char *fault;
};

static inline uint64_t sim_addr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static inline unsigned char *sim_ptr(uint64_t addr)
{
	return (unsigned char *)(uintptr_t)addr; /* NOLINT(performance-no-int-to-ptr) */
}

/* A helper: copies memory, or mixes its arguments so that every one of them and their order matter. */
static inline uint64_t sim_helper(int64_t id, const uint64_t *arg, unsigned n)
{
	if (id == SIM_READ) {
		memcpy(sim_ptr(arg[0]), sim_ptr(arg[2]), arg[1]);
		return 0;
	}
	uint64_t h = (uint64_t)id;
	for (unsigned i = 0; i < n; i++)
		h = (h ^ arg[i]) * 0x9e3779b97f4a7c15ull + (h >> 29);
	return h;
}

static inline uint64_t sim_load(const unsigned char *p, unsigned size)
{
	uint16_t h;
	uint32_t w;
	uint64_t d;
	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&h, p, 2);
		return h;
	case 4:
		memcpy(&w, p, 4);
		return w;
	default:
		memcpy(&d, p, 8);
		return d;
	}
}

static inline void sim_store(unsigned char *p, unsigned size, uint64_t v)
{
	uint8_t b = (uint8_t)v;
	uint16_t h = (uint16_t)v;
	uint32_t w = (uint32_t)v;
	memcpy(p, size == 1 ? (void *)&b : size == 2 ? (void *)&h : size == 4 ? (void *)&w : (void *)&v, size);
}

static inline uint64_t sim_swap(uint64_t v, unsigned bits)
{
	return bits == 16 ? htobe16((uint16_t)v) : bits == 32 ? htobe32((uint32_t)v) : htobe64(v);
}

/* Written apart from src/ir/ops.c on purpose. */
static inline uint64_t sim_alu(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b == 0 ? 0 : a / b;
	case BPF_MOD:
		return b == 0 ? a : a % b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << (b % 64);
	case BPF_RSH:
		return a >> (b % 64);
	case BPF_ARSH:
		return (uint64_t)((int64_t)a >> (b % 64));
	default:
		return b; /* BPF_MOV */
	}
}

static inline bool sim_cond(unsigned op, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSLT:
		return x < y;
	case BPF_JSLE:
		return x <= y;
	case BPF_JSGT:
		return x > y;
	case BPF_JSGE:
		return x >= y;
	case BPF_JSET:
		return (a & b) != 0;
	default:
		return true; /* BPF_JA */
	}
}

/* ---- IR ---------------------------------------------------------------------------------------------------------- */
struct sim_ir {
	struct sim *m;
	const struct ir *ir;
	uint64_t *v; /* by vreg */
};

static const unsigned sim_alu_of[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_MOD, BPF_AND, BPF_OR, BPF_XOR, BPF_LSH,
	BPF_RSH, BPF_ARSH };
static const unsigned sim_cc_of[] = { BPF_JEQ, BPF_JNE, BPF_JLT, BPF_JLE, BPF_JGT, BPF_JGE, BPF_JSLT, BPF_JSLE,
	BPF_JSGT, BPF_JSGE, BPF_JSET };

static inline uint64_t sim_extend(uint64_t v, unsigned size, bool sx)
{
	switch (size) {
	case 1:
		return sx ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return sx ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return sx ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

static inline void sim_ir_memory(struct sim_ir *s, const struct ir_insn *in)
{
	uint64_t *v = s->v;
	unsigned char *p = sim_ptr(v[in->a] + (uint64_t)(int64_t)in->off);
	uint64_t old = in->op == IR_ST || in->op == IR_STI ? 0 : sim_load(p, in->size);
	if (in->op == IR_LD)
		v[in->d] = sim_extend(old, in->size, in->sx);
	else if (in->op == IR_XADD)
		sim_store(p, in->size, old + v[in->b]);
	else if (in->op == IR_STI)
		sim_store(p, in->size, (uint64_t)in->imm);
	else if (in->op == IR_CMPXCHG) {
		if (old == v[in->b])
			sim_store(p, in->size, v[in->c]);
		v[in->d] = old;
	} else {
		sim_store(p, in->size, in->op == IR_FADD ? old + v[in->b] : v[in->b]);
		if (in->op == IR_XCHG || in->op == IR_FADD)
			v[in->d] = old;
	}
}

static inline uint64_t sim_ir_lib(const struct ir_insn *in, const uint64_t *arg)
{
	const char *a = (const char *)sim_ptr(arg[0]), *b = (const char *)sim_ptr(arg[1]);
	if (in->imm == LIB_str_len)
		return strnlen(a, arg[1]);
	int c = strncmp(a, b, arg[2]);
	return (uint64_t)(int64_t)(c < 0 ? -1 : c > 0);
}

/* Instructions that set a register and do nothing else. */
static inline uint64_t sim_ir_value(struct sim_ir *s, const struct ir_insn *in)
{
	const uint64_t *v = s->v;
	uint64_t arg[5] = { 0 };
	for (unsigned i = 0; i < in->nargs; i++)
		arg[i] = v[in->args[i]];
	switch (in->op) {
	case IR_IMM:
		return (uint64_t)in->imm;
	case IR_MOV:
		return v[in->a];
	case IR_ALU:
		return sim_alu(sim_alu_of[in->sub], v[in->a], v[in->b]);
	case IR_ALUI:
		return sim_alu(sim_alu_of[in->sub], v[in->a], (uint64_t)in->imm);
	case IR_NEG:
		return 0 - v[in->a];
	case IR_EXT:
		return sim_extend(v[in->a], in->size, in->sx);
	case IR_BE:
		return sim_swap(v[in->a], 8u * in->size);
	case IR_CTX:
		return sim_addr(s->m->ctx);
	case IR_MAPVAL:
		return sim_addr(s->m->value) + (uint64_t)(int64_t)in->off;
	case IR_STACK:
		return sim_addr(s->m->stack[0] + 512) + (uint64_t)(int64_t)in->off;
	case IR_LIB:
		return sim_ir_lib(in, arg);
	default: /* IR_CALL */
		return sim_helper(in->imm, arg, in->nargs);
	}
}

static inline uint64_t sim_run_ir(struct sim *m, const struct ir *ir)
{
	struct sim_ir s = { .m = m, .ir = ir, .v = ARENA_ARRAY(ir->arena, uint64_t, ir->nvregs + 1) };
	int64_t skip = 0; /* label that is jumped to */
	for (size_t i = 0; i < ir->code.n; i++) {
		const struct ir_insn *in = &ir->code.v[i];
		if (skip && (in->op != IR_LABEL || in->imm != skip))
			continue;
		skip = 0;
		if (in->op == IR_RET)
			return s.v[in->a];
		if (in->op == IR_JMP)
			skip = in->imm;
		else if (in->op == IR_JCC)
			skip = sim_cond(sim_cc_of[in->sub], s.v[in->a], s.v[in->b]) ? in->imm : 0;
		else if (in->op == IR_JCCI)
			skip = sim_cond(sim_cc_of[in->sub], s.v[in->a], (uint64_t)(int64_t)in->imm2) ? in->imm : 0;
		else if (in->op == IR_LD || in->op == IR_ST || in->op == IR_STI || in->op == IR_XADD ||
			in->op == IR_FADD || in->op == IR_XCHG || in->op == IR_CMPXCHG)
			sim_ir_memory(&s, in);
		else if (in->op != IR_LABEL)
			s.v[in->d] = sim_ir_value(&s, in);
	}
	m->fault = "IR: no return";
	return 0;
}

/* ---- BPF --------------------------------------------------------------------------------------------------------- */
struct sim_bpf {
	struct sim *m;
	uint64_t r[11];
	unsigned set; /* registers that may be read */
};

static inline uint64_t sim_read(struct sim_bpf *s, unsigned reg)
{
	if (!(s->set >> reg & 1))
		s->m->fault = "BPF: reads a register that is not set";
	return s->r[reg];
}

static inline void sim_write(struct sim_bpf *s, unsigned reg, uint64_t v)
{
	if (reg == 10)
		s->m->fault = "BPF: writes R10";
	s->r[reg] = v;
	s->set |= 1u << reg;
}

static inline unsigned sim_size(unsigned code)
{
	unsigned bits = code & 0x18;
	return bits == BPF_B ? 1 : bits == BPF_H ? 2 : bits == BPF_W ? 4 : 8;
}

static inline void sim_bpf_alu(struct sim_bpf *s, const struct bpf_insn *in)
{
	unsigned op = in->code & 0xf0;
	bool wide = (in->code & 7) == BPF_ALU64;
	uint64_t src = in->code & BPF_X && op != BPF_END ? sim_read(s, in->src_reg) : (uint64_t)(int64_t)in->imm;
	uint64_t dst = op == BPF_MOV ? 0 : sim_read(s, in->dst_reg), v;
	if (op == BPF_END)
		v = sim_swap(dst, (unsigned)in->imm);
	else if (op == BPF_NEG)
		v = 0 - dst;
	else if (wide)
		v = sim_alu(op, dst, src);
	else if (op == BPF_ARSH)
		v = (uint32_t)((int32_t)dst >> (src % 32));
	else
		v = (uint32_t)sim_alu(op, (uint32_t)dst, op == BPF_LSH || op == BPF_RSH ? src % 32 : (uint32_t)src);
	sim_write(s, in->dst_reg, v);
}

static inline void sim_bpf_store(struct sim_bpf *s, const struct bpf_insn *in)
{
	unsigned size = sim_size(in->code);
	unsigned char *p = sim_ptr(sim_read(s, in->dst_reg) + (uint64_t)(int64_t)in->off);
	if (s->m->fault)
		return;
	if ((in->code & 7) == BPF_ST) {
		sim_store(p, size, (uint64_t)(int64_t)in->imm);
		return;
	}
	uint64_t src = sim_read(s, in->src_reg);
	if ((in->code & 0xe0) != BPF_ATOMIC) {
		sim_store(p, size, src);
		return;
	}
	uint64_t old = sim_load(p, size);
	if (in->imm == BPF_ADD) {
		sim_store(p, size, old + src);
	} else if (in->imm == (BPF_ADD | BPF_FETCH)) {
		sim_store(p, size, old + src);
		sim_write(s, in->src_reg, old);
	} else if (in->imm == BPF_XCHG) {
		sim_store(p, size, src);
		sim_write(s, in->src_reg, old);
	} else if (in->imm == BPF_CMPXCHG) {
		if (old == sim_read(s, 0))
			sim_store(p, size, src);
		sim_write(s, 0, old);
	} else {
		s->m->fault = "BPF: unknown atomic";
	}
}

static inline void sim_bpf_load(struct sim_bpf *s, const struct bpf_insn *in)
{
	uint64_t addr = sim_read(s, in->src_reg) + (uint64_t)(int64_t)in->off;
	if (!s->m->fault)
		sim_write(s, in->dst_reg, sim_load(sim_ptr(addr), sim_size(in->code)));
}

static inline bool sim_bpf_jumps(struct sim_bpf *s, const struct bpf_insn *in)
{
	unsigned op = in->code & 0xf0;
	if (op == BPF_JA)
		return true;
	uint64_t a = sim_read(s, in->dst_reg);
	uint64_t b = in->code & BPF_X ? sim_read(s, in->src_reg) : (uint64_t)(int64_t)in->imm;
	if ((in->code & 7) == BPF_JMP32) {
		bool sx = op == BPF_JSLT || op == BPF_JSLE || op == BPF_JSGT || op == BPF_JSGE;
		a = sim_extend(a, 4, sx);
		b = sim_extend(b, 4, sx);
	}
	return sim_cond(op, a, b);
}

static inline uint64_t sim_bpf_ld64(const struct sim *m, const struct bpf_insn *in)
{
	if (in->src_reg == BPF_PSEUDO_MAP_VALUE)
		return sim_addr(m->value) + (uint64_t)(int64_t)in[1].imm;
	if (in->src_reg == BPF_PSEUDO_FUNC)
		return (uint64_t)(uintptr_t)(in + 1 + in->imm);
	return (uint64_t)(uint32_t)in[1].imm << 32 | (uint32_t)in->imm;
}

/* Runs from code on to its exit. Jumps inside stay inside: gen_lib.py and the emitter see to that. */
static inline uint64_t sim_bpf_go(struct sim_bpf *s, const struct bpf_insn *in, unsigned depth);

/* bpf_loop(n, body, ctx, 0): the number of times that the body ran. */
static inline uint64_t sim_bpf_loop(struct sim_bpf *s, unsigned depth)
{
	const struct bpf_insn *body = (const struct bpf_insn *)(uintptr_t)sim_read(s, 2);
	uint64_t n = sim_read(s, 1), i = 0, stop = 0;
	while (i < n && !stop && !s->m->fault) {
		struct sim_bpf callee = { .m = s->m, .set = 1u << 1 | 1u << 2 | 1u << 10 };
		callee.r[1] = i++;
		callee.r[2] = sim_read(s, 3);
		callee.r[10] = sim_addr(s->m->stack[depth + 1] + 512);
		stop = sim_bpf_go(&callee, body, depth + 1);
	}
	return i;
}

/* A call takes R1-R5 away. A helper of the test reads as many arguments as the last octal digit of its number. */
static inline void sim_bpf_call(struct sim_bpf *s, const struct bpf_insn *at, unsigned depth)
{
	uint64_t result;
	if (at->src_reg == BPF_PSEUDO_CALL && depth == 0) {
		struct sim_bpf callee = *s;
		callee.set = (s->set & 0x3e) | 1u << 10;
		callee.r[10] = sim_addr(s->m->stack[1] + 512);
		result = sim_bpf_go(&callee, at + 1 + at->imm, 1);
	} else if (at->src_reg == 0 && at->imm == BPF_FUNC_loop && depth == 1) {
		result = sim_bpf_loop(s, depth);
	} else {
		unsigned nargs = at->imm == SIM_READ ? 3 : (unsigned)at->imm % 8;
		uint64_t arg[5] = { 0 };
		for (unsigned i = 0; i < nargs; i++)
			arg[i] = sim_read(s, i + 1);
		result = s->m->fault ? 0 : sim_helper(at->imm, arg, nargs);
	}
	s->set &= ~0x3eu;
	sim_write(s, 0, result);
}

static inline uint64_t sim_bpf_go(struct sim_bpf *s, const struct bpf_insn *in, unsigned depth)
{
	for (unsigned steps = 0; steps < 100000 && !s->m->fault; steps++, in++) {
		switch (in->code & 7) {
		case BPF_ALU:
		case BPF_ALU64:
			sim_bpf_alu(s, in);
			break;
		case BPF_LDX:
			sim_bpf_load(s, in);
			break;
		case BPF_ST:
		case BPF_STX:
			sim_bpf_store(s, in);
			break;
		case BPF_LD:
			sim_write(s, in->dst_reg, sim_bpf_ld64(s->m, in));
			in++;
			break;
		default:
			if (in->code == (BPF_JMP | BPF_EXIT))
				return sim_read(s, 0);
			if (in->code == (BPF_JMP | BPF_CALL))
				sim_bpf_call(s, in, depth);
			else if (sim_bpf_jumps(s, in))
				in += in->off;
			break;
		}
	}
	if (!s->m->fault)
		s->m->fault = "BPF: does not end";
	return 0;
}

static inline uint64_t sim_run_bpf(struct sim *m, const struct bpf_insn *code)
{
	struct sim_bpf s = { .m = m, .set = 1u << 1 | 1u << 10 };
	s.r[1] = sim_addr(m->ctx);
	s.r[10] = sim_addr(m->stack[0] + 512);
	return sim_bpf_go(&s, code, 0);
}
#endif
