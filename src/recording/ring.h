/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring: holds the latest frames of a stream in memory. A snapshot frame is a trigger: the frames of the time before it,
 * and those of the time after it, are handed on as a session of their own. docs/RECORD.md. */
#ifndef DWIRE_RECORDING_RING_H
#define DWIRE_RECORDING_RING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag/report.h"

#define RING_LEAST (1u << 20) /* the least memory */

struct ring_size {
	uint64_t before, after; /* the trigger, ns */
	uint64_t memory;        /* bytes that frames take at most */
};

/* Where frames go. */
struct ring_to {
	bool (*take)(void *ctx, const char *line, size_t n); /* false: no memory */
	void (*begun)(void *ctx);                            /* what came before the trigger is handed on */
	void (*over)(void *ctx);                             /* a session has ended; another may begin */
	void *ctx;
	const struct reporter *report; /* borrowed */
};

struct ring;

/* Both are copied. NULL: no memory. */
struct ring *ring_new(const struct ring_size *size, const struct ring_to *to);
/* A line of the stream, with its line feed; one that is no frame is passed over. False: no memory. */
bool ring_take(struct ring *r, const char *line, size_t n);
/* NULL is fine. */
void ring_free(struct ring *r);
#endif
