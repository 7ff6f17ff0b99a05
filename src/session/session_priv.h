/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_priv: what the files of a session share. */
#ifndef DWIRE_SESSION_SESSION_PRIV_H
#define DWIRE_SESSION_SESSION_PRIV_H
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "consume/ring.h"
#include "session/session.h"

#define PEEKS 4       /* looks at the fill of the rings for each time they are emptied */
#define PEEKS_MOST 20 /* while one of them fills up: at 10 hz each 5 ms, which records are held back anyway */
#define PEEK_EMPTY 25 /* percent of a ring; from there on the rings are emptied before it is time */

/* What an epoll event is about; a child's carries its index too. */
enum event { EV_STOP, EV_TIMER, EV_TICK, EV_RING, EV_CHILD, EV_BOX };

struct session {
	const struct image *image;
	struct session_options opts;

	/* made by session_arm(), in this order */
	struct zones *zones;
	struct symtext *symtext;
	struct owner *owner;
	struct loaded *loaded;
	struct consumer *consumer;
	struct ring bell; /* of MAP_BELL; not open if there is none */
	int epoll, timer;
	struct attached *attached;
	struct ticks *ticks;
	struct meter *meter;       /* NULL: not wanted */
	struct counters *counters; /* NULL: not asked for yet */
	struct containers *boxes;  /* NULL: not asked for yet */
	struct readings *readings; /* NULL: the script has none */

	cpu_set_t cpus; /* of the calling thread before -x cpu moved it; if moved */
	bool moved;
	bool names;                            /* addresses in processes are printed */
	size_t live;                           /* children that have not ended */
	uint64_t empty_at, peek_at, report_at; /* CLOCK_MONOTONIC ns */
	uint64_t emptied_at;                   /* when the rings were emptied */
	uint64_t walk_at;                      /* the same: when the next walk begins; UINT64_MAX: there is none */
	int (*walk)(struct session *s);        /* then; 0, or -errno after a report */
	int (*last_walk)(struct session *s);   /* before END, likewise; NULL: there was no first one */
	unsigned owner_late;                   /* times that owner_poll() failed */
	uint64_t owner_drops;                  /* as last reported */
	bool stop;                             /* the session is to end */
	bool over;                             /* ... because it took more than -x maxcpu */
	int walk_err;                          /* of consuming what a walk recorded */
	bool output_gone;                      /* writing has failed: nothing more is written */
};

uint64_t session_switchrate(const struct session *s);  /* ns: how often the rings are emptied */
uint64_t session_report_rate(const struct session *s); /* ns: how often drops are reported */
/* From here on one firing in `rate` runs. 0, or -errno after a report. */
int session_set_rate(struct session *s, uint64_t rate);
/* Sets the timer for the next thing to do. 0, or -errno after a report. */
int session_wake(struct session *s);
/* Notes the processes whose addresses are printed later, because they may end before that. */
void session_note_names(struct session *s);
/* Consumes what the rings hold up to the time ts. None of that is still being written. 0, or -errno after a report. */
int session_empty_to(struct session *s, uint64_t ts);
/* Handles an error of the output. A reader that went away (-EPIPE) ends the session in order: 0. Else it is reported
 * and returned. */
int session_output_failed(struct session *s, int err);
#endif
