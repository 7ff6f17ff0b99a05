/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arch: facts about the machine, one file for each: registers, calling convention, instructions, system calls.
 * Offsets are into the struct pt_regs that the kernel gives to kprobes and perf events. dlib/regs_*.d has D's names of
 * registers, prov/system/syscalls_*.def those of system calls. The BPF C uses this file too. */
#ifndef DWIRE_ABI_ARCH_H
#define DWIRE_ABI_ARCH_H

#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#include "abi/arch_aarch64.h"
#else
#include "abi/arch_x86_64.h"
#endif

#define ARCH_NARGS (sizeof(arch_args) / sizeof(arch_args[0]))
#endif
