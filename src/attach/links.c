/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: see links.h.
 * Input: descriptors of links. Output: the list; closing it detaches them.
 * Invariant: every descriptor in a list is open. */
#include "attach/links.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/bpfsys.h"

#define MANY 4 /* from this number on, detaching takes too long to wait for */

int links_keep(struct links *l, int fd)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		int *v = reallocarray(l->v, cap, sizeof(*v));

		if (!v) {
			close(fd);
			return -ENOMEM;
		}
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = fd;
	return 0;
}

void links_move(struct links *l, struct links *from)
{
	for (size_t i = 0; i < from->n; i++)
		(void)!links_keep(l, from->v[i]); /* which closes it if it fails */
	free(from->v);
	*from = (struct links){ 0 };
}

int links_sys_number(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[64] = "";
	size_t at;

	if (!f)
		return -1;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	at = strcspn(line, "0123456789");
	return line[at] ? (int)strtol(line + at, NULL, 10) : -1;
}

int links_perf_event(int prog, const struct perf_event_attr *attr, pid_t pid, uint64_t cookie)
{
	long event = syscall(SYS_perf_event_open, attr, pid, pid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	int link;

	if (event < 0)
		return -errno;
	link = bpfsys_link_event(prog, (int)event, cookie);
	/* Before Linux 5.15 there are no such links, nor cookies: the event itself holds the program. */
	if (link == -EINVAL && ioctl((int)event, PERF_EVENT_IOC_SET_BPF, prog) == 0) {
		if (ioctl((int)event, PERF_EVENT_IOC_ENABLE, 0) == 0)
			return (int)event;
		link = -errno;
	}
	close((int)event); /* the link holds it */
	return link;
}

static void close_all(const struct links *l)
{
	for (size_t i = 0; i < l->n; i++)
		close(l->v[i]);
}

static int by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Runs in the process that closes the links: it keeps nothing else of ours open, so nobody waits for it. */
static void stay_and_close(const struct links *l, int wait)
{
	unsigned from = 1;
	char end;

	(void)setsid();
	if (dup2(wait, 0) < 0)
		_exit(1);
	for (size_t i = 0; i < l->n; i++) {
		unsigned fd = (unsigned)l->v[i];

		if (fd > from)
			(void)close_range(from, fd - 1, 0);
		from = fd + 1;
	}
	(void)close_range(from, UINT_MAX, 0);
	while (read(0, &end, 1) < 0 && errno == EINTR)
		;
	_exit(0); /* which closes them */
}

/* Opens a pipe. If there are so many links that it finds no descriptors, it takes theirs. */
static bool open_pipe(struct links *l, int pipes[2])
{
	while (pipe2(pipes, O_CLOEXEC) < 0) {
		pipes[0] = pipes[1] = -1;
		if (errno != EMFILE || !l->n)
			return false;
		close(l->v[--l->n]);
	}
	return true;
}

/* The kernel removes one probe at a time and waits each time, some 0.1 s, until no CPU can be running it. The process
 * that closes the last descriptor of a link waits. So a child that nobody waits for keeps the descriptors and closes
 * them after us. */
static void close_behind(struct links *l)
{
	int pipes[2];
	pid_t pid = -1;

	if (open_pipe(l, pipes)) {
		qsort(l->v, l->n, sizeof(*l->v), by_number);
		pid = fork();
	}
	if (!pid) {
		if (!fork()) /* so that it is no child of ours */
			stay_and_close(l, pipes[0]);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	close_all(l);
	if (pipes[0] >= 0) {
		close(pipes[0]);
		close(pipes[1]);
	}
}

void links_close(struct links *l)
{
	if (l->n >= MANY)
		close_behind(l);
	else
		close_all(l);
	free(l->v);
	l->v = NULL;
	l->n = l->cap = 0;
}
