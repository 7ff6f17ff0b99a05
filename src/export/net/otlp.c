/* SPDX-License-Identifier: GPL-2.0-or-later */
/* otlp: see otlp.h. Messages are built in an arena, as protobuf-c's structures, and packed at once.
 * Each host is a resource. Quantities are cumulative. Distributions are explicit histograms: the exponential ones have
 * buckets that are closed above where D's are closed below, which would move the powers of two. */
#include "export/net/otlp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agg/words.h"
#include "otlp.pb-c.h"

#define NEW(b, T, init) ((T *)copy((b)->arena, &(const T)init, sizeof(T)))

struct builder {
	struct arena *arena;
	const struct all_series *series;
	uint64_t now;
};

/* Where the points of a metric go. */
struct points {
	struct builder *b;
	Otlp__NumberDataPoint **numbers;
	Otlp__HistogramDataPoint **histograms;
	size_t n;
	size_t word; /* which word of the state is the number */
};

static void *copy(struct arena *a, const void *from, size_t size)
{
	return memcpy(arena_alloc(a, size), from, size);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */
static Otlp__KeyValue *text_pair(struct builder *b, const char *name, const char *value)
{
	Otlp__KeyValue *kv = NEW(b, Otlp__KeyValue, OTLP__KEY_VALUE__INIT);

	kv->key = arena_strdup(b->arena, name);
	kv->value = NEW(b, Otlp__AnyValue, OTLP__ANY_VALUE__INIT);
	kv->value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	kv->value->string_value = arena_strdup(b->arena, value);
	return kv;
}

static Otlp__KeyValue **label_pairs(struct builder *b, const struct series *s, size_t *n)
{
	Otlp__KeyValue **list = ARENA_ARRAY(b->arena, Otlp__KeyValue *, s->nlabels + 1);

	for (size_t i = 0; i < s->nlabels; i++)
		list[i] = text_pair(b, s->labels[i].name, s->labels[i].value);
	*n = s->nlabels;
	if (s == s->family->overflow)
		list[(*n)++] = text_pair(b, "otel.metric.overflow", "true");
	return list;
}

static Otlp__Resource *resource(struct builder *b, const char *host)
{
	Otlp__Resource *r = NEW(b, Otlp__Resource, OTLP__RESOURCE__INIT);

	r->attributes = ARENA_ARRAY(b->arena, Otlp__KeyValue *, 2);
	r->attributes[r->n_attributes++] = text_pair(b, "service.name", "dwire");
	r->attributes[r->n_attributes++] = text_pair(b, "host.name", host);
	return r;
}

static Otlp__InstrumentationScope *scope(struct builder *b)
{
	Otlp__InstrumentationScope *s = NEW(b, Otlp__InstrumentationScope, OTLP__INSTRUMENTATION_SCOPE__INIT);

	s->name = arena_strdup(b->arena, "dwire");
	s->version = arena_strdup(b->arena, DWIRE_VERSION);
	return s;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */
static void add_number(void *ctx, const struct family *f, const struct series *s)
{
	struct points *p = ctx;
	Otlp__NumberDataPoint *to;

	if ((f->g.fn == DW_AGG_MIN || f->g.fn == DW_AGG_MAX) && !s->words[1])
		return; /* it has no value */
	to = NEW(p->b, Otlp__NumberDataPoint, OTLP__NUMBER_DATA_POINT__INIT);
	to->start_time_unix_nano = s->start;
	to->time_unix_nano = p->b->now;
	to->attributes = label_pairs(p->b, s, &to->n_attributes);
	to->value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_INT;
	to->as_int = (int64_t)s->words[p->word];
	if (f->g.fn == DW_AGG_STDDEV && p->word == 2) { /* 128 bits */
		to->value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_DOUBLE;
		to->as_double = series_squares(s);
	}
	p->numbers[p->n++] = to;
}

/* The buckets in use, and one for all that is below and above them: both count nothing. */
static void add_histogram(void *ctx, const struct family *f, const struct series *s)
{
	struct points *p = ctx;
	Otlp__HistogramDataPoint *to = NEW(p->b, Otlp__HistogramDataPoint, OTLP__HISTOGRAM_DATA_POINT__INIT);
	size_t n = f->low <= f->high ? f->high - f->low + 1 : 0;

	to->start_time_unix_nano = s->start;
	to->time_unix_nano = p->b->now;
	to->attributes = label_pairs(p->b, s, &to->n_attributes);
	to->explicit_bounds = arena_try(p->b->arena, (n + 1) * sizeof(double));
	to->bucket_counts = arena_try(p->b->arena, (n + 1) * sizeof(uint64_t));
	if (!to->explicit_bounds || !to->bucket_counts)
		return;
	for (size_t i = 0; i < n; i++) {
		to->count += s->words[f->low + i];
		to->bucket_counts[i] = s->words[f->low + i];
		if (!isinf(f->bounds[f->low + i]))
			to->explicit_bounds[to->n_explicit_bounds++] = f->bounds[f->low + i];
	}
	to->n_bucket_counts = to->n_explicit_bounds + 1;
	p->histograms[p->n++] = to;
}

/* ---- metrics ----------------------------------------------------------------------------------------------------- */
static Otlp__Metric *metric_new(struct builder *b, const char *name, const char *more, const char *function)
{
	Otlp__Metric *m = NEW(b, Otlp__Metric, OTLP__METRIC__INIT);

	m->name = arena_printf(b->arena, "dwire.%s%s", name, more);
	m->description = arena_printf(b->arena, "%s() of a D aggregation.", function);
	return m;
}

/* A metric of one word of the states. more: what is added to its name. */
static Otlp__Metric *number_metric(struct builder *b, const struct family *f, const char *more, size_t word)
{
	struct points p = { .b = b, .word = word };
	Otlp__Metric *m = metric_new(b, f->name, more, agg_function(&f->g));

	p.numbers = arena_try(b->arena, (f->nseries + 1) * sizeof(Otlp__NumberDataPoint *));
	if (!p.numbers)
		return m;
	series_each(f, add_number, &p);
	if (f->g.fn == DW_AGG_MIN || f->g.fn == DW_AGG_MAX) {
		m->data_case = OTLP__METRIC__DATA_GAUGE;
		m->gauge = NEW(b, Otlp__Gauge, OTLP__GAUGE__INIT);
		m->gauge->data_points = p.numbers;
		m->gauge->n_data_points = p.n;
		return m;
	}
	m->data_case = OTLP__METRIC__DATA_SUM;
	m->sum = NEW(b, Otlp__Sum, OTLP__SUM__INIT);
	m->sum->data_points = p.numbers;
	m->sum->n_data_points = p.n;
	m->sum->aggregation_temporality = OTLP__AGGREGATION_TEMPORALITY__AGGREGATION_TEMPORALITY_CUMULATIVE;
	m->sum->is_monotonic = !f->falls && (series_kind(f) != KIND_SUMMARY || word != 1);
	return m;
}

static Otlp__Metric *histogram_metric(struct builder *b, const struct family *f)
{
	struct points p = { .b = b };
	Otlp__Metric *m = metric_new(b, f->name, "", agg_function(&f->g));

	p.histograms = arena_try(b->arena, (f->nseries + 1) * sizeof(Otlp__HistogramDataPoint *));
	if (!p.histograms)
		return m;
	series_each(f, add_histogram, &p);
	m->data_case = OTLP__METRIC__DATA_HISTOGRAM;
	m->histogram = NEW(b, Otlp__Histogram, OTLP__HISTOGRAM__INIT);
	m->histogram->data_points = p.histograms;
	m->histogram->n_data_points = p.n;
	m->histogram->aggregation_temporality = OTLP__AGGREGATION_TEMPORALITY__AGGREGATION_TEMPORALITY_CUMULATIVE;
	return m;
}

static void add_family(struct builder *b, const struct family *f, Otlp__ScopeMetrics *to)
{
	switch (series_kind(f)) {
	case KIND_HISTOGRAM:
		to->metrics[to->n_metrics++] = histogram_metric(b, f);
		return;
	case KIND_SUMMARY:
		to->metrics[to->n_metrics++] = number_metric(b, f, ".count", 0);
		to->metrics[to->n_metrics++] = number_metric(b, f, ".sum", 1);
		if (f->g.fn == DW_AGG_STDDEV)
			to->metrics[to->n_metrics++] = number_metric(b, f, ".squares", 2);
		return;
	case KIND_COUNTER:
	case KIND_GAUGE:
		to->metrics[to->n_metrics++] = number_metric(b, f, "", 0);
		return;
	}
}

/* What the host's traces have lost, by cause. */
static Otlp__Metric *drops_metric(struct builder *b, const struct trace *s)
{
	Otlp__Metric *m = NEW(b, Otlp__Metric, OTLP__METRIC__INIT);

	m->name = arena_strdup(b->arena, "dwire.trace.drops");
	m->description = arena_strdup(b->arena, "Data that the trace has lost, by cause.");
	m->data_case = OTLP__METRIC__DATA_SUM;
	m->sum = NEW(b, Otlp__Sum, OTLP__SUM__INIT);
	m->sum->is_monotonic = true;
	m->sum->aggregation_temporality = OTLP__AGGREGATION_TEMPORALITY__AGGREGATION_TEMPORALITY_CUMULATIVE;
	m->sum->data_points = ARENA_ARRAY(b->arena, Otlp__NumberDataPoint *, s->ncauses + 1);
	for (size_t i = 0; i < s->ncauses; i++) {
		Otlp__NumberDataPoint *to = NEW(b, Otlp__NumberDataPoint, OTLP__NUMBER_DATA_POINT__INIT);

		to->start_time_unix_nano = s->start;
		to->time_unix_nano = b->now;
		to->value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_INT;
		to->as_int = (int64_t)s->causes[i].n;
		to->attributes = ARENA_ARRAY(b->arena, Otlp__KeyValue *, 2);
		to->attributes[to->n_attributes++] = text_pair(b, "cause", s->causes[i].name);
		to->attributes[to->n_attributes++] = text_pair(b, "session", s->session);
		m->sum->data_points[m->sum->n_data_points++] = to;
	}
	return m;
}

/* A host's metrics. first: its first session; those that follow in the list may be its, too. */
static Otlp__ResourceMetrics *host_metrics(struct builder *b, const struct trace *first)
{
	Otlp__ResourceMetrics *r = NEW(b, Otlp__ResourceMetrics, OTLP__RESOURCE_METRICS__INIT);
	Otlp__ScopeMetrics *s = NEW(b, Otlp__ScopeMetrics, OTLP__SCOPE_METRICS__INIT);
	size_t n = 0;

	for (const struct family *f = b->series->families; f; f = f->next)
		n += 3;
	for (const struct trace *src = first; src; src = src->next)
		n++;
	r->resource = resource(b, first->host);
	r->scope_metrics = ARENA_ARRAY(b->arena, Otlp__ScopeMetrics *, 1);
	r->scope_metrics[r->n_scope_metrics++] = s;
	s->scope = scope(b);
	s->metrics = arena_try(b->arena, (n + 1) * sizeof(Otlp__Metric *));
	if (!s->metrics)
		return r;
	for (const struct family *f = b->series->families; f; f = f->next)
		if (!strcmp(f->host, first->host))
			add_family(b, f, s);
	for (const struct trace *src = first; src; src = src->next)
		if (src->ncauses && !strcmp(src->host, first->host))
			s->metrics[s->n_metrics++] = drops_metric(b, src);
	return r;
}

static uint8_t *packed(const struct builder *b, const ProtobufCMessage *m, size_t *len)
{
	uint8_t *bytes;

	if (arena_failed(b->arena))
		return NULL;
	*len = protobuf_c_message_get_packed_size(m);
	bytes = malloc(*len + 1);
	if (bytes)
		protobuf_c_message_pack(m, bytes);
	return bytes;
}

uint8_t *otlp_metrics(const struct all_series *a, const struct model *m, uint64_t now, size_t *len)
{
	struct builder b = { .arena = arena_new(), .series = a, .now = now };
	Otlp__ExportMetricsServiceRequest request = OTLP__EXPORT_METRICS_SERVICE_REQUEST__INIT;
	uint8_t *bytes = NULL;

	if (!b.arena)
		return NULL;
	request.resource_metrics = ARENA_TRY_ARRAY(b.arena, Otlp__ResourceMetrics *, m->ntraces + 1);
	for (const struct trace *s = m->traces; request.resource_metrics && s; s = s->next)
		if (model_is_first(m, s))
			request.resource_metrics[request.n_resource_metrics++] = host_metrics(&b, s);
	bytes = packed(&b, &request.base, len);
	arena_free(b.arena);
	return bytes;
}

/* ---- logs -------------------------------------------------------------------------------------------------------- */
static Otlp__LogRecord *log_record(struct builder *b, const struct log *l)
{
	Otlp__LogRecord *r = NEW(b, Otlp__LogRecord, OTLP__LOG_RECORD__INIT);

	r->time_unix_nano = l->time;
	r->observed_time_unix_nano = l->observed;
	r->body = NEW(b, Otlp__AnyValue, OTLP__ANY_VALUE__INIT);
	r->body->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	r->body->string_value = arena_strdup(b->arena, l->body);
	r->attributes = ARENA_ARRAY(b->arena, Otlp__KeyValue *, l->nvalues + 1);
	r->attributes[r->n_attributes++] = text_pair(b, "probe", l->probe);
	for (size_t i = 0; i < l->nvalues; i++)
		r->attributes[r->n_attributes++] = text_pair(b, l->values[i].name, l->values[i].value);
	return r;
}

/* Records of one host that follow each other. */
static Otlp__ResourceLogs *host_logs(struct builder *b, const struct log **at, size_t *left)
{
	Otlp__ResourceLogs *r = NEW(b, Otlp__ResourceLogs, OTLP__RESOURCE_LOGS__INIT);
	Otlp__ScopeLogs *s = NEW(b, Otlp__ScopeLogs, OTLP__SCOPE_LOGS__INIT);
	const struct log *first = *at;

	r->resource = resource(b, first->host);
	r->scope_logs = ARENA_ARRAY(b->arena, Otlp__ScopeLogs *, 1);
	r->scope_logs[r->n_scope_logs++] = s;
	s->scope = scope(b);
	s->log_records = ARENA_TRY_ARRAY(b->arena, Otlp__LogRecord *, *left);
	for (; s->log_records && *left && *at && !strcmp((*at)->host, first->host); *at = (*at)->next, --*left)
		s->log_records[s->n_log_records++] = log_record(b, *at);
	return r;
}

uint8_t *otlp_logs(const struct logs *l, size_t *n, size_t *len)
{
	struct builder b = { .arena = arena_new() };
	Otlp__ExportLogsServiceRequest request = OTLP__EXPORT_LOGS_SERVICE_REQUEST__INIT;
	const struct log *at = l->first;
	size_t left = *n < l->n ? *n : l->n;
	uint8_t *bytes;

	if (!b.arena)
		return NULL;
	*n = left;
	request.resource_logs = ARENA_TRY_ARRAY(b.arena, Otlp__ResourceLogs *, left + 1);
	while (request.resource_logs && left && at && !arena_failed(b.arena))
		request.resource_logs[request.n_resource_logs++] = host_logs(&b, &at, &left);
	bytes = packed(&b, &request.base, len);
	arena_free(b.arena);
	return bytes;
}
