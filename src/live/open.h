/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open: the tools that say more about a row: the life of its connection, its drops, its segments. */
#ifndef DWIRE_LIVE_OPEN_H
#define DWIRE_LIVE_OPEN_H
#include "live/watch.h"

#define OPEN_TOOLS 16u

struct open_tool {
	const char *tool, *text; /* "sotrace", "its life: ..." */
	const char *options;     /* the filters that it takes, by letter: p L D h (host), P (either port) */
	enum { OPEN_ALL, OPEN_TCP, OPEN_UDP } of; /* what its rows are about */
	const char *columns;                      /* of 80 characters, where it has more; or NULL */
};

/* The i-th tool for rows like this, of the tool from; NULL: there are no more. */
const struct open_tool *open_tool(const char *from, const struct sheet *s, const struct row *r, size_t i);
/* Writes its filters as a user would type them, " -p 17 --host ::1". */
void open_filters(const struct open_tool *t, const struct sheet *s, const struct row *r, char *out, size_t size);
/* Starts it. NULL after a message in err. */
struct watch *open_start(const char *program, const struct open_tool *t, const struct sheet *s, const struct row *r);
#endif
