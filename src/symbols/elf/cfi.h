/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi: from a frame of a stack to its caller's, by the tables that compilers write for exceptions (.eh_frame): for
 * programs without frame pointers. */
#ifndef DWIRE_SYMBOLS_ELF_CFI_H
#define DWIRE_SYMBOLS_ELF_CFI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CFI_REGS 33 /* x86_64: 0 to 16; arm64: x0 to x30, sp, 32 its state */

struct cfi;

struct cfi_regs {
	uint64_t v[CFI_REGS]; /* by DWARF's numbers */
	uint64_t pc;
};

/* Reads a word of the process's memory; false: it is not known. */
typedef bool cfi_read(void *ctx, uint64_t addr, uint64_t *word);

/* NULL: the file has no such table, or a damaged one. */
struct cfi *cfi_open(const char *file);
struct cfi *cfi_memory(void *image, size_t len);
void cfi_free(struct cfi *c); /* NULL is fine */
/* addr: of an instruction of the function, as the file has it. False: nothing is known of it, or the stack ends. */
bool cfi_step(const struct cfi *c, uint64_t addr, struct cfi_regs *r, cfi_read *read, void *ctx);
#endif
