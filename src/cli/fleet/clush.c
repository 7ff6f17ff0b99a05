/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clush: see clush.h. Input: lines "NODE: text" and "clush: NODE: exited with exit code 1". Output: messages.
 * Invariant: a machine's messages are bounded, and shown under its name. */
#include "cli/fleet/clush.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINES_MAX 30 /* messages of a node that are shown */
#define LINE_BYTES_MAX 65536
#define FANOUT_WORDS 8

#define OWN "clush: "
#define TERMINATED "143" /* 128 + SIGTERM */
#define EXITED ": exited with exit code "

int clush_start(struct clush *c, const struct on_options *o, const char *const *last, int pipes)
{
	const char *argv[FANOUT_WORDS + PASSED_MAX + 16] = { "clush", "-S", "--color=never", "-w", o->nodes };
	char fanout[24];
	size_t n = 5;
	int r;

	/* A trace runs for long: by default all nodes at once, not 64. */
	snprintf(fanout, sizeof(fanout), "%zu", c->nodes->n);
	if (!o->fanout) {
		argv[n++] = "-f";
		argv[n++] = fanout;
	}
	for (size_t i = 0; o->passed[i]; i++)
		argv[n++] = o->passed[i];
	while (*last)
		argv[n++] = *last++;
	if (spawn(&c->p, argv, pipes, c->messages))
		return -1;
	r = pipes & SPAWN_IN ? beats_start(&c->p.in, &c->beats) : 0;
	if (r) {
		message(c->messages, "cannot send beats: %s", strerror(-r));
		spawn_wait(&c->p, 0);
		spawn_close(&c->p);
		return -1;
	}
	fcntl(c->p.err, F_SETFL, O_NONBLOCK);
	lines_open(&c->err, c->p.err, LINE_BYTES_MAX);
	return 0;
}

/* The node that is named before ": "; *rest: what follows. */
static struct node *split(const struct clush *c, const char *s, const char **rest)
{
	const char *end = strstr(s, ": ");

	*rest = end ? end + 2 : s;
	return end ? nodes_find(c->nodes, s, (size_t)(end - s)) : NULL;
}

/* Have we closed the input of all machines? One that was not ready then ends by SIGTERM, which is no message. */
static bool asked_to_end(const struct clush *c)
{
	return c->p.in < 0;
}

/* "NODE: exited with exit code 1". False: it says something else. */
static bool take_exit(struct clush *c, const char *s)
{
	const char *end = strstr(s, EXITED), *status = end ? end + strlen(EXITED) : NULL;
	struct node *n = end ? nodes_find(c->nodes, s, (size_t)(end - s)) : NULL;

	if (!n)
		return false;
	if (!n->failed && c->failed(c->ctx, n)) {
		if (!n->lines && !(asked_to_end(c) && !strcmp(status, TERMINATED)))
			message(c->messages, "%s: ended with status %s", n->name, status);
		n->failed = true;
	}
	return true;
}

/* A message of dwire there begins with its own name. */
static void take_text(struct clush *c, struct node *n, const char *text)
{
	static const char own[] = "dwire: ";

	if (n->failed || n->lines > LINES_MAX || (asked_to_end(c) && !strcmp(text, "Terminated")))
		return;
	if (n->lines++ == LINES_MAX)
		message(c->messages, "%s: more messages, which are not shown", n->name);
	else
		message(c->messages, "%s: %s", n->name, strncmp(text, own, strlen(own)) ? text : text + strlen(own));
}

static void take_line(struct clush *c, const char *s)
{
	const char *rest;
	struct node *n;

	if (!strncmp(s, OWN, strlen(OWN)) && take_exit(c, s + strlen(OWN)))
		return;
	n = split(c, s, &rest);
	if (n)
		take_text(c, n, rest);
	else if (*s)
		message(c->messages, "%s", s);
}

static void take_lines(struct clush *c)
{
	const char *line;
	size_t len;

	while ((line = lines_next(&c->err, &len))) {
		char *s = strndup(line, len);

		if (s)
			take_line(c, s);
		free(s);
	}
}

void clush_messages(struct clush *c, bool wait)
{
	struct pollfd p = { .fd = c->p.err, .events = POLLIN };

	while (!c->err.over && poll(&p, 1, wait ? -1 : 0) > 0) {
		if (lines_read(&c->err))
			return;
		take_lines(c);
	}
}

int clush_end(struct clush *c, int timeout_ms)
{
	int status;

	spawn_close_end(&c->p.in);
	status = spawn_wait(&c->p, timeout_ms);
	beats_end(&c->beats);
	clush_messages(c, false);
	lines_close(&c->err);
	spawn_close(&c->p);
	return status;
}
