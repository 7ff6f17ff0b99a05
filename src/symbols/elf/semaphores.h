/* SPDX-License-Identifier: GPL-2.0-or-later */
/* semaphores: an object file with the counters that notes "stapsdt" name: who traces a probe increments its one. */
#ifndef DWIRE_SYMBOLS_ELF_SEMAPHORES_H
#define DWIRE_SYMBOLS_ELF_SEMAPHORES_H
#include <stddef.h>
#include <stdio.h>

/* Writes an object for this machine that defines the n names as variables of 16 bits, 0 at first, in section .probes.
 * They are visible only in the program or library that it is linked into. 0; -ENOMEM; -errno of the stream. */
int semaphores_write(const char *const *names, size_t n, FILE *out) __attribute__((warn_unused_result));
#endif
