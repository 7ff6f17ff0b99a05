/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inlines: functions that a compiler has put into others, by the DWARF of a program. */
#ifndef DWIRE_SYMBOLS_ELF_INLINES_H
#define DWIRE_SYMBOLS_ELF_INLINES_H
#include <stddef.h>
#include <stdint.h>

struct inlines;

/* NULL: the file has no DWARF. */
struct inlines *inlines_open(const char *file);
void inlines_free(struct inlines *in); /* NULL is fine */
/* The functions that are inlined at the address (as the file has it), the innermost first: names as the linker would
 * have them where that is told. How many; the function that holds them is not among them. */
size_t inlines_at(struct inlines *in, uint64_t addr, const char **names, size_t max);
#endif
