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
	int *files;                             /* those of them that are plain files, for their positions; owned */
	size_t nfiles;
	uint64_t file_bytes; /* of all of these */
	bool by_host, all_hosts, alone;
	bool all_declared; /* dwire_member() declared the whole built-in library */
	bool required;     /* dwire_require() was called: a trace will follow */
	bool merging;      /* dwire_start() was called */
	uint64_t began;    /* ... at this time: CLOCK_MONOTONIC, ns; 0: it was not */
	int stop;          /* an eventfd: readable after dwire_stop() */

	dwire_message_fn *message; /* or NULL */
	void *message_ctx;
	dwire_progress_fn *progress; /* or NULL */
	void *progress_ctx;
	struct reporter report; /* calls message */
	struct dwire_handlers data;
	void *data_ctx;
	const char *made_of; /* what the texts were generated of; NULL: the texts themselves */
	size_t made_of_len;
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
/* How much of the plain files a merge has read: of other streams nobody knows the end. */
void dwire_merge_progress(const struct dwire *d);
void dwire_merge_close(struct dwire *d);
/* The process as programs see it, in_probe; p remembers the answer. */
int64_t dwire_seen_as(struct dwire *d, struct seen_pid *p, pid_t pid, bool in_probe);
#endif
