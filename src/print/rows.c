/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows: -x rows: what printf and printa print are rows of a table: text in columns, JSON or CSV. The format says the
 * rest: quotes, names, commas. Nothing else is printed: no aggregation that the script did not print; with JSON an
 * object for each drop: {"drops":3,"message":"3 drops on CPU 0"}. */
#include <inttypes.h>
#include <string.h>

#include "print/text.h"
#include "print/value/quote.h"
#include "print/value/style.h"

static void json_drop(struct sink *s, const struct drop *d)
{
	struct text *t = (struct text *)s;
	char buf[64], message[256];

	text_drop(s, d);
	drop_text(d, true, message, sizeof(message));
	snprintf(buf, sizeof(buf), "{\"drops\":%" PRIu64 ",\"message\":\"", d->n);
	out_str(t->out, buf);
	quote_json(t->out, message, strlen(message));
	out_str(t->out, "\"}\n");
}

#define ROWS_OPS(newline_fn, drop_fn)                                                                                \
	{                                                                                                            \
		.begin = text_begin, .item = text_item, .printa = text_printa, .end = text_end, .fault = text_fault, \
		.drop = (drop_fn), .control = text_control, .newline = (newline_fn), .flush = text_flush,            \
		.free = text_free,                                                                                   \
	}

struct sink *rows_sink_new(const struct print_to *to)
{
	static const struct sink_ops columns = ROWS_OPS(text_newline, text_drop), json = ROWS_OPS(NULL, json_drop),
				     csv = ROWS_OPS(NULL, text_drop);
	struct text *t = to->options->rows == ROWS_JSON ? text_open(to, &json, &style_json)
		: to->options->rows == ROWS_CSV         ? text_open(to, &csv, &style_csv)
							: text_open(to, &columns, &style_columns);

	return t ? &t->sink : NULL;
}
