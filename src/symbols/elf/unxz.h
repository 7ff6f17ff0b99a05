/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unxz: decompresses xz data in memory. */
#ifndef DWIRE_SYMBOLS_ELF_UNXZ_H
#define DWIRE_SYMBOLS_ELF_UNXZ_H
#include <stddef.h>

/* The bytes, malloced. NULL: the input is not xz, is damaged, or needs more than 64 MB. */
void *unxz(const void *packed, size_t len, size_t *out_len);
#endif
