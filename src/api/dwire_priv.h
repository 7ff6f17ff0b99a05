/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwire_priv: the handle, shared by the files that implement the face. */
#ifndef DWIRE_API_DWIRE_PRIV_H
#define DWIRE_API_DWIRE_PRIV_H
#include "api/dwire.h"
#include "base/diag/report.h"
#include "compile/compile.h"
#include "compile/kernel_env.h"
#include "process/child.h"
#include "recording/recorder.h"
#include "session/session.h"
#include "stream/merge.h"

#define MAX_CHILDREN 16

/* In a pid namespace: a process here, and its number in the first namespace; 0: not found. */
struct seen_pid {
	pid_t pid, outer;
};

struct dwire {
	struct arena *arena;
	struct options opts;
	struct features *features;
	struct compilation c;
	struct kernel_env *kernel; /* NULL: not read yet, or the kernel shows no types */
	struct child *children[MAX_CHILDREN];
	size_t nchildren;
	pid_t target;
	struct seen_pid seen_target, seen_self; /* once asked for */
	struct session *session;                /* from dwire_start() on */
	struct merge *merge;                    /* in place of a session: streams are read */
	bool by_host, all_hosts;
	bool all_declared; /* dwire_member() declared the whole built-in library */
	bool merging;      /* dwire_start() was called */
	int stop;          /* an eventfd: readable after dwire_stop() */

	dwire_message_fn *message; /* or NULL */
	void *message_ctx;
	struct reporter report; /* calls message */
	struct dwire_handlers data;
	void *data_ctx;
	FILE *out;                 /* borrowed; NULL: no text */
	struct recorder *recorder; /* of dwire_record(); out is its stream, which is owned then */
	struct ring_size ring;     /* of dwire_record_ring(); memory 0: none */
	struct sink *sink;         /* from dwire_start() on */
};

/* Hands the collected diagnostics out. */
void dwire_report_diags(struct dwire *d);
/* Sets d->report up. */
void dwire_make_reporter(struct dwire *d);
/* Reads the kernel, for a compilation or a list. 0 or -errno, not reported. */
int dwire_open_kernel(struct dwire *d) __attribute__((warn_unused_result));
/* Before parsing: the preprocessor, the user's libraries. 0, or -errno with a diagnostic. */
int dwire_prepare(struct dwire *d) __attribute__((warn_unused_result));
/* Seals the recording, if there is one. 0, or -EIO if a part of it could not be written. */
int dwire_record_end(struct dwire *d);
/* The process as programs see it, in_probe; p remembers the answer. */
int64_t dwire_seen_as(struct dwire *d, struct seen_pid *p, pid_t pid, bool in_probe);
#endif
