/* SPDX-License-Identifier: GPL-2.0-or-later */
/* containers: see containers.h.
 * Input: the files of the runtimes; the tree of cgroups. Output: names.
 * Invariant: a list of bounded size; the oldest entries go first. */
#include "namespaces/containers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "namespaces/cgroups.h"

#define KEPT 4096
#define RETRY_NS 1000000000
/* As in zone.c: time of searches that may come at once, times 10: 100 ms. */
#define CREDIT_NS 1000000000
#define SHARE 10

struct entry {
	char key[RUNTIME_ID + 1];
	bool known;
	int64_t searched; /* CLOCK_MONOTONIC, ns */
	struct runtime_names names;
};

struct containers {
	char *root;
	int cgroups;
	struct entry *v;
	size_t n, next; /* next: which to replace when all are in use */
	int64_t due;    /* when the next search would be due if they came evenly, ns */
	struct cgroups_watch *watch;
	container_fn *fn;
	void *ctx;
};

struct containers *containers_new(const char *root, int cgroups)
{
	struct containers *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->cgroups = cgroups;
	root = root ? root : secure_getenv("DWIRE_RUNTIMEROOT");
	c->root = strdup(root ? root : "");
	if (c->root)
		return c;
	free(c);
	return NULL;
}

void containers_free(struct containers *c)
{
	if (!c)
		return;
	cgroups_free(c->watch);
	free(c->root);
	free(c->v);
	free(c);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
struct wanted {
	const char *key;
	char *out; /* RUNTIME_NAME */
};

/* For cgroups_walk(): the whole name of a container that is named by its cgroup. */
static void whole_name(void *ctx, const char *parent, const char *name)
{
	const struct wanted *w = ctx;
	char key[RUNTIME_ID + 1];
	const char *own = runtime_cgroup(parent, name, key);

	if (own && !strcmp(key, w->key))
		(void)runtime_own_name(own, w->out);
}

static bool search(const struct containers *c, const char *key, struct runtime_names *out)
{
	struct wanted w = { key, out->container };

	memset(out, 0, sizeof(*out));
	if (!runtime_own_name(key, out->container))
		return runtime_find(c->root, key, out);
	if (strlen(key) == RUNTIME_ID)
		cgroups_walk(c->cgroups, whole_name, &w);
	return true;
}

static struct entry *find(const struct containers *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].key, key))
			return &c->v[i];
	return NULL;
}

/* An entry for a key that has none. NULL: no memory. */
static struct entry *add(struct containers *c, const char *key)
{
	struct entry *e;

	if (!c->v)
		c->v = calloc(KEPT, sizeof(*c->v));
	if (!c->v)
		return NULL;
	e = &c->v[c->n < KEPT ? c->n++ : c->next++ % KEPT];
	memset(e, 0, sizeof(*e));
	snprintf(e->key, sizeof(e->key), "%s", key);
	return e;
}

const struct runtime_names *containers_find(struct containers *c, const char *key)
{
	static const struct runtime_names none;
	int64_t now = (int64_t)clock_now();
	struct entry *e = find(c, key);

	if (e && (e->known || now - e->searched < RETRY_NS))
		return &e->names;
	if (strlen(key) == RUNTIME_ID && now + CREDIT_NS < c->due) /* shorter ones are names themselves */
		return e ? &e->names : &none;
	e = e ? e : add(c, key);
	if (!e)
		return &none;
	e->known = search(c, key, &e->names);
	e->searched = (int64_t)clock_now();
	c->due = (c->due > now ? c->due : now) + SHARE * (e->searched - now);
	return &e->names;
}

/* ---- those that exist -------------------------------------------------------------------------------------------- */
/* For cgroups: names a container and hands it on. Not found yet, it is searched for again, whatever that takes. */
static void take(void *ctx, const char *parent, const char *name)
{
	struct containers *c = ctx;
	char key[RUNTIME_ID + 1];

	if (!runtime_cgroup(parent, name, key))
		return;
	c->due = 0;
	c->fn(c->ctx, key, containers_find(c, key));
}

void containers_walk(struct containers *c, container_fn *fn, void *ctx)
{
	c->fn = fn;
	c->ctx = ctx;
	cgroups_walk(c->cgroups, take, c);
}

int containers_watch(struct containers *c, container_fn *fn, void *ctx)
{
	int err = 0;

	if (c->cgroups < 0)
		return -ENOENT;
	c->fn = fn;
	c->ctx = ctx;
	c->watch = cgroups_watch(c->cgroups, take, c, &err);
	return err;
}

int containers_fd(const struct containers *c)
{
	return c->watch ? cgroups_fd(c->watch) : -1;
}

int containers_follow(struct containers *c)
{
	return c->watch ? cgroups_follow(c->watch) : 0;
}
