/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schema: the clauses and aggregations of all sources become those of one image.
 * Input: frames "clause" and "agg". Output: epids, probes and aggregations of merge.image.
 * Machines with different kernels may number the same clause differently, so it is found by its description. Equal
 * descriptions of one source are told apart by their order. */
#include <stdlib.h>
#include <string.h>

#include "stream/decode.h"
#include "stream/merge_priv.h"

#define CLAUSES_MAX 65536u
#define AGGS_MAX 4096u
#define ARGS_MAX 256u

/* ---- descriptions ------------------------------------------------------------------------------------------------ */
/* The number that a description has for all sources; 0: it is new. order: how many equal ones the source had before.
 * *text: it, to be added. */
static size_t find(struct merge *m, const char *kind, const json_t *what, size_t order, char **text)
{
	char *dump = json_dumps(what, JSON_COMPACT | JSON_SORT_KEYS);

	*text = dump ? arena_printf(m->arena, "%s %zu %s", kind, order, dump) : NULL;
	free(dump);
	return *text ? (size_t)(uintptr_t)strmap_get(m->schemas, *text) : 0;
}

static void add(struct merge *m, char *text, size_t number)
{
	if (text)
		strmap_put(m->schemas, text, (void *)(uintptr_t)number);
}

/* A copy of a frame without some of its members. */
static json_t *without(const json_t *frame, const char *const *names)
{
	json_t *what = json_deep_copy(frame);

	for (; what && *names; names++)
		json_object_del(what, *names);
	return what;
}

/* A number of the source as index of an array of n; -1: it is none. */
static int64_t index_of(const json_t *frame, const char *name, size_t max)
{
	const json_t *j = json_object_get(frame, name);
	json_int_t v = json_integer_value(j);

	return json_is_integer(j) && v >= 0 && (uint64_t)v < max ? v : -1;
}

/* Room for element i of a zeroed array. */
static void *room(void *array, size_t *n, size_t i, size_t size)
{
	size_t want = (i + 1) * 2;
	char *bigger;

	if (i < *n)
		return array;
	bigger = reallocarray(array, want, size);
	if (!bigger)
		return NULL;
	memset(bigger + *n * size, 0, (want - *n) * size);
	*n = want;
	return bigger;
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
/* The keys as the set sees them: numbers of values. by_host: the machine's name is the first. */
static struct field *given_keys(struct merge *m, struct agg *g, const struct field *types)
{
	struct field *keys = ARENA_TRY_ARRAY(m->arena, struct field, g->nkeys + 1);

	for (size_t i = 0; keys && i < g->nkeys; i++)
		keys[i] = (struct field){ .name = types[i].name,
			.kind = FIELD_GIVEN,
			.given = &types[i],
			.off = (uint32_t)(i * sizeof(uint32_t)),
			.size = sizeof(uint32_t) };
	g->key_size = (uint32_t)(g->nkeys * sizeof(uint32_t));
	return keys;
}

/* The types of the keys, the machine's name among them. */
static struct field *key_types(struct merge *m, const json_t *keys)
{
	size_t n = json_array_size(keys), first = m->to.by_host;
	struct field *types = n < ARGS_MAX ? ARENA_ARRAY(m->arena, struct field, n + first + 1) : NULL;

	if (types && first)
		types[0] = (struct field){ .name = "host", .kind = FIELD_CHARS };
	for (size_t i = 0; types && i < n; i++)
		if (!decode_field(m->arena, json_array_get(keys, i), &types[first + i]))
			return NULL;
	return types;
}

static bool add_agg(struct merge *m, const json_t *frame, uint32_t *id)
{
	struct field *types = key_types(m, json_object_get(frame, "keys"));
	struct agg g, *to;
	bool *printed;

	*id = (uint32_t)m->image.aggs.n;
	if (!types || *id == AGGS_MAX || !decode_agg(m->arena, frame, &g))
		return false;
	printed = reallocarray(m->printed, *id + 1, sizeof(*printed));
	if (!printed)
		return false;
	m->printed = printed;
	g.nkeys += m->to.by_host;
	g.id = *id;
	g.keys = given_keys(m, &g, types);
	if (!g.keys)
		return false;
	printed[*id] = false;
	to = vec_push(m->arena, &m->image.aggs);
	*to = g;
	return !arena_failed(m->arena);
}

/* Does another aggregation of the source stand for it already? */
static bool agg_taken(const struct peer *s, size_t own, size_t to)
{
	for (size_t i = 0; i < s->naggs; i++)
		if (s->aggs[i].known && s->aggs[i].to == to && i != own)
			return true;
	return false;
}

bool schema_agg(struct merge *m, struct peer *s, const json_t *frame)
{
	int64_t own = index_of(frame, "agg", AGGS_MAX);
	struct peer_agg *aggs = own >= 0 ? room(s->aggs, &s->naggs, (size_t)own, sizeof(*aggs)) : NULL;
	json_t *what = aggs ? without(frame, (const char *const[]){ "s", "n", "agg", NULL }) : NULL;
	size_t order = 0, number = 0;
	char *text = NULL;
	uint32_t id;
	bool ok = what != NULL;

	if (aggs)
		s->aggs = aggs;
	while (ok) {
		number = find(m, "agg", what, order++, &text);
		if (!number || !agg_taken(s, (size_t)own, number - 1))
			break;
	}
	id = (uint32_t)number - 1;
	if (ok && !number) {
		ok = add_agg(m, frame, &id);
		if (ok)
			add(m, text, id + 1);
	}
	if (ok && !aggs[own].known) {
		aggs[own].known = true;
		aggs[own].to = id;
	}
	json_decref(what);
	return ok;
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */
/* By host a format shows the machine first: what it prints for each key begins with it. */
static struct fmt *printa_format(struct merge *m, const char *s)
{
	size_t len = s ? strlen(s) : 0, lead = 0;
	char *text;

	if (!s)
		return NULL;
	if (!m->to.by_host)
		return decode_format(m->arena, s, len);
	while (s[lead] == '\n')
		lead++;
	if (m->opts.rows == ROWS_JSON && s[lead] == '{')
		text = arena_printf(m->arena, "%.*s{\"host\":\"%%s\",%s", (int)lead, s, s + lead + 1);
	else if (m->opts.rows == ROWS_CSV)
		text = arena_printf(m->arena, "%.*s\"%%s\",%s", (int)lead, s, s + lead);
	else
		text = arena_printf(m->arena, "%.*s%%-16s %s", (int)lead, s, s + lead);
	return decode_format(m->arena, text, strlen(text));
}

static bool action_kind(const char *word, enum action_kind *out)
{
	static const struct {
		enum action_kind kind;
		const char *word;
	} words[] = {
#define X(kind, word) { kind, word },
		FRAME_ACTIONS(X)
#undef X
	};

	for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, word)) {
			*out = words[i].kind;
			return true;
		}
	return false;
}

/* The aggregations of an action; they were described before. */
static bool action_aggs(struct merge *m, const struct peer *s, const json_t *ids, struct action *out)
{
	out->naggs = json_array_size(ids);
	out->aggs = out->naggs <= AGG_JOIN_MAX ? ARENA_ARRAY(m->arena, uint32_t, out->naggs + 1) : NULL;
	for (size_t i = 0; out->aggs && i < out->naggs; i++) {
		const json_t *j = json_array_get(ids, i);
		json_int_t id = json_integer_value(j);

		if (!json_is_integer(j) || id < 0 || (size_t)id >= s->naggs || !s->aggs[id].known)
			return false;
		out->aggs[i] = s->aggs[id].to;
	}
	return out->aggs != NULL;
}

/* null: an action that shows nothing; no row has it. */
static bool add_action(struct merge *m, const struct peer *s, const json_t *j, struct action *out)
{
	const json_t *columns = json_object_get(j, "columns");
	const char *format = json_string_value(json_object_get(j, "format"));

	out->kind = ACT_EXIT;
	if (json_is_null(j))
		return true;
	if (!action_kind(json_string_value(json_object_get(j, "action")), &out->kind) ||
		!action_aggs(m, s, json_object_get(j, "aggs"), out))
		return false;
	out->nargs = json_array_size(columns);
	out->args = out->nargs <= ARGS_MAX ? ARENA_ARRAY(m->arena, struct field, out->nargs + 1) : NULL;
	for (size_t i = 0; out->args && i < out->nargs; i++)
		if (!decode_field(m->arena, json_array_get(columns, i), &out->args[i]))
			return false;
	if (out->kind == ACT_PRINTA)
		out->fmt = printa_format(m, format);
	else if (out->kind == ACT_PRINTF)
		out->fmt = format ? decode_format(m->arena, format, strlen(format)) : NULL;
	return out->args && (out->fmt || !format) && (out->fmt || out->kind != ACT_PRINTF) &&
		(out->naggs || (out->kind != ACT_PRINTA && out->kind != ACT_TRUNC)) &&
		(out->nargs || (out->kind != ACT_PRINT && out->kind != ACT_TRACEMEM));
}

static const char *text_member(struct merge *m, const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	return s ? arena_strdup(m->arena, s) : "";
}

static bool add_clause(struct merge *m, const struct peer *s, const json_t *frame, uint32_t *id)
{
	const json_t *actions = json_object_get(frame, "actions"), *probe = json_object_get(frame, "probe");
	struct epid ep = { .nactions = json_array_size(actions) }, *to;
	struct image_probe *p;

	*id = (uint32_t)m->image.epids.n;
	if (*id == CLAUSES_MAX || ep.nactions > UINT16_MAX)
		return false;
	ep.actions = ARENA_TRY_ARRAY(m->arena, struct action, ep.nactions + 1);
	for (size_t i = 0; ep.actions && i < ep.nactions; i++)
		if (!add_action(m, s, json_array_get(actions, i), &ep.actions[i]))
			return false;
	if (!ep.actions)
		return false;
	ep.clause = *id;
	ep.quiet_head = json_is_true(json_object_get(frame, "quiet"));
	ep.probe = (uint32_t)m->image.probes.n;
	p = vec_push(m->arena, &m->image.probes);
	*p = (struct image_probe){ (uint32_t)json_integer_value(json_object_get(probe, "id")),
		text_member(m, probe, "provider"), text_member(m, probe, "module"), text_member(m, probe, "function"),
		text_member(m, probe, "name") };
	to = vec_push(m->arena, &m->image.epids);
	*to = ep;
	return !arena_failed(m->arena);
}

/* The number of an aggregation in a frame becomes the one that it has for all sources. */
static void renumber(const struct peer *s, json_t *id)
{
	json_int_t n = json_integer_value(id);

	if (n >= 0 && (size_t)n < s->naggs && s->aggs[n].known)
		json_integer_set(id, s->aggs[n].to);
}

/* The frame without what differs between machines: numbers of frames, clauses, probes and aggregations. */
static json_t *plain_clause(const struct peer *s, const json_t *frame)
{
	json_t *what = without(frame, (const char *const[]){ "s", "n", "clause", NULL });
	json_t *actions = json_object_get(what, "actions");

	json_object_del(json_object_get(what, "probe"), "id");
	for (size_t i = 0; i < json_array_size(actions); i++) {
		const json_t *aggs = json_object_get(json_array_get(actions, i), "aggs");

		for (size_t k = 0; k < json_array_size(aggs); k++)
			renumber(s, json_array_get(aggs, k));
	}
	return what;
}

/* Does another clause of the source stand for it already? */
static bool clause_taken(const struct peer *s, size_t own, size_t to)
{
	for (size_t i = 0; i < s->nclauses; i++)
		if (s->clauses[i].known && s->clauses[i].to == to && i != own)
			return true;
	return false;
}

bool schema_clause(struct merge *m, struct peer *s, const json_t *frame)
{
	int64_t own = index_of(frame, "clause", CLAUSES_MAX);
	struct peer_clause *clauses = own >= 0 ? room(s->clauses, &s->nclauses, (size_t)own, sizeof(*clauses)) : NULL;
	json_t *what = clauses ? plain_clause(s, frame) : NULL;
	size_t order = 0, number = 0;
	char *text = NULL;
	uint32_t id;
	bool ok = what != NULL;

	if (clauses)
		s->clauses = clauses;
	while (ok) {
		number = find(m, "clause", what, order++, &text);
		if (!number || !clause_taken(s, (size_t)own, number - 1))
			break;
	}
	id = (uint32_t)number - 1;
	if (ok && !number) {
		ok = add_clause(m, s, frame, &id);
		if (ok)
			add(m, text, id + 1);
	}
	if (ok && !clauses[own].known)
		clauses[own] = (struct peer_clause){ true, id };
	json_decref(what);
	return ok;
}
