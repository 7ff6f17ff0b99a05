/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfsyms: see elfsyms.h. Input: .symtab of the file or of its debugging file, else .dynsym and the table that is
 * packed into .gnu_debugdata. Output: a sorted table.
 * The first part runs in the sandbox and writes a table; the second checks it and looks names up.
 * Invariant: a table that passed the check can be walked without leaving it, whatever wrote it. */
#include "symbols/elf/elfsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf/elffile.h"
#include "symbols/elf/unxz.h"
#include "symbols/sandbox/safeopen.h"

#define SEGMENTS_MAX 32
#define BUILD_ID_MAX 64
#define NAME_MOST 65536u /* bytes; a function with a longer name is left out */

enum rank { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL };

struct func {
	uint64_t addr, size;
	uint32_t name; /* its place among the names */
	uint32_t rank; /* enum rank */
};

struct segment {
	uint64_t off, addr, len;
};

/* A table in a blob: this, the functions, the names, whose last byte is NUL. */
struct table {
	struct segment segs[SEGMENTS_MAX];
	uint64_t nsegs;
	uint64_t n, names_len;
	uint64_t full; /* from .symtab: no other file is needed */
	uint8_t id[BUILD_ID_MAX];
	uint64_t id_len;         /* of the build id; 0: none */
	char link[NAME_MAX + 1]; /* the debugging file's name; "": none */
};

struct elfsyms {
	struct segment segs[SEGMENTS_MAX];
	size_t nsegs;
	struct blob blob;
	const struct func *v; /* in the blob, as the names */
	size_t n;
	const char *names;
	char *debug; /* the file that the symbols are from, where that is another one */
	bool debug_in_root;
};

/* ---- in the sandbox ---------------------------------------------------------------------------------------------- */
struct reading {
	struct table t;
	struct blob funcs, names;
};

/* Where the file's bytes are loaded: /proc/PID/maps speaks of offsets in the file, symbols of addresses. */
static void read_segments(struct table *t, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && t->nsegs < SEGMENTS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD)
			t->segs[t->nsegs++] = (struct segment){ ph.p_offset, ph.p_vaddr, ph.p_filesz };
}

static uint32_t rank_of(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);

	return bind == STB_LOCAL ? RANK_LOCAL : bind == STB_WEAK ? RANK_WEAK : RANK_GLOBAL;
}

/* The name is kept without the version that follows it ("memcpy@@GLIBC_2.14"). */
static int add_func(struct reading *r, const GElf_Sym *sym, const char *name)
{
	struct func f = { sym->st_value, sym->st_size, (uint32_t)r->names.n, rank_of(sym) };
	size_t len = strnlen(name, NAME_MOST);
	const char *version = memchr(name, '@', len);

	if (len == NAME_MOST)
		return 0;
	if (version)
		len = (size_t)(version - name);
	(void)blob_put(&r->names, name, len);
	(void)blob_put(&r->names, "", 1);
	(void)blob_put(&r->funcs, &f, sizeof(f));
	r->t.n++;
	return r->names.err ? r->names.err : r->funcs.err;
}

/* A defined function. STT_GNU_IFUNC: one that chooses its code at run time, such as memcpy(). */
static bool is_func(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF && sym->st_value;
}

/* The functions of the first symbol table of this type. 0; -ENOENT: there are none; -E2BIG, -ENOMEM. */
static int read_table(struct reading *r, Elf *elf, uint32_t type)
{
	uint64_t before = r->t.n;
	struct elf_strings names;
	GElf_Shdr sh;
	Elf_Scn *scn = elffile_first(elf, type, &sh);
	Elf_Data *data = scn && elffile_strings(elf, sh.sh_link, &names) ? elf_getdata(scn, NULL) : NULL;
	int err = 0;
	GElf_Sym sym;

	for (int i = 0; !err && data && gelf_getsym(data, i, &sym); i++) {
		const char *name = is_func(&sym) ? elffile_text(&names, sym.st_name) : NULL;

		if (name && *name)
			err = add_func(r, &sym, name);
	}
	return err ? err : r->t.n > before ? 0 : -ENOENT;
}

/* The build id, by which debugging files are named. Notes are searched in all sections, as files may lack the usual
 * name. */
static void read_build_id(struct table *t, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (!t->id_len && (scn = elf_nextscn(elf, scn)) != NULL) {
		size_t owner, desc, at = 0;
		Elf_Data *data;
		GElf_Nhdr nh;

		data = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE ? elf_getdata(scn, NULL) : NULL;
		while (data && !t->id_len && (at = gelf_getnote(data, at, &nh, &owner, &desc)) > 0)
			if (nh.n_type == NT_GNU_BUILD_ID && nh.n_descsz >= 2 && nh.n_descsz <= BUILD_ID_MAX) {
				memcpy(t->id, (const char *)data->d_buf + desc, nh.n_descsz);
				t->id_len = nh.n_descsz;
			}
	}
}

/* The name in .gnu_debuglink. */
static void read_debuglink(struct table *t, Elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elffile_section(elf, ".gnu_debuglink", &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t len = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;

	if (len && len < data->d_size && len < sizeof(t->link))
		memcpy(t->link, data->d_buf, len);
}

/* The table of functions that some distributions pack into stripped files: an ELF file in .gnu_debugdata, as xz. */
static int read_packed(struct reading *r, Elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elffile_section(elf, ".gnu_debugdata", &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t len = 0;
	void *image = data && data->d_buf ? unxz(data->d_buf, data->d_size, &len) : NULL;
	Elf *packed = image ? elffile_memory(image, len) : NULL;
	int err = packed ? read_table(r, packed, SHT_SYMTAB) : 0;

	elf_end(packed);
	free(image);
	return err == -ENOENT ? 0 : err;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Of several names for one address: the longest function; a local name last; then the one with fewer leading
 * underscores, as libc's send() is weak and its __send() global; then a global name, a weak one; the shorter. */
static int by_addr(const void *a, const void *b, void *names)
{
	const struct func *x = a, *y = b;
	const char *xs = (const char *)names + x->name, *ys = (const char *)names + y->name;
	size_t xn, yn;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if ((x->rank == RANK_LOCAL) != (y->rank == RANK_LOCAL))
		return x->rank == RANK_LOCAL ? 1 : -1;
	if (underscores(xs) != underscores(ys))
		return underscores(xs) < underscores(ys) ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	xn = strlen(xs);
	yn = strlen(ys);
	return xn != yn ? (xn < yn ? -1 : 1) : strcmp(xs, ys);
}

/* Sorts the functions and writes the table. */
static int put_table(struct reading *r, struct blob *out)
{
	if (r->t.n)
		qsort_r(r->funcs.v, r->t.n, sizeof(struct func), by_addr, r->names.v);
	r->t.names_len = r->names.n;
	(void)blob_put(out, &r->t, sizeof(r->t));
	(void)blob_put(out, r->funcs.v, r->funcs.n);
	return blob_put(out, r->names.v, r->names.n);
}

/* What a file is asked for, one after the other until one is found. */
enum part {
	PART_FULL,   /* .symtab; if there is none, the names of its debugging file */
	PART_DEBUG,  /* .symtab of a debugging file; -ENOENT: there is none */
	PART_DYNAMIC /* .dynsym and the packed table */
};

/* Reads one part of the file into r. 0 or -errno. */
static int read_part(struct reading *r, Elf *elf, enum part part)
{
	int err;

	read_segments(&r->t, elf);
	if (part == PART_DYNAMIC) {
		err = read_table(r, elf, SHT_DYNSYM);
		return err && err != -ENOENT ? err : read_packed(r, elf);
	}
	err = read_table(r, elf, SHT_SYMTAB);
	r->t.full = !err;
	if (err != -ENOENT || part == PART_DEBUG)
		return err;
	read_build_id(&r->t, elf);
	read_debuglink(&r->t, elf);
	return 0;
}

/* The same, written to out. */
static int put_part(Elf *elf, enum part part, struct blob *out)
{
	struct reading r = { .funcs = blob_new(out->most), .names = blob_new(out->most) };
	int err = read_part(&r, elf, part);

	if (!err)
		err = put_table(&r, out);
	blob_free(&r.funcs);
	blob_free(&r.names);
	return err;
}

/* The job of the sandbox: in is the part that is wanted. */
static int read_file(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	Elf *elf = elffile_begin(fd);
	enum part part = PART_FULL;
	int err = -ENOEXEC;

	(void)kept;
	if (elf && len == sizeof(part)) {
		memcpy(&part, in, len);
		err = put_part(elf, part, out);
	}
	elf_end(elf);
	return err;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* Takes the blob's functions, if it holds a table; its contents are the sandbox's word only. */
static int set_table(struct elfsyms *e, struct blob *b, struct table *t)
{
	struct blob_reader r = blob_read(b);
	const struct func *v;
	const char *names;

	if (!blob_take(&r, t, sizeof(*t)) || t->nsegs > SEGMENTS_MAX || t->id_len > BUILD_ID_MAX ||
		t->link[sizeof(t->link) - 1] || t->n > b->n / sizeof(*v))
		return -EIO;
	v = blob_bytes(&r, t->n * sizeof(*v));
	names = blob_bytes(&r, t->names_len);
	if (t->n && (!v || !names || !t->names_len || names[t->names_len - 1]))
		return -EIO;
	for (size_t i = 0; i < t->n; i++)
		if (v[i].name >= t->names_len)
			return -EIO;
	blob_free(&e->blob);
	e->blob = *b;
	*b = blob_new(0);
	e->v = v;
	e->n = t->n;
	e->names = names;
	return 0;
}

/* Lets the sandbox read a part of the file, and takes the result. */
static int ask(struct sandbox *s, int fd, enum part part, struct elfsyms *e, struct table *t)
{
	struct blob b = blob_new(ELFSYMS_MOST);
	int err = sandbox_run(s, read_file, fd, &part, sizeof(part), &b);

	if (!err)
		err = set_table(e, &b, t);
	blob_free(&b);
	return err;
}

/* Takes the functions of the debugging file, if it has some. */
static bool use_debug_file(struct sandbox *s, struct elfsyms *e, int root, const char *path)
{
	int fd = safeopen(root, path, 0);
	struct table t;
	bool ok;

	if (fd < 0)
		return false;
	ok = ask(s, fd, PART_DEBUG, e, &t) == 0;
	if (ok) {
		e->debug = strdup(path);
		e->debug_in_root = root >= 0;
	}
	close(fd);
	return ok;
}

/* Looks for /usr/lib/debug/.build-id/ab/cdef....debug. */
static bool by_build_id(struct sandbox *s, struct elfsyms *e, const struct table *t, int root)
{
	static const char folder[] = "/usr/lib/debug/.build-id/";
	char name[sizeof(folder) + 2 * (size_t)BUILD_ID_MAX + sizeof("/.debug")];
	size_t n = sizeof(folder) - 1;

	memcpy(name, folder, n);
	for (size_t i = 0; i < t->id_len; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, i == 1 ? "/%02x" : "%02x", t->id[i]);
	snprintf(name + n, sizeof(name) - n, ".debug");
	return t->id_len && use_debug_file(s, e, root, name);
}

/* As gdb does: beside the file, in .debug beside it, and below /usr/lib/debug. */
static bool by_link(struct sandbox *s, struct elfsyms *e, const struct table *t, int root, const char *path)
{
	static const char *const places[][2] = { { "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" } };
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];

	for (size_t k = 0; *t->link && !strchr(t->link, '/') && slash && k < 3; k++) {
		int n = snprintf(name, sizeof(name), "%s%.*s%s/%s", places[k][0], (int)(slash - path), path,
			places[k][1], t->link);

		if (n < (int)sizeof(name) && use_debug_file(s, e, root, name))
			return true;
	}
	return false;
}

/* In the process's own file system first, for it may be in a container; then in ours. */
static bool find_debug_file(struct sandbox *s, struct elfsyms *e, const struct table *t, int root, const char *path)
{
	if (root >= 0 && (by_build_id(s, e, t, root) || by_link(s, e, t, root, path)))
		return true;
	return by_build_id(s, e, t, -1) || by_link(s, e, t, -1, path);
}

/* From the file itself: a debugging file has no bytes there. */
static void set_segments(struct elfsyms *e, const struct table *t)
{
	memcpy(e->segs, t->segs, sizeof(e->segs));
	e->nsegs = t->nsegs;
}

int elfsyms_open(struct sandbox *s, int fd, int root, const char *path, struct elfsyms **out)
{
	struct elfsyms *e = calloc(1, sizeof(*e));
	struct table t;
	int err = e ? ask(s, fd, PART_FULL, e, &t) : -ENOMEM;

	if (!err)
		set_segments(e, &t);
	if (!err && !t.full && !(path && find_debug_file(s, e, &t, root, path)))
		err = ask(s, fd, PART_DYNAMIC, e, &t);
	*out = NULL;
	if (err)
		elfsyms_free(e);
	else
		*out = e;
	return err;
}

struct elfsyms *elfsyms_memory(void *image, size_t len)
{
	struct elfsyms *e = calloc(1, sizeof(*e));
	struct blob b = blob_new(ELFSYMS_MOST);
	Elf *elf = e ? elffile_memory(image, len) : NULL;
	struct table t;
	int err = elf ? put_part(elf, PART_FULL, &b) : -ENOEXEC;

	if (!err)
		err = set_table(e, &b, &t);
	blob_free(&b);
	b = blob_new(ELFSYMS_MOST);
	if (!err && !t.full && !(err = put_part(elf, PART_DYNAMIC, &b)))
		err = set_table(e, &b, &t);
	elf_end(elf);
	blob_free(&b);
	if (err) {
		elfsyms_free(e);
		return NULL;
	}
	set_segments(e, &t);
	return e;
}

void elfsyms_free(struct elfsyms *e)
{
	if (!e)
		return;
	blob_free(&e->blob);
	free(e->debug);
	free(e);
}

size_t elfsyms_bytes(const struct elfsyms *e)
{
	return sizeof(*e) + e->blob.cap;
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */
/* The address at which the file's byte is loaded, as the symbols count. */
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

const char *elfsyms_debug(const struct elfsyms *e, bool *in_root)
{
	*in_root = e->debug_in_root;
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
			*name = e->names + f->name;
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
			each(ctx, e->names + e->v[i].name, off, e->v[i].size);
}
