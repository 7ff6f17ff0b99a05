/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysevents: see sysevents.h.
 * Input: the events' numbers in tracefs. Output: descriptors.
 * Invariant: at most one event is open that nobody has taken. Opening it shows whether this process may open events; of
 * the others the file in tracefs is enough. The kernel waits some 30 ms for each event that is closed. */
#include "kernel/events/sysevents.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/events/tracepoints.h"

enum { NAME_MAX_LEN = 64, UNTRIED = -100000 };

struct sysevents {
	int folder;               /* of tracefs; -1: not opened yet, -2: there is none */
	int fd;                   /* of the event that was tried; UNTRIED; negative: taken, or refused */
	bool allowed;             /* it could be opened */
	char tried[NAME_MAX_LEN]; /* its name: "sys_enter_connect" */
};

struct sysevents *sysevents_new(void)
{
	struct sysevents *s = calloc(1, sizeof(*s));

	if (s) {
		s->folder = -1;
		s->fd = UNTRIED;
	}
	return s;
}

void sysevents_free(struct sysevents *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	if (s->folder >= 0)
		close(s->folder);
	free(s);
}

/* The event's number; 0: there is none. */
static unsigned long long read_id(int folder, const char *target)
{
	char path[192], text[32];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/id", target);
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return strtoull(text, NULL, 10);
}

/* Opens an event on CPU 0. A program attached to it runs on every CPU, whichever the descriptor belongs to. */
static int open_at(int folder, const char *target)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = read_id(folder, target);
	attr.sample_period = 1;
	attr.disabled = 1;
	if (!attr.config)
		return -ENOENT;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* tracefs, opened once; negative: there is none. */
static int folder_of(struct sysevents *s)
{
	if (s->folder == -1) {
		s->folder = tracepoint_folder();
		s->folder = s->folder < 0 ? -2 : s->folder;
	}
	return s->folder;
}

/* Opens the event of a system call: "sys_enter_connect". */
static int open_event(struct sysevents *s, const char *name)
{
	char target[96];

	snprintf(target, sizeof(target), "syscalls/%s", name);
	return folder_of(s) < 0 ? -ENOENT : open_at(s->folder, target);
}

int sysevents_open(const char *target)
{
	int folder = tracepoint_folder(), fd = folder < 0 ? -ENOENT : open_at(folder, target);

	if (folder >= 0)
		close(folder);
	return fd;
}

bool sysevents_has(struct sysevents *s, const char *at, const char *call)
{
	char name[NAME_MAX_LEN], path[96];

	snprintf(name, sizeof(name), "%s_%s", at, call);
	snprintf(path, sizeof(path), "syscalls/%s/id", name);
	if (folder_of(s) < 0 || faccessat(s->folder, path, R_OK, 0))
		return false;
	if (s->fd == UNTRIED) {
		s->fd = open_event(s, name);
		s->allowed = s->fd >= 0;
		memcpy(s->tried, name, sizeof(s->tried));
	}
	return s->allowed;
}

int sysevents_take(struct sysevents *s, const char *at, const char *call)
{
	char name[NAME_MAX_LEN];
	int fd;

	snprintf(name, sizeof(name), "%s_%s", at, call);
	if (s->fd < 0 || strcmp(name, s->tried))
		return open_event(s, name);
	fd = s->fd;
	s->fd = -1;
	return fd;
}
