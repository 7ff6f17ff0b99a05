/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arch_aarch64: arm64. Functions take arguments as in the AAPCS64. */
#ifndef DWIRE_ABI_ARCH_AARCH64_H
#define DWIRE_ABI_ARCH_AARCH64_H

#define ARCH_THREAD_SIZE 16384 /* bytes of a thread's stack in the kernel, without KASAN */
enum { ARCH_REGS_IP = 256, ARCH_REGS_BP = 232, ARCH_REGS_RET = 0, ARCH_REGS_SP = 248, ARCH_REGS_WORDS = 34 };

/* Of the first argument on the stack, at the function's entry. */
#define ARCH_STACK_ARGS 0

/* Other CPUs may see stores in any order. */
#define ARCH_STORES_IN_ORDER 0

/* Of structures of more than two words the address is given. */
#define ARCH_LARGE_BY_ADDRESS 1

/* The first arguments of a function: x0 to x7. */
static const short arch_args[] = { 0, 8, 16, 24, 32, 40, 48, 56 };

/* DWARF's numbers of registers, and where struct pt_regs has them, in words: x0 to x30, sp. */
enum { ARCH_DWARF_FP = 29, ARCH_DWARF_SP = 31, ARCH_DWARF_RA = 30 };
#define ARCH_DWARF_WORDS                                                                                              \
	{                                                                                                             \
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, \
			28, 29, 30, 31                                                                                \
	}

/* The kernel has frame pointers, but a program's own is none of them. */
#define ARCH_ORC 0
/* A stack taken by a program at a tracepoint or at a function begins with this many frames of the program itself. */
#define ARCH_FRAMES_TWICE 1
/* A kprobe is a breakpoint, at which interrupts are off. */
#define ARCH_KPROBE_IRQS_OFF true

/* Before Linux 6.4 the kernel loads programs for its functions (fentry), but does not attach them. */
#define ARCH_FENTRY_TRIED 1

#define ARCH_ELF_MACHINE 183   /* EM_AARCH64 */
#define ARCH_AUDIT 0xc00000b7u /* AUDIT_ARCH_AARCH64 */

#define ARCH_INSN_SIZE 4
#define ARCH_INSN_ALIGN 4
#define ARCH_INSN_RETURN 0xd65f03c0u
#define ARCH_USER_ARG0 regs[0]
#define ARCH_BREAKPOINT 0xd4200000ul /* brk #0 */
#define ARCH_BREAK_MASK 0xfffffffful
#define ARCH_BREAK_SIZE 0
#define ARCH_USER_PC pc

/* The folder of libraries below /lib, as Debian names it. */
#define ARCH_MULTIARCH "aarch64-linux-gnu"

/* System calls: the tables; of the kernel's struct pt_regs the number and arguments, of which the first is kept apart
 * because its register has the result at the call's end. The calls of a 32-bit program (TIF_32BIT) have other numbers,
 * and the same registers. */
#define ARCH_SYSCALLS "prov/system/syscalls_aarch64.def"
#define ARCH_SYSCALLS_32 "prov/system/syscalls_arm.def"
#define ARCH_NR_READ 63
#define ARCH_NR_ACCEPT 202
#define ARCH_NR_ACCEPT4 242
#define ARCH_NR_IO_SUBMIT 2
#define ARCH_NR_SPLICE 76
#define ARCH_CALL_MEMBERS            \
	unsigned long long regs[31]; \
	unsigned long long orig_x0;  \
	int syscallno
#define ARCH_CALL_NR(regs) ((regs)->syscallno)
#define ARCH_CALL_ARG(regs) ((regs)->orig_x0)
#define ARCH_CALL_ARG3(pt) ((pt)->regs[2])

#define ARCH_CALLS_32 1
#define ARCH_THREAD_MEMBERS unsigned long flags
#define ARCH_CALL_IS_32(thread) ((thread)->flags & 1 << 22)
#define ARCH_NR_ACCEPT_32 285
#define ARCH_NR_ACCEPT4_32 366
#define ARCH_NR_IO_SUBMIT_32 246
#define ARCH_NR_SPLICE_32 340
#define ARCH_NR_SOCKETCALL_32 102 /* which arm64's kernel refuses */
#define ARCH_CALL_ARG_32(pt) ((pt)->orig_x0)
#define ARCH_CALL_ARG2_32(pt) ((pt)->regs[1])
#define ARCH_CALL_ARG3_32(pt) ((pt)->regs[2])
#endif
