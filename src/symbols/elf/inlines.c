/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inlines: see inlines.h. libdw reads the DWARF.
 * Input: a file and an address. Output: names of inlined functions.
 * Invariant: libdw is used only in the sandbox, because its walk of nested blocks recurses as deep as the file nests
 * them. */
#include "symbols/elf/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf/elffile.h"

#define OPEN_MOST 4 /* files */

struct question {
	uint64_t id, addr;
};

/* ---- in the sandbox ---------------------------------------------------------------------------------------------- */
struct file {
	uint64_t id;
	int fd;
	Elf *elf;
	Dwarf *dwarf; /* NULL: nothing is here */
};

/* Files stay open in the sandbox from one question to the next, since opening parses much of them. next: the one to
 * replace. */
struct files {
	struct file v[OPEN_MOST];
	unsigned next;
};

static void file_close(struct file *f)
{
	if (f->dwarf)
		dwarf_end(f->dwarf);
	elf_end(f->elf);
	if (f->elf)
		close(f->fd);
	*f = (struct file){ .fd = -1 };
}

/* Opens the DWARF of a file. -ENOENT: it has none. */
static int file_open(struct file *f, int fd, uint64_t id)
{
	Dwarf_Off next;
	size_t header;

	f->id = id;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	f->elf = f->fd < 0 ? NULL : elffile_begin(f->fd);
	if (!f->elf) {
		if (f->fd >= 0)
			close(f->fd);
		return -ENOEXEC;
	}
	f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (f->dwarf && dwarf_nextcu(f->dwarf, 0, &next, &header, NULL, NULL, NULL) == 0)
		return 0;
	file_close(f);
	return -ENOENT;
}

/* The compilation unit of an address, by the table of addresses. Some compilers write none; then each unit is asked. */
static Dwarf_Die *unit_of(Dwarf *dwarf, uint64_t addr, Dwarf_Die *unit)
{
	Dwarf_Off off = 0, next;
	size_t header;

	if (dwarf_addrdie(dwarf, addr, unit))
		return unit;
	for (; dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL) == 0; off = next)
		if (dwarf_offdie(dwarf, off + header, unit) && dwarf_haspc(unit, addr) > 0)
			return unit;
	return NULL;
}

/* The linkage name, which names a C++ function with its types; else the plain one. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

/* Writes the names of the functions inlined at the address, the innermost first. */
static void put_names(Dwarf *dwarf, uint64_t addr, struct blob *out)
{
	Dwarf_Die unit, *inner = NULL, *scopes = NULL;
	unsigned found = 0;
	int n = unit_of(dwarf, addr, &unit) ? dwarf_getscopes(&unit, addr, &inner) : -1;

	/* From the innermost outwards: first as the source nests them, then as the code does. */
	if (n > 0)
		n = dwarf_getscopes_die(&inner[0], &scopes);
	for (int i = 0; i < n && found < INLINES_NAMES; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name;

		if (tag == DW_TAG_subprogram)
			break;
		name = tag == DW_TAG_inlined_subroutine ? name_of(&scopes[i]) : NULL;
		if (name && blob_put(out, name, strlen(name) + 1) == 0)
			found++;
	}
	free(inner);
	free(scopes);
	if (out->err == -E2BIG) /* the innermost are there */
		out->err = 0;
}

/* Answers a question in the sandbox. *kept is our memory from one question to the next. */
static int answer(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	struct files *files = *kept ? *kept : calloc(1, sizeof(*files));
	struct file *f = NULL;
	struct question q;
	int err = 0;

	*kept = files;
	if (!files || len != sizeof(q))
		return -ENOMEM;
	memcpy(&q, in, sizeof(q));
	for (unsigned i = 0; i < OPEN_MOST; i++)
		if (files->v[i].dwarf && files->v[i].id == q.id)
			f = &files->v[i];
	if (!f) {
		f = &files->v[files->next++ % OPEN_MOST];
		file_close(f);
		err = file_open(f, fd, q.id);
	}
	if (!err)
		put_names(f->dwarf, q.addr, out);
	return err;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* In this process nothing is kept. */
static int answer_once(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	struct files *files;
	int err = answer(fd, in, len, out, kept);

	files = *kept;
	for (unsigned i = 0; files && i < OPEN_MOST; i++)
		file_close(&files->v[i]);
	free(files);
	return err;
}

int inlines_at(struct sandbox *s, int fd, uint64_t id, uint64_t addr, struct inlines *out)
{
	struct blob b = blob_new(INLINES_TEXT);
	struct question q = { id, addr };
	int err = sandbox_run(s, s ? answer : answer_once, fd, &q, sizeof(q), &b);

	out->n = out->len = 0;
	if (!err && b.n && b.v[b.n - 1])
		err = -EIO;
	if (!err && b.n) {
		memcpy(out->text, b.v, b.n);
		out->len = b.n;
	}
	for (size_t i = 0; i < out->len; i++)
		out->n += !out->text[i];
	blob_free(&b);
	return err;
}
