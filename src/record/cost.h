/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost: what a trace itself took (-x cost). */
#ifndef DWIRE_RECORD_COST_H
#define DWIRE_RECORD_COST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The programs of a probe, or of a service of dwire. */
struct cost_row {
	char name[128]; /* "tcp:::send"; of a program for several probes the first and how many more */
	uint64_t runs, ns;
};

/* Times in ns. Rows are sorted by time, longest first; only programs that ran have one. */
struct cost {
	uint64_t wall;    /* since the trace was armed */
	unsigned cpus;    /* that are online */
	bool counted;     /* the kernel counted the programs' runs and times; else these are unknown */
	uint64_t runs;    /* of all rows */
	uint64_t ns;      /* likewise */
	uint64_t start;   /* CPU time of this process before the trace was armed */
	uint64_t user;    /* ... since then, in user mode */
	uint64_t system;  /* ... in the kernel */
	uint64_t helpers; /* CPU time of the processes that parse files for it */
	uint64_t memory;  /* bytes of maps and programs in the kernel */
	const struct cost_row *rows;
	size_t nrows;
};

/* The numbers that a structured output names, besides those of the programs: name, member. */
#define COST_NUMBERS(X)      \
	X("cpus", cpus)      \
	X("start_ns", start) \
	X("user_ns", user) X("system_ns", system) X("helpers_ns", helpers) X("kernel_bytes", memory)

/* The share of the machine's CPU time since the trace was armed, in parts per million. Programs that are not counted
 * are not in it. */
static inline uint64_t cost_share(const struct cost *c)
{
	uint64_t room = c->wall * c->cpus / 1000000u;

	return room ? (c->ns + c->user + c->system + c->helpers) / room : 0;
}
#endif
