/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn: see spawn.h. Invariant: our ends of the pipes are closed in every program that is started: an input ends when
 * we die. */
#include "cli/fleet/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 10
#define KILL_MS 500 /* from SIGTERM to SIGKILL */

extern char **environ;

void spawn_close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void spawn_close(struct spawned *p)
{
	spawn_close_end(&p->in);
	spawn_close_end(&p->out);
	spawn_close_end(&p->err);
}

/* Default signals, none blocked, its own process group. */
static void set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &all);
	posix_spawnattr_setpgroup(attr, 0);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

/* Its end of a pipe becomes its descriptor fd. 0 or errno. */
static int join_pipe(posix_spawn_file_actions_t *actions, int fd, int *ours, int *theirs)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	*ours = fd == STDIN_FILENO ? ends[1] : ends[0];
	*theirs = fd == STDIN_FILENO ? ends[0] : ends[1];
	return posix_spawn_file_actions_adddup2(actions, *theirs, fd);
}

/* 0 or errno. theirs: the other ends, to be closed. */
static int set_streams(posix_spawn_file_actions_t *actions, struct spawned *p, int pipes, int theirs[3])
{
	int *ours[] = { &p->in, &p->out, &p->err }, r = 0;

	for (int fd = 0; fd < 3 && !r; fd++)
		if (pipes & 1 << fd)
			r = join_pipe(actions, fd, ours[fd], &theirs[fd]);
		else if (fd == STDIN_FILENO)
			r = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDONLY, 0);
	return r;
}

int spawn(struct spawned *p, const char *const *argv, int pipes, const struct messages *messages)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int theirs[3] = { -1, -1, -1 }, r;

	*p = (struct spawned){ .pid = -1, .in = -1, .out = -1, .err = -1 };
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	set_attributes(&attr);
	r = set_streams(&actions, p, pipes, theirs);
	if (!r)
		r = posix_spawnp(&p->pid, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	for (int i = 0; i < 3; i++)
		spawn_close_end(&theirs[i]);
	if (!r)
		return 0;
	spawn_close(p);
	message(messages, "cannot start %s: %s", argv[0], strerror(r));
	if (r == ENOENT)
		message_hint(messages, "it is part of ClusterShell: apt-get install clustershell");
	return -1;
}

/* Waits in steps. False: it still runs. */
static bool ended_within(pid_t pid, int timeout_ms, int *status)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	pid_t ended = waitpid(pid, status, timeout_ms < 0 ? 0 : WNOHANG);

	for (; ended == 0 && timeout_ms > 0; timeout_ms -= STEP_MS) {
		nanosleep(&step, NULL);
		ended = waitpid(pid, status, WNOHANG);
	}
	return ended != 0;
}

int spawn_wait(struct spawned *p, int timeout_ms)
{
	int status = 0;

	if (!ended_within(p->pid, timeout_ms, &status)) {
		kill(-p->pid, SIGTERM);
		if (!ended_within(p->pid, KILL_MS, &status)) {
			kill(-p->pid, SIGKILL);
			waitpid(p->pid, &status, 0);
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
