/* SPDX-License-Identifier: GPL-2.0-or-later */
/* disasm: prints BPF instructions for --dump=bpf.
 * Input: instructions, valid or not. Output: one line each, in the notation of the verifier's log.
 * Invariant: any bytes produce a line. An unknown instruction is printed as its opcode. */
#include <inttypes.h>
#include <linux/bpf.h>

#include "ir/ir.h"

/* From the list in linux/bpf.h of the build; "unknown" for helpers that are newer. */
static const char *helper_name(int32_t id)
{
#define NAME(n) "bpf_" #n
	static const char *const names[] = { __BPF_FUNC_MAPPER(NAME) };
#undef NAME
	/* cppcheck-suppress arrayIndexOutOfBoundsCond ; it does not expand the mapper */
	return id > 0 && (size_t)id < sizeof(names) / sizeof(*names) ? names[id] : "unknown";
}

/* op: the upper four bits of the opcode. NULL: there is no such operation. */
static const char *alu_symbol(unsigned op)
{
	static const char *const symbols[16] = {
		[BPF_ADD >> 4] = "+=",
		[BPF_SUB >> 4] = "-=",
		[BPF_MUL >> 4] = "*=",
		[BPF_DIV >> 4] = "/=",
		[BPF_OR >> 4] = "|=",
		[BPF_AND >> 4] = "&=",
		[BPF_LSH >> 4] = "<<=",
		[BPF_RSH >> 4] = ">>=",
		[BPF_MOD >> 4] = "%=",
		[BPF_XOR >> 4] = "^=",
		[BPF_MOV >> 4] = "=",
		[BPF_ARSH >> 4] = "s>>=",
	};
	return symbols[op >> 4];
}

/* op: the upper four bits of the opcode. NULL: there is no such condition. */
static const char *jump_symbol(unsigned op)
{
	static const char *const symbols[16] = {
		[BPF_JEQ >> 4] = "==",
		[BPF_JNE >> 4] = "!=",
		[BPF_JLT >> 4] = "<",
		[BPF_JLE >> 4] = "<=",
		[BPF_JGT >> 4] = ">",
		[BPF_JGE >> 4] = ">=",
		[BPF_JSLT >> 4] = "s<",
		[BPF_JSLE >> 4] = "s<=",
		[BPF_JSGT >> 4] = "s>",
		[BPF_JSGE >> 4] = "s>=",
		[BPF_JSET >> 4] = "&",
	};
	return symbols[op >> 4];
}

/* The width of a load or store. */
static const char *size_name(unsigned code)
{
	unsigned size = code & 0x18;
	return size == BPF_B ? "u8" : size == BPF_H ? "u16" : size == BPF_W ? "u32" : "u64";
}

/* An opcode that the emitter does not make. Only fuzzed code has such. */
static void bad(const struct bpf_insn *in, FILE *out)
{
	fprintf(out, "(%02x) unknown\n", in->code);
}

/* Registers are printed as r0 to r10 in 64-bit operations and as w0 to w10 in 32-bit ones. BPF_END has no operator: it
 * names the byte order and the width in bits. */
static void disasm_alu(const struct bpf_insn *in, FILE *out)
{
	unsigned op = in->code & 0xf0;
	char r = (in->code & 7) == BPF_ALU64 ? 'r' : 'w';
	const char *symbol = alu_symbol(op);
	if (op == BPF_END)
		fprintf(out, "(%02x) r%u = %s%d r%u\n", in->code, in->dst_reg, in->code & BPF_TO_BE ? "be" : "le",
			in->imm, in->dst_reg);
	else if (op == BPF_NEG)
		fprintf(out, "(%02x) %c%u = -%c%u\n", in->code, r, in->dst_reg, r, in->dst_reg);
	else if (!symbol)
		bad(in, out);
	else if (in->code & BPF_X)
		fprintf(out, "(%02x) %c%u %s %c%u\n", in->code, r, in->dst_reg, symbol, r, in->src_reg);
	else
		fprintf(out, "(%02x) %c%u %s %d\n", in->code, r, in->dst_reg, symbol, in->imm);
}

/* The immediate of an atomic instruction selects the operation; BPF_FETCH in it asks for the old value. */
static void disasm_atomic(const struct bpf_insn *in, FILE *out)
{
	const char *size = size_name(in->code), *bits = (in->code & 0x18) == BPF_DW ? "64" : "";
	unsigned op = (unsigned)in->imm & ~(unsigned)BPF_FETCH;
	const char *name = op == BPF_ADD ? "add" : op == BPF_AND ? "and" : op == BPF_OR ? "or" : "xor";
	if (in->imm == BPF_CMPXCHG)
		fprintf(out, "(%02x) r0 = atomic%s_cmpxchg((%s *)(r%u %+d), r0, r%u)\n", in->code, bits, size,
			in->dst_reg, in->off, in->src_reg);
	else if (in->imm == BPF_XCHG)
		fprintf(out, "(%02x) r%u = atomic%s_xchg((%s *)(r%u %+d), r%u)\n", in->code, in->src_reg, bits, size,
			in->dst_reg, in->off, in->src_reg);
	else if (op != BPF_ADD && op != BPF_AND && op != BPF_OR && op != BPF_XOR)
		bad(in, out);
	else if (in->imm & BPF_FETCH)
		fprintf(out, "(%02x) r%u = atomic%s_fetch_%s((%s *)(r%u %+d), r%u)\n", in->code, in->src_reg, bits,
			name, size, in->dst_reg, in->off, in->src_reg);
	else
		fprintf(out, "(%02x) lock *(%s *)(r%u %+d) %s r%u\n", in->code, size, in->dst_reg, in->off,
			alu_symbol(op), in->src_reg);
}

/* Stores of registers and immediates, and atomic instructions. */
static void disasm_store(const struct bpf_insn *in, FILE *out)
{
	unsigned mode = in->code & 0xe0;
	bool stx = (in->code & 7) == BPF_STX;
	if (stx && mode == BPF_ATOMIC)
		disasm_atomic(in, out);
	else if (mode != BPF_MEM)
		bad(in, out);
	else if (stx)
		fprintf(out, "(%02x) *(%s *)(r%u %+d) = r%u\n", in->code, size_name(in->code), in->dst_reg, in->off,
			in->src_reg);
	else
		fprintf(out, "(%02x) *(%s *)(r%u %+d) = %d\n", in->code, size_name(in->code), in->dst_reg, in->off,
			in->imm);
}

/* A call's src_reg distinguishes a function of the program, a kernel function and a helper. */
static void disasm_jump(const struct bpf_insn *in, FILE *out)
{
	unsigned op = in->code & 0xf0;
	bool wide = (in->code & 7) == BPF_JMP;
	char r = wide ? 'r' : 'w';
	if (op == BPF_CALL && wide && in->src_reg == BPF_PSEUDO_CALL)
		fprintf(out, "(%02x) call pc%+d\n", in->code, in->imm);
	else if (op == BPF_CALL && wide)
		fprintf(out, "(%02x) call %s#%d\n", in->code,
			in->src_reg == BPF_PSEUDO_KFUNC_CALL ? "kernel-function" : helper_name(in->imm), in->imm);
	else if (op == BPF_JA && wide)
		fprintf(out, "(%02x) goto pc%+d\n", in->code, in->off);
	else if (op == BPF_EXIT && wide)
		fprintf(out, "(%02x) exit\n", in->code);
	else if (!jump_symbol(op))
		bad(in, out);
	else if (in->code & BPF_X)
		fprintf(out, "(%02x) if %c%u %s %c%u goto pc%+d\n", in->code, r, in->dst_reg, jump_symbol(op), r,
			in->src_reg, in->off);
	else
		fprintf(out, "(%02x) if %c%u %s 0x%x goto pc%+d\n", in->code, r, in->dst_reg, jump_symbol(op),
			(unsigned)in->imm, in->off);
}

/* The only instruction of 16 bytes: the second half carries the upper 32 bits, or an offset in a map's value. */
static void disasm_ld64(const struct bpf_insn *in, int32_t upper, FILE *out)
{
	fprintf(out, "(%02x) r%u = ", in->code, in->dst_reg);
	if (in->src_reg == BPF_PSEUDO_MAP_FD)
		fprintf(out, "map[fd:%d]\n", in->imm);
	else if (in->src_reg == BPF_PSEUDO_MAP_VALUE)
		fprintf(out, "map[fd:%d][0]%+d\n", in->imm, upper);
	else if (in->src_reg == BPF_PSEUDO_BTF_ID)
		fprintf(out, "ksym[btf:%d]\n", in->imm);
	else
		fprintf(out, "0x%" PRIx64 "\n", (uint64_t)(uint32_t)upper << 32 | (uint32_t)in->imm);
}

/* Numbers are those of the kernel's log. A load of 64 bits takes two of them, of which the second is not printed. */
void bpf_disasm(const struct bpf_insn *insns, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct bpf_insn *in = &insns[i];
		fprintf(out, "%zu: ", i);
		switch (in->code & 7) {
		case BPF_ALU:
		case BPF_ALU64:
			disasm_alu(in, out);
			break;
		case BPF_LDX:
			if ((in->code & 0xe0) != BPF_MEM)
				bad(in, out);
			else
				fprintf(out, "(%02x) r%u = *(%s *)(r%u %+d)\n", in->code, in->dst_reg,
					size_name(in->code), in->src_reg, in->off);
			break;
		case BPF_ST:
		case BPF_STX:
			disasm_store(in, out);
			break;
		case BPF_JMP:
		case BPF_JMP32:
			disasm_jump(in, out);
			break;
		default:
			if (in->code != (BPF_LD | BPF_DW | BPF_IMM) || i + 1 == n) {
				bad(in, out);
				break;
			}
			disasm_ld64(in, insns[++i].imm, out);
			break;
		}
	}
}
