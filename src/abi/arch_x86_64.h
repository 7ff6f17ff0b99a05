/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arch_x86_64: x86_64. Functions take arguments as in the System V ABI. */
#ifndef DWIRE_ABI_ARCH_X86_64_H
#define DWIRE_ABI_ARCH_X86_64_H

#define ARCH_THREAD_SIZE 16384 /* bytes of a thread's stack in the kernel, without KASAN */
enum { ARCH_REGS_IP = 128, ARCH_REGS_BP = 32, ARCH_REGS_RET = 80, ARCH_REGS_SP = 152, ARCH_REGS_WORDS = 21 };

/* Of the first argument on the stack, at the function's entry: above the return address. */
#define ARCH_STACK_ARGS 8

/* Other CPUs see stores in the order in which a CPU makes them. */
#define ARCH_STORES_IN_ORDER 1

/* Structures of more than two words are on the stack themselves. */
#define ARCH_LARGE_BY_ADDRESS 0

/* The first arguments of a function: di, si, dx, cx, r8, r9. */
static const short arch_args[] = { 112, 104, 96, 88, 72, 64 };

/* DWARF's numbers of registers, and where struct pt_regs has them, in words: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8
 * to r15, rip. */
enum { ARCH_DWARF_FP = 6, ARCH_DWARF_SP = 7, ARCH_DWARF_RA = 16 };
#define ARCH_DWARF_WORDS                                                 \
	{                                                                \
		10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 \
	}

/* The kernel has a table of its frames, ORC, instead of frame pointers. */
#define ARCH_ORC 1
#define ARCH_FRAMES_TWICE 0
/* At a function's first instruction ftrace calls a kprobe, with interrupts as they were. */
#define ARCH_KPROBE_IRQS_OFF false

/* A program for a function of the kernel (fentry) that can be loaded can be attached. */
#define ARCH_FENTRY_TRIED 0

#define ARCH_ELF_MACHINE 62    /* EM_X86_64 */
#define ARCH_AUDIT 0xc000003eu /* AUDIT_ARCH_X86_64 */

#define ARCH_INSN_SIZE 0 /* instructions are of several lengths */
#define ARCH_INSN_ALIGN 1
#define ARCH_USER_ARG0 rdi     /* of struct user_regs_struct */
#define ARCH_BREAKPOINT 0xccul /* int3 */
#define ARCH_BREAK_MASK 0xfful
#define ARCH_BREAK_SIZE 1 /* how far behind it a process stops */
#define ARCH_USER_PC rip  /* in struct user_regs_struct */

/* The folder of libraries below /lib, as Debian names it. */
#define ARCH_MULTIARCH "x86_64-linux-gnu"

/* System calls: the tables; of the kernel's struct pt_regs the number and arguments, as they are at the call's end
 * too. A task in a call of a 32-bit program (TS_COMPAT) has other numbers and registers. */
#define ARCH_SYSCALLS "prov/system/syscalls_x86_64.def"
#define ARCH_SYSCALLS_32 "prov/system/syscalls_ia32.def"
#define ARCH_NR_READ 0
#define ARCH_NR_ACCEPT 43
#define ARCH_NR_ACCEPT4 288
#define ARCH_NR_IO_SUBMIT 209
#define ARCH_NR_SPLICE 275
#define ARCH_CALL_MEMBERS unsigned long bx, cx, dx, di, orig_ax
#define ARCH_CALL_NR(regs) ((regs)->orig_ax)
#define ARCH_CALL_ARG(regs) ((regs)->di)
#define ARCH_CALL_ARG3(regs) ((regs)->dx)

#define ARCH_CALLS_32 1
#define ARCH_THREAD_MEMBERS unsigned int status
#define ARCH_CALL_IS_32(thread) ((thread)->status & 2)
#define ARCH_NR_ACCEPT_32 364 /* there is no accept, only accept4 */
#define ARCH_NR_ACCEPT4_32 364
#define ARCH_NR_IO_SUBMIT_32 248
#define ARCH_NR_SPLICE_32 313
#define ARCH_NR_SOCKETCALL_32 102 /* its arguments are in the user's memory, 4 bytes each */
#define ARCH_CALL_ARG_32(regs) ((regs)->bx)
#define ARCH_CALL_ARG2_32(regs) ((regs)->cx)
#define ARCH_CALL_ARG3_32(regs) ((regs)->dx)
#endif
