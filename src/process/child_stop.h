/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child_stop: stops a process, by ptrace(2), at the start of the program that it executes. */
#ifndef DWIRE_PROCESS_CHILD_STOP_H
#define DWIRE_PROCESS_CHILD_STOP_H
#include <stdbool.h>
#include <sys/types.h>

#include "options/options.h"

/* Attaches this thread to the process, which stops after its next exec and is killed if we die. 0 or -errno. */
int child_hold(pid_t pid) __attribute__((warn_unused_result));
/* After it was let go: returns when the program has stopped where `at` says, or at its entry if that cannot be found.
 * *reached: EVAL_EXEC at the entry of a program whose constructors have not run (its libraries' have), else `at`.
 * *ended: it died instead, and is not reaped. 0 or -errno. */
int child_bring_to(pid_t pid, enum evaltime at, enum evaltime *reached, bool *ended)
	__attribute__((warn_unused_result));
void child_release(pid_t pid);
#endif
