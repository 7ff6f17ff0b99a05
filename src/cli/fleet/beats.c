/* SPDX-License-Identifier: GPL-2.0-or-later */
/* beats: see beats.h. Input: scripts from us. Output: the same, then a NUL byte each second (cli/until_eof.h).
 * Invariants: a beat never stands within a script; our death ends the process, and with it the input of clush. */
#include "cli/fleet/beats.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#define BEAT_MS 1000

/* Writes all of it. False: clush is gone, or we are: nobody waits for a clush that reads nothing. */
static bool pass_on(int from, int to, const char *s, size_t n)
{
	while (n) {
		struct pollfd fds[] = { { .fd = to, .events = POLLOUT }, { .fd = from, .events = POLLRDHUP } };
		ssize_t wrote;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents & POLLERR || (!fds[0].revents && fds[1].revents & POLLHUP))
			return false;
		wrote = write(to, s, n);
		if (wrote < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		s += wrote > 0 ? wrote : 0;
		n -= wrote > 0 ? (size_t)wrote : 0;
	}
	return true;
}

static void relay(int from, int to)
{
	char buf[4096];
	bool in_text = false; /* a beat would be part of a script */

	for (;;) {
		struct pollfd p = { .fd = from, .events = POLLIN };
		int r = poll(&p, 1, BEAT_MS);
		ssize_t n = r > 0 ? read(from, buf, sizeof(buf)) : 0;

		if ((r > 0 && n <= 0) || (n > 0 && !pass_on(from, to, buf, (size_t)n)))
			return;
		if (n > 0)
			in_text = buf[n - 1] != '\0';
		if (!r && !in_text && !pass_on(from, to, "", 1))
			return;
	}
}

/* The process keeps two descriptors: whoever waits for the end of another one must not wait for it. */
static void run(int from, int to)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0); /* ^C and ^Z are ours */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	from = dup2(from, STDIN_FILENO);
	to = dup2(to, STDOUT_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	signal(SIGPIPE, SIG_IGN);
	fcntl(to, F_SETFL, O_NONBLOCK);
	relay(from, to);
	_exit(0);
}

int beats_start(int *fd, pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	*pid = fork();
	if (!*pid) {
		close(ends[1]);
		run(ends[0], *fd);
	}
	close(ends[0]);
	if (*pid < 0) {
		close(ends[1]);
		return -errno;
	}
	close(*fd);
	*fd = ends[1];
	return 0;
}

void beats_end(pid_t *pid)
{
	if (*pid <= 0)
		return;
	kill(*pid, SIGKILL);
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}
