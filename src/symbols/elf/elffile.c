/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile: see elffile.h. Invariant: a string table is checked once, when it is opened, not at each of its texts: an
 * unchecked one of n bytes with n symbols takes n * n steps. */
#include "symbols/elf/elffile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* libelf opens anything; archives and files of another kind are of no use here. */
static Elf *if_elf(Elf *elf)
{
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

/* The file is mapped, not read: of most files only some sections are looked at. */
Elf *elffile_begin(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > ELFFILE_MOST ||
		elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	return if_elf(elf_begin(fd, ELF_C_READ_MMAP, NULL));
}

int elffile_read(int fd, int (*read)(Elf *elf, struct blob *out), struct blob *out)
{
	Elf *elf = elffile_begin(fd);
	int err = elf ? read(elf, out) : -ENOEXEC;

	elf_end(elf);
	return err;
}

/* For the vDSO, which is in memory only. image is not written to. */
Elf *elffile_memory(void *image, size_t len)
{
	return elf_version(EV_CURRENT) == EV_NONE ? NULL : if_elf(elf_memory(image, len));
}

/* By name; the first one if a file has several. */
Elf_Scn *elffile_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
	struct elf_strings names;
	Elf_Scn *scn = NULL;
	size_t index = 0;

	if (elf_getshdrstrndx(elf, &index) != 0 || !elffile_strings(elf, index, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *is = gelf_getshdr(scn, sh) ? elffile_text(&names, sh->sh_name) : NULL;

		if (is && strcmp(is, name) == 0)
			return scn;
	}
	return NULL;
}

/* By type (SHT_SYMTAB, ...): names of sections can be stripped or forged. */
Elf_Scn *elffile_first(Elf *elf, uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

/* False if the section is no table of strings or does not end with a NUL: elffile_text() relies on that. */
bool elffile_strings(Elf *elf, size_t index, struct elf_strings *s)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	GElf_Shdr sh;
	Elf_Data *data;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_STRTAB || (sh.sh_flags & SHF_COMPRESSED))
		return false;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size || ((const char *)data->d_buf)[data->d_size - 1] != '\0')
		return false;
	*s = (struct elf_strings){ data->d_buf, data->d_size };
	return true;
}

/* NULL for an offset outside of the table. */
const char *elffile_text(const struct elf_strings *s, uint64_t at)
{
	return at < s->len ? s->v + at : NULL;
}
