/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoints: see tracepoints.h.
 * Input: the folders of tracefs, one a group; a private mount is used if tracefs is not mounted. Output: groups and
 * records. BTF has the tracepoints and their arguments, but not the groups. */
#include "kernel/events/tracepoints.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/readall.h"

/* A mount of tracefs that no directory shows: it disappears with its descriptor. fsopen(2): Linux 5.2. -errno, or
 * the events folder. */
static int detached_tracefs(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mnt = -1, events = -1;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (mnt >= 0) {
		events = openat(mnt, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(mnt);
	}
	close(fs);
	return events >= 0 ? events : -ENOENT;
}

/* tracefs, or where older distributions mount it, or a mount made for this. */
int tracepoint_folder(void)
{
	int fd = open("/sys/kernel/tracing/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		fd = open("/sys/kernel/debug/tracing/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : detached_tracefs();
}

/* Groups of events that are not tracepoints: the users' own events, and ftrace's. */
static bool is_foreign(const char *group)
{
	static const char *const names[] = { "ftrace", "kprobes", "uprobes", "eprobes", "fprobes", "synthetic",
		"user_events" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(group, names[i]))
			return true;
	return *group == '.';
}

/* Calls fn for each folder in the folder name of at (NULL: at itself) until it gives true; did it? */
static bool each_folder(int at, const char *name, bool (*fn)(void *ctx, int at, const char *name), void *ctx)
{
	int fd = openat(at, name ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	bool done = false;
	struct dirent *e;

	while (d && !done && (e = readdir(d)) != NULL)
		done = e->d_type == DT_DIR && e->d_name[0] != '.' && fn(ctx, fd, e->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return done;
}

/* False also if there is no tracefs: then no tracepoint has a group. */
static bool each_group(bool (*fn)(void *ctx, int at, const char *name), void *ctx)
{
	int fd = tracepoint_folder();
	bool done = fd >= 0 && each_folder(fd, NULL, fn, ctx);

	if (fd >= 0)
		close(fd);
	return done;
}

struct reading {
	struct arena *arena;
	struct tracepoint_list *l;
	bool calls;
	const char *group;
};

/* The first group that has a name keeps it, for lookups of names without a group. */
static bool add_event(void *ctx, int at, const char *name)
{
	struct reading *r = ctx;
	const char *own = arena_strdup(r->arena, name);

	(void)at;
	*vec_push(r->arena, &r->l->all) = (struct tracepoint){ r->group, own };
	if (!strmap_get(r->l->groups, own))
		strmap_put(r->l->groups, own, (void *)(uintptr_t)r->group);
	return false;
}

/* System calls have two folders each, which most lists do not need: they are read only on request. */
static bool add_group(void *ctx, int at, const char *name)
{
	struct reading *r = ctx;

	if (is_foreign(name) || (!r->calls && !strcmp(name, "syscalls")))
		return false;
	r->group = arena_strdup(r->arena, name);
	return each_folder(at, name, add_event, r);
}

struct tracepoint_list tracepoints_read(struct arena *a, bool calls)
{
	struct tracepoint_list l = { .groups = strmap_new(a) };
	struct reading r = { a, &l, calls, NULL };

	(void)each_group(add_group, &r);
	return l;
}

/* One access(2) a group; listing its folders would cost more. */
static bool has_event(void *ctx, int at, const char *group)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", group, (const char *)ctx);
	return !is_foreign(group) && faccessat(at, path, F_OK, 0) == 0;
}

bool tracepoint_exists(const char *name)
{
	return each_group(has_event, (void *)(uintptr_t)name);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */
/* target: "GROUP/NAME". */
int tracepoint_format(struct arena *a, const char *target, struct tpformat *out)
{
	int events = tracepoint_folder(), fd, err;
	char path[192], *text = NULL;

	if (events < 0)
		return events;
	snprintf(path, sizeof(path), "%s/format", target);
	fd = openat(events, path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : read_all(fd, 4096, &text, NULL);
	if (!err)
		err = tpformat_parse(a, text, out);
	free(text);
	if (fd >= 0)
		close(fd);
	close(events);
	return err;
}
