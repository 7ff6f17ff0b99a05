/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfsyms: see elfsyms.h. Input: .symtab of the file or of its debugging file, else .dynsym and the table that is
 * packed into .gnu_debugdata. Output: a sorted table.
 * Invariant: whatever the file holds, nothing outside of what libelf checked is read; names are copied. */
#include "symbols/elf/elfsyms.h"

#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/elffile.h"
#include "symbols/elf/unxz.h"

#define SEGMENTS_MAX 32
#define BUILD_ID_MAX 64
#define NAMES_MOST (512u << 20) /* bytes; symbols may share one name of any length */

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
	size_t n, cap, names;
	struct segment segs[SEGMENTS_MAX];
	size_t nsegs;
	char *debug; /* the file that the symbols are from, where that is another one */
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
	size_t len = strcspn(name, "@"); /* without its version */

	if (len > NAMES_MOST - e->names)
		return false;
	e->names += len;
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
	e->v[e->n].name = strndup(name, len);
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

/* ---- debugging files --------------------------------------------------------------------------------------------- */
/* "ab/cdef….debug" of the build id, or false. */
static bool build_id_name(Elf *elf, char *name, size_t size)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *data;
		GElf_Nhdr nh;
		size_t owner, desc, at = 0, n;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		while (data && (at = gelf_getnote(data, at, &nh, &owner, &desc)) > 0) {
			const uint8_t *id = (const uint8_t *)data->d_buf + desc;

			if (nh.n_type != NT_GNU_BUILD_ID || nh.n_descsz < 2 || nh.n_descsz > BUILD_ID_MAX)
				continue;
			n = (size_t)snprintf(name, size, "%02x/", id[0]);
			for (size_t i = 1; i < nh.n_descsz && n + 8 < size; i++)
				n += (size_t)snprintf(name + n, size - n, "%02x", id[i]);
			snprintf(name + n, size - n, ".debug");
			return true;
		}
	}
	return false;
}

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t strings = 0;

	if (elf_getshdrstrndx(elf, &strings) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *is = gelf_getshdr(scn, sh) ? elf_strptr(elf, strings, sh->sh_name) : NULL;

		if (is && strcmp(is, name) == 0)
			return scn;
	}
	return NULL;
}

/* The name in .gnu_debuglink: no path, and ended inside of the section. */
static const char *debuglink(Elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn = find_section(elf, ".gnu_debuglink", &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL;

	return name && memchr(name, '\0', data->d_size) && *name && !strchr(name, '/') ? name : NULL;
}

static bool read_file(struct elfsyms *e, const char *path)
{
	int fd;
	Elf *elf = elffile_open(path, &fd);
	bool found = elf && read_table(e, elf, SHT_SYMTAB);

	if (found && !e->debug)
		e->debug = strdup(path);
	elffile_close(elf, fd);
	return found;
}

/* In the process's own file system first, for it may be in a container; then in ours. */
static bool read_debug_file(struct elfsyms *e, Elf *elf, const char *root, const char *path)
{
	const char *const roots[] = { root, "" }, *link = debuglink(elf), *slash = path ? strrchr(path, '/') : NULL;
	char id[16 + 2 * BUILD_ID_MAX], name[PATH_MAX];
	bool has_id = build_id_name(elf, id, sizeof(id));

	for (size_t i = *root ? 0 : 1; i < 2; i++) {
		if (has_id) {
			snprintf(name, sizeof(name), "%s/usr/lib/debug/.build-id/%s", roots[i], id);
			if (read_file(e, name))
				return true;
		}
		for (size_t k = 0; link && slash && k < 3; k++) {
			static const char *const places[][2] = { { "", "" }, { "", "/.debug" },
				{ "/usr/lib/debug", "" } };

			snprintf(name, sizeof(name), "%s%s%.*s%s/%s", roots[i], places[k][0], (int)(slash - path), path,
				places[k][1], link);
			if (read_file(e, name))
				return true;
		}
	}
	return false;
}

/* The table of functions that some distributions pack into stripped files: xz, an ELF file of its own. */
static void read_packed(struct elfsyms *e, Elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn = find_section(elf, ".gnu_debugdata", &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t len = 0;
	void *image = data && data->d_buf ? unxz(data->d_buf, data->d_size, &len) : NULL;
	Elf *packed = image ? elf_memory(image, len) : NULL;

	if (packed && elf_kind(packed) == ELF_K_ELF)
		(void)read_table(e, packed, SHT_SYMTAB);
	elf_end(packed);
	free(image);
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

static struct elfsyms *read_elf(Elf *elf, const char *root, const char *path)
{
	struct elfsyms *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	read_segments(e, elf);
	if (!read_table(e, elf, SHT_SYMTAB) && !(root && read_debug_file(e, elf, root, path))) {
		(void)read_table(e, elf, SHT_DYNSYM);
		read_packed(e, elf);
	}
	if (e->n)
		qsort(e->v, e->n, sizeof(*e->v), by_addr);
	return e;
}

struct elfsyms *elfsyms_open(const char *file, const char *root, const char *path)
{
	int fd;
	Elf *elf = elffile_open(file, &fd);
	struct elfsyms *e = elf ? read_elf(elf, root, path) : NULL;

	elffile_close(elf, fd);
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
		e = read_elf(elf, NULL, NULL);
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
	free(e->debug);
	free(e);
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */
bool elfsyms_address(const struct elfsyms *e, uint64_t file_off, uint64_t *addr)
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

const char *elfsyms_debug(const struct elfsyms *e)
{
	return e->debug;
}

bool elfsyms_find(const struct elfsyms *e, uint64_t file_off, const char **name, uint64_t *off)
{
	size_t lo = 0, hi = e->n;
	uint64_t addr;

	if (!elfsyms_address(e, file_off, &addr))
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

bool elfsyms_file_off(const struct elfsyms *e, uint64_t addr, uint64_t *off)
{
	for (size_t k = 0; k < e->nsegs; k++)
		if (addr >= e->segs[k].addr && addr - e->segs[k].addr < e->segs[k].len) {
			*off = addr - e->segs[k].addr + e->segs[k].off;
			return true;
		}
	return false;
}

void elfsyms_each(
	const struct elfsyms *e, void (*each)(void *ctx, const char *name, uint64_t file_off, uint64_t size), void *ctx)
{
	uint64_t off;

	for (size_t i = 0; i < e->n; i++)
		if (elfsyms_file_off(e, e->v[i].addr, &off))
			each(ctx, e->v[i].name, off, e->v[i].size);
}
