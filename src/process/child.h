/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child: the processes a session is about: a command started for it (-c) or one that runs already (-p). Their end ends
 * the session. */
#ifndef DWIRE_PROCESS_CHILD_H
#define DWIRE_PROCESS_CHILD_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child;
struct reporter;

/* Forks a process that will run command once child_go() says so; until then it waits and has not executed anything.
 * The command is split at blanks without a shell; '...', "..." and \ quote. Call it before session_new(): the process
 * takes over the signal mask and the descriptors of that moment. 0 or -errno with why. */
int child_start(const char *command, struct child **out, const struct reporter *to) __attribute__((warn_unused_result));
/* Takes a running process. -ESRCH when there is none. */
int child_grab(pid_t pid, struct child **out, const struct reporter *to) __attribute__((warn_unused_result));

pid_t child_pid(const struct child *c);
/* Readable (poll) when the process has ended. */
int child_fd(const struct child *c);
/* Brings a started process to the beginning of its program: its libraries are mapped, nothing of its own has run. It
 * stays there until child_go(). Nothing is done to others. 0 or -errno with why. */
int child_ready(struct child *c, const struct reporter *to) __attribute__((warn_unused_result));
/* Lets a started process run its command; returns when that has begun, or -errno with why when it cannot be
 * executed. */
int child_go(struct child *c, const struct reporter *to) __attribute__((warn_unused_result));
/* After the end was seen: "pid 12 has exited" and the like. Reaps a started process. */
void child_describe_end(struct child *c, char *buf, size_t len);
/* A started process that still runs gets SIGTERM; a grabbed one goes on. NULL is fine. */
void child_free(struct child *c);
#endif
