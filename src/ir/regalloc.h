/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regalloc: gives each value of the IR a register or a stack slot, or recomputes it where it is used. Internal to the
 * back end. */
#ifndef DWIRE_IR_REGALLOC_H
#define DWIRE_IR_REGALLOC_H
#include "ir/ir.h"

#define RA_REGS 10 /* R0-R9 */

enum ra_kind {
	RA_NONE,  /* not a value: the frame pointer, the base of spill slots */
	RA_REG,   /* in reg */
	RA_REMAT, /* in no place: the instruction remat recomputes it at each use */
	RA_SLOT,  /* on the stack, in slot */
};

struct reporter;

struct ra_val {
	uint8_t kind;   /* enum ra_kind */
	uint8_t origin; /* RA_REMAT or RA_SLOT: a copy that can be made again; else RA_NONE */
	uint8_t level;  /* 0: of the program, 1: copy for a region, 2: copy for one use */
	bool split;     /* to be replaced by copies in the next rewriting */
	uint8_t reg;
	uint32_t slot;
	uint32_t start, end, uses;   /* live range in positions, see regalloc.c */
	vreg partner;                /* the two should share a place, so that the copy between them costs nothing */
	uint16_t allowed;            /* registers, as bits */
	uint8_t pref[RA_REGS];       /* how much each register is preferred */
	const struct ir_insn *remat; /* borrowed from the IR */
	vreg copy;                   /* while rewriting: the copy that is valid in region, made at instruction made */
	uint32_t region, made;
};

/* While rewriting: a stretch of code in which copies stay valid. */
struct ra_region {
	uint32_t before; /* the one that it goes on from, or 0 */
	uint32_t until;  /* the instruction there before which copies were made that are valid here, too */
};

/* While rewriting: what is known of a label, as control only goes forward. */
struct ra_label {
	uint32_t jumps;         /* that lead to it */
	uint32_t region, calls; /* at the last of them, calls: before it */
	uint32_t at;            /* that one */
};

struct ra {
	struct arena *arena; /* the caller's: all of this lives in it */
	VEC(struct ir_insn) code;
	VEC(struct ra_val) vals; /* by vreg */
	VEC(struct ra_region) regions;
	struct ra_label *labels; /* by number */
	uint32_t nlabels;
	vreg fp;    /* as base: R10 */
	vreg slots; /* as base: R10 + slot_off[off] */
	uint32_t nslots;
	int32_t *slot_off;
	int32_t stack; /* bytes used */
};

/* The memory that ra_run() takes, as a multiple of ir_memory(). */
#define RA_PASSES 2u

/* Places every value of ir; ra->arena is set, the rest zero. 0, or -E2BIG or -EINVAL, which is reported. */
int ra_run(const struct ir *ir, struct ra *ra, const struct reporter *to) __attribute__((warn_unused_result));
#endif
