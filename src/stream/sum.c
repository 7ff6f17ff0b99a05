/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sum: what the sources have of aggregations becomes one set, which is sorted, cut and printed as that of one machine.
 * Input: states by key, of each source. Output: a set; and, for trunc(), what is to be taken away from then on.
 * Invariant: the order of the parts changes nothing, since agg_combine() is commutative and associative. */
#include <stdlib.h>
#include <string.h>

#include "print/memory.h"
#include "stream/decode.h"
#include "stream/merge_priv.h"
#include "stream/put.h"

/* ---- keys -------------------------------------------------------------------------------------------------------- */
struct key {
	char *text; /* JSON; malloc'ed, or a table's */
	size_t len;
	bool owned;
};

static void key_free(const struct key *k)
{
	if (k->owned)
		free(k->text);
}

/* Those of a source's keys that the aggregation has. A text of NULL: no memory. */
static struct key taken_key(const struct taking *taking, size_t n, const char *text, size_t len)
{
	json_t *all = json_loadb(text, len, JSON_ALLOW_NUL, NULL), *some = json_array();
	struct key k = { .owned = true };

	for (size_t i = 0; i < n; i++)
		json_array_append(some, json_array_get(all, taking->keys[i]));
	k.text = json_dumps(some, JSON_COMPACT);
	k.len = k.text ? strlen(k.text) : 0;
	json_decref(all);
	json_decref(some);
	return k;
}

/* By host the machine's name stands before the other keys. host: its JSON; NULL: it does not. */
static struct key key_of(const char *host, const char *text, size_t len)
{
	struct key k = { (char *)(uintptr_t)text, len, false };
	char *with;
	int n = host ? asprintf(&with, "[%s%s%.*s", host, len > 2 ? "," : "", (int)len - 1, text + 1) : -1;

	if (n > 0)
		k = (struct key){ with, (size_t)n, true };
	return k;
}

bool sum_is_marked(const struct merge *m, const struct peer *s)
{
	const bool is_text = !m->to.emit && m->opts.rows != ROWS_JSON && m->opts.rows != ROWS_CSV;

	return m->to.by_host && is_text && !s->complete && (s->ended || s->silent);
}

/* The machine's name as it is shown: as text, with how it is if it does not report. free() it; NULL: no memory. */
static char *host_shown(const struct merge *m, const struct peer *s)
{
	char *name;

	if (!sum_is_marked(m, s))
		return strdup(s->host);
	return asprintf(&name, "%s (%s)", s->host, census_word(s->ended ? HOST_ENDED_EARLY : HOST_SILENT)) < 0 ? NULL
													       : name;
}

/* The machine's name as JSON, if it is a key; free() it. */
static char *host_json(const struct merge *m, const struct peer *s)
{
	char *shown = m->to.by_host ? host_shown(m, s) : NULL;
	json_t *host = shown ? json_string(shown) : NULL;
	char *name = host ? json_dumps(host, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	json_decref(host);
	free(shown);
	return name;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */
/* What remains of a state after trunc() has cut the key. False: nothing. A min or max cannot be taken back: it remains
 * when it has changed since. */
static bool after_cut(const struct agg *g, const uint64_t *state, const uint64_t *base, uint64_t *out)
{
	bool extreme = g->fn == DW_AGG_MIN || g->fn == DW_AGG_MAX;

	memcpy(out, state, g->nwords * sizeof(*out));
	if (!base)
		return true;
	if (!memcmp(state, base, g->nwords * sizeof(*base)))
		return false;
	if (!extreme) {
		uint64_t *minus = calloc(g->nwords, sizeof(*minus));

		if (!minus)
			return false;
		agg_negate(g, minus, base);
		agg_combine(g, out, minus);
		free(minus);
	}
	return true;
}

/* What trunc() has cut away of a generation; NULL: nothing. */
static struct table *base_of(const struct peer_agg *own, uint64_t gen)
{
	return (own->base_cleared ? gen > own->base_gen : gen == own->base_gen) ? own->base : NULL;
}

/* Adds what one source has to the sum of all. 0 or -1: no memory. */
static int add_part(const struct merge *m, const struct agg *g, const struct part *p, struct table *sum)
{
	const struct peer_agg *own = peer_agg(p->source, g->id);
	const struct table *base = own ? base_of(own, p->snap->gen) : NULL;
	uint64_t *state, *left = malloc(g->nwords * sizeof(*left)), *to;
	char *host = host_json(m, p->source);
	size_t len;
	int err = left ? 0 : -1;

	for (size_t i = 0; !err && i < table_size(p->snap->state); i++) {
		const char *text = table_key(p->snap->state, i, &len, &state);
		const struct taking *taking = &m->takes[g->id];
		struct key taken = { 0 }, k;

		if (!after_cut(g, state, base ? table_get(base, text, len) : NULL, left))
			continue;
		if (taking->types)
			taken = taken_key(taking, g->nkeys - m->to.by_host, text, len);
		k = taking->types ? key_of(host, taken.text, taken.len) : key_of(host, text, len);
		to = k.text ? table_put(sum, k.text, k.len) : NULL;
		key_free(&k);
		key_free(&taken);
		if (to)
			agg_combine(g, to, left);
		else
			err = -1;
	}
	free(host);
	free(left);
	return err;
}

/* Decodes a key to nkeys values. False: a hostile machine sent something else. */
static bool decode_key(
	struct merge *m, struct arena *arena, const struct agg *g, const char *text, size_t len, struct value *out)
{
	json_t *j = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	bool ok = json_array_size(j) == g->nkeys;

	for (size_t i = 0; ok && i < g->nkeys; i++)
		ok = decode_value(arena, json_array_get(j, i), g->keys[i].given, m->names, &out[i]);
	json_decref(j);
	return ok;
}

/* The summed aggregations, on their way into a set. */
struct sums {
	struct table **tables; /* by index in image.aggs; NULL: no part is of it */
	struct value *values;  /* of all keys */
	size_t nvalues;
};

/* values are numbered through all aggregations of the set. */
static void give_rows(struct merge *m, struct arena *arena, struct sums *sums, const struct agg *g, struct agg_set *set)
{
	uint32_t *raw = calloc(g->nkeys + 1, sizeof(*raw));
	uint64_t *state;
	size_t len;

	for (size_t i = 0; raw && i < table_size(sums->tables[g->id]); i++) {
		const char *text = table_key(sums->tables[g->id], i, &len, &state);

		if (!decode_key(m, arena, g, text, len, &sums->values[sums->nvalues]))
			continue;
		for (size_t k = 0; k < g->nkeys; k++)
			raw[k] = (uint32_t)sums->nvalues++;
		agg_absorb(set, g->id, raw, state, 1);
	}
	free(raw);
}

/* Sums each aggregation that a part is of. The number of values of all keys, or -1: no memory. */
static int64_t add_parts(const struct merge *m, struct sums *sums, const struct part *parts, size_t n)
{
	int64_t values = 0;

	for (size_t i = 0; i < n; i++) {
		const struct agg *g = &m->image.aggs.v[parts[i].snap->agg];
		struct table **t = &sums->tables[g->id];

		if (!*t)
			*t = table_new(g->nwords, NULL);
		if (!*t || add_part(m, g, &parts[i], *t))
			return -1;
	}
	for (size_t i = 0; i < m->image.aggs.n; i++)
		values += (int64_t)(table_size(sums->tables[i]) * m->image.aggs.v[i].nkeys);
	return values <= UINT32_MAX ? values : -1;
}

/* normalize() is the same everywhere; a machine that has not come to it yet counts for nothing. */
static void normalize(struct agg_set *set, const struct part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].snap->normal > 1)
			agg_normalize(set, parts[i].snap->agg, parts[i].snap->normal);
}

struct agg_set *sum_set(struct merge *m, struct arena *arena, const struct part *parts, size_t n)
{
	struct sums sums = { .tables = calloc(m->image.aggs.n + 1, sizeof(struct table *)) };
	int64_t values = sums.tables ? add_parts(m, &sums, parts, n) : -1;
	struct decoder dec = { .image = &m->image, .names = m->names };
	struct agg_set *set = NULL;

	if (values >= 0) {
		sums.values = ARENA_TRY_ARRAY(arena, struct value, (size_t)values + 1);
		dec.given = sums.values;
		dec.ngiven = (size_t)values;
		set = sums.values ? agg_new(&m->image, NULL, &dec, &m->opts.agg) : NULL;
	}
	for (size_t i = 0; set && i < m->image.aggs.n; i++)
		if (sums.tables[i])
			give_rows(m, arena, &sums, &m->image.aggs.v[i], set);
	if (set)
		normalize(set, parts, n);
	else
		m->failed = true;
	for (size_t i = 0; sums.tables && i < m->image.aggs.n; i++)
		table_drop(sums.tables[i]);
	free(sums.tables);
	return set;
}

/* ---- trunc() ----------------------------------------------------------------------------------------------------- */
/* The key of a row as tables have it, without the machine's name; free() it. Its text is read and written once more
 * because tables have the form that json_dumps() writes. */
static char *row_key(const struct merge *m, struct memory_out *mem, const struct agg *g, const struct agg_row *row)
{
	const char *text;
	json_t *key;
	char *dump;
	size_t len;

	out_str(mem->out, "[");
	for (size_t i = m->to.by_host; i < g->nkeys; i++) {
		out_bytes(mem->out, ",", i > m->to.by_host);
		put_value(mem->out, &row->keys[i]);
	}
	out_str(mem->out, "]");
	text = memory_out_take(mem, &len);
	key = json_loadb(text, len, JSON_ALLOW_NUL, NULL);
	dump = key ? json_dumps(key, JSON_COMPACT) : NULL;
	json_decref(key);
	return dump;
}

/* The state that a source has of a key is what it begins with from now on. */
static void cut_key(struct peer *s, const struct snap *snap, size_t words, const char *text, size_t len)
{
	struct peer_agg *own = peer_agg(s, snap->agg);
	const uint64_t *state = snap->state ? table_get(snap->state, text, len) : NULL;
	uint64_t *base;

	if (!state || !own)
		return;
	if (!base_of(own, snap->gen)) {
		table_drop(own->base);
		own->base = table_new(words, &s->bytes);
	}
	own->base_gen = snap->gen;
	own->base_cleared = false;
	base = own->base ? table_put(own->base, text, len) : NULL;
	if (base)
		memcpy(base, state, words * sizeof(*base));
}

/* The same for all keys of the source that are this one of the aggregation. */
static void cut_taken(const struct merge *m, const struct part *p, const struct agg *g, const char *text, size_t len)
{
	uint64_t *state;
	size_t n;

	for (size_t i = 0; p->snap->state && i < table_size(p->snap->state); i++) {
		const char *all = table_key(p->snap->state, i, &n, &state);
		const struct key k = taken_key(&m->takes[g->id], g->nkeys - m->to.by_host, all, n);

		if (k.text && k.len == len && !memcmp(k.text, text, len))
			cut_key(p->source, p->snap, g->nwords, all, n);
		key_free(&k);
	}
}

static void cut_row(struct merge *m, struct memory_out *mem, const struct agg *g, const struct agg_row *row,
	const struct part *parts, size_t n)
{
	char *key = row_key(m, mem, g, row);

	for (size_t i = 0; key && i < n; i++) {
		char *host = m->to.by_host ? host_shown(m, parts[i].source) : NULL;
		const bool own = !m->to.by_host ||
			(host && row->keys[0].len == strlen(host) && !memcmp(row->keys[0].s, host, row->keys[0].len));

		free(host);
		if (parts[i].snap->agg != g->id || !own)
			continue;
		if (m->takes[g->id].types)
			cut_taken(m, &parts[i], g, key, strlen(key));
		else
			cut_key(parts[i].source, parts[i].snap, g->nwords, key, strlen(key));
	}
	free(key);
}

void sum_clear(struct merge *m, struct peer *s, const struct snap *snap)
{
	const struct agg *g = &m->image.aggs.v[snap->agg];
	struct peer_agg *own = peer_agg(s, snap->agg);
	const struct table *base = own ? base_of(own, snap->gen) : NULL;
	struct table *left = base ? table_new(g->nwords, &s->bytes) : NULL;
	uint64_t *state;
	size_t len;

	for (size_t i = 0; left && i < table_size(base); i++) {
		const char *key = table_key(base, i, &len, &state);
		const uint64_t *now = snap->state ? table_get(snap->state, key, len) : NULL;
		uint64_t *zero =
			now && !memcmp(now, state, g->nwords * sizeof(*now)) ? table_put(left, key, len) : NULL;

		if (zero && g->fn == DW_AGG_SUM)
			zero[1] = 1; /* as decode_state() has a 0 */
	}
	if (!left) /* nothing was cut, or there is no memory: then cut keys come back */
		return;
	table_drop(own->base);
	own->base = left;
	own->base_gen = snap->gen;
	own->base_cleared = true;
}

/* Rows ascend by value, as agg_trunc() has them: the same go. */
void sum_cut(struct merge *m, struct agg_set *set, uint32_t agg, int64_t n, const struct part *parts, size_t nparts)
{
	static const struct agg_opts by_value;
	const struct agg_table *t;
	struct memory_out mem = { .out = NULL };
	uint64_t keep = n < 0 ? -(uint64_t)n : (uint64_t)n;

	agg_set_opts(set, &by_value);
	t = agg_look(set, agg);
	if (t && t->naggs && keep < t->nrows) {
		size_t from = n > 0 ? 0 : (size_t)keep, to = n > 0 ? t->nrows - (size_t)keep : t->nrows;

		bool ready = memory_out_open(&mem, &m->opts);

		for (size_t i = from; ready && i < to; i++)
			cut_row(m, &mem, t->aggs[0], &t->rows[i], parts, nparts);
		memory_out_close(&mem);
	}
	agg_set_opts(set, &m->opts.agg);
}
