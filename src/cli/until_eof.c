/* SPDX-License-Identifier: GPL-2.0-or-later */
/* until_eof: see until_eof.h. A thread watches the standard input.
 * Invariant: scripts that come that way arrive whole. Without a limit nothing is read of a pipe or a socket; with one,
 * what is read is passed on. */
#include "cli/until_eof.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS_MAX 86400

/* An input with beats. */
struct beats {
	int from, to; /* the input as it was; the pipe that is now the standard input */
	int limit_ms;
	bool in_text; /* the last byte was of a text */
};

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

/* ---- beats ------------------------------------------------------------------------------------------------------- */
/* 1: there is something, or the end; 0: there was nothing for so long. */
static int wait_for(int fd, short events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int r;

	while ((r = poll(&p, 1, ms)) < 0 && errno == EINTR)
		;
	return r != 0;
}

/* Takes out NUL bytes that end no text. Returns how many bytes are left. */
static size_t drop_beats(struct beats *b, char *buf, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (buf[i] || b->in_text)
			buf[kept++] = buf[i];
		b->in_text = buf[i] != '\0';
	}
	return kept;
}

/* What nobody reads for so long was meant for nobody. */
static void pass_on(const struct beats *b, const char *buf, size_t n)
{
	while (n && wait_for(b->to, POLLOUT, b->limit_ms)) {
		ssize_t wrote = write(b->to, buf, n);

		if (wrote < 0 && errno != EAGAIN && errno != EINTR)
			return;
		buf += wrote > 0 ? wrote : 0;
		n -= wrote > 0 ? (size_t)wrote : 0;
	}
}

static void *watch_beats(void *ctx)
{
	struct beats *b = ctx;
	char buf[4096];

	while (wait_for(b->from, POLLIN, b->limit_ms)) {
		ssize_t n = read(b->from, buf, sizeof(buf));

		if (n > 0)
			pass_on(b, buf, drop_beats(b, buf, (size_t)n));
		else if (!n || (errno != EAGAIN && errno != EINTR))
			break;
	}
	close(b->to);
	free(b);
	kill(getpid(), SIGTERM);
	return NULL;
}

/* Puts a pipe in the place of the standard input. NULL: it cannot, by errno. */
static struct beats *beats_new(int seconds)
{
	struct beats *b = malloc(sizeof(*b));
	int ends[2] = { -1, -1 };

	if (!b)
		return NULL;
	*b = (struct beats){ .from = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), .limit_ms = seconds * 1000 };
	if (b->from < 0 || pipe2(ends, O_CLOEXEC) || dup2(ends[0], STDIN_FILENO) < 0 ||
		fcntl(ends[1], F_SETFL, O_NONBLOCK)) {
		free(b); /* the command ends, and its descriptors with it */
		return NULL;
	}
	close(ends[0]);
	b->to = ends[1];
	return b;
}

/* ---- the option -------------------------------------------------------------------------------------------------- */
/* -1: there is no limit; -2: it is not valid. */
static int limit_of(const char *s)
{
	char *end;
	long n;

	if (!*s)
		return -1;
	n = *s == '=' ? strtol(s + 1, &end, 10) : 0;
	return n > 0 && n <= SECONDS_MAX && !*end ? (int)n : -2;
}

/* The thread takes no signal: they are for those who wait for them. errno. */
static int start(void *(*run)(void *ctx), void *ctx)
{
	sigset_t all, before;
	pthread_t thread;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, NULL, run, ctx);
	if (!r)
		r = pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int until_eof(const char *word, const struct messages *messages)
{
	static const char name[] = "--until-eof";
	struct beats *b = NULL;
	int seconds, r = 0;

	if (strncmp(word, name, strlen(name)) != 0 || !strchr("=", word[strlen(name)]))
		return 1;
	seconds = limit_of(word + strlen(name));
	if (seconds == -2) {
		message(messages, "--until-eof takes seconds, from 1 to %d: --until-eof=15", SECONDS_MAX);
		return -1;
	}
	if (seconds > 0 && !(b = beats_new(seconds)))
		r = errno;
	if (!r)
		r = b ? start(watch_beats, b) : start(watch, NULL);
	if (r) {
		message(messages, "cannot watch the standard input: %s", strerror(r));
		return -1;
	}
	return 0;
}
