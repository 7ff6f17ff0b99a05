/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regs_x86_64: what depends on the architecture x86-64: the indexes of uregs[], which are places in the kernel's
 * struct pt_regs, and the numbers and arguments of system calls. dlib/regs_aarch64.d defines the same names; a build
 * contains one of the two. */
inline int R_R15 = 0;
inline int R_R14 = 1;
inline int R_R13 = 2;
inline int R_R12 = 3;
inline int R_RBP = 4;
inline int R_RBX = 5;
inline int R_R11 = 6;
inline int R_R10 = 7;
inline int R_R9 = 8;
inline int R_R8 = 9;
inline int R_RAX = 10;
inline int R_RCX = 11;
inline int R_RDX = 12;
inline int R_RSI = 13;
inline int R_RDI = 14;
inline int R_TRAPNO = 15;	/* number of the system call, or error code of the trap */
inline int R_ERR = 15;
inline int R_RIP = 16;
inline int R_CS = 17;
inline int R_RFL = 18;
inline int R_RSP = 19;
inline int R_SS = 20;
/* Not in struct pt_regs but in the thread: the values when the thread last left its CPU or set them. */
inline int R_GS = 21;
inline int R_FS = 22;
inline int R_ES = 23;
inline int R_DS = 24;
inline int R_FSBASE = 25;
inline int R_GSBASE = 26;
inline int R_EBP = 4;
inline int R_EBX = 5;
inline int R_EAX = 10;
inline int R_ECX = 11;
inline int R_EDX = 12;
inline int R_ESI = 13;
inline int R_EDI = 14;
inline int R_EIP = 16;
inline int R_EFL = 18;
inline int R_ESP = 19;
inline int R_UESP = 19;
inline int R_PC = 16;
inline int R_SP = 19;
inline int R_FP = 4;
inline int R_PS = 18;
inline int R_R0 = 10;
inline int R_R1 = 12;
inline int __nregs = 27;
inline uint64_t __thread_reg[int r] = r == R_GS ? curthread->thread.gsindex : r == R_FS ? curthread->thread.fsindex :
    r == R_ES ? curthread->thread.es : r == R_DS ? curthread->thread.ds :
    r == R_FSBASE ? curthread->thread.fsbase : curthread->thread.gsbase;
inline uint64_t __reg[int r] = r > R_SS ? __thread_reg[r] : ((uint64_t *)__regs())[r];

inline int __syscall_of[struct task_struct *T] = __regs() == NULL ? -1 : __regs()->orig_ax;
inline int __is32[struct task_struct *T] = (T->thread_info.flags >> 29) & 1;

/* System calls: the number, the arguments, and whether the call is one of 32 bits (int 0x80 too) or of x32. */
inline int __syscall32 = (curthread->thread_info.status & 2) != 0;
inline int64_t __sysnr[struct pt_regs *R] = (int32_t)R->orig_ax;
inline int64_t __sysarg0[struct pt_regs *R] = __syscall32 ? (uint32_t)R->bx : R->di;
inline int64_t __sysarg1[struct pt_regs *R] = __syscall32 ? (uint32_t)R->cx : R->si;
inline int64_t __sysarg2[struct pt_regs *R] = __syscall32 ? (uint32_t)R->dx : R->dx;
inline int64_t __sysarg3[struct pt_regs *R] = __syscall32 ? (uint32_t)R->si : R->r10;
inline int64_t __sysarg4[struct pt_regs *R] = __syscall32 ? (uint32_t)R->di : R->r8;
inline int64_t __sysarg5[struct pt_regs *R] = __syscall32 ? (uint32_t)R->bp : R->r9;
inline int __sysforeign[int64_t N] = __syscall32 || (N & 0x40000000) != 0;
inline int64_t __sysnr32[int64_t N] = N >= 0 && N < 512 ? N + 1024 : -1;	/* numbers of x32 are not known */
/* Native numbers of the calls that tables and translators name. */
inline int64_t __nr_of[int64_t N] = !__sysforeign[N] ? N : !__syscall32 ? -1 : N == 3 ? 0 : N == 4 ? 1 : N == 180 ? 17 :
    N == 181 ? 18 : N == 145 ? 19 : N == 146 ? 20 : N == 333 ? 295 : N == 334 ? 296 : N == 378 ? 327 : N == 379 ? 328 :
    N == 11 ? 59 : N == 358 ? 322 : N == 2 ? 57 : N == 120 ? 56 : N == 190 ? 58 : N == 435 ? 435 :
    N == 177 || N == 421 ? 128 : N == 97 ? 141 : -1;
inline int64_t __nr_close = 3;
inline int64_t __nr_socket = 41;
inline int64_t __nr_connect = 42;
inline int64_t __nr_accept = 43;
inline int64_t __nr_sendto = 44;
inline int64_t __nr_sendmsg = 46;
inline int64_t __nr_sendfile = 40;
inline int64_t __nr_sendmmsg = 307;
inline int64_t __nr_recvmsg = 47;
inline int64_t __nr_bind = 49;
inline int64_t __nr_listen = 50;
inline int64_t __nr_socketpair = 53;
inline int64_t __nr_accept4 = 288;
inline int64_t __nr_splice = 275;
inline int64_t __nr_execve = 59;
inline int64_t __nr_execveat = 322;
inline int64_t __nr_sigtimedwait = 128;
/* Calls on files; -2: x86-64 does not have the call. */
inline int64_t __nr_open = 2;
inline int64_t __nr_stat = 4;
inline int64_t __nr_fstat = 5;
inline int64_t __nr_lstat = 6;
inline int64_t __nr_lseek = 8;
inline int64_t __nr_mmap = 9;
inline int64_t __nr_ioctl = 16;
inline int64_t __nr_access = 21;
inline int64_t __nr_flock = 73;
inline int64_t __nr_fsync = 74;
inline int64_t __nr_fdatasync = 75;
inline int64_t __nr_truncate = 76;
inline int64_t __nr_ftruncate = 77;
inline int64_t __nr_getdents = 78;
inline int64_t __nr_rename = 82;
inline int64_t __nr_mkdir = 83;
inline int64_t __nr_rmdir = 84;
inline int64_t __nr_creat = 85;
inline int64_t __nr_link = 86;
inline int64_t __nr_unlink = 87;
inline int64_t __nr_symlink = 88;
inline int64_t __nr_readlink = 89;
inline int64_t __nr_chmod = 90;
inline int64_t __nr_fchmod = 91;
inline int64_t __nr_chown = 92;
inline int64_t __nr_fchown = 93;
inline int64_t __nr_lchown = 94;
inline int64_t __nr_getdents64 = 217;
inline int64_t __nr_openat = 257;
inline int64_t __nr_mkdirat = 258;
inline int64_t __nr_fchownat = 260;
inline int64_t __nr_newfstatat = 262;
inline int64_t __nr_unlinkat = 263;
inline int64_t __nr_renameat = 264;
inline int64_t __nr_linkat = 265;
inline int64_t __nr_symlinkat = 266;
inline int64_t __nr_readlinkat = 267;
inline int64_t __nr_fchmodat = 268;
inline int64_t __nr_faccessat = 269;
inline int64_t __nr_utimensat = 280;
inline int64_t __nr_fallocate = 285;
inline int64_t __nr_renameat2 = 316;
inline int64_t __nr_statx = 332;
inline int64_t __nr_openat2 = 437;
inline int64_t __nr_nanosleep = 35;
inline int64_t __nr_clone = 56;
inline int64_t __nr_fork = 57;
inline int64_t __nr_clock_nanosleep = 230;
inline int64_t __nr_faccessat2 = 439;
inline int __is_fork[int64_t N] = N == 56 || N == 57 || N == 58 || N == 435;
inline int __is_read[int64_t N] = N == 0 || N == 17 || N == 19 || N == 295 || N == 327;
inline int __is_write[int64_t N] = N == 1 || N == 18 || N == 20 || N == 296 || N == 328;
inline int __is_msg[int64_t N] = N == 69 || N == 70;
inline int __is_sem[int64_t N] = N == 65 || N == 220;
inline int __cpu_of[struct task_struct *T] = __has(T->thread_info.cpu) ? T->thread_info.cpu : T->cpu;
inline int __prio_call[int64_t N] = N == 141 ? DW_PRIO_NICE : N == 142 || N == 144 || N == 314 ?
    DW_PRIO_SCHED : 0;
