/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series: see series.h. Input: the model. Output: families and series.
 * Invariant: the sum of a family's series is the sum of all its keys. */
#include "export/series.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg/words.h"

/* ---- the table --------------------------------------------------------------------------------------------------- */
static uint64_t hash_of(const struct all_series *a, const struct family *f, const struct pair *labels, size_t n)
{
	struct hash h = hash_begin(&a->secret);

	hash_word(&h, (uintptr_t)f);
	for (size_t i = 0; i < n; i++)
		hash_bytes(&h, labels[i].value, strlen(labels[i].value));
	return hash_end(h);
}

static bool same_labels(const struct series *s, const struct pair *labels, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s->labels[i].value, labels[i].value) != 0)
			return false;
	return s->nlabels == n;
}

/* As many slots as series, or more. 0 or -ENOMEM. */
static int table_grow(struct all_series *a)
{
	size_t n = a->nslots ? a->nslots * 2 : 1024;
	struct series **slots = a->n < a->nslots ? NULL : calloc(n, sizeof(struct series *));

	if (a->n < a->nslots)
		return 0;
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < a->nslots; i++)
		for (struct series *s = a->slots[i], *next; s; s = next) {
			struct series **to = &slots[hash_of(a, s->family, s->labels, s->nlabels) & (n - 1)];

			next = s->chain;
			s->chain = *to;
			*to = s;
		}
	free(a->slots);
	a->slots = slots;
	a->nslots = n;
	return 0;
}

/* ---- families ---------------------------------------------------------------------------------------------------- */
/* The greatest value of a bucket that is not the last. In quantize the buckets of negative values are bounded by their
 * own value. */
static double bound_of(const struct agg_buckets *b, size_t i)
{
	int64_t next;

	if (b->g->fn == DW_AGG_QUANTIZE && i <= AGG_QUANTIZE_ZERO)
		return (double)agg_bucket_value(b, i);
	next = agg_bucket_value(b, i + 1);
	return next == INT64_MIN ? (double)next : (double)(next - 1);
}

static double *bounds_of(const struct agg *g)
{
	double *bounds = calloc(g->nwords + 1, sizeof(*bounds));
	struct agg_buckets b;

	agg_buckets_init(&b, g);
	for (size_t i = 0; bounds && i < g->nwords; i++)
		bounds[i] = i + 1 == g->nwords ? INFINITY : bound_of(&b, i);
	agg_buckets_free(&b);
	return bounds;
}

/* Do states of both have the same meaning, so that they can be added up? */
static bool same_layout(const struct agg *a, const struct agg *b)
{
	return a->fn == b->fn && a->nwords == b->nwords && a->lq_base == b->lq_base && a->lq_step == b->lq_step &&
		a->llq_factor == b->llq_factor && a->llq_low == b->llq_low && a->llq_steps == b->llq_steps;
}

/* The name of an aggregation as Prometheus allows it, and none of those that tell about the trace itself. */
static char *family_name(const char *name)
{
	char *copy = NULL;

	if (asprintf(&copy, "%s%s", strncmp(name, "trace_", 6) ? "" : "agg_", *name ? name : "aggregation") < 0)
		return NULL;

	for (char *p = copy; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	return copy;
}

/* Frees a series and takes it out of the table; its family forgets it. */
static void series_drop(struct all_series *a, struct series *s);

static void family_free(struct all_series *a, struct family *f)
{
	for (struct series *s = f->series, *next; s; s = next) {
		next = s->next;
		series_drop(a, s);
	}
	if (f->overflow) {
		free(f->overflow->words);
		free(f->overflow);
	}
	free(f->name);
	free(f->host);
	free(f->bounds);
	free(f);
}

/* Takes the name. Families of one name follow each other, as the text of the metrics wants it. NULL: no memory. */
static struct family *family_new(struct all_series *a, const struct trace *src, const struct metric *m, char *name)
{
	struct family *f = calloc(1, sizeof(*f)), **at = &a->families;

	if (!f) {
		free(name);
		return NULL;
	}
	f->name = name;
	f->host = strdup(src->host);
	f->g = m->g;
	f->g.keys = NULL;
	f->g.nkeys = 0;
	f->low = f->g.nwords;
	f->bounds = agg_is_dist(&m->g) ? bounds_of(&m->g) : NULL;
	if (!f->host || (agg_is_dist(&m->g) && !f->bounds)) {
		family_free(a, f);
		return NULL;
	}
	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	f->next = *at;
	*at = f;
	return f;
}

/* *out NULL: another aggregation of the host has the name. 0 or -ENOMEM. */
static int family_of(struct all_series *a, const struct trace *src, const struct metric *m, struct family **out)
{
	char *name = family_name(m->g.name);
	struct family *f = a->families;

	*out = NULL;
	if (!name)
		return -ENOMEM;
	while (f && (strcmp(f->name, name) != 0 || strcmp(f->host, src->host) != 0))
		f = f->next;
	if (f) {
		free(name);
		*out = same_layout(&f->g, &m->g) ? f : NULL;
		return 0;
	}
	*out = family_new(a, src, m, name);
	return *out ? 0 : -ENOMEM;
}

/* ---- series ------------------------------------------------------------------------------------------------------ */
static void series_drop(struct all_series *a, struct series *s)
{
	struct series **at = &a->slots[hash_of(a, s->family, s->labels, s->nlabels) & (a->nslots - 1)];

	while (*at != s)
		at = &(*at)->chain;
	*at = s->chain;
	a->n--;
	labels_free(s->labels, s->nlabels);
	free(s->words);
	free(s);
}

/* Takes the labels. Each of the first max keys has its own series. */
static struct series *series_new(struct all_series *a, struct family *f, struct pair *labels, size_t n)
{
	struct series *s = table_grow(a) ? NULL : calloc(1, sizeof(*s)), **slot;
	bool spilled = f->nseries >= a->max;
	uint64_t *words = spilled ? NULL : calloc(f->g.nwords, sizeof(*words));

	if (!s || (!words && !spilled)) {
		free(s);
		free(words);
		labels_free(labels, n);
		return NULL;
	}
	*s = (struct series){ .family = f, .labels = labels, .nlabels = n, .words = words, .spilled = spilled };
	slot = &a->slots[hash_of(a, f, labels, n) & (a->nslots - 1)];
	s->chain = *slot;
	*slot = s;
	s->next = f->series;
	f->series = s;
	f->nseries += !spilled;
	f->nspilled += spilled;
	a->n++;
	return s;
}

/* The series of a key: it is found by its labels, or made. NULL: no memory. */
static struct series *series_of(
	struct all_series *a, struct family *f, const struct metric *g, const char *key, size_t len)
{
	struct pair *labels;
	int n = labels_of(g, key, len, &labels);
	struct series *s;

	if (n < 0)
		return NULL;
	s = a->nslots ? a->slots[hash_of(a, f, labels, (size_t)n) & (a->nslots - 1)] : NULL;
	while (s && (s->family != f || !same_labels(s, labels, (size_t)n)))
		s = s->chain;
	if (!s)
		return series_new(a, f, labels, (size_t)n);
	labels_free(labels, (size_t)n);
	return s;
}

/* The one that all spilled series count in. */
static struct series *overflow_of(struct family *f)
{
	if (!f->overflow)
		f->overflow = calloc(1, sizeof(*f->overflow));
	if (f->overflow && !f->overflow->words) {
		f->overflow->family = f;
		f->overflow->words = calloc(f->g.nwords, sizeof(uint64_t));
	}
	return f->overflow && f->overflow->words ? f->overflow : NULL;
}

/* Buckets in use stay: a bound that came and went would disturb the rates of its histogram. */
static void note_buckets(struct family *f, const uint64_t *state)
{
	for (size_t i = 0; f->bounds && i < f->g.nwords; i++) {
		if (!state[i])
			continue;
		f->low = i < f->low ? i : f->low;
		f->high = i > f->high ? i : f->high;
	}
}

/* Adds the i-th key of a metric. The first key of a pass begins with the state of none. 0 or -ENOMEM. */
static int add_key(struct all_series *a, struct family *f, const struct metric *g, size_t i)
{
	size_t len;
	uint64_t *state;
	const char *key = table_key(g->state, i, &len, &state);
	struct series *s = series_of(a, f, g, key, len), *to = s && s->spilled ? overflow_of(f) : s;

	if (!to)
		return -ENOMEM;
	if (to->pass != a->pass) {
		memset(to->words, 0, f->g.nwords * sizeof(*to->words));
		to->start = 0;
	}
	s->pass = to->pass = a->pass;
	agg_combine(&f->g, to->words, state);
	to->start = g->start > to->start ? g->start : to->start;
	note_buckets(f, state);
	return 0;
}

/* Series whose keys are gone make room for others. */
static void sweep(struct all_series *a, struct family *f)
{
	for (struct series **at = &f->series; *at;) {
		struct series *s = *at;

		if (s->pass == a->pass) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		f->nseries -= !s->spilled;
		f->nspilled -= s->spilled;
		series_drop(a, s);
	}
}

/* ---- the face ---------------------------------------------------------------------------------------------------- */
void series_init(struct all_series *a, size_t max)
{
	*a = (struct all_series){ .max = max };
	hash_secret_make(&a->secret);
}

/* Adds all keys of an aggregation of a trace. 0 or -ENOMEM. */
static int add_metric(struct all_series *a, const struct trace *src, const struct metric *g)
{
	struct family *f;
	int r = family_of(a, src, g, &f);

	if (r || !f) {
		a->conflicts += !r;
		return r;
	}
	f->pass = a->pass;
	f->falls |= g->fell;
	for (size_t i = 0; !r && i < table_size(g->state); i++)
		r = add_key(a, f, g, i);
	return r;
}

int series_update(struct all_series *a, const struct model *m)
{
	int r = 0;

	a->pass++;
	a->conflicts = 0;
	for (const struct trace *s = m->traces; s; s = s->next)
		for (size_t i = 0; !r && i < s->nmetrics; i++)
			if (s->metrics[i]->state)
				r = add_metric(a, s, s->metrics[i]);
	for (struct family **at = &a->families; *at;) {
		struct family *f = *at;

		sweep(a, f);
		if (f->pass == a->pass) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		family_free(a, f);
	}
	return r;
}

void series_free(struct all_series *a)
{
	for (struct family *f = a->families, *next; f; f = next) {
		next = f->next;
		family_free(a, f);
	}
	free(a->slots);
	*a = (struct all_series){ 0 };
}

double series_squares(const struct series *s)
{
	return ldexp((double)s->words[3], 64) + (double)s->words[2];
}

enum kind series_kind(const struct family *f)
{
	static const enum kind kinds[DW_AGG_FN_COUNT] = { [DW_AGG_COUNT] = KIND_COUNTER,
		[DW_AGG_SUM] = KIND_COUNTER,
		[DW_AGG_MIN] = KIND_GAUGE,
		[DW_AGG_MAX] = KIND_GAUGE,
		[DW_AGG_AVG] = KIND_SUMMARY,
		[DW_AGG_STDDEV] = KIND_SUMMARY,
		[DW_AGG_QUANTIZE] = KIND_HISTOGRAM,
		[DW_AGG_LQUANTIZE] = KIND_HISTOGRAM,
		[DW_AGG_LLQUANTIZE] = KIND_HISTOGRAM };

	return f->falls ? KIND_GAUGE : kinds[f->g.fn];
}

void series_each(
	const struct family *f, void (*fn)(void *ctx, const struct family *f, const struct series *s), void *ctx)
{
	for (const struct series *s = f->series; s; s = s->next)
		if (!s->spilled)
			fn(ctx, f, s);
	if (f->nspilled)
		fn(ctx, f, f->overflow);
}
