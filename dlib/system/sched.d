/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched: sites and arguments of the proc and sched providers. Input: the arguments of tracepoints and system calls.
 * Output: struct dw_task (a thread, and what else the site knows), of which psinfo_t, lwpsinfo_t and cpuinfo_t are
 * made. */
struct dw_task {
	struct task_struct *task;	/* the thread that the arguments describe */
	int32_t sig;
	struct kernel_siginfo *info;
	uint64_t handler;	/* of the signal: an address, 0 for the default, 1 for none */
	int32_t result;		/* signal_generate: its outcome (TRACE_SIGNAL_*) */
	int32_t cpu;		/* of the queue that it is put on or taken from */
	int32_t preempt;	/* sched_switch: 1: the thread was preempted */
	uint32_t state;		/* ... its state from then on; 0: still runnable */
	int32_t prio;
	int64_t nr;		/* system calls */
	int64_t ret;
	int32_t error;
	uint64_t path;		/* exec: address in the process's memory */
};

translator psinfo_t < struct dw_task *P > {
	pr_flag = xlate <psinfo_t> (P->task).pr_flag;
	pr_nlwp = xlate <psinfo_t> (P->task).pr_nlwp;
	pr_pid = xlate <psinfo_t> (P->task).pr_pid;
	pr_ppid = xlate <psinfo_t> (P->task).pr_ppid;
	pr_pgid = xlate <psinfo_t> (P->task).pr_pgid;
	pr_sid = xlate <psinfo_t> (P->task).pr_sid;
	pr_uid = xlate <psinfo_t> (P->task).pr_uid;
	pr_euid = xlate <psinfo_t> (P->task).pr_euid;
	pr_gid = xlate <psinfo_t> (P->task).pr_gid;
	pr_egid = xlate <psinfo_t> (P->task).pr_egid;
	pr_addr = xlate <psinfo_t> (P->task).pr_addr;
	pr_size = xlate <psinfo_t> (P->task).pr_size;
	pr_ttydev = xlate <psinfo_t> (P->task).pr_ttydev;
	pr_start = xlate <psinfo_t> (P->task).pr_start;
	pr_fname = xlate <psinfo_t> (P->task).pr_fname;
	pr_psargs = xlate <psinfo_t> (P->task).pr_psargs;
	pr_wstat = xlate <psinfo_t> (P->task).pr_wstat;
	pr_arglen = xlate <psinfo_t> (P->task).pr_arglen;
	pr_argv = xlate <psinfo_t> (P->task).pr_argv;
	pr_envp = xlate <psinfo_t> (P->task).pr_envp;
	pr_dmodel = xlate <psinfo_t> (P->task).pr_dmodel;
	pr_taskid = xlate <psinfo_t> (P->task).pr_taskid;
	pr_projid = xlate <psinfo_t> (P->task).pr_projid;
	pr_poolid = xlate <psinfo_t> (P->task).pr_poolid;
	pr_zoneid = xlate <psinfo_t> (P->task).pr_zoneid;
};

translator lwpsinfo_t < struct dw_task *P > {
	pr_flag = xlate <lwpsinfo_t> (P->task).pr_flag;
	pr_lwpid = xlate <lwpsinfo_t> (P->task).pr_lwpid;
	pr_addr = xlate <lwpsinfo_t> (P->task).pr_addr;
	pr_wchan = xlate <lwpsinfo_t> (P->task).pr_wchan;
	pr_stype = xlate <lwpsinfo_t> (P->task).pr_stype;
	pr_state = xlate <lwpsinfo_t> (P->task).pr_state;
	pr_sname = xlate <lwpsinfo_t> (P->task).pr_sname;
	pr_nice = xlate <lwpsinfo_t> (P->task).pr_nice;
	pr_syscall = xlate <lwpsinfo_t> (P->task).pr_syscall;
	pr_oldpri = xlate <lwpsinfo_t> (P->task).pr_oldpri;
	pr_cpu = xlate <lwpsinfo_t> (P->task).pr_cpu;
	pr_pri = xlate <lwpsinfo_t> (P->task).pr_pri;
	pr_start = xlate <lwpsinfo_t> (P->task).pr_start;
	pr_clname = xlate <lwpsinfo_t> (P->task).pr_clname;
	pr_name = xlate <lwpsinfo_t> (P->task).pr_name;
	pr_onpro = xlate <lwpsinfo_t> (P->task).pr_onpro;
	pr_bindpro = xlate <lwpsinfo_t> (P->task).pr_bindpro;
	pr_bindpset = xlate <lwpsinfo_t> (P->task).pr_bindpset;
	pr_lgrp = xlate <lwpsinfo_t> (P->task).pr_lgrp;
};

translator cpuinfo_t < struct dw_task *P > {
	cpu_id = P->cpu;
	cpu_pset = 0;
	cpu_chip = __numa();
	cpu_lgrp = __numa();
	cpu_info = xlate <processor_info_t> (P->cpu);
};

/* ---- sites: the arguments of the tracepoints in order ----------------------------------------------------------------- */
struct dw_fork {
	struct task_struct *parent;
	struct task_struct *child;
};
translator struct dw_task < struct dw_fork *C > { task = C->child; };

struct dw_exit {
	struct task_struct *task;
};
translator struct dw_task < struct dw_exit *C > { task = C->task; };

struct dw_signalgen {
	int sig;
	uint64_t info;		/* 0, 1 or an address: since Linux 6.13 the verifier does not follow it as a pointer */
	struct task_struct *task;
	int group;
	int result;
};
translator struct dw_task < struct dw_signalgen *C > {
	info = (struct kernel_siginfo *)C->info;
};

/* Is the signal due to a fault of the processor? info is 0, 1 or an address. */
inline int dw_of_processor[struct kernel_siginfo *I] = (uint64_t)I > 1 && I->si_code > 0 && I->si_code <= DW_SI_KERNEL;

struct dw_signaldeliver {
	int sig;
	uint64_t info;
	struct k_sigaction *ka;
};
/* A fatal signal ends the other threads of the process by SIGKILL. The reported signal is the one that the process
 * dies of. */
inline int dw_dies_of[struct signal_struct *S] = (S->flags & DW_SIGNAL_GROUP_EXIT) != 0 ? S->group_exit_code & DW_WTERMSIG : 0;
translator struct dw_task < struct dw_signaldeliver *C > {
	task = curthread;
	sig = C->sig == DW_SIGKILL && dw_dies_of[curthread->signal] != 0 ? dw_dies_of[curthread->signal] : C->sig;
	info = (struct kernel_siginfo *)C->info;
	handler = (uint64_t)C->ka->sa.sa_handler;
};

translator struct dw_task < struct dw_sysenter *C > {
	task = curthread;
	nr = __nr_of[C->nr];
	path = C->nr == __nr_execveat ? __sysarg1[C->regs] : __sysarg0[C->regs];
};
translator struct dw_task < struct dw_sysexit *C > {
	task = curthread;
	nr = __nr_of[__sysnr[C->regs]];
	error = dw_sys_errno[C->ret];
};

struct dw_switchto {	/* sched_switch: about the thread that gets the CPU */
	bool preempt;
	struct task_struct *prev;
	struct task_struct *next;
	unsigned int state;
};
translator struct dw_task < struct dw_switchto *C > {
	task = C->next;
	cpu = cpu;
};

struct dw_switchfrom { struct dw_switchto; };
translator struct dw_task < struct dw_switchfrom *C > {
	task = C->prev;
	cpu = cpu;
};

/* Before Linux 5.18 the tracepoint has no state; the thread itself still has it. */
inline uint32_t dw_left_in[struct task_struct *T] = __has(T->__state) ? (uint32_t)T->__state : (uint32_t)T->state;
struct dw_switchto3 {
	bool preempt;
	struct task_struct *prev;
	struct task_struct *next;
};
translator struct dw_task < struct dw_switchto3 *C > {
	task = C->next;
	cpu = cpu;
	state = dw_left_in[C->prev];
};

struct dw_switchfrom3 { struct dw_switchto3; };
translator struct dw_task < struct dw_switchfrom3 *C > {
	task = C->prev;
	cpu = cpu;
	state = dw_left_in[C->prev];
};

/* sched_waking, sched_wakeup, sched_wakeup_new: about the thread that is woken. */
struct dw_wake {
	struct task_struct *task;
};
translator struct dw_task < struct dw_wake *C > {
	cpu = __cpu_of[C->task];
};

/* sched_pi_setprio: a mutex lends the priority of the waiting thread, or takes it back. */
struct dw_pi {
	struct task_struct *task;
	struct task_struct *pi_task;
};
translator struct dw_task < struct dw_pi *C > {
	prio = C->pi_task != 0 && C->pi_task->prio < C->task->normal_prio ? C->pi_task->prio : C->task->normal_prio;
};

struct dw_stay {	/* sched_exit_tp */
	bool is_switch;
};
translator struct dw_task < struct dw_stay *C > {
	task = curthread;
	state = C->is_switch;
};

struct dw_moveto {	/* sched_migrate_task: about the queue it moves to */
	struct task_struct *task;
	int dest;
};
translator struct dw_task < struct dw_moveto *C > {
	cpu = C->dest;
};
struct dw_movefrom {	/* ... that it leaves */
	struct task_struct *task;
	int dest;
};
translator struct dw_task < struct dw_movefrom *C > {
	cpu = __cpu_of[C->task];
};

/* sched_set_need_resched_tp (Linux 6.15): a thread is asked to leave its CPU. */
struct dw_resched {
	struct task_struct *task;
	int on;
	int tif;
};
translator struct dw_task < struct dw_resched *C > {
	cpu = C->on;
};

/* hrtimer_expire_entry: a timer is about to call its function. */
struct dw_hrtimer {
	struct hrtimer *timer;
	int64_t *now;
};
/* The timer of the tick is recognised by its function: tick_sched_timer, or tick_nohz_handler in newer kernels. Older
 * kernels have an unrelated function of the latter name, so that the former is looked for first. */
translator struct dw_task < struct dw_hrtimer *C > {
	task = curthread;
	state = (uint64_t)C->timer->function == (__has(&vmlinux`tick_sched_timer) ?
	    (uint64_t)&vmlinux`tick_sched_timer : (uint64_t)&vmlinux`tick_nohz_handler);
};

struct dw_prioset {	/* sys_exit */
	struct pt_regs *regs;
	int64_t ret;
};
/* nr is 1 if the call is about the calling thread: setpriority(PRIO_PROCESS, 0 or itself, ...), or sched_setparam,
 * sched_setscheduler, sched_setattr of itself. */
translator struct dw_task < struct dw_prioset *C > {
	task = curthread;
	nr = __prio_call[__nr_of[__sysnr[C->regs]]] == DW_PRIO_NICE ?
	    __sysarg0[C->regs] == 0 && (__sysarg1[C->regs] == 0 || __sysarg1[C->regs] == tid) :
	    __prio_call[__nr_of[__sysnr[C->regs]]] == DW_PRIO_SCHED && (__sysarg0[C->regs] == 0 || __sysarg0[C->regs] == tid);
	error = C->ret < 0;
	prio = curthread->prio;
};
