/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc: processes, threads and signals, in the hooks tier. Events without a tracepoint are seen at the entry and
 * return of system calls, whose numbers differ for 32-bit programs (dlib, __nr_of). Source: D manual, proc
 * provider. */
#include "prov/provider.h"

#define EXEC "(P->nr == __nr_execve || P->nr == __nr_execveat)"
#define LEADER "P->task->pid == P->task->tgid"
#define LAST "P->task->signal->live.counter == 0"
#define FAULT                                                                                                 \
	"dw_of_processor[P->info] && (P->sig == DW_SIGILL || P->sig == DW_SIGTRAP || P->sig == DW_SIGBUS || " \
	"P->sig == DW_SIGFPE || P->sig == DW_SIGSEGV)"
/* The exit code of a process: that of the whole group if one thread ended all. */
#define CODE "(P->task->signal->flags & DW_SIGNAL_GROUP_EXIT ? P->task->signal->group_exit_code : P->task->exit_code)"

static const char *const path_arg[] = { "string", NULL };
static const char *const int_arg[] = { "int", NULL };
static const char *const process[] = { "psinfo_t *", NULL };
static const char *const thread[] = { "lwpsinfo_t *", "psinfo_t *", NULL };
static const char *const fault_args[] = { "int", "siginfo_t *", NULL };
static const char *const send_args[] = { "lwpsinfo_t *", "psinfo_t *", "int", NULL };
static const char *const handle_args[] = { "int", "siginfo_t *", "void *", NULL };

static const char *const path_value[] = { "copyinstr(P->path)", NULL };
static const char *const error_value[] = { "P->error", NULL };
static const char *const code_value[] = { "(" CODE " & DW_WTERMSIG) == 0 ? DW_CLD_EXITED : (" CODE
					  " & DW_WCOREDUMP) != 0 ? DW_CLD_DUMPED : DW_CLD_KILLED",
	NULL };
static const char *const waited_value[] = { "P->ret", NULL };
static const char *const task_values[] = { "(uint64_t)P->task", "(uint64_t)P->task", "P->sig", NULL };
/* Signals of the processor, as Solaris' numbers of faults (sys/fault.h). */
static const char *const fault_values[] = {
	"P->sig == DW_SIGILL ? DW_FLTILL : P->sig == DW_SIGTRAP ? DW_FLTBPT : P->sig == DW_SIGBUS ? DW_FLTACCESS : "
	"P->sig == DW_SIGFPE ? DW_FLTIZDIV : DW_FLTBOUNDS",
	"(uint64_t)P->info", NULL
};
static const char *const handle_values[] = { "P->sig", "(uint64_t)P->info", "P->handler", NULL };

static const struct site exec_site[] = { { TP("sys_enter", 2, "dw_sysenter"), .when = EXEC, .values = path_value,
	.sees = "the system calls execve and execveat" } };
static const struct site failure_site[] = { { TP("sys_exit", 2, "dw_sysexit"), .when = EXEC " && P->error != 0",
	.values = error_value, .sees = "their failure" } };
static const struct site success_site[] = { { TP("sched_process_exec", 1, "dw_exit"),
	.sees = "the process has its new program" } };
static const struct site exit_site[] = { { TP("sched_process_exit", 1, "dw_exit"), .when = LAST, .values = code_value,
	.sees = "the end of the last thread of a process" } };
static const struct site lwp_exit_site[] = { { TP("sched_process_exit", 1, "dw_exit"),
	.sees = "the end of every thread" } };
static const struct site create_site[] = { { TP("sched_process_fork", 2, "dw_fork"), .when = LEADER,
	.values = task_values, .sees = "the creation of a process" } };
static const struct site lwp_create_site[] = { { TP("sched_process_fork", 2, "dw_fork"), .values = task_values,
	.sees = "the creation of every thread" } };
static const struct site start_site[] = { { TP("sys_exit", 2, "dw_sysexit"),
	.when = "__is_fork[P->nr] && P->ret == 0 && " LEADER, .sees = "fork, as it returns in the child" } };
static const struct site lwp_start_site[] = { { TP("sys_exit", 2, "dw_sysexit"),
	.when = "__is_fork[P->nr] && P->ret == 0", .sees = "fork and clone, as they return in the new thread" } };
static const struct site send_site[] = { { TP("signal_generate", 5, "dw_signalgen"), .irqs_off = true,
	.values = task_values, .sees = "every signal, whatever becomes of it" } };
static const struct site discard_site[] = { { TP("signal_generate", 5, "dw_signalgen"), .irqs_off = true,
	.when = "P->result == DW_TRACE_SIGNAL_IGNORED", .values = task_values,
	.sees = "signals that their process ignores" } };
static const struct site handle_site[] = { { TP("signal_deliver", 3, "dw_signaldeliver"), .irqs_off = true,
	.values = handle_values, .sees = "every signal that a thread takes" } };
static const struct site clear_site[] = { { TP("sys_exit", 2, "dw_sysexit"),
	.when = "P->nr == __nr_sigtimedwait && P->ret > 0", .values = waited_value,
	.sees = "sigwait, sigwaitinfo and sigtimedwait, as they return a signal" } };
static const struct site fault_site[] = { { TP("signal_generate", 5, "dw_signalgen"), .irqs_off = true, .when = FAULT,
	.values = fault_values, .sees = "the signals that the processor's faults become" } };

static const struct probe_def probes[] = {
	{ "create", process, TABLE(create_site), "a process has been created: args[0] is the new one" },
	{ "exec", path_arg, TABLE(exec_site), "a process is about to run another program: args[0] is its path" },
	{ "exec-failure", int_arg, TABLE(failure_site), "it could not: args[0] is the errno" },
	{ "exec-success", NULL, TABLE(success_site), "the process runs another program" },
	{ "exit", int_arg, TABLE(exit_site), "a process ends: 1 by exit, 2 by a signal, 3 with a core dump" },
	{ "fault", fault_args, TABLE(fault_site), "a thread makes the processor fault" },
	{ "lwp-create", thread, TABLE(lwp_create_site), "a thread has been created, the first of a process too" },
	{ "lwp-exit", NULL, TABLE(lwp_exit_site), "a thread ends" },
	{ "lwp-start", NULL, TABLE(lwp_start_site), "a new thread begins, the first of a process too" },
	{ "signal-clear", int_arg, TABLE(clear_site), "a thread that waited for a signal has it" },
	{ "signal-discard", send_args, TABLE(discard_site), "a signal is sent that its process ignores" },
	{ "signal-handle", handle_args, TABLE(handle_site), "a thread takes a signal: args[2] is its handler" },
	{ "signal-send", send_args, TABLE(send_site),
		"a signal is sent to the thread and process of args[0] and args[1]" },
	{ "start", NULL, TABLE(start_site), "a new process begins" },
};

const struct provider proc_provider = { PROVIDER("proc", "dw_task", probes) };
