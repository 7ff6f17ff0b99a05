/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms_files: the files of traced processes: opened as their process sees them, read in the sandbox, charged to its
 * user.
 * Input: mappings. Output: tables.
 * Invariants: a file is read once for each kind of table, whether that succeeds or not. A file that has taken its
 * place is never read instead. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "symbols/elf/cfi.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/perfmap.h"
#include "symbols/sandbox/safeopen.h"
#include "symbols/usyms_priv.h"

#define REPORTED_MOST 16 /* files; strangers must not fill our output */

/* ---- budgets ----------------------------------------------------------------------------------------------------- */
/* Starts a piece of work for the user of the process. 0; -EDQUOT if that user's budget is used up, reported once;
 * -ENOMEM. */
int usyms_begin(struct usyms *u, const struct process *p, struct usyms_work *w)
{
	w->budget = budget_of(&u->budgets, p->uid);
	if (!w->budget)
		return -ENOMEM;
	w->spent = sandbox_spent(u->sandbox);
	if (budget_left(w->budget))
		return 0;
	if (!w->budget->reported)
		report_warning(u->to, D_NONE, NULL,
			"some functions are shown as addresses: reading the files of user %u takes more than %llu s or "
			"%zu MB",
			(unsigned)p->uid, BUDGET_NS / 1000000000, BUDGET_BYTES >> 20);
	w->budget->reported = true;
	return -EDQUOT;
}

/* Charges the work, and reports why it failed if that is worth a warning. Returns err. */
int usyms_end(struct usyms *u, const struct usyms_work *w, const char *what, const char *path, int err)
{
	const char *why = sandbox_why(err);

	budget_spend(w->budget, sandbox_spent(u->sandbox) - w->spent);
	if (why && u->reported < REPORTED_MOST)
		report_warning(u->to, D_NONE, NULL, "%s of %s are shown as addresses: %s%s", what, path, why,
			++u->reported == REPORTED_MOST ? "; further files are not reported" : "");
	return err;
}

/* The user who first asked for a table of the file pays for the bytes of all of them. */
static void hold(struct object *o, struct budget *b, size_t bytes)
{
	if (!o->payer)
		o->payer = b;
	o->payer->bytes += bytes;
}

/* Gives the bytes back to the user who paid for them. */
void usyms_object_free(struct usyms *u, struct object *o)
{
	size_t bytes = (o->syms ? elfsyms_bytes(o->syms) : 0) + (o->cfi ? cfi_bytes(o->cfi) : 0);

	if (o->payer)
		o->payer->bytes -= bytes;
	elfsyms_free(o->syms);
	cfi_free(o->cfi);
	u->kept -= (unsigned)(o->fd >= 0) + (unsigned)(o->dwarf_fd >= 0);
	if (o->fd >= 0)
		close(o->fd);
	if (o->dwarf_fd >= 0)
		close(o->dwarf_fd);
	u->nobjects--;
	free(o->path);
	free(o);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
/* fd if it is the file that was mapped; closes it otherwise. */
static int if_same(const struct object *o, int fd)
{
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && (!o->inode || st.st_ino == o->inode)))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Opens the file of a mapping. *root: the process's root for further files, or -1. A descriptor, or negative. */
int usyms_file(const struct object *o, const struct process *p, const struct mapping *m, int *root)
{
	int fd;

	*root = safeopen_root(p->pid);
	/* By the mapping itself while the process lives: then the file may be deleted, or a container's. */
	fd = if_same(o, safeopen_mapping(p->pid, m->start, m->end));
	if (fd < 0 && o->fd < 0 && *root >= 0)
		fd = if_same(o, safeopen(*root, o->path, 0));
	if (fd >= 0)
		return fd;
	if (*root >= 0)
		close(*root);
	*root = -1;
	if (o->fd >= 0)
		return fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
	return if_same(o, safeopen(-1, o->path, 0));
}

/* The kernel's own library in each process, and its size. Its section headers stand at its end. */
static void *vdso(size_t *len)
{
	Elf64_Ehdr *image = (void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* all processes get the same one */

	*len = image ? image->e_shoff + (size_t)image->e_shnum * image->e_shentsize : 0;
	return image;
}

/* The kernel gives it to every process; it is in no file, and trusted. */
static bool is_vdso(const struct object *o)
{
	return strcmp(o->path, "[vdso]") == 0;
}

const struct elfsyms *usyms_symbols(struct usyms *u, const struct process *p, const struct mapping *m)
{
	struct object *o = m->obj;
	struct usyms_work w;
	int fd, root, err;
	size_t len = 0;
	void *image;

	if (o->tried)
		return o->syms;
	if (is_vdso(o)) {
		image = vdso(&len);
		o->syms = image ? elfsyms_memory(image, len) : NULL;
		o->tried = true;
		return o->syms;
	}
	if (usyms_begin(u, p, &w) != 0)
		return NULL; /* later, perhaps */
	o->tried = true;
	fd = usyms_file(o, p, m, &root);
	if (fd < 0)
		return NULL;
	report_progress(u->to, "reading the symbols of processes", 0, 0);
	err = elfsyms_open(u->sandbox, fd, root, o->path, &o->syms);
	if (o->syms)
		hold(o, w.budget, elfsyms_bytes(o->syms));
	(void)usyms_end(u, &w, "the functions", o->path, err);
	close(fd);
	if (root >= 0)
		close(root);
	return o->syms;
}

const struct cfi *usyms_cfi(struct usyms *u, const struct process *p, const struct mapping *m)
{
	struct object *o = m->obj;
	struct usyms_work w;
	int fd, root, err;
	size_t len = 0;
	void *image;

	if (o->cfi_tried)
		return o->cfi;
	if (is_vdso(o)) {
		image = vdso(&len);
		o->cfi = image ? cfi_memory(image, len) : NULL;
		o->cfi_tried = true;
		return o->cfi;
	}
	if (usyms_begin(u, p, &w) != 0)
		return NULL;
	o->cfi_tried = true;
	fd = usyms_file(o, p, m, &root);
	if (fd < 0)
		return NULL;
	err = cfi_open(u->sandbox, fd, &o->cfi);
	if (o->cfi)
		hold(o, w.budget, cfi_bytes(o->cfi));
	(void)usyms_end(u, &w, "the callers", o->path, err);
	close(fd);
	if (root >= 0)
		close(root);
	return o->cfi;
}

/* ---- compiled at run time ---------------------------------------------------------------------------------------- */
void usyms_jit_free(struct process *p)
{
	if (p->jit)
		p->jit_payer->bytes -= perfmap_bytes(p->jit);
	perfmap_free(p->jit);
	p->jit = NULL;
}

/* The process goes on to write its list: it is read again when its size or time has changed. */
static void read_jit(struct usyms *u, struct process *p, const struct usyms_work *w, int fd)
{
	struct perfmap *now = NULL;
	struct stat st;

	if (fstat(fd, &st) != 0 ||
		(p->jit_time.tv_sec && st.st_size == p->jit_size && st.st_mtim.tv_sec == p->jit_time.tv_sec &&
			st.st_mtim.tv_nsec == p->jit_time.tv_nsec))
		return;
	p->jit_size = st.st_size;
	p->jit_time = st.st_mtim;
	(void)usyms_end(u, w, "the functions", "a /tmp/perf-PID.map", perfmap_read(u->sandbox, fd, &now));
	if (!now)
		return;
	usyms_jit_free(p);
	p->jit = now;
	p->jit_payer = w->budget;
	w->budget->bytes += perfmap_bytes(now);
}

/* Reads /tmp/perf-PID.map, which runtimes such as node and Java write: in the process's root, else in ours. */
void usyms_read_jit(struct usyms *u, struct process *p)
{
	struct usyms_work w;
	char path[64];
	int root, fd;

	if (usyms_begin(u, p, &w) != 0)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)p->nspid);
	root = safeopen_root(p->pid);
	fd = root >= 0 ? perfmap_open(root, path, p->uid) : -1;
	if (fd < 0)
		fd = perfmap_open(-1, path, p->uid);
	if (fd >= 0) {
		read_jit(u, p, &w, fd);
		close(fd);
	}
	if (root >= 0)
		close(root);
}
