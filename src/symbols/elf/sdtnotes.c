/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdtnotes: see sdtnotes.h. Input: an ELF file: notes named "stapsdt" of type 3, which hold three addresses (the
 * probe's, that of section .stapsdt.base when the file was linked, the semaphore's) and three texts.
 * The first part runs in the sandbox and writes the notes; the second copies them. Invariant: texts end within their
 * note. */
#include "symbols/elf/sdtnotes.h"

#include <errno.h>
#include <string.h>

#include "symbols/elf/elffile.h"

#define NOTE_TYPE 3
#define TEXT_MOST 1024u

/* In a blob: this, then the three texts, each with its NUL. */
struct head {
	uint64_t off, semaphore;
	uint32_t lens[3]; /* of the texts, with their NUL */
	uint32_t unused;
};

/* ---- in the sandbox ---------------------------------------------------------------------------------------------- */
struct reading {
	Elf *elf;
	uint64_t base; /* of .stapsdt.base; 0: none */
	size_t n;
	struct blob *out;
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

/* The length of the text at *at with its NUL, which moves behind it; 0: it does not end, or is too long. */
static uint32_t take_text(const char *desc, size_t size, size_t *at)
{
	size_t left = size - *at, n = strnlen(desc + *at, left);

	if (n == left || n > TEXT_MOST)
		return 0;
	*at += n + 1;
	return (uint32_t)n + 1;
}

static void take_note(struct reading *r, const char *desc, size_t size)
{
	struct head h = { 0 };
	uint64_t addr[3];
	size_t at = sizeof(addr);

	if (size < sizeof(addr) + 3)
		return;
	memcpy(addr, desc, sizeof(addr));
	for (int i = 0; i < 3; i++) {
		h.lens[i] = take_text(desc, size, &at);
		if (!h.lens[i] || (i < 2 && h.lens[i] == 1)) /* provider and name are never empty */
			return;
	}
	if (r->base && addr[1]) { /* the file was moved after it was linked */
		addr[0] += r->base - addr[1];
		addr[2] += addr[2] ? r->base - addr[1] : 0;
	}
	if (!file_offset(r->elf, addr[0], &h.off) || (addr[2] && !file_offset(r->elf, addr[2], &h.semaphore)))
		return;
	(void)blob_put(r->out, &h, sizeof(h));
	if (blob_put(r->out, desc + sizeof(addr), at - sizeof(addr)) == 0)
		r->n++;
}

static void take_section(struct reading *r, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t name, desc, at = 0;
	GElf_Nhdr nh;

	while (data && data->d_buf && (at = gelf_getnote(data, at, &nh, &name, &desc)) > 0 && r->n < SDT_NOTES_MOST)
		if (nh.n_type == NOTE_TYPE && nh.n_namesz == sizeof("stapsdt") &&
			!memcmp((const char *)data->d_buf + name, "stapsdt", sizeof("stapsdt")))
			take_note(r, (const char *)data->d_buf + desc, nh.n_descsz);
}

static int read_elf(Elf *elf, struct blob *out)
{
	struct reading r = { .elf = elf, .out = out };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (gelf_getclass(elf) != ELFCLASS64)
		return -ENOEXEC;
	if (elffile_section(elf, ".stapsdt.base", &sh))
		r.base = sh.sh_addr;
	while ((scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE && !(sh.sh_flags & SHF_ALLOC))
			take_section(&r, scn);
	return out->err;
}

static int read_file(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	(void)in;
	(void)len;
	(void)kept;
	return elffile_read(fd, read_elf, out);
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */
/* The note's text, copied; NULL: it does not end with its only NUL. */
static const char *copy_text(struct arena *a, struct blob_reader *r, uint32_t len)
{
	const char *s = len && len <= TEXT_MOST + 1 ? blob_bytes(r, len) : NULL;

	return s && strnlen(s, len) == len - 1 ? arena_strndup(a, s, len - 1) : NULL;
}

static int copy_notes(struct arena *a, const struct blob *b, sdt_list *out)
{
	struct blob_reader r = blob_read(b);
	struct head h;

	for (size_t n = 0; n < SDT_NOTES_MOST && blob_take(&r, &h, sizeof(h)); n++) {
		struct sdt_note note = { .off = h.off, .semaphore = h.semaphore };

		note.prov = copy_text(a, &r, h.lens[0]);
		note.name = note.prov ? copy_text(a, &r, h.lens[1]) : NULL;
		note.args = note.name ? copy_text(a, &r, h.lens[2]) : NULL;
		if (!note.args || !*note.prov || !*note.name)
			return -EIO;
		*vec_push(a, out) = note;
	}
	return 0;
}

int sdt_read(struct sandbox *s, struct arena *a, int fd, sdt_list *out)
{
	struct blob b = blob_new((size_t)SDT_NOTES_MOST * 4096);
	int err = sandbox_run(s, read_file, fd, NULL, 0, &b);

	if (!err)
		err = copy_notes(a, &b, out);
	blob_free(&b);
	return err;
}
