/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memlock: before Linux 5.11 the memory of BPF maps and programs counts against RLIMIT_MEMLOCK, often 64 KiB. Beyond
 * it bpf(2) fails with EPERM. */
#ifndef DWIRE_KERNEL_MEMLOCK_H
#define DWIRE_KERNEL_MEMLOCK_H
#include <stdbool.h>
#include <stdint.h>

/* Raises this process's limit, without CAP_SYS_RESOURCE only up to the hard limit. true: it is higher now, so that a
 * call that failed with EPERM is worth another try. On kernels that do not count BPF's memory nothing changes. */
bool memlock_raise(void);
/* Does a limit apply to BPF's memory? *bytes: which. */
bool memlock_limited(uint64_t *bytes);
#endif
