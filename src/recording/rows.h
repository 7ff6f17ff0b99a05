/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows: frames that hold rows of several times. */
#ifndef DWIRE_RECORDING_ROWS_H
#define DWIRE_RECORDING_ROWS_H
#include "recording/line.h"

/* A row, or several? */
bool line_is_row(const struct line *l);
/* The time of a frame: of its last row. CLOCK_MONOTONIC of its machine, ns; 0: it has none. */
uint64_t line_time(const struct line *l);
/* What is to be written of a frame with rows, whose times lie within from..to: its text behind the number. *n: how many
 * rows that are. NULL: none of them, or *n is not 0: no memory or no valid frame. Free the text. */
char *rows_within(const struct line *l, uint64_t from, uint64_t to, uint64_t *n) __attribute__((warn_unused_result));
#endif
