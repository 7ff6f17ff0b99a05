/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: one tracing session, from a compiled script to its last line of output.
 *
 *	session_new     takes an image and options
 *	session_arm     owner service, maps, programs, BEGIN, attachments; nothing is left if it fails
 *	session_loop    until exit(), a signal, the end of the traced processes or of the output
 *	session_end     detaches, fires END, prints what remains
 *	session_status  what the process should exit with
 *	session_free
 *
 * Everything in the kernel is held by descriptors of this process: however it dies, nothing stays. */
#ifndef DWIRE_SESSION_SESSION_H
#define DWIRE_SESSION_SESSION_H
#include <stdio.h>

#include "image/image.h"
#include "kernel/features.h"
#include "load/load.h"
#include "options/options.h"
#include "process/child.h"

struct session;

/* All borrowed, as long as the session lives. */
struct session_options {
	struct features *features; /* required */
	FILE *out;                 /* the script's output; required */
	FILE *err;                 /* drops, faults; required */
	/* Errors that the functions below return, warnings, notices; required. */
	const struct reporter *to;
	struct options *options; /* setopt() changes them while the session runs; required */
	/* The session ends when the last of these has ended. Started ones run from session_arm() on. Freeing them,
	 * after session_free(), terminates those that still run. */
	struct child *const *children;
	size_t nchildren;
	pid_t outer, inner; /* in a pid namespace: the first of them as programs see it, and as we do; 0: the same */
};

/* NULL: no memory. */
struct session *session_new(const struct image *image, const struct session_options *opts);

/* 0 or -errno, which is reported. From here to session_free() the session takes the signals INT, TERM
 * and HUP of the process (blocked, and read from a descriptor), and PIPE is ignored. */
int session_arm(struct session *s) __attribute__((warn_unused_result));
/* 0 or -errno, which is reported. */
int session_loop(struct session *s) __attribute__((warn_unused_result));
/* Also after a loop that failed. 0 or -errno, which is reported. A reader that closed our output is no error. */
int session_end(struct session *s) __attribute__((warn_unused_result));
/* exit()'s argument; 0 when the session ended in another way. */
int session_status(const struct session *s);
/* NULL is fine. Gives the signals back. */
void session_free(struct session *s);
#endif
