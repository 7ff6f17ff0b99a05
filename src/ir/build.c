/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build: appends IR instructions.
 * Input: operands, which are registers defined earlier, and constants. Output: the register of the result.
 * Invariant: every operand and label exists. Assertions check this, so a mistake in the lowering fails where it is
 * made. */
#include <assert.h>
#include <linux/bpf.h>
#include <string.h>

#include "ir/ir.h"

struct ir *ir_new(struct arena *a)
{
	struct ir *ir = ARENA_NEW(a, struct ir);
	ir->arena = a;
	*vec_push(a, &ir->is_var) = false; /* register 0 is none */
	return ir;
}

/* Registers are numbered from 1; 0 means "no operand". */
static vreg new_vreg(struct ir *ir, bool var)
{
	*vec_push(ir->arena, &ir->is_var) = var;
	return ++ir->nvregs;
}

/* Appends an instruction with the current position and quiet flag. The pointer is valid until the next push. */
static struct ir_insn *push(struct ir *ir, enum ir_op op)
{
	struct ir_insn *in = vec_push(ir->arena, &ir->code);
	in->op = (uint8_t)op;
	in->size = 8;
	in->loc = ir->loc;
	in->quiet = ir->quiet;
	return in;
}

/* As push(), with a new register for the result. Check operands before: afterwards the new register would pass, too. */
static struct ir_insn *push_def(struct ir *ir, enum ir_op op)
{
	vreg d = new_vreg(ir, false);
	struct ir_insn *in = push(ir, op);
	in->d = d;
	return in;
}

/* Operands must have been defined before. */
static vreg valid(const struct ir *ir, vreg v)
{
	assert(v != 0 && v <= ir->nvregs);
	return v;
}

static uint8_t valid_size(unsigned size)
{
	assert(size == 1 || size == 2 || size == 4 || size == 8);
	return (uint8_t)size;
}

static int64_t valid_label(const struct ir *ir, uint32_t label)
{
	assert(label != 0 && label <= ir->nlabels);
	return label;
}

/* A register that may be set on several paths. */
vreg ir_var(struct ir *ir)
{
	return new_vreg(ir, true);
}

/* Constants are shared by the optimiser, so each use may make its own. */
vreg ir_imm(struct ir *ir, int64_t v)
{
	struct ir_insn *in = push_def(ir, IR_IMM);
	in->imm = v;
	return in->d;
}

bool ir_constant(const struct ir *ir, vreg v, int64_t *c)
{
	for (size_t i = ir->code.n; i-- > 0;) {
		const struct ir_insn *in = &ir->code.v[i];

		if (in->d != v)
			continue;
		*c = in->imm;
		return in->op == IR_IMM;
	}
	return false;
}

vreg ir_mov(struct ir *ir, vreg a)
{
	valid(ir, a);
	struct ir_insn *in = push_def(ir, IR_MOV);
	in->a = a;
	return in->d;
}

/* Only variables can be set again; all other registers are defined once. */
void ir_set(struct ir *ir, vreg var, vreg a)
{
	assert(ir->is_var.v[valid(ir, var)]);
	struct ir_insn *in = push(ir, IR_MOV);
	in->d = var;
	in->a = valid(ir, a);
}

void ir_seti(struct ir *ir, vreg var, int64_t v)
{
	ir_set(ir, var, ir_imm(ir, v));
}

/* Loads size (1, 2, 4 or 8) bytes. pure: the memory does not change during the program, so equal loads may be
 * shared. */
vreg ir_ld(struct ir *ir, vreg base, int32_t off, unsigned size, bool sx, bool pure)
{
	valid(ir, base);
	struct ir_insn *in = push_def(ir, IR_LD);
	in->a = base;
	in->off = off;
	in->size = valid_size(size);
	in->sx = sx && size < 8;
	in->pure = pure;
	return in->d;
}

/* Stores the low size bytes. */
void ir_st(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value)
{
	struct ir_insn *in = push(ir, IR_ST);
	in->a = valid(ir, base);
	in->b = valid(ir, value);
	in->off = off;
	in->size = valid_size(size);
}

void ir_sti(struct ir *ir, vreg base, int32_t off, unsigned size, int32_t value)
{
	struct ir_insn *in = push(ir, IR_STI);
	in->a = valid(ir, base);
	in->imm = value;
	in->off = off;
	in->size = valid_size(size);
}

vreg ir_alu(struct ir *ir, enum ir_alu op, vreg a, vreg b)
{
	valid(ir, a);
	valid(ir, b);
	struct ir_insn *in = push_def(ir, IR_ALU);
	in->sub = (uint8_t)op;
	in->a = a;
	in->b = b;
	return in->d;
}

/* The constant is an immediate of the instruction: 32 bits, sign-extended. */
vreg ir_alui(struct ir *ir, enum ir_alu op, vreg a, int32_t imm)
{
	valid(ir, a);
	struct ir_insn *in = push_def(ir, IR_ALUI);
	in->sub = (uint8_t)op;
	in->a = a;
	in->imm = imm;
	return in->d;
}

vreg ir_neg(struct ir *ir, vreg a)
{
	valid(ir, a);
	struct ir_insn *in = push_def(ir, IR_NEG);
	in->a = a;
	return in->d;
}

/* Extends the low size bytes of a to 64 bits. With size 8 it returns a itself. */
vreg ir_ext(struct ir *ir, vreg a, unsigned size, bool sx)
{
	valid(ir, a);
	if (valid_size(size) == 8)
		return a;
	struct ir_insn *in = push_def(ir, IR_EXT);
	in->a = a;
	in->size = (uint8_t)size;
	in->sx = sx;
	return in->d;
}

/* Swaps size bytes between host and network order and zero-extends the result. */
vreg ir_be(struct ir *ir, vreg a, unsigned size)
{
	valid(ir, a);
	if (size == 1)
		return ir_ext(ir, a, 1, false);
	struct ir_insn *in = push_def(ir, IR_BE);
	in->a = a;
	in->size = valid_size(size);
	return in->d;
}

vreg ir_number(struct ir *ir, vreg a)
{
	return ir_be(ir, ir_be(ir, a, 8), 8);
}

static vreg push_ring(struct ir *ir, enum ir_op op, vreg a, uint32_t map)
{
	valid(ir, a);
	struct ir_insn *in = push_def(ir, op);
	in->a = a;
	in->imm = map;
	return in->d;
}

/* The loader knows how large the rings are, and how many. */
vreg ir_wrap(struct ir *ir, vreg a, uint32_t map)
{
	return push_ring(ir, IR_WRAP, a, map);
}

vreg ir_ringof(struct ir *ir, vreg cpu, uint32_t map)
{
	return push_ring(ir, IR_RINGOF, cpu, map);
}

vreg ir_ctx(struct ir *ir)
{
	return push_def(ir, IR_CTX)->d;
}

vreg ir_map(struct ir *ir, uint32_t map)
{
	struct ir_insn *in = push_def(ir, IR_MAP);
	in->imm = map;
	return in->d;
}

/* The address of the only value of an array map, plus an offset. */
vreg ir_mapval(struct ir *ir, uint32_t map, int32_t off)
{
	struct ir_insn *in = push_def(ir, IR_MAPVAL);
	in->imm = map;
	in->off = off;
	return in->d;
}

/* off is relative to the frame pointer, so it is negative: ir_stack_alloc() returns such offsets. */
vreg ir_stack(struct ir *ir, int32_t off)
{
	assert(off <= 0);
	struct ir_insn *in = push_def(ir, IR_STACK);
	in->off = off;
	return in->d;
}

/* The address of a kernel variable by its BTF id. */
vreg ir_ksym(struct ir *ir, uint32_t btf_id)
{
	struct ir_insn *in = push_def(ir, IR_KSYM);
	in->imm = btf_id;
	return in->d;
}

/* The number of this instruction in the program. It is fresh: the optimiser must not share two of them. */
vreg ir_pc(struct ir *ir)
{
	struct ir_insn *in = push_def(ir, IR_PC);
	in->fresh = true;
	return in->d;
}

/* BPF passes at most five arguments, in R1 to R5. */
static vreg push_call(struct ir *ir, enum ir_op op, int64_t what, const vreg *args, unsigned nargs, bool pure)
{
	assert(nargs <= 5);
	for (unsigned i = 0; i < nargs; i++)
		valid(ir, args[i]);
	struct ir_insn *in = push_def(ir, op);
	in->imm = what;
	in->nargs = (uint8_t)nargs;
	in->pure = pure;
	if (nargs)
		memcpy(in->args, args, nargs * sizeof(*args));
	return in->d;
}

/* Calls a helper by its number. pure: equal calls have equal results within a run, so they may be shared or dropped. */
vreg ir_call(struct ir *ir, int helper, const vreg *args, unsigned nargs, bool pure)
{
	return push_call(ir, IR_CALL, helper, args, nargs, pure);
}

vreg ir_find(struct ir *ir, vreg map, vreg key, vreg word, int32_t changes)
{
	vreg d = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ map, key }, 2, true);
	struct ir_insn *in = &ir->code.v[ir->code.n - 1];

	in->a = word;
	in->off = changes;
	return d;
}

vreg ir_kfunc(struct ir *ir, uint32_t btf_id, const vreg *args, unsigned nargs, bool pure)
{
	return push_call(ir, IR_KFUNC, btf_id, args, nargs, pure);
}

/* v must be the result of the last instruction: the flag belongs to the instruction, not to the register. */
vreg ir_nonzero(struct ir *ir, vreg v)
{
	struct ir_insn *last = &ir->code.v[ir->code.n - 1];
	assert(last->d == v);
	last->nonzero = true;
	return v;
}

vreg ir_sure(struct ir *ir, vreg v)
{
	return ir_nonzero(ir, ir_mov(ir, v));
}

/* Calls a function of bpf/lib.bpf.c. The emitter appends its code to the program. */
vreg ir_lib(struct ir *ir, enum bpflib fn, const vreg *args, unsigned nargs)
{
	static const unsigned arity[] = {
#define X(n, a) a,
		BPFLIB(X)
#undef X
	};
	assert(fn < LIB_COUNT && arity[fn] == nargs);
	return push_call(ir, IR_LIB, (int64_t)fn, args, nargs, false);
}

vreg ir_lib_find(struct ir *ir, enum bpflib fn, const vreg *args, unsigned nargs, int32_t changes)
{
	vreg d = ir_lib(ir, fn, args, nargs);
	struct ir_insn *in = &ir->code.v[ir->code.n - 1];

	in->pure = true;
	in->off = changes;
	return d;
}

/* Labels are numbered from 1; each is placed once by ir_label(). */
uint32_t ir_newlabel(struct ir *ir)
{
	return ++ir->nlabels;
}

void ir_label(struct ir *ir, uint32_t label)
{
	push(ir, IR_LABEL)->imm = valid_label(ir, label);
}

void ir_jmp(struct ir *ir, uint32_t label)
{
	push(ir, IR_JMP)->imm = valid_label(ir, label);
}

void ir_jcc(struct ir *ir, enum ir_cc cc, vreg a, vreg b, uint32_t label)
{
	struct ir_insn *in = push(ir, IR_JCC);
	in->sub = (uint8_t)cc;
	in->a = valid(ir, a);
	in->b = valid(ir, b);
	in->imm = valid_label(ir, label);
}

void ir_jcci(struct ir *ir, enum ir_cc cc, vreg a, int32_t imm, uint32_t label)
{
	struct ir_insn *in = push(ir, IR_JCCI);
	in->sub = (uint8_t)cc;
	in->a = valid(ir, a);
	in->imm2 = imm;
	in->imm = valid_label(ir, label);
}

/* BPF has atomic operations on 4 and 8 bytes only. */
void ir_xadd(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value)
{
	assert(size == 4 || size == 8);
	struct ir_insn *in = push(ir, IR_XADD);
	in->a = valid(ir, base);
	in->b = valid(ir, value);
	in->off = off;
	in->size = (uint8_t)size;
}

/* Atomic instructions that return the old value need Linux 5.12. */
static vreg push_fetch(struct ir *ir, enum ir_op op, vreg base, int32_t off, unsigned size, vreg value)
{
	assert(size == 4 || size == 8);
	valid(ir, base);
	valid(ir, value);
	struct ir_insn *in = push_def(ir, op);
	in->a = base;
	in->b = value;
	in->off = off;
	in->size = (uint8_t)size;
	return in->d;
}

/* Returns the value before the addition. */
vreg ir_fadd(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value)
{
	return push_fetch(ir, IR_FADD, base, off, size, value);
}

/* Returns the old value. */
vreg ir_xchg(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value)
{
	return push_fetch(ir, IR_XCHG, base, off, size, value);
}

/* 8 bytes. Returns the old value: it equals `expected` if and only if `desired` was stored. */
vreg ir_cmpxchg(struct ir *ir, vreg base, int32_t off, vreg expected, vreg desired)
{
	valid(ir, base);
	valid(ir, expected);
	valid(ir, desired);
	struct ir_insn *in = push_def(ir, IR_CMPXCHG);
	in->a = base;
	in->b = expected;
	in->c = desired;
	in->off = off;
	return in->d;
}

void ir_ret(struct ir *ir, vreg a)
{
	push(ir, IR_RET)->a = valid(ir, a);
}

int32_t ir_stack_mark(const struct ir *ir)
{
	return ir->frame;
}

/* Sizes are rounded up to 8 bytes. Release in reverse order, with ir_stack_mark() and ir_stack_release(). */
int32_t ir_stack_alloc(struct ir *ir, uint32_t size)
{
	assert(size <= 1u << 20); /* the emitter refuses what is over 512 */
	ir->frame += (int32_t)((size + 7) & ~7u);
	if (ir->frame > ir->frame_max)
		ir->frame_max = ir->frame;
	return -ir->frame;
}

/* Slots allocated since the mark may be used again. */
void ir_stack_release(struct ir *ir, int32_t mark)
{
	assert(mark >= 0 && mark <= ir->frame);
	ir->frame = mark;
}
