/* SPDX-License-Identifier: GPL-2.0-or-later */
/* safeopen: opens files whose names strangers choose.
 *
 * A name may lead through symbolic links to a terminal, which would become ours, to a device or pipe whose opening has
 * effects or waits, or to a file of the kernel. So a name is followed without opening what it leads to (O_PATH), and
 * only a regular file of a real file system is opened then. Descriptors are close-on-exec. */
#ifndef DWIRE_SYMBOLS_SANDBOX_SAFEOPEN_H
#define DWIRE_SYMBOLS_SANDBOX_SAFEOPEN_H
#include <sys/types.h>

/* The process's root, to be passed to safeopen(). A descriptor, or -errno. */
int safeopen_root(pid_t pid) __attribute__((warn_unused_result));
/* The file of this absolute name below root, for reading. root: a directory; names and links do not lead out of it.
 * -1: our own root. flags: 0 or O_NOFOLLOW. A descriptor; -errno; -EINVAL: not a regular file. */
int safeopen(int root, const char *path, int flags) __attribute__((warn_unused_result));
/* What the process has mapped there, even if it has no name any more. As safeopen(). Linux 4.3. */
int safeopen_mapping(pid_t pid, unsigned long long start, unsigned long long end) __attribute__((warn_unused_result));
#endif
