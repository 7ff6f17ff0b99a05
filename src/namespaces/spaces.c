/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spaces: see spaces.h.
 * Input: /proc/PID/ns/net of the processes; the mounts of this process. Output: calls of the caller's function.
 * A namespace that only a thread, a descriptor or a socket holds is not found. */
#include "namespaces/spaces.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/escape.h"

/* A line of mountinfo: "36 25 0:4 net:[4026532251] /run/netns/blue rw shared:7 - nsfs nsfs rw". False: fn ended it. */
static bool take_mount(char *line, bool (*fn)(void *ctx, uint32_t netns, int dir, const char *path), void *ctx)
{
	char path[4096];
	unsigned netns;

	if (sscanf(line, "%*s %*s %*s net:[%u] %4095s", &netns, path) != 2)
		return true;
	escape_undo_octal(path);
	return fn(ctx, netns, AT_FDCWD, path);
}

/* Walks the namespaces that are mounted, as ip-netns(8) and container runtimes do it. False: fn ended the walk. */
static bool walk_mounts(bool (*fn)(void *ctx, uint32_t netns, int dir, const char *path), void *ctx)
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

void spaces_walk(bool (*fn)(void *ctx, uint32_t netns, int dir, const char *path), void *ctx)
{
	bool on = walk_mounts(fn, ctx);
	DIR *dir = opendir("/proc");
	const struct dirent *d;

	while (dir && on && (d = readdir(dir))) {
		char path[64];
		struct stat s;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "%.20s/ns/net", d->d_name);
		if (fstatat(dirfd(dir), path, &s, 0) == 0)
			on = fn(ctx, (uint32_t)s.st_ino, dirfd(dir), path);
	}
	if (dir)
		closedir(dir);
}
