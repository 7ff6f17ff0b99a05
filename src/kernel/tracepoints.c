/* tracepoints: see tracepoints.h. Input: the folders of tracefs, one a group. BTF has the tracepoints and their
 * arguments, but not the groups. Where tracefs is not mounted it is opened without being mounted anywhere: nobody else
 * sees it, and it goes with its descriptor. */
#include "kernel/tracepoints.h"

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

int tracepoint_folder(void)
{
	int fd = open("/sys/kernel/tracing/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		fd = open("/sys/kernel/debug/tracing/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : detached_tracefs();
}

static void read_group(struct arena *a, struct strmap *m, int events, const char *name)
{
	int fd = openat(events, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *group = arena_strdup(a, name);
	struct dirent *e;
	DIR *d;

	if (fd < 0)
		return;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return;
	}
	while ((e = readdir(d)) != NULL)
		if (e->d_type == DT_DIR && e->d_name[0] != '.' && !strmap_get(m, e->d_name))
			strmap_put(m, e->d_name, (void *)(uintptr_t)group);
	closedir(d);
}

struct strmap *tracepoint_groups(struct arena *a)
{
	struct strmap *m = strmap_new(a);
	int fd = tracepoint_folder();
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return m;
	}
	while ((e = readdir(d)) != NULL)
		if (e->d_type == DT_DIR && e->d_name[0] != '.' && strcmp(e->d_name, "syscalls") != 0)
			read_group(a, m, fd, e->d_name);
	closedir(d);
	return m;
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */
static const char *first_of(struct arena *a, const char *group)
{
	int events = tracepoint_folder(),
	    fd = events >= 0 ? openat(events, group, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const char *name = NULL;
	struct dirent *e;

	while (d && !name && (e = readdir(d)) != NULL)
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			name = arena_strdup(a, e->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	if (events >= 0)
		close(events);
	return name;
}

/* Every tracepoint has a function of the kernel's making, in the module that has the tracepoint. */
const char *tracepoint_module(struct arena *a, const char *group, const char *name)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	const char *want, *module = NULL;
	char *line = NULL;
	size_t size = 0;

	name = name || !*group || strchr(group, '/') ? name : first_of(a, group);
	want = name ? arena_printf(a, " __traceiter_%s\t[", name) : NULL;
	while (want && in && !module && getline(&line, &size, in) > 0) {
		char *at = strstr(line, want);

		if (!at)
			continue;
		at += strlen(want);
		at[strcspn(at, "]\n")] = 0;
		module = arena_strdup(a, at);
	}
	free(line);
	if (in)
		fclose(in);
	return module;
}
