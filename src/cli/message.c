/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message: see message.h.
 * Input: a message of the command, a tool or the library. Output: lines on stderr.
 * Invariant: control characters of names and values reach no terminal (base/escape.h). A message is written by one
 * write, so that it stays whole when other processes write to the same terminal. */
#include "cli/message.h"

#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/progress.h"
#include "cli/signals.h"

#define PATIENCE_MS 100        /* that a stopped terminal gets after a signal */
#define MESSAGE_PROGRAM_MAX 32 /* characters of the program's name that messages show */

struct messages messages_of(const char *argv0)
{
	size_t len = argv0 ? strlen(argv0) : 0;
	bool dtrace = len >= 6 && !strcmp(argv0 + len - 6, "dtrace");

	return (struct messages){ .program = dtrace ? "dtrace" : "dwire", .out = stderr };
}

/* Writes one line: before, then the text, both escaped. Messages hold words of the command line and of files, so a line
 * feed in one is escaped too: it cannot forge a second message. */
__attribute__((format(printf, 3, 0))) static void show_line(
	const struct messages *m, const char *before, const char *fmt, va_list ap)
{
	char *text = NULL, *line = NULL;
	size_t len = 0;
	int n = vasprintf(&text, fmt, ap);
	FILE *f = n < 0 ? NULL : open_memstream(&line, &len);

	if (f) {
		escape_print(f, before, strlen(before), ESCAPE_ALL);
		escape_print(f, text, (size_t)n, ESCAPE_ALL);
		fputc('\n', f);
	}
	progress_hide(m->progress);
	if (f && fclose(f) == 0)
		fwrite(line, 1, len, m->out);
	else
		fputs("dwire: not enough memory\n", m->out);
	free(line);
	if (n >= 0)
		free(text);
}

void message(const struct messages *m, const char *fmt, ...)
{
	char before[MESSAGE_PROGRAM_MAX + 3];
	va_list ap;

	snprintf(before, sizeof(before), "%.*s: ", MESSAGE_PROGRAM_MAX, m->program);
	va_start(ap, fmt);
	show_line(m, before, fmt, ap);
	va_end(ap);
}

void message_hint(const struct messages *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	show_line(m, "    hint: ", fmt, ap);
	va_end(ap);
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
	progress_hide(m->progress);
	if (f && fclose(f) == 0 && can_write(m))
		fwrite(text, 1, len, m->out);
	free(text);
}
