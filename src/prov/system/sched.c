/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched: which thread has a CPU, which threads wait for one, and why, in the hooks tier. A runnable thread that does
 * not run is in the queue of its CPU. It enters the queue when it is woken, created or preempted, and leaves it when
 * it gets the CPU. The sites may run with interrupts off and hold locks of the scheduler. Source: D manual, sched
 * provider. */
#include "prov/provider.h"

#define QUIET(tp, n, nat) TP(tp, n, nat), .irqs_off = true
/* A switch. Before Linux 5.18 the tracepoint does not show the state in which the previous thread leaves. */
/* clang-format off */
#define SWITCH(nat, ...) \
	{ QUIET("sched_switch", 4, nat), .optional = true, __VA_ARGS__ }, \
	{ QUIET("sched_switch", 3, nat "3"), .fewer = 4, .optional = true, __VA_ARGS__ }
/* clang-format on */

static const char *const thread[] = { "lwpsinfo_t *", "psinfo_t *", NULL };
static const char *const queue[] = { "lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *", "int", NULL };
static const char *const unqueue[] = { "lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *", NULL };
static const char *const priority[] = { "lwpsinfo_t *", "psinfo_t *", "int", NULL };

static const char *const task_values[] = { "(uint64_t)P->task", "(uint64_t)P->task", "P->cpu", "0", NULL };
static const char *const prio_values[] = { "(uint64_t)P->task", "(uint64_t)P->task", "P->prio", NULL };

/* The end of a switch is shown since Linux 6.15. On older kernels, and for a thread that runs for the first time and
 * so begins elsewhere, it is seen in the previous thread. */
static const struct site on_sites[] = {
	{ QUIET("sched_exit_tp", 1, "dw_stay"), .when = "P->state != 0", .optional = true,
		.sees = "since Linux 6.15: the end of a switch, in the thread that has got the CPU" },
	SWITCH("dw_switchto", .task = "next",
		.when = "!__has(sizeof(btf_trace_sched_exit_tp)) || P->task->nvcsw + P->task->nivcsw == 0",
		.sees = "the thread that gets the CPU: it is the current one"),
};
static const struct site off_site[] = { SWITCH(
	"dw_switchto", .values = task_values, .sees = "the thread that leaves the CPU; args[] are the next one") };
static const struct site sleep_site[] = { SWITCH("dw_switchfrom",
	.when = "P->preempt == 0 && P->state != 0 && (P->state & DW_TASK_DEAD) == 0",
	.sees = "a thread that leaves the CPU to wait, not to end") };
static const struct site preempt_site[] = { SWITCH("dw_switchfrom",
	.when = "(P->preempt != 0 || P->state == 0) && P->task->pid != 0",
	.sees = "a thread that leaves the CPU although it could run on") };
/* A thread that was about to sleep, and is woken before it has left its CPU, runs on. */
/* clang-format off */
#define WOKEN(tp, text) \
	{ QUIET(tp, 1, "dw_wake"), .values = task_values, .when = "P->task->on_cpu == 0", .sees = text }
/* clang-format on */
/* Only threads that wait in a queue: others change their CPU without being in a queue. */
#define MOVED                                                \
	.when = "P->task->on_rq == DW_TASK_ON_RQ_MIGRATING", \
	.sees = "threads that are moved to the queue of another CPU"
static const struct site enqueue_sites[] = {
	{ QUIET("sched_migrate_task", 2, "dw_moveto"), .values = task_values, MOVED },
	WOKEN("sched_wakeup", "threads that are woken"),
	WOKEN("sched_wakeup_new", "new threads"),
	SWITCH("dw_switchfrom", .values = task_values,
		.when = "(P->preempt != 0 || P->state == 0) && P->task->pid != 0",
		.sees = "threads that leave the CPU although they could run on"),
};
static const struct site dequeue_sites[] = {
	SWITCH("dw_switchto", .values = task_values, .when = "P->task->pid != 0",
		.sees = "the thread that gets the CPU"),
	{ QUIET("sched_migrate_task", 2, "dw_movefrom"), .values = task_values, MOVED },
};
static const struct site wakeup_site[] = { { QUIET("sched_waking", 1, "dw_wake"), .values = task_values,
	.sees = "the thread that wakes another; args[] are the other" } };
/* Only system calls by which a thread changes its own priority: others do not show the thread. */
static const struct site prio_sites[] = {
	{ QUIET("sched_pi_setprio", 2, "dw_pi"), .values = prio_values,
		.sees = "priorities that a mutex lends and takes back" },
	{ QUIET("sys_exit", 2, "dw_prioset"), .values = prio_values, .when = "P->nr != 0 && P->ret == 0",
		.sees = "setpriority, sched_setscheduler and their kin, of a thread for itself" },
};
static const struct site tick_site[] = { { QUIET("hrtimer_expire_entry", 2, "dw_hrtimer"), .values = task_values,
	.when = "P->state != 0", .sees = "the timer by which the kernel accounts time" } };
static const struct site surrender_site[] = { { QUIET("sched_set_need_resched_tp", 3, "dw_resched"),
	.values = task_values, .when = "P->cpu != cpu",
	.sees = "since Linux 6.15: a CPU asks another to reschedule its thread" } };
static const struct site remain_site[] = { { QUIET("sched_exit_tp", 1, "dw_stay"), .when = "P->state == 0",
	.sees = "since Linux 6.15: the scheduler has looked, and the thread stays" } };

static const struct probe_def probes[] = {
	{ "change-pri", priority, TABLE(prio_sites), "a thread's priority is about to become args[2]" },
	{ "dequeue", unqueue, TABLE(dequeue_sites), "a thread leaves the queue of a CPU to run there" },
	{ "enqueue", queue, TABLE(enqueue_sites), "a thread is put into the queue of a CPU" },
	{ "off-cpu", thread, TABLE(off_site), "the current thread leaves its CPU; args[] are the one that gets it" },
	{ "on-cpu", NULL, TABLE(on_sites), "the current thread has got a CPU" },
	{ "preempt", NULL, TABLE(preempt_site), "the current thread has to leave its CPU" },
	{ "remain-cpu", NULL, TABLE(remain_site), "the current thread stays on its CPU" },
	{ "sleep", NULL, TABLE(sleep_site), "the current thread leaves its CPU to wait for something" },
	{ "surrender", thread, TABLE(surrender_site), "another CPU's thread, the one of args[], has to make room" },
	{ "tick", thread, TABLE(tick_site), "time is accounted to the thread of args[], which runs" },
	{ "wakeup", thread, TABLE(wakeup_site), "the current thread wakes the one of args[]" },
};

const struct provider sched_provider = { PROVIDER("sched", "dw_task", probes) };
