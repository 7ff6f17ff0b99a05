/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes: see boxes.h.
 * Input: containers and their names. Output: names; entries of the map MAP_BOXES.
 * Invariant: a container is in the map only if its name is a literal of the script, so programs compare numbers. */
#include "session/boxes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/bpfsys.h"
#include "load/load.h"
#include "namespaces/containers.h"

static struct containers *boxes(struct session *s)
{
	if (!s->boxes)
		s->boxes = containers_new(s->opts.options->runtimeroot, features_cgroup2(s->opts.features, NULL));
	return s->boxes;
}

static const char *name_of(const struct runtime_names *n, uint32_t tag)
{
	return tag == DW_STR_CONTAINER ? n->container : tag == DW_STR_POD ? n->pod : n->pod_namespace;
}

const char *boxes_name(void *ctx, uint32_t tag, const char *key)
{
	struct containers *c = *key ? boxes(ctx) : NULL;

	return c ? name_of(containers_find(c, key), tag) : "";
}

/* ---- names in the kernel ----------------------------------------------------------------------------------------- */
static int map_of(const struct session *s)
{
	for (size_t i = 0; i < s->image->maps.n; i++)
		if (s->image->maps.v[i].role == MAP_BOXES)
			return s->loaded->maps[i];
	return -1;
}

/* The number of the literal that is this text; 0: none. */
static uint64_t literal(const struct image *im, const char *text)
{
	for (size_t i = 1; i < im->lits.n; i++)
		if (!strcmp(im->lits.v[i].s, text))
			return i;
	return 0;
}

/* For containers_watch(). */
static void put(void *ctx, const char *key, const struct runtime_names *names)
{
	struct session *s = ctx;

	for (uint32_t tag = DW_STR_CONTAINER; tag <= DW_STR_POD_NAMESPACE; tag++) {
		const char *name = name_of(names, tag);
		uint64_t number = *name ? literal(s->image, name) : 0;
		struct dw_tstr t = { .tag = tag };
		int err;

		memcpy(t.b, key, strnlen(key, sizeof(t.b) - 1));
		if (!number)
			continue;
		err = bpfsys_map_update(map_of(s), &t, &number, BPF_ANY);
		if (err)
			report_warning(
				s->opts.to, D_NONE, NULL, "cannot note the container %s: %s", name, strerror(-err));
	}
}

int boxes_start(struct session *s, int *fd)
{
	int err = 0;

	*fd = -1;
	if (map_of(s) < 0)
		return 0;
	if (!boxes(s))
		return report_no_memory(s->opts.to, "find containers");
	err = containers_watch(s->boxes, put, s);
	if (err == -ENOENT)
		return report_error(s->opts.to, err, D_NONE, NULL,
			"names of containers cannot be compared: no cgroup2 is mounted; mount one: mount -t cgroup2 "
			"none /sys/fs/cgroup");
	if (err)
		return report_error(
			s->opts.to, err, D_NONE, NULL, "cannot watch the cgroups of containers: %s", strerror(-err));
	*fd = containers_fd(s->boxes);
	boxes_follow(s);
	return 0;
}

void boxes_follow(struct session *s)
{
	if (containers_follow(s->boxes))
		report_warning(s->opts.to, D_NONE, NULL,
			"containers that start from here on may not be found by their name: more cgroups than can be "
			"watched; raise fs.inotify.max_user_watches");
}
