/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script: what is behind api/dwire.h, shared by the files that implement it. */
#ifndef DWIRE_API_DWIRE_PRIV_H
#define DWIRE_API_DWIRE_PRIV_H
#include <stdio.h>

#include "api/dwire.h"
#include "compile/compile.h"
#include "compile/kernel_env.h"
#include "process/child.h"

#define MAX_CHILDREN 16

/* In a pid namespace: a process and what the machine calls it, 0: not found. */
struct seen_pid {
	pid_t pid, outer;
};

struct dwire {
	struct arena *arena;
	struct options opts;
	struct features *features;
	struct kernel_env *kernel; /* NULL: the kernel is not read yet, or it shows no types */
	struct compilation c;
	struct child *children[MAX_CHILDREN];
	size_t nchildren;
	pid_t target;
	struct seen_pid seen_target, seen_self; /* once asked for */
};
/* Reads the kernel, for a compilation or a list. 0 or -errno. */
int dwire_open_kernel(struct dwire *d) __attribute__((warn_unused_result));
/* Before parsing: the preprocessor, the user's libraries. 0, or -errno with a message on err. */
int dwire_prepare(struct dwire *d, FILE *err) __attribute__((warn_unused_result));
#endif
