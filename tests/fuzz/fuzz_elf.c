/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_elf: what is read from other people's files: an ELF image with its functions and its notes, the operands of a
 * probe's arguments, machine code. Found wrong: a crash, a sanitizer's report, results that make no sense. Mutations
 * start from a small whole image that is made here. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/elf/elfsyms.h"
#include "symbols/elf/insn.h"
#include "symbols/elf/sdtargs.h"
#include "symbols/elf/sdtnotes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* ---- a file ------------------------------------------------------------------------------------------------------ */
enum { NOTE, BASE, SYMTAB, STRTAB, NAMES, NSECTIONS }; /* each has section header number + 1 */

struct elf_file {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr sections[NSECTIONS + 1];
	Elf64_Sym syms[3];
	struct {
		Elf64_Nhdr head;
		char owner[8];
		uint32_t where[6]; /* three addresses, which are not aligned */
		char text[48];
	} note;
	char strings[16], names[64], base[8];
};

static void section(struct elf_file *im, int which, uint32_t name, uint32_t type, const void *from, size_t size)
{
	im->sections[which + 1] = (Elf64_Shdr){
		.sh_name = name,
		.sh_type = type,
		.sh_offset = (uint64_t)((const char *)from - (const char *)im),
		.sh_size = size,
		.sh_addralign = 1,
	};
}

static void make_image(struct elf_file *im)
{
	static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.symtab\0.strtab\0.shstrtab";

	memset(im, 0, sizeof(*im));
	im->head = (Elf64_Ehdr){ .e_ident = { 127, 'E', 'L', 'F', 2, 1, 1 },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_phoff = offsetof(struct elf_file, load),
		.e_shoff = offsetof(struct elf_file, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NSECTIONS + 1,
		.e_shstrndx = NAMES + 1 };
	im->load =
		(Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(*im), .p_memsz = sizeof(*im) };
	section(im, NOTE, 1, SHT_NOTE, &im->note, sizeof(im->note));
	section(im, BASE, 15, SHT_PROGBITS, im->base, sizeof(im->base));
	section(im, SYMTAB, 29, SHT_SYMTAB, im->syms, sizeof(im->syms));
	section(im, STRTAB, 37, SHT_STRTAB, im->strings, sizeof(im->strings));
	section(im, NAMES, 45, SHT_STRTAB, im->names, sizeof(im->names));
	im->sections[BASE + 1].sh_addr = 0x1010;
	im->sections[SYMTAB + 1].sh_link = STRTAB + 1;
	im->sections[SYMTAB + 1].sh_entsize = sizeof(Elf64_Sym);
	memcpy(im->names, names, sizeof(names));
	memcpy(im->strings, "\0main\0f@@V1", 12);
	for (uint32_t i = 1; i < 3; i++)
		im->syms[i] = (Elf64_Sym){ .st_name = i == 1 ? 1 : 6,
			.st_info = STT_FUNC,
			.st_shndx = 1,
			.st_value = 0x1000 + 16 * i,
			.st_size = 16 };
	im->note.head = (Elf64_Nhdr){ 8, sizeof(im->note.where) + sizeof(im->note.text), 3 };
	memcpy(im->note.owner, "stapsdt", 8);
	im->note.where[0] = im->note.where[4] = 0x1020;
	im->note.where[2] = 0x1010;
	memcpy(im->note.text, "serv\0query__start\0-4@%edi 8@8(%rax,%rbx,8)", 43);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct elf_file im;

	if (max >= sizeof(im) && (size < 64 || seed % 16 == 0)) {
		make_image(&im);
		memcpy(data, &im, sizeof(im));
		size = sizeof(im);
	}
	return LLVMFuzzerMutate(data, size, max);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void look(void *ctx, const char *name, uint64_t off, uint64_t size)
{
	(void)off;
	(void)size;
	*(size_t *)ctx += strlen(name);
}

/* The notes of an image, in this process. */
static void read_notes(struct arena *a, const void *image, size_t len, sdt_list *out)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd < 0 || write(fd, image, len) != (ssize_t)len)
		abort();
	(void)!sdt_read(NULL, a, fd, out);
	close(fd);
}

static void read_image(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	void *copy = malloc(size + 1);
	struct elfsyms *e;
	sdt_list notes = { 0 };
	size_t sum = 0;

	if (!a || !copy)
		abort();
	memcpy(copy, data, size);
	read_notes(a, copy, size, &notes);
	for (size_t i = 0; i < notes.n; i++) {
		struct uarg v[SDT_ARGS_MAX];

		if (!*notes.v[i].prov || sdt_args_parse(SDT_X86_64, notes.v[i].args, v) > SDT_ARGS_MAX)
			abort();
	}
	e = elfsyms_memory(copy, size);
	if (e)
		elfsyms_each(e, look, &sum);
	elfsyms_free(e);
	free(copy);
	arena_free(a);
}

static void read_operands(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct uarg v[SDT_ARGS_MAX];

	if (!text)
		abort();
	for (int m = SDT_X86_64; m <= SDT_AARCH64; m++) {
		size_t n = sdt_args_parse((enum sdt_machine)m, text, v);

		for (size_t i = 0; i < n; i++)
			if (v[i].kind != UARG_CONST && (v[i].reg > 264 || v[i].index > 264 || v[i].size > 8))
				abort();
	}
	free(text);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* What mutations start from is read whole: else nothing behind it is ever reached. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct arena *a = arena_new();
	sdt_list notes = { 0 };
	struct elf_file im;
	struct elfsyms *e;
	size_t sum = 0;

	(void)argc;
	(void)argv;
	make_image(&im);
	read_notes(a, &im, sizeof(im), &notes);
	e = elfsyms_memory(&im, sizeof(im));
	if (notes.n != 1 || strcmp(notes.v[0].name, "query__start") != 0 || !e)
		abort();
	elfsyms_each(e, look, &sum);
	if (sum != strlen("main") + strlen("f"))
		abort();
	elfsyms_free(e);
	arena_free(a);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_image(data, size);
	read_operands(data, size);
	if (insn_length_x86(data, size) > size)
		abort();
	(void)insn_at(data, size, size / 2);
	if (insn_only_return(data, size) > size || (insn_refused(data, size) && !size && insn_length_x86(data, size)))
		abort();
	return 0;
}
