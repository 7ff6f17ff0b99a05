/* arch: what programs must know of the machine's registers, one file a machine. Offsets are into the struct pt_regs
 * that the kernel gives to kprobes and perf events. */
#ifndef DWIRE_IR_ARCH_H
#define DWIRE_IR_ARCH_H
#include <stdint.h>

#if defined(__aarch64__)
#include "ir/arch_aarch64.h"
#else
#include "ir/arch_x86_64.h"
#endif

#define ARCH_NARGS (sizeof(arch_args) / sizeof(arch_args[0]))
#endif
