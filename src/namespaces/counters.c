/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: see counters.h.
 * Input: net/snmp, net/netstat and net/snmp6 of each namespace. Output: text.
 * Invariant: a counter is identified by its name. The files do not mark gauges and settings, so these too are
 * reported as the difference of new and old value. */
#include "namespaces/counters.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "namespaces/procnet.h"

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
/* Those of the namespace that this thread is in. */
static int open_place(void *ctx)
{
	struct counters *c = ctx;

	*vec_push(c->arena, &c->places) =
		(struct place){ procnet_open("snmp"), procnet_open("netstat"), procnet_open("snmp6") };
	return 0;
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
	if (!procnet_places(z, netns, open_place, c, to)) {
		counters_free(c);
		return NULL;
	}
	return c;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
static void take(void *ctx, const char *name, int64_t value)
{
	struct counters *c = ctx;
	struct counter *n = strmap_get(c->values, name);

	if (!n) {
		n = ARENA_NEW(c->arena, struct counter);
		n->name = arena_strdup(c->arena, name);
		strmap_put(c->values, n->name, n);
		*vec_push(c->arena, &c->order) = n;
	}
	n->now += value;
}

const char *counters_moved(struct counters *c)
{
	FILE *out;

	free(c->text);
	c->text = NULL;
	out = c->begun ? open_memstream(&c->text, &c->len) : NULL;
	for (size_t i = 0; i < c->places.n; i++) {
		procnet_pairs(c->places.v[i].snmp, take, c);
		procnet_pairs(c->places.v[i].netstat, take, c);
		procnet_lines(c->places.v[i].snmp6, take, c);
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
