/* elfsyms: see elfsyms.h. Input: .symtab of the file or of its debugging file, else .dynsym. Output: a sorted table.
 * Invariant: whatever the file holds, nothing outside of what libelf checked is read; names are copied. */
#include "kernel/elfsyms.h"
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_MAX 32
#define BUILD_ID_MAX 64

struct func {
	uint64_t addr, size;
	char *name; /* in names */
	bool global;
};

struct segment {
	uint64_t off, addr, len;
};

struct elfsyms {
	struct func *v;
	size_t n, cap;
	struct segment segs[SEGMENTS_MAX];
	size_t nsegs;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static void read_segments(struct elfsyms *e, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && e->nsegs < SEGMENTS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD)
			e->segs[e->nsegs++] = (struct segment){ ph.p_offset, ph.p_vaddr, ph.p_filesz };
}

static bool add_func(struct elfsyms *e, const GElf_Sym *sym, const char *name)
{
	if (e->n == e->cap) {
		size_t cap = e->cap ? 2 * e->cap : 256;
		struct func *v = reallocarray(e->v, cap, sizeof(*v));

		if (!v)
			return false;
		e->v = v;
		e->cap = cap;
	}
	e->v[e->n].addr = sym->st_value;
	e->v[e->n].size = sym->st_size;
	e->v[e->n].global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	e->v[e->n].name = strdup(name);
	return e->v[e->n].name && ++e->n;
}

static bool is_func(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF && sym->st_value;
}

/* The functions of the symbol table of this type; false when there is none. */
static bool read_table(struct elfsyms *e, Elf *elf, uint32_t type)
{
	Elf_Scn *scn = NULL;
	size_t before = e->n;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
			const char *name;

			if (!gelf_getsym(data, (int)i, &sym) || !is_func(&sym))
				continue;
			name = elf_strptr(elf, sh.sh_link, sym.st_name);
			if (name && *name && !add_func(e, &sym, name))
				return false;
		}
	}
	return e->n > before;
}

/* "/usr/lib/debug/.build-id/ab/cdef….debug", or false. */
static bool debug_path(Elf *elf, char *path, size_t size)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *data;
		GElf_Nhdr nh;
		size_t name, desc, at = 0, n;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		while (data && (at = gelf_getnote(data, at, &nh, &name, &desc)) > 0) {
			const uint8_t *id = (const uint8_t *)data->d_buf + desc;

			if (nh.n_type != NT_GNU_BUILD_ID || nh.n_descsz < 2 || nh.n_descsz > BUILD_ID_MAX)
				continue;
			n = (size_t)snprintf(path, size, "/usr/lib/debug/.build-id/%02x/", id[0]);
			for (size_t i = 1; i < nh.n_descsz && n + 8 < size; i++)
				n += (size_t)snprintf(path + n, size - n, "%02x", id[i]);
			snprintf(path + n, size - n, ".debug");
			return true;
		}
	}
	return false;
}

static bool read_debug_file(struct elfsyms *e, Elf *elf)
{
	char path[64 + 2 * BUILD_ID_MAX];
	bool found = false;
	Elf *debug;
	int fd;

	if (!debug_path(elf, path, sizeof(path)))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	debug = elf_begin(fd, ELF_C_READ, NULL);
	if (debug)
		found = read_table(e, debug, SHT_SYMTAB);
	elf_end(debug);
	close(fd);
	return found;
}

/* Of several names for one address: the longest function, then a global name, then the shorter name. */
static int by_addr(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	return strlen(x->name) != strlen(y->name) ? (strlen(x->name) < strlen(y->name) ? -1 : 1)
						  : strcmp(x->name, y->name);
}

static struct elfsyms *read_elf(Elf *elf)
{
	struct elfsyms *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	read_segments(e, elf);
	if (!read_table(e, elf, SHT_SYMTAB) && !read_debug_file(e, elf))
		(void)read_table(e, elf, SHT_DYNSYM);
	if (e->n)
		qsort(e->v, e->n, sizeof(*e->v), by_addr);
	return e;
}

struct elfsyms *elfsyms_open(const char *path)
{
	struct elfsyms *e = NULL;
	int fd;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		e = read_elf(elf);
	elf_end(elf);
	close(fd);
	return e;
}

struct elfsyms *elfsyms_memory(void *image, size_t len)
{
	struct elfsyms *e = NULL;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	elf = elf_memory(image, len);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		e = read_elf(elf);
	elf_end(elf);
	return e;
}

void elfsyms_free(struct elfsyms *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++)
		free(e->v[i].name);
	free(e->v);
	free(e);
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */
static bool virtual_address(const struct elfsyms *e, uint64_t file_off, uint64_t *addr)
{
	for (size_t i = 0; i < e->nsegs; i++) {
		const struct segment *s = &e->segs[i];

		if (file_off >= s->off && file_off - s->off < s->len) {
			*addr = file_off - s->off + s->addr;
			return true;
		}
	}
	return false;
}

bool elfsyms_find(const struct elfsyms *e, uint64_t file_off, const char **name, uint64_t *off)
{
	size_t lo = 0, hi = e->n;
	uint64_t addr;

	if (!virtual_address(e, file_off, &addr))
		return false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* The best of those that begin at the same address stands first. Functions may lie in others. */
	for (size_t tries = 0; lo-- > 0 && tries < 16; tries++) {
		const struct func *f = &e->v[lo];

		while (lo && e->v[lo - 1].addr == f->addr)
			f = &e->v[--lo];
		if (addr - f->addr < f->size || (!f->size && tries == 0)) {
			*name = f->name;
			*off = addr - f->addr;
			return true;
		}
	}
	return false;
}

void elfsyms_each(
	const struct elfsyms *e, void (*each)(void *ctx, const char *name, uint64_t file_off, uint64_t size), void *ctx)
{
	for (size_t i = 0; i < e->n; i++)
		for (size_t k = 0; k < e->nsegs; k++)
			if (e->v[i].addr >= e->segs[k].addr && e->v[i].addr - e->segs[k].addr < e->segs[k].len) {
				each(ctx, e->v[i].name, e->v[i].addr - e->segs[k].addr + e->segs[k].off, e->v[i].size);
				break;
			}
}
