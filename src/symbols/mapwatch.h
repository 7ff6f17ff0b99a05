/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapwatch: follows the executable mappings of all processes. A short-lived program is gone before its /proc/PID/maps
 * can be read; its addresses still get names. Source: the kernel's PERF_RECORD_MMAP2 records (perf_event_open(2)), one
 * ring per CPU. */
#ifndef DWIRE_SYMBOLS_MAPWATCH_H
#define DWIRE_SYMBOLS_MAPWATCH_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/features.h"

enum map_event_kind {
	MAP_ADDED, /* a file or the vdso was mapped executable */
	MAP_EXEC,  /* a new program: the old mappings are gone */
	MAP_FORK,  /* parent forked pid, which gets a copy of its mappings */
	MAP_EXIT   /* the process has exited */
};

struct map_event {
	enum map_event_kind kind;
	pid_t pid, parent;
	uint64_t start, end, off, dev, inode;
	const char *path; /* valid until the call returns */
	uint64_t time;    /* ns, of the kernel's perf clock: only the order counts */
};

struct mapwatch;

/* 0; -EACCES, ...: not permitted. */
int mapwatch_open(struct features *f, struct mapwatch **out) __attribute__((warn_unused_result));
void mapwatch_close(struct mapwatch *w); /* NULL is fine */
/* Calls each for every event since the last call, in order of time. Events are lost while a ring is full. */
void mapwatch_read(struct mapwatch *w, void (*each)(void *ctx, const struct map_event *e), void *ctx);
#endif
