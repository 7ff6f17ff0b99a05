/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ir: the intermediate language between the typed tree and BPF instructions.
 *
 * A program is a list of instructions on virtual registers of 64 bits. Three rules make every pass simple:
 *   - Control flow only goes forward. D has no loops; loops are inside the functions of IR_LIB. So program order is a
 *     topological order, one walk sees each definition before its uses, and a live range is one stretch from the first
 *     definition to the last use.
 *   - A register is defined once. The exceptions are variables (ir_var()), which IR_MOV may set several times.
 *   - A value of a narrower type of C is kept sign- or zero-extended to 64 bits.
 * The lowering places objects on the stack (ir_stack_mark, _alloc, _release); the emitter puts its spills below them.
 * The way through the back end: build.c makes instructions; optimise.c (with the rules of fold.c) shares and folds
 * values; regalloc.c gives each value a register or a slot; emit.c writes BPF; dump.c and disasm.c print both. */
#ifndef DWIRE_IR_IR_H
#define DWIRE_IR_IR_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag/diag.h"
#include "base/vec.h"
#include "image/code.h"

struct reporter;

typedef uint32_t vreg; /* 0: none */

/* What an operation does. */
enum ir_trait {
	IRT_VALUE = 1,  /* no effect but its result: may be dropped when nobody reads it */
	IRT_MEMORY = 2, /* accesses memory at a + off */
	IRT_CALL = 4,   /* a call: clobbers R0-R5; has no effect but its result if it is pure */
	IRT_JUMP = 8,   /* imm is a label */
	IRT_ENDS = 16,  /* control does not go on to the next instruction */
};

/* One list makes the enum, the names and the traits. */
/* clang-format off */
#define IR_OPS(X) \
	X(IMM,     "imm",     IRT_VALUE)            /* d = imm (64 bits) */ \
	X(MOV,     "mov",     IRT_VALUE)            /* d = a */ \
	X(LD,      "ld",      IRT_VALUE|IRT_MEMORY) /* d = *(size *)(a + off), extended; pure: constant in a run */ \
	X(ST,      "st",      IRT_MEMORY)           /* *(size *)(a + off) = b */ \
	X(STI,     "st",      IRT_MEMORY)           /* *(size *)(a + off) = imm (32 bits, sign-extended) */ \
	X(ALU,     "alu",     IRT_VALUE)            /* d = a alu b, 64 bits */ \
	X(ALUI,    "alu",     IRT_VALUE)            /* d = a alu imm (32 bits, sign-extended) */ \
	X(NEG,     "neg",     IRT_VALUE)            /* d = -a */ \
	X(EXT,     "ext",     IRT_VALUE)            /* d = low size bytes of a, sx: sign-extended, or zero-extended */ \
	X(BE,      "be",      IRT_VALUE)            /* d = low size bytes of a, bytes swapped to or from big endian */ \
	X(WRAP,    "wrap",    IRT_VALUE)            /* d = where position a is in the rings' data; rings: map imm */ \
	X(RINGOF,  "ringof",  IRT_VALUE)            /* d = CPU a if it has a ring of its own, or 0; rings: map imm */ \
	X(CTX,     "ctx",     IRT_VALUE)            /* d = the program's context pointer */ \
	X(MAP,     "map",     IRT_VALUE)            /* d = map imm of the image */ \
	X(MAPVAL,  "mapval",  IRT_VALUE)            /* d = address in the only value of array map imm, at off */ \
	X(STACK,   "stack",   IRT_VALUE)            /* d = address of a stack object at off < 0; 0: frame pointer */ \
	X(KSYM,    "ksym",    IRT_VALUE)            /* d = address of the kernel variable with BTF id imm */ \
	X(PC,      "pc",      IRT_VALUE)            /* d = number of this instruction in the program */ \
	X(CALL,    "call",    IRT_CALL)             /* d = helper imm (args) */ \
	X(KFUNC,   "kfunc",   IRT_CALL)             /* d = kernel function with BTF id imm (args) */ \
	X(LIB,     "lib",     IRT_CALL)             /* d = function imm (enum bpflib) of bpf/lib.bpf.c (args) */ \
	X(LABEL,   "label",   0)                    /* label imm: */ \
	X(JMP,     "goto",    IRT_JUMP|IRT_ENDS)    /* goto imm */ \
	X(JCC,     "if",      IRT_JUMP)             /* if (a cc b) goto imm */ \
	X(JCCI,    "if",      IRT_JUMP)             /* if (a cc (s32)imm2) goto imm */ \
	X(XADD,    "xadd",    IRT_MEMORY)           /* atomically *(size *)(a + off) += b; size 4 or 8 */ \
	X(FADD,    "fadd",    IRT_MEMORY)           /* d = *(size *)(a + off), atomically += b; size 4 or 8 */ \
	X(XCHG,    "xchg",    IRT_MEMORY)           /* d = atomic exchange of *(size *)(a + off) with b */ \
	X(CMPXCHG, "cmpxchg", IRT_MEMORY)           /* d = atomic: if *(u64 *)(a + off) is b, store c */ \
	X(RET,     "return",  IRT_ENDS)             /* return a */
/* clang-format on */

enum ir_op {
#define X(o, name, traits) IR_##o,
	IR_OPS(X)
#undef X
};

/* Arithmetic on 64 bits: name, symbol, whether it is commutative. */
/* clang-format off */
#define IR_ALUS(X)                                                                                         \
	X(ALU_ADD, "+", true)  X(ALU_SUB, "-", false) X(ALU_MUL, "*", true)    X(ALU_DIV, "/u", false)            \
	X(ALU_MOD, "%u", false) X(ALU_AND, "&", true) X(ALU_OR, "|", true)     X(ALU_XOR, "^", true)              \
	X(ALU_SHL, "<<", false) X(ALU_SHR, ">>u", false) X(ALU_SAR, ">>s", false)
/* clang-format on */
enum ir_alu {
#define X(o, s, commutes) o,
	IR_ALUS(X)
#undef X
};

/* Conditions: name, symbol, the same with its operands exchanged, the opposite (CC_SET has none). */
/* clang-format off */
#define IR_CCS(X)                                                                                          \
	X(CC_EQ, "==", CC_EQ, CC_NE)    X(CC_NE, "!=", CC_NE, CC_EQ)                                              \
	X(CC_ULT, "<u", CC_UGT, CC_UGE) X(CC_ULE, "<=u", CC_UGE, CC_UGT)                                          \
	X(CC_UGT, ">u", CC_ULT, CC_ULE) X(CC_UGE, ">=u", CC_ULE, CC_ULT)                                          \
	X(CC_SLT, "<s", CC_SGT, CC_SGE) X(CC_SLE, "<=s", CC_SGE, CC_SGT)                                          \
	X(CC_SGT, ">s", CC_SLT, CC_SLE) X(CC_SGE, ">=s", CC_SLE, CC_SLT)                                          \
	X(CC_SET, "&", CC_SET, CC_SET)
/* clang-format on */
enum ir_cc {
#define X(o, s, swapped, opposite) o,
	IR_CCS(X)
#undef X
};

struct ir_insn {
	uint8_t op;   /* enum ir_op */
	uint8_t sub;  /* enum ir_alu or enum ir_cc */
	uint8_t size; /* 1, 2, 4, 8 */
	bool sx;
	bool pure;  /* LD: memory that does not change during a run; a call: may be dropped, or shared with an equal */
	bool fresh; /* not shared with an equal one */
	bool quiet; /* no effect that a user of the program can notice */
	bool nonzero; /* the result is not 0 */
	uint8_t nargs;
	int32_t off;     /* CALL with a, pure LIB: how often elements of maps had been made or deleted before */
	vreg d, a, b, c; /* CALL: a: what is at the address that the second argument is; 0: it does not matter */
	vreg args[5];
	int64_t imm;
	int32_t imm2;
	struct loc loc; /* the D it came from */
};

/* Which calls of IR_LIB are guarded against a verifier that mixes up frames; see "guarded calls" in ir/emit.c. */
enum ir_guard {
	GUARD_NONE,
	GUARD_LOCAL, /* those that the kernel does not check alone (LIB_SHAPES), and if there is room the others */
	GUARD_ALL,
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
	enum ir_guard guard;
	struct arena **spare; /* borrowed: keeps the passes' scratch memory for the next program; or NULL */
};

/* bpf/lib.bpf.c: name, number of arguments. Arguments are pointers and sizes; results are integers. */
/* clang-format off */
#define BPFLIB(X)                                                                                          \
	X(tstr_text, 2) /* (const struct dw_tstr *, char out[48]): text of tags NONE, IP4 and IP6 (RFC 5952;  \
	                   IPv4-mapped as IPv4), rest of out zeroed; returns the length */                    \
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
	X(path_step, 2) X(dns_name_part, 4) X(dns_hash_part, 3) X(host_part, 3) /* called by those below */ \
	X(dns_name, 3)  /* (char out[256], const u8 in[256], u64 len <= 255): bpf/lib_dns.h */ \
	X(dns_hash, 2)   /* (const u8 in[64], u64 len <= 64): bpf/lib_dns.h */ \
	X(is_address, 2) /* (const u8 in[64], u64 len < 64): bpf/lib_host.h */ \
	X(packet_put, 4) X(packet_put_plain, 4) X(packet_buffer, 3) X(packet_buffer_plain, 3) /* called by these: */ \
	X(packet_note, 3) X(packet_note_plain, 3) X(packet_end, 3) X(packet_end_plain, 3) \
	X(packet_age, 3) /* bpf/lib_packet.h */ \
	X(ended_find, 2) /* (map, u64 key): bpf/lib_ended.h */ \
	X(box_find, 1)   /* (struct dw_box *): bpf/lib_box.h */ \
	X(nft_in_chain, 1) /* called by nft_find() */ \
	X(nft_find, 1)   /* (struct dw_nft *): bpf/lib_nft.h */ \
	X(xt_walk, 1)    /* (struct dw_xt *): bpf/lib_xt.h */ \
	X(word_find, 2) X(word_drop, 2) X(word_put, 3) /* called by those below, and before them (ir/expand.c) */ \
	X(word_read, 3) X(word_delete, 3) X(word_write, 4) /* bpf/lib_words.h */
/* clang-format on */
enum bpflib {
#define X(n, a) LIB_##n,
	BPFLIB(X)
#undef X
		LIB_COUNT
};

/* The functions that the kernel can check alone, once for all calls, since each pointer is to so many bytes:
 * X(name, bytes behind each argument; 0: a number). Elsewhere the verifier walks them again at each call. */
/* clang-format off */
#define LIB_SHAPES(X) \
	X(tstr_text, sizeof(struct dw_tstr), 48) \
	X(path_text, sizeof(struct dw_path), DW_PATH_BUF) \
	X(path_step, sizeof(struct dw_path), DW_PATH_BUF) \
	X(dns_name, 256, 256, 0) \
	X(dns_name_part, sizeof(struct dw_dns_name), 256, 256, 0) \
	X(dns_hash, 64, 0) \
	X(dns_hash_part, sizeof(struct dw_dns_hash), 64, 0) \
	X(is_address, 64, 0) \
	X(host_part, sizeof(struct dw_host), 64, 0) \
	X(box_find, sizeof(struct dw_box)) \
	X(packet_put, DW_NOTES_SIZE, 0, sizeof(struct dw_packet), 0) \
	X(packet_put_plain, DW_NOTES_SIZE, 0, sizeof(struct dw_packet), 0) \
	X(packet_buffer, DW_NOTES_SIZE, 0, sizeof(struct dw_buffer)) \
	X(packet_buffer_plain, DW_NOTES_SIZE, 0, sizeof(struct dw_buffer)) \
	X(nft_in_chain, sizeof(struct dw_nft)) \
	X(nft_find, sizeof(struct dw_nft)) \
	X(xt_walk, sizeof(struct dw_xt)) \
	X(word_find, DW_WORDS_SIZE, 0) \
	X(word_drop, DW_WORDS_SIZE, 0) \
	X(word_put, DW_WORDS_SIZE, 0, 0)
/* clang-format on */
enum { LIB_SHAPE_ARGS = 4 };
struct lib_shape {
	unsigned nargs; /* 0: the function is in no list above */
	uint32_t bytes[LIB_SHAPE_ARGS];
};
extern const struct lib_shape lib_shapes[LIB_COUNT];
const char *lib_name(enum bpflib fn);

/* ---- building ---------------------------------------------------------------------------------------------------- */
struct ir *ir_new(struct arena *a);
vreg ir_var(struct ir *ir); /* a register that IR_MOV may set several times */
vreg ir_imm(struct ir *ir, int64_t v);
bool ir_constant(const struct ir *ir, vreg v, int64_t *c); /* was it made by ir_imm()? */
vreg ir_mov(struct ir *ir, vreg a);
void ir_set(struct ir *ir, vreg var, vreg a); /* var = a */
void ir_seti(struct ir *ir, vreg var, int64_t v);
vreg ir_ld(struct ir *ir, vreg base, int32_t off, unsigned size, bool sx, bool pure);
void ir_st(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value);
void ir_sti(struct ir *ir, vreg base, int32_t off, unsigned size, int32_t value);
vreg ir_alu(struct ir *ir, enum ir_alu op, vreg a, vreg b);
vreg ir_alui(struct ir *ir, enum ir_alu op, vreg a, int32_t imm);
vreg ir_neg(struct ir *ir, vreg a);
vreg ir_ext(struct ir *ir, vreg a, unsigned size, bool sx); /* size 8: returns a */
vreg ir_be(struct ir *ir, vreg a, unsigned size);
/* Makes a number of what the verifier may take for a pointer, and would refuse to add up: since Linux 6.17 also the
 * addresses of numbers and characters, such as sk_buff.head. It forgets what a register was whose bytes are swapped. */
vreg ir_number(struct ir *ir, vreg a);
vreg ir_wrap(struct ir *ir, vreg a, uint32_t map); /* map: of rings (abi/abi.h) */
vreg ir_ringof(struct ir *ir, vreg cpu, uint32_t map);
vreg ir_ctx(struct ir *ir);
vreg ir_map(struct ir *ir, uint32_t map);
vreg ir_mapval(struct ir *ir, uint32_t map, int32_t off);
vreg ir_stack(struct ir *ir, int32_t off);
vreg ir_ksym(struct ir *ir, uint32_t btf_id);
vreg ir_pc(struct ir *ir);
vreg ir_call(struct ir *ir, int helper, const vreg *args, unsigned nargs, bool pure);
/* Looks up the map's element whose key is that word, at the address `key`. Equal lookups may be shared as long as
 * `changes` is the same: how often the program has made or deleted elements. */
vreg ir_find(struct ir *ir, vreg map, vreg key, vreg word, int32_t changes);
vreg ir_kfunc(struct ir *ir, uint32_t btf_id, const vreg *args, unsigned nargs, bool pure);
vreg ir_nonzero(struct ir *ir, vreg v); /* marks v, the last instruction's result, as never 0; returns v */
vreg ir_sure(struct ir *ir, vreg v);    /* a copy of v, which is marked as never 0 */
vreg ir_lib(struct ir *ir, enum bpflib fn, const vreg *args, unsigned nargs);
vreg ir_lib_find(struct ir *ir, enum bpflib fn, const vreg *args, unsigned nargs, int32_t changes); /* as ir_find() */
uint32_t ir_newlabel(struct ir *ir);
void ir_label(struct ir *ir, uint32_t label);
void ir_jmp(struct ir *ir, uint32_t label);
void ir_jcc(struct ir *ir, enum ir_cc cc, vreg a, vreg b, uint32_t label);
void ir_jcci(struct ir *ir, enum ir_cc cc, vreg a, int32_t imm, uint32_t label);
void ir_xadd(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value);
vreg ir_fadd(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value);
vreg ir_xchg(struct ir *ir, vreg base, int32_t off, unsigned size, vreg value);
vreg ir_cmpxchg(struct ir *ir, vreg base, int32_t off, vreg expected, vreg desired);
void ir_ret(struct ir *ir, vreg a);

/* Stack objects, 8-aligned. alloc returns the (negative) offset. release(mark) frees all allocated since mark. */
int32_t ir_stack_mark(const struct ir *ir);
int32_t ir_stack_alloc(struct ir *ir, uint32_t size);
void ir_stack_release(struct ir *ir, int32_t mark);

/* ---- passes ------------------------------------------------------------------------------------------------------ */
/* Shares equal pure values where one dominates the other, folds constants, copies and branches that are decided,
 * and removes unused and unreachable code. Meaning and order of effects stay. If memory runs out, the arena fails. */
void ir_optimise(struct ir *ir);
void ir_dump(const struct ir *ir, FILE *out);

/* An upper bound of the bytes that a pass over the code allocates. */
size_t ir_memory(const struct ir *ir);

/* Assigns registers and spills, and writes the instructions into out, in the arena a. 0; -E2BIG: the program needs
 * more than 512 bytes of stack; -ENOMEM: a has failed. Errors are reported. */
int ir_emit(const struct ir *ir, struct arena *a, struct code *out, const struct reporter *to)
	__attribute__((warn_unused_result));
/* --dump=bpf: one instruction a line, in the notation of the verifier's log. */
void bpf_disasm(const struct bpf_insn *insns, size_t n, FILE *out);
#endif
