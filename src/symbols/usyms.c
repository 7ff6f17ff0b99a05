/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms: see usyms.h. This file keeps processes and what they map.
 * Input: /proc/PID/maps, the events of mapwatch. Output: the mapping of an address.
 * Invariants: a process's mappings are sorted and do not overlap. All processes together have at most MAPPINGS_MOST,
 * because any user may make as many as the kernel allows. */
#include "symbols/usyms.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/mapwatch.h"
#include "symbols/perfmap.h"
#include "symbols/sandbox/safeopen.h"
#include "symbols/usyms_priv.h"

#define MAKERS_MAX 4             /* looked at: the process, who made it, ... */
#define GONE " (deleted)"        /* what the kernel says behind a path */
#define PROCESSES_MAX 4096       /* kept; of those that have ended the oldest go */
#define MAPPINGS_MOST (1u << 20) /* of all processes */
#define OBJECTS_MOST (1u << 15)
#define OF_ONE_MOST (1u << 14) /* mappings of a process */

struct usyms *usyms_new(const struct reporter *to, const int *stop)
{
	struct usyms *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->now = 1;
	u->to = to;
	u->sandbox = sandbox_new(stop);
	if (u->sandbox)
		return u;
	free(u);
	return NULL;
}

int usyms_watch(struct usyms *u, struct features *f)
{
	return u->watch ? 0 : mapwatch_open(f, &u->watch);
}

static void process_free(struct usyms *u, struct process *p)
{
	u->nmappings -= p->n;
	usyms_jit_free(p);
	free(p->v);
	free(p);
}

void usyms_free(struct usyms *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < USYMS_BUCKETS; i++) {
		for (struct process *p = u->processes[i], *next; p; p = next) {
			next = p->next;
			process_free(u, p);
		}
		for (struct object *o = u->objects[i], *next; o; o = next) {
			next = o->next;
			usyms_object_free(u, o);
		}
	}
	mapwatch_close(u->watch);
	sandbox_free(u->sandbox);
	budgets_free(u->budgets);
	free(u);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */
/* The file of a mapping, which all processes that map it share. NULL: no memory, or OBJECTS_MOST are known. */
static struct object *object_of(struct usyms *u, const char *path, uint64_t dev, uint64_t inode)
{
	struct object **bucket = &u->objects[(inode ^ inode >> 10) % USYMS_BUCKETS], *o;
	const char *slash = strrchr(path, '/');

	for (o = *bucket; o; o = o->next)
		if (o->inode == inode && o->dev == dev && strcmp(o->path, path) == 0)
			return o;
	o = u->nobjects < OBJECTS_MOST ? calloc(1, sizeof(*o)) : NULL;
	if (!o || !(o->path = strdup(path))) {
		free(o);
		return NULL;
	}
	o->base = o->path + (slash && *path == '/' ? slash - path + 1 : 0);
	o->dev = dev;
	o->inode = inode;
	o->id = ++u->next_id;
	o->fd = o->dwarf_fd = -1;
	o->next = *bucket;
	*bucket = o;
	u->nobjects++;
	return o;
}

/* The first mapping that ends behind the address. */
static size_t place_of(const struct process *p, uint64_t addr)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Replaces what was mapped there. False: there is no room. */
static bool add_mapping(struct usyms *u, struct process *p, const struct mapping *m)
{
	size_t at = place_of(p, m->start), end = at;

	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 8;
		struct mapping *v = cap <= OF_ONE_MOST ? reallocarray(p->v, cap, sizeof(*v)) : NULL;

		if (!v)
			return false;
		p->v = v;
		p->cap = cap;
	}
	while (end < p->n && p->v[end].start < m->end)
		end++;
	if (u->nmappings >= MAPPINGS_MOST && end == at)
		return false;
	memmove(&p->v[at + 1], &p->v[end], (p->n - end) * sizeof(*p->v));
	p->v[at] = *m;
	p->n = p->n + 1 - (end - at);
	u->nmappings = u->nmappings + 1 - (end - at);
	return true;
}

/* After an exec nothing of the old program is mapped. */
static void forget_maps(struct usyms *u, struct process *p)
{
	u->nmappings -= p->n;
	p->n = 0;
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

/* The entry of the process; make: a new one if there is none. NULL: none, or no memory. */
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
/* Is it the file that was mapped? Some file systems show another device number in /proc/PID/maps than in stat(2), so
 * the inode number decides. */
static bool is_object(const struct object *o, const struct stat *st)
{
	return st->st_ino == o->inode && S_ISREG(st->st_mode);
}

/* Does our own tree of files have it under the same name? */
static bool is_ours(const struct object *o)
{
	struct stat st;

	return stat(o->path, &st) == 0 && is_object(o, &st) &&
		((uint64_t)major(st.st_dev) << 32 | minor(st.st_dev)) == o->dev;
}

/* Opens the file by its name in the root of the process. A descriptor, or negative. */
static int open_in_root(pid_t pid, const struct object *o)
{
	int root = safeopen_root(pid), fd = root >= 0 ? safeopen(root, o->path, 0) : root;
	struct stat st;

	if (root >= 0)
		close(root);
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

	if (o->fd >= 0 || o->syms || *o->path != '/' || u->kept >= USYMS_KEPT_MAX)
		return;
	ours = is_ours(o);
	if (ours && (!p->wanted || u->kept >= USYMS_KEPT_MAX / 2))
		return;
	o->fd = safeopen_mapping(p->pid, m->start, m->end);
	for (int i = 0; o->fd < 0 && p && i < MAKERS_MAX; i++) {
		o->fd = open_in_root(p->pid, o);
		p = p->maker ? process_of(u, p->maker, false) : NULL;
	}
	o->fd = o->fd < 0 ? -1 : o->fd;
	u->kept += o->fd >= 0;
}

/* CPU time of this thread, which budgets are charged with. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Replaces the process's mappings by those in its /proc/PID/maps. */
static void read_maps(struct usyms *u, struct process *p, FILE *f)
{
	size_t len = 0, old = p->n;
	char *line = NULL;

	forget_maps(u, p);
	while (getline(&line, &len, f) > 0) {
		struct mapping m;

		if (!parse_map(u, line, &m))
			continue;
		if (!add_mapping(u, p, &m))
			break;
		keep_open(u, p, &m);
	}
	if (!p->n) { /* it has just ended: its old maps are still in the array */
		p->n = old;
		u->nmappings += old;
	}
	free(line);
}

/* A process may have 65,530 mappings (vm.max_map_count): the time to read them is charged to its user. If nothing is
 * left, the old list stays. */
static void note_maps(struct usyms *u, struct process *p)
{
	struct usyms_work w;
	uint64_t start = cpu_ns();
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)p->pid);
	f = fopen(path, "re");
	if (!f) { /* it has ended; mapwatch may not have seen that */
		p->ended = p->ended ? p->ended : u->now;
		return;
	}
	p->ended = 0;
	if (!p->nspid)
		note_status(p);
	if (usyms_begin(u, p, &w) == 0) {
		read_maps(u, p, f);
		budget_spend(w.budget, cpu_ns() - start);
	}
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
/* Processes that have ended are kept while there is room, because their records may still be in a ring, or their
 * stacks be keys of an aggregation. The oldest go first; what was asked for stays longer. */
static int by_age(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->wanted != y->wanted)
		return x->wanted ? 1 : -1;
	return x->ended < y->ended ? -1 : x->ended > y->ended;
}

/* Removes a process from its bucket and frees it. */
static void process_drop(struct usyms *u, struct process *p)
{
	struct process **at = &u->processes[(unsigned)p->pid % USYMS_BUCKETS];

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	u->nprocesses--;
	process_free(u, p);
}

/* Frees the files that no known process maps. */
static void forget_objects(struct usyms *u)
{
	for (size_t i = 0; i < USYMS_BUCKETS; i++)
		for (struct object *o = u->objects[i]; o; o = o->next)
			o->used = false;
	for (size_t i = 0; i < USYMS_BUCKETS; i++)
		for (struct process *p = u->processes[i]; p; p = p->next)
			for (size_t k = 0; k < p->n; k++)
				p->v[k].obj->used = true;
	for (size_t i = 0; i < USYMS_BUCKETS; i++)
		for (struct object **at = &u->objects[i], *o; (o = *at);) {
			if (o->used) {
				at = &o->next;
				continue;
			}
			*at = o->next;
			usyms_object_free(u, o);
		}
}

/* Drops half of the processes that have ended, and the files that only they mapped. */
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

/* The file is opened at once if need be: later its process may be gone. */
static void map_added(struct usyms *u, struct process *p, const struct map_event *e)
{
	struct mapping m = { e->start, e->end, e->off, object_of(u, e->path, e->dev, e->inode) };

	if (m.obj && add_mapping(u, p, &m))
		keep_open(u, p, &m);
}

/* A fork has its parent's mappings. */
static void copy_maps(struct usyms *u, struct process *p, const struct process *from)
{
	if (!from)
		return;
	p->uid = from->uid;
	for (size_t i = 0; i < from->n; i++)
		if (!add_mapping(u, p, &from->v[i]))
			break;
}

/* A process that has ended maps nothing more. Most that are kept have ended, so their spare room is given back. */
static void trim(struct process *p)
{
	struct mapping *v = p->n && p->n < p->cap ? reallocarray(p->v, p->n, sizeof(*v)) : NULL;

	if (v) {
		p->v = v;
		p->cap = p->n;
	}
}

/* For mapwatch_read(): follows what processes do, in the order of time. */
static void on_event(void *ctx, const struct map_event *e)
{
	struct usyms *u = ctx;
	struct process *p = process_of(u, e->pid, e->kind != MAP_EXIT);

	if (!p)
		return;
	switch (e->kind) {
	case MAP_FORK: /* the number may have been another's before */
		forget_maps(u, p);
		p->ended = 0;
		p->wanted = false;
		p->nspid = 0;
		p->maker = e->parent;
		copy_maps(u, p, process_of(u, e->parent, false));
		break;
	case MAP_EXEC:
		forget_maps(u, p);
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
	if (u->nprocesses > PROCESSES_MAX || u->nmappings > MAPPINGS_MOST / 2 || u->nobjects > OBJECTS_MOST / 2)
		forget_some(u);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* The mapping that contains the address; NULL: none does. */
static const struct mapping *mapping_of(const struct process *p, uint64_t addr)
{
	size_t at = place_of(p, addr);

	return at < p->n && p->v[at].start <= addr ? &p->v[at] : NULL;
}

const struct mapping *usyms_mapping(struct usyms *u, pid_t pid, uint64_t addr, struct process **out)
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
	*out = p;
	return m;
}

/* Code in memory that is no file's. The process goes on to write its list: one look after each refresh. */
static bool find_jit(struct usyms *u, struct process *p, uint64_t addr, struct usym *out)
{
	uint64_t off = 0;
	const char *name = p->jit ? perfmap_find(p->jit, addr, &off) : NULL;

	if (!name && p->jit_seen != u->now && p->nspid) {
		if (!p->ended)
			note_status(p);
		usyms_read_jit(u, p);
		p->jit_seen = u->now;
		name = p->jit ? perfmap_find(p->jit, addr, &off) : NULL;
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
	struct process *from, *p;
	const struct mapping *m = usyms_mapping(u, pid, addr, &from);
	const struct elfsyms *syms;

	p = process_of(u, pid, false);
	if (p && (!m || is_made(m->obj->path)) && find_jit(u, p, addr, out))
		return true;
	if (!m)
		return false;
	out->jit = false;
	syms = usyms_symbols(u, from, m);
	out->obj = m->obj->base;
	out->name = NULL;
	out->off = addr;
	if (syms && !elfsyms_find(syms, addr - m->start + m->off, &out->name, &out->off))
		out->name = NULL;
	return true;
}

const char *usyms_demangle(struct usyms *u, pid_t pid, const char *name, char *buf, size_t size)
{
	const struct process *p = process_of(u, pid, false);
	struct usyms_work w;
	const char *text;

	if (!p || !demangle_wanted(name) || usyms_begin(u, p, &w) != 0)
		return name;
	text = demangle(u->sandbox, name, buf, size);
	(void)usyms_end(u, &w, "", "", 0);
	return text;
}
