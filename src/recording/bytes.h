/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes: text that grows, and the lines of a text that comes in pieces. */
#ifndef DWIRE_RECORDING_BYTES_H
#define DWIRE_RECORDING_BYTES_H
#include <stdbool.h>
#include <stddef.h>

/* A zeroed one is empty; free(v) ends it. */
struct bytes {
	char *v;
	size_t n, cap;
};

/* Room for n bytes in all. False: no memory; the text is as it was. */
bool bytes_room(struct bytes *b, size_t n) __attribute__((warn_unused_result));
/* False likewise. */
bool bytes_append(struct bytes *b, const char *s, size_t n) __attribute__((warn_unused_result));
/* Hands each line, with its line feed, to take(); part holds the beginning of one that has not ended. False: take()
 * returned false, or there is no memory. */
bool bytes_lines(struct bytes *part, const char *text, size_t n, bool (*take)(void *ctx, const char *line, size_t len),
	void *ctx) __attribute__((warn_unused_result));
#endif
