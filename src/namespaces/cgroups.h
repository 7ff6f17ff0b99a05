/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroups: the tree of cgroups: walks it, and sees cgroups that are made later. */
#ifndef DWIRE_NAMESPACES_CGROUPS_H
#define DWIRE_NAMESPACES_CGROUPS_H
/* The names of a cgroup and of the one above it; "" for the root. */
typedef void cgroup_fn(void *ctx, const char *parent, const char *name);

/* root: a descriptor of the tree's root. */
void cgroups_walk(int root, cgroup_fn *fn, void *ctx);

struct cgroups_watch;

/* Calls fn for each cgroup that exists; cgroups_follow() calls it for those that are made later, at least once. NULL
 * with *err: -errno. */
struct cgroups_watch *cgroups_watch(int root, cgroup_fn *fn, void *ctx, int *err);
void cgroups_free(struct cgroups_watch *w);
int cgroups_fd(const struct cgroups_watch *w);
/* 0; -EOVERFLOW: more cgroups than can be watched (fs.inotify.max_user_watches). */
int cgroups_follow(struct cgroups_watch *w) __attribute__((warn_unused_result));
#endif
