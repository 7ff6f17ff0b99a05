/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samplers: opens perf events that fire a program on each CPU: profile-N, and the kernel's software events. */
#ifndef DWIRE_ATTACH_SAMPLERS_H
#define DWIRE_ATTACH_SAMPLERS_H
#include <stdbool.h>

#include "load/load.h"

struct reporter;
struct sampler;

struct samplers {
	struct sampler *v; /* one for each program and possible CPU */
	size_t n;
	int stats;         /* keeps the kernel counting the runs of programs; -1: off */
	uint64_t due, ran; /* of profile probes, after detaching */
	bool counted;      /* ran is known */
	bool running;      /* events are enabled */
	bool warned;       /* of a CPU that is not sampled */
};

/* Opens an event on a CPU and does not enable it. name is perf's, or NULL for a clock with a period in ns. A
 * descriptor, or -errno; -ENODEV: the CPU is offline. */
int samplers_open(unsigned cpu, const char *name, uint64_t period) __attribute__((warn_unused_result));
int samplers_enable(int event) __attribute__((warn_unused_result)); /* 0 or -errno */
/* Links a program to an event. *link is the link's descriptor, -1 where the
 * event itself holds the program (before Linux 5.15). 0 or -errno. */
int samplers_link(int prog, int event, int *link) __attribute__((warn_unused_result));
/* Opens the events of program p, loaded as prog, on each CPU that is online. 0 or -errno. */
int samplers_add(struct samplers *s, const struct image_prog *p, int prog, struct features *f)
	__attribute__((warn_unused_result));
/* Starts all events. 0 or -errno. */
int samplers_start(struct samplers *s) __attribute__((warn_unused_result));
/* Starts them on CPUs that have come online since the last call, or went and came back: an event ends with its CPU.
 * Warns of the first that cannot be sampled. */
void samplers_look(struct samplers *s, struct features *f, const struct reporter *to);
/* Stops all; twice is fine. Then due is known. */
void samplers_stop(struct samplers *s);
/* Sets ran and counted. Call it after samplers_stop(), when no program runs any more. */
void samplers_count_ran(struct samplers *s, const struct loaded *l);
void samplers_free(struct samplers *s);
#endif
