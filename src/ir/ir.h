/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ir: the small intermediate language between the typed tree and BPF instructions.
 *
 * Virtual registers hold 64 bits; a value of a narrower C type is kept sign- or zero-extended. Control flow only goes
 * forward (D has no loops; loops live inside IR_LIB functions), so program order is a topological order and a live
 * range is one stretch from first definition to last use. A register is defined once, except those made with
 * ir_var(), which IR_MOV may set several times.
 * Stack objects are laid out by the lowering (ir_stack_mark/alloc/release); the emitter puts its spills below. */
#ifndef DWIRE_IR_IR_H
#define DWIRE_IR_IR_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/vec.h"
#include "image/code.h"

typedef uint32_t vreg; /* 0: none */

/* clang-format off */
#define IR_OPS(X)                                                                                          \
	X(IR_IMM)     /* d = imm (64 bits) */                                                                \
	X(IR_MOV)     /* d = a */                                                                            \
	X(IR_LD)      /* d = *(size *)(a + off), extended; sx: sign. flag pure: same value all through a run */ \
	X(IR_ST)      /* *(size *)(a + off) = b */                                                           \
	X(IR_STI)     /* *(size *)(a + off) = imm (32 bits, sign-extended) */                                \
	X(IR_ALU)     /* d = a alu b, 64 bits */                                                             \
	X(IR_ALUI)    /* d = a alu imm (32 bits, sign-extended) */                                           \
	X(IR_NEG)     /* d = -a */                                                                           \
	X(IR_EXT)     /* d = low size bytes of a; sx: sign-extended, else zero-extended */                   \
	X(IR_BE)      /* d = low size bytes of a swapped between big endian and the machine's order, zero-extended */ \
	X(IR_CTX)     /* d = the program's context pointer */                                                \
	X(IR_MAP)     /* d = map imm of the image */                                                         \
	X(IR_MAPVAL)  /* d = address in the only value of array map imm, at off */                           \
	X(IR_STACK)   /* d = frame pointer + off (off < 0) */                                                \
	X(IR_KSYM)    /* d = address of the kernel variable with BTF id imm */                               \
	X(IR_PC)      /* d = number of this instruction in the program */                                     \
	X(IR_CALL)    /* d = helper imm (args); flag pure: may be removed or shared */                       \
	X(IR_KFUNC)   /* d = kernel function with BTF id imm (args); flag pure likewise */                   \
	X(IR_LIB)     /* d = function imm (enum bpflib) of bpf/lib.bpf.c (args) */                           \
	X(IR_LABEL)   /* label imm: */                                                                       \
	X(IR_JMP)     /* goto imm */                                                                         \
	X(IR_JCC)     /* if (a cc b) goto imm */                                                             \
	X(IR_JCCI)    /* if (a cc (s32)imm2) goto imm */                                                     \
	X(IR_XADD)    /* atomically *(size *)(a + off) += b; size 4 or 8 */                                  \
	X(IR_XCHG)    /* d = atomic exchange of *(size *)(a + off) with b */                                 \
	X(IR_CMPXCHG) /* d = atomic compare with b, exchange with c, of *(u64 *)(a + off) */                 \
	X(IR_RET)     /* return a */
/* clang-format on */

enum ir_op {
#define X(o) o,
	IR_OPS(X)
#undef X
};

/* clang-format off */
#define IR_ALUS(X)                                                                                         \
	X(ALU_ADD, "+") X(ALU_SUB, "-") X(ALU_MUL, "*") X(ALU_DIV, "/u") X(ALU_MOD, "%u") X(ALU_AND, "&")       \
	X(ALU_OR, "|") X(ALU_XOR, "^") X(ALU_SHL, "<<") X(ALU_SHR, ">>u") X(ALU_SAR, ">>s")
/* clang-format on */
enum ir_alu {
#define X(o, s) o,
	IR_ALUS(X)
#undef X
};

/* clang-format off */
#define IR_CCS(X)                                                                                          \
	X(CC_EQ, "==") X(CC_NE, "!=") X(CC_ULT, "<u") X(CC_ULE, "<=u") X(CC_UGT, ">u") X(CC_UGE, ">=u")         \
	X(CC_SLT, "<s") X(CC_SLE, "<=s") X(CC_SGT, ">s") X(CC_SGE, ">=s") X(CC_SET, "&")
/* clang-format on */
enum ir_cc {
#define X(o, s) o,
	IR_CCS(X)
#undef X
};

struct ir_insn {
	uint8_t op;   /* enum ir_op */
	uint8_t sub;  /* enum ir_alu or enum ir_cc */
	uint8_t size; /* 1, 2, 4, 8 */
	bool sx, pure;
	bool fresh;   /* not shared with an equal one */
	bool quiet;   /* no effect that anybody could notice */
	bool nonzero; /* the result is not 0 */
	uint8_t nargs;
	int32_t off;
	vreg d, a, b, c;
	vreg args[5];
	int64_t imm;
	int32_t imm2;
	struct loc loc; /* the D it came from */
};

struct ir {
	struct arena *arena;
	VEC(struct ir_insn) code;
	uint32_t nvregs;          /* vregs are 1..nvregs */
	uint32_t nlabels;         /* labels are 1..nlabels */
	VEC(bool) is_var;         /* by vreg */
	int32_t frame, frame_max; /* bytes of stack in use by objects now, and at most */
	struct loc loc;           /* put on each new instruction */
	bool quiet;               /* this too */
};

/* bpf/lib.bpf.c: name, number of arguments. Arguments are pointers and sizes; results are integers. */
/* clang-format off */
#define BPFLIB(X)                                                                                          \
	X(tstr_text, 3) /* (const struct dw_tstr *, char *out, u32 size >= 48): text of tags NONE, IP4 and IP6 (RFC  \
	                   5952; IPv4-mapped as IPv4), rest of out zeroed; returns the length */               \
	X(path_text, 2) /* (struct dw_path *, char buf[DW_PATH_BUF]): its text from buf + result on */ \
	X(walk_kernel, 3) /* (struct dw_unwind *, u64 *out, u64 n): writes up to n frames; returns how many */      \
	X(walk_user, 3)   /* likewise, from ip and bp of the process */                                        \
	X(args_text, 3) /* (char *, u64 len, u32 size): NULs before the last of len bytes become blanks */      \
	X(str_cmp, 3)   /* (const char *a, const char *b, u32 size): like strcmp within size bytes: -1, 0, 1 */ \
	X(chill, 1)     /* (u64 ns): waits */                                                                     \
	X(str_len, 2)   /* (const char *s, u32 size): length within size bytes */                                \
	X(text_substr, 4) X(text_case, 4) X(text_chr, 5) X(text_index, 5) X(text_tail, 4) X(text_path, 5)        \
	X(text_clean, 4) X(text_digits, 5) X(text_number, 4) X(text_token, 5) X(text_link, 3) /* bpf/lib_text.h */ \
	X(text_json, 5) /* bpf/lib_json.h */ \
	X(dns_name, 3)  /* (char out[256], const u8 in[256], u64 len <= 255): bpf/lib_dns.h */
/* clang-format on */
enum bpflib {
#define X(n, a) LIB_##n,
	BPFLIB(X)
#undef X
		LIB_COUNT
};

/* ---- building ---------------------------------------------------------------------------------------------------- */
struct ir *ir_new(struct arena *a);
vreg ir_var(struct ir *ir); /* a register that IR_MOV may set several times */
vreg ir_imm(struct ir *ir, int64_t v);
vreg ir_mov(struct ir *ir, vreg a);
void ir_set(struct ir *ir, vreg var, vreg a); /* var = a */
void ir_seti(struct ir *ir, vreg var, int64_t v);
vreg ir_ld(struct ir *ir, vreg base, int32_t off, unsigned size, bool sx, bool pure);
void ir_st(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value);
void ir_sti(struct ir *ir, vreg base, int32_t off, unsigned size, int32_t value);
vreg ir_alu(struct ir *ir, enum ir_alu op, vreg a, vreg b);
vreg ir_alui(struct ir *ir, enum ir_alu op, vreg a, int32_t imm);
vreg ir_neg(struct ir *ir, vreg a);
vreg ir_ext(struct ir *ir, vreg a, unsigned size, bool sx); /* size 8: gives a itself */
vreg ir_be(struct ir *ir, vreg a, unsigned size);
vreg ir_ctx(struct ir *ir);
vreg ir_map(struct ir *ir, uint32_t map);
vreg ir_mapval(struct ir *ir, uint32_t map, int32_t off);
vreg ir_stack(struct ir *ir, int32_t off);
vreg ir_ksym(struct ir *ir, uint32_t btf_id);
vreg ir_pc(struct ir *ir);
vreg ir_call(struct ir *ir, int helper, const vreg *args, unsigned nargs, bool pure);
vreg ir_kfunc(struct ir *ir, uint32_t btf_id, const vreg *args, unsigned nargs, bool pure);
vreg ir_nonzero(struct ir *ir, vreg v); /* what the last instruction has made, and what is never 0 */
vreg ir_sure(struct ir *ir, vreg v);    /* v, which is never 0, wherever it was made */
vreg ir_lib(struct ir *ir, enum bpflib fn, const vreg *args, unsigned nargs);
uint32_t ir_newlabel(struct ir *ir);
void ir_label(struct ir *ir, uint32_t label);
void ir_jmp(struct ir *ir, uint32_t label);
void ir_jcc(struct ir *ir, enum ir_cc cc, vreg a, vreg b, uint32_t label);
void ir_jcci(struct ir *ir, enum ir_cc cc, vreg a, int32_t imm, uint32_t label);
void ir_xadd(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value);
vreg ir_xchg(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value);
vreg ir_cmpxchg(struct ir *ir, vreg base, int32_t off, vreg expected, vreg desired);
void ir_ret(struct ir *ir, vreg a);

/* Stack objects: 8-aligned; alloc gives the (negative) offset. release(mark) frees all that came after mark. */
int32_t ir_stack_mark(const struct ir *ir);
int32_t ir_stack_alloc(struct ir *ir, uint32_t size);
void ir_stack_release(struct ir *ir, int32_t mark);

/* ---- passes ------------------------------------------------------------------------------------------------------ */
/* Shares equal pure values where one dominates the other, folds constants, copies and branches that are decided,
 * drops what is not used or not reached. Meaning and order of effects stay. */
void ir_optimise(struct ir *ir);
void ir_dump(const struct ir *ir, FILE *out);

/* Registers, spills, instructions. 0; -E2BIG with *why when the program needs more than the 512 bytes of stack or a
 * jump is too far. */
int ir_emit(const struct ir *ir, struct code *out, const char **why) __attribute__((warn_unused_result));
/* --dump=bpf: one instruction a line, in the kernel log's notation. lines may be NULL. */
void bpf_disasm(const struct bpf_insn *insns, size_t n, FILE *out);
#endif
