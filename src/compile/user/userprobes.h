/* SPDX-License-Identifier: GPL-2.0-or-later */
/* userprobes: finds the programs and libraries that a description matches, and makes their probes. */
#ifndef DWIRE_COMPILE_USERPROBES_H
#define DWIRE_COMPILE_USERPROBES_H
#include <sys/types.h>

#include "probes/lists.h"

struct reporter;
struct userprobes;

/* Callbacks to the owner of the traced processes. */
struct userprobes_env {
	struct arena *arena;
	const struct reporter *to; /* gets warnings about files that are not searched; may be NULL */
	/* Brings the process to the start of its program, with its libraries mapped. 0, also if we did not start it;
	 * -errno, which is reported. */
	int (*ready)(void *ctx, pid_t pid, const struct reporter *to);
	void *ctx;
};
struct userprobes *userprobes_new(const struct userprobes_env *env);
void userprobes_free(struct userprobes *u); /* NULL is fine; makes the places of probes invalid */

/* As struct kernel_lists has them; user is a struct userprobes. */
void userprobes_make(void *user, struct probe_list *l, const struct pdesc *pd);
const struct probe_fault *userprobes_fault(void *user, const struct pdesc *pd);
/* As struct lower_env has it: where functions of libraries are, in all processes. */
const struct uplace *userprobes_functions(struct userprobes *u, const struct ufunctions *f, size_t *n);
#endif
