/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: keeps a list of links, and links programs to perf events. */
#ifndef DWIRE_ATTACH_LINKS_H
#define DWIRE_ATTACH_LINKS_H
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Descriptors of links; closing them detaches. */
struct links {
	int *v;
	size_t n, cap;
};

/* Adds fd and owns it from now on. 0; -ENOMEM: fd was closed. */
int links_keep(struct links *l, int fd) __attribute__((warn_unused_result));
/* Appends all of from to l, and empties from. Without memory for it they are closed, which detaches them. */
void links_move(struct links *l, struct links *from);
/* Closes all links and empties the list; calling it twice is harmless. If there are many, another process detaches
 * them: their programs run some seconds longer. */
void links_close(struct links *l);
/* The first number in a file of /sys such as "8" or "config:32-63"; -1: none. */
int links_sys_number(const char *path);
/* Links prog to a new perf event, in process pid or, with pid -1, everywhere. Returns a descriptor, or -errno. */
int links_perf_event(int prog, const struct perf_event_attr *attr, pid_t pid, uint64_t cookie);
#endif
