/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapwatch: which programs and libraries processes map, as it happens, so that what ran for a moment only can be told
 * by name afterwards. The kernel's own record of that (perf_event_open(2), PERF_RECORD_MMAP2); needs no BPF. */
#ifndef DWIRE_SYMBOLS_MAPWATCH_H
#define DWIRE_SYMBOLS_MAPWATCH_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/features.h"

enum map_event_kind {
	MAP_ADDED, /* a file or the vdso, to be executed */
	MAP_EXEC,  /* a new program: nothing of the old one is left */
	MAP_FORK,  /* pid has been made by parent, with its maps */
	MAP_EXIT   /* the process has ended */
};

struct map_event {
	enum map_event_kind kind;
	pid_t pid, parent;
	uint64_t start, end, off, dev, inode;
	const char *path; /* until the call returns */
	uint64_t time;
};

struct mapwatch;

/* 0, or -errno: the kernel does not let us. */
int mapwatch_open(struct features *f, struct mapwatch **out) __attribute__((warn_unused_result));
void mapwatch_close(struct mapwatch *w); /* NULL is fine */
/* Calls each for all that has happened since the last time, in the order of time. What did not fit is not told. */
void mapwatch_read(struct mapwatch *w, void (*each)(void *ctx, const struct map_event *e), void *ctx);
#endif
