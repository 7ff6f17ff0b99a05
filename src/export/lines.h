/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines: a descriptor read line by line, without waiting. */
#ifndef DWIRE_EXPORT_LINES_H
#define DWIRE_EXPORT_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_BYTES_MAX (16u << 20) /* a longer line is skipped and counted */

struct lines {
	int fd;
	char *buf; /* owned: what was read and not yet taken */
	size_t n, cap;
	size_t from; /* where the next line begins */
	size_t seen; /* up to here there is no line feed */
	bool skip;   /* the rest of the line is too much */
	bool over;   /* the end of the input, or an error of it */
	uint64_t too_long;
};

/* fd stays the caller's and is made non-blocking. */
void lines_open(struct lines *l, int fd);
void lines_close(struct lines *l);
/* Reads once what there is. 1: something was read; 0: there is nothing at present, or nothing more (over); -ENOMEM. */
int lines_read(struct lines *l);
/* The next whole line without its line feed; NULL: there is none yet. At the end the last line may lack its line feed.
 * Valid until lines_read(). */
const char *lines_next(struct lines *l, size_t *len);
#endif
