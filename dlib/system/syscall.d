/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall: sites of the syscall provider: the arguments of sys_enter and sys_exit. Output: struct dw_sys. Numbers and
 * arguments of calls come from the machine's registers: dlib/regs_*.d. */
struct dw_sysenter {
	struct pt_regs *regs;
	int64_t nr;
};

/* The errno that a system call returns; 0: none. */
inline int dw_sys_errno[int64_t ret] = ret < 0 && ret >= -DW_MAX_ERRNO ? -ret : 0;
/* Kinds of system calls that set a thread's priority: __prio_call[number]. */
inline int DW_PRIO_NICE = 1;		/* setpriority */
inline int DW_PRIO_SCHED = 2;		/* sched_setparam, sched_setscheduler, sched_setattr */

struct dw_sysexit {
	struct pt_regs *regs;
	int64_t ret;
};

struct dw_sys {
	struct pt_regs *regs;
	int64_t nr;		/* of a 32-bit program: its number plus 1024 (FOREIGN) */
	int64_t a0;
	int64_t a1;
	int64_t a2;
	int64_t a3;
	int64_t a4;
	int64_t a5;
	int64_t ret;		/* -1 where the call failed, as C libraries have it */
	int32_t error;		/* errno */
};

inline int64_t dw_sys_nr[int64_t N] = __sysforeign[N] ? __sysnr32[N] : N;

translator struct dw_sys < struct dw_sysenter *C > {
	nr = dw_sys_nr[C->nr];
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
	nr = dw_sys_nr[__sysnr[C->regs]];
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	a3 = __sysarg3[C->regs];
	a4 = __sysarg4[C->regs];
	a5 = __sysarg5[C->regs];
	ret = dw_sys_errno[C->ret] != 0 ? -1 : C->ret;
	error = dw_sys_errno[C->ret];
};

/* -x legacycalls: a call of a 64-bit program that does what an old call did is that call, with that call's arguments.
 * Only what the registers prove is taken. The machine may lack the old call (-2). */
inline int DW_AT_FDCWD = -100;
inline int DW_AT_SYMLINK_NOFOLLOW = 0x100;
inline int DW_AT_NO_AUTOMOUNT = 0x800;	/* stat() and lstat() imply it */
inline int DW_CLOCK_REALTIME = 0;
inline int DW_CLONE_FORK = 17;		/* SIGCHLD */
inline int DW_CLONE_TIDS = 0x1300000;	/* where to write the child's number */
inline int dw_is_here[struct pt_regs *R] = (int)__sysarg0[R] == DW_AT_FDCWD;
inline int64_t dw_stat_flags[struct pt_regs *R] = (int)__sysarg3[R] & ~DW_AT_NO_AUTOMOUNT;
inline int64_t dw_old_stat[struct pt_regs *R] = !dw_is_here[R] ? -2 : dw_stat_flags[R] == 0 ? __nr_stat :
    dw_stat_flags[R] == DW_AT_SYMLINK_NOFOLLOW ? __nr_lstat : -2;
inline int dw_is_fork[struct pt_regs *R] = (__sysarg0[R] & ~DW_CLONE_TIDS) == DW_CLONE_FORK && __sysarg1[R] == 0;
inline int64_t dw_old[int64_t N, struct pt_regs *R] = __sysforeign[N] ? -2 :
    N == __nr_openat ? (dw_is_here[R] ? __nr_open : -2) :
    N == __nr_newfstatat ? dw_old_stat[R] :
    N == __nr_clone ? (dw_is_fork[R] ? __nr_fork : -2) :
    N == __nr_clock_nanosleep ? (__sysarg0[R] == DW_CLOCK_REALTIME && __sysarg1[R] == 0 ? __nr_nanosleep : -2) : -2;
inline int64_t dw_old_nr[int64_t N, struct pt_regs *R] = dw_old[N, R] == -2 ? dw_sys_nr[N] : dw_old[N, R];
/* How many arguments the new call has in front of those of the old one. */
inline int dw_old_shift[int64_t N, struct pt_regs *R] = dw_old[N, R] == -2 ? 0 :
    N == __nr_openat || N == __nr_newfstatat ? 1 : N == __nr_clock_nanosleep ? 2 : 0;

struct dw_oldenter {
	struct pt_regs *regs;
	int64_t nr;
};
struct dw_oldexit {
	struct pt_regs *regs;
	int64_t ret;
};

inline int64_t dw_old_arg[int shift, int64_t here, int64_t next, int64_t second] = shift == 0 ? here :
    shift == 1 ? next : second;

translator struct dw_sys < struct dw_oldenter *C > {
	nr = dw_old_nr[C->nr, C->regs];
	a0 = dw_old_arg[dw_old_shift[C->nr, C->regs], __sysarg0[C->regs], __sysarg1[C->regs], __sysarg2[C->regs]];
	a1 = dw_old_arg[dw_old_shift[C->nr, C->regs], __sysarg1[C->regs], __sysarg2[C->regs], __sysarg3[C->regs]];
	a2 = dw_old_arg[dw_old_shift[C->nr, C->regs], __sysarg2[C->regs], __sysarg3[C->regs], __sysarg4[C->regs]];
	a3 = dw_old_arg[dw_old_shift[C->nr, C->regs], __sysarg3[C->regs], __sysarg4[C->regs], __sysarg5[C->regs]];
	a4 = dw_old_arg[dw_old_shift[C->nr, C->regs], __sysarg4[C->regs], __sysarg5[C->regs], 0];
	a5 = dw_old_arg[dw_old_shift[C->nr, C->regs], __sysarg5[C->regs], 0, 0];
	ret = 0;
	error = 0;
};

translator struct dw_sys < struct dw_oldexit *C > {
	nr = dw_old_nr[__sysnr[C->regs], C->regs];
	ret = dw_sys_errno[C->ret] != 0 ? -1 : C->ret;
	error = dw_sys_errno[C->ret];
};

/* 1: the current thread is in a 32-bit system call. */
inline int syscall32 = __syscall32;
