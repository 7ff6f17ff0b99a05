/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agg_print: aggregations as text: printa() with a format and in the default layouts.
 * Input: tables of rows. Output: text in an out.
 * Invariant: an aggregation that had something to show counts as printed.
 * Source: D manual, chapter "Aggregations". */
#include "agg/agg_priv.h"
#include "print/rows.h"

static const uint64_t *words_of(const struct agg_table *t, const struct agg_row *r, size_t pos)
{
	return r->words + t->woff[pos];
}

static int64_t shown(const struct agg_set *s, const struct agg_row *r, size_t pos)
{
	const struct agg *g = s->table.aggs[pos];

	return agg_shown(g, words_of(&s->table, r, pos), s->aggs[g->id].normal);
}

static void print_key(struct out *o, const struct value *k)
{
	if (k->kind == VALUE_TEXT) {
		out_pad(o, 2);
		out_text(o, k->s, k->len, k->trusted, -50);
		return;
	}
	print_trace(o, k, false);
}

void agg_print_words(const struct agg_set *s, struct out *o, const struct agg *g, const uint64_t *words)
{
	uint64_t normal = s->aggs[g->id].normal;

	if (agg_is_dist(g)) {
		agg_print_dist(o, g, words, normal, &s->opts);
		return;
	}
	out_pad(o, 1);
	out_int(o, agg_shown(g, words, normal), 16);
}

/* "execname;frame;frame 12", as tools for flame graphs read it; false: that is not asked for. */
static bool print_folded_row(const struct agg_set *s, struct out *o, const struct agg_row *r)
{
	const struct agg_table *t = &s->table;
	size_t nkeys = t->aggs[0]->nkeys;
	bool folded = false;

	for (size_t i = 0; i < nkeys; i++)
		folded |= print_is_folded(&r->keys[i]);
	if (!folded || agg_is_dist(t->aggs[0]))
		return false;
	for (size_t i = 0; i < nkeys; i++) {
		out_bytes(o, ";", i > 0);
		print_plain(o, &r->keys[i]);
	}
	out_bytes(o, " ", 1);
	out_int(o, shown(s, r, 0), 0);
	out_bytes(o, "\n", 1);
	return true;
}

static void print_default_row(const struct agg_set *s, struct out *o, const struct agg_row *r)
{
	const struct agg_table *t = &s->table;

	if (print_folded_row(s, o, r))
		return;
	for (size_t i = 0; i < t->aggs[0]->nkeys; i++)
		print_key(o, &r->keys[i]);
	for (size_t i = 0; i < t->naggs; i++) {
		agg_print_words(s, o, t->aggs[i], words_of(t, r, i));
		if (s->opts.percpu)
			agg_print_cpus(s, o, r, i);
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

/* The rows of one aggregation as bars or packed; false when it is not of the kind that an option says that of. */
static bool print_rows_otherwise(const struct agg_set *s, struct out *o, size_t first, size_t most)
{
	const struct agg_table *t = &s->table;
	const struct agg *g = t->aggs[0];
	uint64_t normal = s->aggs[g->id].normal;
	bool dist = agg_is_dist(g);
	struct agg_total total = { 0 };
	struct agg_span span = { 0 };

	bool bars = s->opts.hist && !dist && g->fn != DW_AGG_MIN && g->fn != DW_AGG_MAX;

	if (t->naggs != 1 || !(bars || (dist && s->opts.pack && g->fn != DW_AGG_LLQUANTIZE)))
		return false;
	for (size_t i = 0; i < t->nrows; i++) {
		if (dist)
			agg_span_add(g, &span, words_of(t, &t->rows[i], 0));
		else
			agg_total_add(&total, agg_number(g, words_of(t, &t->rows[i], 0)), s->opts.zoom);
	}
	if (dist)
		agg_print_pack_header(o, g, span, key_columns(&t->rows[0], g->nkeys));
	else
		agg_print_hist_header(o, key_columns(&t->rows[0], g->nkeys));
	for (size_t i = first; i < first + most; i++) {
		const struct agg_row *r = &t->rows[i];

		for (size_t k = 0; k < g->nkeys; k++)
			print_packed_key(o, &r->keys[k]);
		if (dist)
			agg_print_pack(o, g, span, words_of(t, r, 0), &s->opts);
		else
			agg_print_hist(o, &total, agg_number(g, words_of(t, r, 0)), normal, &s->opts);
	}
	return true;
}

/* The keys of a row, and its aggregations. */
struct row_source {
	struct fmt_source src;
	const struct agg_set *s;
	const struct agg_row *r;
	size_t next, pos;
};

static const struct value *next_key(struct fmt_source *src)
{
	static const struct value none = { .kind = VALUE_TEXT, .s = "" };
	struct row_source *c = (struct row_source *)src;

	return c->next < c->s->table.aggs[0]->nkeys ? &c->r->keys[c->next++] : &none;
}

/* One aggregation may be shown several times; of several, each conversion takes the next. */
static void print_agg_value(struct fmt_source *src, struct out *o, const struct fmt_item *it, size_t *owed)
{
	struct row_source *c = (struct row_source *)src;
	const struct agg_table *t = &c->s->table;
	size_t pos = c->pos < t->naggs ? c->pos++ : t->naggs - 1;
	const struct agg *g = t->aggs[pos];
	const uint64_t *words = words_of(t, c->r, pos);
	struct value v = { .kind = VALUE_INT, .is_signed = true, .size = 8 };

	if (agg_is_dist(g) && o->rows > ROWS_TEXT) {
		rows_dist(o, g, words, c->s->aggs[g->id].normal);
	} else if (agg_is_dist(g)) {
		agg_print_dist(o, g, words, c->s->aggs[g->id].normal, &c->s->opts);
	} else {
		v.i = (uint64_t)shown(c->s, c->r, pos);
		rows_conv(o, it, it->width, it->prec, &v, owed);
	}
}

static void print_format_row(const struct agg_set *s, struct out *o, const struct fmt *fmt, const struct agg_row *r)
{
	struct row_source c = { .src = { next_key, print_agg_value }, .s = s, .r = r };

	print_walk(o, fmt, &c.src);
}

static void print_rows(struct agg_set *s, struct out *o, const struct fmt *fmt)
{
	const struct agg_table *t = &s->table;
	size_t most = s->opts.rows && s->opts.rows < t->nrows ? s->opts.rows : t->nrows;
	size_t first = s->opts.sort_rev ? 0 : t->nrows - most; /* the highest are first or last */

	if (!fmt && t->nrows && print_rows_otherwise(s, o, first, most))
		return;
	for (size_t i = first; i < first + most; i++) {
		if (fmt)
			print_format_row(s, o, fmt, &t->rows[i]);
		else
			print_default_row(s, o, &t->rows[i]);
	}
}

void agg_printa(struct agg_set *s, struct out *o, const struct fmt *fmt, const uint32_t *ids, size_t n)
{
	bool filled = agg_table_fill(s, ids, n, &s->opts);

	if (!fmt)
		out_bytes(o, "\n", 1);
	if (!filled || !s->table.nrows)
		return;
	for (size_t i = 0; i < n; i++) {
		struct agg_state *st = agg_state_of(s, ids[i]);

		if (st)
			st->printed = true;
	}
	print_rows(s, o, fmt);
}

void agg_print_rest(struct agg_set *s, struct out *o)
{
	for (uint32_t id = 0; id < s->image->aggs.n; id++) {
		const uint32_t only[] = { id };

		if (s->aggs[id].printed || !agg_table_fill(s, only, 1, &s->opts))
			continue;
		s->aggs[id].printed = s->table.nrows > 0;
		print_rows(s, o, NULL);
	}
}

void agg_each_row(struct agg_set *s, uint32_t id, void (*fn)(void *ctx, const struct agg_view *row), void *ctx)
{
	const struct agg_table *t = &s->table;
	const uint32_t only[] = { id };
	struct agg_state *st = agg_state_of(s, id);

	if (!st || !agg_table_fill(s, only, 1, &s->opts))
		return;
	st->printed |= t->nrows > 0;
	for (size_t i = 0; i < t->nrows; i++) {
		const struct agg_row *r = &t->rows[i];
		const struct agg_view v = { st->g, r->keys, words_of(t, r, 0), agg_is_dist(st->g) ? 0 : shown(s, r, 0),
			st->normal };

		fn(ctx, &v);
	}
}

bool agg_done(const struct agg_set *s, uint32_t id)
{
	return id >= s->image->aggs.n || s->aggs[id].printed;
}
