/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child: manages the process that a trace follows: started for it (-c), or already running (-p). Errors are reported,
 * and returned as -errno. */
#ifndef DWIRE_PROCESS_CHILD_H
#define DWIRE_PROCESS_CHILD_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "options/options.h"

struct child;
struct reporter;

/* Forks a process that runs the command once child_go() lets it; until then it has executed nothing. The command is
 * split at blanks without a shell; '...', "..." and \ quote. The process gets this thread's signal mask and its ignored
 * signals, and the descriptors that survive an exec. */
int child_start(const char *command, struct child **out, const struct reporter *to) __attribute__((warn_unused_result));
/* Takes a running process. -ESRCH when there is none. */
int child_grab(pid_t pid, struct child **out, const struct reporter *to) __attribute__((warn_unused_result));

/* Before its command runs: what a started process writes to its standard output goes to the standard error, because
 * the trace writes something there that must not be mixed with other text. */
void child_put_aside(struct child *c);
pid_t child_pid(const struct child *c);
/* Readable (poll) when the process has ended. */
int child_fd(const struct child *c);
/* Executes the command of a started process and stops it where evaltime says, until child_go(). If that place cannot be
 * found, it stops earlier; if ptrace(2) is not permitted, not at all; a note says so. EVAL_EXEC, and processes that
 * were not started: nothing happens. */
int child_ready(struct child *c, enum evaltime at, const struct reporter *to) __attribute__((warn_unused_result));
/* Lets a started process run its command. Returns when the program is executed. */
int child_go(struct child *c, const struct reporter *to) __attribute__((warn_unused_result));
/* After child_fd() became readable: "pid 12 has exited" and the like. Reaps a started process. */
void child_describe_end(struct child *c, char *buf, size_t len);
/* The exit status of a started process that child_describe_end() has reaped: 128 and the number of the signal that
 * ended it, as in a shell. -1: it is not known. */
int child_status(const struct child *c);
/* A started process that still runs gets SIGTERM; a grabbed one goes on. NULL is fine. */
void child_free(struct child *c);
#endif
