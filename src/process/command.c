/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command: see command.h. */
#include "process/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/handlers.h"

#define GRACE_S 2 /* so long a command may take to end */

/* In the new process. */
static void run(const char *const *argv, const struct command_to *to, int out, int err, pid_t parent)
{
	int none_in = to->apart ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	sigset_t none;

	/* A screen's handlers give its terminal back, and the caller goes on to draw on it. */
	handlers_forget();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it ended before that */
		_exit(1);
	if (to->apart)
		setpgid(0, 0);
	if (none_in >= 0)
		dup2(none_in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	dprintf(STDERR_FILENO, "%s: cannot start %s: %s\n", to->program, argv[0], strerror(errno));
	_exit(127);
}

static void close_both(const int *ends)
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

pid_t command_start(const char *const *argv, const struct command_to *to)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	pid_t parent = getpid(), pid;

	if (pipe2(out, O_CLOEXEC) || (to->err && pipe2(err, O_CLOEXEC))) {
		fprintf(to->messages, "%s: cannot make a pipe: %s\n", to->program, strerror(errno));
		close_both(out);
		return -1;
	}
	pid = fork();
	if (!pid)
		run(argv, to, out[1], err[1], parent);
	if (pid < 0) {
		fprintf(to->messages, "%s: cannot start %s: %s\n", to->program, argv[0], strerror(errno));
		close_both(out);
		close_both(err);
		return -1;
	}
	close(out[1]);
	*to->out = out[0];
	if (to->err) {
		close(err[1]);
		*to->err = err[0];
	}
	return pid;
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
	if (ended != pid && !kill(pid, SIGKILL))
		ended = waitpid(pid, &status, 0);
	if (ended != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
