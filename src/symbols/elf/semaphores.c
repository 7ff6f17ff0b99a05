/* SPDX-License-Identifier: GPL-2.0-or-later */
/* semaphores: see semaphores.h. The object is small, so its structures of elf(5) are written directly: libelf can write
 * only to files, this code to any stream.
 * Input: names. Output: the file's header, the contents of the sections, the sections' headers.
 * Invariant: the object has no code, and declares to the linker that it needs no executable stack and is compatible
 * with the processor's protection of jumps and returns. */
#include "symbols/elf/semaphores.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/arch.h"

enum { SEC_NULL, SEC_PROBES, SEC_PROPERTY, SEC_STACK, SEC_SYMBOLS, SEC_STRINGS, SEC_NAMES, SECTIONS };

/* GNU_PROPERTY_X86_FEATURE_1_AND with IBT and SHSTK; on arm64 GNU_PROPERTY_AARCH64_FEATURE_1_AND with BTI and PAC. */
struct property {
	Elf64_Nhdr head;
	char name[4];
	uint32_t type, size, bits, pad;
};

struct object {
	size_t n;
	uint16_t *counters;
	Elf64_Sym *symbols; /* n + 1 */
	char *strings;
	size_t strings_len;
	Elf64_Shdr sections[SECTIONS];
	size_t size; /* so far */
};

static const char section_names[] = "\0.probes\0.note.gnu.property\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";

/* Where the name of a section is in section_names. */
static uint32_t section_name(const char *name)
{
	size_t at = 1;

	while (strcmp(section_names + at, name))
		at += strlen(section_names + at) + 1;
	return (uint32_t)at;
}

static int make_symbols(struct object *o, const char *const *names)
{
	size_t at = 1;

	o->strings_len = 1;
	for (size_t i = 0; i < o->n; i++)
		o->strings_len += strlen(names[i]) + 1;
	o->counters = calloc(o->n + 1, sizeof(*o->counters));
	o->symbols = calloc(o->n + 1, sizeof(*o->symbols));
	o->strings = calloc(1, o->strings_len);
	if (!o->counters || !o->symbols || !o->strings)
		return -ENOMEM;
	for (size_t i = 0; i < o->n; i++) {
		o->symbols[i + 1] = (Elf64_Sym){
			.st_name = (Elf64_Word)at,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			.st_other = STV_HIDDEN,
			.st_shndx = SEC_PROBES,
			.st_value = i * sizeof(*o->counters),
			.st_size = sizeof(*o->counters),
		};
		memcpy(o->strings + at, names[i], strlen(names[i]) + 1);
		at += strlen(names[i]) + 1;
	}
	return 0;
}

/* Each section begins at a multiple of 8 bytes. */
static size_t padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* The section's place is the next one in the file. */
static void add_section(struct object *o, int index, const char *name, Elf64_Shdr section)
{
	section.sh_name = section_name(name);
	section.sh_offset = o->size;
	o->size += padded(section.sh_size);
	o->sections[index] = section;
}

static void add_sections(struct object *o)
{
	o->size = sizeof(Elf64_Ehdr);
	add_section(o, SEC_PROBES, ".probes",
		(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_WRITE,
			.sh_size = o->n * sizeof(*o->counters),
			.sh_addralign = 2 });
	add_section(o, SEC_PROPERTY, ".note.gnu.property",
		(Elf64_Shdr){ .sh_type = SHT_NOTE,
			.sh_flags = SHF_ALLOC,
			.sh_size = sizeof(struct property),
			.sh_addralign = 8 });
	add_section(o, SEC_STACK, ".note.GNU-stack", (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_addralign = 1 });
	add_section(o, SEC_SYMBOLS, ".symtab",
		(Elf64_Shdr){ .sh_type = SHT_SYMTAB,
			.sh_size = (o->n + 1) * sizeof(*o->symbols),
			.sh_link = SEC_STRINGS,
			.sh_info = 1,
			.sh_addralign = 8,
			.sh_entsize = sizeof(*o->symbols) });
	add_section(o, SEC_STRINGS, ".strtab",
		(Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_size = o->strings_len, .sh_addralign = 1 });
	add_section(o, SEC_NAMES, ".shstrtab",
		(Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_size = sizeof(section_names), .sh_addralign = 1 });
}

static void put(FILE *out, const void *data, size_t n)
{
	static const char zeros[8];

	fwrite(data, 1, n, out);
	fwrite(zeros, 1, padded(n) - n, out);
}

static int write_object(const struct object *o, FILE *out)
{
	const struct property property = {
		.head = { .n_namesz = 4, .n_descsz = 16, .n_type = NT_GNU_PROPERTY_TYPE_0 },
		.name = "GNU",
		.type = ARCH_ELF_MACHINE == EM_AARCH64 ? 0xc0000000 : 0xc0000002,
		.size = 4,
		.bits = 3,
	};
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = ARCH_ELF_MACHINE,
		.e_version = EV_CURRENT,
		.e_shoff = o->size,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SEC_NAMES,
	};

	errno = 0;
	put(out, &head, sizeof(head));
	put(out, o->counters, o->n * sizeof(*o->counters));
	put(out, &property, sizeof(property));
	put(out, o->symbols, (o->n + 1) * sizeof(*o->symbols));
	put(out, o->strings, o->strings_len);
	put(out, section_names, sizeof(section_names));
	put(out, o->sections, sizeof(o->sections));
	return ferror(out) ? -(errno ? errno : EIO) : 0;
}

int semaphores_write(const char *const *names, size_t n, FILE *out)
{
	struct object o = { .n = n };
	int r = make_symbols(&o, names);

	if (!r) {
		add_sections(&o);
		r = write_object(&o, out);
	}
	free(o.counters);
	free(o.symbols);
	free(o.strings);
	return r;
}
