/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pidns: supports tracing from inside a pid namespace, where /proc shows only that namespace while BPF programs see
 * the whole machine. */
#ifndef DWIRE_NAMESPACES_PIDNS_H
#define DWIRE_NAMESPACES_PIDNS_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct ktypes;

/* Are we in another pid namespace than the machine's first? */
bool pidns_inner(void);
/* Inode number of the machine's first network namespace, as a program finds it; 0: it could not be found. */
uint32_t pidns_first_netns(struct arena *a, const struct ktypes *k);
/* What the machine's first namespace calls the process pid of ours, as programs see it; 0: it could not be found. */
pid_t pidns_outer(pid_t pid);
#endif
