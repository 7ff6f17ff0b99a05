/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms: see usyms.h. Input: /proc/PID/maps, what mapwatch tells, ELF files. Output: names.
 * Invariant: a file's symbols are read once, when a name in it is first wanted; never those of another file that has
 * taken its place. */
#include "symbols/usyms.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/elf/cfi.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/inlines.h"
#include "symbols/mapwatch.h"
#include "symbols/perfmap.h"
#include "symbols/usyms_priv.h"

#define KEPT_MAX 256       /* files kept open, for their processes end and we have no path to them */
#define MAKERS_MAX 4       /* looked at: the process, who made it, ... */
#define GONE " (deleted)"  /* what the kernel says behind a path */
#define PROCESSES_MAX 4096 /* kept; of those that have ended the oldest go */

struct usyms *usyms_new(void)
{
	struct usyms *u = calloc(1, sizeof(*u));

	if (u)
		u->now = 1;
	return u;
}

int usyms_watch(struct usyms *u, struct features *f)
{
	return u->watch ? 0 : mapwatch_open(f, &u->watch);
}

static void process_free(struct process *p)
{
	free(p->v);
	perfmap_free(p->jit);
	free(p);
}

static void object_free(struct object *o)
{
	elfsyms_free(o->syms);
	cfi_free(o->cfi);
	inlines_free(o->inlines);
	if (o->fd >= 0)
		close(o->fd);
	free(o->path);
	free(o);
}

void usyms_free(struct usyms *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < USYMS_BUCKETS; i++)
		for (struct process *p = u->processes[i], *next; p; p = next) {
			next = p->next;
			process_free(p);
		}
	for (struct object *o = u->objects, *next; o; o = next) {
		next = o->next;
		object_free(o);
	}
	mapwatch_close(u->watch);
	free(u);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */
static struct object *object_of(struct usyms *u, const char *path, uint64_t dev, uint64_t inode)
{
	const char *slash = strrchr(path, '/');
	struct object *o;

	for (o = u->objects; o; o = o->next)
		if (o->inode == inode && o->dev == dev && strcmp(o->path, path) == 0)
			return o;
	o = calloc(1, sizeof(*o));
	if (!o || !(o->path = strdup(path))) {
		free(o);
		return NULL;
	}
	o->base = o->path + (slash && *path == '/' ? slash - path + 1 : 0);
	o->dev = dev;
	o->inode = inode;
	o->fd = -1;
	o->next = u->objects;
	u->objects = o;
	return o;
}

static bool add_mapping(struct process *p, const struct mapping *m)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 8;
		struct mapping *v = reallocarray(p->v, cap, sizeof(*v));

		if (!v)
			return false;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n++] = *m;
	return true;
}

/* "7f12…-7f13… r-xp 00001000 fd:01 1234   /usr/lib/libc.so.6" */
static bool parse_map(struct usyms *u, char *line, struct mapping *m)
{
	unsigned long long start, end, off, inode;
	unsigned major, minor;
	char perms[8];
	size_t n;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &off, &major, &minor, &inode, &at) <
			7 ||
		!at || perms[2] != 'x' || (line[at] != '/' && strcmp(line + at, "[vdso]") != 0))
		return false;
	n = strlen(line);
	if (line[at] == '/' && n > (size_t)at + strlen(GONE) && strcmp(line + n - strlen(GONE), GONE) == 0)
		line[n - strlen(GONE)] = '\0';
	m->start = start;
	m->end = end;
	m->off = off;
	m->obj = object_of(u, line + at, (uint64_t)major << 32 | minor, inode);
	return m->obj != NULL;
}

static struct process *process_of(struct usyms *u, pid_t pid, bool make)
{
	struct process **bucket, *p;

	if (u->outer && pid == u->outer)
		pid = u->inner;
	bucket = &u->processes[(unsigned)pid % USYMS_BUCKETS];
	for (p = *bucket; p; p = p->next)
		if (p->pid == pid)
			return p;
	p = make ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->pid = pid;
	p->next = *bucket;
	*bucket = p;
	u->nprocesses++;
	return p;
}

/* The second of "Uid:	0	33	33	33": as whom it makes files.
 * The last of "NSpid:	4711	5": in the innermost namespace. */
static void note_status(struct process *p)
{
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)p->pid);
	f = fopen(path, "re");
	if (!f)
		return;
	p->nspid = p->pid;
	while (fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (!last)
			continue;
		if (!strncmp(line, "Uid:", 4))
			(void)sscanf(line, "Uid: %*u %u", &p->uid);
		else if (!strncmp(line, "NSpid:", 6))
			p->nspid = (pid_t)strtol(last + 1, NULL, 10);
	}
	fclose(f);
}

/* ---- files that are kept open ------------------------------------------------------------------------------------ */
static bool is_object(const struct object *o, const struct stat *st)
{
	return st->st_ino == o->inode && S_ISREG(st->st_mode);
}

static bool is_ours(const struct object *o)
{
	struct stat st;

	return stat(o->path, &st) == 0 && is_object(o, &st) &&
		((uint64_t)major(st.st_dev) << 32 | minor(st.st_dev)) == o->dev;
}

/* By the mapping while its process lives, else by its path in the root of a process, if it is that file. */
static int open_mapping(const struct process *p, const struct mapping *m)
{
	char path[USYMS_PATH];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)p->pid, (unsigned long long)m->start,
		(unsigned long long)m->end);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static int open_in_root(pid_t pid, const struct object *o)
{
	char path[USYMS_PATH];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, o->path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !is_object(o, &st))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A file that our own tree of files does not have by that name, or that may be deleted while its process is asked
 * about, stays open. Of a process that has ended already, the one that made it may have the same root. */
static void keep_open(struct usyms *u, const struct process *p, const struct mapping *m)
{
	struct object *o = m->obj;
	bool ours;

	if (o->fd >= 0 || o->syms || *o->path != '/' || u->kept >= KEPT_MAX)
		return;
	ours = is_ours(o);
	if (ours && (!p->wanted || u->kept >= KEPT_MAX / 2))
		return;
	o->fd = open_mapping(p, m);
	for (int i = 0; o->fd < 0 && p && i < MAKERS_MAX; i++) {
		o->fd = open_in_root(p->pid, o);
		p = p->maker ? process_of(u, p->maker, false) : NULL;
	}
	u->kept += o->fd >= 0;
}

static void note_maps(struct usyms *u, struct process *p)
{
	char path[64], *line = NULL;
	size_t len = 0, old;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)p->pid);
	f = fopen(path, "re");
	if (!f) { /* it need not be told that it ends */
		p->ended = p->ended ? p->ended : u->now;
		return;
	}
	p->ended = 0;
	old = p->n;
	p->n = 0;
	while (getline(&line, &len, f) > 0) {
		struct mapping m;

		if (!parse_map(u, line, &m))
			continue;
		if (!add_mapping(p, &m))
			break;
		keep_open(u, p, &m);
	}
	if (!p->nspid)
		note_status(p);
	if (!p->n) /* it has just ended: its old maps are still in the array */
		p->n = old;
	free(line);
	fclose(f);
}

void usyms_alias(struct usyms *u, pid_t outer, pid_t inner)
{
	u->outer = outer;
	u->inner = inner;
}

void usyms_note(struct usyms *u, pid_t pid)
{
	struct process *p = process_of(u, pid, true);

	if (!p)
		return;
	p->wanted = true;
	if (p->seen != u->now && (!p->ended || !u->watch))
		note_maps(u, p);
	p->seen = u->now;
}

/* ---- processes that come and go ---------------------------------------------------------------------------------- */
/* Those that have ended go first, the oldest of them first; what was asked for stays longer. */
static int by_age(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->wanted != y->wanted)
		return x->wanted ? 1 : -1;
	return x->ended < y->ended ? -1 : x->ended > y->ended;
}

static void process_drop(struct usyms *u, struct process *p)
{
	struct process **at = &u->processes[(unsigned)p->pid % USYMS_BUCKETS];

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	u->nprocesses--;
	process_free(p);
}

/* Files that no process has mapped any more. */
static void forget_objects(struct usyms *u)
{
	for (struct object *o = u->objects; o; o = o->next)
		o->used = false;
	for (size_t i = 0; i < USYMS_BUCKETS; i++)
		for (struct process *p = u->processes[i]; p; p = p->next)
			for (size_t k = 0; k < p->n; k++)
				p->v[k].obj->used = true;
	for (struct object **at = &u->objects, *o; (o = *at);) {
		if (o->used) {
			at = &o->next;
			continue;
		}
		*at = o->next;
		u->kept -= o->fd >= 0;
		object_free(o);
	}
}

static void forget_some(struct usyms *u)
{
	struct process **v = calloc(u->nprocesses, sizeof(struct process *));
	size_t n = 0;

	for (size_t i = 0; v && i < USYMS_BUCKETS; i++)
		for (struct process *p = u->processes[i]; p; p = p->next)
			if (p->ended)
				v[n++] = p;
	if (n)
		qsort(v, n, sizeof(*v), by_age);
	for (size_t i = 0; i < n / 2; i++)
		process_drop(u, v[i]);
	free(v);
	forget_objects(u);
}

static void map_added(struct usyms *u, struct process *p, const struct map_event *e)
{
	struct mapping m = { e->start, e->end, e->off, object_of(u, e->path, e->dev, e->inode) };
	size_t n = 0;

	if (!m.obj)
		return;
	for (size_t i = 0; i < p->n; i++) /* what was there is no more */
		if (p->v[i].end <= m.start || p->v[i].start >= m.end)
			p->v[n++] = p->v[i];
	p->n = n;
	(void)add_mapping(p, &m);
	keep_open(u, p, &m);
}

static void copy_maps(struct process *p, const struct process *from)
{
	for (size_t i = 0; from && i < from->n; i++)
		if (!add_mapping(p, &from->v[i]))
			break;
}

/* Most that are kept have ended: they map nothing more. */
static void trim(struct process *p)
{
	struct mapping *v = p->n && p->n < p->cap ? reallocarray(p->v, p->n, sizeof(*v)) : NULL;

	if (v) {
		p->v = v;
		p->cap = p->n;
	}
}

static void on_event(void *ctx, const struct map_event *e)
{
	struct usyms *u = ctx;
	struct process *p = process_of(u, e->pid, e->kind != MAP_EXIT);

	if (!p)
		return;
	switch (e->kind) {
	case MAP_FORK: /* the number may have been another's before */
		p->n = 0;
		p->ended = 0;
		p->wanted = false;
		p->nspid = 0;
		p->maker = e->parent;
		copy_maps(p, process_of(u, e->parent, false));
		break;
	case MAP_EXEC:
		p->n = 0;
		break;
	case MAP_ADDED:
		map_added(u, p, e);
		break;
	case MAP_EXIT:
		p->ended = u->now;
		trim(p);
		break;
	}
}

void usyms_refresh(struct usyms *u)
{
	u->now++;
	if (u->watch)
		mapwatch_read(u->watch, on_event, u);
	if (u->nprocesses > PROCESSES_MAX)
		forget_some(u);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
void *usyms_vdso(size_t *len)
{
	Elf64_Ehdr *image = (void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* all processes get the same one */

	/* Its section headers stand at its end. */
	*len = image ? image->e_shoff + (size_t)image->e_shnum * image->e_shentsize : 0;
	return image;
}

/* Is it still the file that was mapped? */
static bool is_same(const struct object *o, const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && (!o->inode || st.st_ino == o->inode);
}

bool usyms_path(const struct object *o, pid_t pid, const struct mapping *m, char *path, char *root)
{
	snprintf(root, 64, "/proc/%d/root", (int)pid);
	/* By the mapping itself while the process lives: then the file may be deleted, or a container's. */
	snprintf(path, USYMS_PATH, "/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)m->start,
		(unsigned long long)m->end);
	if (is_same(o, path))
		return true;
	snprintf(path, USYMS_PATH, "%s%s", root, o->path);
	if (o->fd < 0 && is_same(o, path))
		return true;
	*root = '\0';
	snprintf(path, USYMS_PATH, "/proc/self/fd/%d", o->fd);
	if (o->fd >= 0)
		return true;
	snprintf(path, USYMS_PATH, "%s", o->path);
	return is_same(o, path);
}

const struct elfsyms *usyms_symbols(pid_t pid, const struct mapping *m)
{
	char path[USYMS_PATH], root[64];
	struct object *o = m->obj;
	size_t len = 0;
	void *vdso;

	if (o->tried)
		return o->syms;
	o->tried = true;
	if (strcmp(o->path, "[vdso]") == 0) {
		vdso = usyms_vdso(&len);
		o->syms = vdso ? elfsyms_memory(vdso, len) : NULL;
	} else if (usyms_path(o, pid, m, path, root)) {
		o->syms = elfsyms_open(path, root, o->path);
	}
	return o->syms;
}

static const struct mapping *mapping_of(const struct process *p, uint64_t addr)
{
	for (size_t i = 0; i < p->n; i++)
		if (addr >= p->v[i].start && addr < p->v[i].end)
			return &p->v[i];
	return NULL;
}

const struct mapping *usyms_mapping(struct usyms *u, pid_t pid, uint64_t addr)
{
	const struct mapping *m;
	struct process *p;

	usyms_note(u, pid);
	p = process_of(u, pid, false);
	m = p ? mapping_of(p, addr) : NULL;
	/* What it did between its start and its execution of a program was done in the memory of the one that made it;
	 * maybe it has ended, too, since we last looked. */
	for (int i = 0; p && !m && p->maker && i < MAKERS_MAX; i++) {
		usyms_note(u, p->maker);
		p = process_of(u, p->maker, false);
		m = p ? mapping_of(p, addr) : NULL;
	}
	return m;
}

/* Code in memory that is no file's. The process goes on to write its list: one look after each refresh. */
static bool find_jit(const struct usyms *u, struct process *p, uint64_t addr, struct usym *out)
{
	uint64_t off = 0;
	const char *name = p->jit ? perfmap_find(p->jit, addr, &off) : NULL;

	if (!name && p->jit_seen != u->now && p->nspid) {
		struct perfmap *now;

		if (!p->ended)
			note_status(p);
		now = perfmap_open(p->pid, p->nspid, p->uid);
		p->jit_seen = u->now;
		if (now) {
			perfmap_free(p->jit);
			p->jit = now;
			name = perfmap_find(now, addr, &off);
		}
	}
	*out = (struct usym){ .obj = "[jit]", .name = name, .off = off, .jit = true };
	return name != NULL;
}

/* What such code lies in, where it is not memory without any name. */
static bool is_made(const char *path)
{
	return strncmp(path, "/memfd:", 7) == 0 || strncmp(path, "/dev/zero", 9) == 0 ||
		strncmp(path, "//anon", 6) == 0;
}

bool usyms_find(struct usyms *u, pid_t pid, uint64_t addr, struct usym *out)
{
	const struct mapping *m = usyms_mapping(u, pid, addr);
	struct process *p = process_of(u, pid, false);
	const struct elfsyms *syms;

	if (p && (!m || is_made(m->obj->path)) && find_jit(u, p, addr, out))
		return true;
	if (!m)
		return false;
	out->jit = false;
	syms = usyms_symbols(pid, m);
	out->obj = m->obj->base;
	out->name = NULL;
	out->off = addr;
	if (syms && !elfsyms_find(syms, addr - m->start + m->off, &out->name, &out->off))
		out->name = NULL;
	return true;
}
