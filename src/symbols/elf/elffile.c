/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile: see elffile.h. Input: a path or a descriptor. Output: libelf's handle, of regular files only.
 * Invariant: what libelf may have to read of the file fits into memory. */
#include "symbols/elf/elffile.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_MOST (4ull << 30)
#define SIZE_LEAST (256ull << 20) /* a large program of today, whatever the machine has */

static bool is_readable(int fd)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t most = memory / 4 > SIZE_MOST ? SIZE_MOST : memory / 4 < SIZE_LEAST ? SIZE_LEAST : memory / 4;
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= most;
}

Elf *elffile_begin(int fd)
{
	Elf *elf = is_readable(fd) && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		elf = NULL;
	}
	return elf;
}

Elf *elffile_open(const char *path, int *fd)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return *fd < 0 ? NULL : elffile_begin(*fd);
}

void elffile_close(Elf *elf, int fd)
{
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}
