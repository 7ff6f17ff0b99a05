/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_priv: shared by service.c (maps, programs) and service_core.c (what depends on the kernel's types). */
#ifndef DWIRE_OWNER_SERVICE_PRIV_H
#define DWIRE_OWNER_SERVICE_PRIV_H
#include "owner/service.h"

enum { SERVICE_PROGS = 32, SERVICE_MAPS = 16, SERVICE_FUNCS = 16 };

struct service_kernel {
	const struct service *s;
	struct bpf_insn *insns;     /* of all programs; owned */
	uint32_t at[SERVICE_PROGS]; /* BTF id of each program's tracepoint or function; 0: it has none */
	int fds[SERVICE_PROGS];     /* -1: not loaded */
	int maps[SERVICE_MAPS];
	int types, bss; /* our BTF; the map of the variables */
	void *vars;     /* that map in memory; MAP_FAILED: it is not there */
};

/* Finds where each program is attached. -ENOENT: the kernel lacks one of the places. */
int service_places(struct service_kernel *k, struct kbtf *btf) __attribute__((warn_unused_result));
/* Fills in the instructions that depend on the kernel's types; then those that need maps, which are there. 0 or
 * -errno. */
int service_link(struct service_kernel *k, struct kbtf *btf) __attribute__((warn_unused_result));
int service_link_maps(struct service_kernel *k) __attribute__((warn_unused_result));
#endif
