/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command: see command.h. */
#include "export/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 65534u
#define GRACE_S 2 /* so long a command may take to end */

/* In the new process. */
static void run(const char *const *argv, int out, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it ended before that */
		_exit(1);
	dup2(out, STDOUT_FILENO);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	dprintf(STDERR_FILENO, "dwire-export: cannot start %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

pid_t command_start(const char *const *argv, int *fd, FILE *err)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		fprintf(err, "dwire-export: cannot make a pipe: %s\n", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid)
		run(argv, ends[1], parent);
	close(ends[1]);
	if (pid > 0) {
		*fd = ends[0];
		return pid;
	}
	fprintf(err, "dwire-export: cannot start %s: %s\n", argv[0], strerror(errno));
	close(ends[0]);
	return -1;
}

int command_end(pid_t pid)
{
	const struct timespec step = { .tv_nsec = 10000000 };
	int status = 0;
	pid_t ended = waitpid(pid, &status, WNOHANG);

	if (ended != pid)
		kill(pid, SIGTERM); /* one with other privileges ends when nobody reads its output */
	for (int i = 0; i < GRACE_S * 100 && ended != pid; i++) {
		nanosleep(&step, NULL);
		ended = waitpid(pid, &status, WNOHANG);
	}
	if (ended != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int privileges_drop(FILE *err)
{
	if (!geteuid() &&
		(setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))) {
		fprintf(err, "dwire-export: cannot give up root's privileges: %s\n", strerror(errno));
		return -1;
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return 0;
}
