/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names: processes, namespaces and containers of this machine, by the numbers and names that probes show. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/dwire.h"
#include "kernel/features.h"
#include "namespaces/containers.h"
#include "namespaces/pidns.h"
#include "namespaces/zone.h"

/* Outside of a pid namespace the numbers are the same. If the outer number cannot be found, pid is returned as it
 * is. */
pid_t dwire_pid_seen(pid_t pid)
{
	pid_t outer = pidns_inner() ? pidns_outer(pid) : 0;

	return outer ? outer : pid;
}

int dwire_netns_number(const char *path, uint32_t *number)
{
	int fd = zone_open_file(AT_FDCWD, path, number);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Needs no handle: features and zones are made for this call alone. */
int dwire_zone_number(const char *zone, uint32_t *number)
{
	struct features *f = features_new();
	struct zones *z = f ? zone_new(features_global_netns(f)) : NULL;
	int err = z ? 0 : -ENOMEM;

	if (z) {
		*number = zone_number(z, zone);
		err = *number ? 0 : -ENOENT;
	}
	zone_free(z);
	features_free(f);
	return err;
}

/* /proc is opened for this call alone; zone_container() reads the cgroup of the process there. */
bool dwire_container(pid_t pid, char *name, size_t size)
{
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char text[16];
	bool found;

	if (proc < 0)
		return false;
	snprintf(text, sizeof(text), "%d", (int)pid);
	found = zone_container(proc, text, name, size);
	close(proc);
	return found;
}

struct listing {
	void (*fn)(void *ctx, const struct dwire_container_names *c);
	void *ctx;
};

static void hand_on(void *ctx, const char *key, const struct runtime_names *n)
{
	const struct listing *l = ctx;
	bool id = strspn(key, "0123456789abcdef") == RUNTIME_ID;
	char text[RUNTIME_ID + 1];

	snprintf(text, sizeof(text), "%.*s", id ? 12 : RUNTIME_ID, key);
	l->fn(l->ctx, &(struct dwire_container_names){ text, n->container, n->pod, n->pod_namespace });
}

void dwire_containers(void (*fn)(void *ctx, const struct dwire_container_names *c), void *ctx)
{
	struct listing l = { fn, ctx };
	struct features *f = features_new();
	struct containers *c = f ? containers_new(NULL, features_cgroup2(f, NULL)) : NULL;

	if (c)
		containers_walk(c, hand_on, &l);
	containers_free(c);
	features_free(f);
}
