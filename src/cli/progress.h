/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress: one line on the terminal that says what a long operation waits for. It appears after half a second without
 * output, and goes before anything else is written. Where stderr is no terminal there is none. */
#ifndef DWIRE_CLI_PROGRESS_H
#define DWIRE_CLI_PROGRESS_H
#include <stdint.h>

struct progress;

/* How far another process is: in memory that is shared with it. */
struct progress_shared {
	uint64_t done, total;
};

/* NULL: stderr is no terminal that can move its cursor, or there is no memory; all functions take that. */
struct progress *progress_new(void);
/* Removes the line. */
void progress_free(struct progress *p);
/* A dwire_progress_fn; ctx is a struct progress. what: "loading programs"; NULL: that is over, or output follows.
 * total: shown in percent; 0: unknown, and done is shown unless it is 0, too. */
void progress_show(void *ctx, const char *what, uint64_t done, uint64_t total);
/* The same, followed from here on; what and shared: borrowed until progress_free() or another what. */
void progress_follow(struct progress *p, const char *what, const struct progress_shared *shared);
/* Other output is about to be written. What is waited for stays; the line comes back half a second after it. */
void progress_hide(struct progress *p);
#endif
