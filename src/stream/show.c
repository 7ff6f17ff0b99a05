/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show: rows on their way to the sink.
 * A row of a probe is shown as soon as it is its turn. A step, which each machine has once, waits until every machine
 * that is not late has it too; then it is shown once, with the sums of all.
 * Input: the rows of each source in their order. Output: calls of the sink.
 * Invariant: the rows of a source keep their order, but for a step that other machines are ahead with. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "print/sinks.h"
#include "stream/decode.h"
#include "stream/emit.h"
#include "stream/merge_priv.h"

/* ---- one row ----------------------------------------------------------------------------------------------------- */
/* A row of a step, of each source that has it; of a plain row, of the one. */
struct shown {
	struct merge *m;
	struct arena *arena;
	const struct row *row; /* of the first that has it */
	struct peer **sources;
	struct row **rows;
	size_t n;
	bool only_texts; /* of a source by itself: values are not taken back */
	struct part *parts;
	struct snap *kept; /* the last states of sources that do not have the step */
};

/* A new step shows an aggregation: its round ends if most sources that were shown before have taken values back since.
 * One source alone cannot make the last values of others vanish. */
static void begin_round(struct merge *m, uint32_t agg, const struct part *parts, size_t n)
{
	struct peer_agg *own;
	size_t known = 0, risen = 0;

	for (size_t i = 0; i < n; i++) {
		own = peer_agg(parts[i].source, agg);
		known += own && own->shown;
		risen += own && own->shown && parts[i].snap->gen >= own->shown;
	}
	m->rounds[agg] += risen > known / 2;
	for (size_t i = 0; i < n; i++) {
		own = peer_agg(parts[i].source, agg);
		if (own) {
			own->shown = parts[i].snap->gen + 1;
			own->round = m->rounds[agg];
		}
	}
}

/* A source that does not have the step still counts with what it had, as on one machine: until it has been shown and
 * then taken back. One that may still send the step counts by that, once values are taken back at all. */
static bool keeps(const struct merge *m, const struct peer *s, uint32_t agg, struct snap *out)
{
	struct peer_agg *a = peer_agg(s, agg);
	const uint64_t round = m->rounds[agg];
	bool fresh;

	if (!a || !a->state)
		return false;
	fresh = a->gen >= a->shown;
	if (!sum_is_marked(m, s) && (fresh ? round && !s->ended : a->round != round))
		return false;
	if (fresh) {
		a->shown = a->gen + 1;
		a->round = round;
	}
	*out = (struct snap){ .agg = agg, .gen = a->gen, .normal = a->normal, .state = a->state };
	return true;
}

static bool has_row(const struct shown *sh, const struct peer *s)
{
	return s->show == sh->m->nshows;
}

/* What a row has of the k-th aggregation of its number-th action; NULL: nothing. A row need not have all actions. */
static const struct snap *find_snap(const struct row *row, uint32_t number, size_t k)
{
	size_t lo = 0, hi = row->nsnaps;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (row->snaps[mid].action < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo + k < row->nsnaps && row->snaps[lo + k].action == number ? &row->snaps[lo + k] : NULL;
}

/* The parts of the aggregations of an action. Returns how many there are. */
static size_t parts_of(struct shown *sh, const struct record *r, const struct action *a)
{
	const uint32_t number = (uint32_t)(a - r->epid->actions);
	size_t n = 0;

	for (size_t k = 0; k < a->naggs; k++) {
		const size_t first = n;

		for (size_t i = 0; i < sh->n; i++) {
			const struct snap *snap = find_snap(sh->rows[i], number, k);

			if (snap)
				sh->parts[n++] = (struct part){ sh->sources[i], snap };
		}
		begin_round(sh->m, a->aggs[k], &sh->parts[first], n - first);
		for (struct peer *s = sh->m->sources; s; s = s->next) {
			if (has_row(sh, s) || s->refused || !keeps(sh->m, s, a->aggs[k], &sh->kept[n]))
				continue;
			sh->parts[n] = (struct part){ s, &sh->kept[n] };
			n++;
		}
	}
	return n;
}

/* The result has the generations of all its sources together: it rises with each. */
static void pass_generation(struct merge *m, uint32_t agg, const struct part *parts, size_t n)
{
	uint64_t sum = 0;

	for (const struct peer *s = m->sources; s; s = s->next) {
		const struct peer_agg *own = peer_agg(s, agg);
		uint64_t gen = own ? own->gen : 0;

		for (size_t i = 0; i < n; i++)
			if (parts[i].source == s && parts[i].snap->agg == agg)
				gen = parts[i].snap->gen;
		sum += gen;
	}
	m->sink->ops->generation(m->sink, agg, sum);
}

static void pass_generations(const struct shown *sh, const struct action *a, size_t nparts)
{
	for (size_t k = 0; sh->m->sink->ops->generation && k < a->naggs; k++)
		pass_generation(sh->m, a->aggs[k], sh->parts, nparts);
}

static void show_printa(struct shown *sh, const struct record *r, const struct action *a)
{
	struct merge *m = sh->m;
	size_t n = parts_of(sh, r, a);
	struct agg_set *set = sum_set(m, sh->arena, sh->parts, n);

	if (!set)
		return;
	pass_generations(sh, a, n);
	m->sink->ops->printa(m->sink, r, &(struct printa){ set, a->fmt, a->aggs, a->naggs, a });
	for (size_t i = 0; i < a->naggs; i++)
		if (agg_done(set, a->aggs[i]))
			m->printed[a->aggs[i]] = true;
	agg_free(set);
}

/* A sink that passes the stream on leaves trunc() to its reader. */
static void show_trunc(struct shown *sh, const struct record *r, const struct action *a, const json_t *item)
{
	struct merge *m = sh->m;
	int64_t n = json_integer_value(json_array_get(item, 1));
	size_t nparts = parts_of(sh, r, a);
	struct agg_set *set = n ? sum_set(m, sh->arena, sh->parts, nparts) : NULL;

	if (set)
		pass_generations(sh, a, nparts);
	if (set && (!m->sink->ops->reset || !m->sink->ops->reset(m->sink, r, a, set, n)))
		sum_cut(m, set, a->aggs[0], n, sh->parts, nparts);
	agg_free(set);
}

/* Each source takes back what it has. A stream that is written says so, with the sums before it. */
static void show_clear(struct shown *sh, const struct record *r, const struct action *a)
{
	struct merge *m = sh->m;
	size_t nparts = parts_of(sh, r, a);
	struct agg_set *set = m->sink->ops->reset ? sum_set(m, sh->arena, sh->parts, nparts) : NULL;

	if (set) {
		pass_generations(sh, a, nparts);
		(void)!m->sink->ops->reset(m->sink, r, a, set, 0);
	}
	for (size_t i = 0; i < nparts; i++)
		if (has_row(sh, sh->parts[i].source))
			sum_clear(m, sh->parts[i].source, sh->parts[i].snap);
	agg_free(set);
}

static void show_values(struct shown *sh, const struct record *r, const struct action *a, const json_t *item)
{
	struct merge *m = sh->m;
	size_t n = json_array_size(item) - 1;
	struct value *v = ARENA_TRY_ARRAY(sh->arena, struct value, a->nargs + 2);

	if (!v)
		return;
	for (size_t i = 0; i < a->nargs; i++)
		if (i >= n || !decode_value(sh->arena, json_array_get(item, i + 1), &a->args[i], m->names, &v[i]))
			v[i] = (struct value){ .kind = VALUE_TEXT, .field = FIELD_CHARS, .s = "?", .len = 1 };
	m->sink->ops->item(m->sink, r, a, v);
}

static void show_item(struct shown *sh, const struct record *r, const json_t *item)
{
	const json_t *number = json_array_get(item, 0);
	json_int_t i = json_integer_value(number);
	const struct action *a;

	if (!json_is_integer(number) || i < 0 || (size_t)i >= r->epid->nactions)
		return;
	a = &r->epid->actions[i];
	if (a->kind == ACT_PRINTA)
		show_printa(sh, r, a);
	else if (a->kind == ACT_TRUNC)
		show_trunc(sh, r, a, item);
	else if (a->kind == ACT_CLEAR && !sh->only_texts)
		show_clear(sh, r, a);
	else if (a->kind != ACT_EXIT && a->kind != ACT_CLEAR)
		show_values(sh, r, a, item);
}

/* A stream that is written has one clock: ours. So has a file of packets, which know the time since 1970: its writer
 * adds what our wall clock is ahead. */
static uint64_t time_of(const struct merge *m, const struct peer *s, const struct row *row)
{
	if (m->to.emit)
		return s->met + row->since;
	return m->to.capture ? row->time + s->ahead - m->ahead : row->time;
}

/* Calls the sink for the row of sh. */
static void show(struct shown *sh)
{
	struct merge *m = sh->m;
	const struct row *row = sh->row;
	const struct epid *ep = &m->image.epids.v[row->clause];
	const uint64_t time = time_of(m, sh->sources[0], row);
	struct record r = { .time = time, .cpu = row->cpu, .probe = &m->image.probes.v[ep->probe], .epid = ep };
	size_t sources = (m->nsources + sh->n) * AGG_JOIN_MAX;

	m->now = row->since;
	m->nshows++;
	for (size_t i = 0; i < sh->n; i++)
		sh->sources[i]->show = m->nshows;
	sh->arena = arena_new();
	sh->parts = calloc(sources + 1, sizeof(*sh->parts));
	sh->kept = calloc(sources + 1, sizeof(*sh->kept));
	if (sh->arena && sh->parts && sh->kept) {
		m->sink->ops->begin(m->sink, &r);
		for (size_t i = 0; i < json_array_size(row->out); i++)
			show_item(sh, &r, json_array_get(row->out, i));
		m->sink->ops->end(m->sink, &r);
	} else {
		m->failed = true;
	}
	free(sh->parts);
	free(sh->kept);
	arena_free(sh->arena);
}

/* By host a row begins with the machine's name; what was written before is of another. */
static void show_plain(struct merge *m, struct peer *s, struct row *r)
{
	struct shown sh = { .m = m, .row = r, .sources = &s, .rows = &r, .n = 1, .only_texts = true };

	if (r->options)
		peer_options(m, r->options);
	if (m->to.by_host) {
		(void)!sink_flush(m->sink);
		m->prefix = s->host;
	}
	show(&sh);
	if (m->to.by_host) {
		(void)!sink_flush(m->sink);
		m->prefix = NULL;
	}
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */
/* Takes a row out of its source. */
static struct row *take(struct peer *s, struct row *prev, struct row *r)
{
	if (prev)
		prev->next = r->next;
	else
		s->first = r->next;
	if (s->last == &r->next)
		s->last = prev ? &prev->next : &s->first;
	s->nrows--;
	r->next = NULL;
	return r;
}

static bool same_step(const struct row *a, const struct row *b)
{
	return b->is_step && a->clause == b->clause && a->step == b->step;
}

/* The same step of another source, wherever it stands; *prev: the row before it. */
static struct row *find_step(const struct peer *s, const struct row *step, struct row **prev)
{
	*prev = NULL;
	for (struct row *r = s->first; r; *prev = r, r = r->next)
		if (same_step(step, r))
			return r;
	return NULL;
}

/* Does a source keep the others waiting? It does while it may still send the step: until it has ended, is silent, is
 * two beats beyond the step's time, or has had WAIT_NS. Times are those since each source's start. */
static bool waits_for(struct peer *s, struct row *step)
{
	struct row *prev;

	if (s->ended || s->refused || find_step(s, step, &prev))
		return false;
	if (!s->input->file && clock_now() > step->read + WAIT_NS)
		return false; /* whatever it says of its own clock */
	return !s->silent && s->now < step->since + SILENT_NS;
}

static bool is_complete(struct merge *m, struct peer *own, struct row *step)
{
	if (m->hosts.awaited && clock_now() < step->read + WAIT_NS)
		return false;
	for (struct peer *s = m->sources; s; s = s->next)
		if (s != own && waits_for(s, step))
			return false;
	return true;
}

/* Of the rows of a step the one that shows most: a machine may send less. n > 0. */
static struct row *fullest(struct row **rows, size_t n)
{
	struct row *best = rows[0];

	for (size_t i = 1; i < n; i++)
		if (rows[i]->nsnaps > best->nsnaps)
			best = rows[i];
	return best;
}

/* Does the step show sums? Others show what is the same on all machines, or each machine's own. */
static bool has_sums(const struct merge *m, const struct row *r)
{
	const struct epid *ep = &m->image.epids.v[r->clause];

	for (size_t i = 0; i < r->nsnaps; i++)
		if (ep->actions[r->snaps[i].action].kind != ACT_CLEAR)
			return true;
	return false;
}

/* A row as text, by a separate sink; for comparisons only. NULL: no memory. */
static char *row_text(struct merge *m, struct peer *s, struct row *r)
{
	struct shown sh = { .m = m, .row = r, .sources = &s, .rows = &r, .n = 1, .only_texts = true };
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	const struct print_to to = { .out = mem, .options = &m->opts };
	struct sink *own = m->sink;

	m->sink = mem ? print_sink_new(&to) : NULL;
	if (m->sink) {
		show(&sh);
		(void)!sink_flush(m->sink);
		sink_free(m->sink);
	}
	m->sink = own;
	if (mem)
		fclose(mem);
	return text;
}

static bool same_texts(struct merge *m, const struct shown *sh)
{
	char *first = sh->n > 1 ? row_text(m, sh->sources[0], sh->rows[0]) : NULL;
	bool same = first || sh->n <= 1;

	for (size_t i = 1; same && i < sh->n; i++) {
		char *other = row_text(m, sh->sources[i], sh->rows[i]);

		same = other && !strcmp(first, other);
		free(other);
	}
	free(first);
	return same;
}

/* To a stream: a row for each source, all of the same step, so that its reader compares texts as this one would. The
 * last one takes back what clear() does. */
static void pass_texts(struct merge *m, struct shown *sh)
{
	struct peer *last_source = sh->sources[sh->n - 1];
	struct row *last = sh->rows[sh->n - 1];

	for (size_t i = 0; i + 1 < sh->n; i++) {
		show_plain(m, sh->sources[i], sh->rows[i]);
		emit_again(m->sink);
	}
	sh->sources[sh->n - 1] = sh->sources[0];
	sh->rows[sh->n - 1] = sh->rows[0];
	sh->sources[0] = last_source; /* its time is that of the row */
	sh->rows[0] = last;
	sh->row = last;
	show(sh);
}

/* What each source shows by itself; its row has no states but those that clear() takes back. */
static void show_texts(struct merge *m, const struct shown *sh)
{
	for (size_t i = 0; i < sh->n; i++) {
		show_plain(m, sh->sources[i], sh->rows[i]);
		for (size_t k = 0; k < sh->rows[i]->nsnaps; k++)
			sum_clear(m, sh->sources[i], &sh->rows[i]->snaps[k]);
	}
}

/* Takes the rows of a step out of all sources that have it. Returns how many there are. */
static size_t take_step(struct merge *m, const struct row *step, struct peer **sources, struct row **rows, size_t room)
{
	struct row *prev;
	size_t n = 0;

	for (struct peer *s = m->sources; s; s = s->next) {
		for (struct row *r; n < room && (r = find_step(s, step, &prev)) != NULL;) {
			sources[n] = s;
			rows[n++] = take(s, prev, r);
			if (has_sums(m, r)) /* of which each source has one */
				break;
		}
	}
	return n;
}

/* How many rows there are of a step: a merge passes on one for each of its sources. */
static size_t count_step(const struct merge *m, const struct row *step)
{
	size_t n = 0;

	for (const struct peer *s = m->sources; s; s = s->next)
		for (const struct row *r = s->first; r; r = r->next)
			n += same_step(step, r);
	return n;
}

/* Shows the step of own with that of all other sources, and frees their rows. */
static void show_step(struct merge *m, struct peer *own)
{
	const size_t room = count_step(m, own->first);
	struct peer **sources = calloc(room, sizeof(*sources));
	struct row **rows = calloc(room, sizeof(*rows)), *step = own->first;
	struct shown sh = { .m = m, .row = step, .sources = sources, .rows = rows };

	if (sources && rows) {
		sh.n = take_step(m, step, sources, rows, room);
		sh.row = fullest(rows, sh.n);
		if (!has_sums(m, sh.row) && m->to.emit && !m->to.by_host) {
			pass_texts(m, &sh);
		} else if (has_sums(m, sh.row) || same_texts(m, &sh)) {
			if (sh.row->options)
				peer_options(m, sh.row->options);
			show(&sh);
		} else
			show_texts(m, &sh);
		for (size_t i = 0; i < sh.n; i++)
			row_free(rows[i]);
	} else {
		m->failed = true;
		row_free(take(own, NULL, step));
	}
	free(sources);
	free(rows);
}

/* The step to show next: of those that are complete the first by the time since its source's start. NULL: none. */
static struct peer *next_step(struct merge *m, bool all)
{
	struct peer *best = NULL;

	for (struct peer *s = m->sources; s; s = s->next) {
		struct row *r = s->first;

		if (!r || (best && r->since >= best->first->since))
			continue;
		if (all || is_complete(m, s, r))
			best = s;
	}
	return best;
}

/* Rows before the first step of each source. */
static void show_heads(struct merge *m)
{
	for (struct peer *s = m->sources; s; s = s->next)
		while (s->first && !s->first->is_step && !m->sink->err) {
			struct row *r = take(s, NULL, s->first);

			show_plain(m, s, r);
			row_free(r);
		}
}

void show_rows(struct merge *m, bool all)
{
	struct peer *s;

	if (!m->sink)
		return;
	do {
		show_heads(m);
		s = next_step(m, all);
		if (s)
			show_step(m, s);
	} while (s && !m->sink->err);
	(void)!sink_flush(m->sink);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */
/* In the order in which the sources would show them: that of the first. */
static size_t rest_ids(const struct merge *m, uint32_t *ids)
{
	size_t n = 0, k;

	for (const struct peer *s = m->sources; s; s = s->next)
		for (size_t i = 0; i < s->nrest; i++) {
			for (k = 0; k < n && ids[k] != s->rest[i]; k++)
				;
			if (k == n && !m->printed[s->rest[i]])
				ids[n++] = s->rest[i];
		}
	for (uint32_t i = 0; i < m->image.aggs.n; i++) {
		for (k = 0; k < n && ids[k] != i; k++)
			;
		if (k == n && !m->printed[i])
			ids[n++] = i;
	}
	return n;
}

static bool is_gone(const struct peer *s)
{
	return (s->ended || s->silent) && !s->complete;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The generation that most sources have reached, of those that report if any does. gens: room for all. */
static uint64_t common_generation(const struct merge *m, uint32_t agg, uint64_t *gens)
{
	size_t n = 0;

	for (int gone = 0; gone < 2 && !n; gone++)
		for (const struct peer *s = m->sources; s; s = s->next)
			if (!s->refused && agg < s->naggs && is_gone(s) == gone)
				gens[n++] = s->aggs[agg].gen;
	qsort(gens, n, sizeof(*gens), by_number);
	return n ? gens[n - n / 2 - 1] : 0;
}

/* Have most others taken values back since a source that is gone was last heard of? Then its values may have been shown
 * before. One that is there may have fewer generations because it came later. */
static bool is_left_behind(const struct merge *m, const struct peer *s, uint32_t agg, uint64_t common)
{
	return is_gone(s) && !sum_is_marked(m, s) && s->aggs[agg].gen < common;
}

/* The present states of all sources that count, or NULL; parts and snaps have room for all. */
static struct agg_set *present_set(struct merge *m, struct arena *arena, struct part *parts, struct snap *snaps)
{
	uint64_t *gens = ARENA_TRY_ARRAY(arena, uint64_t, m->nsources + 1), common;
	size_t n = 0;

	if (!gens)
		return NULL;
	for (uint32_t i = 0; i < m->image.aggs.n; i++) {
		common = common_generation(m, i, gens);
		for (struct peer *s = m->sources; s; s = s->next) {
			const struct peer_agg *a = peer_agg(s, i);

			if (!a || !a->state || s->refused || is_left_behind(m, s, i, common))
				continue;
			snaps[n] = (struct snap){ .agg = i, .gen = a->gen, .normal = a->normal, .state = a->state };
			parts[n] = (struct part){ s, &snaps[n] };
			n++;
		}
	}
	for (uint32_t i = 0; m->sink->ops->generation && i < m->image.aggs.n; i++)
		pass_generation(m, i, parts, n);
	return sum_set(m, arena, parts, n);
}

/* Calls fn with the present states. */
static void with_present(struct merge *m, void (*fn)(struct merge *m, struct agg_set *set))
{
	const size_t max = m->nsources * m->image.aggs.n + 1;
	struct snap *snaps = calloc(max, sizeof(*snaps));
	struct part *parts = calloc(max, sizeof(*parts));
	struct arena *arena = arena_new();
	struct agg_set *set = snaps && parts && arena ? present_set(m, arena, parts, snaps) : NULL;

	if (set)
		fn(m, set);
	else
		m->failed = true;
	agg_free(set);
	arena_free(arena);
	free(parts);
	free(snaps);
}

static void pass_beat(struct merge *m, struct agg_set *set)
{
	m->sink->ops->beat(m->sink, set);
}

static uint64_t most_progress(const struct merge *m)
{
	uint64_t most = 0;

	for (const struct peer *s = m->sources; s; s = s->next)
		most = !s->refused && s->now > most ? s->now : most;
	return most;
}

uint64_t show_progress(const struct merge *m)
{
	uint64_t least = UINT64_MAX;

	for (const struct peer *s = m->sources; s; s = s->next)
		if (!s->refused && !s->ended && !s->silent && s->now < least)
			least = s->now;
	return least == UINT64_MAX ? most_progress(m) : least;
}

/* While a step waits its sources may be beyond it: states then would be newer than those of the step. */
void show_beat(struct merge *m)
{
	bool waits = false;

	for (const struct peer *s = m->sources; s; s = s->next)
		waits |= s->first != NULL;
	if (!m->sink || (!m->to.emit && !m->watched))
		return;
	if (!waits)
		m->now = show_progress(m);
	if (waits)
		pass_beat(m, NULL);
	else
		with_present(m, pass_beat);
}

static void pass_rest(struct merge *m, struct agg_set *set)
{
	uint32_t *ids = calloc(m->image.aggs.n + 1, sizeof(*ids));

	if (ids)
		m->sink->ops->rest(m->sink, &(struct printa){ .set = set, .ids = ids, .n = rest_ids(m, ids) });
	free(ids);
}

void show_rest(struct merge *m)
{
	m->now = most_progress(m);
	if (m->watched)
		with_present(m, pass_beat);
	if (m->sink->ops->rest)
		with_present(m, pass_rest);
}
