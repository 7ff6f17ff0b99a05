/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn: where a machine's instructions begin, as far as is needed not to put a probe into the middle of one. */
#ifndef DWIRE_SYMBOLS_ELF_INSN_H
#define DWIRE_SYMBOLS_ELF_INSN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the x86-64 instruction at p, of which n bytes are there; 0: it is none, or not whole. */
size_t insn_length_x86(const uint8_t *p, size_t n);

/* Length of the instruction of this machine at p; 0: it is none, or not whole. */
size_t insn_length(const uint8_t *p, size_t n);
/* Where the function's only instruction is that returns; 0: it has several, none, or cannot be read to its end. */
size_t insn_only_return(const uint8_t *code, size_t size);
/* Does the kernel put no uprobe on the instruction at p? It says so only when it tries, after the work for all
 * others. */
bool insn_refused(const uint8_t *p, size_t n);

enum insn_place { INSN_START, INSN_MIDDLE, INSN_UNKNOWN };
/* What is at this offset of a function of this machine, whose code begins at code? UNKNOWN: it cannot be read so
 * far. */
enum insn_place insn_at(const uint8_t *code, size_t size, size_t off);
#endif
