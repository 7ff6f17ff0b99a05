/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: how errors, warnings and notes leave a function. They are passed as data (struct diag) to a reporter; only
 * the command turns them into text (base/diag/diag_text.h).
 *
 *	int open_it(const char *path, const struct reporter *to)
 *	{
 *		...
 *			return report_error(to, -errno, D_NONE, NULL, "cannot open %s: %s", path, strerror(errno));
 *	}
 *
 * A message names the operation, the object, the reason and, after a semicolon or as the hint, the next step. It is one
 * sentence without "dwire:" in front and without a line feed behind. A function that takes a reporter reports each
 * error that it returns, exactly once; its callers pass the error on. */
#ifndef DWIRE_BASE_DIAG_REPORT_H
#define DWIRE_BASE_DIAG_REPORT_H
#include <stdint.h>

#include "base/diag/diag.h"

/* Where diagnostics go. A NULL pointer to it discards them. */
struct reporter {
	/* d and its texts are valid during the call. It must not report to the same reporter. */
	void (*fn)(void *ctx, const struct diag *d);
	void *ctx;
	/* What a long operation waits for, as report_progress() says; NULL: nobody wants to know. */
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t total);
};

/* Passes a finished diagnostic on. */
void report(const struct reporter *to, const struct diag *d);
/* Reports an error and returns err (-errno), for use in a return statement. Works without memory: a long message is
 * then cut. tag: D_NONE unless it is about a D program; hint: the next step, or NULL. */
int report_error(const struct reporter *to, int err, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* The trace goes on, with less than was asked for. */
void report_warning(const struct reporter *to, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A fact that the user should know: drops, the end of a traced process. */
void report_note(const struct reporter *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What is being done from here on, such as "loading programs", and how far it is: done of total; total 0: it is
 * unknown, and done only counts. what NULL: that is over, or output is about to be written.
 * Cheap: loops may call it for each of thousands. */
void report_progress(const struct reporter *to, const char *what, uint64_t done, uint64_t total);
/* "not enough memory to WHAT", such as "read the kernel's types". Returns -ENOMEM. */
int report_no_memory(const struct reporter *to, const char *what);

#define REPORT_KEPT 512u /* bytes of a message that is kept; the rest is cut */

/* A reporter that keeps the last error, for a caller that adds the operation that failed:
 *
 *	struct report_kept kept;
 *
 *	report_keep(&kept);
 *	err = link_it(fd, &kept.reporter);
 *	if (err)
 *		return report_error(to, err, D_NONE, NULL, "cannot attach %s: %s", name, kept.message);
 *
 * It discards warnings and notes. */
struct report_kept {
	struct reporter reporter;
	int err;                   /* -errno; 0: nothing was reported */
	char message[REPORT_KEPT]; /* "" likewise */
};

void report_keep(struct report_kept *k);
#endif
