/* SPDX-License-Identifier: GPL-2.0-or-later */
/* safeopen: see safeopen.h.
 * Input: names that a traced process may have chosen. Output: descriptors of regular files.
 * Invariant: nothing is opened for reading before it is known to be a regular file, because opening a FIFO or a device
 * may block or have effects.
 * Kernels: openat2() exists since Linux 5.6. */
#include "symbols/sandbox/safeopen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CONFIGFS_MAGIC 0x62656570 /* fs/configfs/mount.c */

int safeopen_root(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Regular files in these are the kernel's: reading may wait, or take what another reader waits for. */
static bool is_kernels(int fd)
{
	static const unsigned long kinds[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
		SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, EFIVARFS_MAGIC,
		CONFIGFS_MAGIC };
	struct statfs s;

	if (fstatfs(fd, &s) < 0)
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((unsigned long)s.f_type == kinds[i])
			return true;
	return false;
}

/* What is behind an O_PATH descriptor, for reading. Closes it. */
static int open_for_reading(int at)
{
	char self[64];
	struct stat st;
	int fd = -EINVAL;

	if (at < 0)
		return -errno;
	if (fstat(at, &st) == 0 && S_ISREG(st.st_mode) && !is_kernels(at)) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		fd = fd < 0 ? -errno : fd;
	}
	close(at);
	return fd;
}

int safeopen(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	if (root < 0)
		return open_for_reading(open(path, O_PATH | O_CLOEXEC | flags));
	return open_for_reading((int)syscall(SYS_openat2, root, path, &how, sizeof(how)));
}

int safeopen_mapping(pid_t pid, unsigned long long start, unsigned long long end)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid, start, end);
	return open_for_reading(open(path, O_PATH | O_CLOEXEC));
}
