/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message: see message.h.
 * Input: a message of the command or of the library. Output: one line on stderr.
 * Invariant: a message is written by one write, so that it stays whole when other processes write to the same
 * terminal. */
#include "cli/message.h"

#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/signals.h"

#define PATIENCE_MS 100

struct messages messages_of(const char *argv0)
{
	size_t len = argv0 ? strlen(argv0) : 0;
	bool dtrace = len >= 6 && !strcmp(argv0 + len - 6, "dtrace");

	return (struct messages){ .program = dtrace ? "dtrace" : "dwire", .out = stderr };
}

void message(const struct messages *m, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	fprintf(m->out, "%s: %s\n", m->program, n < 0 ? "not enough memory" : text);
	if (n >= 0)
		free(text);
}

/* Waits for a terminal that ^S has stopped. Once a signal has come, the wait is short. False: the terminal does not
 * take output. */
static bool can_write(const struct messages *m)
{
	struct pollfd p = { .fd = fileno(m->out), .events = POLLOUT };
	bool came = false;

	while (m->signals && !came) {
		came = signals_came(m->signals);
		if (poll(&p, 1, PATIENCE_MS) != 0)
			return true;
	}
	return !came;
}

void message_show(void *ctx, const struct dwire_message *shown)
{
	const struct messages *m = ctx;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	dwire_print_message(shown, m->program, f ? f : m->out);
	if (f && fclose(f) == 0 && can_write(m))
		fwrite(text, 1, len, m->out);
	free(text);
}
