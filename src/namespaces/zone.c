/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zone: see zone.h.
 * Input: /run/netns and /proc. Output: names.
 * Invariants: the address of a name is valid until zone_free(). Searches take at most a tenth of the time.
 * The machine is searched when a number is first seen, so that its first event has a name; once a second while it has
 * none; and when the file or process that gave the name is gone, because the kernel reuses numbers of namespaces. */
#include "namespaces/zone.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "namespaces/spaces.h"

#define SHORT_ID 12
#define LONG_ID 64
#define RESCAN_NS 1000000000
#define CHECK_NS 100000000
/* Time of searches that may come at once, times 10: 100 ms. */
#define SCAN_CREDIT_NS 1000000000
#define SCAN_SHARE 10
/* Of a name out of a cgroup path, which any user who may make cgroups can choose. No other name begins so. */
#define CONTAINER_MARK '@'
#define CUT_MIN 6 /* the narrowest column of a tool */

struct zone {
	uint32_t netns;
	bool named;      /* name is more than the number */
	bool searched;   /* for a name */
	bool lived_in;   /* a process was in it at the last search */
	char *name;      /* owned */
	char *mounted;   /* under /run/netns, where a container's id is the better name; or NULL */
	char pid[16];    /* of a process by which a container's name was found; "": it is a name under /run/netns */
	int64_t checked; /* when the name was found or last confirmed, CLOCK_MONOTONIC ns */
};

struct zones {
	uint32_t global;
	struct zone *v;
	size_t n, cap;
	char **old; /* former names, which callers may still hold; owned */
	size_t nold;
	int64_t last_scan; /* CLOCK_MONOTONIC ns; 0: never */
	int64_t next_scan; /* when the next search would be due if they came evenly, ns */
};

struct zones *zone_new(uint32_t global)
{
	struct zones *z = calloc(1, sizeof(*z));

	if (z)
		z->global = global;
	return z;
}

void zone_free(struct zones *z)
{
	if (!z)
		return;
	for (size_t i = 0; i < z->n; i++) {
		free(z->v[i].name);
		free(z->v[i].mounted);
	}
	for (size_t i = 0; i < z->nold; i++)
		free(z->old[i]);
	free(z->old);
	free(z->v);
	free(z);
}

/* A machine has some hundred namespaces at most, so a list is enough. */
static struct zone *find_zone(struct zones *z, uint32_t netns)
{
	for (size_t i = 0; i < z->n; i++)
		if (z->v[i].netns == netns)
			return &z->v[i];
	return NULL;
}

/* The zone of a number, which is added if it is new, named by the number. NULL: no memory. */
static struct zone *add_zone(struct zones *z, uint32_t netns)
{
	struct zone *e = find_zone(z, netns);
	char number[16];

	if (e)
		return e;
	if (z->n == z->cap) {
		size_t cap = z->cap ? z->cap * 2 : 16;
		struct zone *v = realloc(z->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		z->v = v;
		z->cap = cap;
	}
	snprintf(number, sizeof(number), "%u", netns);
	e = &z->v[z->n];
	memset(e, 0, sizeof(*e));
	e->netns = netns;
	e->name = strdup(number);
	if (!e->name)
		return NULL;
	z->n++;
	return e;
}

/* Gives e another name. The former one stays valid. Without memory nothing changes. */
static bool rename_zone(struct zones *z, struct zone *e, const char *name, size_t len)
{
	char **old, *copy;

	if (strlen(e->name) == len && !memcmp(e->name, name, len))
		return true;
	old = realloc(z->old, (z->nold + 1) * sizeof(*old));
	if (!old)
		return false;
	z->old = old;
	copy = strndup(name, len);
	if (!copy)
		return false;
	z->old[z->nold++] = e->name;
	e->name = copy;
	return true;
}

/* Names a zone that has no name yet. pid: the process whose cgroup has the name; "": the name is under /run/netns. */
static void set_name(struct zones *z, uint32_t netns, const char *name, const char *pid)
{
	struct zone *e = add_zone(z, netns);

	if (!e || e->named || !rename_zone(z, e, name, strlen(name)))
		return;
	e->named = true;
	e->checked = (int64_t)clock_now();
	snprintf(e->pid, sizeof(e->pid), "%s", pid);
}

/* Names that a program generated and that mean nothing to a user: podman's
 * "netns-6ba7b810-9dad-11d1-80b4-00c04fd430c8", CNI's "cni-...". */
static size_t made_prefix(const char *name)
{
	return !strncmp(name, "netns-", 6) ? 6 : !strncmp(name, "cni-", 4) ? 4 : 0;
}

size_t zone_dull(const char *name, size_t len, size_t room)
{
	if (len <= room)
		return 0;
	return strspn(name, "0123456789") == len ? len - room : made_prefix(name);
}

/* ---- files of namespaces ----------------------------------------------------------------------------------------- */

int zone_open_file(int dir, const char *path, uint32_t *netns)
{
	int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err = fd < 0 ? errno : 0;
	struct statfs fs;
	struct stat s;

	/* A name whose mount is gone is a plain empty file. */
	if (!err && (fstatfs(fd, &fs) || fs.f_type != NSFS_MAGIC || fstat(fd, &s)))
		err = ENOTTY;
	if (!err) {
		*netns = (uint32_t)s.st_ino;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -err;
}

struct wanted {
	uint32_t netns;
	int fd; /* -1: not found yet */
};

/* For spaces_walk(): opens the namespace, which may have changed since its number was read. */
static bool open_wanted(void *ctx, const struct space_file *f)
{
	struct wanted *w = ctx;
	uint32_t found = 0;

	if (f->netns != w->netns)
		return true;
	w->fd = zone_open_file(f->dir, f->path, &found);
	if (w->fd >= 0 && found != w->netns) {
		close(w->fd);
		w->fd = -1;
	}
	return w->fd < 0;
}

int zone_open(struct zones *z, const char *name)
{
	struct wanted w = { .netns = zone_number(z, name), .fd = -1 };

	if (w.netns)
		spaces_walk(open_wanted, &w);
	return w.fd;
}

/* ---- names given by ip-netns(8) ---------------------------------------------------------------------------------- */

/* Would the name look like "global", a container's or a number? Then it is not shown, because users can choose it. */
static bool is_reserved(const char *name)
{
	return !strcmp(name, "global") || *name == CONTAINER_MARK || !name[strspn(name, "0123456789")];
}

/* Uses a name under /run/netns at once if a person gave it; a generated one only if no container is found. */
static void set_mounted(struct zones *z, uint32_t netns, const char *name)
{
	struct zone *e = made_prefix(name) || is_reserved(name) ? add_zone(z, netns) : NULL;

	if (is_reserved(name))
		return;
	if (!e)
		set_name(z, netns, name, "");
	else if (!e->mounted)
		e->mounted = strdup(name);
}

/* Finds the names under /run/netns. */
static void scan_named(struct zones *z)
{
	DIR *dir = opendir("/run/netns");
	const struct dirent *d;
	uint32_t netns = 0;

	if (!dir)
		return;
	while ((d = readdir(dir))) {
		int fd = d->d_name[0] == '.' ? -1 : zone_open_file(dirfd(dir), d->d_name, &netns);

		if (fd < 0)
			continue;
		set_mounted(z, netns, d->d_name);
		close(fd);
	}
	closedir(dir);
}

/* ---- containers -------------------------------------------------------------------------------------------------- */

static size_t hex_run(const char *s)
{
	size_t n = 0;

	while (isxdigit((unsigned char)s[n]) && !isupper((unsigned char)s[n]))
		n++;
	return n;
}

/* The name in a cgroup path, or NULL: the last 64-digit id ("/docker/<id>", "docker-<id>.scope",
 * "cri-containerd-<id>.scope", "libpod-<id>.scope") cut to 12 digits, or what follows "lxc/" or "lxc.payload.". */
static const char *container_id(const char *path, size_t *len)
{
	static const char *const lxc[] = { "/lxc.payload.", "/lxc.payload/", "/lxc/" };
	const char *found = NULL;

	for (const char *p = path; *p; p++) {
		size_t n = p > path && isalnum((unsigned char)p[-1]) ? 0 : hex_run(p);

		if (n == LONG_ID && !isalnum((unsigned char)p[n])) {
			found = p;
			*len = SHORT_ID;
		}
	}
	for (size_t i = 0; !found && i < sizeof(lxc) / sizeof(lxc[0]); i++) {
		const char *at = strstr(path, lxc[i]);

		if (at) {
			found = at + strlen(lxc[i]);
			*len = strcspn(found, "/\n");
		}
	}
	return found && *len ? found : NULL;
}

bool zone_container(int proc, const char *pid, char *name, size_t size)
{
	char path[64], text[4096];
	const char *id;
	ssize_t n;
	size_t len = 0;
	int fd;

	snprintf(path, sizeof(path), "%.20s/cgroup", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	id = container_id(text, &len);
	if (id)
		snprintf(name, size, "%.*s", (int)len, id);
	return id != NULL;
}

/* Names the zone after the container that the process is in. */
static void name_by_cgroup(struct zones *z, int proc, const char *pid, uint32_t netns)
{
	char name[NAME_MAX + 2] = { CONTAINER_MARK };
	struct zone *e;

	if (zone_container(proc, pid, name + 1, sizeof(name) - 1))
		set_name(z, netns, name, pid);
	e = add_zone(z, netns);
	if (e)
		e->lived_in = true;
}

/* For spaces_walk_processes(): finds a container by a process that lives in its namespace. */
static bool scan_process(void *ctx, const struct space_file *f)
{
	struct zones *z = ctx;
	const struct zone *e = find_zone(z, f->netns);

	if (f->netns != z->global && (!e || !e->named))
		name_by_cgroup(z, f->dir, f->pid, f->netns);
	return true;
}

static void scan_processes(struct zones *z)
{
	spaces_walk_processes(scan_process, z);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* Is what the zone's name was found by still there? */
static bool is_right(const struct zone *e)
{
	char path[NAME_MAX + 16], name[NAME_MAX + 1] = "";
	struct stat s;
	bool right;
	int proc;

	snprintf(path, sizeof(path), *e->pid ? "/proc/%s/ns/net" : "/run/netns/%s", *e->pid ? e->pid : e->name);
	if (stat(path, &s) || s.st_ino != e->netns)
		return false;
	if (!*e->pid)
		return true;
	proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	right = proc >= 0 && zone_container(proc, e->pid, name, sizeof(name)) && e->name[0] == CONTAINER_MARK &&
		!strcmp(name, e->name + 1);
	if (proc >= 0)
		close(proc);
	return right;
}

/* Searches the machine for the name of one number, and finds those of others. */
static struct zone *scan(struct zones *z, uint32_t netns, int64_t now)
{
	struct zone *e;

	scan_named(z);
	e = find_zone(z, netns);
	if (!e->named)
		scan_processes(z);
	e = find_zone(z, netns);
	e->searched = true;
	if (e->mounted && !e->named)
		set_name(z, netns, e->mounted, "");
	z->last_scan = now;
	z->next_scan = (z->next_scan > now ? z->next_scan : now) + SCAN_SHARE * ((int64_t)clock_now() - now);
	return e;
}

/* The zone's name may be that of an earlier namespace of this number. It stays if nothing else has a process in it:
 * what is shown now may have come before the end. */
static void check_name(struct zones *z, struct zone *e, int64_t now)
{
	char number[16];

	e->checked = now;
	if (is_right(e))
		return;
	e->named = e->lived_in = false;
	free(e->mounted);
	e->mounted = NULL;
	e = scan(z, e->netns, now);
	if (e->named)
		return;
	e->named = !e->lived_in;
	snprintf(number, sizeof(number), "%u", e->netns);
	if (e->lived_in && !rename_zone(z, e, number, strlen(number)))
		e->named = true;
}

const char *zone_name(struct zones *z, uint32_t netns)
{
	struct zone *e;
	bool again;
	int64_t now;

	if (!netns)
		return "";
	if (netns == z->global)
		return "global";
	e = add_zone(z, netns);
	if (!e)
		return "?";
	now = (int64_t)clock_now();
	again = e->named ? now - e->checked >= CHECK_NS : !e->searched || now - z->last_scan >= RESCAN_NS;
	if (!again || now + SCAN_CREDIT_NS < z->next_scan)
		return e->name;
	if (e->named)
		check_name(z, e, now);
	else
		scan(z, netns, now);
	e = find_zone(z, netns);
	return e->name;
}

/* ---- numbers of names -------------------------------------------------------------------------------------------- */
/* Is text what a column of its width shows of the name? */
static bool is_cut(const char *name, const char *text)
{
	size_t len = strlen(name), n = strlen(text);

	return n >= CUT_MIN && len > n && !strncmp(name + zone_dull(name, len, n), text, n);
}

/* An exact name wins over one that is cut. 0: none has it, or several do. */
static uint32_t number_of(const struct zones *z, const char *name)
{
	uint32_t found = 0;

	for (size_t i = 0; i < z->n; i++)
		if (!strcmp(z->v[i].name, name) || (z->v[i].mounted && !strcmp(z->v[i].mounted, name)))
			return z->v[i].netns;
	for (size_t i = 0; i < z->n; i++) {
		const struct zone *e = &z->v[i];

		if (!is_cut(e->name, name) && (e->named || !e->mounted || !is_cut(e->mounted, name)))
			continue;
		if (found)
			return 0;
		found = e->netns;
	}
	return found;
}

uint32_t zone_number(struct zones *z, const char *name)
{
	unsigned long n;
	uint32_t r;
	char *end;

	if (!strcmp(name, "global"))
		return z->global;
	scan_named(z);
	scan_processes(z);
	r = number_of(z, name);
	n = strtoul(name, &end, 10);
	return r || *end || n > UINT32_MAX ? r : (uint32_t)n;
}
