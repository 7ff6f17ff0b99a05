/* SPDX-License-Identifier: GPL-2.0-or-later */
/* semaphores: writes an object file with the counters that "stapsdt" notes refer to. A tracer of a probe increments the
 * probe's counter. */
#ifndef DWIRE_SYMBOLS_ELF_SEMAPHORES_H
#define DWIRE_SYMBOLS_ELF_SEMAPHORES_H
#include <stddef.h>
#include <stdio.h>

/* Writes an object for this machine that defines the n names as 16-bit variables, initially 0, in section .probes. They
 * are hidden: visible only in the program or library into which the object is linked. 0; -ENOMEM; -errno of the
 * stream. */
int semaphores_write(const char *const *names, size_t n, FILE *out) __attribute__((warn_unused_result));
#endif
