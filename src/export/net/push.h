/* SPDX-License-Identifier: GPL-2.0-or-later */
/* push: sends metrics and rows to an OpenTelemetry collector (OTLP over HTTP), from the event loop. What cannot be
 * delivered is tried again, later each time. Metrics are cumulative, so only the newest are sent. Rows wait in a queue
 * of bounded size; what does not fit is counted. */
#ifndef DWIRE_EXPORT_NET_PUSH_H
#define DWIRE_EXPORT_NET_PUSH_H
#include <poll.h>

#include "export/series.h"

#define HEADERS_MAX 64

struct pusher;

struct push_to {
	const char *url;                      /* of the collector; /v1/metrics and /v1/logs follow */
	const char *headers[HEADERS_MAX + 1]; /* "NAME:VALUE", ended by NULL; borrowed */
	size_t interval_s;
	FILE *err;
};

/* Sets the model's row function. NULL after a message. All is borrowed. */
struct pusher *push_open(const struct push_to *to, struct all_series *series, struct model *model);
/* In what follows p may be NULL: nothing is sent. */
/* poll(), also for what is being sent. */
int push_wait(struct pusher *p, struct pollfd *fds, unsigned n, int timeout_ms);
/* Milliseconds until push_run() has something to do; -1: nothing. */
int push_timeout(const struct pusher *p);
/* Begins and ends transfers. last: sends what there is and waits for it, at most five seconds. */
void push_run(struct pusher *p, bool last);
void push_close(struct pusher *p);
#endif
