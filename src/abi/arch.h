/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arch: what depends on the machine, one file a machine: registers, calling convention, instructions, system calls,
 * which tables there are. Offsets are into the struct pt_regs that the kernel gives to kprobes and perf events. The
 * names that D has for registers are in dlib/regs_*.d, those of system calls in prov/syscalls_*.def. For bpf/ too. */
#ifndef DWIRE_ABI_ARCH_H
#define DWIRE_ABI_ARCH_H

#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#include "abi/arch_aarch64.h"
#else
#include "abi/arch_x86_64.h"
#endif

#define ARCH_NARGS (sizeof(arch_args) / sizeof(arch_args[0]))
#endif
