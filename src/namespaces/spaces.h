/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spaces: the network namespaces of the machine, as far as /proc shows them; and the way into one and back. */
#ifndef DWIRE_NAMESPACES_SPACES_H
#define DWIRE_NAMESPACES_SPACES_H
#include <stdbool.h>
#include <stdint.h>

/* A file of a namespace; borrowed for the call. */
struct space_file {
	uint32_t netns;   /* the namespace's number */
	int dir;          /* path is below this descriptor: /proc, or AT_FDCWD */
	const char *path; /* the file */
	const char *pid;  /* the process that is in the namespace; NULL: the namespace is mounted */
};

/* Handles one file. False: the walk is to end. */
typedef bool space_fn(void *ctx, const struct space_file *f);

/* Calls fn for each process's namespace and for each that is mounted. Most namespaces come several times. */
void spaces_walk(space_fn *fn, void *ctx);
/* The same for the processes' alone. */
void spaces_walk_processes(space_fn *fn, void *ctx);

/* Opens this thread's own namespace, as the way back. A descriptor or -errno. */
int spaces_own(void) __attribute__((warn_unused_result));
/* Calls fn in the namespace of the descriptor fd, then returns to own. To enter another namespace takes CAP_SYS_ADMIN.
 * The result is fn's, or -errno: fd could not be entered and fn was not called. *lost is set if there was no way back;
 * the thread is then still in fd. */
int spaces_inside(int fd, int own, int (*fn)(void *ctx), void *ctx, bool *lost) __attribute__((warn_unused_result));
#endif
