/* SPDX-License-Identifier: GPL-2.0-or-later */
/* containers: names of containers and pods by what the kernel's programs record of a container: the first characters of
 * its cgroup's name (enum dw_str_tag, DW_STR_CONTAINER). */
#ifndef DWIRE_NAMESPACES_CONTAINERS_H
#define DWIRE_NAMESPACES_CONTAINERS_H
#include <stdbool.h>

#include "namespaces/runtime.h"

struct containers;

/* root: the folder that is taken for / (-x runtimeroot), copied; NULL: that of the environment, DWIRE_RUNTIMEROOT, or /
 * itself. cgroups: a descriptor of the root of
 * cgroup2, borrowed; -1: none. NULL: no memory. */
struct containers *containers_new(const char *root, int cgroups);
void containers_free(struct containers *c);
/* Names are kept; what is not known is searched for again after a second, and searches take at most a tenth of the
 * time. Never NULL; valid until the next call. */
const struct runtime_names *containers_find(struct containers *c, const char *key);

/* A container that has a cgroup. key and names are valid during the call. */
typedef void container_fn(void *ctx, const char *key, const struct runtime_names *names);
/* Calls fn for each container that exists now. */
void containers_walk(struct containers *c, container_fn *fn, void *ctx);
/* Does so now, and in containers_follow() for those that appeared since. 0 or -errno. */
int containers_watch(struct containers *c, container_fn *fn, void *ctx) __attribute__((warn_unused_result));
/* Readable when containers_follow() has something to do; -1: containers_watch() has not been called. */
int containers_fd(const struct containers *c);
/* 0; -EOVERFLOW: more cgroups than the kernel lets us watch; some containers may be missed. */
int containers_follow(struct containers *c) __attribute__((warn_unused_result));
#endif
