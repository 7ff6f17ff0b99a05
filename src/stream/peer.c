/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer: the frames of a session, in the order of their numbers.
 * Input: frames, perhaps out of order, twice or not at all. Output: the source's states, and rows to show.
 * Invariants: a frame counts once; a frame that is not valid is counted and changes nothing; what waits is bounded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "kernel/features.h"
#include "print/sinks.h"
#include "stream/decode.h"
#include "stream/emit.h"
#include "stream/merge_priv.h"
#include "symbols/symtext.h"

#define HELD_MAX 65536u       /* frames that wait for one that is missing */
#define HELD_BYTES (8u << 20) /* of their lines */
#define CHANGES_MAX 1000u     /* of options */
#define SOURCES_MAX 65536u
#define INPUT_MAX 16384u /* sessions of an input, whatever machines it has */
#define SESSIONS_MAX 64u /* of a machine that is expected: it may start its trace again */
#define LOSSES_MAX 100u  /* reports of a source about lost data that are shown */
#define NAME_BYTES 256   /* of a machine's name, of a session */
#define KEY_BYTES (NAME_BYTES + ORIGIN_BYTES + 2)
#define TOLD_BYTES 65536u /* of a frame that says which machines report */
#define ROW_BYTES 512     /* of a row in memory besides its values, about */

/* ---- sources ----------------------------------------------------------------------------------------------------- */
void row_free(struct row *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nsnaps; i++)
		table_drop(r->snaps[i].state);
	*r->used -= r->bytes;
	free(r->snaps);
	json_decref(r->out);
	json_decref(r->options);
	free(r);
}

/* Machines that are named from outside have sessions of their own: one that uses the number of another's takes nothing
 * away. Without a name a session is the same wherever its frames come from, so that a stream given twice counts
 * once. */
static void peer_key(char key[KEY_BYTES], const char *session, const char *origin)
{
	snprintf(key, KEY_BYTES, "%s\n%s", session, origin);
}

/* key: peer_key(). */
static struct peer *peer_new(
	struct merge *m, struct input *in, const char *key, const char *session, const char *origin)
{
	struct host *expected = hosts_find(&m->hosts, origin);
	const bool room =
		m->nsources < SOURCES_MAX && (expected ? expected->sessions < SESSIONS_MAX : in->sessions < INPUT_MAX);
	struct peer *s = room ? calloc(1, sizeof(*s)) : NULL;

	if (!s)
		return NULL;
	*(expected ? &expected->sessions : &in->sessions) += 1;
	s->session = strdup(session);
	s->origin = strdup(origin);
	s->host = strdup(escape_name(m->arena, *origin ? origin : session)); /* until it says its name */
	s->input = in;
	s->expected = expected;
	s->last = &s->first;
	if (!s->session || !s->host || !s->origin) {
		peer_free(s);
		return NULL;
	}
	*m->last = s;
	m->last = &s->next;
	m->nsources++;
	m->moved = true;
	strmap_put(m->by_name, key, s);
	return s;
}

void peer_free(struct peer *s)
{
	if (!s)
		return;
	for (struct row *r = s->first, *next; r; r = next) {
		next = r->next;
		row_free(r);
	}
	row_free(s->open);
	json_decref(s->options);
	json_decref(s->told);
	for (size_t i = 0; i < s->naggs; i++) {
		table_drop(s->aggs[i].state);
		table_drop(s->aggs[i].base);
	}
	for (size_t i = 0; i < s->nheld; i++)
		json_decref(s->held[i].frame);
	free(s->held);
	free(s->aggs);
	free(s->agg_links.to);
	free(s->agg_links.taken);
	free(s->clause_links.to);
	free(s->clause_links.taken);
	free(s->rest);
	free(s->session);
	free(s->origin);
	free(s->host);
	free(s);
}

/* ---- hello ------------------------------------------------------------------------------------------------------- */
/* Options that a machine may set here: how text is laid out, nothing else. */
static bool is_layout_option(const char *name, size_t len)
{
	static const char *const names[] = { "rows", "stackfmt",
#define X(name, field) name,
		FRAME_FLAGS(X) FRAME_NUMBERS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return true;
	return false;
}

void peer_options(struct merge *m, const json_t *frame)
{
	const json_t *list = json_object_get(frame, "options");
	const char *hint;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *option = json_string_value(json_array_get(list, i)),
			   *eq = option ? strchr(option, '=') : NULL;
		char name[32];

		if (!eq || (size_t)(eq - option) >= sizeof(name) || !is_layout_option(option, (size_t)(eq - option)))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(eq - option), option);
		(void)!option_set(&m->opts, m->arena, OPTION_COMMAND, name, eq + 1, &hint);
	}
}

/* NULL: no memory. */
static struct sink *watched_sink(struct merge *m, struct sink *text)
{
	struct sink *s = text && m->to.wrap ? m->to.wrap(m->to.wrap_ctx, text, &m->image, &m->opts) : text;

	m->watched = s != text;
	if (!s)
		sink_free(text);
	return s;
}

/* The first hello says what all of them trace. False: no memory. */
static bool open_sink(struct merge *m, const json_t *frame)
{
	const struct print_to to = { .out = m->out, .options = &m->opts, .report = m->to.report, .stop = m->to.stop };
	struct emit_to emit = {
		.out = m->out, .options = &m->opts, .report = m->to.report, .stop = m->to.stop, .image = &m->image
	};
	const char *script = frame_text(frame, "script");
	int err = 0;

	peer_options(m, frame);
	if (m->to.capture)
		m->opts.capture = m->to.capture->capture;
	m->names = symtext_new(&(struct symtext_opts){ .noresolve = true, .folded = m->opts.folded });
	m->hash = strdup(frame_text(frame, "hash"));
	emit.script = arena_strdup(m->arena, script);
	emit.script_len = strlen(emit.script);
	emit.hash = m->hash;
	m->ahead = (uint64_t)features_walltime_offset();
	if (m->to.sink)
		m->sink = m->to.sink;
	else if (m->to.capture)
		m->sink = capture_sink_new(&to, &err);
	else
		m->sink = m->to.emit ? emit_sink_new(&emit) : watched_sink(m, print_sink_new(&to));
	m->to.sink = NULL;
	return m->names && m->hash && m->sink;
}

static void refuse(struct merge *m, struct peer *s, const char *why)
{
	s->refused = m->moved = true;
	if (peer_may_complain(s))
		report_error(m->to.report, -EINVAL, D_NONE, NULL, "%s: %s", s->host, why);
}

bool peer_may_complain(struct peer *s)
{
	return s->expected || s->input->complaints++ < COMPLAINTS_MAX;
}

/* The machine's own name for itself; what names it from outside counts more. False: no memory. */
static bool take_name(struct merge *m, struct peer *s, const char *host)
{
	char *name = *s->origin || !*host ? NULL : arena_strndup(m->arena, host, strnlen(host, NAME_BYTES));
	char *copy = name ? strdup(escape_name(m->arena, name)) : NULL;

	if (!name)
		return true;
	if (copy) {
		free(s->host);
		s->host = copy;
	}
	return copy != NULL;
}

static bool take_hello(struct merge *m, struct peer *s, const json_t *frame)
{
	if (s->greeted)
		return false;
	s->greeted = true;
	hosts_greet(&m->hosts, s->expected);
	if (!take_name(m, s, frame_text(frame, "host")))
		m->failed = true;
	s->start = frame_number(json_object_get(frame, "clock"), "mono");
	s->ahead = frame_number(json_object_get(frame, "clock"), "wall") - s->start;
	s->met = clock_now();
	if (json_integer_value(json_object_get(frame, "v")) != STREAM_VERSION)
		refuse(m, s, "its stream is of a version that this dwire does not know");
	else if (!m->sink && !open_sink(m, frame))
		m->failed = true;
	else if (m->hash && strcmp(m->hash, frame_text(frame, "hash")) != 0)
		refuse(m, s, "it runs another script; it is left out");
	return true;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */
/* Are the values of a key valid? first: how many of its columns are not the source's. */
static bool is_key(
	struct arena *scratch, const struct agg *g, const struct taking *taking, size_t first, const json_t *key)
{
	struct value v;
	bool ok = json_array_size(key) == (taking->types ? taking->n : g->nkeys - first);

	for (size_t i = 0; ok && i < json_array_size(key); i++)
		ok = decode_value(scratch, json_array_get(key, i),
			taking->types ? &taking->types[i] : g->keys[first + i].given, NULL, &v);
	return ok;
}

/* [[keys], state]. words: room for a state. A key for which there is no room is counted, no more. */
static bool take_key(struct peer *s, struct table *t, const struct agg *g, uint64_t *words, const json_t *row)
{
	char *key = json_dumps(json_array_get(row, 0), JSON_COMPACT);
	uint64_t *state = NULL;
	bool ok = key && decode_state(g, json_array_get(row, 1), words);

	if (ok && (s->bytes < PEER_BYTES || table_get(t, key, strlen(key))))
		state = table_put(t, key, strlen(key));
	if (state)
		memcpy(state, words, g->nwords * sizeof(*words));
	s->over += ok && !state;
	free(key);
	return ok;
}

/* Part 0 of a whole state begins it anew; so does a new generation. */
static bool take_state(struct merge *m, struct peer *s, const json_t *frame)
{
	const int64_t id = links_get(&s->agg_links, json_object_get(frame, "agg"));
	struct peer_agg *a = id >= 0 ? peer_agg(s, (uint32_t)id) : NULL;
	const json_t *part = json_object_get(frame, "part"), *rows = json_object_get(frame, "rows");
	const struct agg *g = a ? &m->image.aggs.v[id] : NULL;
	uint64_t gen = frame_number(frame, "gen"), *words = g ? malloc(g->nwords * sizeof(*words)) : NULL;
	struct arena *scratch = arena_take(&m->scratch);
	bool ok = words && scratch, valid;

	if (ok && (!a->state || a->gen != gen || (json_is_integer(part) && !json_integer_value(part)))) {
		table_drop(a->state);
		a->state = table_new(g->nwords, &s->bytes);
		a->gen = gen;
	}
	ok = ok && a->state && !table_own(&a->state);
	if (ok)
		a->normal = frame_number(frame, "normal");
	valid = ok; /* from here on each key is by itself */
	for (size_t i = 0; valid && i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		ok &= is_key(scratch, g, &m->takes[id], m->to.by_host, json_array_get(row, 0)) &&
			take_key(s, a->state, g, words, row);
	}
	arena_give(&m->scratch, scratch);
	free(words);
	return ok;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* The states that a printa() shows, or that a trunc() or clear() takes back, are those reported just before. */
static bool add_snaps(struct merge *m, struct peer *s, struct row *r, const json_t *items)
{
	const struct epid *ep = &m->image.epids.v[r->clause];

	for (size_t i = 0; i < json_array_size(items); i++) {
		json_int_t n = json_integer_value(json_array_get(json_array_get(items, i), 0));
		const struct action *a = n >= 0 && (size_t)n < ep->nactions ? &ep->actions[n] : NULL;
		struct snap *snaps;

		if (!a || (a->kind != ACT_PRINTA && a->kind != ACT_TRUNC && a->kind != ACT_CLEAR))
			continue;
		snaps = reallocarray(r->snaps, r->nsnaps + a->naggs, sizeof(*snaps));
		if (!snaps)
			return false;
		r->snaps = snaps;
		for (size_t k = 0; k < a->naggs; k++) {
			const struct peer_agg *own = peer_agg(s, a->aggs[k]);

			snaps[r->nsnaps++] = own ? (struct snap){ a->aggs[k], own->gen, own->normal,
				table_hold(own->state), (uint32_t)n }
						 : (struct snap){ .agg = a->aggs[k], .action = (uint32_t)n };
		}
	}
	return true;
}

static void row_at(struct row *r, const struct peer *s, uint64_t time)
{
	r->time = time;
	r->since = time > s->start ? time - s->start : 0;
}

static struct row *row_new(struct peer *s, const json_t *frame)
{
	const int64_t clause = links_get(&s->clause_links, json_object_get(frame, "clause"));
	struct row *r = clause >= 0 ? calloc(1, sizeof(*r)) : NULL;

	if (!r)
		return NULL;
	r->used = &s->bytes;
	r->read = clock_now();
	r->clause = (uint32_t)clause;
	r->is_step = json_object_get(frame, "step") != NULL;
	r->step = frame_number(frame, "step");
	row_at(r, s, frame_number(frame, "t"));
	r->cpu = (unsigned)frame_number(frame, "cpu");
	r->out = json_array();
	return r;
}

/* Each action of a clause acts once, in their order. */
static bool in_order(struct row *r, const json_t *items)
{
	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *n = json_array_get(json_array_get(items, i), 0);

		if (!json_is_integer(n) || json_integer_value(n) < 0 || (uint64_t)json_integer_value(n) < r->action)
			return false;
		r->action = (uint64_t)json_integer_value(n) + 1;
	}
	return true;
}

static void add_row(struct peer *s, struct row *r)
{
	r->options = s->options;
	s->options = NULL;
	if (r->since > s->now)
		s->now = r->since;
	*s->last = r;
	s->last = &r->next;
	s->nrows++;
}

static void count_bytes(struct peer *s, struct row *r, size_t bytes)
{
	r->bytes += bytes;
	s->bytes += bytes;
}

/* Frames with "more" are pieces of one row. bytes: of the frame's line. */
static bool take_row(struct merge *m, struct peer *s, const json_t *frame, size_t bytes)
{
	json_t *items = json_object_get(frame, "out");
	struct row *r = s->open ? s->open : row_new(s, frame);
	bool room = s->bytes + bytes * JSON_BYTES <= PEER_BYTES;

	s->open = NULL;
	s->over += !room;
	if (!r || !room || !r->out || !in_order(r, items) || json_array_extend(r->out, items) ||
		!add_snaps(m, s, r, items)) {
		row_free(r);
		return r && !room;
	}
	count_bytes(s, r, bytes * JSON_BYTES);
	if (json_is_true(json_object_get(frame, "more")))
		s->open = r;
	else
		add_row(s, r);
	return true;
}

/* [ns since the frame's time, CPU, items…]. bytes: what it takes in memory, about. */
static bool take_grouped(struct merge *m, struct peer *s, const json_t *frame, const json_t *row, size_t bytes)
{
	struct row *r = frame_is_grouped(row) ? row_new(s, frame) : NULL;
	bool ok = r && r->out;

	if (ok)
		row_at(r, s, r->time + (uint64_t)json_integer_value(json_array_get(row, 0)));
	for (size_t i = 2; ok && i < json_array_size(row); i++)
		ok = !json_array_append(r->out, json_array_get(row, i));
	if (!ok || !in_order(r, r->out) || !add_snaps(m, s, r, r->out)) {
		row_free(r);
		return false;
	}
	r->cpu = (unsigned)json_integer_value(json_array_get(row, 1));
	count_bytes(s, r, bytes);
	add_row(s, r);
	return true;
}

/* Rows for which there is no room are counted, no more. bytes: of the frame's line. */
static bool take_rows(struct merge *m, struct peer *s, const json_t *frame, size_t bytes)
{
	const json_t *rows = json_object_get(frame, "rows");
	const size_t n = json_array_size(rows), each = n ? bytes / n * JSON_BYTES + ROW_BYTES : 0;
	bool ok = json_is_array(rows);

	for (size_t i = 0; i < n; i++) {
		if (s->bytes + each <= PEER_BYTES)
			ok &= take_grouped(m, s, frame, json_array_get(rows, i), each);
		else
			s->over++;
	}
	return ok;
}

/* ---- the other frames -------------------------------------------------------------------------------------------- */
static bool take_rest(struct peer *s, const json_t *frame)
{
	const json_t *ids = json_object_get(frame, "aggs");
	size_t n = json_array_size(ids);
	uint32_t *rest = calloc(n + 1, sizeof(*rest));

	if (!rest)
		return false;
	free(s->rest);
	s->rest = rest;
	s->nrest = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t id = links_get(&s->agg_links, json_array_get(ids, i));

		if (id >= 0)
			rest[s->nrest++] = (uint32_t)id;
	}
	return true;
}

static bool take_end(struct peer *s, const json_t *frame)
{
	s->ended = s->complete = true;
	s->status = (int)json_integer_value(json_object_get(frame, "status"));
	return true;
}

/* What a merge says of its machines. */
static bool take_told(struct peer *s, json_t *frame, size_t bytes)
{
	if (bytes > TOLD_BYTES)
		return false;
	json_decref(s->told);
	s->told = json_incref(frame);
	return true;
}

static void take_loss(struct merge *m, struct peer *s, const json_t *frame, bool drops)
{
	const bool packets = drops && m->to.capture && m->sink;
	char all[512];

	if (packets && !strcmp(frame_text(frame, "cause"), drop_name(DROP_RING)))
		capture_sink_lost(m->sink, frame_number(frame, "count"));

	if (s->losses < LOSSES_MAX)
		report_note(m->to.report, "%s: %s", s->host, frame_text(frame, "text"));
	else if (s->losses == LOSSES_MAX)
		report_note(m->to.report, "%s: more reports of lost data, which are not shown", s->host);
	s->losses += s->losses <= LOSSES_MAX;
	if (!drops || !m->to.emit || !m->sink)
		return;
	snprintf(all, sizeof(all), "%s: %s", s->host, frame_text(frame, "text"));
	emit_lost(m->sink, frame_text(frame, "cause"), frame_number(frame, "count"), all);
}

/* How text is laid out is up to the first source. */
static bool take_changes(const struct merge *m, struct peer *s, const json_t *frame)
{
	if (s != m->sources)
		return true;
	if (++s->changes > CHANGES_MAX)
		return false;
	json_decref(s->options);
	s->options = json_deep_copy(frame);
	return true;
}

/* What is described stays. */
static bool take_description(struct merge *m, struct peer *s, const json_t *frame, size_t bytes, bool is_agg)
{
	if (s->bytes + bytes * JSON_BYTES > PEER_BYTES) {
		s->over++;
		return true;
	}
	s->bytes += bytes * JSON_BYTES;
	return is_agg ? schema_agg(m, s, frame) : schema_clause(m, s, frame);
}

/* True also of a frame of a kind that later versions may add. bytes: of its line. */
static bool take_one(struct merge *m, struct peer *s, json_t *frame, size_t bytes)
{
	const enum frame kind = frame_kind(frame_text(frame, "f"));

	if (!s->greeted && kind != FRAME_HELLO) {
		refuse(m, s, "the beginning of its stream is missing; it is left out");
		return true;
	}
	if (kind == FRAME_ROW || kind == FRAME_ROWS || kind == FRAME_BEAT || kind == FRAME_END) {
		m->moved |= !s->begun;
		s->begun = true;
		hosts_begin(&m->hosts, s->expected);
	}
	switch (kind) {
	case FRAME_HELLO:
		return take_hello(m, s, frame);
	case FRAME_OPTIONS:
		return take_changes(m, s, frame);
	case FRAME_CLAUSE:
	case FRAME_AGG:
		return take_description(m, s, frame, bytes, kind == FRAME_AGG);
	case FRAME_STATE:
		return take_state(m, s, frame);
	case FRAME_ROW:
		return take_row(m, s, frame, bytes);
	case FRAME_ROWS:
		return take_rows(m, s, frame, bytes);
	case FRAME_REST:
		return take_rest(s, frame);
	case FRAME_FAULT:
	case FRAME_DROPS:
		take_loss(m, s, frame, kind == FRAME_DROPS);
		return true;
	case FRAME_HOSTS:
		return take_told(s, frame, bytes);
	case FRAME_BEAT:
		m->nbeats++;
		if (frame_number(frame, "t") > s->start + s->now)
			s->now = frame_number(frame, "t") - s->start;
		return true;
	case FRAME_END:
		m->moved = true;
		return take_end(s, frame);
	case FRAME_SNAPSHOT: /* for recorders */
	case FRAME_COUNT:
		break;
	}
	return true;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
static void take_in_turn(struct merge *m, struct peer *s, json_t *frame, size_t bytes)
{
	s->seq++;
	if (!s->refused && (s->complete || !take_one(m, s, frame, bytes)))
		s->bad++;
}

/* Keeps a frame until its turn, in order; one that is there already is not kept twice. */
static void hold(struct peer *s, uint64_t seq, json_t *frame, size_t bytes)
{
	size_t i = s->nheld;

	if (s->nheld == s->held_cap) {
		size_t cap = s->held_cap ? s->held_cap * 2 : 64;
		struct held *held = reallocarray(s->held, cap, sizeof(*held));

		if (!held) {
			s->lost++;
			return;
		}
		s->held = held;
		s->held_cap = cap;
	}
	while (i && s->held[i - 1].seq > seq)
		i--;
	if (i && s->held[i - 1].seq == seq)
		return;
	memmove(&s->held[i + 1], &s->held[i], (s->nheld - i) * sizeof(*s->held));
	s->held[i] = (struct held){ seq, json_incref(frame), bytes };
	s->held_bytes += bytes;
	s->nheld++;
}

/* Those whose turn has come. */
static void take_held(struct merge *m, struct peer *s)
{
	size_t n = 0;

	for (; n < s->nheld && s->held[n].seq <= s->seq; n++) {
		if (s->held[n].seq == s->seq)
			take_in_turn(m, s, s->held[n].frame, s->held[n].bytes);
		json_decref(s->held[n].frame);
		s->held_bytes -= s->held[n].bytes;
	}
	if (n)
		memmove(s->held, s->held + n, (s->nheld - n) * sizeof(*s->held));
	s->nheld -= n;
}

void peer_give_up(struct merge *m, struct peer *s)
{
	while (s->nheld) {
		if (s->held[0].seq > s->seq) {
			s->lost += s->held[0].seq - s->seq;
			s->seq = s->held[0].seq;
		}
		take_held(m, s);
	}
}

enum taken peer_take(struct merge *m, struct input *in, json_t *frame, size_t bytes, const char *origin)
{
	const char *session = frame_text(frame, "s");
	uint64_t seq = frame_number(frame, "n");
	char key[KEY_BYTES];
	struct peer *s;

	if (!*session || strlen(session) > NAME_BYTES)
		return TAKEN_STRANGE;
	peer_key(key, session, origin);
	s = strmap_get(m->by_name, key);
	if (!s)
		s = peer_new(m, in, key, session, origin);
	if (!s)
		return TAKEN_CROWDED;
	if (s->input != in)
		return TAKEN_STRANGE;
	s->seen = clock_now();
	m->moved |= s->silent;
	if (s->silent)
		report_note(m->to.report, "%s: reports again", s->host);
	s->silent = false;
	if (seq == s->seq)
		take_in_turn(m, s, frame, bytes);
	else if (seq > s->seq)
		hold(s, seq, frame, bytes);
	take_held(m, s);
	if (s->nheld >= HELD_MAX || s->held_bytes > HELD_BYTES)
		peer_give_up(m, s);
	return TAKEN;
}
