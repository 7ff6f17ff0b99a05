/* SPDX-License-Identifier: GPL-2.0-or-later */
/* put: see put.h.
 * Input: decoded values, words of aggregations. Output: JSON in an out.
 * Invariant: whatever a process or packet put into a text, what is written is valid JSON in UTF-8.
 * Sources: RFC 8259 (JSON), RFC 4648 section 4 (base64). */
#include "stream/put.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "print/value/quote.h"
#include "symbols/symtext.h"

/* ---- plain JSON -------------------------------------------------------------------------------------------------- */
/* Bytes that are no text: {"b64":"..."}. */
static void put_b64(struct out *o, const char *s, size_t len)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	out_str(o, "{\"b64\":\"");
	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = 0;
		char quad[4];

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (i + k < len ? (unsigned char)s[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			quad[k] = i + k <= len ? set[v >> (18 - 6 * k) & 63] : '=';
		out_bytes(o, quad, sizeof(quad));
	}
	out_str(o, "\"}");
}

static bool is_utf8(const char *s, size_t len)
{
	uint32_t c;

	for (size_t i = 0, n; i < len; i += n) {
		n = (unsigned char)s[i] < 0x80 ? 1 : utf8_decode(s + i, len - i, &c);
		if (!n)
			return false;
	}
	return true;
}

void put_text(struct out *o, const char *s, size_t len)
{
	const size_t plain = quote_plain(s, len);

	if (plain == len && len + 2 <= OUT_SIZE) { /* nearly all texts */
		char *p = out_room(o, len + 2);

		*p = '"';
		out_copy(p + 1, s, len);
		p[len + 1] = '"';
		out_upto(o, p + len + 2);
		return;
	}
	if (!is_utf8(s + plain, len - plain)) {
		put_b64(o, s, len);
		return;
	}
	out_char(o, '"');
	quote_json(o, s, len);
	out_char(o, '"');
}

void put_string(struct out *o, const char *s)
{
	put_text(o, s, strlen(s));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* 17 digits are enough to get the same double back. JSON has no words for infinities and NaN. */
static void put_float(struct out *o, const struct value *v)
{
	double d;
	float f;
	char buf[40];

	if (v->size == sizeof(d)) {
		memcpy(&d, &v->i, sizeof(d));
	} else {
		memcpy(&f, &v->i, sizeof(f));
		d = (double)f;
	}
	if (isfinite(d))
		snprintf(buf, sizeof(buf), "%.17g", d);
	else
		snprintf(buf, sizeof(buf), "\"%s\"", isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
	out_str(o, buf);
}

struct frames {
	struct out *o;
	bool any;
};

/* For symtext_frames(). */
static void put_frame(void *ctx, const char *text, size_t len)
{
	struct frames *f = ctx;

	out_bytes(f->o, ",", f->any);
	put_text(f->o, text, len);
	f->any = true;
}

static void put_stack(struct out *o, const struct value *v)
{
	struct frames f = { .o = o };

	out_str(o, "{\"frames\":[");
	if (v->names)
		symtext_frames(v->names, v->field, v->s, v->len, put_frame, &f);
	out_str(o, "]}");
}

static bool has_control(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < ' ')
			return true;
	return false;
}

/* {"sym":"text"} */
static void put_tagged(struct out *o, const char *tag, const char *s, size_t len)
{
	out_str(o, "{\"");
	out_str(o, tag);
	out_str(o, "\":");
	put_text(o, s, len);
	out_str(o, "}");
}

void put_value(struct out *o, const struct value *v)
{
	switch (v->kind) {
	case VALUE_INT:
		if (v->is_float)
			put_float(o, v);
		else
			put_int(o, v->i, v->is_signed);
		break;
	case VALUE_TEXT:
		if (value_is_symbol(v))
			put_tagged(o, "sym", v->s, v->len);
		else if (v->zone)
			put_tagged(o, "zone", v->s, v->len);
		else if (v->trusted && has_control(v->s, v->len))
			put_tagged(o, "lit", v->s, v->len);
		else
			put_text(o, v->s, v->len);
		break;
	case VALUE_BYTES:
		put_b64(o, v->s, v->len);
		break;
	case VALUE_STACK:
		put_stack(o, v);
		break;
	}
}

/* Numbers are what most rows have most of. */
void put_next(struct out *o, const struct value *v)
{
	if (v->kind == VALUE_INT && !v->is_float) {
		char *p = out_room(o, PUT_NUMBER + 1);

		*p = ',';
		out_upto(o, put_number(p + 1, v->i, v->is_signed));
		return;
	}
	out_char(o, ',');
	if (v->field == FIELD_CHARS && !v->trusted && !v->zone)
		put_text(o, v->s, v->len);
	else
		put_value(o, v);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */
/* ,the name of an address, as print_conv() would write it. */
static void put_address(struct out *o, const struct fmt_item *it, const struct value *v)
{
	uint64_t pid = it->conv == 'A' ? symtext_target(v->names) : 0;
	const char *name = symtext_name(v->names, pid ? FIELD_UADDR : FIELD_INT, pid, v->i);

	out_char(o, ',');
	put_tagged(o, "sym", name, strlen(name));
}

void put_format_values(struct out *o, const struct fmt *fmt, const struct value *values, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < fmt->n && at < n; i++) {
		const struct fmt_item *it = &fmt->items[i];
		size_t stars = (size_t)it->star_width + it->star_prec;

		if (!it->conv)
			continue;
		for (; stars && at < n; stars--, at++)
			put_next(o, &values[at]);
		if (at == n)
			return;
		const struct value *v = &values[at++];

		if ((it->conv == 'a' || it->conv == 'A') && v->kind == VALUE_INT && v->names)
			put_address(o, it, v);
		else
			put_next(o, v);
	}
}

void put_format(struct out *o, const struct fmt *fmt)
{
	out_bytes(o, "\"", 1);
	for (size_t i = 0; i < fmt->n; i++) {
		const struct fmt_item *it = &fmt->items[i];

		for (size_t k = 0; k < it->text_len;) {
			const char *from = it->text + k, *percent = memchr(from, '%', it->text_len - k);
			size_t len = percent ? (size_t)(percent - from) + 1 : it->text_len - k;

			quote_json(o, from, len);
			out_bytes(o, "%", percent != NULL);
			k += len;
		}
		if (it->conv)
			quote_json(o, it->conv_text, strlen(it->conv_text));
	}
	out_bytes(o, "\"", 1);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
static const char *type_name(const struct field *f)
{
	switch (f->kind) {
	case FIELD_INT:
		return f->is_float ? "float" : "int";
	case FIELD_LIT:
	case FIELD_TSTR:
	case FIELD_CHARS:
	case FIELD_GIVEN:
		return "string";
	case FIELD_SYM:
	case FIELD_MOD:
	case FIELD_USYM:
	case FIELD_UMOD:
	case FIELD_UADDR:
		return "symbol";
	case FIELD_STACK:
	case FIELD_USTACK:
	case FIELD_UCOPY:
		return "stack";
	case FIELD_BYTES:
	case FIELD_REST:
		break;
	}
	return "bytes";
}

void put_field(struct out *o, const struct field *f)
{
	f = f->kind == FIELD_GIVEN && f->given ? f->given : f;
	out_str(o, "{");
	if (f->name) {
		out_str(o, "\"name\":");
		put_string(o, f->name);
		out_str(o, ",");
	}
	out_str(o, "\"type\":\"");
	out_str(o, type_name(f));
	out_str(o, "\"");
	if (f->kind == FIELD_INT) {
		out_str(o, ",\"size\":");
		out_int(o, f->size, 0);
		out_str(o, f->is_signed ? ",\"signed\":true" : ",\"signed\":false");
	}
	out_str(o, "}");
}

static void put_param(struct out *o, const char *name, int64_t v)
{
	out_str(o, ",\"");
	out_str(o, name);
	out_str(o, "\":");
	put_int(o, (uint64_t)v, true);
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
/* "low": the least value of each bucket; null: the bucket of all that lies below. */
static void put_buckets(struct out *o, const struct agg *g)
{
	struct agg_buckets b;

	agg_buckets_init(&b, g);
	out_str(o, ",\"low\":[");
	for (size_t i = 0; i < b.n; i++) {
		out_bytes(o, ",", i > 0);
		if (!i && g->fn != DW_AGG_QUANTIZE)
			out_str(o, "null");
		else
			put_int(o, (uint64_t)agg_bucket_value(&b, i), true);
	}
	out_str(o, "]");
	agg_buckets_free(&b);
}

void put_agg(struct out *o, const struct agg *g)
{
	out_str(o, "\"agg\":");
	out_int(o, g->id, 0);
	out_str(o, ",\"name\":");
	put_string(o, g->name);
	out_str(o, ",\"fn\":");
	put_string(o, agg_function(g));
	if (g->fn == DW_AGG_LQUANTIZE) {
		put_param(o, "base", g->lq_base);
		put_param(o, "limit", g->lq_limit);
		put_param(o, "step", g->lq_step);
	} else if (g->fn == DW_AGG_LLQUANTIZE) {
		put_param(o, "factor", g->llq_factor);
		put_param(o, "from", g->llq_low);
		put_param(o, "to", g->llq_high);
		put_param(o, "steps", g->llq_steps);
	}
	out_str(o, ",\"keys\":[");
	for (size_t i = 0; i < g->nkeys; i++) {
		out_bytes(o, ",", i > 0);
		put_field(o, &g->keys[i]);
	}
	out_str(o, "]");
	if (agg_is_dist(g))
		put_buckets(o, g);
}

/* Only the buckets that count something. */
static void put_dist(struct out *o, const struct agg *g, const uint64_t *words)
{
	bool any = false;

	out_str(o, "[");
	for (size_t i = 0; i < g->nwords; i++) {
		if (!words[i])
			continue;
		out_str(o, any ? ",[" : "[");
		out_int(o, (int64_t)i, 0);
		out_str(o, ",");
		put_int(o, words[i], true);
		out_str(o, "]");
		any = true;
	}
	out_str(o, "]");
}

/* The decimal digits of a number of 128 bits, as a text: sums of squares exceed 64 bits.
 * Readers of JSON keep numbers as doubles, which hold 53. */
static void put_u128(struct out *o, unsigned __int128 v)
{
	char buf[48], *p = buf + sizeof(buf);

	*--p = '\0';
	*--p = '"';
	do {
		*--p = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	*--p = '"';
	out_str(o, p);
}

static void put_state(struct out *o, const struct agg *g, const uint64_t *w)
{
	switch (g->fn) {
	case DW_AGG_COUNT:
	case DW_AGG_SUM:
		put_int(o, w[0], true);
		return;
	case DW_AGG_MIN:
	case DW_AGG_MAX:
		if (w[1])
			put_int(o, w[0], true);
		else
			out_str(o, "null");
		return;
	case DW_AGG_QUANTIZE:
	case DW_AGG_LQUANTIZE:
	case DW_AGG_LLQUANTIZE:
		put_dist(o, g, w);
		return;
	case DW_AGG_AVG:
	case DW_AGG_STDDEV:
	case DW_AGG_FN_COUNT:
		break;
	}
	out_str(o, "[");
	put_int(o, w[0], false);
	out_str(o, ",");
	put_int(o, w[1], true);
	if (g->fn == DW_AGG_STDDEV) {
		out_str(o, ",");
		put_u128(o, (unsigned __int128)w[3] << 64 | w[2]);
	}
	out_str(o, "]");
}

void put_row(struct out *o, const struct agg *g, const struct agg_row *row, const uint64_t *words)
{
	out_str(o, "[[");
	for (size_t i = 0; i < g->nkeys; i++) {
		out_bytes(o, ",", i > 0);
		put_value(o, &row->keys[i]);
	}
	out_str(o, "],");
	put_state(o, g, words);
	out_str(o, "]");
}
