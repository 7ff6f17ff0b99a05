/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch: a trace that is watched: the command that runs it, the reader of its stream, and the sheets that it fills.
 * Watches form a stack: a tool that is opened for a connection lies on top of the one that it was opened from. */
#ifndef DWIRE_LIVE_WATCH_H
#define DWIRE_LIVE_WATCH_H
#include <stdbool.h>
#include <sys/types.h>

#include "base/diag/report.h"
#include "base/lines.h"
#include "live/feed.h"
#include "live/view.h"
#include "stream/census.h"

#define WATCH_ARGS 128u
#define TAIL_LINES 16u
#define LINE_CHARS 256u

struct merge;

struct watch {
	struct watch *below;
	char title[64];
	char *argv[WATCH_ARGS + 1]; /* owned; none: the stream is our standard input */
	size_t argc;
	long interval;    /* of --interval=N in argv, in ms; 0: it has none */
	pid_t child;      /* 0: there is none */
	int out;          /* its stream; the reader owns it; -1: over */
	struct lines err; /* its messages; fd -1: there are none */
	struct merge *merge;
	struct census census; /* the machines of a fleet; names are borrowed from merge */
	bool is_fleet;
	struct reporter report;
	struct feed feed;
	struct view views[FEED_SHEETS];
	size_t sheet;                      /* the one that is shown */
	bool paused;                       /* the views stay as they are */
	struct sheet *frozen[FEED_SHEETS]; /* the sheets as they were then; owned */
	bool map;                          /* the heat map is shown */
	uint64_t taken;                    /* feed.changes that the views have */
	bool ended;                        /* the stream is over */
	bool begun;                        /* something of it arrived */
	int status;                        /* when it has ended */
	char message[LINE_CHARS];          /* the last one; "": none */
	char tail[TAIL_LINES][LINE_CHARS]; /* the last messages of the child */
	size_t ntail;                      /* that there ever were */
};

/* argv: borrowed. Of none the standard input is read. NULL after a message: it cannot be started. */
struct watch *watch_open(const char *const *argv, const char *title);
/* Ends its command and frees it. Returns its exit status. */
int watch_close(struct watch *w);
/* Ends its command and starts it with another interval, in ms. What was shown is gone. False after a message. */
bool watch_restart(struct watch *w, long interval);
/* Seconds as a user types them, "2" or "0.5", in ms; -1: they are none. */
long watch_ms(const char *text);
/* Writes an interval of so many ms as seconds: "0.5". */
void watch_seconds(long ms, char *out, size_t size);
/* Reads what has arrived. */
void watch_read(struct watch *w);
/* Hands the sheets on to the views, unless they are paused. Returns whether something changed. */
bool watch_take(struct watch *w);
/* Freezes what is shown, or goes on. */
void watch_pause(struct watch *w, bool paused);
/* The sheet that is shown, as it is or as it was frozen; NULL: there is none yet. */
const struct sheet *watch_sheet(const struct watch *w);
/* Sets the message that is shown. */
void watch_say(struct watch *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The view that is shown; its member shown is NULL before the first row. */
static inline struct view *watch_view(struct watch *w)
{
	return &w->views[w->sheet];
}
#endif
