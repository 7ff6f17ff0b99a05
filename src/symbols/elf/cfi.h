/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi: unwinds a stack by one frame, for programs without frame pointers. It uses the tables that compilers write for
 * exceptions (.eh_frame). Files are read in the sandbox. */
#ifndef DWIRE_SYMBOLS_ELF_CFI_H
#define DWIRE_SYMBOLS_ELF_CFI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/sandbox/sandbox.h"

#define CFI_REGS 33 /* x86_64: 0 to 16; arm64: x0 to x30, sp, and 32: state of return address signing */
#define CFI_MOST ((size_t)128 << 20) /* bytes of one file's tables */

struct cfi;

struct cfi_regs {
	uint64_t v[CFI_REGS]; /* by DWARF's numbers */
	uint64_t pc;
};

/* Reads a word of the process's memory; false: it is not known. */
typedef bool cfi_read(void *ctx, uint64_t addr, uint64_t *word);

/* The table of the open file. s NULL: read in this process. 0; -ENOENT: it has none, or a damaged one; -ENOEXEC: not an
 * ELF file; -errno as of sandbox_run(). */
int cfi_open(struct sandbox *s, int fd, struct cfi **out) __attribute__((warn_unused_result));
/* The table of a trusted image in memory. NULL: there is none. */
struct cfi *cfi_memory(void *image, size_t len);
void cfi_free(struct cfi *c); /* NULL is fine */
size_t cfi_bytes(const struct cfi *c);
/* Replaces the registers by the caller's. addr: the instruction's address in the file. False: the table does not cover
 * it, or the stack ends. */
bool cfi_step(const struct cfi *c, uint64_t addr, struct cfi_regs *r, cfi_read *read, void *ctx);
#endif
