/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process: see process.h.
 * Input: /proc. Output: texts, which are untrusted.
 * Invariant: what is known of a process is of one whose name was that of the packet's owner: another one that got its
 * number is not taken for it unless it has the same name. */
#include "print/capture/process.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 1024 /* a process takes the place of another one of the same slot */
#define UID_LEN 36

struct processes {
	struct process_info v[SLOTS];
};

struct processes *processes_new(void)
{
	return calloc(1, sizeof(struct processes));
}

void processes_free(struct processes *p)
{
	free(p);
}

/* Reads a file of /proc/PID. Returns its length; the text ends with a NUL. */
static size_t read_file(uint32_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* Arguments end with a NUL each. */
static void read_args(struct process_info *p)
{
	size_t n = read_file(p->pid, "cmdline", p->args, sizeof(p->args));

	while (n && !p->args[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!p->args[i])
			p->args[i] = ' ';
}

/* The pod's uid in a path of cgroups: ".../pod01234567-89ab-cdef-0123-456789abcdef/...", by systemd with "_" for
 * "-". */
static void read_pod(struct process_info *p)
{
	char text[4096];

	read_file(p->pid, "cgroup", text, sizeof(text));
	if (!strstr(text, "kubepods"))
		return;
	for (const char *s = strstr(text, "pod"); s; s = strstr(s + 1, "pod")) {
		size_t n = 0;

		while (n < UID_LEN && (isxdigit((unsigned char)s[3 + n]) || s[3 + n] == '-' || s[3 + n] == '_')) {
			p->pod[n] = s[3 + n] == '_' ? '-' : s[3 + n];
			n++;
		}
		p->pod[n == UID_LEN && !isalnum((unsigned char)s[3 + n]) ? n : 0] = '\0';
		if (p->pod[0])
			return;
	}
}

const struct process_info *process_find(struct processes *ps, uint32_t pid, const char *execname, size_t len)
{
	struct process_info *p = &ps->v[pid % SLOTS];
	char now[32];
	size_t n = len < sizeof(p->execname) ? len : sizeof(p->execname) - 1;

	if (p->pid == pid && strlen(p->execname) == n && !memcmp(p->execname, execname, n))
		return p;
	memset(p, 0, sizeof(*p));
	p->pid = pid;
	memcpy(p->execname, execname, n);
	read_args(p);
	read_pod(p);
	/* Asked last: while it had this name it was the same process. */
	if (read_file(pid, "comm", now, sizeof(now)) != n + 1 || memcmp(now, execname, n) != 0)
		p->args[0] = p->pod[0] = '\0';
	return p;
}
