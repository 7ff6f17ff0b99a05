/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readall: reads files of the kernel, whose size is not known beforehand. */
#ifndef DWIRE_KERNEL_READALL_H
#define DWIRE_KERNEL_READALL_H
#include <stddef.h>

/* All that fd gives, as malloc'ed text that ends with a NUL, behind which a byte is free; room: a first guess of its
 * size. 0 or -errno; then *text stays as it is. len may be NULL. */
int read_all(int fd, size_t room, char **text, size_t *len) __attribute__((warn_unused_result));
#endif
