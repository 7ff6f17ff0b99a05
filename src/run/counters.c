/* counters: see counters.h. Input: /proc/self/net/snmp, netstat (a line of names, a line of values) and snmp6 (a
 * name and a value a line). Output: text. Invariant: a counter is known by its name; what is no number, or does not
 * only grow (a gauge, or a setting), is told by its new value less the old one all the same, as the kernel's file
 * has it. */
#include "run/counters.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strmap.h"

struct counters {
	struct arena *arena;   /* names and values of all times: the names are few */
	struct strmap *values; /* name -> int64_t */
	bool begun;
	char *text; /* of the last call */
	size_t len;
	FILE *out; /* writes into text */
};

struct counters *counters_new(void)
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
	return c;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	free(c->text);
	arena_free(c->arena);
	free(c);
}

static void take(struct counters *c, const char *group, const char *name, int64_t value)
{
	char key[128];
	int64_t *last;

	snprintf(key, sizeof(key), "%s%s", group, name);
	last = strmap_get(c->values, key);
	if (!last) {
		last = ARENA_NEW(c->arena, int64_t);
		strmap_put(c->values, arena_strdup(c->arena, key), last);
		*last = c->begun ? 0 : value;
	}
	if (*last != value && c->out)
		fprintf(c->out, "%-32s%" PRId64 "\n", key, value - *last);
	*last = value;
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

static void read_pairs(struct counters *c, const char *path)
{
	FILE *f = fopen(path, "re");
	char *names = NULL, *values = NULL;
	size_t nsize = 0, vsize = 0;

	if (!f)
		return;
	while (getline(&names, &nsize, f) > 0 && getline(&values, &vsize, f) > 0)
		take_pair(c, names, values);
	free(names);
	free(values);
	fclose(f);
}

static void read_lines(struct counters *c, const char *path)
{
	FILE *f = fopen(path, "re");
	char name[96], value[32];

	if (!f)
		return;
	while (fscanf(f, "%95s %31s", name, value) == 2)
		take(c, "", name, strtoll(value, NULL, 10));
	fclose(f);
}

const char *counters_moved(struct counters *c)
{
	free(c->text);
	c->text = NULL;
	c->out = c->begun ? open_memstream(&c->text, &c->len) : NULL;
	read_pairs(c, "/proc/self/net/snmp");
	read_pairs(c, "/proc/self/net/netstat");
	read_lines(c, "/proc/self/net/snmp6");
	if (c->out)
		fclose(c->out);
	c->out = NULL;
	c->begun = true;
	return c->text ? c->text : "";
}
