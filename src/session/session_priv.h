/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_priv: what the files of a session share. */
#ifndef DWIRE_SESSION_SESSION_PRIV_H
#define DWIRE_SESSION_SESSION_PRIV_H
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "session/session.h"

#define PEEKS 4 /* looks at the fill of the rings for each time they are emptied */

/* What an epoll event is about; a child's carries its number too. */
enum event { EV_SIGNAL, EV_TICK, EV_RING, EV_CHILD };

struct session {
	const struct image *image;
	struct session_options opts;
	struct zones *zones;
	struct counters *counters; /* NULL: not asked for yet */
	struct symtext *symtext;
	bool names; /* of addresses in processes are wanted */
	struct owner *owner;
	struct loaded *loaded;
	struct attached *attached;
	struct ticks *ticks;
	struct consumer *consumer;
	int epoll, signals;
	bool signals_taken;
	sigset_t old_mask;
	struct sigaction old_pipe;
	size_t live;                           /* children that have not ended */
	uint64_t empty_at, peek_at, report_at; /* CLOCK_MONOTONIC ns */
	unsigned owner_late;                   /* times that owner_poll() failed */
	uint64_t owner_drops;                  /* as last told */
	bool stop;
	bool output_gone; /* the reader of our output closed it */
};

uint64_t session_now(void);                            /* CLOCK_MONOTONIC ns */
uint64_t session_switchrate(const struct session *s);  /* ns: how often the rings are emptied */
uint64_t session_report_rate(const struct session *s); /* ns: how often losses are told */
/* Processes that addresses are printed of may end before these are. */
void session_note_names(struct session *s);
/* Prints what the rings hold, to the last record. 0 or -errno. */
int session_empty(struct session *s);
/* What a write error means: a reader that went away ends the session in order. */
int session_failed(struct session *s, int err);
#endif
