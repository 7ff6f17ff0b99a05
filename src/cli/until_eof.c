/* SPDX-License-Identifier: GPL-2.0-or-later */
/* until_eof: see until_eof.h. A thread watches the standard input.
 * Invariant: of a pipe or a socket nothing is read, so that a script can come that way. */
#include "cli/until_eof.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Waits for the end of a pipe or a socket. */
static void wait_hangup(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLRDHUP };

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
}

/* Waits for the end of a file or a terminal: it can only be found by reading. */
static void wait_end(void)
{
	char buf[4096];
	ssize_t n;

	do
		n = read(STDIN_FILENO, buf, sizeof(buf));
	while (n > 0 || (n < 0 && errno == EINTR));
}

static void *watch(void *ctx)
{
	struct stat st;

	(void)ctx;
	if (!fstat(STDIN_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		wait_hangup();
	else
		wait_end();
	kill(getpid(), SIGTERM);
	return NULL;
}

/* The thread takes no signal: they are for those who wait for them. */
void until_eof(const struct messages *messages)
{
	sigset_t all, before;
	pthread_t thread;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, NULL, watch, NULL);
	if (!r)
		r = pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		message(messages, "cannot watch the standard input: %s", strerror(r));
}
