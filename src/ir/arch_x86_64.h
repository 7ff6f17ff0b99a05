/* arch_x86_64: registers of x86_64, whose functions take arguments as the System V ABI says. */
#ifndef DWIRE_IR_ARCH_X86_64_H
#define DWIRE_IR_ARCH_X86_64_H
#include <stdint.h>

enum { ARCH_REGS_IP = 128, ARCH_REGS_BP = 32, ARCH_REGS_RET = 80, ARCH_REGS_SP = 152 };

/* Of the first argument on the stack, at the function's entry: above the return address. */
#define ARCH_STACK_ARGS 8

/* Structures of more than two words are on the stack themselves. */
#define ARCH_LARGE_BY_ADDRESS 0

/* The first arguments of a function: di, si, dx, cx, r8, r9. */
static const int16_t arch_args[] = { 112, 104, 96, 88, 72, 64 };
#endif
