/* SPDX-License-Identifier: GPL-2.0-or-later */
/* safeopen: opens files whose names strangers choose.
 *
 * A symbolic link may lead to a terminal, which would become our controlling terminal; to a device or pipe, where
 * opening has side effects or blocks; or to a file of the kernel. So a name is first resolved without opening the file
 * (O_PATH). Only a regular file of a real file system is then opened. Descriptors are close-on-exec. */
#ifndef DWIRE_SYMBOLS_SANDBOX_SAFEOPEN_H
#define DWIRE_SYMBOLS_SANDBOX_SAFEOPEN_H
#include <sys/types.h>

/* The process's root directory, for safeopen(). A descriptor, or -errno. */
int safeopen_root(pid_t pid) __attribute__((warn_unused_result));
/* Opens the file with this absolute name below root, for reading. root: a directory that names and links cannot leave;
 * -1: our own root. flags: 0 or O_NOFOLLOW. A descriptor; -errno; -EINVAL: not a regular file. */
int safeopen(int root, const char *path, int flags) __attribute__((warn_unused_result));
/* Opens the file that the process has mapped there, even if it was deleted. Returns as safeopen(). Linux 4.3. */
int safeopen_mapping(pid_t pid, unsigned long long start, unsigned long long end) __attribute__((warn_unused_result));
#endif
