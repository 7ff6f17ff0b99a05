/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readall: reads files of /proc and sysfs, which report no size. */
#ifndef DWIRE_KERNEL_READALL_H
#define DWIRE_KERNEL_READALL_H
#include <stddef.h>

/* Reads fd to its end into malloc'ed text with a NUL and one spare byte after it; room: a first guess of the size in
 * bytes. 0 or -errno; on error *text is unchanged. len may be NULL. */
int read_all(int fd, size_t room, char **text, size_t *len) __attribute__((warn_unused_result));
/* The first line of a small file, without its line feed, cut to size; "" if it cannot be read. */
void read_first_line(const char *path, char *buf, size_t size);
#endif
