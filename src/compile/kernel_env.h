/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_env: gives the compiler its view of the running kernel: types, lists of probes, features. */
#ifndef DWIRE_COMPILE_KERNEL_ENV_H
#define DWIRE_COMPILE_KERNEL_ENV_H
#include <sys/types.h>

#include "kernel/features.h"
#include "options/options.h"

struct compilation;
struct reporter;
struct kbtf;
struct kernel_env;

/* All borrowed until kernel_env_close(). */
struct kernel_env_opts {
	struct arena *arena;
	const struct options *options;
	struct features *features;
	const struct reporter *to; /* gets warnings; NULL: nobody does */
	/* As in struct userprobes_env: brings a process that the caller has started to the start of its program. */
	int (*ready)(void *ctx, pid_t pid, const struct reporter *to);
	void *ctx;
	bool ahead; /* the compiled script will run: load meanwhile what takes long */
};

/* Reads the kernel's types (/sys/kernel/btf/vmlinux). 0 or -errno. The environment lies in the arena; close it before
 * the arena is freed. */
int kernel_env_open(const struct kernel_env_opts *o, struct kernel_env **out) __attribute__((warn_unused_result));
/* The kernel's types; borrowed until kernel_env_close(). */
struct kbtf *kernel_env_btf(const struct kernel_env *k);
/* The owner service that loads meanwhile; borrowed likewise. NULL: none. */
struct owner_ahead *kernel_env_owner(const struct kernel_env *k);
/* NULL is fine. Places of probes in processes are invalid from here on. */
void kernel_env_close(struct kernel_env *k);
/* Sets c->ktypes, c->lists and c->lenv. They are valid until kernel_env_close(). */
void kernel_env_give(struct kernel_env *k, struct compilation *c);
#endif
