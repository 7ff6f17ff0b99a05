/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structured: see structured.h. Input: records and aggregations. Output: objects. Invariant: the document is whole once
 * structured_end() has run, whatever was printed. */
#include "print/structured.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct structured {
	struct doc doc;
	bool all;
	bool open; /* a probe's object is */
	unsigned cpu;
	const struct image_probe *probe;
	/* What the printers of text make passes through here. */
	FILE *mem;
	char *text;
	size_t len;
	struct out *tmp;
};

struct structured *structured_new(struct out *o, enum oformat format, bool pretty, bool all)
{
	struct structured *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->doc.o = o;
	s->doc.format = format;
	s->doc.pretty = pretty;
	s->all = all;
	s->mem = open_memstream(&s->text, &s->len);
	s->tmp = s->mem ? out_new(s->mem) : NULL;
	if (!s->tmp) {
		structured_free(s);
		return NULL;
	}
	doc_begin(&s->doc);
	doc_open_list(&s->doc, "probes");
	return s;
}

void structured_free(struct structured *s)
{
	if (!s)
		return;
	out_free(s->tmp);
	if (s->mem)
		fclose(s->mem);
	free(s->text);
	free(s);
}

/* ---- a probe's object -------------------------------------------------------------------------------------------- */
static void add_now(struct structured *s)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_REALTIME, &t);
	doc_int(&s->doc, "timestamp", (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec, false);
}

static void add_name(struct structured *s, const char *name, const char *value)
{
	doc_text(&s->doc, name, value, strlen(value));
}

static void open_probe(struct structured *s)
{
	const struct image_probe *p = s->probe;

	if (s->open)
		return;
	s->open = true;
	doc_open(&s->doc, NULL);
	add_now(s);
	doc_int(&s->doc, "cpu", s->cpu, false);
	doc_int(&s->doc, "id", p->id, false);
	add_name(s, "provider", p->prov);
	add_name(s, "module", p->mod);
	add_name(s, "function", p->func);
	add_name(s, "name", p->name);
	doc_open_list(&s->doc, "output");
}

void structured_probe(struct structured *s, unsigned cpu, const struct image_probe *p)
{
	s->cpu = cpu;
	s->probe = p;
	if (s->all)
		open_probe(s);
}

void structured_probe_end(struct structured *s)
{
	if (!s->open)
		return;
	doc_close(&s->doc);
	doc_close(&s->doc);
	s->open = false;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* What was printed into tmp. */
static const char *take_text(struct structured *s, size_t *len)
{
	(void)!out_flush(s->tmp);
	fflush(s->mem);
	*len = s->len;
	rewind(s->mem);
	return s->text;
}

/* "module`name+0x1d" or an address, as an object with its parts. */
static void add_frame(struct structured *s, const char *line, size_t len)
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

static void add_stack(struct structured *s, const struct value *v)
{
	const char *text, *end;
	size_t len;

	print_trace(s->tmp, v, false);
	text = take_text(s, &len);
	doc_open(&s->doc, NULL);
	doc_open_list(&s->doc, v->field != FIELD_STACK ? "ustack-frames" : "stack-frames");
	for (end = text + len; text < end;) {
		const char *nl = memchr(text, '\n', (size_t)(end - text)), *stop = nl ? nl : end;

		while (text < stop && *text == ' ')
			text++;
		if (text < stop)
			add_frame(s, text, (size_t)(stop - text));
		text = nl ? nl + 1 : end;
	}
	doc_close(&s->doc);
	doc_close(&s->doc);
}

static void add_bytes(struct structured *s, const char *name, const struct value *v)
{
	char hex[3];

	for (size_t i = 0; i < v->len; i++) {
		snprintf(hex, sizeof(hex), "%02x", (unsigned char)v->s[i]);
		out_str(s->tmp, hex);
	}
	size_t len;
	const char *text = take_text(s, &len);

	doc_text(&s->doc, name, text, len);
}

static void add_plain(struct structured *s, const char *name, const struct value *v)
{
	if (v->kind == VALUE_INT)
		doc_int(&s->doc, name, v->i, v->is_signed);
	else if (v->kind == VALUE_TEXT)
		doc_text(&s->doc, name, v->s, v->len);
	else
		add_bytes(s, name, v);
}

static void add_value(struct structured *s, const struct value *v)
{
	if (v->kind == VALUE_STACK) {
		add_stack(s, v);
		return;
	}
	doc_open(&s->doc, NULL);
	add_plain(s, v->kind == VALUE_BYTES ? "tracemem" : value_is_symbol(v) ? "sym" : "value", v);
	doc_close(&s->doc);
}

struct out *structured_text(struct structured *s)
{
	open_probe(s);
	return s->tmp;
}

void structured_text_end(struct structured *s, const char *name)
{
	size_t len;
	const char *text = take_text(s, &len);

	doc_open(&s->doc, NULL);
	doc_text(&s->doc, name, text, len);
	doc_close(&s->doc);
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
static void add_bucket(void *ctx, int64_t value, int64_t n)
{
	struct structured *s = ctx;

	doc_open(&s->doc, NULL);
	doc_int(&s->doc, "value", (uint64_t)value, true);
	doc_int(&s->doc, "count", (uint64_t)n, true);
	doc_close(&s->doc);
}

static void add_row(void *ctx, const struct agg_view *row)
{
	static const char *const names[DW_AGG_FN_COUNT] = { "count", "sum", "avg", "min", "max", "stddev" };
	struct structured *s = ctx;

	doc_open(&s->doc, NULL);
	doc_open_list(&s->doc, "keys");
	for (size_t i = 0; i < row->g->nkeys; i++) {
		if (row->keys[i].kind == VALUE_STACK)
			add_stack(s, &row->keys[i]);
		else
			add_plain(s, NULL, &row->keys[i]);
	}
	doc_close(&s->doc);
	if (agg_is_dist(row->g)) {
		doc_open_list(&s->doc, "buckets");
		agg_each_bucket(row->g, row->words, row->normal, add_bucket, s);
		doc_close(&s->doc);
	} else {
		doc_int(&s->doc, names[row->g->fn], (uint64_t)row->number, true);
	}
	doc_close(&s->doc);
}

static void add_agg(struct structured *s, struct agg_set *aggs, const struct image *image, uint32_t id)
{
	if (id >= image->aggs.n)
		return;
	doc_open(&s->doc, NULL);
	doc_open_list(&s->doc, "aggregation-data");
	agg_each_row(aggs, id, add_row, s);
	doc_close(&s->doc);
	add_name(s, "aggregation-name", image->aggs.v[id].name);
	doc_close(&s->doc);
}

void structured_rest(struct structured *s, const struct image *image, struct agg_set *aggs)
{
	static const struct image_probe end = { 0, "dtrace", "INTERNAL", "INTERNAL", "AGGREGATIONS" };

	s->probe = &end;
	s->cpu = 0;
	for (uint32_t id = 0; id < image->aggs.n; id++)
		if (!agg_done(aggs, id)) {
			open_probe(s);
			add_agg(s, aggs, image, id);
		}
	structured_probe_end(s);
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */
static void add_args(
	struct structured *s, const struct decoder *dec, const struct action *a, const uint8_t *rec, size_t n)
{
	struct value_room room = { 0 };
	struct value v;

	for (size_t i = 0; i < a->nargs; i++) {
		value_read(dec, &a->args[i], rec, n, &room, &v);
		add_value(s, &v);
	}
	value_room_free(&room);
}

static void add_message(
	struct structured *s, const struct decoder *dec, const struct action *a, const uint8_t *rec, size_t n)
{
	const char *text;
	size_t len;

	print_format(s->tmp, dec, a->fmt, a->args, a->nargs, rec, n);
	text = take_text(s, &len);
	doc_open(&s->doc, NULL);
	doc_text(&s->doc, "message", text, len);
	doc_close(&s->doc);
	add_args(s, dec, a, rec, n);
	if (a->nargs)
		return;
	doc_open(&s->doc, NULL);
	doc_int(&s->doc, "value", 0, false);
	doc_close(&s->doc);
}

bool structured_action(struct structured *s, const struct decoder *dec, struct agg_set *aggs, const struct action *a,
	const uint8_t *rec, size_t len)
{
	if (a->kind != ACT_TRACE && a->kind != ACT_PRINTF && a->kind != ACT_PRINTA)
		return false;
	if (a->guard_off && (a->guard_off >= len || !rec[a->guard_off]))
		return true;
	open_probe(s);
	if (a->kind == ACT_TRACE)
		add_args(s, dec, a, rec, len);
	else if (a->kind == ACT_PRINTF && a->fmt)
		add_message(s, dec, a, rec, len);
	else
		for (size_t i = 0; i < a->naggs; i++)
			add_agg(s, aggs, dec->image, a->aggs[i]);
	return true;
}

void structured_drop(struct structured *s, uint64_t n, uint64_t total, unsigned kind, const char *msg)
{
	doc_open(&s->doc, NULL);
	doc_int(&s->doc, "cpu", (uint64_t)-1, true);
	doc_int(&s->doc, "id", (uint64_t)-1, true);
	add_name(s, "provider", "dtrace");
	add_name(s, "module", "INTERNAL");
	add_name(s, "function", "INTERNAL");
	add_name(s, "name", "DROP");
	add_now(s);
	doc_int(&s->doc, "count", n, false);
	doc_int(&s->doc, "total", total, false);
	doc_int(&s->doc, "kind", kind, false);
	add_name(s, "msg", msg);
	doc_close(&s->doc);
}

void structured_end(struct structured *s)
{
	structured_probe_end(s);
	doc_end(&s->doc);
}
