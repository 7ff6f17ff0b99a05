/* SPDX-License-Identifier: GPL-2.0-or-later */
/* document: -x oformat: what probes record as objects of a document, laid out as FreeBSD's dtrace(1) documents:
 *
 *	{"dtrace":{"probes":[{"timestamp":1795362356031501340,"cpu":1,"id":1,"provider":"dtrace","module":"",
 *	  "function":"","name":"BEGIN","output":[{"message":"n=7"},{"value":7}]}]}}
 *
 * timestamp is the time of day, ns, at which the object is written. A printf is a message, followed by its arguments as
 * values; a printa is an object for each aggregation. Drops are objects of a probe called DROP, the cost of COST.
 * Invariant: the document is whole once finish has run, whatever was recorded. */
#include <stdlib.h>
#include <string.h>

#include "agg/agg.h"
#include "base/clock.h"
#include "print/doc.h"
#include "print/memory.h"
#include "print/notice.h"
#include "print/shell.h"
#include "print/sinks.h"
#include "print/value/style.h"
#include "print/value/values.h"
#include "symbols/symtext.h"

struct document {
	struct sink sink; /* first */
	struct out *out;
	const struct options *options;
	const struct reporter *report;
	struct doc doc;
	bool open;             /* a probe's object is */
	struct memory_out tmp; /* what the printers of text make passes through here */
};

/* ---- a probe's object -------------------------------------------------------------------------------------------- */
static void add_now(struct document *s)
{
	doc_int(&s->doc, "timestamp", clock_wall(), false);
}

static void add_name(struct document *s, const char *name, const char *value)
{
	doc_text(&s->doc, name, value, strlen(value));
}

/* Of the probe that records, the first time that something is recorded. */
static void open_probe(struct document *s, unsigned cpu, const struct image_probe *p)
{
	if (s->open)
		return;
	s->open = true;
	doc_open(&s->doc, NULL);
	add_now(s);
	doc_int(&s->doc, "cpu", cpu, false);
	doc_int(&s->doc, "id", p->id, false);
	add_name(s, "provider", p->prov);
	add_name(s, "module", p->mod);
	add_name(s, "function", p->func);
	add_name(s, "name", p->name);
	doc_open_list(&s->doc, "output");
}

/* Closes the list "output" and the object. */
static void close_probe(struct document *s)
{
	if (!s->open)
		return;
	doc_close(&s->doc);
	doc_close(&s->doc);
	s->open = false;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* "module`name+0x1d" or an address, as an object with its parts. */
static void add_frame(struct document *s, const char *line, size_t len)
{
	const char *tick = memchr(line, '`', len), *plus = memchr(line, '+', len);
	const char *name = tick ? tick + 1 : line;

	doc_open(&s->doc, NULL);
	doc_text(&s->doc, "symbol", line, len);
	if (tick)
		doc_text(&s->doc, "module", line, (size_t)(tick - line));
	if (tick)
		doc_text(&s->doc, "name", name, plus ? (size_t)(plus - name) : len - (size_t)(name - line));
	if (plus)
		doc_text(&s->doc, "offset", plus + 1, len - (size_t)(plus + 1 - line));
	doc_close(&s->doc);
}

static void add_each_frame(void *ctx, const char *text, size_t len)
{
	if (len)
		add_frame(ctx, text, len);
}

static void add_stack(struct document *s, const struct value *v)
{
	doc_open(&s->doc, NULL);
	doc_open_list(&s->doc, v->field != FIELD_STACK ? "ustack-frames" : "stack-frames");
	if (v->names)
		symtext_frames(v->names, v->field, v->s, v->len, add_each_frame, s);
	doc_close(&s->doc);
	doc_close(&s->doc);
}

/* Memory as hexadecimal digits. */
static void add_bytes(struct document *s, const char *name, const struct value *v)
{
	char hex[3];

	for (size_t i = 0; i < v->len; i++) {
		snprintf(hex, sizeof(hex), "%02x", (unsigned char)v->s[i]);
		out_str(s->tmp.out, hex);
	}
	size_t len;
	const char *text = memory_out_take(&s->tmp, &len);

	doc_text(&s->doc, name, text, len);
}

/* A number stays a number in JSON; everything else is a text. */
static void add_plain(struct document *s, const char *name, const struct value *v)
{
	if (v->kind == VALUE_INT)
		doc_int(&s->doc, name, v->i, v->is_signed);
	else if (v->kind == VALUE_TEXT)
		doc_text(&s->doc, name, v->s, v->len);
	else
		add_bytes(s, name, v);
}

/* An object with one member, which says what it is. */
static void add_value(struct document *s, const struct value *v)
{
	if (v->kind == VALUE_STACK) {
		add_stack(s, v);
		return;
	}
	doc_open(&s->doc, NULL);
	add_plain(s,
		v->kind == VALUE_BYTES                                ? "tracemem"
			: v->kind == VALUE_TEXT && value_is_symbol(v) ? "sym"
								      : "value",
		v);
	doc_close(&s->doc);
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
/* For agg_each_bucket(). */
static void add_bucket(void *ctx, int64_t value, int64_t n)
{
	struct document *s = ctx;

	doc_open(&s->doc, NULL);
	doc_int(&s->doc, "value", (uint64_t)value, true);
	doc_int(&s->doc, "count", (uint64_t)n, true);
	doc_close(&s->doc);
}

/* One key of an aggregation with its value or its buckets. */
static void add_row(struct document *s, const struct agg_table *t, const struct agg_row *row)
{
	const struct agg *g = t->aggs[0];

	doc_open(&s->doc, NULL);
	doc_open_list(&s->doc, "keys");
	for (size_t i = 0; i < g->nkeys; i++) {
		if (row->keys[i].kind == VALUE_STACK)
			add_stack(s, &row->keys[i]);
		else
			add_plain(s, NULL, &row->keys[i]);
	}
	doc_close(&s->doc);
	if (agg_is_dist(g)) {
		doc_open_list(&s->doc, "buckets");
		agg_each_bucket(g, agg_words(t, row, 0), t->normal[0], add_bucket, s);
		doc_close(&s->doc);
	} else {
		doc_int(&s->doc, agg_function(g), (uint64_t)agg_row_number(t, row, 0), true);
	}
	doc_close(&s->doc);
}

/* Each aggregation is an object of all its rows, those of a printa of several, too. */
static void add_agg(struct document *s, const struct printa *p, uint32_t id)
{
	const struct agg_table *t = agg_table(p->set, &id, 1);

	if (!t || !t->naggs)
		return;
	doc_open(&s->doc, NULL);
	doc_open_list(&s->doc, "aggregation-data");
	for (size_t i = 0; i < t->nrows; i++)
		add_row(s, t, &t->rows[i]);
	doc_close(&s->doc);
	add_name(s, "aggregation-name", t->aggs[0]->name);
	doc_close(&s->doc);
}

/* ---- what passes the sink ---------------------------------------------------------------------------------------- */
/* With -O a record that says nothing is an object, too. */
static void document_begin(struct sink *sink, const struct record *r)
{
	struct document *s = (struct document *)sink;

	if (s->options->oall)
		open_probe(s, r->cpu, r->probe);
}

static void document_end(struct sink *sink, const struct record *r)
{
	struct document *s = (struct document *)sink;

	(void)r;
	close_probe(s);
	sink->err = s->out->err;
}

/* An object with the text that was printed into tmp. */
static void add_text(struct document *s, const char *name)
{
	size_t len;
	const char *text = memory_out_take(&s->tmp, &len);

	doc_open(&s->doc, NULL);
	doc_text(&s->doc, name, text, len);
	doc_close(&s->doc);
}

/* A printf() without arguments records a value 0, as FreeBSD's dtrace(1) does. */
static void document_item(struct sink *sink, const struct record *r, const struct action *a, const struct value *values)
{
	struct document *s = (struct document *)sink;

	open_probe(s, r->cpu, r->probe);
	if (a->kind == ACT_PRINT) {
		print_typed(s->tmp.out, a->args[0].type, &values[0]);
		add_text(s, "print");
		return;
	}
	if (a->kind == ACT_PRINTF) {
		print_format(s->tmp.out, a->fmt, values, a->nargs);
		add_text(s, "message");
	}
	for (size_t i = 0; i < (a->kind == ACT_TRACEMEM ? 1 : a->nargs); i++)
		add_value(s, &values[i]);
	if (a->kind != ACT_PRINTF || a->nargs)
		return;
	doc_open(&s->doc, NULL);
	doc_int(&s->doc, "value", 0, false);
	doc_close(&s->doc);
}

static void document_printa(struct sink *sink, const struct record *r, const struct printa *p)
{
	struct document *s = (struct document *)sink;

	open_probe(s, r->cpu, r->probe);
	for (size_t i = 0; i < p->n; i++)
		add_agg(s, p, p->ids[i]);
}

/* As output of a probe that is none. */
static void document_rest(struct sink *sink, const struct printa *p)
{
	static const struct image_probe end = { 0, "dtrace", "INTERNAL", "INTERNAL", "AGGREGATIONS" };
	struct document *s = (struct document *)sink;

	for (size_t i = 0; i < p->n; i++)
		if (!agg_done(p->set, p->ids[i])) {
			open_probe(s, 0, &end);
			add_agg(s, p, p->ids[i]);
		}
	close_probe(s);
}

/* A document has no object for faults: they are only reported. */
static void document_fault(struct sink *sink, const struct fault *f)
{
	struct document *s = (struct document *)sink;

	sink->err = out_flush(s->out); /* both streams may be one terminal: keep the order */
	notice_fault(s->report, f, s->options->errtags);
}

/* The object of what dwire itself reports, as FreeBSD does it: a probe that no CPU fired. */
static void open_internal(struct document *s, const char *name)
{
	doc_open(&s->doc, NULL);
	doc_int(&s->doc, "cpu", (uint64_t)-1, true);
	doc_int(&s->doc, "id", (uint64_t)-1, true);
	add_name(s, "provider", "dtrace");
	add_name(s, "module", "INTERNAL");
	add_name(s, "function", "INTERNAL");
	add_name(s, "name", name);
	add_now(s);
}

/* A drop is a separate probe in the document, and a message on stderr. */
static void document_drop(struct sink *sink, const struct drop *d)
{
	struct document *s = (struct document *)sink;
	char msg[256];
	size_t n;

	drop_text(d, false, msg, sizeof(msg) - 1);
	n = strlen(msg);
	msg[n] = '\n';
	open_internal(s, "DROP");
	doc_int(&s->doc, "count", d->n, false);
	doc_int(&s->doc, "total", d->total, false);
	doc_int(&s->doc, "kind", drop_number(d->kind), false);
	doc_text(&s->doc, "msg", msg, n + 1);
	doc_close(&s->doc);
	notice_drop(s->report, d, s->options->droptags);
}

/* The cost is a separate probe, too. */
static void document_cost(struct sink *sink, const struct cost *c)
{
	struct document *s = (struct document *)sink;

	close_probe(s);
	open_internal(s, "COST");
	doc_int(&s->doc, "wall_ns", c->wall, false);
#define X(name, member) doc_int(&s->doc, name, c->member, false);
	COST_NUMBERS(X)
#undef X
	if (c->counted) {
		doc_int(&s->doc, "share_ppm", cost_share(c), false);
		doc_int(&s->doc, "runs", c->runs, false);
		doc_int(&s->doc, "ns", c->ns, false);
		doc_open_list(&s->doc, "probes");
		for (size_t i = 0; i < c->nrows; i++) {
			doc_open(&s->doc, NULL);
			doc_text(&s->doc, "probe", c->rows[i].name, strlen(c->rows[i].name));
			doc_int(&s->doc, "runs", c->rows[i].runs, false);
			doc_int(&s->doc, "ns", c->rows[i].ns, false);
			doc_close(&s->doc);
		}
		doc_close(&s->doc);
	}
	doc_close(&s->doc);
	notice_cost(s->report, c);
}

static void document_control(struct sink *sink, const struct action *a, const struct value *values)
{
	struct document *s = (struct document *)sink;

	shell_control(s->out, s->report, a, values);
}

static void document_flush(struct sink *sink)
{
	sink->err = out_settle(((struct document *)sink)->out);
}

static void document_finish(struct sink *sink, int status)
{
	struct document *s = (struct document *)sink;

	(void)status;
	close_probe(s);
	doc_end(&s->doc);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
static void document_free(struct sink *sink)
{
	struct document *s = (struct document *)sink;

	out_free(s->out);
	memory_out_close(&s->tmp);
	free(s);
}

/* tmp writes into memory: its text becomes members of the document. */
struct sink *document_sink_new(const struct print_to *to)
{
	static const struct sink_ops ops = {
		.begin = document_begin,
		.item = document_item,
		.printa = document_printa,
		.end = document_end,
		.rest = document_rest,
		.fault = document_fault,
		.drop = document_drop,
		.cost = document_cost,
		.control = document_control,
		.flush = document_flush,
		.finish = document_finish,
		.free = document_free,
	};
	struct document *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink.ops = &ops;
	s->options = to->options;
	s->report = to->report;
	s->out = out_new(to->out, &style_text, to->options);
	if (!s->out || !memory_out_open(&s->tmp, to->options)) {
		document_free(&s->sink);
		return NULL;
	}
	s->out->stop = to->stop;
	s->out->report = to->report;
	s->doc.o = s->out;
	s->doc.format = to->options->oformat;
	s->doc.pretty = to->options->opretty;
	doc_begin(&s->doc);
	doc_open_list(&s->doc, "probes");
	return &s->sink;
}
