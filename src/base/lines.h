/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines: a descriptor read line by line. */
#ifndef DWIRE_BASE_LINES_H
#define DWIRE_BASE_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines {
	int fd;     /* borrowed */
	size_t max; /* bytes of a line; a longer one is skipped and counted */
	char *buf;  /* owned: what was read and not yet taken */
	size_t n, cap;
	size_t from; /* where the next line begins */
	size_t seen; /* up to here there is no line feed */
	bool skip;   /* the rest of the line is too much */
	bool over;   /* the end of the input, or an error of it */
	int err;     /* -errno of reading; 0 */
	uint64_t too_long;
};

void lines_open(struct lines *l, int fd, size_t max);
/* Frees what was read. */
void lines_close(struct lines *l);
/* Reads once, and waits if there is nothing: poll() before. 0, also at the end (over), or -ENOMEM. */
int lines_read(struct lines *l) __attribute__((warn_unused_result));
/* The next whole line without its line feed; NULL: there is none yet. At the end the last line may lack its line feed.
 * Valid until lines_read(). */
const char *lines_next(struct lines *l, size_t *len);
#endif
