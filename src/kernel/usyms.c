/* usyms: see usyms.h. Input: /proc/PID/maps, ELF files. Output: names.
 * Invariant: a file's symbols are read once, when a name in it is first wanted. */
#include "kernel/usyms.h"
#include "kernel/elfsyms.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define PATH_LEN 4096

struct object {
	struct object *next;
	char *path;
	const char *base; /* of path, without folders */
	uint64_t dev, inode;
	struct elfsyms *syms;
	bool tried;
};

struct mapping {
	uint64_t start, end, off;
	struct object *obj;
};

struct process {
	struct process *next;
	pid_t pid;
	unsigned seen; /* the refresh that its maps were read after */
	struct mapping *v;
	size_t n, cap;
};

struct usyms {
	struct process *processes;
	struct object *objects;
	unsigned now;
};

struct usyms *usyms_new(void)
{
	struct usyms *u = calloc(1, sizeof(*u));

	if (u)
		u->now = 1;
	return u;
}

void usyms_free(struct usyms *u)
{
	if (!u)
		return;
	for (struct process *p = u->processes, *next; p; p = next) {
		next = p->next;
		free(p->v);
		free(p);
	}
	for (struct object *o = u->objects, *next; o; o = next) {
		next = o->next;
		elfsyms_free(o->syms);
		free(o->path);
		free(o);
	}
	free(u);
}

void usyms_refresh(struct usyms *u)
{
	u->now++;
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
	o->next = u->objects;
	u->objects = o;
	return o;
}

static bool add_mapping(struct process *p, const struct mapping *m)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 32;
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
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &off, &major, &minor, &inode, &at) <
			7 ||
		!at || perms[2] != 'x' || (line[at] != '/' && strcmp(line + at, "[vdso]") != 0))
		return false;
	m->start = start;
	m->end = end;
	m->off = off;
	m->obj = object_of(u, line + at, (uint64_t)major << 32 | minor, inode);
	return m->obj != NULL;
}

static struct process *process_of(struct usyms *u, pid_t pid, bool make)
{
	struct process **at = &u->processes, *p;

	for (; (p = *at) != NULL; at = &p->next)
		if (p->pid == pid) { /* to the front: the next question is about the same one */
			*at = p->next;
			p->next = u->processes;
			u->processes = p;
			return p;
		}
	p = make ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->pid = pid;
	p->next = u->processes;
	u->processes = p;
	return p;
}

void usyms_note(struct usyms *u, pid_t pid)
{
	struct process *p = process_of(u, pid, true);
	char path[64], *line = NULL;
	size_t len = 0, old;
	FILE *f;

	if (!p || p->seen == u->now)
		return;
	p->seen = u->now;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	old = p->n;
	p->n = 0;
	while (getline(&line, &len, f) > 0) {
		struct mapping m;

		if (parse_map(u, line, &m) && !add_mapping(p, &m))
			break;
	}
	if (!p->n) /* it has just ended: its old maps are still in the array */
		p->n = old;
	free(line);
	fclose(f);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
static struct elfsyms *open_vdso(void)
{
	Elf64_Ehdr *image = (void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* all processes get the same one */

	/* Its section headers stand at its end. */
	return image ? elfsyms_memory(image, image->e_shoff + (size_t)image->e_shnum * image->e_shentsize) : NULL;
}

/* In the process's own root folder while it lives, for it may be in a container; the file itself if it was deleted. */
static struct elfsyms *open_object(const struct object *o, pid_t pid, const struct mapping *m)
{
	char path[PATH_LEN + 64];
	struct elfsyms *e;

	if (strcmp(o->path, "[vdso]") == 0)
		return open_vdso();
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)m->start,
		(unsigned long long)m->end);
	e = elfsyms_open(path);
	if (e)
		return e;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, o->path);
	e = elfsyms_open(path);
	return e ? e : elfsyms_open(o->path);
}

static const struct mapping *mapping_of(const struct process *p, uint64_t addr)
{
	for (size_t i = 0; i < p->n; i++)
		if (addr >= p->v[i].start && addr < p->v[i].end)
			return &p->v[i];
	return NULL;
}

bool usyms_find(struct usyms *u, pid_t pid, uint64_t addr, struct usym *out)
{
	const struct process *p;
	const struct mapping *m;

	usyms_note(u, pid);
	p = process_of(u, pid, false);
	m = p ? mapping_of(p, addr) : NULL;
	if (!m)
		return false;
	if (!m->obj->tried) {
		m->obj->tried = true;
		m->obj->syms = open_object(m->obj, pid, m);
	}
	out->obj = m->obj->base;
	out->name = NULL;
	out->off = addr;
	if (m->obj->syms && !elfsyms_find(m->obj->syms, addr - m->start + m->off, &out->name, &out->off))
		out->name = NULL;
	return true;
}
