/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code: a program's BPF instructions, and what must be done to them before the kernel can load them. src/ir makes it,
 * in the compilation's arena; src/load patches a copy. */
#ifndef DWIRE_IMAGE_CODE_H
#define DWIRE_IMAGE_CODE_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag/diag.h"
#include "base/vec.h"

/* The code from this instruction on was compiled from this place of the script. The report of a refused program and
 * --dump=bpf show it. */
struct code_line {
	uint32_t insn;
	struct loc loc;
};

/* What the immediate value of an instruction becomes. */
enum code_ref {
	CODE_MAP,   /* the descriptor of a map */
	CODE_VALUE, /* likewise, BPF_PSEUDO_MAP_VALUE: the second half's imm is the offset */
	CODE_WRAP,  /* of the map of rings: the bits of a position that say where it is in the data */
	CODE_RINGS, /* of the map of rings: how many there are */
};
struct code_mapref {
	uint32_t insn, map; /* map: index in image.maps */
	enum code_ref kind;
};

/* A function of the program begins at this instruction. */
struct code_func {
	uint32_t insn;
	int32_t shape; /* index in lib_shapes; -1: checked where it is called */
};

struct code {
	struct bpf_insn *insns;
	size_t n; /* instructions; a 64-bit load counts as two */
	VEC(struct code_mapref) maps;
	VEC(struct code_line) lines; /* ascending */
	VEC(struct code_func) funcs; /* in order of insn; empty: it is one function */
	bool callbacks;              /* one of them is a callback of bpf_loop() */
	bool typed;    /* ... or may be checked alone (lib_shapes of src/ir/ir.h): then the kernel requires
				      * the types of all functions */
	int32_t stack; /* bytes of stack that the deepest chain of calls uses, as the kernel counts them: at most 512 */
	int32_t frame; /* ... its own part of that */
};

/* Does the instruction call a function of the program, or take the address of one (the body of a loop)? Its imm is then
 * the distance from the next instruction. */
static inline bool code_names_function(const struct bpf_insn *in)
{
	return (in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL) ||
		(in->code == (BPF_LD | BPF_IMM | BPF_DW) && in->src_reg == BPF_PSEUDO_FUNC);
}
#endif
