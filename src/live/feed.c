/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed: see feed.h.
 * Input: calls of a sink. Output: rows of sheets.
 * A row whose format is a JSON object is written as that object and read again: so its members are what --json prints,
 * whatever conversions a tool uses. A value of an aggregation has its state beside, for groups and heat maps. */
#include "live/feed.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "agg/agg.h"
#include "live/heat.h"
#include "print/out.h"
#include "print/value/style.h"
#include "print/value/table.h"
#include "print/value/values.h"

/* For each sheet that walks fill. */
struct feed_walk {
	struct cell **rows[FEED_SHEETS]; /* each owned */
	size_t n[FEED_SHEETS], cap[FEED_SHEETS];
	uint64_t over[FEED_SHEETS]; /* rows without room */
	bool walked[FEED_SHEETS];   /* a walk ever showed a row of it */
};

struct feed_sink {
	struct sink sink; /* first */
	struct feed *feed;
	struct options options;
	FILE *text; /* of out: into buf */
	char *buf;
	size_t len;
	struct out *json, *plain;
};

static struct feed_sink *of(struct sink *s)
{
	return (struct feed_sink *)s;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */
/* Where a column's value comes from. */
struct origin {
	char name[64];
	int agg;     /* the so many-th aggregation of a printa(); -1: none */
	int percent; /* of a quantile; else 0 */
};

struct layout {
	struct origin v[SHEET_COLUMNS];
	size_t n;
	bool object; /* the format is a JSON object */
};

static struct origin *add_origin(struct layout *l, const char *name, size_t len)
{
	struct origin *o = l->n < SHEET_COLUMNS ? &l->v[l->n] : NULL;

	if (!o)
		return NULL;
	l->n++;
	*o = (struct origin){ .agg = -1 };
	snprintf(o->name, sizeof(o->name), "%.*s", (int)(len < 63 ? len : 63), name);
	return o;
}

/* The name in `,"name":` at the end of a literal text of the format. NULL: it ends otherwise. */
static const char *member_name(const char *s, size_t len, size_t *n)
{
	const char *end = s + len, *from;

	while (end > s && end[-1] == '"') /* the quote that begins a text */
		end--;
	if (end - s < 3 || end[-1] != ':' || end[-2] != '"')
		return NULL;
	from = end -= 2;
	while (from > s && from[-1] != '"')
		from--;
	*n = (size_t)(end - from);
	return from > s ? from : NULL;
}

/* The members of an object in the order of the format; further conversions of a member belong to its text. */
static void layout_object(struct layout *l, const struct fmt *fmt)
{
	struct origin *at = NULL;
	int pos = 0;

	for (size_t i = 0; i < fmt->n; i++) {
		const struct fmt_item *it = &fmt->items[i];
		size_t n;
		const char *name = member_name(it->text, it->text_len, &n);

		if (name)
			at = add_origin(l, name, n);
		if (!at || !(it->flags & FMT_AGG))
			continue;
		if (strchr("YTN", it->conv)) { /* time and number of the report: of no row */
			l->n--;
			at = NULL;
			continue;
		}
		at->agg = pos++;
		at->percent = it->conv == 'Q' ? it->prec : 0;
	}
}

static bool is_object(const struct fmt *fmt)
{
	return fmt && fmt->n && fmt->items[0].text_len && fmt->items[0].text[0] == '{';
}

/* "args[1]->cs_pid" is called cs_pid. */
static void layout_field(struct layout *l, const char *name)
{
	const char *arrow = name ? strrchr(name, '>') : NULL;
	char number[24];

	if (arrow)
		name = arrow + 1;
	snprintf(number, sizeof(number), "value%zu", l->n + 1);
	if (!name || !*name)
		name = number;
	(void)!add_origin(l, name, strlen(name));
}

/* The sheet with these columns, or a new one. *at: its number. NULL: there are too many. */
static struct sheet *sheet_of(struct feed *f, const struct layout *l, bool log, size_t *at)
{
	struct sheet *s;

	for (size_t i = 0; i < f->n; i++) {
		bool same = f->sheets[i]->log == log && f->sheets[i]->ncolumns == l->n;

		for (size_t k = 0; same && k < l->n; k++)
			same = !strcmp(f->sheets[i]->columns[k].name, l->v[k].name);
		*at = i;
		if (same)
			return f->sheets[i];
	}
	s = f->n < FEED_SHEETS && l->n ? sheet_new(log) : NULL;
	for (size_t k = 0; s && k < l->n; k++)
		if (!sheet_column(s, l->v[k].name)) {
			sheet_free(s);
			s = NULL;
		}
	*at = f->n;
	if (s)
		f->sheets[f->n++] = s;
	return s;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */
static void cell_of_json(struct cell *c, const json_t *j)
{
	if (json_is_integer(j) || json_is_real(j)) {
		c->kind = CELL_NUMBER;
		c->number = json_is_real(j) ? (long double)json_real_value(j) : (long double)json_integer_value(j);
	} else if (json_is_string(j)) {
		cell_set_text(c, json_string_value(j), json_string_length(j));
	} else if (json_is_boolean(j)) {
		cell_set_text(c, json_is_true(j) ? "true" : "false", json_is_true(j) ? 4 : 5);
	} else if (json_is_array(j)) { /* a stack: its frames in one line */
		char line[SHEET_TEXT];
		size_t n = 0;

		for (size_t i = 0; i < json_array_size(j) && n < sizeof(line); i++)
			if (json_is_string(json_array_get(j, i)))
				n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", i ? " < " : "",
					json_string_value(json_array_get(j, i)));
		cell_set_text(c, line, n < sizeof(line) ? n : sizeof(line) - 1);
	}
}

/* The members of an object as cells. NULL: the line is none, or there is no memory. */
static struct cell *cells_of_line(const struct sheet *s, const char *line, size_t len)
{
	json_t *j = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
	struct cell *cells = json_is_object(j) ? calloc(s->ncolumns, sizeof(*cells)) : NULL;

	for (size_t i = 0; cells && i < s->ncolumns; i++)
		cell_of_json(&cells[i], json_object_get(j, s->columns[i].name));
	json_decref(j);
	return cells;
}

/* Empties what the out has written so far into buf, which is then its text. False: no memory. */
static bool take_text(struct feed_sink *d, struct out *o)
{
	return !out_flush(o) && !fflush(d->text);
}

static void drop_text_buffer(struct feed_sink *d)
{
	rewind(d->text);
}

static void cell_of_value(struct feed_sink *d, struct cell *c, const struct value *v)
{
	if (v->kind == VALUE_INT && !v->is_float) {
		c->kind = CELL_NUMBER;
		c->number = v->is_signed ? (long double)(int64_t)v->i : (long double)v->i;
		return;
	}
	if (v->kind == VALUE_TEXT) {
		cell_set_text(c, v->s, v->len);
		return;
	}
	drop_text_buffer(d);
	print_plain(d->plain, v);
	if (take_text(d, d->plain))
		cell_set_text(c, d->buf, (size_t)ftell(d->text));
}

/* ---- printa() ---------------------------------------------------------------------------------------------------- */
static void layout_table(struct layout *l, const struct agg_table *t, const struct fmt *fmt)
{
	l->object = is_object(fmt);
	if (l->object) {
		layout_object(l, fmt);
		return;
	}
	for (size_t i = 0; i < t->aggs[0]->nkeys; i++)
		layout_field(l, t->aggs[0]->keys[i].given ? t->aggs[0]->keys[i].given->name : t->aggs[0]->keys[i].name);
	for (size_t i = 0; i < t->naggs; i++) {
		const char *name = *t->aggs[i]->name ? t->aggs[i]->name : agg_function(t->aggs[i]);
		struct origin *o = add_origin(l, name, strlen(name));

		if (o)
			o->agg = (int)i;
	}
}

/* The value of an aggregation: the number that is shown, and the state that groups are made of. */
static void cell_of_agg(struct cell *c, const struct agg_table *t, const struct agg_row *r, const struct origin *o)
{
	const size_t pos = (size_t)o->agg < t->naggs ? (size_t)o->agg : t->naggs - 1;
	const struct agg *g = t->aggs[pos];
	const uint64_t *words = agg_words(t, r, pos);

	if (agg_is_dist(g) && !o->percent) {
		c->kind = CELL_NUMBER;
		c->number = 0;
		for (size_t i = 0; i < g->nwords; i++)
			c->number += (long double)words[i];
	} else if (!agg_is_dist(g)) {
		c->kind = CELL_NUMBER;
		c->number = agg_row_number(t, r, pos);
	}
	if (g->nwords > 1)
		cell_set_words(c, words, g->nwords);
}

static void note_columns(struct sheet *s, const struct layout *l, const struct agg_table *t)
{
	for (size_t i = 0; i < l->n; i++) {
		struct column *c = &s->columns[i];
		const size_t pos = l->v[i].agg < 0       ? 0
			: (size_t)l->v[i].agg < t->naggs ? (size_t)l->v[i].agg
							 : t->naggs - 1;

		if (l->v[i].agg < 0)
			continue;
		c->value = true;
		c->g = t->aggs[pos];
		c->normal = t->normal[pos];
		c->percent = l->v[i].percent;
	}
}

/* A row of the table; line: as the format writes it, if that is an object. */
static void put_table_row(struct feed_sink *d, struct sheet *s, const struct layout *l, const struct agg_table *t,
	size_t i, const char *line, size_t len)
{
	const struct agg_row *r = &t->rows[i];
	struct cell *cells = l->object ? cells_of_line(s, line, len) : calloc(l->n, sizeof(*cells));

	for (size_t k = 0; cells && k < l->n; k++)
		if (l->v[k].agg >= 0)
			cell_of_agg(&cells[k], t, r, &l->v[k]);
		else if (!l->object && k < t->aggs[0]->nkeys)
			cell_of_value(d, &cells[k], &r->keys[k]);
	if (cells)
		sheet_put(s, cells);
	else
		d->feed->refused++;
}

static void put_table(
	struct feed_sink *d, struct sheet *s, const struct layout *l, const struct agg_table *t, const struct fmt *fmt)
{
	const char *line, *end;

	drop_text_buffer(d);
	if (l->object)
		table_print_format(d->json, t, fmt, &(struct table_report){ 0 });
	if (!take_text(d, d->json)) {
		d->feed->refused += t->shown;
		return;
	}
	line = d->buf;
	end = d->buf + ftell(d->text);
	for (size_t i = t->first; i < t->first + t->shown; i++) {
		const char *stop = l->object ? memchr(line, '\n', (size_t)(end - line)) : line;

		if (!stop)
			break;
		put_table_row(d, s, l, t, i, line, (size_t)(stop - line));
		line = stop + l->object;
	}
}

static void feed_printa(struct sink *sink, const struct record *r, const struct printa *p)
{
	struct feed_sink *d = of(sink);
	const struct agg_opts all = { 0 }; /* the screen sorts, and shows every row */
	const struct agg_table *t;
	struct layout l = { .n = 0 };
	struct sheet *s;
	size_t at;

	(void)r;
	agg_set_opts(p->set, &all);
	t = agg_table(p->set, p->ids, p->n);
	if (!t || !t->naggs)
		return;
	layout_table(&l, t, p->fmt);
	s = sheet_of(d->feed, &l, false, &at);
	if (!s) {
		d->feed->refused += t->nrows;
		return;
	}
	note_columns(s, &l, t);
	sheet_begin(s);
	put_table(d, s, &l, t, p->fmt);
	sheet_settle(s);
	heat_take(&d->feed->heats[at], s);
	d->feed->changes++;
}

/* What no printa() showed, at the end of a trace: a table for each. */
static void feed_rest(struct sink *sink, const struct printa *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct printa one = { .set = p->set, .ids = &p->ids[i], .n = 1 };

		if (!agg_done(p->set, p->ids[i]))
			feed_printa(sink, NULL, &one);
	}
}

/* ---- walks ------------------------------------------------------------------------------------------------------- */
/* What sockets:::done ends is a snapshot: a row of the walk before that is not in this one is gone. */
static bool is_walk(const struct record *r)
{
	return !strcmp(r->probe->prov, "sockets");
}

/* A row of a walk is the same as one of the walk before if its names, addresses and numbers are. What changes while it
 * is the same is not part of that: the columns here. */
static void note_walk(struct sheet *s)
{
	static const char *const sums[] = { "sent", "received", "retrans", "drops" };
	static const char *const others[] = { "state", "recvq", "sendq", "rtt_us", "idle_ms", "cwnd" };

	for (size_t i = 0; i < s->ncolumns; i++) {
		struct column *c = &s->columns[i];

		for (size_t k = 0; k < sizeof(sums) / sizeof(*sums); k++)
			c->value |= !strcmp(c->name, sums[k]);
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			c->aside |= !strcmp(c->name, others[k]);
		c->amount |= !strcmp(c->name, "sent") || !strcmp(c->name, "received");
	}
}

/* The sheet of a walk's rows. NULL: there are too many. */
static struct sheet *walk_sheet(struct feed *f, struct layout *l, size_t *at)
{
	size_t n = 0;
	struct sheet *s;

	for (size_t i = 0; i < l->n; i++) /* when and in which walk the row was seen says nothing of it */
		if (strcmp(l->v[i].name, "time") != 0 && strcmp(l->v[i].name, "interval") != 0)
			l->v[n++] = l->v[i];
	l->n = n;
	s = l->n ? sheet_of(f, l, false, at) : NULL;
	if (s)
		note_walk(s);
	return s;
}

/* Keeps a row until its walk is complete: half a walk is never shown. cells: owned from here on. */
static void walk_keep(struct feed *f, size_t at, struct cell *cells)
{
	struct feed_walk *w = f->walk ? f->walk : calloc(1, sizeof(*w));
	struct cell **rows;

	f->walk = w;
	if (w && w->n[at] == w->cap[at] && w->cap[at] < SHEET_ROWS) {
		const size_t cap = w->cap[at] ? 2 * w->cap[at] : 256;

		rows = reallocarray(w->rows[at], cap, sizeof(*rows));
		if (rows) {
			w->rows[at] = rows;
			w->cap[at] = cap;
		}
	}
	if (w)
		w->walked[at] = true;
	if (w && w->n[at] < w->cap[at] && w->n[at] < SHEET_ROWS) {
		w->rows[at][w->n[at]++] = cells;
		return;
	}
	if (w)
		w->over[at]++;
	cells_free(cells, f->sheets[at]->ncolumns);
}

/* A walk is complete: also one that showed nothing. If several clauses say so, the first of them counts. */
static void feed_end(struct sink *sink, const struct record *r)
{
	struct feed *f = of(sink)->feed;
	struct feed_walk *w = f->walk;

	if (!is_walk(r) || strcmp(r->probe->name, "done") != 0 || (f->done && f->done != r->epid->clause + 1))
		return;
	f->done = r->epid->clause + 1;
	for (size_t i = 0; w && i < f->n; i++) {
		struct sheet *s = f->sheets[i];

		if (!w->walked[i])
			continue;
		sheet_begin(s);
		for (size_t k = 0; k < w->n[i]; k++)
			sheet_put(s, w->rows[i][k]);
		s->refused += w->over[i];
		w->n[i] = w->over[i] = 0;
		sheet_settle(s);
	}
	f->changes++;
}

static void walk_free(struct feed *f)
{
	for (size_t i = 0; f->walk && i < f->n; i++) {
		for (size_t k = 0; k < f->walk->n[i]; k++)
			cells_free(f->walk->rows[i][k], f->sheets[i]->ncolumns);
		free(f->walk->rows[i]);
	}
	free(f->walk);
}

/* ---- printf() ---------------------------------------------------------------------------------------------------- */
/* A printf() without values is a title or a line of text. */
static void feed_item(struct sink *sink, const struct record *r, const struct action *a, const struct value *values)
{
	struct feed_sink *d = of(sink);
	struct layout l = { .object = is_object(a->fmt) };
	struct cell *cells = NULL;
	const bool walk = l.object && is_walk(r);
	struct sheet *s;
	size_t at;

	if (l.object)
		layout_object(&l, a->fmt);
	for (size_t i = 0; !l.object && i < a->nargs; i++)
		layout_field(&l, a->args[i].name);
	s = walk ? walk_sheet(d->feed, &l, &at) : l.n ? sheet_of(d->feed, &l, true, &at) : NULL;
	if (!s) {
		d->feed->refused += l.n != 0;
		return;
	}
	if (l.object) {
		drop_text_buffer(d);
		print_format(d->json, a->fmt, values, a->nargs);
		if (take_text(d, d->json))
			cells = cells_of_line(s, d->buf, (size_t)ftell(d->text));
	} else {
		cells = calloc(l.n, sizeof(*cells));
		for (size_t i = 0; cells && i < l.n; i++)
			cell_of_value(d, &cells[i], &values[i]);
	}
	if (cells && walk)
		walk_keep(d->feed, at, cells);
	else if (cells)
		sheet_put(s, cells);
	else
		d->feed->refused++;
	d->feed->changes += !walk; /* that is shown when it is complete */
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */
static void feed_nothing(struct sink *s, const struct record *r)
{
	(void)s;
	(void)r;
}

/* The reader reports it as well; the screen shows that message. */
static void feed_fault(struct sink *s, const struct fault *f)
{
	(void)f;
	of(s)->feed->faults++;
}

static void feed_drop(struct sink *s, const struct drop *drop)
{
	(void)s;
	(void)drop;
}

static void feed_flush(struct sink *s)
{
	(void)s;
}

static void feed_free(struct sink *s)
{
	struct feed_sink *d = of(s);

	out_free(d->json);
	out_free(d->plain);
	if (d->text)
		fclose(d->text);
	free(d->buf);
	free(d);
}

static const struct sink_ops ops = {
	.begin = feed_nothing,
	.item = feed_item,
	.printa = feed_printa,
	.end = feed_end,
	.rest = feed_rest,
	.fault = feed_fault,
	.drop = feed_drop,
	.flush = feed_flush,
	.free = feed_free,
};

struct sink *feed_sink_new(struct feed *f)
{
	struct feed_sink *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->sink.ops = &ops;
	d->feed = f;
	options_init(&d->options);
	d->options.rows = ROWS_JSON;
	d->text = open_memstream(&d->buf, &d->len);
	d->json = d->text ? out_new(d->text, &style_json, &d->options) : NULL;
	d->plain = d->text ? out_new(d->text, &style_plain, &d->options) : NULL;
	if (!d->json || !d->plain) {
		feed_free(&d->sink);
		return NULL;
	}
	return &d->sink;
}

void feed_clear(struct feed *f)
{
	walk_free(f);
	for (size_t i = 0; i < f->n; i++) {
		sheet_free(f->sheets[i]);
		heat_free(f->heats[i]);
	}
	*f = (struct feed){ .changes = f->changes + 1 };
}
