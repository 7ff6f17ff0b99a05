/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unxz: unpacks what xz packed, from memory to memory. */
#ifndef DWIRE_SYMBOLS_ELF_UNXZ_H
#define DWIRE_SYMBOLS_ELF_UNXZ_H
#include <stddef.h>

/* The bytes, malloced. NULL: the input is not xz, or damaged, or would take more than 64 MB. */
void *unxz(const void *packed, size_t len, size_t *out_len);
#endif
