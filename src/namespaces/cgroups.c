/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroups: see cgroups.h.
 * Input: the directories of cgroup2; inotify. Output: calls of the caller's function.
 * Invariant: a cgroup is watched before its children are read, so that none is missed between the two. */
#include "namespaces/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define DEPTH_MAX 16 /* levels; containers are at most some eight below the root */
#define WATCHES_MAX 65536
#define WATCH_FOR (IN_CREATE | IN_ONLYDIR)

struct watched {
	char *path; /* below the root, "" the root itself; owned; NULL: not a watch */
};

struct cgroups_watch {
	int fd, root;
	cgroup_fn *fn;
	void *ctx;
	struct watched *v; /* by the number of the watch */
	size_t n;
	bool full;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */
struct walk {
	struct cgroups_watch *w; /* NULL: nothing is watched */
	cgroup_fn *fn;
	void *ctx;
};

/* Remembers the path of a watch. False: no memory. */
static bool keep(struct cgroups_watch *w, int number, const char *path)
{
	size_t i = (size_t)number;

	if (i >= w->n) {
		struct watched *v = reallocarray(w->v, i * 2 + 16, sizeof(*v));

		if (!v)
			return false;
		memset(v + w->n, 0, (i * 2 + 16 - w->n) * sizeof(*v));
		w->v = v;
		w->n = i * 2 + 16;
	}
	free(w->v[i].path);
	w->v[i].path = strdup(path);
	return w->v[i].path != NULL;
}

/* A directory that is gone by now is no error. */
static void watch(struct cgroups_watch *w, int dir, const char *path)
{
	char link[64];
	int number;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	number = inotify_add_watch(w->fd, link, WATCH_FOR);
	if ((number < 0 && errno != ENOENT) || number >= WATCHES_MAX || (number >= 0 && !keep(w, number, path)))
		w->full = true;
}

/* Visits what is below dir, which is closed. path: dir's, below the root. */
static void walk_below(const struct walk *k, int dir, const char *path, int depth)
{
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	const struct dirent *e;

	if (!d && dir >= 0)
		close(dir);
	if (d && k->w)
		watch(k->w, dirfd(d), path);
	while (d && depth < DEPTH_MAX && (e = readdir(d))) {
		char below[PATH_MAX];

		if (e->d_type != DT_DIR || *e->d_name == '.')
			continue;
		if (snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", e->d_name) >= (int)sizeof(below))
			continue;
		k->fn(k->ctx, last_part(path), e->d_name);
		walk_below(k, openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), below,
			depth + 1);
	}
	if (d)
		closedir(d);
}

void cgroups_walk(int root, cgroup_fn *fn, void *ctx)
{
	const struct walk k = { .fn = fn, .ctx = ctx };

	if (root >= 0)
		walk_below(&k, openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0);
}

/* ---- later ones -------------------------------------------------------------------------------------------------- */
struct cgroups_watch *cgroups_watch(int root, cgroup_fn *fn, void *ctx, int *err)
{
	struct cgroups_watch *w = calloc(1, sizeof(*w));
	struct walk k = { .w = w, .fn = fn, .ctx = ctx };

	*err = w ? 0 : -ENOMEM;
	if (!w)
		return NULL;
	*w = (struct cgroups_watch){ .root = root, .fn = fn, .ctx = ctx };
	w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w->fd < 0) {
		*err = -errno;
		free(w);
		return NULL;
	}
	walk_below(&k, openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0);
	return w;
}

void cgroups_free(struct cgroups_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].path);
	free(w->v);
	close(w->fd);
	free(w);
}

int cgroups_fd(const struct cgroups_watch *w)
{
	return w->fd;
}

static void made(struct cgroups_watch *w, const char *path, const char *name)
{
	const struct walk k = { .w = w, .fn = w->fn, .ctx = w->ctx };
	char below[PATH_MAX];
	int depth = 1;

	if (snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name) >= (int)sizeof(below))
		return;
	for (const char *p = below; *p; p++)
		depth += *p == '/';
	w->fn(w->ctx, last_part(path), name);
	walk_below(&k, openat(w->root, below, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), below, depth);
}

static void take_event(struct cgroups_watch *w, const struct inotify_event *e)
{
	size_t i = (size_t)e->wd;
	char *path;

	if (e->mask & IN_Q_OVERFLOW) { /* some were not reported: all of the tree is read again */
		const struct walk k = { .w = w, .fn = w->fn, .ctx = w->ctx };

		walk_below(&k, openat(w->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0);
		return;
	}
	if (e->wd < 0 || i >= w->n || !w->v[i].path)
		return;
	if (e->mask & IN_IGNORED) {
		free(w->v[i].path);
		w->v[i].path = NULL;
	} else if (e->mask & IN_ISDIR && e->len) {
		path = strdup(w->v[i].path); /* made() may move the list */
		if (path)
			made(w, path, e->name);
		free(path);
	}
}

int cgroups_follow(struct cgroups_watch *w)
{
	char buf[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;
	bool full;

	while ((n = read(w->fd, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *e = (const struct inotify_event *)(void *)p;

			take_event(w, e);
			p += sizeof(*e) + e->len;
		}
	full = w->full;
	w->full = false;
	return full ? -EOVERFLOW : 0;
}
