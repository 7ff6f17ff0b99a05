/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows: see rows.h. Input: values. Output: their text. Invariant: with json, whatever was traced, a row that its format
 * makes well-formed is well-formed. */
#include "print/rows.h"

#include <inttypes.h>
#include <string.h>

#include "print/doc.h"

/* A zero-padded number is the second half of another ("%d.%03d"): it keeps its width. */
void rows_conv(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *debt)
{
	size_t want = width > 0 && !(it->flags & FMT_ZERO) ? (size_t)width : 0;
	size_t room = want > *debt ? want - *debt : 0;
	uint64_t start = out_total(o), n;

	if (o->rows != ROWS_TEXT || !want) {
		print_conv(o, it, width, prec, v);
		return;
	}
	print_conv(o, it, (int)room, prec, v);
	n = out_total(o) - start;
	*debt = *debt + n > want ? *debt + n - want : 0;
}

static void csv_text(struct out *o, const char *s, size_t len)
{
	while (len) {
		const char *quote = memchr(s, '"', len);
		size_t n = quote ? (size_t)(quote - s) + 1 : len;

		out_safe(o, s, n);
		if (quote)
			out_bytes(o, "\"", 1);
		s += n;
		len -= n;
	}
}

void rows_text(struct out *o, const char *s, size_t len)
{
	if (o->rows == ROWS_JSON)
		doc_json(o, s, len);
	else
		csv_text(o, s, len);
}

struct dist_pass {
	struct out *o;
	bool json, any;
};

static void add_bucket(void *ctx, int64_t value, int64_t n)
{
	struct dist_pass *p = ctx;
	char buf[80];

	if (!n)
		return;
	if (p->json)
		snprintf(buf, sizeof(buf), "%s{\"value\":%" PRId64 ",\"count\":%" PRId64 "}", p->any ? "," : "", value,
			n);
	else
		snprintf(buf, sizeof(buf), "%s%" PRId64 ":%" PRId64, p->any ? " " : "", value, n);
	out_str(p->o, buf);
	p->any = true;
}

void rows_dist(struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal)
{
	struct dist_pass p = { .o = o, .json = o->rows == ROWS_JSON };

	out_str(o, p.json ? "[" : "");
	agg_each_bucket(g, words, normal, add_bucket, &p);
	out_str(o, p.json ? "]" : "");
}

void rows_drop(struct out *o, uint64_t n, const char *message)
{
	char buf[64];

	if (o->rows != ROWS_JSON)
		return;
	snprintf(buf, sizeof(buf), "{\"drops\":%" PRIu64 ",\"message\":\"", n);
	out_str(o, buf);
	doc_json(o, message, strlen(message));
	out_str(o, "\"}\n");
}
