/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data: a sink that passes the data of a trace to the caller's handlers.
 * Input: records, aggregations, drops and faults, as the consumer passes them. Output: calls of the handlers, and the
 * same to the text sink, if there is one.
 * Invariant: after a handler has failed, no handler is called. */
#include "api/data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/agg.h"
#include "print/notice.h"
#include "symbols/symtext.h"

struct data_sink {
	struct sink sink;
	struct dwire_handlers h;
	void *ctx;
	struct sink *text; /* owned; NULL: no text */
	const struct options *options;
	const struct reporter *report;
	const struct image *image;

	/* buffers, kept between uses */
	struct dwire_value *values;
	size_t values_cap;
	struct dwire_bucket *buckets;
	size_t buckets_cap;
	uint64_t *generations; /* by the number of the aggregation in the image; NULL until one is taken back */
	size_t ngenerations;
};

/* The sink is the first member. */
static struct data_sink *of(struct sink *s)
{
	return (struct data_sink *)s;
}

/* Notes the result of a handler: the first error stays, and a positive result becomes -ECANCELED. */
static void handled(struct data_sink *d, int r)
{
	if (r && !d->sink.err)
		d->sink.err = r < 0 ? r : -ECANCELED;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* Room for n elements; NULL: no memory, which ends the trace. */
static void *room(struct data_sink *d, void *old, size_t *cap, size_t n, size_t size)
{
	void *p = n > *cap ? reallocarray(old, n, size) : old;

	if (!p && n)
		handled(d, -ENOMEM);
	else if (n > *cap)
		*cap = n;
	return p ? p : old;
}

/* Makes room for n values; false after -ENOMEM. */
static bool values_room(struct data_sink *d, size_t n)
{
	d->values = room(d, d->values, &d->values_cap, n, sizeof(*d->values));
	return d->values_cap >= n;
}

/* For symtext_frames(): writes one frame and a newline. */
static void add_frame(void *ctx, const char *text, size_t len)
{
	fprintf(ctx, "%.*s\n", (int)len, text);
}

/* The frames as text, which free_texts() frees. */
static void take_stack(struct data_sink *d, const struct value *v, struct dwire_value *out)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, &out->len);

	if (f && v->names)
		symtext_frames(v->names, v->field, v->s, v->len, add_frame, f);
	if (!f || fclose(f))
		handled(d, -ENOMEM);
	out->text = text;
}

/* A float or double lies in v->i bit by bit, as the program recorded it. */
static double real_of(const struct value *v)
{
	double real;
	float single;

	if (v->size == sizeof(real)) {
		memcpy(&real, &v->i, sizeof(real));
		return real;
	}
	memcpy(&single, &v->i, sizeof(single));
	return (double)single;
}

/* Text may lie in a record, where nothing follows that ends it. */
static void take_text(struct data_sink *d, const struct value *v, struct dwire_value *out)
{
	out->text = strndup(v->s, v->len);
	out->len = v->len;
	if (!out->text)
		handled(d, -ENOMEM);
}

/* Converts a value of the consumer to one of the face. Strings and stacks are copies that free_texts() frees; bytes are
 * borrowed from the record. */
static void take_value(struct data_sink *d, const struct value *v, const struct field *f, struct dwire_value *out)
{
	*out = (struct dwire_value){ .name = f->name ? f->name : "" };
	switch (v->kind) {
	case VALUE_INT:
		out->type = v->is_float ? DWIRE_FLOAT : DWIRE_INT;
		out->is_signed = v->is_signed;
		out->size = v->size;
		out->number = v->is_float ? 0 : (int64_t)v->i;
		out->real = v->is_float ? real_of(v) : 0;
		break;
	case VALUE_TEXT:
		out->type = DWIRE_STRING;
		take_text(d, v, out);
		break;
	case VALUE_BYTES:
		out->type = DWIRE_BYTES;
		out->text = v->s;
		out->len = v->len;
		break;
	case VALUE_STACK:
		out->type = DWIRE_STACK;
		take_stack(d, v, out);
		break;
	}
}

static void free_texts(struct data_sink *d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (d->values[i].type == DWIRE_STRING || d->values[i].type == DWIRE_STACK)
			free((char *)(uintptr_t)d->values[i].text);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
/* The name of the D function that recorded the item. Only these five reach data_item() with values. */
static const char *action_name(enum action_kind kind)
{
	if (kind == ACT_PCAP)
		return "pcap";
	return kind == ACT_TRACE ? "trace" : kind == ACT_TRACEMEM ? "tracemem" : kind == ACT_PRINT ? "print" : "printf";
}

/* printf() has a value for each argument; the other actions record one. */
static void hand_record(struct data_sink *d, const struct record *r, const struct action *a, const struct value *values)
{
	struct dwire_record out = {
		.time = r->time,
		.cpu = r->cpu,
		.probe = { .id = r->probe->id,
			.provider = r->probe->prov,
			.module = r->probe->mod,
			.function = r->probe->func,
			.name = r->probe->name },
		.action = action_name(a->kind),
		.nvalues = a->kind == ACT_PRINTF || a->kind == ACT_PCAP ? a->nargs : 1,
	};

	if (!values_room(d, out.nvalues))
		return;
	for (size_t i = 0; i < out.nvalues; i++)
		take_value(d, &values[i], &a->args[i], &d->values[i]);
	out.values = d->values;
	if (!d->sink.err)
		handled(d, d->h.record(d->ctx, &out));
	free_texts(d, out.nvalues);
}

/* The handler comes before the text: it sees a record even if writing the text then fails. */
static void data_item(struct sink *s, const struct record *r, const struct action *a, const struct value *values)
{
	struct data_sink *d = of(s);

	if (d->h.record && !s->err)
		hand_record(d, r, a, values);
	if (d->text)
		d->text->ops->item(d->text, r, a, values);
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
/* abi.h says what quantize counts where. */
static void quantize_range(size_t i, struct dwire_bucket *out)
{
	unsigned k = (unsigned)(i > AGG_QUANTIZE_ZERO ? i - AGG_QUANTIZE_ZERO - 1 : AGG_QUANTIZE_ZERO - 1 - i);
	int64_t low = (int64_t)(1ull << k), high = k < 62 ? 2 * low - 1 : INT64_MAX;

	if (i == AGG_QUANTIZE_ZERO)
		low = high = 0;
	*out = i >= AGG_QUANTIZE_ZERO ? (struct dwire_bucket){ .low = low, .high = high }
				      : (struct dwire_bucket){ .low = k < 62 ? -high : INT64_MIN, .high = -low };
}

/* The first bucket is open below and the last one above, but for quantize, whose buckets cover all 64-bit values. */
static void bucket_range(const struct agg_buckets *b, size_t i, struct dwire_bucket *out)
{
	if (b->g->fn == DW_AGG_QUANTIZE) {
		quantize_range(i, out);
		return;
	}
	out->low = i ? agg_bucket_value(b, i) : INT64_MIN;
	out->high = i + 1 < b->n ? agg_bucket_value(b, i + 1) - 1 : INT64_MAX;
}

/* Collects the buckets that count something. d->buckets is reused by the next row. */
static void take_buckets(
	struct data_sink *d, const struct agg *g, const uint64_t *words, uint64_t normal, struct dwire_row *out)
{
	struct agg_buckets b;

	agg_buckets_init(&b, g);
	d->buckets = room(d, d->buckets, &d->buckets_cap, b.n, sizeof(*d->buckets));
	for (size_t i = 0; i < b.n && i < d->buckets_cap; i++) {
		struct dwire_bucket *to = &d->buckets[out->nbuckets];

		if (!words[i])
			continue;
		bucket_range(&b, i, to);
		to->count = agg_divided((int64_t)words[i], normal);
		out->nbuckets++;
	}
	out->buckets = d->buckets;
	agg_buckets_free(&b);
}

/* To whom rows go, and the numbers of their aggregations in the image. */
struct hand {
	int (*to)(void *ctx, const struct dwire_row *r);
	const uint32_t *ids;
};

static uint64_t generation_of(const struct data_sink *d, uint32_t id)
{
	return id < d->ngenerations ? d->generations[id] : 0;
}

/* One key of one aggregation: the at-th row that is shown, the pos-th aggregation of a joined table. */
static void hand_row(struct data_sink *d, const struct agg_table *t, size_t at, size_t pos, struct hand how)
{
	const struct agg *g = t->aggs[pos];
	const struct agg_row *r = &t->rows[t->first + at];
	struct dwire_row out = {
		.aggregation = g->name,
		.function = agg_function(g),
		.index = at,
		.count = t->shown,
		.nkeys = g->nkeys,
		.generation = generation_of(d, how.ids[pos]),
	};

	if (!values_room(d, g->nkeys))
		return;
	for (size_t i = 0; i < g->nkeys; i++)
		take_value(d, &r->keys[i], &g->keys[i], &d->values[i]);
	out.keys = d->values;
	if (agg_is_dist(g))
		take_buckets(d, g, agg_words(t, r, pos), t->normal[pos], &out);
	else
		out.value = agg_row_number(t, r, pos);
	if (!d->sink.err)
		handled(d, how.to(d->ctx, &out));
	free_texts(d, g->nkeys);
}

/* Aggregations that printa() joins are handed out one after the other: a row of the face has one value. */
static void hand_table(struct data_sink *d, const struct agg_table *t, struct hand how)
{
	for (size_t pos = 0; t && pos < t->naggs; pos++)
		for (size_t i = 0; i < t->shown && !d->sink.err; i++)
			hand_row(d, t, i, pos, how);
}

/* From here on most functions pass their call on to the sink of the text, if there is one. */
static void data_printa(struct sink *s, const struct record *r, const struct printa *p)
{
	struct data_sink *d = of(s);

	if (d->h.row && !s->err)
		hand_table(d, agg_table(p->set, p->ids, p->n), (struct hand){ d->h.row, p->ids });
	if (d->text)
		d->text->ops->printa(d->text, r, p);
}

/* The aggregations that no printa() showed, at the end of the trace. */
static void data_rest(struct sink *s, const struct printa *p)
{
	struct data_sink *d = of(s);

	uint32_t *ids = calloc(p->n + 1, sizeof(*ids));
	size_t n = 0;

	/* A table that is made counts as shown: both shall have the same. */
	for (size_t i = 0; ids && i < p->n; i++)
		if (!agg_done(p->set, p->ids[i]))
			ids[n++] = p->ids[i];
	if (!ids)
		handled(d, -ENOMEM);
	if (d->text && d->text->ops->rest)
		d->text->ops->rest(d->text, p);
	for (size_t i = 0; d->h.row && i < n && !s->err; i++)
		hand_table(d, agg_table(p->set, &ids[i], 1), (struct hand){ d->h.row, &ids[i] });
	free(ids);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */
/* What frames the items of a record (its head, its line's end) matters for text only. */
static void data_begin(struct sink *s, const struct record *r)
{
	if (of(s)->text)
		of(s)->text->ops->begin(of(s)->text, r);
}

static void data_end(struct sink *s, const struct record *r)
{
	if (of(s)->text)
		of(s)->text->ops->end(of(s)->text, r);
}

static void data_fault(struct sink *s, const struct fault *f)
{
	struct data_sink *d = of(s);

	if (d->text)
		d->text->ops->fault(d->text, f);
	else
		notice_fault(d->report, f, d->options->errtags);
}

/* text lies on the stack: the handler has it during the call. */
static void hand_drop(struct data_sink *d, const struct drop *drop)
{
	char text[256];
	struct dwire_drop out = {
		.cause = drop_name(drop->kind), .text = text, .n = drop->n, .cpu = drop->cpu, .probe = drop->probe
	};

	drop_text(drop, true, text, sizeof(text));
	handled(d, d->h.drop(d->ctx, &out));
}

/* A drop is reported once: to the handler, else in the text, else as a message. */
static void data_drop(struct sink *s, const struct drop *drop)
{
	struct data_sink *d = of(s);

	if (d->h.drop && !s->err)
		hand_drop(d, drop);
	else if (d->text)
		d->text->ops->drop(d->text, drop);
	else
		notice_drop(d->report, drop, d->options->droptags);
}

/* As with drops without a handler. */
static void data_cost(struct sink *s, const struct cost *c)
{
	struct data_sink *d = of(s);

	if (d->text && d->text->ops->cost)
		d->text->ops->cost(d->text, c);
	else
		notice_cost(d->report, c);
}

/* system(), freopen() and ftruncate() act on the output of the text; without one they are skipped, as dwire.h says. */
static void data_control(struct sink *s, const struct action *a, const struct value *values)
{
	if (of(s)->text && of(s)->text->ops->control)
		of(s)->text->ops->control(of(s)->text, a, values);
}

static void data_newline(struct sink *s)
{
	if (of(s)->text && of(s)->text->ops->newline)
		of(s)->text->ops->newline(of(s)->text);
}

/* An error of the stream becomes the error of this sink, which ends the trace. */
static void data_flush(struct sink *s)
{
	if (of(s)->text)
		handled(of(s), sink_flush(of(s)->text));
}

static void data_finish(struct sink *s, int status)
{
	if (of(s)->text && of(s)->text->ops->finish)
		of(s)->text->ops->finish(of(s)->text, status);
}

static void data_free(struct sink *s)
{
	struct data_sink *d = of(s);

	sink_free(d->text);
	free(d->values);
	free(d->buckets);
	free(d->generations);
	free(d);
}

/* Makes room for the number of an aggregation; false after -ENOMEM. */
static bool generations_room(struct data_sink *d, uint32_t id)
{
	uint64_t *more;

	if (id < d->ngenerations)
		return true;
	more = reallocarray(d->generations, id + 1u, sizeof(*more));
	if (!more) {
		handled(d, -ENOMEM);
		return false;
	}
	memset(more + d->ngenerations, 0, (id + 1u - d->ngenerations) * sizeof(*more));
	d->generations = more;
	d->ngenerations = id + 1u;
	return true;
}

/* Notes that values are taken back. */
static void next_generation(struct data_sink *d, uint32_t id)
{
	if (generations_room(d, id))
		d->generations[id]++;
}

/* Handlers get what there is, so nothing keeps the consumer from clearing unless the sink of the text does. */
static bool data_reset(struct sink *s, const struct record *r, const struct action *a, struct agg_set *set, int64_t n)
{
	struct sink *text = of(s)->text;

	for (size_t i = 0; i < a->naggs && (a->kind != ACT_TRUNC || !n); i++)
		next_generation(of(s), a->aggs[i]);
	return text && text->ops->reset && text->ops->reset(text, r, a, set, n);
}

/* A table of agg_look() does not count as shown: the end still shows it. */
static void hand_state(struct data_sink *d, struct agg_set *set)
{
	for (uint32_t id = 0; id < d->image->aggs.n && !d->sink.err; id++)
		hand_table(d, agg_look(set, id), (struct hand){ d->h.state, &id });
	if (!d->sink.err)
		handled(d, d->h.state(d->ctx, NULL));
}

/* A merge knows how often the machines took values back, also where no row says so. */
static void data_generation(struct sink *s, uint32_t id, uint64_t generation)
{
	if (generations_room(of(s), id))
		of(s)->generations[id] = generation;
}

static void data_beat(struct sink *s, struct agg_set *set)
{
	struct sink *text = of(s)->text;

	if (set && of(s)->h.state && !s->err)
		hand_state(of(s), set);
	if (text && text->ops->beat)
		text->ops->beat(text, set);
}

static const struct sink_ops ops = {
	.begin = data_begin,
	.reset = data_reset,
	.beat = data_beat,
	.generation = data_generation,
	.item = data_item,
	.printa = data_printa,
	.end = data_end,
	.rest = data_rest,
	.fault = data_fault,
	.drop = data_drop,
	.cost = data_cost,
	.control = data_control,
	.newline = data_newline,
	.flush = data_flush,
	.finish = data_finish,
	.free = data_free,
};

struct sink *data_sink_new(const struct data_to *to)
{
	struct data_sink *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->sink.ops = &ops;
	d->h = to->handlers;
	d->ctx = to->ctx;
	d->text = to->text;
	d->options = to->options;
	d->report = to->report;
	d->image = to->image;
	return &d->sink;
}
