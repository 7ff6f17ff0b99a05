/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preempt: does the kernel take the CPU from a thread that is in the kernel, and so in a BPF program? While a program
 * at a function (fentry, fexit) or a typed tracepoint waits for the CPU, the kernel runs it for no other thread on that
 * CPU: those firings are missed. The CPU is not taken from a program at a kprobe. */
#ifndef DWIRE_KERNEL_PREEMPT_H
#define DWIRE_KERNEL_PREEMPT_H
#include <stdbool.h>

/* The kernel is built to do so, with PREEMPT_RT also where softirqs are off; or it is decided when it boots, or later,
 * by the mode. */
enum preempts { PREEMPTS_NOT, PREEMPTS, PREEMPTS_SOFTIRQS, PREEMPTS_BY_MODE, PREEMPTS_UNKNOWN };

/* Does the running kernel preempt? Sources: the version of uname(2); with PREEMPT_DYNAMIC the kernel's variable
 * preempt_dynamic_mode, or the mode in debugfs. If none can be read, true for Linux 7.0 and later. */
bool preempt_read(void);
/* Does it take the CPU from what runs with softirqs off? Source: the version of uname(2). */
bool preempt_softirqs(void);

/* From uname(2)'s version: "#1 SMP PREEMPT_DYNAMIC Debian 6.12.117-1". */
enum preempts preempt_of_version(const char *version);
/* From sched/preempt of debugfs: "none voluntary full (lazy)". */
enum preempts preempt_of_modes(const char *text);
/* From preempt_dynamic_mode. */
enum preempts preempt_of_mode(int mode);
#endif
