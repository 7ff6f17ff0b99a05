/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child_stop: brings a process that is about to execute a program to that program's beginning, and holds it there. */
#ifndef DWIRE_PROCESS_CHILD_STOP_H
#define DWIRE_PROCESS_CHILD_STOP_H
#include <stdbool.h>
#include <sys/types.h>

/* From here on this thread holds the process: it stops when it has executed a program, and dies when we do. */
int child_hold(pid_t pid) __attribute__((warn_unused_result));
/* After it was told to execute: returns when the program is at its first own instruction, with its libraries mapped and
 * their constructors run; *ended: it is dead instead (not reaped). 0 or -errno. */
int child_to_entry(pid_t pid, bool *ended) __attribute__((warn_unused_result));
void child_release(pid_t pid);
#endif
