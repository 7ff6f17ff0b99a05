/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve: answers HTTP requests for /metrics, from the event loop. */
#ifndef DWIRE_EXPORT_NET_SERVE_H
#define DWIRE_EXPORT_NET_SERVE_H
#include "export/series.h"

struct server;

struct serve_what {
	struct all_series *series; /* borrowed; brought up to date for an answer */
	struct model *model;       /* borrowed */
};

/* where: "[ADDRESS:]PORT", an IPv6 address in brackets; without an address the machine itself. NULL after a message
 * to err. */
struct server *serve_open(const char *where, const struct serve_what *what, FILE *err);
/* Readable when there is something to do. */
int serve_fd(const struct server *s);
/* Milliseconds until serve_run() has to be called; -1: none. */
int serve_timeout(const struct server *s);
void serve_run(struct server *s);
void serve_close(struct server *s); /* NULL is fine */
#endif
