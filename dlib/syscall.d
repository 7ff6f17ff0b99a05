/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall: what sys_enter and sys_exit give. Arguments and numbers are in the registers of the machine: regs_*.d. */
struct dw_sysenter {
	struct pt_regs *regs;
	int64_t nr;
};

/* The errno that a system call returns; 0: none. */
inline int dw_sys_errno[int64_t ret] = ret < 0 && ret >= -DW_MAX_ERRNO ? -ret : 0;
/* Which thread's priority a system call sets: __prio_call[number] */
inline int DW_PRIO_NICE = 1;		/* setpriority */
inline int DW_PRIO_SCHED = 2;		/* sched_setparam, sched_setscheduler, sched_setattr */

struct dw_sysexit {
	struct pt_regs *regs;
	int64_t ret;
};

struct dw_sys {
	struct pt_regs *regs;
	int64_t nr;		/* of a 32-bit program: 1024 more */
	int64_t a0;
	int64_t a1;
	int64_t a2;
	int64_t a3;
	int64_t a4;
	int64_t a5;
	int64_t ret;		/* -1 where the call failed, as C libraries have it */
	int32_t error;		/* errno */
};

translator struct dw_sys < struct dw_sysenter *C > {
	nr = __sysforeign[C->nr] ? __sysnr32[C->nr] : C->nr;
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	a3 = __sysarg3[C->regs];
	a4 = __sysarg4[C->regs];
	a5 = __sysarg5[C->regs];
	ret = 0;
	error = 0;
};

translator struct dw_sys < struct dw_sysexit *C > {
	nr = __sysforeign[__sysnr[C->regs]] ? __sysnr32[__sysnr[C->regs]] : __sysnr[C->regs];
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	a3 = __sysarg3[C->regs];
	a4 = __sysarg4[C->regs];
	a5 = __sysarg5[C->regs];
	ret = dw_sys_errno[C->ret] != 0 ? -1 : C->ret;
	error = dw_sys_errno[C->ret];
};

/* 1: the current thread is in a system call of 32 bits. */
inline int syscall32 = __syscall32;
