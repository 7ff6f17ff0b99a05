/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_symbols: any bytes as a program whose symbols, frames and inlined functions are wanted, as a packed table, as a
 * list of compiled functions and as a mangled name; and as .eh_frame of a program that is whole but for that. Nothing
 * may be read outside of them, and every reader ends. */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/elf/cfi.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/inlines.h"
#include "symbols/elf/unxz.h"
#include "symbols/perfmap.h"

static void look(struct elfsyms *e)
{
	const char *name;
	uint64_t off;
	size_t n = 0;

	for (uint64_t at = 0; e && at < 1u << 16; at += 61)
		if (elfsyms_find(e, at, &name, &off))
			n += strlen(name);
	if (n == SIZE_MAX)
		abort();
	elfsyms_free(e);
}

static bool read_word(void *ctx, uint64_t addr, uint64_t *word)
{
	*word = addr * 3 + *(const uint64_t *)ctx;
	return addr % 5 != 0;
}

static void walk(struct cfi *c)
{
	uint64_t salt = 77;

	for (uint64_t at = 0; c && at < 1u << 12; at += 13) {
		struct cfi_regs r = { .pc = at };

		for (unsigned i = 0; i < CFI_REGS; i++)
			r.v[i] = 1000 * i + at;
		for (unsigned n = 0; n < 8 && cfi_step(c, at, &r, read_word, &salt); n++)
			;
	}
	cfi_free(c);
}

/* A program that has this .eh_frame at the address 0x100. */
static void walk_frames(const uint8_t *data, size_t size)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		char names[24];
	} *im = calloc(1, sizeof(*im) + size);

	if (!im)
		abort();
	im->head = (Elf64_Ehdr){ .e_ident = { 127, 'E', 'L', 'F', 2, 1, 1 },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_shoff = sizeof(im->head),
		.e_ehsize = sizeof(im->head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2 };
	im->sections[1] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addr = 0x100, .sh_offset = sizeof(*im), .sh_size = size
	};
	im->sections[2] = (Elf64_Shdr){ .sh_name = 11,
		.sh_type = SHT_STRTAB,
		.sh_offset = sizeof(im->head) + sizeof(im->sections),
		.sh_size = sizeof(names) };
	memcpy(im->names, names, sizeof(names));
	memcpy(im + 1, data, size);
	walk(cfi_memory(im, sizeof(*im) + size));
	free(im);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	char path[64], name[128], text[256];
	uint64_t off;
	size_t len = size < sizeof(name) ? size : sizeof(name) - 1;
	void *image = malloc(size + 1);

	if (fd < 0 || !image || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	look(elfsyms_open(path, "/nonexistent", "/bin/x"));
	memcpy(image, data, size);
	look(elfsyms_memory(image, size));
	free(image);
	walk(cfi_open(path));
	walk_frames(data, size);
	struct inlines *in = inlines_open(path);
	const char *names[4];

	for (uint64_t at = 0; in && at < 1u << 12; at += 101)
		if (inlines_at(in, at, names, 4) > 4)
			abort();
	inlines_free(in);
	free(unxz(data, size, &len));
	if (lseek(fd, 0, SEEK_SET) != 0)
		abort();
	struct perfmap *m = perfmap_read(fd, getuid());

	if (m)
		(void)perfmap_find(m, 0x1000, &off);
	perfmap_free(m);
	len = size < sizeof(name) ? size : sizeof(name) - 1;
	memcpy(name, data, len);
	name[len] = '\0';
	if (strlen(demangle(name, text, sizeof(text))) >= sizeof(text))
		abort();
	return 0;
}
