/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows: -x rows: what printf and printa print are rows of a table: text in columns, JSON or CSV. The format says the
 * rest: quotes, names, commas. Nothing else is printed: no aggregation that the script did not print; with JSON an
 * object for each drop: {"drops":3,"message":"3 drops on CPU 0"}, one for what sampling left out, and one for the
 * cost. */
#include <inttypes.h>
#include <string.h>

#include "print/text.h"
#include "print/value/quote.h"
#include "print/value/style.h"

static void json_drop(struct sink *s, const struct drop *d)
{
	struct text *t = (struct text *)s;
	char buf[96], message[256];

	text_drop(s, d);
	drop_text(d, true, message, sizeof(message));
	if (d->kind == DROP_SAMPLED) /* no loss, and not to be taken for one */
		snprintf(buf, sizeof(buf), "{\"left_out\":%" PRIu64 ",\"samplerate\":%" PRIu64 ",\"message\":\"", d->n,
			d->rate);
	else
		snprintf(buf, sizeof(buf), "{\"drops\":%" PRIu64 ",\"message\":\"", d->n);
	out_str(t->out, buf);
	quote_json(t->out, message, strlen(message));
	out_str(t->out, "\"}\n");
}

static void json_number(struct out *o, const char *name, uint64_t v)
{
	char buf[64];

	snprintf(buf, sizeof(buf), ",\"%s\":%" PRIu64, name, v);
	out_str(o, buf);
}

/* {"cost":{"wall_ns":...,"probes":[{"probe":"tcp:::send","runs":1,"ns":90}]}}. What is unknown is null. */
static void json_cost(struct sink *s, const struct cost *c)
{
	struct out *o = ((struct text *)s)->out;
	char buf[64];

	text_cost(s, c);
	snprintf(buf, sizeof(buf), "{\"cost\":{\"wall_ns\":%" PRIu64, c->wall);
	out_str(o, buf);
#define X(name, member) json_number(o, name, c->member);
	COST_NUMBERS(X)
#undef X
	if (!c->counted) {
		out_str(o, ",\"runs\":null,\"ns\":null,\"probes\":null}}\n");
		return;
	}
	json_number(o, "share_ppm", cost_share(c));
	json_number(o, "runs", c->runs);
	json_number(o, "ns", c->ns);
	out_str(o, ",\"probes\":[");
	for (size_t i = 0; i < c->nrows; i++) {
		out_str(o, i ? ",{\"probe\":\"" : "{\"probe\":\"");
		quote_json(o, c->rows[i].name, strlen(c->rows[i].name));
		out_str(o, "\"");
		json_number(o, "runs", c->rows[i].runs);
		json_number(o, "ns", c->rows[i].ns);
		out_str(o, "}");
	}
	out_str(o, "]}}\n");
}

#define ROWS_OPS(newline_fn, drop_fn, cost_fn)                                                                     \
	{                                                                                                          \
		.begin = text_begin, .item = text_item, .line = text_line, .printa = text_printa, .end = text_end, \
		.fault = text_fault, .drop = (drop_fn), .cost = (cost_fn), .control = text_control,                \
		.newline = (newline_fn), .flush = text_flush, .free = text_free,                                   \
	}

struct sink *rows_sink_new(const struct print_to *to)
{
	static const struct sink_ops columns = ROWS_OPS(text_newline, text_drop, text_cost),
				     json = ROWS_OPS(NULL, json_drop, json_cost),
				     csv = ROWS_OPS(NULL, text_drop, text_cost);
	struct text *t = to->options->rows == ROWS_JSON ? text_open(to, &json, &style_json)
		: to->options->rows == ROWS_CSV         ? text_open(to, &csv, &style_csv)
							: text_open(to, &columns, &style_columns);

	return t ? &t->sink : NULL;
}
