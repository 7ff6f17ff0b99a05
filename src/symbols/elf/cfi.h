/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi: from a frame of a stack to its caller's, by the tables that compilers write for exceptions (.eh_frame): for
 * programs without frame pointers. Files are read in the sandbox. */
#ifndef DWIRE_SYMBOLS_ELF_CFI_H
#define DWIRE_SYMBOLS_ELF_CFI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/sandbox/sandbox.h"

#define CFI_REGS 33                  /* x86_64: 0 to 16; arm64: x0 to x30, sp, 32 its state */
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
/* That of a trusted image in memory. NULL: there is none. */
struct cfi *cfi_memory(void *image, size_t len);
void cfi_free(struct cfi *c); /* NULL is fine */
size_t cfi_bytes(const struct cfi *c);
/* addr: of an instruction of the function, as the file has it. False: nothing is known of it, or the stack ends. */
bool cfi_step(const struct cfi *c, uint64_t addr, struct cfi_regs *r, cfi_read *read, void *ctx);
#endif
