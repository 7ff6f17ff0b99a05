/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_symbols: any bytes as a program whose symbols, frames and inlined functions are wanted, as a packed table, as a
 * list of compiled functions and as a mangled name; and as .eh_frame of a program that is whole but for that. Nothing
 * may be read outside of them, and every reader ends. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/elf/cfi.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/inlines.h"
#include "symbols/elf/sdtnotes.h"
#include "symbols/elf/unxz.h"
#include "symbols/perfmap.h"

/* libdw and libiberty, which are not ours, run where their faults do no harm. */
static struct sandbox *sandbox;
static unsigned runs;

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

static void look_in_file(int fd)
{
	struct inlines in;
	struct elfsyms *e = NULL;
	struct cfi *c = NULL;
	sdt_list notes = { 0 };
	struct arena *a = arena_new();

	if (elfsyms_open(NULL, fd, -1, "/bin/x", &e) == 0)
		look(e);
	if (cfi_open(NULL, fd, &c) == 0)
		walk(c);
	(void)!sdt_read(NULL, a, fd, &notes);
	arena_free(a);
	for (uint64_t at = 0x1000; at < 0x1400; at += 101)
		if (inlines_at(sandbox, fd, (uint64_t)runs, at, &in) == 0 && in.n > INLINES_NAMES)
			abort();
}

static void look_at_names(int fd, const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size), text[256];
	struct perfmap *m;
	uint64_t off;

	if (!name || strlen(demangle(sandbox, name, text, sizeof(text))) > size + sizeof(text))
		abort();
	free(name);
	if (perfmap_read(NULL, fd, &m) == 0)
		for (uint64_t at = 0; at < 0x3000; at += 0x100)
			(void)perfmap_find(m, at, &off);
	perfmap_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	void *image = malloc(size + 1);
	size_t len;

	runs++;
	if (!sandbox)
		sandbox = sandbox_new(NULL);
	if (!sandbox || fd < 0 || !image || write(fd, data, size) != (ssize_t)size)
		abort();
	look_in_file(fd);
	memcpy(image, data, size);
	look(elfsyms_memory(image, size));
	free(image);
	walk_frames(data, size);
	free(unxz(data, size, &len));
	look_at_names(fd, data, size);
	close(fd);
	return 0;
}
