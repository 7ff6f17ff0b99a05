/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child: see child.h.
 * Input: a command line or a process id. Output: a process whose end can be polled for.
 * Invariant: a started process executes nothing before child_go(), and nothing at all if we die first: it waits for a
 * byte from a socket whose only other end is ours. child_ready() runs it to the start of its program and stops it
 * there. */
#include "process/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "process/child_stop.h"
#include "process/handlers.h"

#define GO_ASIDE 'e'

struct child {
	pid_t pid;
	int pidfd;
	char how; /* the byte that lets it run: GO_ASIDE, or another one */
	int go;   /* a socket: one byte lets it run, the errno of a failed exec comes back; -1: used, or grabbed */
	bool started, reaped;
	int status; /* of wait(2), once it is reaped */
	bool held;  /* at the start of its program */
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

/* 0 if the file can be executed, or -errno. */
static int check_program(const char *path)
{
	struct stat s;

	if (stat(path, &s) < 0)
		return -errno;
	if (!S_ISREG(s.st_mode))
		return -EACCES;
	return access(path, X_OK) < 0 ? -errno : 0;
}

/* Would execvp() find it? Only the exec itself is sure, but by then probes have fired; a mistyped command is reported
 * before anything happens. */
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

/* The child: waits for the byte, then executes the command. An error of the exec is sent back as its errno. */
static _Noreturn void run_child(char **argv, int go, const sigset_t *mask)
{
	char byte;
	int err;
	ssize_t n;

	handlers_forget();
	sigprocmask(SIG_SETMASK, mask, NULL);
	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127); /* the tracer died or gave up */
	if (byte == GO_ASIDE && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(127);
	execvp(argv[0], argv);
	err = errno;
	n = send(go, &err, sizeof(err), MSG_NOSIGNAL);
	_exit(n == (ssize_t)sizeof(err) ? 127 : 126);
}

/* c->pid runs the child when this returns 0. */
static int fork_child(struct child *c, char **argv)
{
	sigset_t all, mask;
	int pair[2], err = 0;

	/* Not a pipe: writing to a child that was killed must not cost us a SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	c->pid = fork();
	if (c->pid == 0) {
		close(pair[0]);
		run_child(argv, pair[1], &mask);
	}
	if (c->pid < 0)
		err = -errno;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	close(pair[1]);
	if (err) {
		close(pair[0]);
		return err;
	}
	c->started = true;
	c->go = pair[0];
	c->pidfd = pidfd_open(c->pid, 0);
	return c->pidfd < 0 ? -errno : 0;
}

static struct child *new_child(void)
{
	struct child *c = calloc(1, sizeof(*c));

	if (c)
		c->pidfd = c->go = -1;
	return c;
}

/* Reports why a command line cannot be split. Returns err. */
static int split_error(const char *command, int err, const struct reporter *to)
{
	return report_error(to, err, D_NONE, NULL, "cannot run \"%s\": %s", command,
		err == -EINVAL           ? "a quote is not closed"
			: err == -ENOENT ? "it is empty"
					 : strerror(-err));
}

/* 0, or -errno after a report. c may be half-built then: child_free() frees it. */
static int start(struct child *c, const char *command, const struct reporter *to)
{
	char **argv = split_command(command);
	int err;

	if (!argv)
		return split_error(command, -errno, to);
	c->name = strdup(argv[0]);
	err = c->name ? find_program(c->name) : -ENOMEM;
	if (err)
		report_error(to, err, D_NONE, NULL, "failed to execute %s: %s", argv[0], strerror(-err));
	if (!err) {
		err = fork_child(c, argv);
		if (err)
			report_error(to, err, D_NONE, NULL, "cannot start \"%s\": %s", command, strerror(-err));
	}
	free(argv);
	return err;
}

int child_start(const char *command, struct child **out, const struct reporter *to)
{
	struct child *c = new_child();
	int err;

	*out = NULL;
	if (!c)
		return report_no_memory(to, "start a process");
	err = start(c, command, to);
	if (err)
		child_free(c);
	else
		*out = c;
	return err;
}

/* The pidfd stays with the process even if its number is used again. */
int child_grab(pid_t pid, struct child **out, const struct reporter *to)
{
	struct child *c = new_child();
	int err;

	*out = NULL;
	if (!c)
		return report_no_memory(to, "watch a process");
	c->pid = pid;
	c->pidfd = pid > 0 ? pidfd_open(pid, 0) : -1;
	if (c->pidfd >= 0) {
		*out = c;
		return 0;
	}
	err = pid > 0 ? -errno : -ESRCH;
	child_free(c);
	/* EINVAL: the number is a thread, not a process. */
	return report_error(to, err, D_NONE, NULL, "failed to grab pid %d: %s", (int)pid,
		err == -EINVAL ? "it is a thread of another process; give that process" : strerror(-err));
}

void child_put_aside(struct child *c)
{
	c->how = GO_ASIDE;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

int child_fd(const struct child *c)
{
	return c->pidfd;
}

/* Lets the child execute its command. Returns after the exec. */
static int execute(struct child *c, const struct reporter *to)
{
	int err = 0, reason = 0;
	ssize_t n;

	/* A child that died meanwhile makes EPIPE here; the caller sees its end at child_fd(). */
	if (send(c->go, &c->how, 1, MSG_NOSIGNAL) != 1 && errno != EPIPE)
		err = -errno;
	if (!err) {
		do
			n = read(c->go, &reason, sizeof(reason));
		while (n < 0 && errno == EINTR);
		err = n == (ssize_t)sizeof(reason) ? -reason : 0;
	}
	close(c->go);
	c->go = -1;
	if (err)
		report_error(to, err, D_NONE, NULL, "failed to execute %s: %s", c->name, strerror(-err));
	return err;
}

int child_ready(struct child *c, enum evaltime at, const struct reporter *to)
{
	enum evaltime reached = EVAL_EXEC;
	bool ended = false;
	int err;

	if (c->go < 0 || at == EVAL_EXEC)
		return 0;
	err = child_hold(c->pid);
	if (err) { /* another debugger has it, or ptrace is forbidden here */
		report_note(to, "%s is traced from its exec on: cannot stop it later: %s", c->name, strerror(-err));
		return 0;
	}
	err = execute(c, to);
	if (err)
		return err;
	err = child_bring_to(c->pid, at, &reached, &ended);
	if (err)
		return report_error(to, err, D_NONE, NULL, "cannot bring %s to its start: %s", c->name, strerror(-err));
	if (ended)
		return report_error(to, -ESRCH, D_NONE, NULL, "%s has ended before its start", c->name);
	c->held = true;
	if (reached < at)
		report_note(to, "%s is traced from its entry on: its %s cannot be found", c->name,
			at == EVAL_PREINIT ? "dynamic linker's hook" : "main()");
	return 0;
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
	const char *sig;

	if (c->started && !c->reaped && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->reaped = true;
	sig = c->reaped && WIFSIGNALED(c->status) ? sigabbrev_np(WTERMSIG(c->status)) : NULL;
	if (sig)
		snprintf(buf, len, "pid %d terminated by SIG%s", (int)c->pid, sig);
	else if (c->reaped && WIFSIGNALED(c->status))
		snprintf(buf, len, "pid %d terminated by signal %d", (int)c->pid, WTERMSIG(c->status));
	else
		snprintf(buf, len, "pid %d has exited", (int)c->pid);
}

int child_status(const struct child *c)
{
	if (!c->reaped)
		return -1;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void child_free(struct child *c)
{
	if (!c)
		return;
	if (c->go >= 0)
		close(c->go); /* a child that still waits ends by itself */
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
