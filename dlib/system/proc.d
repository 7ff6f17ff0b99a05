/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc: processes, threads, CPUs and files as DTrace presents them (D manual, chapters of the proc, sched and io
 * providers), translated from the kernel's structures: psinfo_t, lwpsinfo_t, cpuinfo_t, fileinfo_t. Members for which
 * Linux has no value (processor sets, tasks, projects) read as 0. */

inline int NULL = 0;

typedef int32_t processorid_t;
typedef int32_t psetid_t;
typedef int32_t chipid_t;
typedef int32_t lgrp_id_t;
typedef int32_t taskid_t;
typedef int32_t projid_t;
typedef int32_t poolid_t;
typedef struct mutex kmutex_t;
typedef struct rw_semaphore krwlock_t;
typedef struct task_struct kthread_t;

typedef struct timestruc {
	int64_t tv_sec;
	int64_t tv_nsec;
} timestruc_t;

/* NS: nanoseconds. */
translator timestruc_t < uint64_t NS > {
	tv_sec = NS / DW_NSEC_PER_SEC;
	tv_nsec = NS % DW_NSEC_PER_SEC;
};

/* ---- processes -------------------------------------------------------------------------------------------------------- */
inline int PR_ISSYS = 0x200000;	/* in pr_flag: a thread of the kernel, PF_KTHREAD */
inline int PR_MODEL_UNKNOWN = 0;
inline int PR_MODEL_ILP32 = 1;
inline int PR_MODEL_LP64 = 2;

typedef struct psinfo {
	int pr_flag;		/* flags of the process: PF_* of the kernel */
	int pr_nlwp;		/* threads */
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;	/* of its first thread's struct task_struct */
	size_t pr_size;		/* address space, kilobytes */
	dev_t pr_ttydev;	/* 0: none */
	timestruc_t pr_start;	/* since the machine's start */
	string pr_fname;	/* name of its program */
	string pr_psargs;	/* command line, as the process has it now: its first 79 bytes */
	int pr_wstat;
	int pr_arglen;		/* bytes of its command line */
	uintptr_t pr_argv;	/* where that is in its memory */
	uintptr_t pr_envp;
	char pr_dmodel;		/* PR_MODEL_LP64 or PR_MODEL_ILP32 */
	taskid_t pr_taskid;
	projid_t pr_projid;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;	/* its network namespace: 0 is the machine's first one */
	/* Not translated, as in DTrace: D_XLATE_NOCONV. */
	size_t pr_rssize;
	ushort_t pr_pctcpu;
	ushort_t pr_pctmem;
	timestruc_t pr_time;
	timestruc_t pr_ctime;
	int pr_nzomb;
	int pr_argc;
	int pr_contract;
} psinfo_t;

translator psinfo_t < struct task_struct *T > {
	pr_flag = T->group_leader->flags;
	pr_nlwp = T->signal->nr_threads;
	pr_pid = T->tgid;
	pr_ppid = T->real_parent->tgid;
	pr_pgid = T->signal->pids[DW_PIDTYPE_PGID]->numbers[0].nr;
	pr_sid = T->signal->pids[DW_PIDTYPE_SID]->numbers[0].nr;
	pr_uid = T->cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T->group_leader;
	pr_size = T->mm->total_vm * (__pagesize() / 1024);
	pr_ttydev = T->signal->tty == NULL ? 0 :
	    (T->signal->tty->driver->major << DW_MINORBITS | (T->signal->tty->driver->minor_start + T->signal->tty->index));
	pr_start = xlate <timestruc_t> (T->group_leader->start_time);
	pr_fname = T->group_leader->comm;
	pr_psargs = T->mm == NULL ? T->comm : __psargs(T->mm, 80);
	pr_wstat = T->exit_code;
	pr_arglen = T->mm == NULL ? 0 : T->mm->arg_end - T->mm->arg_start;
	pr_argv = T->mm == NULL ? 0 : T->mm->arg_start;
	pr_envp = T->mm == NULL ? 0 : T->mm->env_start;
	pr_dmodel = __is32[T] ? PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = __zoneid(T->nsproxy->net_ns->ns.inum);
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);

/* ---- threads ---------------------------------------------------------------------------------------------------------- */
inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

/* Kinds of objects that a thread waits for. Linux does not record them: pr_stype is always SOBJ_NONE. */
inline char SOBJ_NONE = 0;
inline char SOBJ_MUTEX = 1;
inline char SOBJ_RWLOCK = 2;
inline char SOBJ_CV = 3;
inline char SOBJ_SEMA = 4;
inline char SOBJ_USER = 5;
inline char SOBJ_USER_PI = 6;
inline char SOBJ_SHUTTLE = 7;

inline int PR_IDLE = 2;		/* pr_flag of the idle threads: PF_IDLE */

typedef struct lwpsinfo {
	int pr_flag;		/* flags of the thread: PF_* of the kernel */
	id_t pr_lwpid;		/* the thread's id: tid */
	uintptr_t pr_addr;	/* of its struct task_struct */
	uintptr_t pr_wchan;
	char pr_stype;
	char pr_state;		/* SONPROC, SRUN, SSLEEP, SSTOP, SZOMB */
	char pr_sname;		/* the same as a letter: O, R, S, T, Z */
	char pr_nice;
	short pr_syscall;	/* number of the system call it is in; -1: none */
	char pr_oldpri;
	char pr_cpu;
	int pr_pri;		/* as the scheduler sees it: lower is sooner */
	timestruc_t pr_start;	/* since the machine's start */
	string pr_clname;	/* scheduling class: TS, FIFO, RR, BATCH, IDLE, DL */
	char pr_name[16];
	processorid_t pr_onpro;	/* the CPU it runs on */
	processorid_t pr_bindpro; /* the only CPU it may run on; -1: several */
	psetid_t pr_bindpset;	/* -1: Linux has none */
	int pr_lgrp;
	/* Not translated, as in DTrace. */
	ushort_t pr_pctcpu;
	timestruc_t pr_time;
} lwpsinfo_t;

/* The member was renamed in Linux 5.14. */
inline uint32_t __task_state[struct task_struct *T] =
    (__has(T->__state) ? (uint32_t)T->__state : (uint32_t)T->state) | (uint32_t)T->exit_state;
inline uint32_t DW_STOPPED = DW_TASK_STOPPED | DW_TASK_TRACED;
inline uint32_t DW_EXITED = DW_EXIT_DEAD | DW_EXIT_ZOMBIE;

translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = T->flags;
	pr_lwpid = T->pid;
	pr_addr = (uintptr_t)T;
	pr_wchan = 0;
	pr_stype = SOBJ_NONE;
	pr_state = T->on_cpu ? SONPROC : __task_state[T] == 0 ? SRUN : __task_state[T] & DW_STOPPED ? SSTOP :
	    __task_state[T] & DW_EXITED ? SZOMB : SSLEEP;
	pr_sname = T->on_cpu ? 'O' : __task_state[T] == 0 ? 'R' : __task_state[T] & DW_STOPPED ? 'T' :
	    __task_state[T] & DW_EXITED ? 'Z' : 'S';
	pr_nice = T->static_prio - DW_DEFAULT_PRIO;
	pr_syscall = __syscall_of[T];
	pr_oldpri = 0;
	pr_cpu = cpu;
	pr_pri = T->prio;
	pr_start = xlate <timestruc_t> (T->start_time);
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FIFO" : T->policy == 2 ? "RR" :
	    T->policy == 3 ? "BATCH" : T->policy == 5 ? "IDLE" : T->policy == 6 ? "DL" : "EXT";
	pr_name = T->comm;
	pr_onpro = cpu;
	pr_bindpro = T->nr_cpus_allowed == 1 ? cpu : -1;
	pr_bindpset = -1;
	pr_lgrp = __numa();
};

inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);

/* ---- CPUs ------------------------------------------------------------------------------------------------------------- */
inline int P_OFFLINE = 1;
inline int P_ONLINE = 2;

typedef struct processor_info {
	int pi_state;		/* P_ONLINE: it runs a probe */
	string pi_processor_type;
	string pi_fputypes;
	int pi_clock;		/* MHz; 0: Linux does not say */
} processor_info_t;

translator processor_info_t < int CPU > {
	pi_state = P_ONLINE;
	pi_processor_type = __machine;
	pi_fputypes = "";
	pi_clock = 0;
};

typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;	/* 0: Linux has none */
	chipid_t cpu_chip;	/* the NUMA node */
	lgrp_id_t cpu_lgrp;	/* the NUMA node */
	processor_info_t cpu_info;
} cpuinfo_t;

translator cpuinfo_t < int CPU > {
	cpu_id = CPU;
	cpu_pset = 0;
	cpu_chip = __numa();
	cpu_lgrp = __numa();
	cpu_info = xlate <processor_info_t> (CPU);
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
inline chipid_t chip = curcpu->cpu_chip;
inline lgrp_id_t lgrp = curcpu->cpu_lgrp;
inline psetid_t pset = curcpu->cpu_pset;

/* ---- locks ------------------------------------------------------------------------------------------------------------ */
inline kthread_t *__fn_mutex_owner[kmutex_t *M] = (kthread_t *)(M->owner.counter & ~DW_OWNER_FLAGS);
inline int __fn_mutex_owned[kmutex_t *M] = (M->owner.counter & ~DW_OWNER_FLAGS) == (int64_t)curthread;
inline int __fn_mutex_type_adaptive[kmutex_t *M] = 1;
inline int __fn_mutex_type_spin[kmutex_t *M] = 0;
inline int __fn_rw_iswriter[krwlock_t *L] = L->count.counter & DW_RWSEM_WRITER_LOCKED;
inline int __fn_rw_read_held[krwlock_t *L] = (L->count.counter & DW_RWSEM_WRITER_LOCKED) == 0 &&
    L->count.counter >> DW_RWSEM_READER_SHIFT != 0;
inline int __fn_rw_write_held[krwlock_t *L] = (L->count.counter & DW_RWSEM_WRITER_LOCKED) != 0 &&
    (L->owner.counter & ~DW_OWNER_FLAGS) == (int64_t)curthread;

/* ---- registers -------------------------------------------------------------------------------------------------------- */
/* Registers of the current process when it last entered the kernel. A kernel thread has none: reading them is a
 * fault. */
inline uint64_t uregs[int r] = __reg[r];
inline uint64_t regs[int r] = __reg[r];

/* Linux has no interrupt levels. */
inline uint_t ipl = 0;

/* ---- files ------------------------------------------------------------------------------------------------------------ */
inline string execargs = curthread->mm == NULL ? curthread->comm : __psargs(curthread->mm, 256);
inline string cwd = curthread->fs == NULL ? "<unknown>" : d_path(&curthread->fs->pwd);
inline string root = curthread->fs == NULL ? "<unknown>" : d_path(&curthread->fs->root);

typedef struct fileinfo {
	string fi_name;		/* last part of its path; of a socket: the protocol */
	string fi_dirname;	/* the folder that it is in */
	string fi_pathname;	/* from the top of the process's tree of mounts; "<unknown>": it has no path */
	offset_t fi_offset;
	string fi_fs;		/* kind of file system */
	string fi_mount;	/* where that is mounted */
	int fi_oflags;		/* as open(2) took them */
} fileinfo_t;

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : F->f_path.dentry->d_name.len == 0 ? "<unknown>" :
	    stringof(F->f_path.dentry->d_name.name);
	fi_dirname = F == NULL ? "<none>" : F->f_path.dentry->d_parent == F->f_path.dentry &&
	    F->f_path.mnt->mnt_root != F->f_path.dentry ? "<unknown>" : dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_inode->i_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : __path(F->f_path.mnt->mnt_root, F->f_path.mnt);
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

inline struct file *__file[int fd] =
    fd >= 0 && fd < curthread->files->fdt->max_fds ? curthread->files->fdt->fd[fd] : (struct file *)0;
inline struct file *__fn_getf[int fd] = __file[fd];
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (__file[fd]);
