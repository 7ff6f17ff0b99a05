/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile: ELF files and their sections, by libelf. The file is mapped, not read: a huge file with holes is cheap to
 * make, and reading it would cost us all its memory. Use it in the sandbox or for trusted files only, because a mapped
 * file may be truncated at any time (SIGBUS). */
#ifndef DWIRE_SYMBOLS_ELF_ELFFILE_H
#define DWIRE_SYMBOLS_ELF_ELFFILE_H
#include <gelf.h>
#include <stdbool.h>

#include "symbols/sandbox/blob.h"

#define ELFFILE_MOST (8ull << 30) /* bytes of a file */

/* Maps the open file; fd stays the caller's. NULL: not an ELF file, or larger than ELFFILE_MOST. The caller calls
 * elf_end(). */
Elf *elffile_begin(int fd);
/* Calls read with the file and out; fd stays the caller's. Returns the result of read, or -ENOEXEC if elffile_begin()
 * fails. */
int elffile_read(int fd, int (*read)(Elf *elf, struct blob *out), struct blob *out) __attribute__((warn_unused_result));
/* The same for an image in memory. */
Elf *elffile_memory(void *image, size_t len);
/* The first section of this name, and its header. NULL: there is none. */
Elf_Scn *elffile_section(Elf *elf, const char *name, GElf_Shdr *sh);
/* The first section of this type, and its header. NULL: there is none. */
Elf_Scn *elffile_first(Elf *elf, uint32_t type, GElf_Shdr *sh);

/* A string table whose last byte is NUL, so that no text in it runs past its end. */
struct elf_strings {
	const char *v;
	size_t len;
};
/* The string table in section number index. False: it is not one, or its last byte is not NUL. */
bool elffile_strings(Elf *elf, size_t index, struct elf_strings *s);
/* The text at offset `at`; NULL: outside the table. */
const char *elffile_text(const struct elf_strings *s, uint64_t at);
#endif
