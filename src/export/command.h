/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command: the command whose output is read, and the privileges that it keeps and we do not. */
#ifndef DWIRE_EXPORT_COMMAND_H
#define DWIRE_EXPORT_COMMAND_H
#include <stdio.h>
#include <sys/types.h>

/* Starts a command. *fd: its output, to read from. It is sent SIGTERM when we end, however that happens. Returns its
 * pid, or -1 after a message to err. */
pid_t command_start(const char *const *argv, int *fd, FILE *err);
/* Ends it, if it has not ended, and waits. Returns its exit status as a shell gives it. */
int command_end(pid_t pid);
/* From now on this process is an ordinary one: if it is root's, it becomes nobody's; it gains no privileges by what
 * it might start. 0, or -1 after a message to err. */
int privileges_drop(FILE *err);
#endif
