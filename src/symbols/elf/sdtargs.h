/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdtargs: where a compiler put the arguments of a static probe. Input: assembler operands, "-4@%edi
 * 8@8(%rbp,%rax,4)". */
#ifndef DWIRE_SYMBOLS_ELF_SDTARGS_H
#define DWIRE_SYMBOLS_ELF_SDTARGS_H
#include "image/probe.h"

#define SDT_ARGS_MAX 12
enum sdt_machine { SDT_X86_64, SDT_AARCH64 };
/* The machine that dwire is built for. */
enum sdt_machine sdt_own_machine(void);

/* Fills v, which has room for SDT_ARGS_MAX arguments, and returns their number. An operand of unknown form gets the
 * kind UARG_NONE. */
size_t sdt_args_parse(enum sdt_machine m, const char *text, struct uarg *v);
/* The D type of an argument, from its size and sign. */
const char *sdt_arg_type(const struct uarg *a);
#endif
