/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: the run of a compiled script.
 *
 *	session_new	takes an image and options
 *	session_arm	loads, attaches, fires BEGIN, lets the other clauses act and the children go
 *	session_work	waits for session_fd() and does what is due; again and again, until it returns 0
 *	session_end	detaches, fires END, hands out what remains
 *	session_free
 *
 * Errors are reported and returned as -errno. All that is in the kernel is held by descriptors of this process: nothing
 * stays there when the process dies, however it dies. The session takes no signals and writes only to its output. */
#ifndef DWIRE_SESSION_SESSION_H
#define DWIRE_SESSION_SESSION_H
#include "base/diag/report.h"
#include "image/image.h"
#include "kernel/features.h"
#include "options/options.h"
#include "process/child.h"
#include "record/sink.h"

struct kbtf;
struct owner_ahead;
struct session;

/* All borrowed, until session_free(). */
struct session_options {
	struct features *features; /* required */
	struct kbtf *btf;          /* the kernel's types; NULL: read where they are needed */
	struct owner_ahead *owner; /* the owner service, loaded ahead; NULL: it is not */
	struct options *options;   /* setopt() changes them while the session runs; required */
	const struct reporter *to; /* errors, warnings, notes */
	struct sink *sink;         /* what the trace yields; required */
	int stop;                  /* an eventfd: the session ends when it is readable */
	/* The session ends when the last of these has ended. Started ones run from session_arm() on. Free them after
	 * session_free(). */
	struct child *const *children;
	size_t nchildren;
	bool aside;         /* what they print goes to the standard error: the standard output has packets or frames */
	pid_t outer, inner; /* in a pid namespace: the first child's number in the first namespace, and here; else 0 */
};

/* NULL: no memory. */
struct session *session_new(const struct image *image, const struct session_options *opts);
/* 0 or -errno; after an error only session_free() may follow. */
int session_arm(struct session *s) __attribute__((warn_unused_result));
/* Readable when session_work() has something to do. Valid from session_arm() to session_free(). */
int session_fd(const struct session *s);
/* Waits for at most timeout_ms (-1: for ever) and does what is due. 1: go on; 0: the session is to end, because of
 * exit(), the stop descriptor, the end of the children, or a reader that closed the output; -errno. */
int session_work(struct session *s, int timeout_ms) __attribute__((warn_unused_result));
/* Also after session_work() failed. *status: exit()'s argument; SESSION_OVER if -x maxcpu ended it; or 0. Returns 0 or
 * -errno. */
#define SESSION_OVER 3
int session_end(struct session *s, int *status) __attribute__((warn_unused_result));
/* NULL is fine. */
void session_free(struct session *s);
#endif
