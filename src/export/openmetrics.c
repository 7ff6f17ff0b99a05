/* SPDX-License-Identifier: GPL-2.0-or-later */
/* openmetrics: see openmetrics.h. Input: series. Output: text.
 * Invariants: a name has one type; no series appears twice; no number is invented: a histogram has no sum. */
#include "export/openmetrics.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "agg/words.h"
#include "base/clock.h"
#include "stream/frame.h"

#define PREFIX "dwire_"
#define UP_NS (3 * STREAM_BEAT_NS) /* a trace that misses three beats is down */

struct writer {
	FILE *out;
	const struct model *model;
	bool openmetrics;
	char suffix[16]; /* of the family's name, if another type has that name */
};

/* ---- pieces ------------------------------------------------------------------------------------------------------ */
static void write_escaped(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' || *s == '"')
			putc('\\', out);
		putc(*s, out);
	}
}

static void write_pair(FILE *out, const char *before, const char *name, const char *value)
{
	fprintf(out, "%s%s=\"", before, name);
	write_escaped(out, value);
	putc('"', out);
}

/* A bound in the form that is canonical for labels: "1023.0", "1e+19". */
static void bound_text(char *to, size_t size, double bound)
{
	int n = isinf(bound) ? snprintf(to, size, "+Inf") : snprintf(to, size, "%.17g", bound);

	if (!isinf(bound) && !strpbrk(to, ".e") && (size_t)n + 3 <= size)
		memcpy(to + n, ".0", 3);
}

/* The beginning of a line, up to the value. */
static void write_name(const struct writer *w, const struct series *s, const char *ending, const double *bound)
{
	char le[40];

	fprintf(w->out, PREFIX "%s%s%s{", s->family->name, w->suffix, ending);
	write_pair(w->out, "", "host", s->family->host);
	for (size_t i = 0; i < s->nlabels; i++)
		write_pair(w->out, ",", s->labels[i].name, s->labels[i].value);
	if (s == s->family->overflow)
		write_pair(w->out, ",", OVERFLOW_LABEL, "true");
	if (bound) {
		bound_text(le, sizeof(le), *bound);
		write_pair(w->out, ",", "le", le);
	}
	fputs("} ", w->out);
}

/* ---- the value of a series --------------------------------------------------------------------------------------- */
static void write_histogram(const struct writer *w, const struct family *f, const struct series *s)
{
	uint64_t sum = 0;

	for (size_t i = f->low; i <= f->high && i + 1 < f->g.nwords; i++) {
		sum += s->words[i];
		write_name(w, s, "_bucket", &f->bounds[i]);
		fprintf(w->out, "%" PRIu64 "\n", sum);
	}
	if (f->high + 1 == f->g.nwords)
		sum += s->words[f->high];
	write_name(w, s, "_bucket", &(double){ INFINITY });
	fprintf(w->out, "%" PRIu64 "\n", sum);
}

static void write_summary(const struct writer *w, const struct series *s)
{
	write_name(w, s, "_count", NULL);
	fprintf(w->out, "%" PRIu64 "\n", s->words[0]);
	write_name(w, s, "_sum", NULL);
	fprintf(w->out, "%" PRId64 "\n", (int64_t)s->words[1]);
}

static void write_series(void *ctx, const struct family *f, const struct series *s)
{
	const struct writer *w = ctx;

	switch (series_kind(f)) {
	case KIND_HISTOGRAM:
		write_histogram(w, f, s);
		return;
	case KIND_SUMMARY:
		write_summary(w, s);
		return;
	case KIND_GAUGE:
		if (f->g.fn != DW_AGG_SUM && !s->words[1])
			return; /* a min or max without a value */
		write_name(w, s, "", NULL);
		fprintf(w->out, "%" PRId64 "\n", (int64_t)s->words[0]);
		return;
	case KIND_COUNTER:
		write_name(w, s, "_total", NULL);
		fprintf(w->out, "%" PRIu64 "\n", s->words[0]);
		return;
	}
}

/* stddev() has a sum of squares beside its count and sum; as doubles, which hold 53 of its 128 bits. */
static void write_squares(void *ctx, const struct family *f, const struct series *s)
{
	const struct writer *w = ctx;

	(void)f;
	write_name(w, s, "_squares_total", NULL);
	fprintf(w->out, "%.17g\n", series_squares(s));
}

/* ---- families ---------------------------------------------------------------------------------------------------- */
static void write_head(const struct writer *w, const char *name, const char *more, const char *type, const char *help)
{
	const char *total = !w->openmetrics && !strcmp(type, "counter") ? "_total" : "";

	fprintf(w->out, "# TYPE " PREFIX "%s%s%s%s %s\n", name, w->suffix, more, total, type);
	fprintf(w->out, "# HELP " PREFIX "%s%s%s%s %s\n", name, w->suffix, more, total, help);
}

/* Is f the first of its name and type? Else its lines are there already. */
static bool is_first(const struct all_series *a, const struct family *f, bool *other)
{
	*other = false;
	for (const struct family *b = a->families; b != f; b = b->next) {
		if (strcmp(b->name, f->name) != 0)
			continue;
		if (series_kind(b) == series_kind(f))
			return false;
		*other = true;
	}
	return true;
}

/* All families of the name and type of f: one of each host. */
static void write_group(struct writer *w, const struct family *f, bool squares)
{
	for (const struct family *b = f; b; b = b->next)
		if (!strcmp(b->name, f->name) && series_kind(b) == series_kind(f) &&
			(!squares || b->g.fn == DW_AGG_STDDEV))
			series_each(b, squares ? write_squares : write_series, w);
}

static void write_family(struct writer *w, const struct all_series *a, const struct family *f)
{
	static const char *const types[] = { [KIND_COUNTER] = "counter",
		[KIND_GAUGE] = "gauge",
		[KIND_SUMMARY] = "summary",
		[KIND_HISTOGRAM] = "histogram" };
	const char *type = types[series_kind(f)];
	char help[64];
	bool other;

	if (!is_first(a, f, &other))
		return;
	snprintf(w->suffix, sizeof(w->suffix), "%s%s", other ? "_" : "", other ? type : "");
	snprintf(help, sizeof(help), "%s() of a D aggregation.", agg_function(&f->g));
	write_head(w, f->name, "", type, help);
	write_group(w, f, false);
	if (f->g.fn == DW_AGG_STDDEV) {
		write_head(w, f->name, "_squares", "counter", "The sum of the squares.");
		write_group(w, f, true);
	}
	w->suffix[0] = '\0';
}

/* ---- the trace itself -------------------------------------------------------------------------------------------- */
/* What is said of a host: the sum over its sessions. */
struct fact {
	const char *name, *type, *help;
	uint64_t (*of)(const struct trace *s);
	bool any; /* 1 if it is true of any session */
};

static uint64_t is_up(const struct trace *s)
{
	return !s->ended && clock_now() < s->seen + UP_NS;
}

static uint64_t lost_frames(const struct trace *s)
{
	return s->lost;
}

static uint64_t bad_frames(const struct trace *s)
{
	return s->bad;
}

static uint64_t rows(const struct trace *s)
{
	return s->rows;
}

static uint64_t refused_keys(const struct trace *s)
{
	return s->refused_keys;
}

static void write_fact(const struct writer *w, const struct fact *f)
{
	write_head(w, f->name, "", f->type, f->help);
	for (const struct trace *s = w->model->traces; s; s = s->next) {
		uint64_t sum = 0;

		if (!model_is_first(w->model, s))
			continue;
		for (const struct trace *b = s; b; b = b->next)
			if (!strcmp(b->host, s->host))
				sum += f->of(b);
		fprintf(w->out, PREFIX "%s%s{", f->name, strcmp(f->type, "counter") ? "" : "_total");
		write_pair(w->out, "", "host", s->host);
		fprintf(w->out, "} %" PRIu64 "\n", f->any ? sum > 0 : sum);
	}
}

/* The n-th cause of all sessions of a host, or of this one alone. */
static uint64_t dropped(const struct model *m, const struct trace *s, const char *cause)
{
	uint64_t sum = 0;

	for (const struct trace *b = m->traces; b; b = b->next)
		for (size_t i = 0; i < b->ncauses && !strcmp(b->host, s->host); i++)
			if (!strcmp(b->causes[i].name, cause))
				sum += b->causes[i].n;
	return sum;
}

static bool cause_seen(const struct model *m, const struct trace *s, const char *cause)
{
	for (const struct trace *b = m->traces; b != s; b = b->next)
		for (size_t i = 0; i < b->ncauses && !strcmp(b->host, s->host); i++)
			if (!strcmp(b->causes[i].name, cause))
				return true;
	return false;
}

static void write_drops(const struct writer *w)
{
	write_head(w, "trace_drops", "", "counter", "Data that a trace has lost, by cause.");
	for (const struct trace *s = w->model->traces; s; s = s->next)
		for (size_t i = 0; i < s->ncauses; i++) {
			const char *cause = s->causes[i].name;

			if (cause_seen(w->model, s, cause))
				continue;
			fputs(PREFIX "trace_drops_total{", w->out);
			write_pair(w->out, "", "host", s->host);
			write_pair(w->out, ",", "cause", cause);
			fprintf(w->out, "} %" PRIu64 "\n", dropped(w->model, s, cause));
		}
}

static void write_info(const struct writer *w)
{
	write_head(w, "trace_info", "", "gauge", "The sessions: 1 each.");
	for (const struct trace *s = w->model->traces; s; s = s->next) {
		fputs(PREFIX "trace_info{", w->out);
		write_pair(w->out, "", "host", s->host);
		write_pair(w->out, ",", "session", s->session);
		write_pair(w->out, ",", "kernel", s->kernel);
		write_pair(w->out, ",", "version", s->version);
		write_pair(w->out, ",", "script", s->script);
		fputs("} 1\n", w->out);
	}
}

static void write_overflow(const struct writer *w, const struct all_series *a)
{
	write_head(w, "trace_overflow_keys", "", "gauge", "Keys that share the series with " OVERFLOW_LABEL ".");
	for (const struct family *f = a->families; f; f = f->next) {
		fputs(PREFIX "trace_overflow_keys{", w->out);
		write_pair(w->out, "", "host", f->host);
		write_pair(w->out, ",", "metric", f->name);
		write_pair(w->out, ",", "function", agg_function(&f->g));
		fprintf(w->out, "} %zu\n", f->nspilled);
	}
}

static void write_total(const struct writer *w, const char *name, const char *help, uint64_t n)
{
	write_head(w, name, "", "counter", help);
	fprintf(w->out, PREFIX "%s_total %" PRIu64 "\n", name, n);
}

void openmetrics_write(FILE *out, const struct all_series *a, const struct model *m, bool openmetrics)
{
	static const struct fact facts[] = {
		{ "trace_up", "gauge", "1: the trace reports.", is_up, true },
		{ "trace_rows", "counter", "Rows that the trace has recorded.", rows, false },
		{ "trace_lost_frames", "counter", "Frames of the stream that never came.", lost_frames, false },
		{ "trace_bad_frames", "counter", "Frames of the stream that are not valid.", bad_frames, false },
		{ "trace_refused_keys", "counter", "Keys that were left out: their session has too many.", refused_keys,
			false },
	};
	struct writer w = { .out = out, .model = m, .openmetrics = openmetrics };

	for (const struct family *f = a->families; f; f = f->next)
		write_family(&w, a, f);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		write_fact(&w, &facts[i]);
	write_drops(&w);
	write_info(&w);
	write_overflow(&w, a);
	write_head(&w, "export_conflicts", "", "gauge", "Aggregations left out: another one of the host has the name.");
	fprintf(out, PREFIX "export_conflicts %zu\n", a->conflicts);
	write_total(&w, "export_strange_lines", "Lines of the input that are no frames.", m->strange);
	write_total(&w, "export_unknown_frames", "Frames of sessions whose first frame was not seen.", m->unknown);
	if (openmetrics)
		fputs("# EOF\n", out);
}
