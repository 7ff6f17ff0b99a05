/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapwatch: what processes map to execute, as it happens. A program that runs for a moment is gone before its
 * /proc/PID/maps can be read; its addresses still get names. The source is the kernel's own record
 * (perf_event_open(2), PERF_RECORD_MMAP2), one ring a CPU. */
#ifndef DWIRE_SYMBOLS_MAPWATCH_H
#define DWIRE_SYMBOLS_MAPWATCH_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/features.h"

enum map_event_kind {
	MAP_ADDED, /* a file or the vdso was mapped to be executed */
	MAP_EXEC,  /* a new program: the old mappings are gone */
	MAP_FORK,  /* parent made pid, with a copy of its mappings */
	MAP_EXIT   /* the process has ended */
};

struct map_event {
	enum map_event_kind kind;
	pid_t pid, parent;
	uint64_t start, end, off, dev, inode;
	const char *path; /* valid until the call returns */
	uint64_t time;    /* ns, of the kernel's perf clock: only the order counts */
};

struct mapwatch;

/* 0; -EACCES, ...: the kernel does not permit it. */
int mapwatch_open(struct features *f, struct mapwatch **out) __attribute__((warn_unused_result));
void mapwatch_close(struct mapwatch *w); /* NULL is fine */
/* Calls each for all events since the last call, in the order of time. Events that found a full ring are lost. */
void mapwatch_read(struct mapwatch *w, void (*each)(void *ctx, const struct map_event *e), void *ctx);
#endif
