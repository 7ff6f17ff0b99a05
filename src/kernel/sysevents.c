/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysevents: see sysevents.h.
 * Input: the events' numbers in tracefs. Output: descriptors.
 * Invariant: an event stays open from the first question until it is taken, because the kernel waits when an event is
 * closed and reopened. */
#include "kernel/sysevents.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/tracepoints.h"

struct held {
	char *name; /* "sys_enter_connect" */
	int fd;     /* -errno: it cannot be had; TAKEN */
};
#define TAKEN (-100000)

struct sysevents {
	int folder; /* of tracefs; -1: not opened yet, -2: there is none */
	struct held *v;
	size_t n;
};

struct sysevents *sysevents_new(void)
{
	struct sysevents *s = calloc(1, sizeof(*s));

	if (s)
		s->folder = -1;
	return s;
}

void sysevents_free(struct sysevents *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].fd >= 0)
			close(s->v[i].fd);
		free(s->v[i].name);
	}
	if (s->folder >= 0)
		close(s->folder);
	free(s->v);
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

/* Opens the event of a system call: "sys_enter_connect". tracefs is opened once. */
static int open_event(struct sysevents *s, const char *name)
{
	char target[96];

	if (s->folder == -1) {
		s->folder = tracepoint_folder();
		s->folder = s->folder < 0 ? -2 : s->folder;
	}
	snprintf(target, sizeof(target), "syscalls/%s", name);
	return s->folder < 0 ? -ENOENT : open_at(s->folder, target);
}

int sysevents_open(const char *target)
{
	int folder = tracepoint_folder(), fd = folder < 0 ? -ENOENT : open_at(folder, target);

	if (folder >= 0)
		close(folder);
	return fd;
}

/* An event that was asked for before. */
static struct held *find(struct sysevents *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, name))
			return &s->v[i];
	return NULL;
}

/* Opens the event to find out, and keeps it open for sysevents_take(). */
bool sysevents_has(struct sysevents *s, const char *at, const char *call)
{
	char name[64];
	struct held *h, *v;

	snprintf(name, sizeof(name), "%s_%s", at, call);
	h = find(s, name);
	if (h)
		return h->fd >= 0 || h->fd == TAKEN;
	v = realloc(s->v, (s->n + 1) * sizeof(*v));
	if (!v)
		return false;
	s->v = v;
	h = &v[s->n];
	h->name = strdup(name);
	if (!h->name)
		return false;
	h->fd = open_event(s, name);
	s->n++;
	return h->fd >= 0;
}

/* Passes the descriptor to the caller. One that was taken already is opened again. */
int sysevents_take(struct sysevents *s, const char *at, const char *call)
{
	char name[64];
	struct held *h;
	int fd;

	snprintf(name, sizeof(name), "%s_%s", at, call);
	h = find(s, name);
	if (!h || h->fd < 0)
		return open_event(s, name);
	fd = h->fd;
	h->fd = TAKEN;
	return fd;
}
