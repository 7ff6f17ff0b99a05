/* SPDX-License-Identifier: GPL-2.0-or-later */
/* getent: see getent.h. Input: a database and a key. Output: the text of getent.
 * Invariant: no shell sees the key; the child is waited for. */
#include "cli/tool/getent.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Reads until the end; what does not fit is dropped. */
static void read_text(int fd, char *out, size_t size)
{
	size_t len = 0;
	char rest[256] = "";
	ssize_t n;

	do {
		bool room = len + 1 < size;

		n = read(fd, room ? out + len : rest, room ? size - 1 - len : sizeof(rest));
		len += room && n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	out[len] = '\0';
}

/* Starts getent with its output into fd. */
static int start(const char *database, const char *key, int fd, pid_t *pid)
{
	char program[] = "getent", end[] = "--", base[16], name[256];
	char *argv[] = { program, end, base, name, NULL };
	posix_spawn_file_actions_t actions;
	int r;

	strncpy(base, database, sizeof(base) - 1);
	strncpy(name, key, sizeof(name) - 1);
	base[sizeof(base) - 1] = name[sizeof(name) - 1] = '\0';
	r = posix_spawn_file_actions_init(&actions);
	if (r)
		return r;
	r = posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	if (!r)
		r = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!r)
		r = posix_spawnp(pid, "getent", &actions, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	return r;
}

bool tool_getent(const char *database, const char *key, char *out, size_t size)
{
	int fds[2], r, status = -1;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	r = start(database, key, fds[1], &pid);
	(void)close(fds[1]);
	if (!r) {
		read_text(fds[0], out, size);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	(void)close(fds[0]);
	return !r && status == 0 && *out;
}
