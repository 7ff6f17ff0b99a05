/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysinfo: the events that the kernel's cpu and system statistics count, in the hooks tier: system calls and their
 * bytes, switches, forks, ticks, requests to disks, waits for locks. arg0 is the increment. Solaris' probes without a
 * Linux event (ufs*, namei, rcvint, ...) are left out; docs/providers/sysinfo.md lists them. */
#include "prov/provider.h"

/* clang-format off */
#define TRACE(tp, n, nat, cond, vals, what) \
	{ .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat, .when = cond, .values = vals, \
	  .irqs_off = true, .sees = what }
#define TRACE_IF(tp, n, before, nat, cond, what) \
	{ .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .fewer = before, .optional = true, .native = nat, \
	  .when = cond, .values = one, .irqs_off = true, .sees = what }
#define CALL(cond, vals, what) \
	{ TP("sys_exit", 2, "dw_sysexit"), .when = cond, \
	  .values = vals, .sees = what }
#define ENTER(cond, what) \
	{ TP("sys_enter", 2, "dw_sysenter"), .when = cond, \
	  .values = one, .sees = what }
/* Before Linux 5.18 a switch does not show the state; before Linux 5.11 a request comes behind its queue. */
#define SWITCH(cond, what) \
	TRACE_IF("sched_switch", 4, 0, "dw_switchfrom", cond, what), \
	TRACE_IF("sched_switch", 3, 4, "dw_switchfrom3", cond, what)
#define BIO(cond, what) \
	TRACE_IF("block_bio_queue", 1, 2, "dw_bioqueue", cond, what), \
	TRACE_IF("block_bio_queue", 2, 0, "dw_bioqueue2", cond, what)
#define LOCK(cond, what) TRACE("contention_begin", 2, "dw_contention", cond, one, what)
#define TICK(cond) \
	{ .attach = ATTACH_PERF, .target = "cpu_clock-all", .native = "dw_clock", .when = cond, .values = one, \
	  .sees = "a clock event on each CPU, 100 times a second: an idle CPU may not fire" }
#define PROBE(name, meaning, ...) \
	{ name, args, (const struct site[]){ __VA_ARGS__ }, \
	  sizeof((const struct site[]){ __VA_ARGS__ }) / sizeof(struct site), meaning }

/* Kinds of requests: the file system's own blocks, and a program's memory (direct I/O). */
#define READ "(P->op & DW_REQ_OP_MASK) == DW_REQ_OP_READ && P->bytes != 0 && "
#define WRITE "(P->op & DW_REQ_OP_MASK) == DW_REQ_OP_WRITE && P->bytes != 0 && "
#define BLOCK "P->kind == DW_PAGE_OF_DISK"
#define RAW "P->kind == DW_PAGE_OF_PROGRAM"
#define READER "(P->flags & DW_LCB_F_READ) != 0"
#define WRITER "(P->flags & DW_LCB_F_WRITE) != 0"
#define MUTEX "(P->flags & DW_LCB_F_MUTEX) != 0"
#define IDLE "curthread->pid == 0"
#define BUSY "curthread->pid != 0"

/* A process that shares its parent's memory. Only vfork, and posix_spawn through it, creates such processes. */
#define VFORK "(P->task->mm != 0 && P->task->mm == curthread->mm)"

/* arg0 is the increment; arg1 is 0, a pointer to the statistics in Solaris. */
static const char *const args[] = { "int64_t", "uint64_t *", NULL };
static const char *const one[] = { "1", "0", NULL };
static const char *const bytes[] = { "P->ret", "0", NULL };

static const struct probe_def probes[] = {
	PROBE("bawrite", "a block of the file system is written, nobody waits",
		BIO(WRITE BLOCK " && (P->op & DW_REQ_SYNC) == 0", "requests without REQ_SYNC")),
	PROBE("bread", "a block of the file system is read",
		BIO(READ BLOCK, "requests for a file system's own blocks")),
	PROBE("bwrite", "a block of the file system is written",
		BIO(WRITE BLOCK, "requests for a file system's own blocks")),
	PROBE("cpu_ticks_idle", "a tick of the clock, the CPU is idle",
		TICK(IDLE " && P->iowait == 0")),
	PROBE("cpu_ticks_kernel", "... the kernel runs", TICK(BUSY " && P->user == 0")),
	PROBE("cpu_ticks_user", "... a program runs", TICK(BUSY " && P->user != 0")),
	PROBE("cpu_ticks_wait", "... the CPU is idle, and a thread of it waits for a disk",
		TICK(IDLE " && P->iowait != 0")),
	PROBE("idlethread", "a CPU becomes idle", SWITCH("P->next->pid == 0", "switches to the idle thread")),
	PROBE("inv_swtch", "a thread has to leave its CPU",
		SWITCH("(P->preempt != 0 || P->state == 0) && P->task->pid != 0",
			"threads that leave the CPU although they could run on")),
	PROBE("lread", "a block of the file system is read from the cache",
		TRACE("block_touch_buffer", 1, "dw_buffer", NULL, one, "buffers that are looked up")),
	PROBE("lwrite", "a block of the file system is changed in the cache",
		TRACE("block_dirty_buffer", 1, "dw_buffer", NULL, one, "buffers that become dirty")),
	PROBE("modload", "a module is loaded", TRACE("module_load", 1, "dw_module", NULL, one, "every module")),
	PROBE("modunload", "a module is unloaded", TRACE("module_free", 1, "dw_module", NULL, one, "every module")),
	PROBE("msg", "msgsnd or msgrcv is called", ENTER("__is_msg[P->nr]", "the system calls")),
	PROBE("mutex_adenters", "a thread finds a mutex taken", LOCK(MUTEX, "waits for locks")),
	PROBE("nthreads", "a thread is created",
		TRACE("sched_process_fork", 2, "dw_fork", NULL, one, "every new thread")),
	PROBE("phread", "a program reads a disk without the cache", BIO(READ RAW, "requests for a program's memory")),
	PROBE("phwrite", "a program writes a disk without the cache",
		BIO(WRITE RAW, "requests for a program's memory")),
	PROBE("procovf", "a fork fails, for there are too many threads",
		CALL("__is_fork[P->nr] && P->error == DW_EAGAIN", one, "fork and clone that return EAGAIN")),
	PROBE("pswitch", "a CPU goes over to another thread", SWITCH(NULL, "every switch")),
	PROBE("readch", "bytes are read by system calls: arg0",
		CALL("__is_read[P->nr] && P->ret > 0", bytes, "read and its kin")),
	PROBE("rw_rdfails", "a thread finds a lock taken that it wants to read under",
		LOCK(READER, "waits for locks")),
	PROBE("rw_wrfails", "a thread finds a lock taken that it wants to write under",
		LOCK(WRITER, "waits for locks")),
	PROBE("sema", "semop is called", ENTER("__is_sem[P->nr]", "the system calls")),
	PROBE("syscall", "a system call", ENTER("P->nr >= 0", "every system call")),
	PROBE("sysexec", "execve is called",
		ENTER("P->nr == __nr_execve || P->nr == __nr_execveat", "the system calls")),
	PROBE("sysfork", "a process forks, vfork apart",
		TRACE("sched_process_fork", 2, "dw_fork", "P->task->pid == P->task->tgid && !" VFORK, one,
			"new processes")),
	PROBE("sysread", "read is called", ENTER("__is_read[P->nr]", "read and its kin")),
	PROBE("sysvfork", "a process calls vfork",
		TRACE("sched_process_fork", 2, "dw_fork", "P->task->pid == P->task->tgid && " VFORK, one,
			"new processes whose parent waits")),
	PROBE("syswrite", "write is called", ENTER("__is_write[P->nr]", "write and its kin")),
	PROBE("trap", "the processor traps: a page fault, SIGILL, SIGTRAP or SIGFPE",
		TRACE("page_fault_user", 3, "dw_fault", NULL, one, "faults of programs"),
		TRACE("page_fault_kernel", 3, "dw_fault", NULL, one, "faults of the kernel"),
		TRACE("signal_generate", 5, "dw_signalgen", "dw_of_processor[P->info] && "
			"(P->sig == DW_SIGILL || P->sig == DW_SIGTRAP || P->sig == DW_SIGFPE)", one,
			"SIGILL, SIGTRAP, SIGFPE that the processor caused")),
	PROBE("wait_ticks_io", "a tick of the clock, a thread of the CPU waits for a disk",
		TICK("P->iowait != 0")),
	PROBE("writech", "bytes are written by system calls: arg0",
		CALL("__is_write[P->nr] && P->ret > 0", bytes, "write and its kin")),
	PROBE("xcalls", "a CPU calls another, or several",
		TRACE("ipi_send_cpu", 3, "dw_ipi", NULL, one, "calls of one CPU"),
		TRACE("ipi_send_cpumask", 3, "dw_ipimask", NULL, one, "calls of several")),
};
/* clang-format on */

const struct provider sysinfo_provider = { PROVIDER("sysinfo", "dw_stat", probes) };
