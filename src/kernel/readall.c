/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readall: see readall.h.
 * Input: a descriptor, or a path. Output: all that can be read from it, or its first line.
 * Invariant: the buffer of read_all() has two bytes more than were read. */
#include "kernel/readall.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files of /proc and sysfs have no size and return a page a read, so the buffer doubles until a read returns 0. */
int read_all(int fd, size_t room, char **text, size_t *len)
{
	char *buf = malloc(room + 2), *more;
	size_t n = 0;
	ssize_t r = 1;

	while (buf && (r = read(fd, buf + n, room - n)) > 0) {
		n += (size_t)r;
		if (n < room)
			continue;
		room *= 2;
		more = realloc(buf, room + 2);
		if (!more)
			free(buf);
		buf = more;
	}
	if (!buf)
		return -ENOMEM;
	if (r < 0) {
		int err = -errno;

		free(buf);
		return err;
	}
	buf[n] = '\0';
	*text = buf;
	if (len)
		*len = n;
	return 0;
}

void read_first_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(buf, (int)size, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
}
