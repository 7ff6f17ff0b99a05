/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: see counters.h.
 * Input: net/snmp, net/netstat (a line of names, then a line of values) and net/snmp6 (a name and a value a line) of
 * each namespace. Output: text.
 * Invariant: a counter is identified by its name. The files do not mark gauges and settings, so these too are
 * reported as the difference of new and old value. */
#include "namespaces/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag/report.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "namespaces/spaces.h"
#include "namespaces/zone.h"

struct counter {
	const char *name;
	int64_t last, now; /* of all namespaces together */
};

/* A namespace's files. Each reading gives the values of that moment. */
struct place {
	FILE *snmp, *netstat, *snmp6; /* NULL: there is none */
};

struct counters {
	struct arena *arena;   /* names and values of all times: the names are few */
	struct strmap *values; /* name -> struct counter */
	VEC(struct counter *) order;
	VEC(struct place) places;
	bool begun;
	char *text; /* of the last call */
	size_t len;
};

/* ---- namespaces -------------------------------------------------------------------------------------------------- */
static FILE *open_file(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/thread-self/net/%s", name);
	return fopen(path, "re");
}

/* Those of the namespace that this thread is in. */
static int open_place(void *ctx)
{
	struct counters *c = ctx;

	*vec_push(c->arena, &c->places) = (struct place){ open_file("snmp"), open_file("netstat"), open_file("snmp6") };
	return 0;
}

/* Opens the counters of each namespace of the list. False: it could not return to our own namespace. */
static bool open_list(struct counters *c, struct zones *z, const char *list, const struct reporter *to)
{
	char *names = arena_strdup(c->arena, list), *rest;
	int own = spaces_own();
	bool lost = false;

	for (char *name = strtok_r(names, ",", &rest); name && !lost; name = strtok_r(NULL, ",", &rest)) {
		int fd = zone_open(z, name), err = fd < 0 ? -ENOENT : own;

		if (fd >= 0 && own >= 0)
			err = spaces_inside(fd, own, open_place, c, &lost);
		if (err < 0)
			report_warning(to, D_NONE, NULL, "no counters of the network namespace %s: %s", name,
				fd < 0 ? "it is not there" : strerror(-err));
		if (fd >= 0)
			close(fd);
	}
	if (own >= 0)
		close(own);
	return !lost;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->places.n; i++) {
		FILE *const files[] = { c->places.v[i].snmp, c->places.v[i].netstat, c->places.v[i].snmp6 };

		for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++)
			if (files[k])
				fclose(files[k]);
	}
	free(c->text);
	arena_free(c->arena);
	free(c);
}

struct counters *counters_new(struct zones *z, const char *netns, const struct reporter *to)
{
	struct counters *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->arena = arena_new();
	if (!c->arena) {
		free(c);
		return NULL;
	}
	c->values = strmap_new(c->arena);
	if (!netns)
		(void)open_place(c);
	else if (!open_list(c, z, netns, to)) {
		counters_free(c);
		return NULL;
	}
	return c;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
static void take(struct counters *c, const char *group, const char *name, int64_t value)
{
	char key[128];
	struct counter *n;

	snprintf(key, sizeof(key), "%s%s", group, name);
	n = strmap_get(c->values, key);
	if (!n) {
		n = ARENA_NEW(c->arena, struct counter);
		n->name = arena_strdup(c->arena, key);
		strmap_put(c->values, n->name, n);
		*vec_push(c->arena, &c->order) = n;
	}
	n->now += value;
}

/* "Tcp: RtoAlgorithm RtoMin ..." and "Tcp: 1 200 ...": name without the colon, then column by column. */
static void take_pair(struct counters *c, char *names, char *values)
{
	char *n = NULL, *v = NULL, *group = strtok_r(names, ": \n", &n), *name, *value;

	if (!group || !strtok_r(values, ": \n", &v))
		return;
	while ((name = strtok_r(NULL, " \n", &n)) && (value = strtok_r(NULL, " \n", &v)))
		take(c, group, name, strtoll(value, NULL, 10));
}

static void read_pairs(struct counters *c, FILE *f)
{
	char *names = NULL, *values = NULL;
	size_t nsize = 0, vsize = 0;

	if (!f)
		return;
	rewind(f);
	while (getline(&names, &nsize, f) > 0 && getline(&values, &vsize, f) > 0)
		take_pair(c, names, values);
	free(names);
	free(values);
}

static void read_lines(struct counters *c, FILE *f)
{
	char name[96], value[32];

	if (!f)
		return;
	rewind(f);
	while (fscanf(f, "%95s %31s", name, value) == 2)
		take(c, "", name, strtoll(value, NULL, 10));
}

const char *counters_moved(struct counters *c)
{
	FILE *out;

	free(c->text);
	c->text = NULL;
	out = c->begun ? open_memstream(&c->text, &c->len) : NULL;
	for (size_t i = 0; i < c->places.n; i++) {
		read_pairs(c, c->places.v[i].snmp);
		read_pairs(c, c->places.v[i].netstat);
		read_lines(c, c->places.v[i].snmp6);
	}
	for (size_t i = 0; i < c->order.n; i++) {
		struct counter *n = c->order.v[i];

		if (out && n->now != n->last)
			fprintf(out, "%-32s%" PRId64 "\n", n->name, n->now - n->last);
		n->last = n->now;
		n->now = 0;
	}
	if (out)
		fclose(out);
	c->begun = true;
	return c->text ? c->text : "";
}
