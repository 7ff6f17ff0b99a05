/* SPDX-License-Identifier: GPL-2.0-or-later */
/* beats: a process between us and clush that sends a beat to all machines each second, also while we are stopped by ^Z.
 * It passes on what we write, and ends when we close our end or die. */
#ifndef DWIRE_CLI_FLEET_BEATS_H
#define DWIRE_CLI_FLEET_BEATS_H
#include <sys/types.h>

/* fd: the input of clush; it becomes that of the process. *pid: the process. 0 or -errno. */
int beats_start(int *fd, pid_t *pid) __attribute__((warn_unused_result));
/* Ends it, if there is one. */
void beats_end(pid_t *pid);
#endif
