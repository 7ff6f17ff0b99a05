/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spaces: see spaces.h.
 * Input: /proc/PID/ns/net of the processes; the mounts of this process. Output: calls of the caller's function.
 * A namespace that only a thread, a descriptor or a socket holds is not found. */
#include "namespaces/spaces.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/escape.h"

/* A line of mountinfo: "36 25 0:4 net:[4026532251] /run/netns/blue rw shared:7 - nsfs nsfs rw". False: fn ended it. */
static bool take_mount(char *line, space_fn *fn, void *ctx)
{
	char path[4096];
	unsigned netns;

	if (sscanf(line, "%*s %*s %*s net:[%u] %4095s", &netns, path) != 2)
		return true;
	escape_undo_octal(path);
	return fn(ctx, &(struct space_file){ .netns = netns, .dir = AT_FDCWD, .path = path });
}

/* Walks the namespaces that are mounted, as ip-netns(8) and container runtimes do it. False: fn ended the walk. */
static bool walk_mounts(space_fn *fn, void *ctx)
{
	FILE *f = fopen("/proc/thread-self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	bool on = true;

	while (f && on && getline(&line, &size, f) > 0)
		on = take_mount(line, fn, ctx);
	free(line);
	if (f)
		fclose(f);
	return on;
}

void spaces_walk_processes(space_fn *fn, void *ctx)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;
	bool on = true;

	while (dir && on && (d = readdir(dir))) {
		char path[64];
		struct stat s;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "%.20s/ns/net", d->d_name);
		if (fstatat(dirfd(dir), path, &s, 0) == 0)
			on = fn(ctx, &(struct space_file){ (uint32_t)s.st_ino, dirfd(dir), path, d->d_name });
	}
	if (dir)
		closedir(dir);
}

void spaces_walk(space_fn *fn, void *ctx)
{
	if (walk_mounts(fn, ctx))
		spaces_walk_processes(fn, ctx);
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

int spaces_own(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int spaces_inside(int fd, int own, int (*fn)(void *ctx), void *ctx, bool *lost)
{
	int err;

	if (setns(fd, CLONE_NEWNET))
		return -errno;
	err = fn(ctx);
	*lost = setns(own, CLONE_NEWNET) != 0;
	return err;
}
