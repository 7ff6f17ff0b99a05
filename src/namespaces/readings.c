/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readings: see readings.h.
 * Input: files below /proc/net and /proc/sys, of each namespace that was asked for. Output: numbers.
 * Invariants: a file is opened once, in its namespace, and read again from its beginning. Numbers of several
 * namespaces, CPUs and devices are added up; those of the whole machine, which each namespace shows, count once. */
#include "namespaces/readings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "namespaces/procnet.h"

#define SYSCTL "sysctl."
#define STAT "stat."

struct number {
	int64_t base, now; /* base: at the first call; 0: it was not there then */
	bool found;
};

/* A file that has some of the numbers, in each namespace. */
struct source {
	const char *name;                                 /* "snmp", "stat/arp_cache", or "sysctl.net.core.somaxconn" */
	void (*read)(FILE *f, procnet_fn *fn, void *ctx); /* NULL: of stat/ or sysctl */
	VEC(FILE *) files;
};

struct readings {
	struct arena *arena;
	struct reading *v;
	size_t n;
	struct strmap *numbers; /* name -> struct number */
	struct strmap *known;   /* name of a source -> struct source */
	VEC(struct source *) sources;
	size_t place; /* that is being read */
	bool begun;
};

/* ---- which files ------------------------------------------------------------------------------------------------- */
static void add_source(struct readings *r, const char *name, void (*read)(FILE *, procnet_fn *, void *))
{
	struct source *s = strmap_get(r->known, name);

	if (s)
		return;
	s = ARENA_NEW(r->arena, struct source);
	s->name = arena_strdup(r->arena, name);
	s->read = read;
	strmap_put(r->known, name, s);
	*vec_push(r->arena, &r->sources) = s;
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static void add_reading(struct readings *r, const char *name)
{
	if (begins(name, SYSCTL))
		add_source(r, arena_printf(r->arena, "%.*s", (int)strcspn(name, "["), name), NULL);
	else if (begins(name, STAT))
		add_source(r,
			arena_printf(
				r->arena, "stat/%.*s", (int)strcspn(name + strlen(STAT), "."), name + strlen(STAT)),
			NULL);
	else if (begins(name, "softnet."))
		add_source(r, "softnet_stat", procnet_softnet);
	else if (begins(name, "sockstat."))
		add_source(r, "sockstat", procnet_sockstat);
	else if (begins(name, "dev."))
		add_source(r, "dev", procnet_devices);
	else {
		add_source(r, "snmp", procnet_pairs);
		add_source(r, "netstat", procnet_pairs);
		add_source(r, "snmp6", procnet_lines);
	}
	if (!strmap_get(r->numbers, name))
		strmap_put(r->numbers, name, ARENA_NEW(r->arena, struct number));
}

static FILE *open_source(struct readings *r, const struct source *s)
{
	char *path;

	if (!begins(s->name, SYSCTL))
		return procnet_open(s->name);
	path = arena_printf(r->arena, "/proc/sys/%s", s->name + strlen(SYSCTL));
	for (char *c = path; *c; c++)
		*c = *c == '.' ? '/' : *c;
	return fopen(path, "re");
}

/* In the namespace that this thread is in. */
static int open_place(void *ctx)
{
	struct readings *r = ctx;

	for (size_t i = 0; i < r->sources.n; i++) {
		FILE *f = open_source(r, r->sources.v[i]);

		if (f)
			*vec_push(r->arena, &r->sources.v[i]->files) = f;
	}
	return 0;
}

/* What no namespace of the list shows may belong to the whole machine: our own may show it. */
static void open_rest(struct readings *r)
{
	for (size_t i = 0; i < r->sources.n; i++) {
		struct source *s = r->sources.v[i];
		FILE *f = s->files.n ? NULL : open_source(r, s);

		if (f)
			*vec_push(r->arena, &s->files) = f;
	}
}

struct readings *readings_new(
	const struct reading *v, size_t n, struct zones *z, const char *netns, const struct reporter *to)
{
	struct readings *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->n = n;
	r->arena = arena_new();
	if (r->arena) {
		r->v = arena_alloc(r->arena, (n + 1) * sizeof(*v));
		memcpy(r->v, v, n * sizeof(*v));
		r->numbers = strmap_new(r->arena);
		r->known = strmap_new(r->arena);
		for (size_t i = 0; i < n; i++)
			add_reading(r, v[i].name);
	}
	if (!r->arena || !procnet_places(z, netns, open_place, r, to) || arena_failed(r->arena)) {
		readings_free(r);
		return NULL;
	}
	open_rest(r);
	return r;
}

void readings_free(struct readings *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->sources.n; i++)
		for (size_t k = 0; k < r->sources.v[i]->files.n; k++)
			fclose(r->sources.v[i]->files.v[k]);
	arena_free(r->arena);
	free(r);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */
/* Of the whole machine, though each namespace shows it. */
static bool is_machines(const char *name)
{
	static const char *const all[] = { "softnet.", "stat.arp_cache.", "stat.ndisc_cache.", "sockstat.TCP.orphan",
		"sockstat.TCP.alloc", "sockstat.TCP.mem", "sockstat.UDP.mem", "sysctl.fs." };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (begins(name, all[i]))
			return true;
	return false;
}

static void take(void *ctx, const char *name, int64_t value)
{
	struct readings *r = ctx;
	struct number *n = strmap_get(r->numbers, name);

	if (!n || (r->place && is_machines(name)))
		return;
	n->now += value;
	n->found = true;
}

/* One number, or several with blanks between them: "NAME[0]", ... */
static void read_sysctl(struct readings *r, const struct source *s, FILE *f)
{
	char line[256], name[160], *rest, *word;

	procnet_again(f);
	if (!fgets(line, sizeof(line), f))
		return;
	word = strtok_r(line, " \t\n", &rest);
	for (size_t i = 0; word; i++) {
		if (!i)
			take(r, s->name, strtoll(word, NULL, 10));
		snprintf(name, sizeof(name), "%s[%zu]", s->name, i);
		take(r, name, strtoll(word, NULL, 10));
		word = strtok_r(NULL, " \t\n", &rest);
	}
}

static void read_source(struct readings *r, const struct source *s)
{
	for (r->place = 0; r->place < s->files.n; r->place++) {
		FILE *f = s->files.v[r->place];

		if (s->read)
			s->read(f, take, r);
		else if (begins(s->name, SYSCTL))
			read_sysctl(r, s, f);
		else
			procnet_stat(f, s->name + strlen(STAT), take, r);
	}
}

static void forget(void *ctx, const char *name, void *value)
{
	struct number *n = value;

	(void)ctx, (void)name;
	n->now = 0;
	n->found = false;
}

static void begin(void *ctx, const char *name, void *value)
{
	struct number *n = value;

	(void)ctx, (void)name;
	n->base = n->now;
}

void readings_take(struct readings *r, int64_t *values)
{
	strmap_each(r->numbers, forget, NULL);
	for (size_t i = 0; i < r->sources.n; i++)
		read_source(r, r->sources.v[i]);
	if (!r->begun)
		strmap_each(r->numbers, begin, NULL);
	r->begun = true;
	for (size_t i = 0; i < r->n; i++) {
		const struct number *n = strmap_get(r->numbers, r->v[i].name);

		values[i] = !n || !n->found ? -1 : r->v[i].moved ? n->now - n->base : n->now;
	}
}
