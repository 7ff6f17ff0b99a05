/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child_stop: stops a process, by ptrace(2), at the first instruction of the program that it executes. */
#ifndef DWIRE_PROCESS_CHILD_STOP_H
#define DWIRE_PROCESS_CHILD_STOP_H
#include <stdbool.h>
#include <sys/types.h>

/* Attaches this thread to the process, which stops after its next exec and is killed if we die. 0 or -errno. */
int child_hold(pid_t pid) __attribute__((warn_unused_result));
/* After it was let go: returns when the program is at its first own instruction, with its libraries mapped and their
 * constructors run. *ended: it died instead, and is not reaped. 0 or -errno. */
int child_to_entry(pid_t pid, bool *ended) __attribute__((warn_unused_result));
void child_release(pid_t pid);
#endif
