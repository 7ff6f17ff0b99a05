/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk: reads BPF iterators, whose programs the kernel runs for each object of a kind. */
#ifndef DWIRE_ATTACH_WALK_H
#define DWIRE_ATTACH_WALK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reporter;

/* All 0: none. The owner frees v; the links in it are borrowed. */
struct walks {
	int *v;
	size_t n;
	uint64_t objects; /* of the walk so far */
	bool warned;      /* of namespaces that were left out: said once */
};

/* Adds the link of an iterator's program. 0, or -errno after a report. */
int walks_add(struct walks *w, int link, const struct reporter *to) __attribute__((warn_unused_result));

/* Reads all of them to the end: once in each network namespace that /proc shows. After each part it calls between(ctx),
 * which ends the walks by false. Namespaces that cannot be entered are left out with a warning. Returns true if there
 * are any walks and none was ended. */
bool walks_run(struct walks *w, bool (*between)(void *ctx), void *ctx, const struct reporter *to);
#endif
