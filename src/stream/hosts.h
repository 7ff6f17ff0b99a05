/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts: the machines that a merge expects, by the names before their lines. */
#ifndef DWIRE_STREAM_HOSTS_H
#define DWIRE_STREAM_HOSTS_H
#include <stdint.h>

#include "base/diag/report.h"
#include "base/strmap.h"

struct host {
	struct host *next;
	const char *name; /* as it is expected; fit for a terminal */
	bool greeted;     /* its hello came */
	bool begun;       /* it has sent more than descriptions: its trace runs */
	bool gone;        /* it will not come */
	size_t sessions;  /* under its name */
	unsigned state;   /* enum host_state, while they are counted */
	uint64_t strange; /* lines that are no frames */
	uint64_t crowded; /* frames of sessions beyond those that are kept */
};

struct hosts {
	struct strmap *by_name; /* NULL: none is expected */
	struct host *first, **last;
	size_t n;
	size_t awaited; /* have neither greeted nor gone */
	size_t begun;
};

/* Expects a machine. Texts live in the arena. */
void hosts_expect(struct hosts *hosts, struct arena *a, const char *name);
/* NULL: it is not expected. */
struct host *hosts_find(const struct hosts *hosts, const char *name);
/* h may be NULL, here and below. */
void hosts_greet(struct hosts *hosts, struct host *h);
void hosts_begin(struct hosts *hosts, struct host *h);
/* The machine's program has ended. */
void hosts_leave(struct hosts *hosts, struct host *h);
/* Reports those that never greeted. Returns the status that they add, with those that wrote what is no stream: 0, 1. */
int hosts_judge(const struct hosts *hosts, const struct reporter *report);
#endif
