/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn: finds where machine instructions begin and end. A probe in the middle of an instruction would crash the
 * process.
 * Input: the bytes of a function. Output: lengths and offsets, in bytes.
 * Invariant: no byte beyond the size is read. Sources: Intel SDM volume 2, appendix A (opcode maps); Arm ARM, C4 (every
 * instruction has 4 bytes). */
#ifndef DWIRE_SYMBOLS_ELF_INSN_H
#define DWIRE_SYMBOLS_ELF_INSN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the x86-64 instruction at p; n bytes can be read. 0: not an instruction, or longer than n. Built on every
 * machine for tests and fuzzers; other callers use insn_length(). */
size_t insn_length_x86(const uint8_t *p, size_t n);

/* The same for the architecture that dwire is built for. */
size_t insn_length(const uint8_t *p, size_t n);
/* The offset of the function's only instruction that returns. 0: it has several or none, or cannot be decoded. */
size_t insn_only_return(const uint8_t *code, size_t size);
/* Does the kernel refuse a uprobe on the instruction at p? dwire must know it early: the kernel refuses only when the
 * probe is attached, after all other work. */
bool insn_refused(const uint8_t *p, size_t n);

enum insn_place { INSN_START, INSN_MIDDLE, INSN_UNKNOWN };
/* Does an instruction begin at this offset of the function? INSN_UNKNOWN: it cannot be decoded that far. */
enum insn_place insn_at(const uint8_t *code, size_t size, size_t off);
#endif
