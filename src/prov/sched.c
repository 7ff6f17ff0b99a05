/* sched: which thread has a CPU, which wait for one, and why, the hooks tier. A thread that is ready to run but does
 * not is in the queue of its CPU: it comes there by being woken, created or preempted, and leaves it by getting the
 * CPU. */
#include "prov/all.h"

#define TP(tp, n, nat) .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat, .irqs_off = true

static const char *const thread[] = { "lwpsinfo_t *", "psinfo_t *", NULL };
static const char *const queue[] = { "lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *", "int", NULL };
static const char *const unqueue[] = { "lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *", NULL };
static const char *const priority[] = { "lwpsinfo_t *", "psinfo_t *", "int", NULL };

static const char *const task_values[] = { "(uint64_t)P->task", "(uint64_t)P->task", "P->cpu", "0", NULL };
static const char *const prio_values[] = { "(uint64_t)P->task", "(uint64_t)P->task", "P->prio", NULL };

/* Where the kernel does not show the end of a switch (Linux 6.15), and of a thread that has never had a CPU, which
 * begins elsewhere, it is seen in the thread before. */
static const struct site on_sites[] = {
	{ TP("sched_exit_tp", 1, "dw_stay"), .when = "P->state != 0", .optional = true,
		.sees = "since Linux 6.15: the end of a switch, in the thread that has got the CPU" },
	{ TP("sched_switch", 4, "dw_switchto"), .task = "next",
		.when = "!__has(sizeof(btf_trace_sched_exit_tp)) || P->task->nvcsw + P->task->nivcsw == 0",
		.sees = "the thread that gets the CPU: it is the current one" },
};
static const struct site off_site[] = { { TP("sched_switch", 4, "dw_switchto"), .values = task_values,
	.sees = "the thread that leaves the CPU; args[] are the next one" } };
static const struct site sleep_site[] = { { TP("sched_switch", 4, "dw_switchfrom"),
	.when = "P->preempt == 0 && P->state != 0 && (P->state & 0x80) == 0",
	.sees = "a thread that leaves the CPU to wait, not to end" } };
static const struct site preempt_site[] = { { TP("sched_switch", 4, "dw_switchfrom"),
	.when = "(P->preempt != 0 || P->state == 0) && P->task->pid != 0",
	.sees = "a thread that leaves the CPU although it could run on" } };
#define MOVED .when = "P->task->on_rq == 2", .sees = "threads that are moved to the queue of another CPU"
static const struct site enqueue_sites[] = {
	{ TP("sched_migrate_task", 2, "dw_moveto"), .values = task_values, MOVED },
	{ TP("sched_wakeup", 1, "dw_wake"), .values = task_values, .sees = "threads that are woken" },
	{ TP("sched_wakeup_new", 1, "dw_wake"), .values = task_values, .sees = "new threads" },
	{ TP("sched_switch", 4, "dw_switchfrom"), .values = task_values,
		.when = "(P->preempt != 0 || P->state == 0) && P->task->pid != 0",
		.sees = "threads that leave the CPU although they could run on" },
};
static const struct site dequeue_sites[] = {
	{ TP("sched_switch", 4, "dw_switchto"), .values = task_values, .when = "P->task->pid != 0",
		.sees = "the thread that gets the CPU" },
	{ TP("sched_migrate_task", 2, "dw_movefrom"), .values = task_values, MOVED },
};
static const struct site wakeup_site[] = { { TP("sched_waking", 1, "dw_wake"), .values = task_values,
	.sees = "the thread that wakes another; args[] are the other" } };
/* Of system calls only those about the thread that makes them. */
static const struct site prio_sites[] = {
	{ TP("sched_pi_setprio", 2, "dw_pi"), .values = prio_values,
		.sees = "priorities that a mutex lends and takes back" },
	{ TP("sys_exit", 2, "dw_prioset"), .values = prio_values, .when = "P->nr != 0 && P->ret == 0",
		.sees = "setpriority, sched_setscheduler and their kin, of a thread for itself" },
};
static const struct site tick_site[] = { { TP("hrtimer_expire_entry", 2, "dw_hrtimer"), .values = task_values,
	.when = "P->state != 0", .sees = "the timer by which the kernel accounts time" } };
static const struct site surrender_site[] = { { TP("sched_set_need_resched_tp", 3, "dw_resched"), .values = task_values,
	.when = "P->cpu != cpu", .sees = "since Linux 6.15: a CPU tells another that its thread has to make room" } };
static const struct site remain_site[] = { { TP("sched_exit_tp", 1, "dw_stay"), .when = "P->state == 0",
	.sees = "since Linux 6.15: the scheduler has looked, and the thread stays" } };

static const struct probe_def probes[] = {
	{ "change-pri", priority, prio_sites, 2, "a thread's priority is about to become args[2]" },
	{ "dequeue", unqueue, dequeue_sites, 2, "a thread leaves the queue of a CPU to run there" },
	{ "enqueue", queue, enqueue_sites, 4, "a thread is put into the queue of a CPU" },
	{ "off-cpu", thread, off_site, 1, "the current thread leaves its CPU; args[] are the one that gets it" },
	{ "on-cpu", NULL, on_sites, 2, "the current thread has got a CPU" },
	{ "preempt", NULL, preempt_site, 1, "the current thread has to leave its CPU" },
	{ "remain-cpu", NULL, remain_site, 1, "the current thread stays on its CPU" },
	{ "sleep", NULL, sleep_site, 1, "the current thread leaves its CPU to wait for something" },
	{ "surrender", thread, surrender_site, 1, "another CPU's thread, the one of args[], has to make room" },
	{ "tick", thread, tick_site, 1, "time is accounted to the thread of args[], which runs" },
	{ "wakeup", thread, wakeup_site, 1, "the current thread wakes the one of args[]" },
};

const struct provider sched_provider = {
	.name = "sched",
	.raw = "dw_task",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
};
