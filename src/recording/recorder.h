/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder: writes a stream of frames into the segments of a directory, within a budget of bytes. docs/RECORD.md. */
#ifndef DWIRE_RECORDING_RECORDER_H
#define DWIRE_RECORDING_RECORDER_H
#include <stdbool.h>

#include "base/diag/report.h"
#include "recording/ring.h"

#define RECORDER_LEAST (1u << 20) /* the least budget */

struct recorder;

/* 0 or an error, which is reported. to is borrowed. */
int recorder_open(struct recorder **out, const char *path, uint64_t budget, const struct reporter *to)
	__attribute__((warn_unused_result));
/* Before the first recorder_write(): only what is around a snapshot is written. 0 or -ENOMEM, which is reported. */
int recorder_ring(struct recorder *r, const struct ring_size *size) __attribute__((warn_unused_result));
/* Takes a part of the stream. What cannot be written is counted as lost, so this does not fail but for want of memory:
 * 0 or -ENOMEM. ctx: the recorder. */
int recorder_write(void *ctx, const char *text, size_t n);
/* True while the next beat is to carry the whole state of each aggregation, because a segment begins with it. */
const bool *recorder_whole(const struct recorder *r);
/* Writes what is left, seals the segment. Reports what was lost. 0, or -EIO if something was. NULL is fine. */
int recorder_close(struct recorder *r);
#endif
