/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regs_aarch64: what depends on the architecture arm64: the indexes of uregs[], which are places in the kernel's
 * struct pt_regs, and the numbers and arguments of system calls. dlib/regs_x86_64.d defines the same names; a build
 * contains one of the two. */
inline int R_X0 = 0;
inline int R_X1 = 1;
inline int R_X2 = 2;
inline int R_X3 = 3;
inline int R_X4 = 4;
inline int R_X5 = 5;
inline int R_X6 = 6;
inline int R_X7 = 7;
inline int R_X8 = 8;
inline int R_X9 = 9;
inline int R_X10 = 10;
inline int R_X11 = 11;
inline int R_X12 = 12;
inline int R_X13 = 13;
inline int R_X14 = 14;
inline int R_X15 = 15;
inline int R_X16 = 16;
inline int R_X17 = 17;
inline int R_X18 = 18;
inline int R_X19 = 19;
inline int R_X20 = 20;
inline int R_X21 = 21;
inline int R_X22 = 22;
inline int R_X23 = 23;
inline int R_X24 = 24;
inline int R_X25 = 25;
inline int R_X26 = 26;
inline int R_X27 = 27;
inline int R_X28 = 28;
inline int R_X29 = 29;
inline int R_X30 = 30;
inline int R_LR = 30;
inline int R_SP = 31;
inline int R_PC = 32;
inline int R_PSTATE = 33;
inline int R_PS = 33;
inline int R_FP = 29;
inline int R_R0 = 0;
inline int R_R1 = 1;
inline int __nregs = 34;
inline uint64_t __reg[int r] = ((uint64_t *)__regs())[r];

inline int __syscall_of[struct task_struct *T] = __regs() == NULL ? -1 : __regs()->syscallno;
inline int __is32[struct task_struct *T] = (T->thread_info.flags >> 22) & 1;

/* System calls: the number, the arguments, and whether the call is one of 32 bits (TIF_32BIT of the thread). */
inline int __syscall32 = (curthread->thread_info.flags >> 22) & 1;
inline int64_t __sysnr[struct pt_regs *R] = R->syscallno;
inline int64_t __sysarg0[struct pt_regs *R] = R->orig_x0;
inline int64_t __sysarg1[struct pt_regs *R] = R->regs[1];
inline int64_t __sysarg2[struct pt_regs *R] = R->regs[2];
inline int64_t __sysarg3[struct pt_regs *R] = R->regs[3];
inline int64_t __sysarg4[struct pt_regs *R] = R->regs[4];
inline int64_t __sysarg5[struct pt_regs *R] = R->regs[5];
inline int __sysforeign[int64_t N] = __syscall32;
inline int64_t __sysnr32[int64_t N] = N >= 0 && N < 512 ? N + 1024 : -1;	/* the others are arm's own */
/* Native numbers of the calls that tables and translators name. */
inline int64_t __nr_of[int64_t N] = !__syscall32 ? N : N == 3 ? 63 : N == 4 ? 64 : N == 180 ? 67 : N == 181 ? 68 :
    N == 145 ? 65 : N == 146 ? 66 : N == 361 ? 69 : N == 362 ? 70 : N == 392 ? 286 : N == 393 ? 287 : N == 11 ? 221 :
    N == 387 ? 281 : N == 120 ? 220 : N == 435 ? 435 : N == 177 || N == 421 ? 137 : N == 97 ? 140 : -1;
inline int64_t __nr_close = 57;
inline int64_t __nr_socket = 198;
inline int64_t __nr_connect = 203;
inline int64_t __nr_accept = 202;
inline int64_t __nr_sendto = 206;
inline int64_t __nr_sendmsg = 211;
inline int64_t __nr_sendfile = 71;
inline int64_t __nr_sendmmsg = 269;
inline int64_t __nr_recvmsg = 212;
inline int64_t __nr_bind = 200;
inline int64_t __nr_listen = 201;
inline int64_t __nr_socketpair = 199;
inline int64_t __nr_accept4 = 242;
inline int64_t __nr_splice = 76;
inline int64_t __nr_execve = 221;
inline int64_t __nr_execveat = 281;
inline int64_t __nr_sigtimedwait = 137;
/* Calls on files; -2: arm64 does not have the call. */
inline int64_t __nr_open = -2;
inline int64_t __nr_stat = -2;
inline int64_t __nr_fstat = 80;
inline int64_t __nr_lstat = -2;
inline int64_t __nr_lseek = 62;
inline int64_t __nr_mmap = 222;
inline int64_t __nr_ioctl = 29;
inline int64_t __nr_access = -2;
inline int64_t __nr_flock = 32;
inline int64_t __nr_fsync = 82;
inline int64_t __nr_fdatasync = 83;
inline int64_t __nr_truncate = 45;
inline int64_t __nr_ftruncate = 46;
inline int64_t __nr_getdents = -2;
inline int64_t __nr_rename = -2;
inline int64_t __nr_mkdir = -2;
inline int64_t __nr_rmdir = -2;
inline int64_t __nr_creat = -2;
inline int64_t __nr_link = -2;
inline int64_t __nr_unlink = -2;
inline int64_t __nr_symlink = -2;
inline int64_t __nr_readlink = -2;
inline int64_t __nr_chmod = -2;
inline int64_t __nr_fchmod = 52;
inline int64_t __nr_chown = -2;
inline int64_t __nr_fchown = 55;
inline int64_t __nr_lchown = -2;
inline int64_t __nr_getdents64 = 61;
inline int64_t __nr_openat = 56;
inline int64_t __nr_mkdirat = 34;
inline int64_t __nr_fchownat = 54;
inline int64_t __nr_newfstatat = 79;
inline int64_t __nr_unlinkat = 35;
inline int64_t __nr_renameat = 38;
inline int64_t __nr_linkat = 37;
inline int64_t __nr_symlinkat = 36;
inline int64_t __nr_readlinkat = 78;
inline int64_t __nr_fchmodat = 53;
inline int64_t __nr_faccessat = 48;
inline int64_t __nr_utimensat = 88;
inline int64_t __nr_fallocate = 47;
inline int64_t __nr_renameat2 = 276;
inline int64_t __nr_statx = 291;
inline int64_t __nr_openat2 = 437;
inline int64_t __nr_nanosleep = 101;
inline int64_t __nr_clone = 220;
inline int64_t __nr_fork = -2;
inline int64_t __nr_clock_nanosleep = 115;
inline int64_t __nr_faccessat2 = 439;
inline int __is_fork[int64_t N] = N == 220 || N == 435;
inline int __is_read[int64_t N] = N == 63 || N == 65 || N == 67 || N == 69 || N == 286;
inline int __is_write[int64_t N] = N == 64 || N == 66 || N == 68 || N == 70 || N == 287;
inline int __is_msg[int64_t N] = N == 188 || N == 189;
inline int __is_sem[int64_t N] = N == 192 || N == 193;
inline int __cpu_of[struct task_struct *T] = __has(T->thread_info.cpu) ? T->thread_info.cpu : T->cpu;
inline int __prio_call[int64_t N] = N == 140 ? DW_PRIO_NICE : N == 118 || N == 119 || N == 274 ?
    DW_PRIO_SCHED : 0;
