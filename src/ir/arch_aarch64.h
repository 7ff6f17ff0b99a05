/* arch_aarch64: registers of arm64, whose functions take arguments as the AAPCS64 says. */
#ifndef DWIRE_IR_ARCH_AARCH64_H
#define DWIRE_IR_ARCH_AARCH64_H
#include <stdint.h>

enum { ARCH_REGS_IP = 256, ARCH_REGS_BP = 232, ARCH_REGS_RET = 0, ARCH_REGS_SP = 248 };

/* Of the first argument on the stack, at the function's entry. */
#define ARCH_STACK_ARGS 0

/* Of structures of more than two words the address is given. */
#define ARCH_LARGE_BY_ADDRESS 1

/* The first arguments of a function: x0 to x7. */
static const int16_t arch_args[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
#endif
