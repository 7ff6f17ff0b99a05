/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inlines: finds inlined functions by the DWARF of a program. Files are read in the sandbox, which keeps the last few
 * open. */
#ifndef DWIRE_SYMBOLS_ELF_INLINES_H
#define DWIRE_SYMBOLS_ELF_INLINES_H
#include "symbols/sandbox/sandbox.h"

#define INLINES_NAMES 32    /* at one address */
#define INLINES_TEXT 16384u /* bytes of all names at one address */

/* Names, each followed by a NUL, the innermost function first. */
struct inlines {
	size_t n, len;
	char text[INLINES_TEXT];
};

/* The functions inlined at an address of the file, by their linkage names if DWARF has them. The function that contains
 * them is not included. id: a number unique to the file. s NULL: read in this process. 0; -ENOEXEC: not an ELF file;
 * -ENOENT: it has no DWARF; -errno of sandbox_run(). */
int inlines_at(struct sandbox *s, int fd, uint64_t id, uint64_t addr, struct inlines *out)
	__attribute__((warn_unused_result));
#endif
