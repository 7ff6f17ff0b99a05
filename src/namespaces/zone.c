/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zone: see zone.h.
 * Input: /run/netns and /proc. Output: names.
 * Invariant: the address of a name is valid until zone_free(). The machine is searched only for a number without a
 * name, and at most once a second. */
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

#define SHORT_ID 12
#define LONG_ID 64
#define RESCAN_NS 1000000000

struct zone {
	uint32_t netns;
	bool named;     /* name is more than the number */
	char *name;     /* owned */
	char *old_name; /* the number, handed out before the name was found */
	char *mounted;  /* under /run/netns, where a container's id is the better name; or NULL */
};

struct zones {
	uint32_t global;
	struct zone *v;
	size_t n, cap;
	int64_t last_scan; /* CLOCK_MONOTONIC ns; 0: never */
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
		free(z->v[i].old_name);
		free(z->v[i].mounted);
	}
	free(z->v);
	free(z);
}

static struct zone *find_zone(struct zones *z, uint32_t netns)
{
	for (size_t i = 0; i < z->n; i++)
		if (z->v[i].netns == netns)
			return &z->v[i];
	return NULL;
}

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

static void set_name(struct zones *z, uint32_t netns, const char *name, size_t len)
{
	struct zone *e = add_zone(z, netns);
	char *copy = e && !e->named ? strndup(name, len) : NULL;

	if (!copy)
		return;
	e->old_name = e->name;
	e->name = copy;
	e->named = true;
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

/* PATH/NAME/below is the namespace, for one of the names: a descriptor of it; -1: none is. */
static int open_in(const char *path, const char *below, uint32_t wanted)
{
	DIR *dir = opendir(path);
	const struct dirent *d;
	int found = -1;

	while (dir && found < 0 && (d = readdir(dir))) {
		char name[NAME_MAX + 16];
		uint32_t netns = 0;

		if (d->d_name[0] == '.' || (*below && !isdigit((unsigned char)d->d_name[0])))
			continue;
		snprintf(name, sizeof(name), "%s%s", d->d_name, below);
		found = zone_open_file(dirfd(dir), name, &netns);
		if (found >= 0 && netns != wanted) {
			close(found);
			found = -1;
		}
	}
	if (dir)
		closedir(dir);
	return found;
}

int zone_open(struct zones *z, const char *name)
{
	uint32_t netns = zone_number(z, name);
	int fd = netns ? open_in("/run/netns", "", netns) : -1;

	return fd >= 0 || !netns ? fd : open_in("/proc", "/ns/net", netns);
}

/* ---- names given by ip-netns(8) ---------------------------------------------------------------------------------- */

static void set_mounted(struct zones *z, uint32_t netns, const char *name)
{
	struct zone *e = made_prefix(name) ? add_zone(z, netns) : NULL;

	if (!e)
		set_name(z, netns, name, strlen(name));
	else if (!e->mounted)
		e->mounted = strdup(name);
}

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

static void name_by_cgroup(struct zones *z, int proc, const char *pid, uint32_t netns)
{
	char name[NAME_MAX + 1];

	if (zone_container(proc, pid, name, sizeof(name)))
		set_name(z, netns, name, strlen(name));
}

static void scan_processes(struct zones *z)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;

	if (!dir)
		return;
	while ((d = readdir(dir))) {
		char path[64];
		struct stat s;
		const struct zone *e;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "%.20s/ns/net", d->d_name);
		if (fstatat(dirfd(dir), path, &s, 0) < 0 || s.st_ino == z->global)
			continue;
		e = find_zone(z, (uint32_t)s.st_ino);
		if (!e || !e->named)
			name_by_cgroup(z, dirfd(dir), d->d_name, (uint32_t)s.st_ino);
	}
	closedir(dir);
}

const char *zone_name(struct zones *z, uint32_t netns)
{
	const struct zone *e;
	int64_t now;

	if (netns == z->global)
		return "global";
	e = find_zone(z, netns);
	if (e && e->named)
		return e->name;
	now = (int64_t)clock_now();
	if (!z->last_scan || now - z->last_scan >= RESCAN_NS) {
		z->last_scan = now;
		scan_named(z);
		e = find_zone(z, netns);
		if (!e || !e->named)
			scan_processes(z);
	}
	e = add_zone(z, netns);
	if (e && e->mounted && !e->named) {
		set_name(z, netns, e->mounted, strlen(e->mounted));
		e = find_zone(z, netns);
	}
	return e ? e->name : "?";
}

static uint32_t number_of(const struct zones *z, const char *name)
{
	for (size_t i = 0; i < z->n; i++)
		if (!strcmp(z->v[i].name, name) || (z->v[i].mounted && !strcmp(z->v[i].mounted, name)))
			return z->v[i].netns;
	return 0;
}

uint32_t zone_number(struct zones *z, const char *name)
{
	unsigned long n;
	uint32_t r;
	char *end;

	if (!strcmp(name, "global"))
		return z->global;
	scan_named(z);
	r = number_of(z, name);
	if (r)
		return r;
	scan_processes(z);
	r = number_of(z, name);
	n = strtoul(name, &end, 10);
	return r || *end || n > UINT32_MAX ? r : (uint32_t)n;
}
