/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text: a trace as dtrace(1) shows it: a line for each record, or only what its actions print (-q).
 * Input: what passes the sink. Output: text on the stream; drops and faults as reports.
 * Invariant: s->err has the first error of the stream after each record. */
#include "print/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernel/features.h"
#include "print/capture/opened.h"
#include "print/lines.h"
#include "print/notice.h"
#include "print/shell.h"
#include "print/value/style.h"
#include "print/value/table.h"
#include "print/value/values.h"

/* ---- lines ------------------------------------------------------------------------------------------------------- */
/* A clause that records no data (quiet_head) shows no line, as in DTrace. */
static bool has_line(const struct text *t, const struct epid *ep)
{
	return (!t->options->quiet || t->options->flowindent) && !ep->quiet_head;
}

/* The header is printed with the first head, since -q may be set until then. */
void text_begin(struct sink *s, const struct record *r)
{
	struct text *t = (struct text *)s;
	const bool flow = t->options->flowindent && r->cpu < t->ncpus;

	if (!has_line(t, r->epid))
		return;
	if (!t->header_done)
		(flow ? flow_header : print_header)(t->out);
	t->header_done = true;
	if (flow)
		flow_head(t->out, &t->flows[r->cpu], r->cpu, r->probe, r->epid, r->next);
	else
		print_head(t->out, r->cpu, r->probe);
}

void text_end(struct sink *s, const struct record *r)
{
	struct text *t = (struct text *)s;

	/* Asked again, as setopt() may have changed it. -F alone ends no line, as in DTrace. */
	if (!t->options->quiet && has_line(t, r->epid))
		out_bytes(t->out, "\n", 1);
	s->err = t->out->err;
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */
/* trace() of a structure shows it as a number, a text or bytes. */
static void trace_value(const struct text *t, const struct value *v)
{
	struct value shown;

	if (v->kind == VALUE_BYTES) {
		shown = print_shown_as(v);
		v = &shown;
	}
	if (v->kind == VALUE_TEXT && !value_is_symbol(v) && t->options->rawbytes)
		print_trace_raw(t->out, v, t->options->strsize);
	else
		print_trace(t->out, v, t->options->quiet);
}

/* pcap(): into the file that freopen() opened; without one the packet's bytes are shown. */
static void packet(struct text *t, const struct record *r, const struct value *values)
{
	int err;

	if (t->out->f == t->out->main) {
		print_trace(t->out, &values[CAPTURE_BYTES], t->options->quiet);
		return;
	}
	err = opened_write(&t->opened, t->out, r, values);
	t->out->err = t->out->err ? t->out->err : err;
}

bool text_line(struct sink *s, const struct action *a, const uint8_t *rec, size_t len)
{
	struct text *t = (struct text *)s;

	return lines_again(t->lines, t->out, a, rec, len);
}

void text_item(struct sink *s, const struct record *r, const struct action *a, const struct value *values)
{
	struct text *t = (struct text *)s;

	if (a->kind == ACT_PRINTF)
		lines_print(t->lines, t->out, a, values);
	else if (a->kind == ACT_PRINT)
		print_typed(t->out, a->args[0].type, &values[0]);
	else if (a->kind == ACT_PCAP)
		packet(t, r, values);
	else if (a->kind == ACT_TRACEMEM)
		print_trace(t->out, &values[0], t->options->quiet);
	else
		for (size_t i = 0; i < a->nargs; i++)
			trace_value(t, &values[i]);
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
/* An aggregation that is shown again begins the next report. Without memory each printa() is a report. */
static uint64_t report_number(struct text *t, const struct printa *p)
{
	bool again = !t->in_report;

	for (size_t i = 0; t->in_report && i < t->nin_report && p->n; i++)
		again |= t->in_report[i] == p->ids[0];
	if (again) {
		t->reports++;
		t->nin_report = 0;
	}
	uint32_t *more = p->n ? realloc(t->in_report, (t->nin_report + 1) * sizeof(*more)) : NULL;

	if (more) {
		t->in_report = more;
		t->in_report[t->nin_report++] = p->ids[0];
	}
	return t->reports;
}

/* The time of day at which a record was made; without one, now. */
static uint64_t wall_of(const struct record *r)
{
	return clock_wall() - (r ? clock_now() - r->time : 0);
}

/* Without a format printa() has the layout of the end of a trace. */
void text_printa(struct sink *s, const struct record *r, const struct printa *p)
{
	struct text *t = (struct text *)s;
	const struct agg_table *table = agg_table(p->set, p->ids, p->n);

	if (!p->fmt)
		out_bytes(t->out, "\n", 1);
	if (p->fmt) {
		const struct table_report report = { .time = wall_of(r), .number = report_number(t, p) };

		if (table)
			table_print_format(t->out, table, p->fmt, &report);
	}
	if (table && !p->fmt)
		table_print(t->out, table);
}

/* dtrace(1) ends what it prints by an empty line, and the aggregations follow. */
static void text_rest(struct sink *s, const struct printa *p)
{
	struct text *t = (struct text *)s;

	out_bytes(t->out, "\n", 1);
	for (size_t i = 0; i < p->n; i++) {
		const struct agg_table *table = agg_done(p->set, p->ids[i]) ? NULL : agg_table(p->set, &p->ids[i], 1);

		if (table)
			table_print(t->out, table);
	}
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */
void text_fault(struct sink *s, const struct fault *f)
{
	struct text *t = (struct text *)s;

	text_flush(s); /* both streams may be one terminal: keep the order */
	notice_fault(t->report, f, t->options->errtags);
}

void text_drop(struct sink *s, const struct drop *d)
{
	struct text *t = (struct text *)s;

	notice_drop(t->report, d, t->options->droptags);
}

void text_cost(struct sink *s, const struct cost *c)
{
	struct text *t = (struct text *)s;

	text_flush(s); /* both streams may be one terminal: keep the order */
	notice_cost(t->report, c);
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */
void text_control(struct sink *s, const struct action *a, const struct value *values)
{
	struct text *t = (struct text *)s;

	shell_control(t->out, t->report, a, values);
}

void text_newline(struct sink *s)
{
	out_bytes(((struct text *)s)->out, "\n", 1);
}

void text_flush(struct sink *s)
{
	struct text *t = (struct text *)s;
	int err = opened_flush(t->opened);

	lines_forget(t->lines);
	s->err = out_settle(t->out);
	s->err = s->err ? s->err : err;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
/* Shared with the sink of rows, which has another style. NULL: no memory. */
struct text *text_open(const struct print_to *to, const struct sink_ops *ops, const struct style *style)
{
	struct text *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->sink.ops = ops;
	t->options = to->options;
	t->report = to->report;
	t->ncpus = features_possible_cpus();
	t->flows = calloc(t->ncpus, sizeof(*t->flows));
	t->lines = lines_new();
	t->out = out_new(to->out, style, to->options);
	if (!t->flows || !t->lines || !t->out) {
		text_free(&t->sink);
		return NULL;
	}
	t->out->stop = to->stop;
	t->out->report = to->report;
	return t;
}

void text_free(struct sink *s)
{
	struct text *t = (struct text *)s;

	opened_free(t->opened);
	lines_free(t->lines);
	out_free(t->out);
	free(t->flows);
	free(t->in_report);
	free(t);
}

struct sink *text_sink_new(const struct print_to *to)
{
	static const struct sink_ops ops = {
		.begin = text_begin,
		.item = text_item,
		.line = text_line,
		.printa = text_printa,
		.end = text_end,
		.rest = text_rest,
		.fault = text_fault,
		.drop = text_drop,
		.cost = text_cost,
		.control = text_control,
		.newline = text_newline,
		.flush = text_flush,
		.free = text_free,
	};
	struct text *t = text_open(to, &ops, &style_text);

	return t ? &t->sink : NULL;
}
