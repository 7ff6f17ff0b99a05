/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line: what a recorder and its reader need of a frame, without parsing it whole: emit writes the first members of each
 * frame in one way (docs/STREAM.md). */
#ifndef DWIRE_RECORDING_LINE_H
#define DWIRE_RECORDING_LINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_SESSION 16

struct line {
	const char *session; /* LINE_SESSION characters */
	uint64_t n;
	const char *rest; /* behind the number, up to the line's end */
	size_t nrest;
	char kind[12]; /* "row" */
};

/* False: the line does not begin as a frame does. */
bool line_read(struct line *l, const char *text, size_t len);
/* The number of a member, which is found by its name: no text of a stream holds an unescaped quote. 0: none. */
uint64_t line_number(const struct line *l, const char *name);
#endif
