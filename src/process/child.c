/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child: -c and -p.
 * Input: a command line or a process id. Output: a process whose end can be polled for. Invariant: a started process
 * executes nothing before child_go(), and nothing at all when we die before it: it waits for a byte from a pipe whose
 * only writer we are. child_ready() brings it further, to the beginning of its program, and holds it there. */
#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/report.h"
#include "process/child_stop.h"

struct child {
	pid_t pid;
	int pidfd;
	int go;     /* write end: one byte lets it run; -1 when used or grabbed */
	int failed; /* read end: errno of a failed exec; end of file when it went well */
	bool started, reaped;
	bool held;  /* at its program's beginning */
	char *name; /* the program, for messages */
};

/* ---- splitting the command line ---------------------------------------------------------------------------------- */

/* One word from *s to the buffer at *to, without its quotes. false: a quote is not closed. */
static bool take_word(const char **s, char **to)
{
	const char *p = *s;
	char *o = *to, quote = 0;

	for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
		if (quote && *p == quote)
			quote = 0;
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (*p == '\\' && quote != '\'' && p[1])
			*o++ = *++p;
		else
			*o++ = *p;
	}
	*o++ = 0;
	*to = o;
	*s = p;
	return !quote;
}

/* The words, NULL-terminated, in one allocation; NULL with errno. */
static char **split_command(const char *s)
{
	size_t len = strlen(s), n = 0;
	/* At most one word for every other character, and never more text than there was. */
	char **argv = calloc(1, (len / 2 + 2) * sizeof(*argv) + len + 1), *text;

	if (!argv)
		return NULL;
	text = (char *)(argv + len / 2 + 2);
	for (;;) {
		s += strspn(s, " \t\n");
		if (!*s)
			break;
		argv[n++] = text;
		if (!take_word(&s, &text)) {
			free(argv);
			errno = EINVAL;
			return NULL;
		}
	}
	if (!n) {
		free(argv);
		errno = ENOENT;
		return NULL;
	}
	return argv;
}

/* ---- finding the program ----------------------------------------------------------------------------------------- */

static int check_program(const char *path)
{
	struct stat s;

	if (stat(path, &s) < 0)
		return -errno;
	if (!S_ISREG(s.st_mode))
		return -EACCES;
	return access(path, X_OK) < 0 ? -errno : 0;
}

/* Whether execvp() will find it. Only the exec itself is sure; but it comes when probes have fired already, and a
 * mistyped command shall be told before anything happens. */
static int find_program(const char *name)
{
	const char *dirs = getenv("PATH");
	int err = -ENOENT;

	if (strchr(name, '/'))
		return check_program(name);
	for (const char *p = dirs ? dirs : "/bin:/usr/bin"; err; p++) {
		size_t n = strcspn(p, ":");
		char *path = NULL;
		int r;

		if (asprintf(&path, "%.*s%s%s", (int)n, p, n ? "/" : "", name) < 0)
			return -ENOMEM;
		r = check_program(path);
		free(path);
		if (r != -ENOENT && r != -ENOTDIR)
			err = r;
		p += n;
		if (!*p)
			break;
	}
	return err;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static _Noreturn void run_child(char **argv, int go, int failed)
{
	char byte;
	int err;
	ssize_t n;

	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127); /* the tracer died or gave up */
	execvp(argv[0], argv);
	err = errno;
	n = write(failed, &err, sizeof(err));
	_exit(n == (ssize_t)sizeof(err) ? 127 : 126);
}

static void close_pair(int p[2])
{
	for (int i = 0; i < 2; i++)
		if (p[i] >= 0)
			close(p[i]);
}

/* c->pid runs the child when this returns 0. */
static int fork_child(struct child *c, char **argv)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 }, err;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0) {
		err = -errno;
		goto out;
	}
	c->pid = fork();
	if (c->pid < 0) {
		err = -errno;
		goto out;
	}
	if (c->pid == 0) {
		close(go[1]);
		close(failed[0]);
		run_child(argv, go[0], failed[1]);
	}
	c->started = true;
	c->go = go[1];
	c->failed = failed[0];
	go[1] = failed[0] = -1;
	c->pidfd = pidfd_open(c->pid, 0);
	err = c->pidfd < 0 ? -errno : 0;
out:
	close_pair(go);
	close_pair(failed);
	return err;
}

static struct child *new_child(void)
{
	struct child *c = calloc(1, sizeof(*c));

	if (c)
		c->pidfd = c->go = c->failed = -1;
	return c;
}

int child_start(const char *command, struct child **out, const struct reporter *to)
{
	struct child *c = new_child();
	char **argv = NULL;
	int err;

	*out = NULL;
	if (!c)
		return report_no_memory(to, "run a command");
	argv = split_command(command);
	if (!argv) {
		err = -errno;
		report_error(to, err, D_NONE, NULL, "cannot run \"%s\": %s", command,
			err == -EINVAL           ? "a quote is not closed"
				: err == -ENOENT ? "it is empty"
						 : strerror(-err));
		goto out;
	}
	c->name = strdup(argv[0]);
	err = c->name ? find_program(c->name) : -ENOMEM;
	if (err) {
		report_error(to, err, D_NONE, NULL, "failed to execute %s: %s", argv[0], strerror(-err));
		goto out;
	}
	err = fork_child(c, argv);
	if (err)
		report_error(to, err, D_NONE, NULL, "cannot start \"%s\": %s", command, strerror(-err));
out:
	free(argv);
	if (err)
		child_free(c);
	else
		*out = c;
	return err;
}

int child_grab(pid_t pid, struct child **out, const struct reporter *to)
{
	struct child *c = new_child();
	int err = 0;

	*out = NULL;
	if (!c)
		return report_no_memory(to, "trace a process");
	c->pid = pid;
	c->pidfd = pid > 0 ? pidfd_open(pid, 0) : -1;
	if (c->pidfd < 0) {
		err = pid > 0 ? -errno : -ESRCH;
		/* EINVAL: the number is a thread, not a process. */
		report_error(to, err, D_NONE, NULL, "failed to grab pid %d: %s", (int)pid,
			err == -EINVAL ? "it is a thread of another process; give that process" : strerror(-err));
		child_free(c);
		return err;
	}
	*out = c;
	return 0;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

int child_fd(const struct child *c)
{
	return c->pidfd;
}

/* Lets it execute its command; returns when it has. */
static int execute(struct child *c, const struct reporter *to)
{
	int err = 0;
	ssize_t n;

	/* A child that died meanwhile makes EPIPE here; the caller sees its end at child_fd(). */
	if (write(c->go, "g", 1) != 1 && errno != EPIPE)
		err = -errno;
	close(c->go);
	c->go = -1;
	if (!err) {
		do
			n = read(c->failed, &err, sizeof(err));
		while (n < 0 && errno == EINTR);
		err = n == (ssize_t)sizeof(err) ? -err : 0;
	}
	close(c->failed);
	c->failed = -1;
	if (err)
		report_error(to, err, D_NONE, NULL, "failed to execute %s: %s", c->name, strerror(-err));
	return err;
}

int child_ready(struct child *c, const struct reporter *to)
{
	bool ended = false;
	int err;

	if (c->go < 0)
		return 0;
	err = child_hold(c->pid);
	if (err) {
		report_error(to, err, D_NONE, NULL, "cannot hold %s at its start: %s", c->name, strerror(-err));
		return err;
	}
	err = execute(c, to);
	if (err)
		return err;
	err = child_to_entry(c->pid, &ended);
	c->held = !err && !ended;
	if (err)
		report_error(to, err, D_NONE, NULL, "cannot bring %s to its start: %s", c->name, strerror(-err));
	else if (ended) {
		err = report_error(to, -ESRCH, D_NONE, NULL, "%s has ended before its start", c->name);
	}
	return err;
}

int child_go(struct child *c, const struct reporter *to)
{
	if (c->held)
		child_release(c->pid);
	c->held = false;
	return c->go < 0 ? 0 : execute(c, to);
}

void child_describe_end(struct child *c, char *buf, size_t len)
{
	int status = 0;
	const char *sig;

	if (c->started && !c->reaped && waitpid(c->pid, &status, WNOHANG) == c->pid)
		c->reaped = true;
	sig = c->reaped && WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;
	if (sig)
		snprintf(buf, len, "pid %d terminated by SIG%s", (int)c->pid, sig);
	else if (c->reaped && WIFSIGNALED(status))
		snprintf(buf, len, "pid %d terminated by signal %d", (int)c->pid, WTERMSIG(status));
	else
		snprintf(buf, len, "pid %d has exited", (int)c->pid);
}

void child_free(struct child *c)
{
	if (!c)
		return;
	if (c->go >= 0)
		close(c->go); /* one that still waits ends by itself */
	if (c->failed >= 0)
		close(c->failed);
	if (c->started && !c->reaped && waitpid(c->pid, NULL, WNOHANG) == 0) {
		struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

		kill(c->pid, c->held ? SIGKILL : SIGTERM);
		/* Mostly it ends at once; one that ignores SIGTERM is left to init. */
		if (c->pidfd >= 0 && poll(&p, 1, 100) == 1)
			waitpid(c->pid, NULL, WNOHANG);
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	free(c->name);
	free(c);
}
