/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdtnotes: see sdtnotes.h. Input: an ELF file: notes named "stapsdt" of type 3, which hold three addresses (the
 * probe's, that of section .stapsdt.base when the file was linked, the semaphore's) and three texts. Invariant:
 * nothing outside of what libelf checked is read; texts end within their note. */
#include "symbols/elf/sdtnotes.h"

#include <gelf.h>
#include <string.h>

#include "symbols/elf/elffile.h"

#define NOTE_TYPE 3
#define NOTES_MOST 100000u /* of a file; one with more is broken */
#define TEXT_MOST 1024u

struct reading {
	struct arena *arena;
	Elf *elf;
	uint64_t base; /* of .stapsdt.base; 0: none */
	sdt_list *out;
};

/* The file's byte of an address; loaded: it has to come from the file (not from .bss). */
static bool file_offset(Elf *elf, uint64_t addr, uint64_t *off)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && addr >= ph.p_vaddr &&
			addr - ph.p_vaddr < ph.p_filesz) {
			*off = addr - ph.p_vaddr + ph.p_offset;
			return true;
		}
	return false;
}

/* The text at *at, which moves behind it; NULL: it does not end. */
static const char *take_text(struct arena *a, const char *desc, size_t size, size_t *at)
{
	const char *s = desc + *at;
	size_t left = size - *at, n = strnlen(s, left);

	if (n == left || n > TEXT_MOST)
		return NULL;
	*at += n + 1;
	return arena_strndup(a, s, n);
}

static void take_note(struct reading *r, const char *desc, size_t size)
{
	struct sdt_note note;
	uint64_t addr[3];
	size_t at = sizeof(addr);

	if (size < sizeof(addr) + 3)
		return;
	memcpy(addr, desc, sizeof(addr));
	note.prov = take_text(r->arena, desc, size, &at);
	note.name = note.prov ? take_text(r->arena, desc, size, &at) : NULL;
	note.args = note.name ? take_text(r->arena, desc, size, &at) : NULL;
	if (!note.args || !*note.prov || !*note.name)
		return;
	if (r->base && addr[1]) { /* the file was moved after it was linked */
		addr[0] += r->base - addr[1];
		addr[2] += addr[2] ? r->base - addr[1] : 0;
	}
	note.semaphore = 0;
	if (!file_offset(r->elf, addr[0], &note.off) || (addr[2] && !file_offset(r->elf, addr[2], &note.semaphore)))
		return;
	*vec_push(r->arena, r->out) = note;
}

static void take_section(struct reading *r, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t name, desc, at = 0;
	GElf_Nhdr nh;

	while (data && data->d_buf && (at = gelf_getnote(data, at, &nh, &name, &desc)) > 0 && r->out->n < NOTES_MOST)
		if (nh.n_type == NOTE_TYPE && nh.n_namesz == sizeof("stapsdt") &&
			!memcmp((const char *)data->d_buf + name, "stapsdt", sizeof("stapsdt")))
			take_note(r, (const char *)data->d_buf + desc, nh.n_descsz);
}

static void read_elf(struct arena *a, Elf *elf, sdt_list *out)
{
	struct reading r = { .arena = a, .elf = elf, .out = out };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 || elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (name && !strcmp(name, ".stapsdt.base"))
			r.base = sh.sh_addr;
	}
	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE && !(sh.sh_flags & SHF_ALLOC))
			take_section(&r, scn);
}

void sdt_read(struct arena *a, int fd, sdt_list *out)
{
	Elf *elf = elffile_begin(fd);

	if (elf)
		read_elf(a, elf, out);
	elf_end(elf);
}

void sdt_read_memory(struct arena *a, void *image, size_t len, sdt_list *out)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory(image, len);

	if (elf)
		read_elf(a, elf, out);
	elf_end(elf);
}
