/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile: ELF files and their sections, by libelf. The file is mapped, not read: a file with holes costs its owner
 * nothing. To be used in the sandbox, for a mapped file may be cut short at any time (SIGBUS), or for files that are
 * trusted. */
#ifndef DWIRE_SYMBOLS_ELF_ELFFILE_H
#define DWIRE_SYMBOLS_ELF_ELFFILE_H
#include <gelf.h>
#include <stdbool.h>

#include "symbols/sandbox/blob.h"

#define ELFFILE_MOST (8ull << 30) /* bytes of a file */

/* The open file; fd stays the caller's. NULL: not an ELF file, or larger than ELFFILE_MOST. End it by elf_end(). */
Elf *elffile_begin(int fd);
/* Calls read with the file and out; fd stays the caller's. Its result; -ENOEXEC as elffile_begin() returns NULL. */
int elffile_read(int fd, int (*read)(Elf *elf, struct blob *out), struct blob *out) __attribute__((warn_unused_result));
/* An image in memory. */
Elf *elffile_memory(void *image, size_t len);
/* The first section of this name, and its header. NULL: there is none. */
Elf_Scn *elffile_section(Elf *elf, const char *name, GElf_Shdr *sh);
/* The first section of this type, and its header. NULL: there is none. */
Elf_Scn *elffile_first(Elf *elf, uint32_t type, GElf_Shdr *sh);

/* A string table whose last byte is NUL: each text in it ends in it. */
struct elf_strings {
	const char *v;
	size_t len;
};
/* Section number index; false: it is no string table, or its last byte is not NUL. */
bool elffile_strings(Elf *elf, size_t index, struct elf_strings *s);
/* The text at this place; NULL: it is outside. */
const char *elffile_text(const struct elf_strings *s, uint64_t at);
#endif
