/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model: see model.h. Input: lines. Output: sessions with their aggregations' states.
 * Invariants: a frame counts once, also if it comes again; one that is not valid changes nothing but a counter. Frames
 * are taken as they come: states are cumulative, so a lost or late one is made good by the next whole state. */
#include "export/model.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agg/words.h"
#include "base/clock.h"
#include "export/labels.h"
#include "stream/decode.h"
#include "stream/frame.h"

/* ---- traces ------------------------------------------------------------------------------------------------------ */
/* A copy of at most NAME_BYTES_MAX bytes, fit to be a label. */
static char *name_copy(struct arena *a, const char *s)
{
	char *clean = label_clean(s, strnlen(s, NAME_BYTES_MAX));
	char *copy = arena_strdup(a, clean ? clean : "");

	if (!clean)
		arena_fail(a);
	free(clean);
	return copy;
}

static void trace_free(struct trace *s)
{
	for (size_t i = 0; i < s->nmetrics; i++) {
		table_drop(s->metrics[i]->state);
		table_drop(s->metrics[i]->next);
	}
	json_decref(s->clauses);
	arena_free(s->arena);
	free(s);
}

/* A session belongs to the name before its lines, as in dwire merge: one of another machine is another session. */
static struct trace **find_trace(struct model *m, const char *session, const char *origin)
{
	struct trace **at = &m->traces;

	while (*at && (strcmp((*at)->session, session) != 0 || strcmp((*at)->origin, origin) != 0))
		at = &(*at)->next;
	return at;
}

/* One machine's sessions leave room for those of others. */
static bool has_room(const struct model *m, const char *origin)
{
	size_t n = 0;

	for (const struct trace *s = m->traces; *origin && s; s = s->next)
		n += !strcmp(s->origin, origin);
	return m->ntraces < TRACES_MAX && n < NAMED_MAX;
}

static void forget(struct model *m, struct trace **at)
{
	struct trace *s = *at;

	*at = s->next;
	m->ntraces--;
	m->version++;
	trace_free(s);
}

/* A trace that was started again takes the place of the one that has ended: its counts begin anew. */
static void forget_former(struct model *m, const struct trace *by)
{
	for (struct trace **at = &m->traces; *at;) {
		struct trace *s = *at;

		if (s != by && s->ended && !strcmp(s->host, by->host) && !strcmp(s->script, by->script))
			forget(m, at);
		else
			at = &s->next;
	}
}

/* As the streams of dwire have it: some hexadecimal digits. */
static bool is_session(const char *s)
{
	size_t n = strlen(s);

	return n && n <= 64 && strspn(s, "0123456789abcdef") == n;
}

/* NULL: it is refused, or there is no memory. */
static struct trace *greet(struct model *m, const json_t *frame, const char *origin)
{
	const json_t *clock = json_object_get(frame, "clock");
	bool known =
		json_integer_value(json_object_get(frame, "v")) == STREAM_VERSION && is_session(frame_text(frame, "s"));
	struct trace *s = known && has_room(m, origin) ? calloc(1, sizeof(*s)) : NULL;

	if (!s)
		return NULL;
	s->arena = arena_new();
	if (!s->arena) {
		free(s);
		return NULL;
	}
	s->session = name_copy(s->arena, frame_text(frame, "s"));
	s->origin = arena_strdup(s->arena, origin);
	s->host = name_copy(s->arena, *origin ? origin : frame_text(frame, "host"));
	s->kernel = name_copy(s->arena, frame_text(frame, "kernel"));
	s->version = name_copy(s->arena, frame_text(frame, "dwire"));
	s->script = name_copy(s->arena, frame_text(frame, "hash"));
	s->start = frame_number(clock, "wall");
	s->offset = (int64_t)(s->start - frame_number(clock, "mono"));
	s->next = m->traces;
	m->traces = s;
	m->ntraces++;
	forget_former(m, s);
	return s;
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
static struct metric *find_metric(const struct trace *s, const json_t *id)
{
	for (size_t i = 0; i < s->nmetrics; i++)
		if (json_is_integer(id) && s->metrics[i]->number == json_integer_value(id))
			return s->metrics[i];
	return NULL;
}

static bool listed(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* Numbers of processes and threads make a series of each process, so they are labels only if asked for. */
static bool is_hidden(const struct label_rules *rules, const char *label)
{
	size_t n = strlen(label);

	if (listed(rules->hide, label))
		return true;
	if (listed(rules->show, label))
		return false;
	return n >= 3 && (!strcmp(label + n - 3, "pid") || !strcmp(label + n - 3, "tid"));
}

/* Labels that mean something else where metrics are read. */
static bool is_reserved(const char *label)
{
	static const char *const names[] = { "le", "quantile", "host", "job", "instance", "otel_metric_overflow",
		NULL };

	return listed(names, label) || !strncmp(label, "__", 2);
}

/* A label is letters, digits and _, and begins with no digit. i: which column it is. */
static char *label_of(struct arena *a, const char *name, size_t i)
{
	const char *arrow = name ? strrchr(name, '>') : NULL;
	const char *from = arrow ? arrow + 1 : name;
	char *label = from && *from ? name_copy(a, from) : arena_printf(a, "key%zu", i + 1);

	for (char *p = label; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	if (isdigit((unsigned char)*label) || is_reserved(label))
		label = arena_printf(a, "key_%s", label);
	return label;
}

static bool take_columns(const struct model *m, struct trace *s, struct metric *g, const json_t *keys)
{
	g->ncolumns = json_array_size(keys);
	g->columns = ARENA_ARRAY(s->arena, struct column, g->ncolumns + 1);
	for (size_t i = 0; i < g->ncolumns; i++) {
		struct column *c = &g->columns[i];

		if (!decode_field(s->arena, json_array_get(keys, i), &c->field))
			return false;
		c->label = label_of(s->arena, c->field.name, i);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(c->label, g->columns[k].label))
				c->label = arena_printf(s->arena, "%s_%zu", c->label, i + 1);
		c->hidden = is_hidden(&m->rules, c->label);
	}
	return true;
}

static bool take_agg(const struct model *m, struct trace *s, const json_t *frame)
{
	const json_t *keys = json_object_get(frame, "keys"), *id = json_object_get(frame, "agg");
	struct metric *g;

	if (find_metric(s, id))
		return true; /* it came again */
	if (s->nmetrics == METRICS_MAX || !json_is_integer(id) || json_array_size(keys) > COLUMNS_MAX)
		return false;
	g = ARENA_NEW(s->arena, struct metric);
	g->number = json_integer_value(id);
	g->start = s->start;
	if (!decode_agg(s->arena, frame, &g->g) || !take_columns(m, s, g, keys) || arena_failed(s->arena))
		return false;
	s->metrics[s->nmetrics++] = g;
	return true;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */
/* A key with its state: [[key, ...], state]. False: it is not valid. */
static bool take_key(struct trace *s, struct metric *g, struct table *t, uint64_t *words, const json_t *row)
{
	const json_t *key = json_array_get(row, 0);
	char *name = json_array_size(key) == g->ncolumns ? json_dumps(key, JSON_COMPACT) : NULL;
	size_t len = name ? strlen(name) : 0;
	const uint64_t *former = name && g->state && t == g->state ? table_get(t, name, len) : NULL;
	uint64_t *state;

	if (!name || !decode_state(&g->g, json_array_get(row, 1), words)) {
		free(name);
		return false;
	}
	if (g->g.fn == DW_AGG_SUM)
		g->fell |= (int64_t)words[0] < 0 || (former && (int64_t)words[0] < (int64_t)former[0]);
	state = former || s->bytes < TRACE_BYTES ? table_put(t, name, len) : NULL;
	if (state)
		memcpy(state, words, g->g.nwords * sizeof(*words));
	else
		s->refused_keys++;
	free(name);
	return true;
}

/* All parts of a whole state are there: from now on it counts. */
static void settle(struct metric *g)
{
	if (!g->next)
		return;
	table_drop(g->state);
	g->state = g->next;
	g->next = NULL;
	if (g->next_start)
		g->start = g->next_start;
	g->next_start = 0;
}

/* Part 0 of a whole state begins it anew; so does a new generation. */
static struct table *table_for(struct trace *s, struct metric *g, const json_t *part, uint64_t gen)
{
	bool whole = json_is_integer(part), first = whole && !json_integer_value(part);
	struct table **t = whole && (first || g->next) ? &g->next : &g->state;

	if (first)
		settle(g);
	if (gen != g->gen) {
		if (!whole) {
			table_drop(g->state);
			g->state = NULL;
		}
		g->gen = gen;
		*(whole ? &g->next_start : &g->start) = clock_wall();
	}
	if (!*t)
		*t = table_new(g->g.nwords, &s->bytes);
	return *t;
}

static bool take_state(struct trace *s, const json_t *frame)
{
	struct metric *g = find_metric(s, json_object_get(frame, "agg"));
	const json_t *rows = json_object_get(frame, "rows");
	uint64_t seq = frame_number(frame, "n");
	uint64_t *words = g ? malloc(g->g.nwords * sizeof(*words)) : NULL;
	struct table *t = NULL;
	bool ok = words != NULL;

	if (ok && g->seq && seq <= g->seq) {
		free(words);
		return true; /* what came later is newer */
	}
	if (ok) {
		g->seq = seq;
		t = table_for(s, g, json_object_get(frame, "part"), frame_number(frame, "gen"));
	}
	for (size_t i = 0; t && i < json_array_size(rows); i++)
		ok &= take_key(s, g, t, words, json_array_get(rows, i));
	free(words);
	return ok && t;
}

/* ---- the other frames -------------------------------------------------------------------------------------------- */
static void take_drops(struct trace *s, const json_t *frame)
{
	const char *name = frame_text(frame, "cause");
	size_t i = 0;

	while (i < s->ncauses && strncmp(s->causes[i].name, name, NAME_BYTES_MAX) != 0)
		i++;
	if (i == CAUSES_MAX)
		i--; /* more causes than there are: a hostile machine */
	if (i == s->ncauses)
		s->causes[s->ncauses++].name = name_copy(s->arena, name);
	s->causes[i].n += frame_number(frame, "count");
}

static json_t *clause_of(const struct trace *s, const json_t *row)
{
	char number[24];

	snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(row, "clause")));
	return json_object_get(s->clauses, number);
}

/* Descriptions are kept only for rows that go somewhere. */
static bool take_clause(const struct model *m, struct trace *s, json_t *frame)
{
	char number[24];

	if (!m->row)
		return true;
	if (!s->clauses)
		s->clauses = json_object();
	if (json_object_size(s->clauses) >= CLAUSES_MAX)
		return false;
	snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(frame, "clause")));
	return !json_object_set(s->clauses, number, frame);
}

static void take_row(const struct model *m, struct trace *s, const json_t *frame)
{
	const struct model_row row = {
		.clause = clause_of(s, frame), .time = frame_number(frame, "t"), .items = json_object_get(frame, "out")
	};

	s->rows++;
	if (m->row && row.clause)
		m->row(m->ctx, s, &row);
}

static bool take_rows(const struct model *m, struct trace *s, const json_t *frame)
{
	const json_t *rows = json_object_get(frame, "rows");
	const uint64_t time = frame_number(frame, "t");
	struct model_row row = { .clause = m->row ? clause_of(s, frame) : NULL, .first = 2 };
	bool ok = json_is_array(rows);

	for (size_t i = 0; i < json_array_size(rows); i++) {
		row.items = json_array_get(rows, i);
		if (!frame_is_grouped(row.items)) {
			ok = false;
			continue;
		}
		s->rows++;
		row.time = time + (uint64_t)json_integer_value(json_array_get(row.items, 0));
		if (row.clause)
			m->row(m->ctx, s, &row);
	}
	return ok;
}

static void take_end(struct trace *s, const json_t *frame)
{
	s->ended = true;
	s->status = (int)json_integer_value(json_object_get(frame, "status"));
}

/* late: later ones came before. What describes or is cumulative still counts. */
static bool take_frame(struct model *m, struct trace *s, json_t *frame, bool late)
{
	enum frame kind = frame_kind(frame_text(frame, "f"));

	if (kind == FRAME_AGG)
		return take_agg(m, s, frame);
	if (kind == FRAME_CLAUSE)
		return take_clause(m, s, frame);
	if (kind == FRAME_STATE)
		return take_state(s, frame);
	if (late)
		return true;
	if (kind == FRAME_DROPS)
		take_drops(s, frame);
	else if (kind == FRAME_ROW)
		take_row(m, s, frame);
	else if (kind == FRAME_ROWS)
		return take_rows(m, s, frame);
	else if (kind == FRAME_END)
		take_end(s, frame);
	return true;
}

/* A frame that is no part of a whole state ends those that are open. */
static void settle_all(struct trace *s, const json_t *frame)
{
	const json_t *part = json_object_get(frame, "part");

	for (size_t i = 0; i < s->nmetrics; i++)
		if (!part || !json_is_integer(part) || find_metric(s, json_object_get(frame, "agg")) != s->metrics[i])
			settle(s->metrics[i]);
}

static void take(struct model *m, json_t *frame, const char *origin)
{
	const char *session = frame_text(frame, "s");
	struct trace *s = *find_trace(m, session, origin);
	uint64_t seq = frame_number(frame, "n");
	bool late;

	if (!s && frame_kind(frame_text(frame, "f")) == FRAME_HELLO)
		s = greet(m, frame, origin);
	if (!s) {
		m->unknown++;
		return;
	}
	late = seq < s->next_seq;
	if (!late) {
		s->lost += seq - s->next_seq;
		s->next_seq = seq + 1;
		settle_all(s, frame);
	}
	s->seen = clock_now();
	s->frames++;
	s->bad += !take_frame(m, s, frame, late);
	m->version++;
}

void model_line(struct model *m, const char *line, size_t len)
{
	char origin[ORIGIN_BYTES];
	json_t *frame = frame_read(line, len, origin);

	if (frame)
		take(m, frame, origin);
	else if (len)
		m->strange++;
	json_decref(frame);
}

bool model_is_first(const struct model *m, const struct trace *s)
{
	for (const struct trace *b = m->traces; b != s; b = b->next)
		if (!strcmp(b->host, s->host))
			return false;
	return true;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
void model_age(struct model *m, uint64_t now)
{
	for (struct trace **at = &m->traces; *at;) {
		struct trace *s = *at;

		if (now > s->seen + (s->ended ? ENDED_NS : STALE_NS))
			forget(m, at);
		else
			at = &s->next;
	}
}

bool model_ended(const struct model *m, int *status)
{
	*status = 0;
	for (const struct trace *s = m->traces; s; s = s->next) {
		if (!s->ended)
			return false;
		if (s->status > *status)
			*status = s->status;
	}
	return m->traces != NULL;
}

void model_free(struct model *m)
{
	while (m->traces)
		forget(m, &m->traces);
}
