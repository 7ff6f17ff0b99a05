/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording: reads what recorders wrote into a directory: sessions, each a stream of frames.
 * Anybody may have written the files: memory stays below 64 MB, and each byte is read a bounded number of times. */
#ifndef DWIRE_RECORDING_RECORDING_H
#define DWIRE_RECORDING_RECORDING_H
#include <stdbool.h>
#include <stdio.h>

#include "base/diag/report.h"

struct recording;

/* Rows outside are left out. ns since 1970, both ends included. */
struct window {
	uint64_t from, to;
};

/* 0 or an error, which is reported. to is borrowed, as path is. */
int recording_open(struct recording **out, const char *path, const struct reporter *to)
	__attribute__((warn_unused_result));
void recording_close(struct recording *r); /* NULL is fine */
/* Sessions, the oldest first. */
size_t recording_sessions(const struct recording *r);
/* Was anything written in the window? */
bool recording_touches(const struct recording *r, size_t session, const struct window *w);
/* Writes the frames of a session, numbered anew from 0, so that only damage shows as loss. Reports damage and what is
 * missing. 0; 1: some was missing; or -errno of the output. */
int recording_write(struct recording *r, size_t session, const struct window *w, FILE *out);
#endif
