/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lockdown: see lockdown.h.
 * Input: a line of securityfs, "none [integrity] confidentiality"; a private mount is used if securityfs is not
 * mounted. Output: the word in brackets.
 * Invariant: an unreadable file counts as no lockdown. */
#include "kernel/lockdown.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static int open_detached(void)
{
	int fs = fsopen("securityfs", FSOPEN_CLOEXEC), mnt = -1, fd = -1;

	if (fs < 0)
		return -1;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (mnt >= 0) {
		fd = openat(mnt, "lockdown", O_RDONLY | O_CLOEXEC);
		close(mnt);
	}
	close(fs);
	return fd;
}

void lockdown_read(char *buf, size_t len)
{
	int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	char line[80] = "", *from, *to;
	ssize_t n = 0;

	if (fd < 0)
		fd = open_detached();
	if (fd >= 0) {
		n = read(fd, line, sizeof(line) - 1);
		close(fd);
	}
	line[n > 0 ? n : 0] = '\0';
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to)
		*to = '\0';
	snprintf(buf, len, "%s", to && strcmp(from + 1, "none") != 0 ? from + 1 : "");
}

bool lockdown_hides(void)
{
	char how[32];

	lockdown_read(how, sizeof(how));
	return !strcmp(how, "confidentiality");
}
