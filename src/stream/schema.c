/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schema: the clauses and aggregations of all sources become those of one image.
 * Input: frames "clause" and "agg". Output: epids, probes and aggregations of merge.image.
 * Machines with different kernels may number the same clause differently, so it is found by its description. Equal
 * descriptions of one source differ by their order. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "stream/decode.h"
#include "stream/merge_priv.h"

#define CLAUSES_MAX 65536u
#define AGGS_MAX 4096u
#define ARGS_MAX 256u
#define EQUAL_MAX 64u /* equal descriptions of one source */

/* ---- descriptions ------------------------------------------------------------------------------------------------ */
/* A copy of a frame without some of its members. */
static json_t *without(const json_t *frame, const char *const *names)
{
	json_t *what = json_deep_copy(frame);

	for (; what && *names; names++)
		json_object_del(what, *names);
	return what;
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

/* "take": which of the keys are those of the aggregation, by number. Without it all are. */
static bool take_keys(struct merge *m, const json_t *take, struct agg *g, struct field **types, struct taking *out)
{
	const size_t n = json_array_size(take), first = m->to.by_host;
	struct field *taken;

	if (!take)
		return true;
	taken = n < ARGS_MAX ? ARENA_TRY_ARRAY(m->arena, struct field, n + first + 1) : NULL;
	out->keys = n < ARGS_MAX ? ARENA_TRY_ARRAY(m->arena, uint32_t, n + 1) : NULL;
	if (!json_is_array(take) || !taken || !out->keys)
		return false;
	if (first)
		taken[0] = **types;
	for (size_t i = 0; i < n; i++) {
		const json_t *j = json_array_get(take, i);
		const json_int_t k = json_integer_value(j);

		if (!json_is_integer(j) || k < 0 || (uint64_t)k >= g->nkeys)
			return false;
		out->keys[i] = (uint32_t)k;
		taken[first + i] = (*types)[first + (size_t)k];
	}
	out->types = *types + first;
	out->n = g->nkeys;
	*types = taken;
	g->nkeys = n;
	return true;
}

static bool add_agg(struct merge *m, struct peer *s, const json_t *frame, uint32_t *id)
{
	struct field *types = key_types(m, json_object_get(frame, "keys"));
	struct taking taking = { 0 }, *takes;
	struct agg g, *to;
	bool *printed;
	uint64_t *rounds;

	(void)s;
	*id = (uint32_t)m->image.aggs.n;
	if (!types || !decode_agg(m->arena, frame, &g) ||
		!take_keys(m, json_object_get(frame, "take"), &g, &types, &taking))
		return false;
	printed = reallocarray(m->printed, *id + 1, sizeof(*printed));
	if (!printed)
		return false;
	m->printed = printed;
	rounds = reallocarray(m->rounds, *id + 1, sizeof(*rounds));
	if (!rounds)
		return false;
	m->rounds = rounds;
	takes = reallocarray(m->takes, *id + 1, sizeof(*takes));
	if (!takes)
		return false;
	m->takes = takes;
	takes[*id] = taking;
	g.nkeys += m->to.by_host;
	g.id = *id;
	g.keys = given_keys(m, &g, types);
	if (!g.keys)
		return false;
	printed[*id] = false;
	rounds[*id] = 0;
	to = vec_push(m->arena, &m->image.aggs);
	*to = g;
	return !arena_failed(m->arena);
}

/* The frame without what differs between machines: numbers of frames and aggregations. */
static json_t *plain_agg(const struct peer *s, const json_t *frame)
{
	(void)s;
	return without(frame, (const char *const[]){ "s", "n", "agg", NULL });
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

/* The aggregations of an action; they were described before. */
static bool action_aggs(struct merge *m, const struct peer *s, const json_t *ids, struct action *out)
{
	out->naggs = json_array_size(ids);
	out->aggs = out->naggs <= AGG_JOIN_MAX ? ARENA_ARRAY(m->arena, uint32_t, out->naggs + 1) : NULL;
	for (size_t i = 0; out->aggs && i < out->naggs; i++) {
		int64_t id = links_get(&s->agg_links, json_array_get(ids, i));

		if (id < 0)
			return false;
		out->aggs[i] = (uint32_t)id;
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
	if (!frame_action_kind(json_string_value(json_object_get(j, "action")), &out->kind) ||
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
	if (out->kind == ACT_PCAP && out->nargs != CAPTURE_ALL)
		return false;
	return out->args && (out->fmt || !format) && (out->fmt || out->kind != ACT_PRINTF) &&
		(out->naggs || (out->kind != ACT_PRINTA && out->kind != ACT_TRUNC && out->kind != ACT_CLEAR)) &&
		(out->nargs || (out->kind != ACT_PRINT && out->kind != ACT_TRACEMEM));
}

static const char *text_member(struct merge *m, const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	return s ? escape_name(m->arena, arena_strdup(m->arena, s)) : "";
}

static bool add_clause(struct merge *m, struct peer *s, const json_t *frame, uint32_t *id)
{
	const json_t *actions = json_object_get(frame, "actions"), *probe = json_object_get(frame, "probe");
	struct epid ep = { .nactions = json_array_size(actions) }, *to;
	struct image_probe *p;

	*id = (uint32_t)m->image.epids.n;
	if (ep.nactions > UINT16_MAX)
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
	int64_t to = links_get(&s->agg_links, id);

	if (to >= 0)
		json_integer_set(id, to);
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

/* ---- both -------------------------------------------------------------------------------------------------------- */
struct kind {
	const char *word; /* of the frame, and of the member that is the source's number */
	size_t max;       /* numbers are below it */
	json_t *(*plain)(const struct peer *s, const json_t *frame);
	bool (*add)(struct merge *m, struct peer *s, const json_t *frame, uint32_t *id);
};

/* Does another number of the source stand for it already? */
static bool is_taken(const struct links *l, size_t own, uint32_t to)
{
	return to < l->ntaken && l->taken[to] && l->to[own] != to + 1;
}

/* From now on a number of the source stands for it. False: no memory. */
static bool link_up(struct links *l, size_t own, uint32_t to)
{
	bool *taken = room(l->taken, &l->ntaken, to, sizeof(*taken));

	if (!taken)
		return false;
	l->taken = taken;
	taken[to] = true;
	l->to[own] = to + 1;
	return true;
}

/* The index that a description has for all sources, the order-th of equal ones; it is added if it is new. False: it is
 * not valid. */
static bool find(
	struct merge *m, struct peer *s, const struct kind *k, const json_t *frame, const char *text, uint32_t *id)
{
	size_t number = (size_t)(uintptr_t)strmap_get(m->schemas, text);

	*id = (uint32_t)number - 1;
	if (number)
		return true;
	if (!k->add(m, s, frame, id))
		return false;
	strmap_put(m->schemas, text, (void *)(uintptr_t)((size_t)*id + 1));
	return true;
}

/* Equal descriptions of one source are different ones: the first that no other number of it stands for is meant. */
static bool describe(struct merge *m, struct peer *s, const struct kind *k, struct links *l, const json_t *frame)
{
	const json_t *number = json_object_get(frame, k->word);
	json_int_t own = json_integer_value(number);
	bool ok = json_is_integer(number) && own >= 0 && (uint64_t)own < k->max;
	uint32_t *to = ok ? room(l->to, &l->n, (size_t)own, sizeof(*to)) : NULL, id = 0;
	json_t *what = to ? k->plain(s, frame) : NULL;
	char *dump = what ? json_dumps(what, JSON_COMPACT | JSON_SORT_KEYS) : NULL, *text;

	l->to = to ? to : l->to;
	ok = dump != NULL;
	for (size_t order = 0; ok; order++) {
		ok = order < EQUAL_MAX && asprintf(&text, "%s %zu %s", k->word, order, dump) >= 0;
		if (!ok)
			break;
		ok = find(m, s, k, frame, text, &id);
		free(text);
		if (!ok || !is_taken(l, (size_t)own, id))
			break;
	}
	if (ok && !to[own])
		ok = link_up(l, (size_t)own, id);
	free(dump);
	json_decref(what);
	return ok;
}

bool schema_agg(struct merge *m, struct peer *s, const json_t *frame)
{
	static const struct kind kind = { "agg", AGGS_MAX, plain_agg, add_agg };
	struct peer_agg *aggs;

	if (!describe(m, s, &kind, &s->agg_links, frame))
		return false;
	aggs = room(s->aggs, &s->naggs, m->image.aggs.n, sizeof(*aggs));
	s->aggs = aggs ? aggs : s->aggs;
	return aggs != NULL;
}

bool schema_clause(struct merge *m, struct peer *s, const json_t *frame)
{
	static const struct kind kind = { "clause", CLAUSES_MAX, plain_clause, add_clause };

	return describe(m, s, &kind, &s->clause_links, frame);
}
