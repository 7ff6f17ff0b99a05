/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes: see nodes.h. Input: a node set. Output: names in order, each once. */
#include "cli/fleet/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "cli/fleet/spawn.h"

#define NAME_MAX_BYTES 1024

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct node *)a)->name, ((const struct node *)b)->name);
}

/* False: no memory. */
static bool add(struct nodes *nodes, const char *name, size_t len)
{
	struct node *v = reallocarray(nodes->v, nodes->n + 1, sizeof(*v));

	if (v)
		nodes->v = v;
	if (!v || !(v[nodes->n].name = strndup(name, len)))
		return false;
	v[nodes->n].lines = 0;
	v[nodes->n++].failed = false;
	return true;
}

/* One name a line. */
static bool read_names(struct nodes *nodes, int fd)
{
	struct lines l;
	bool ok = true;

	lines_open(&l, fd, NAME_MAX_BYTES);
	while (ok && !l.over) {
		const char *line;
		size_t len;

		ok = !lines_read(&l);
		while (ok && (line = lines_next(&l, &len)))
			ok = !len || add(nodes, line, len);
	}
	lines_close(&l);
	return ok;
}

int nodes_expand(struct nodes *nodes, const char *set, const char *exclude, const struct messages *messages)
{
	const char *const argv[] = { "nodeset", "-e", "-S", "\n", set, exclude ? "-x" : NULL, exclude, NULL };
	struct spawned p;
	int status;
	bool ok;

	if (spawn(&p, argv, SPAWN_OUT, messages))
		return -1;
	ok = read_names(nodes, p.out);
	status = spawn_wait(&p, -1);
	spawn_close(&p);
	if (!ok)
		message(messages, "not enough memory for the names of the nodes");
	else if (status || !nodes->n)
		message(messages, "%s: no nodes", set); /* nodeset has said why, if it could not read them */
	if (!ok || status || !nodes->n)
		return -1;
	qsort(nodes->v, nodes->n, sizeof(*nodes->v), compare);
	return 0;
}

void nodes_free(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++)
		free(nodes->v[i].name);
	free(nodes->v);
	*nodes = (struct nodes){ 0 };
}

struct node *nodes_find(const struct nodes *nodes, const char *s, size_t len)
{
	char name[NAME_MAX_BYTES];
	const struct node key = { .name = name };

	if (len >= sizeof(name) || !nodes->n)
		return NULL;
	memcpy(name, s, len);
	name[len] = '\0';
	return bsearch(&key, nodes->v, nodes->n, sizeof(*nodes->v), compare);
}
