/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unxz: what was packed by xz, in memory. */
#ifndef DWIRE_SYMBOLS_ELF_UNXZ_H
#define DWIRE_SYMBOLS_ELF_UNXZ_H
#include <stddef.h>

/* Malloced; NULL: not xz, damaged, or more than 64 MB. */
void *unxz(const void *packed, size_t len, size_t *out_len);
#endif
