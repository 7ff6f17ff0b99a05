/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi_priv: the interface of cfi_run.c, which executes the instructions of call frame information for cfi.c. Source:
 * DWARF 5, section 6.4.2. */
#ifndef DWIRE_SYMBOLS_ELF_CFI_PRIV_H
#define DWIRE_SYMBOLS_ELF_CFI_PRIV_H
#include "symbols/elf/cfi.h"

/* Bytes from p up to end. */
struct span {
	const uint8_t *p, *end;
};

bool span_uleb(struct span *s, uint64_t *out);
/* Reads a number in one of the formats DW_EH_PE_udata2, ...; the caller adds its base. */
bool span_value(struct span *s, uint8_t format, uint64_t *out);

enum cfi_rule_kind {
	RULE_SAME,       /* the caller's value is the same */
	RULE_UNDEFINED,  /* it is lost */
	RULE_OFFSET,     /* it is stored at cfa + off */
	RULE_VAL_OFFSET, /* it is cfa + off */
	RULE_REGISTER,   /* it is in register number off */
	RULE_EXPR,       /* it is stored at the address that expr computes */
	RULE_VAL_EXPR    /* it is the result of expr */
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	int64_t off;
	struct span expr;
};

/* The rules that are in force at one instruction of a function. */
struct cfi_row {
	uint64_t code_align;
	int64_t data_align;
	uint64_t cfa_reg;
	int64_t cfa_off;
	struct span cfa_expr; /* p NULL: none */
	struct cfi_rule rules[CFI_REGS], initial[CFI_REGS];
};

/* Applies the instructions for the addresses from loc to addr to the row. False: one is damaged or unknown. */
bool cfi_run(struct cfi_row *row, struct span ins, uint64_t loc, uint64_t addr);

struct cfi_eval {
	const struct cfi_regs *regs;
	cfi_read *read;
	void *ctx;
};
/* Evaluates a DWARF expression. first: the initial value on its stack, or NULL. False: it cannot be evaluated. */
bool cfi_expr(const struct cfi_eval *e, struct span expr, const uint64_t *first, uint64_t *out);
#endif
