/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile: opens ELF files. Whoever runs a process has made its files, and they are read as root. */
#ifndef DWIRE_SYMBOLS_ELF_ELFFILE_H
#define DWIRE_SYMBOLS_ELF_ELFFILE_H
#include <libelf.h>

/* NULL: no file, no ELF, or too large to be read into memory (a quarter of the machine's, from 256 MB to 4 GB): a file
 * with holes costs its owner nothing. *fd is to be closed with elffile_close. */
Elf *elffile_open(const char *path, int *fd);
void elffile_close(Elf *elf, int fd);
/* The same of a file that is open already; fd stays the caller's. */
Elf *elffile_begin(int fd);
#endif
