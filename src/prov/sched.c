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

static const struct site on_site[] = { { TP("sched_switch", 4, "dw_switchto"), .task = "next",
	.sees = "the thread that gets the CPU: it is the current one" } };
static const struct site off_site[] = { { TP("sched_switch", 4, "dw_switchto"), .values = task_values,
	.sees = "the thread that leaves the CPU; args[] are the next one" } };
static const struct site sleep_site[] = { { TP("sched_switch", 4, "dw_switchfrom"),
	.when = "P->preempt == 0 && P->state != 0 && (P->state & 0x80) == 0",
	.sees = "a thread that leaves the CPU to wait, not to end" } };
static const struct site preempt_site[] = { { TP("sched_switch", 4, "dw_switchfrom"),
	.when = "(P->preempt != 0 || P->state == 0) && P->task->pid != 0",
	.sees = "a thread that leaves the CPU although it could run on" } };
static const struct site enqueue_sites[] = {
	{ TP("sched_wakeup", 1, "dw_wake"), .values = task_values, .sees = "threads that are woken" },
	{ TP("sched_wakeup_new", 1, "dw_wake"), .values = task_values, .sees = "new threads" },
	{ TP("sched_switch", 4, "dw_switchfrom"), .values = task_values,
		.when = "(P->preempt != 0 || P->state == 0) && P->task->pid != 0",
		.sees = "threads that leave the CPU although they could run on" },
};
static const struct site dequeue_site[] = { { TP("sched_switch", 4, "dw_switchto"), .values = task_values,
	.when = "P->task->pid != 0", .sees = "the thread that gets the CPU" } };
static const struct site wakeup_site[] = { { TP("sched_waking", 1, "dw_wake"), .values = task_values,
	.sees = "the thread that wakes another; args[] are the other" } };
static const struct site prio_site[] = { { TP("sched_pi_setprio", 2, "dw_pi"), .values = prio_values,
	.sees = "priorities that a mutex lends and takes back" } };
static const struct site remain_site[] = { { TP("sched_exit_tp", 1, "dw_stay"), .when = "P->state == 0",
	.sees = "since Linux 6.15: the scheduler has looked, and the thread stays" } };

static const struct probe_def probes[] = {
	{ "change-pri", priority, prio_site, 1, "a thread's priority is about to become args[2]" },
	{ "dequeue", unqueue, dequeue_site, 1, "a thread leaves the queue of a CPU to run there" },
	{ "enqueue", queue, enqueue_sites, 3, "a thread is put into the queue of a CPU" },
	{ "off-cpu", thread, off_site, 1, "the current thread leaves its CPU; args[] are the one that gets it" },
	{ "on-cpu", NULL, on_site, 1, "the current thread has got a CPU" },
	{ "preempt", NULL, preempt_site, 1, "the current thread has to leave its CPU" },
	{ "remain-cpu", NULL, remain_site, 1, "the current thread stays on its CPU" },
	{ "sleep", NULL, sleep_site, 1, "the current thread leaves its CPU to wait for something" },
	{ "wakeup", thread, wakeup_site, 1, "the current thread wakes the one of args[]" },
};

const struct provider sched_provider = {
	.name = "sched",
	.raw = "dw_task",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
};
