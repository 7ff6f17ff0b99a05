/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit: turns IR into BPF instructions. Input: IR. Output: struct code. The functions of
 * bpf/lib.bpf.c that the program calls follow it, each once.
 * Invariant: only instructions of BPF's ISA v3, which every kernel from 5.12 on takes. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag/report.h"
#include "ir/ir.h"
#include "ir/ops.h"
#include "ir/regalloc.h"
#include "lib_code.h" /* generated: lib_insns[], lib_funcs[] */

#define MAX_STACK 512

struct fixup {
	uint32_t insn;
	uint32_t target; /* label, or enum bpflib */
};

struct emit {
	struct arena *arena; /* of the result */
	struct ra *ra;       /* with its arena, for what is needed only here */
	struct code *out;
	VEC(struct bpf_insn) code;
	VEC(struct fixup) jumps, calls; /* a jump's target 0: it is aimed already */
	size_t open;                    /* index of the first jump whose label may not have been met yet */
	uint32_t *label_at;             /* by label: its instruction; 0: not met yet */
	uint32_t *stone_at;             /* by label: its last stepping stone, see put_stones() */
	struct loc loc;
	const struct ir_insn *insn; /* of e->ra->code, which is emitted */
	enum ir_guard guard;        /* the calls that are guarded */
	uint32_t guard_regs;        /* registers that they save, as bits */
	int32_t guard_saves;        /* below it the first of these is saved */
	int32_t shift;              /* everything else on the stack is so far below its place */
	const struct reporter *to;
	int err;
};

/* ---- instructions ------------------------------------------------------------------------------------------------ */
/* Adds an instruction and notes the place of the script that it comes from, if that has changed. */
static void put(struct emit *e, unsigned code, unsigned dst, unsigned src, int32_t off, int64_t imm)
{
	const struct code_line *last = e->out->lines.n ? &e->out->lines.v[e->out->lines.n - 1] : NULL;
	if (e->loc.src && (!last || memcmp(&last->loc, &e->loc, sizeof(e->loc)) != 0))
		*vec_push(e->arena, &e->out->lines) = (struct code_line){ .insn = (uint32_t)e->code.n, .loc = e->loc };
	if (off != (int16_t)off && !e->err)
		e->err = report_error(e->to, -E2BIG, D_LIMIT, NULL, "a memory offset is over 32767");
	struct bpf_insn *in = vec_push(e->ra->arena, &e->code);
	in->code = (uint8_t)code;
	in->dst_reg = dst & 15;
	in->src_reg = src & 15;
	in->off = (int16_t)off;
	in->imm = (int32_t)imm;
}

/* Nothing if both are the same register. */
static void put_mov(struct emit *e, unsigned dst, unsigned src)
{
	if (dst != src)
		put(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

/* The two halves of a 64-bit constant or of a reference by src. */
static void put_ld64(struct emit *e, unsigned dst, unsigned src, int64_t imm, int32_t upper)
{
	put(e, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, imm);
	put(e, 0, 0, 0, 0, upper);
}

/* The shortest form: 32 bits sign-extended, 32 bits zero-extended (a 32-bit operation clears the upper half), or two
 * instructions. */
static void put_imm(struct emit *e, unsigned dst, int64_t imm)
{
	if (imm == (int32_t)imm)
		put(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
	else if (imm == (uint32_t)imm)
		put(e, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, imm);
	else
		put_ld64(e, dst, 0, imm, (int32_t)(imm >> 32));
}

/* The loader writes what it knows of the map into the instruction that follows. */
static void note_map(struct emit *e, const struct ir_insn *in, enum code_ref kind)
{
	*vec_push(e->arena, &e->out->maps) =
		(struct code_mapref){ .insn = (uint32_t)e->code.n, .map = (uint32_t)in->imm, .kind = kind };
}

static void put_map(struct emit *e, unsigned dst, const struct ir_insn *in)
{
	bool value = in->op == IR_MAPVAL;

	note_map(e, in, value ? CODE_VALUE : CODE_MAP);
	put_ld64(e, dst, value ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD, 0, value ? in->off : 0);
}

static unsigned size_bits(unsigned size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */
/* The register of a value that has one. Slots and stack objects are addressed by R10. */
static unsigned reg(const struct emit *e, vreg v)
{
	return v == e->ra->fp || v == e->ra->slots ? BPF_REG_10 : e->ra->vals.v[v].reg;
}

/* Of an access to a slot, off is the number of the slot. */
static int32_t mem_off(const struct emit *e, const struct ir_insn *in)
{
	if (in->a == e->ra->slots)
		return e->ra->slot_off[in->off] - e->shift;
	return in->a == e->ra->fp ? in->off - e->shift : in->off;
}

/* Makes a constant or an address in dst. */
static void make_again(struct emit *e, unsigned dst, const struct ir_insn *in)
{
	if (in->op == IR_IMM) {
		put_imm(e, dst, in->imm);
	} else if (in->op == IR_STACK) {
		put_mov(e, dst, BPF_REG_10);
		if (in->off)
			put(e, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, in->off - e->shift);
	} else if (in->op == IR_KSYM) {
		put_ld64(e, dst, BPF_PSEUDO_BTF_ID, in->imm, 0);
	} else {
		put_map(e, dst, in);
	}
}

/* Puts v, wherever it is, in register dst. */
static void fetch(struct emit *e, unsigned dst, vreg v)
{
	const struct ra_val *val = &e->ra->vals.v[v];
	if (val->kind == RA_REG)
		put_mov(e, dst, val->reg);
	else if (val->kind == RA_REMAT)
		make_again(e, dst, val->remat);
	else
		put(e, BPF_LDX | BPF_DW | BPF_MEM, dst, BPF_REG_10, e->ra->slot_off[val->slot] - e->shift, 0);
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */
static unsigned alu_code(enum ir_alu op)
{
	switch (op) {
	case ALU_ADD:
		return BPF_ADD;
	case ALU_SUB:
		return BPF_SUB;
	case ALU_MUL:
		return BPF_MUL;
	case ALU_DIV:
		return BPF_DIV;
	case ALU_MOD:
		return BPF_MOD;
	case ALU_AND:
		return BPF_AND;
	case ALU_OR:
		return BPF_OR;
	case ALU_XOR:
		return BPF_XOR;
	case ALU_SHL:
		return BPF_LSH;
	case ALU_SHR:
		return BPF_RSH;
	case ALU_SAR:
		return BPF_ARSH;
	}
	return BPF_ADD;
}

/* BPF has two operands: d = a op b is a move and d op= b, or only the latter if d is already in place. */
static void emit_alu(struct emit *e, const struct ir_insn *in)
{
	unsigned d = reg(e, in->d), b = reg(e, in->b), code = BPF_ALU64 | BPF_X | alu_code((enum ir_alu)in->sub);
	bool b_in_d = d == b && in->a != in->b;
	if (b_in_d) { /* only where the allocator knows that the operation commutes and a is in a register */
		put(e, code, d, reg(e, in->a), 0, 0);
		return;
	}
	fetch(e, d, in->a);
	put(e, code, d, b, 0, 0);
}

/* D gives 0 for a division by zero and a for a remainder, as BPF does with a register; shifts count modulo 64. */
static void emit_alui(struct emit *e, const struct ir_insn *in)
{
	enum ir_alu op = (enum ir_alu)in->sub;
	unsigned d = reg(e, in->d);
	int64_t imm = in->imm;
	if (imm == 0 && op == ALU_DIV) { /* the verifier refuses division by a constant zero */
		put_imm(e, d, 0);
		return;
	}
	fetch(e, d, in->a);
	if (imm == 0 && op == ALU_MOD)
		return;
	if (op == ALU_SHL || op == ALU_SHR || op == ALU_SAR)
		imm &= 63;
	put(e, BPF_ALU64 | BPF_K | alu_code(op), d, 0, 0, imm);
}

/* Extends the low size bytes; ISA v3 has no instruction that extends a sign (v4 has, from Linux 6.6 on). */
static void shift_pair(struct emit *e, unsigned d, unsigned size, bool sx)
{
	put(e, BPF_ALU64 | BPF_LSH | BPF_K, d, 0, 0, 64 - 8 * (int)size);
	put(e, BPF_ALU64 | BPF_K | (sx ? BPF_ARSH : BPF_RSH), d, 0, 0, 64 - 8 * (int)size);
}

/* Four bytes without a sign need one 32-bit move; one or two a mask. */
static void emit_ext(struct emit *e, const struct ir_insn *in)
{
	unsigned d = reg(e, in->d);
	const struct ra_val *a = &e->ra->vals.v[in->a];
	if (in->size == 4 && !in->sx) {
		if (a->kind != RA_REG)
			fetch(e, d, in->a);
		put(e, BPF_ALU | BPF_MOV | BPF_X, d, a->kind == RA_REG ? a->reg : d, 0, 0);
		return;
	}
	fetch(e, d, in->a);
	if (in->sx)
		shift_pair(e, d, in->size, true);
	else
		put(e, BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, in->size == 1 ? 0xff : 0xffff);
}

static void emit_unary(struct emit *e, const struct ir_insn *in)
{
	unsigned d = reg(e, in->d);
	fetch(e, d, in->a);
	if (in->op == IR_NEG)
		put(e, BPF_ALU64 | BPF_NEG, d, 0, 0, 0);
	else if (in->op == IR_BE)
		put(e, BPF_ALU | BPF_END | BPF_TO_BE, d, 0, 0, 8l * in->size);
}

/* Both write their result over the operand. */
static void emit_ring(struct emit *e, const struct ir_insn *in)
{
	unsigned d = reg(e, in->d);
	bool wrap = in->op == IR_WRAP;

	fetch(e, d, in->a);
	note_map(e, in, wrap ? CODE_WRAP : CODE_RINGS);
	if (wrap) {
		put(e, BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, 0);
		return;
	}
	put(e, BPF_JMP | BPF_JLT | BPF_K, d, 0, 1, 0);
	put_imm(e, d, 0);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
/* Loads extend with zeroes; a sign takes two shifts more. */
static void emit_load(struct emit *e, const struct ir_insn *in)
{
	unsigned d = reg(e, in->d);
	put(e, BPF_LDX | BPF_MEM | size_bits(in->size), d, reg(e, in->a), mem_off(e, in), 0);
	if (in->sx && in->size < 8)
		shift_pair(e, d, in->size, true);
}

static void emit_store(struct emit *e, const struct ir_insn *in)
{
	bool k = in->op == IR_STI;
	put(e, (k ? BPF_ST : BPF_STX) | BPF_MEM | size_bits(in->size), reg(e, in->a), k ? 0 : reg(e, in->b),
		mem_off(e, in), k ? in->imm : 0);
}

/* Those that return the old value: Linux 5.12. Compare-exchange compares with R0 and returns the old value in it. */
static void emit_atomic(struct emit *e, const struct ir_insn *in)
{
	unsigned code = BPF_STX | BPF_ATOMIC | size_bits(in->size), base = reg(e, in->a);
	if (in->op == IR_XADD) {
		put(e, code, base, reg(e, in->b), mem_off(e, in), BPF_ADD);
	} else if (in->op != IR_CMPXCHG) {
		unsigned d = reg(e, in->d);
		fetch(e, d, in->b);
		put(e, code, base, d, mem_off(e, in), in->op == IR_XCHG ? BPF_XCHG : BPF_ADD | BPF_FETCH);
	} else {
		fetch(e, BPF_REG_0, in->b);
		put(e, code, base, reg(e, in->c), mem_off(e, in), BPF_CMPXCHG);
		put_mov(e, reg(e, in->d), BPF_REG_0);
	}
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */
struct move {
	unsigned dst, src;
};

/* Does a move other than i still read register r? */
static bool is_read(const struct move *m, unsigned n, unsigned i, unsigned r)
{
	for (unsigned j = 0; j < n; j++)
		if (j != i && m[j].src == r)
			return true;
	return false;
}

/* Moves that happen at once, in an order that loses nothing. R0 is no destination, so it breaks cycles: when only
 * cycles are left, nothing reads it any more. */
static void parallel_moves(struct emit *e, struct move *m, unsigned n)
{
	while (n) {
		unsigned i = 0;
		while (i < n && is_read(m, n, i, m[i].dst))
			i++;
		if (i < n) {
			put_mov(e, m[i].dst, m[i].src);
			m[i] = m[--n];
			continue;
		}
		unsigned r = m[0].src;
		put_mov(e, BPF_REG_0, r);
		for (i = 0; i < n; i++)
			if (m[i].src == r)
				m[i].src = BPF_REG_0;
	}
}

/* Arguments go to R1-R5: first those that are in registers, all at once, then those that are loaded or made. */
static void emit_args(struct emit *e, const struct ir_insn *in)
{
	struct move moves[5];
	unsigned n = 0;
	for (unsigned i = 0; i < in->nargs; i++) {
		const struct ra_val *v = &e->ra->vals.v[in->args[i]];
		if (v->kind == RA_REG && v->reg != i + 1)
			moves[n++] = (struct move){ .dst = i + 1, .src = v->reg };
	}
	parallel_moves(e, moves, n);
	for (unsigned i = 0; i < in->nargs; i++)
		if (e->ra->vals.v[in->args[i]].kind != RA_REG)
			fetch(e, i + 1, in->args[i]);
}

/* ---- guarded calls ----------------------------------------------------------------------------------------------- */
/* Before Linux 6.5 the verifier may remove code that runs. When it finds that it knows a function's state already, it
 * must note which constants of the callers the known state relied on. It walks back to where they were made, and takes
 * what the function does to its own R6-R9 and to its own stack for the caller's doing. So it stops too early, and later
 * takes a state for known in which the constant is another one. A test of the constant behind the call then seems to
 * have one way only. Functions that the kernel checks alone are not affected, nor are programs without functions.
 *
 * Where the verifier does so, the caller knows nothing at places that the function uses for itself: the caller's part
 * of the stack begins below the deepest frame of what it calls. During a call its R6-R9 are saved there and hold the
 * frame pointer, which is no constant. When they are restored, the verifier knows of them what it knew before. */
static bool is_guarded(const struct emit *e, uint32_t f)
{
	return e->guard == GUARD_ALL || (e->guard == GUARD_LOCAL && !lib_shapes[f].nargs);
}

/* Is a value that is read behind instruction i in register r? */
static bool is_live(const struct emit *e, size_t i, unsigned r)
{
	for (size_t v = 1; v < e->ra->vals.n; v++) {
		const struct ra_val *val = &e->ra->vals.v[v];

		if (val->kind == RA_REG && val->reg == r && val->uses && val->start < 2 * i && val->end > 2 * i + 1)
			return true;
	}
	return false;
}

/* Makes room. A register that is saved must have been set, on every way there. */
static void begin_guards(struct emit *e, enum ir_guard guard)
{
	int32_t frame = 0;

	e->guard = guard;
	e->guard_regs = 0;
	for (size_t i = 0; guard && i < e->ra->code.n; i++) {
		const struct ir_insn *in = &e->ra->code.v[i];

		if (in->op != IR_LIB || !is_guarded(e, (uint32_t)in->imm))
			continue;
		for (unsigned r = BPF_REG_6; r <= BPF_REG_9; r++)
			if (lib_funcs[in->imm].regs >> r & 1 && is_live(e, i, r))
				e->guard_regs |= 1u << r;
		if (lib_funcs[in->imm].frame > frame)
			frame = lib_funcs[in->imm].frame;
	}
	e->guard_saves = -frame;
	e->shift = frame + 8 * __builtin_popcount(e->guard_regs);
}

/* Saves the registers that function f uses and that hold something, or restores them. */
static void put_guards(struct emit *e, uint32_t f, bool before)
{
	size_t at = (size_t)(e->insn - e->ra->code.v);
	int32_t off = e->guard_saves;

	for (unsigned r = BPF_REG_6; r <= BPF_REG_9 && is_guarded(e, f); r++) {
		off -= e->guard_regs >> r & 1 ? 8 : 0;
		if (!(lib_funcs[f].regs >> r & 1) || !is_live(e, at, r))
			continue;
		if (before) {
			put(e, BPF_STX | BPF_DW | BPF_MEM, BPF_REG_10, r, off, 0);
			put_mov(e, r, BPF_REG_10);
		} else {
			put(e, BPF_LDX | BPF_DW | BPF_MEM, r, BPF_REG_10, off, 0);
		}
	}
}

/* A call of a library function is aimed by append_lib(), when the function has a place. */
static void emit_call(struct emit *e, const struct ir_insn *in)
{
	emit_args(e, in);
	if (in->op == IR_LIB)
		put_guards(e, (uint32_t)in->imm, true);
	unsigned src = in->op == IR_CALL ? 0 : in->op == IR_KFUNC ? BPF_PSEUDO_KFUNC_CALL : BPF_PSEUDO_CALL;
	if (in->op == IR_LIB)
		*vec_push(e->ra->arena, &e->calls) =
			(struct fixup){ .insn = (uint32_t)e->code.n, .target = (uint32_t)in->imm };
	put(e, BPF_JMP | BPF_CALL, 0, src, 0, in->op == IR_LIB ? 0 : in->imm);
	if (in->op == IR_LIB)
		put_guards(e, (uint32_t)in->imm, false);
	const struct ra_val *d = &e->ra->vals.v[in->d];
	if (d->uses > 1) /* it is read somewhere */
		put_mov(e, d->reg, BPF_REG_0);
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */
static unsigned cc_code(enum ir_cc cc)
{
	switch (cc) {
	case CC_EQ:
		return BPF_JEQ;
	case CC_NE:
		return BPF_JNE;
	case CC_ULT:
		return BPF_JLT;
	case CC_ULE:
		return BPF_JLE;
	case CC_UGT:
		return BPF_JGT;
	case CC_UGE:
		return BPF_JGE;
	case CC_SLT:
		return BPF_JSLT;
	case CC_SLE:
		return BPF_JSLE;
	case CC_SGT:
		return BPF_JSGT;
	case CC_SGE:
		return BPF_JSGE;
	case CC_SET:
		return BPF_JSET;
	}
	return BPF_JA;
}

/* Forward only: the distance is not known before patch_jumps() or a stepping stone. */
static void emit_jump(struct emit *e, const struct ir_insn *in)
{
	*vec_push(e->ra->arena, &e->jumps) = (struct fixup){ .insn = (uint32_t)e->code.n, .target = (uint32_t)in->imm };
	if (in->op == IR_JMP)
		put(e, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	else if (in->op == IR_JCC)
		put(e, BPF_JMP | BPF_X | cc_code((enum ir_cc)in->sub), reg(e, in->a), reg(e, in->b), 0, 0);
	else
		put(e, BPF_JMP | BPF_K | cc_code((enum ir_cc)in->sub), reg(e, in->a), 0, 0, in->imm2);
}

/* A jump reaches 32767 instructions. One that is about to be too far goes to a stepping stone: another jump to the
 * same label, placed here, which the program itself passes over. All open jumps to a label share one.
 * reached: the program gets here without a jump. If it does not, it needs none over the stones, and the verifier would
 * refuse that as unreachable. */
#define FAR 24000u

static void put_stones(struct emit *e, bool reached)
{
	uint32_t begin = (uint32_t)e->code.n;
	size_t n = e->jumps.n;

	if (reached)
		put(e, BPF_JMP | BPF_JA, 0, 0, 0, 0); /* over them */
	for (size_t i = e->open; i < n; i++) {
		struct fixup *f = &e->jumps.v[i];
		uint32_t label = f->target;

		if (!label || e->label_at[label])
			continue;
		if (e->stone_at[label] < begin) {
			e->stone_at[label] = (uint32_t)e->code.n;
			put(e, BPF_JMP | BPF_JA, 0, 0, 0, 0);
			*vec_push(e->ra->arena, &e->jumps) =
				(struct fixup){ .insn = e->stone_at[label], .target = label };
			f = &e->jumps.v[i];
		}
		e->code.v[f->insn].off = (int16_t)(e->stone_at[label] - f->insn - 1);
		f->target = 0;
	}
	if (reached)
		e->code.v[begin].off = (int16_t)(e->code.n - begin - 1);
	e->open = n;
}

/* Before instruction i of the IR: is the oldest jump whose label was not met yet too old? */
static void check_distance(struct emit *e, size_t i)
{
	uint8_t last = i ? e->ra->code.v[i - 1].op : IR_LABEL;

	while (e->open < e->jumps.n) {
		const struct fixup *f = &e->jumps.v[e->open];

		if (f->target && !e->label_at[f->target])
			break;
		e->open++;
	}
	if (e->open < e->jumps.n && e->code.n - e->jumps.v[e->open].insn > FAR)
		put_stones(e, last != IR_JMP && last != IR_RET);
}

/* Aims the jumps that reach their labels without a stone. */
static int patch_jumps(struct emit *e)
{
	for (size_t i = 0; i < e->jumps.n; i++) {
		const struct fixup *f = &e->jumps.v[i];
		if (!f->target) /* it goes to a stone */
			continue;
		int64_t off = (int64_t)e->label_at[f->target] - (int64_t)f->insn - 1;
		if (off != (int16_t)off)
			return report_error(e->to, -E2BIG, D_LIMIT, NULL, "the program is too long: a jump is too far");
		e->code.v[f->insn].off = (int16_t)off;
	}
	return 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */
/* No default: a new operation must be emitted before this compiles. */
static void emit_insn(struct emit *e, const struct ir_insn *in)
{
	switch ((enum ir_op)in->op) {
	case IR_IMM:
	case IR_MAP:
	case IR_MAPVAL:
	case IR_STACK:
	case IR_KSYM:
		make_again(e, reg(e, in->d), in);
		break;
	case IR_PC:
		put_imm(e, reg(e, in->d), (int64_t)e->code.n);
		break;
	case IR_CTX:
		put_mov(e, reg(e, in->d), BPF_REG_1);
		break;
	case IR_MOV:
		fetch(e, reg(e, in->d), in->a);
		break;
	case IR_LD:
		emit_load(e, in);
		break;
	case IR_ST:
	case IR_STI:
		emit_store(e, in);
		break;
	case IR_ALU:
		emit_alu(e, in);
		break;
	case IR_ALUI:
		emit_alui(e, in);
		break;
	case IR_NEG:
	case IR_BE:
		emit_unary(e, in);
		break;
	case IR_WRAP:
	case IR_RINGOF:
		emit_ring(e, in);
		break;
	case IR_EXT:
		emit_ext(e, in);
		break;
	case IR_CALL:
	case IR_KFUNC:
	case IR_LIB:
		emit_call(e, in);
		break;
	case IR_LABEL:
		e->label_at[in->imm] = (uint32_t)e->code.n;
		break;
	case IR_JMP:
	case IR_JCC:
	case IR_JCCI:
		emit_jump(e, in);
		break;
	case IR_XADD:
	case IR_FADD:
	case IR_XCHG:
	case IR_CMPXCHG:
		emit_atomic(e, in);
		break;
	case IR_RET:
		fetch(e, BPF_REG_0, in->a);
		put(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
		break;
	}
}

/* The functions of the library that the program uses, and where each begins; 0: it is not there. */
struct lib_places {
	uint32_t at[LIB_ALL];
};

static int32_t shape_of(uint32_t f)
{
	return f < LIB_COUNT && lib_shapes[f].nargs ? (int32_t)f : -1;
}

/* Appends function f, and those that it names. */
static void append_func(struct emit *e, struct lib_places *p, uint32_t f)
{
	const struct lib_func *fn = &lib_funcs[f];

	if (p->at[f])
		return;
	p->at[f] = (uint32_t)e->code.n;
	e->out->typed |= shape_of(f) >= 0;
	for (unsigned k = 0; k < fn->n; k++)
		*vec_push(e->ra->arena, &e->code) = lib_insns[fn->start + k];
	for (size_t i = 0; i < sizeof(lib_refs) / sizeof(lib_refs[0]); i++) {
		uint32_t insn = lib_refs[i].insn - fn->start + p->at[f];

		if (lib_refs[i].insn < fn->start || lib_refs[i].insn >= fn->start + fn->n)
			continue;
		if (e->code.v[insn].code != (BPF_JMP | BPF_CALL)) /* the address of a loop's body */
			e->out->typed = e->out->callbacks = true;
		append_func(e, p, lib_refs[i].func);
		e->code.v[insn].imm = (int32_t)(p->at[lib_refs[i].func] - insn - 1);
	}
}

/* For qsort(): the kernel wants functions in ascending order. */
static int by_place(const void *a, const void *b)
{
	const struct code_func *x = a, *y = b;

	return (x->insn > y->insn) - (x->insn < y->insn);
}

/* Appends the library functions that are called and aims the calls at them. Returns the most stack that one needs. */
static int32_t append_lib(struct emit *e)
{
	struct lib_places p = { 0 }; /* the program comes first and is not empty */
	int32_t stack = 0;
	e->loc = (struct loc){ 0 };
	for (size_t i = 0; i < e->calls.n; i++) {
		const struct fixup *f = &e->calls.v[i];

		append_func(e, &p, f->target);
		e->code.v[f->insn].imm = (int32_t)(p.at[f->target] - f->insn - 1);
		if (lib_funcs[f->target].stack > stack)
			stack = lib_funcs[f->target].stack;
	}
	if (!e->calls.n)
		return stack;
	*vec_push(e->arena, &e->out->funcs) = (struct code_func){ 0, -1 };
	for (unsigned i = 0; i < LIB_ALL; i++)
		if (p.at[i])
			*vec_push(e->arena, &e->out->funcs) = (struct code_func){ p.at[i], shape_of(i) };
	qsort(e->out->funcs.v, e->out->funcs.n, sizeof(*e->out->funcs.v), by_place);
	return stack;
}

/* The kernel adds up the frames of a chain of calls, each in units of 32 bytes. lib_stack 0: there is no call. */
static int32_t stack_need(const struct emit *e, int32_t lib_stack)
{
	return ((e->ra->stack + e->shift + 31) & ~31) + lib_stack;
}

static int check_stack(struct emit *e, int32_t lib_stack)
{
	e->out->stack = stack_need(e, lib_stack);
	e->out->frame = stack_need(e, 0);
	if (e->out->stack <= MAX_STACK)
		return 0;
	return report_error(
		e->to, -E2BIG, D_LIMIT, NULL, "its values need more than the 512 bytes of stack that BPF has");
}

/* Guards all calls; with GUARD_LOCAL not those that need none as a rule, if there is not enough room for all. */
static void plan_guards(struct emit *e, enum ir_guard guard)
{
	int32_t lib_stack = 0;

	for (size_t i = 0; i < e->ra->code.n; i++) {
		const struct ir_insn *in = &e->ra->code.v[i];

		if (in->op == IR_LIB && lib_funcs[in->imm].stack > lib_stack)
			lib_stack = lib_funcs[in->imm].stack;
	}
	begin_guards(e, guard ? GUARD_ALL : GUARD_NONE);
	if (guard == GUARD_LOCAL && stack_need(e, lib_stack) > MAX_STACK)
		begin_guards(e, GUARD_LOCAL);
}

/* Places first, then instructions, then the library behind the last one. */
static int emit_all(struct emit *e, const struct ir *ir)
{
	int err = ra_run(ir, e->ra, e->to);
	if (err)
		return err;
	e->label_at = ARENA_ARRAY(e->ra->arena, uint32_t, ir->nlabels + 1);
	e->stone_at = ARENA_ARRAY(e->ra->arena, uint32_t, ir->nlabels + 1);
	plan_guards(e, ir->guard);
	for (unsigned r = BPF_REG_6; r <= BPF_REG_9; r++)
		if (e->guard_regs >> r & 1)
			put_imm(e, r, 0);
	for (size_t i = 0; i < e->ra->code.n; i++) {
		e->insn = &e->ra->code.v[i];
		e->loc = e->insn->loc;
		check_distance(e, i);
		emit_insn(e, e->insn);
	}
	if (e->err)
		return e->err;
	err = patch_jumps(e);
	return err ? err : check_stack(e, append_lib(e));
}

int ir_emit(const struct ir *ir, struct arena *a, struct code *out, const struct reporter *to)
{
	struct arena *scratch = arena_take(ir->spare);
	struct ra ra = { .arena = scratch ? scratch : a };
	struct emit e = { .arena = a, .ra = &ra, .out = out, .to = to };
	int err = -ENOMEM;

	memset(out, 0, sizeof(*out));
	if (arena_has(ra.arena, RA_PASSES * ir_memory(ir)) && arena_has(a, ir_memory(ir)))
		err = emit_all(&e, ir);
	if (err == -ENOMEM || arena_failed(ra.arena) || arena_failed(a)) {
		arena_fail(a);
		err = report_no_memory(to, "compile the program");
	}
	if (!err) {
		out->insns = ARENA_ARRAY(a, struct bpf_insn, e.code.n);
		out->n = e.code.n;
		if (e.code.n)
			memcpy(out->insns, e.code.v, e.code.n * sizeof(*out->insns));
	}
	arena_give(ir->spare, scratch);
	return err;
}
