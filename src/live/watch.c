/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch: see watch.h.
 * Input: a command line. Output: sheets, messages, an exit status.
 * Invariant: its command ends with it. A command that ends by itself leaves what it has shown. */
#include "live/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/command.h"
#include "stream/merge.h"

#define INTERVAL "--interval="
#define ERR_LINE_MAX 4096u

void watch_say(struct watch *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->message, sizeof(w->message), fmt, ap);
	va_end(ap);
}

/* Messages of the reader: drops, silent machines, lost frames. */
static void take_report(void *ctx, const struct diag *d)
{
	watch_say(ctx, "%s", d->message);
}

long watch_ms(const char *text)
{
	char *end;
	const double n = strtod(text, &end);

	if (end == text || *end || !(n >= 0 && n < 1e6))
		return -1;
	return (long)(n * 1000 + 0.5);
}

void watch_seconds(long ms, char *out, size_t size)
{
	const int n = snprintf(out, size, "%ld.%03ld", ms / 1000, ms % 1000);

	for (int i = n - 1; i > 0 && (out[i] == '0' || out[i] == '.'); i--) {
		const bool point = out[i] == '.';

		out[i] = '\0';
		if (point)
			break;
	}
}

/* ---- pause ------------------------------------------------------------------------------------------------------- */
void watch_pause(struct watch *w, bool paused)
{
	for (size_t i = 0; i < FEED_SHEETS; i++) {
		sheet_free(w->frozen[i]);
		w->frozen[i] = paused && i < w->feed.n ? sheet_by(w->feed.sheets[i], 0) : NULL;
	}
	w->paused = paused;
	if (!paused)
		w->taken = 0;
}

const struct sheet *watch_sheet(const struct watch *w)
{
	if (w->paused && w->frozen[w->sheet])
		return w->frozen[w->sheet];
	return w->sheet < w->feed.n ? w->feed.sheets[w->sheet] : NULL;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
static bool copy_args(struct watch *w, const char *const *argv)
{
	for (; *argv; argv++) {
		if (w->argc == WATCH_ARGS || !(w->argv[w->argc] = strdup(*argv)))
			return false;
		if (!strncmp(*argv, INTERVAL, strlen(INTERVAL)))
			w->interval = watch_ms(*argv + strlen(INTERVAL));
		w->argc++;
	}
	return true;
}

/* Starts the command and the reader of its stream. False after a message. */
static bool begin(struct watch *w)
{
	struct sink *sink = feed_sink_new(&w->feed);
	const struct merge_to to = { .out = stdout, .sink = sink, .report = &w->report };
	int err = -1;

	w->merge = sink ? merge_new(&to) : NULL;
	w->out = STDIN_FILENO;
	w->child = 0;
	w->ended = w->begun = false;
	if (!w->merge)
		watch_say(w, "%s", strerror(ENOMEM));
	if (w->merge && w->argc)
		w->child = command_start((const char *const *)w->argv,
			&(struct command_to){ .program = "dwire-live",
				.messages = stderr,
				.out = &w->out,
				.err = &err,
				.apart = true });
	if (!w->merge || w->child < 0 || (!w->argc && (w->out = dup(STDIN_FILENO)) < 0)) {
		w->child = 0;
		w->ended = true;
		w->out = -1;
		lines_open(&w->err, -1, ERR_LINE_MAX);
		return false;
	}
	if (err >= 0)
		(void)fcntl(err, F_SETFL, O_NONBLOCK);
	lines_open(&w->err, err, ERR_LINE_MAX);
	return !merge_add(w->merge, w->title, w->out);
}

struct watch *watch_open(const char *const *argv, const char *title)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->report = (struct reporter){ .fn = take_report, .ctx = w };
	snprintf(w->title, sizeof(w->title), "%s", title);
	if (!copy_args(w, argv) || !begin(w)) {
		watch_close(w);
		return NULL;
	}
	return w;
}

/* Ends what begin() started. */
static void finish(struct watch *w)
{
	watch_pause(w, false);
	for (size_t i = 0; i < FEED_SHEETS; i++)
		view_clear(&w->views[i]);
	w->is_fleet = false;
	merge_free(w->merge); /* closes the stream: a command that writes ends */
	w->merge = NULL;
	w->out = -1;
	if (w->child > 0)
		w->status = command_end(w->child);
	w->child = 0;
	if (w->err.fd >= 0)
		close(w->err.fd);
	lines_close(&w->err);
	w->err.fd = -1;
	feed_clear(&w->feed);
	w->sheet = 0;
}

int watch_close(struct watch *w)
{
	int status;

	if (!w)
		return 0;
	finish(w);
	status = w->status;
	for (size_t i = 0; i < w->argc; i++)
		free(w->argv[i]);
	free(w);
	return status;
}

bool watch_restart(struct watch *w, long interval)
{
	char text[48], seconds[32];

	if (w->interval <= 0)
		return false;
	watch_seconds(interval, seconds, sizeof(seconds));
	snprintf(text, sizeof(text), INTERVAL "%s", seconds);
	for (size_t i = 0; i < w->argc; i++)
		if (!strncmp(w->argv[i], INTERVAL, strlen(INTERVAL))) {
			char *copy = strdup(text);

			if (!copy)
				return false;
			free(w->argv[i]);
			w->argv[i] = copy;
		}
	finish(w);
	w->interval = interval;
	w->map = false;
	return begin(w);
}

/* A message that is printed, too, when the screen has closed. */
static void keep(struct watch *w, const char *s, size_t len)
{
	char *to = w->tail[w->ntail++ % TAIL_LINES];

	snprintf(to, LINE_CHARS, "%.*s", (int)(len < LINE_CHARS ? len : LINE_CHARS - 1), s);
	watch_say(w, "%s", to);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static void read_messages(struct watch *w)
{
	const char *line;
	size_t len;

	if (lines_read(&w->err))
		return;
	while ((line = lines_next(&w->err, &len)))
		keep(w, line, len);
	if (w->err.over) {
		close(w->err.fd);
		w->err.fd = -1;
	}
}

/* The stream is over: what the reader still has is shown, and how the command ended. */
static void stream_over(struct watch *w)
{
	char how[64] = "";

	(void)!merge_end(w->merge, &w->status);
	w->ended = true;
	w->out = -1;
	if (w->child > 0) {
		w->status = command_end(w->child);
		w->child = 0;
	}
	if (w->err.fd >= 0)
		read_messages(w);
	if (w->status > 128)
		snprintf(how, sizeof(how), "dwire-live: the trace was ended by signal %d", w->status - 128);
	else if (w->status && !w->ntail)
		snprintf(how, sizeof(how), "dwire-live: the trace ended with status %d", w->status);
	if (how[0])
		keep(w, how, strlen(how));
}

/* The reader shows a row when there is nothing more to read: so it is asked until then. */
void watch_read(struct watch *w)
{
	const uint64_t before = w->feed.changes;

	if (w->err.fd >= 0)
		read_messages(w);
	for (int i = 0; !w->ended && i < 8; i++) {
		int r = merge_poll(w->merge, 0);

		if (r < 0)
			watch_say(w, "%s", strerror(-r));
		if (r <= 0)
			stream_over(w);
	}
	w->is_fleet = merge_census(w->merge, &w->census);
	w->begun = w->begun || w->feed.changes != before;
}

bool watch_take(struct watch *w)
{
	if (w->paused || w->taken == w->feed.changes)
		return false;
	for (size_t i = 0; i < w->feed.n; i++)
		if (!view_take(&w->views[i], w->feed.sheets[i]))
			watch_say(w, "%s", strerror(ENOMEM));
	w->taken = w->feed.changes;
	return true;
}
