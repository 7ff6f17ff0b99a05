/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script: what is behind api/dwire.h, shared by the files that implement it. */
#ifndef DWIRE_API_DWIRE_PRIV_H
#define DWIRE_API_DWIRE_PRIV_H
#include "compile/compile.h"
#include "compile/userprobes.h"
#include "kernel/btf/btf.h"
#include "kernel/features.h"
#include "kernel/functions.h"
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
	struct kbtf *btf;
	struct kfuncs *funcs; /* once asked for; NULL: not, or the kernel has no list */
	bool funcs_read;
	struct strmap *events; /* by "GROUP/NAME": what script_kernel.c knows of tracepoints' records */
	int funcs_err;         /* -errno: why there is no list */
	struct ktypes ktypes;
	struct kernel_lists lists;
	struct userprobes *users;
	struct compilation c;
	struct child *children[MAX_CHILDREN];
	size_t nchildren;
	pid_t target;
	struct seen_pid seen_target, seen_self; /* once asked for */
};
/* Once the kernel's types are there: its lists of probes are too. */
void script_lists(struct dwire *d);
/* What the compiler asks of the kernel: script_kernel.c. */
void script_env(struct dwire *d);
/* Before parsing: the preprocessor, the user's libraries. 0, or -errno with a message on err. */
int dwire_prepare(struct dwire *d, FILE *err) __attribute__((warn_unused_result));
#endif
