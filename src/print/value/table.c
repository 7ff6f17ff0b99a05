/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: see table.h.
 *	  curl                                              10.0.0.5                 12      the default layout
 *	curl;main;tcp_sendmsg 12                                                             -x stackfmt=folded
 *	    curl  |@@@@@@@@@@@                              12                               -x agghist
 * Source: D manual, chapter "Aggregations". */
#include "print/value/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/value/dist.h"
#include "print/value/stack.h"
#include "print/value/style.h"
#include "print/value/values.h"

/* A key in the default layout. */
static void print_key(struct out *o, const struct value *k)
{
	struct value plain = k->kind == VALUE_BYTES ? print_shown_as(k) : *k;

	if (plain.kind == VALUE_TEXT) {
		out_pad(o, 2);
		out_text(o, plain.s, plain.len, plain.trusted, -50);
		return;
	}
	if (plain.kind == VALUE_INT && plain.size <= 2) /* as in DTrace, which prints larger ones with their sign */
		plain.i = value_bits(&plain);
	print_trace(o, &plain, false);
}

/* One value: a number or a distribution. */
static void print_words(struct out *o, const struct agg_table *t, size_t pos, const uint64_t *words)
{
	const struct agg *g = t->aggs[pos];

	if (agg_is_dist(g)) {
		dist_print(o, g, words, t->normal[pos], &o->options->agg);
		return;
	}
	out_pad(o, 1);
	out_int(o, agg_shown(g, words, t->normal[pos]), 16);
}

/* -x aggpercpu: the part of each CPU, a line each. */
static void print_cpus(struct out *o, const struct agg_table *t, const struct agg_row *r, size_t pos)
{
	const struct agg *g = t->aggs[pos];
	uint64_t *words = calloc(g->nwords, sizeof(*words));
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	char head[32];

	for (size_t cpu = 0; words && cpu < t->ncpus; cpu++) {
		bool any = false;

		agg_cpu_words(t, r, pos, cpu, words);
		for (size_t i = 0; i < g->nwords; i++)
			any |= words[i] != 0;
		if (!any && (long)cpu >= online)
			continue;
		snprintf(head, sizeof(head), "\n    [CPU %zu]", cpu);
		out_str(o, head);
		print_words(o, t, pos, words);
	}
	free(words);
}

/* "execname;frame;frame 12", as tools for flame graphs read it; false: that is not asked for. */
static bool print_folded_row(struct out *o, const struct agg_table *t, const struct agg_row *r)
{
	size_t nkeys = t->aggs[0]->nkeys;
	bool folded = false;

	for (size_t i = 0; i < nkeys; i++)
		folded |= stack_is_folded(&r->keys[i]);
	if (!folded || agg_is_dist(t->aggs[0]))
		return false;
	for (size_t i = 0; i < nkeys; i++) {
		out_bytes(o, ";", i > 0);
		print_plain(o, &r->keys[i]);
	}
	out_bytes(o, " ", 1);
	out_int(o, agg_row_number(t, r, 0), 0);
	out_bytes(o, "\n", 1);
	return true;
}

static void print_default_row(struct out *o, const struct agg_table *t, const struct agg_row *r)
{

	if (print_folded_row(o, t, r))
		return;
	for (size_t i = 0; i < t->aggs[0]->nkeys; i++)
		print_key(o, &r->keys[i]);
	for (size_t i = 0; i < t->naggs; i++) {
		print_words(o, t, i, agg_words(t, r, i));
		if (o->options->agg.percpu)
			print_cpus(o, t, r, i);
	}
	out_bytes(o, "\n", 1);
}

/* A key before a bar. */
static void print_packed_key(struct out *o, const struct value *k)
{
	if (k->kind == VALUE_TEXT && !value_is_symbol(k)) {
		out_pad(o, 1);
		out_text(o, k->s, k->len, k->trusted, 16);
		return;
	}
	print_key(o, k);
}

static void print_packed_keys(struct out *o, const struct agg *g, const struct agg_row *r)
{
	for (size_t k = 0; k < g->nkeys; k++)
		print_packed_key(o, &r->keys[k]);
}

/* Columns that print_packed_key() takes. */
static size_t key_columns(const struct agg_row *r, size_t nkeys)
{
	size_t n = 0;

	for (size_t i = 0; i < nkeys; i++)
		n += r->keys[i].kind != VALUE_INT ? 17
			: r->keys[i].size == 8    ? 17
			: r->keys[i].size == 4    ? 9
			: r->keys[i].size == 2    ? 6
						  : 4;
	return n;
}

/* The rows of one aggregation as bars (agghist). */
static void print_bars(struct out *o, const struct agg_table *t)
{
	const struct agg_opts *opts = &o->options->agg;
	const struct agg *g = t->aggs[0];
	struct dist_total total = { 0 };

	for (size_t i = 0; i < t->nrows; i++)
		dist_total_add(&total, agg_number(g, agg_words(t, &t->rows[i], 0)), opts->zoom);
	dist_hist_header(o, key_columns(&t->rows[0], g->nkeys));
	for (size_t i = t->first; i < t->first + t->shown; i++) {
		print_packed_keys(o, g, &t->rows[i]);
		dist_hist(o, &total, agg_number(g, agg_words(t, &t->rows[i], 0)), t->normal[0], opts);
	}
}

/* The rows of one distribution, a line each (aggpack). */
static void print_packed(struct out *o, const struct agg_table *t)
{
	const struct agg *g = t->aggs[0];
	struct dist_span span = { 0 };

	for (size_t i = 0; i < t->nrows; i++)
		dist_span_add(g, &span, agg_words(t, &t->rows[i], 0));
	dist_pack_header(o, g, span, key_columns(&t->rows[0], g->nkeys));
	for (size_t i = t->first; i < t->first + t->shown; i++) {
		print_packed_keys(o, g, &t->rows[i]);
		dist_pack(o, g, span, agg_words(t, &t->rows[i], 0), &o->options->agg);
	}
}

/* The keys of a row, and its aggregations. */
struct row_source {
	struct fmt_source src;
	const struct agg_table *t;
	const struct agg_row *r;
	const struct table_report *report;
	size_t next, pos;
};

/* Past the last key: an empty text. */
static const struct value *next_key(struct fmt_source *src)
{
	static const struct value none = { .kind = VALUE_TEXT, .s = "" };
	struct row_source *c = (struct row_source *)src;

	return c->next < c->t->aggs[0]->nkeys ? &c->r->keys[c->next++] : &none;
}

/* The precision of %@.99Q: digits behind the second one are behind the point, 999 is 99.9 %. */
static long double percent_of(int prec)
{
	long double percent = prec;

	while (percent > 100)
		percent /= 10;
	return percent;
}

/* %@.99Q. Nothing was counted: "-", and null in JSON. */
static void print_quantile(
	struct out *o, const struct fmt_item *it, const struct agg *g, const uint64_t *words, size_t *owed)
{
	struct fmt_item as = *it;
	struct value v = { .kind = VALUE_INT, .is_signed = true, .size = 8 };
	int64_t value;

	as.conv = 'd';
	if (!agg_quantile(g, words, percent_of(it->prec), &value)) {
		as.conv = 's';
		v = (struct value){
			.kind = VALUE_TEXT, .field = FIELD_CHARS, .s = o->style == &style_json ? "null" : "-"
		};
		v.len = strlen(v.s);
	} else {
		v.i = (uint64_t)value;
	}
	o->style->conv(o, &as, it->width, -1, &v, owed);
}

/* %@#Y, %@#T, %@N */
static void print_report(struct out *o, const struct fmt_item *it, const struct table_report *report, size_t *owed)
{
	struct fmt_item as = *it;
	struct value v = { .kind = VALUE_INT, .size = 8, .i = it->conv == 'N' ? report->number : report->time };

	as.conv = it->conv == 'N' ? 'd' : it->conv;
	o->style->conv(o, &as, it->width, -1, &v, owed);
}

/* "... 81 more": no row is left out in silence. */
static void print_more(struct out *o, const struct agg_table *t)
{
	char buf[48];

	if (t->shown == t->nrows || (o->style != &style_columns && o->style != &style_json))
		return;
	snprintf(
		buf, sizeof(buf), o->style == &style_json ? "{\"more\":%zu}\n" : "... %zu more\n", t->nrows - t->shown);
	out_str(o, buf);
}

/* One aggregation may be shown several times; of several, each conversion takes the next. */
static void print_agg_value(struct fmt_source *src, struct out *o, const struct fmt_item *it, size_t *owed)
{
	struct row_source *c = (struct row_source *)src;
	const struct agg_table *t = c->t;
	struct value v = { .kind = VALUE_INT, .is_signed = true, .size = 8 };
	size_t pos;

	if (fmt_of_report(it)) {
		print_report(o, it, c->report, owed);
		return;
	}
	pos = c->pos < t->naggs ? c->pos++ : t->naggs - 1;
	if (it->conv == 'Q') {
		print_quantile(o, it, t->aggs[pos], agg_words(t, c->r, pos), owed);
		return;
	}
	if (agg_is_dist(t->aggs[pos])) {
		o->style->dist(o, t->aggs[pos], agg_words(t, c->r, pos), t->normal[pos]);
		return;
	}
	v.i = (uint64_t)agg_row_number(t, c->r, pos);
	o->style->conv(o, it, it->width, it->prec, &v, owed);
}

void table_print_format(
	struct out *o, const struct agg_table *t, const struct fmt *fmt, const struct table_report *report)
{
	for (size_t i = t->first; i < t->first + t->shown; i++) {
		struct row_source c = {
			.src = { next_key, print_agg_value }, .t = t, .r = &t->rows[i], .report = report
		};

		print_walk(o, fmt, &c.src);
	}
	print_more(o, t);
}

void table_print(struct out *o, const struct agg_table *t)
{
	const struct agg_opts *opts = &o->options->agg;
	const struct agg *g = t->aggs[0];
	const bool alone = t->naggs == 1;

	if (!t->nrows)
		return;
	if (alone && opts->hist && !agg_is_dist(g) && g->fn != DW_AGG_MIN && g->fn != DW_AGG_MAX)
		print_bars(o, t);
	else if (alone && opts->pack && agg_is_dist(g) && g->fn != DW_AGG_LLQUANTIZE)
		print_packed(o, t);
	else
		for (size_t i = t->first; i < t->first + t->shown; i++)
			print_default_row(o, t, &t->rows[i]);
}
