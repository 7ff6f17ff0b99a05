/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inlines: functions that a compiler has put into others, by the DWARF of a program. Files are read in the sandbox,
 * which keeps the last few open. */
#ifndef DWIRE_SYMBOLS_ELF_INLINES_H
#define DWIRE_SYMBOLS_ELF_INLINES_H
#include "symbols/sandbox/sandbox.h"

#define INLINES_NAMES 32    /* at one address */
#define INLINES_TEXT 16384u /* bytes of all names at one address */

/* Names, each with its NUL, one behind the other: the innermost function first. */
struct inlines {
	size_t n, len;
	char text[INLINES_TEXT];
};

/* The functions that are inlined at the address (as the file has it): names as the linker would have them, where they
 * are known. The function that holds them is not among them. id: any number that is the file's alone. s NULL: in this
 * process. 0; -ENOEXEC: not an ELF file; -ENOENT: it has no DWARF; -errno as of sandbox_run(). */
int inlines_at(struct sandbox *s, int fd, uint64_t id, uint64_t addr, struct inlines *out)
	__attribute__((warn_unused_result));
#endif
