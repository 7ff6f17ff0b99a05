/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode: see decode.h.
 * Input: JSON. Output: values, types, words of aggregations.
 * Invariants: what is accepted is within the bounds that the compiler keeps for a script of one's own; nothing points
 * into the JSON. */
#include "stream/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/words.h"
#include "base/diag/diag.h"
#include "base/escape.h"
#include "lang/format.h"

#define FORMAT_MAX 65536u      /* bytes of a format */
#define LLQ_LEVELS_MAX 4096u   /* as agg/words.c */
#define LLQ_MAGNITUDES_MAX 64u /* 2^64 is the highest power that counts */

/* ---- numbers ----------------------------------------------------------------------------------------------------- */
/* The digits of an integer beyond 2^53. */
static bool digits_value(const char *s, uint64_t *out)
{
	char *end;

	if (*s != '-' && (*s < '0' || *s > '9'))
		return false;
	errno = 0;
	*out = *s == '-' ? (uint64_t)strtoll(s, &end, 10) : strtoull(s, &end, 10);
	return !errno && !*end;
}

static bool int_value(const json_t *j, uint64_t *out)
{
	if (json_is_string(j))
		return digits_value(json_string_value(j), out);
	*out = (uint64_t)json_integer_value(j);
	return json_is_integer(j);
}

/* A member that has to be an integer. */
static bool int_member(const json_t *j, const char *name, int64_t *out)
{
	uint64_t v;

	if (!int_value(json_object_get(j, name), &v))
		return false;
	*out = (int64_t)v;
	return true;
}

static bool float_value(const json_t *j, struct value *out)
{
	double d = json_number_value(j);
	const char *word = json_string_value(j);

	if (word)
		d = !strcmp(word, "nan") ? __builtin_nan("") : *word == '-' ? -__builtin_inf() : __builtin_inf();
	else if (!json_is_number(j))
		return false;
	out->kind = VALUE_INT;
	out->is_float = true;
	out->size = sizeof(d);
	memcpy(&out->i, &d, sizeof(d));
	return true;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */
/* Only what lays text out is let through; the rest may be for the terminal. */
static bool is_layout(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)s[i] < ' ' && s[i] != '\n' && s[i] != '\t') || (unsigned char)s[i] >= 0x7f)
			return false;
	return true;
}

static bool bytes_value(struct arena *a, const json_t *j, struct value *out);

/* A text, or {"b64": ...} if it is no UTF-8. */
static bool text_value(struct arena *a, const json_t *j, struct value *out)
{
	out->kind = VALUE_TEXT;
	if (json_is_object(j))
		return bytes_value(a, json_object_get(j, "b64"), out);
	if (!json_is_string(j))
		return false;
	out->kind = VALUE_TEXT;
	out->len = json_string_length(j);
	out->s = arena_strndup(a, json_string_value(j), out->len);
	return true;
}

static int b64_digit(char c)
{
	return c >= 'A' && c <= 'Z'    ? c - 'A'
		: c >= 'a' && c <= 'z' ? c - 'a' + 26
		: c >= '0' && c <= '9' ? c - '0' + 52
		: c == '+'             ? 62
		: c == '/'             ? 63
				       : -1;
}

static bool bytes_value(struct arena *a, const json_t *j, struct value *out)
{
	const char *s = json_string_value(j);
	size_t len = json_string_length(j), n = 0;
	char *to = s ? arena_try(a, len / 4 * 3 + 1) : NULL;

	if (!to || len % 4)
		return false;
	for (size_t i = 0; i < len; i += 4) {
		uint32_t v = 0;
		size_t pad = i + 4 == len ? (size_t)(s[len - 1] == '=') + (s[len - 2] == '=') : 0;

		for (size_t k = 0; k < 4; k++) {
			int d = k < 4 - pad ? b64_digit(s[i + k]) : 0;

			if (d < 0)
				return false;
			v = v << 6 | (uint32_t)d;
		}
		for (size_t k = 0; k < 3 - pad; k++)
			to[n++] = (char)(v >> (16 - 8 * k));
	}
	out->s = to;
	out->len = n;
	return true;
}

/* Frames as lines, which symtext_frames() takes apart. */
static bool stack_value(struct arena *a, const json_t *j, struct symtext *names, struct value *out)
{
	size_t len = 0;
	char *to;

	if (!json_is_array(j))
		return false;
	for (size_t i = 0; i < json_array_size(j); i++) {
		const json_t *frame = json_array_get(j, i), *b64 = json_object_get(frame, "b64");

		len += json_string_length(b64 ? b64 : frame) + 1;
	}
	to = arena_try(a, len + 1);
	if (!to)
		return false;
	out->s = to;
	for (size_t i = 0; i < json_array_size(j); i++) {
		struct value frame = { .kind = VALUE_TEXT };

		if (!text_value(a, json_array_get(j, i), &frame))
			return false;
		to = (char *)mempcpy(to, frame.s, frame.len);
		*to++ = '\n';
	}
	out->kind = VALUE_STACK;
	out->field = FIELD_GIVEN;
	out->names = names;
	out->len = len;
	return true;
}

/* {"sym": …} and its kin. */
static bool tagged_value(
	struct arena *a, const json_t *j, const struct field *f, struct symtext *names, struct value *out)
{
	const json_t *sym = json_object_get(j, "sym"), *zone = json_object_get(j, "zone");
	const json_t *lit = json_object_get(j, "lit"), *b64 = json_object_get(j, "b64");

	if (sym) {
		out->field = FIELD_SYM;
		return text_value(a, sym, out);
	}
	if (zone) {
		out->zone = true;
		return text_value(a, zone, out);
	}
	if (lit) {
		out->trusted = json_is_string(lit) && is_layout(json_string_value(lit), json_string_length(lit));
		return text_value(a, lit, out);
	}
	if (b64) {
		out->kind = f->kind == FIELD_BYTES ? VALUE_BYTES : VALUE_TEXT;
		return bytes_value(a, b64, out);
	}
	return stack_value(a, json_object_get(j, "frames"), names, out);
}

bool decode_value(struct arena *a, const json_t *j, const struct field *f, struct symtext *names, struct value *out)
{
	memset(out, 0, sizeof(*out));
	out->s = "";
	out->field = f->kind == FIELD_INT ? FIELD_INT : FIELD_CHARS;
	if (json_is_object(j))
		return tagged_value(a, j, f, names, out);
	if (f->kind != FIELD_INT)
		return text_value(a, j, out);
	if (f->is_float)
		return float_value(j, out);
	out->kind = VALUE_INT;
	out->size = (uint8_t)f->size;
	out->is_signed = f->is_signed;
	return int_value(j, &out->i);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
bool decode_field(struct arena *a, const json_t *j, struct field *out)
{
	const char *type = json_string_value(json_object_get(j, "type"));
	const char *name = json_string_value(json_object_get(j, "name"));
	int64_t size = 0;

	if (!type)
		return false;
	memset(out, 0, sizeof(*out));
	out->name = name ? escape_name(a, arena_strdup(a, name)) : NULL;
	out->kind = FIELD_CHARS;
	if (!strcmp(type, "bytes"))
		out->kind = FIELD_BYTES;
	if (strcmp(type, "int") != 0 && strcmp(type, "float") != 0)
		return true;
	if (!int_member(j, "size", &size) || (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	out->kind = FIELD_INT;
	out->size = (uint32_t)size;
	out->is_signed = json_is_true(json_object_get(j, "signed"));
	out->is_float = !strcmp(type, "float");
	return true;
}

/* The texts between the conversions are printed as they are. */
struct fmt *decode_format(struct arena *a, const char *s, size_t len)
{
	struct fmt *f = ARENA_NEW(a, struct fmt);
	const struct loc nowhere = { 0 };
	char *safe;

	if (!s || len > FORMAT_MAX)
		return NULL;
	safe = arena_strndup(a, s, len);
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)safe[i] < ' ' && safe[i] != '\n' && safe[i] != '\t' && safe[i] != '\r') ||
			safe[i] == 0x7f)
			safe[i] = '?';
	return fmt_parse(a, safe, len, diags_new(a), nowhere, f) ? NULL : f;
}

/* ---- aggregations ------------------------------------------------------------------------------------------------ */
static bool decode_function(const char *word, struct agg *g)
{
	int i = 0;

	for (; word && i < DW_AGG_FN_COUNT; i++) {
		g->fn = (enum dw_agg_fn)i;
		if (!strcmp(agg_function(g), word))
			return true;
	}
	return false;
}

static bool lquantize_params(const json_t *j, struct agg *g)
{
	int64_t span;

	if (!int_member(j, "base", &g->lq_base) || !int_member(j, "limit", &g->lq_limit) ||
		!int_member(j, "step", &g->lq_step) || g->lq_step <= 0 ||
		__builtin_sub_overflow(g->lq_limit, g->lq_base, &span) || span <= 0 ||
		span / g->lq_step > (int64_t)DECODE_WORDS_MAX - 2)
		return false;
	g->nwords = (uint32_t)(span / g->lq_step) + 2;
	return true;
}

static bool llquantize_params(const json_t *j, struct agg *g)
{
	int64_t v[4];
	size_t n;

	if (!int_member(j, "factor", &v[0]) || !int_member(j, "from", &v[1]) || !int_member(j, "to", &v[2]) ||
		!int_member(j, "steps", &v[3]))
		return false;
	if (v[0] < 2 || v[0] > UINT16_MAX || v[1] < 0 || v[2] < v[1] || v[2] >= (int64_t)LLQ_MAGNITUDES_MAX ||
		v[3] < 1 || v[3] > UINT16_MAX)
		return false;
	g->llq_factor = (uint32_t)v[0];
	g->llq_low = (uint32_t)v[1];
	g->llq_high = (uint32_t)v[2];
	g->llq_steps = (uint32_t)v[3];
	n = llq_bounds(g->llq_factor, g->llq_low, g->llq_high, g->llq_steps, NULL, 0);
	g->nwords = (uint32_t)n + 1;
	return n && n <= LLQ_LEVELS_MAX;
}

static bool decode_params(const json_t *j, struct agg *g)
{
	switch (g->fn) {
	case DW_AGG_COUNT:
		g->nwords = 1;
		return true;
	case DW_AGG_STDDEV:
		g->nwords = 4;
		return true;
	case DW_AGG_QUANTIZE:
		g->nwords = DW_QUANTIZE_BUCKETS;
		return true;
	case DW_AGG_LQUANTIZE:
		return lquantize_params(j, g);
	case DW_AGG_LLQUANTIZE:
		return llquantize_params(j, g);
	case DW_AGG_SUM:
	case DW_AGG_AVG:
	case DW_AGG_MIN:
	case DW_AGG_MAX:
	case DW_AGG_FN_COUNT:
		break;
	}
	g->nwords = 2;
	return true;
}

bool decode_agg(struct arena *a, const json_t *j, struct agg *out)
{
	const json_t *keys = json_object_get(j, "keys");
	const char *name = json_string_value(json_object_get(j, "name"));

	memset(out, 0, sizeof(*out));
	if (!name || !json_is_array(keys) || !decode_function(json_string_value(json_object_get(j, "fn")), out) ||
		!decode_params(j, out))
		return false;
	out->name = escape_name(a, arena_strdup(a, name));
	out->nkeys = json_array_size(keys);
	out->keys = ARENA_TRY_ARRAY(a, struct field, out->nkeys + 1);
	return out->keys != NULL;
}

/* [[bucket, n], …] */
static bool dist_state(const struct agg *g, const json_t *j, uint64_t *out)
{
	if (!json_is_array(j))
		return false;
	for (size_t i = 0; i < json_array_size(j); i++) {
		const json_t *pair = json_array_get(j, i);
		uint64_t bucket, n;

		if (!int_value(json_array_get(pair, 0), &bucket) || !int_value(json_array_get(pair, 1), &n) ||
			bucket >= g->nwords)
			return false;
		out[bucket] = n;
	}
	return true;
}

/* The decimal digits of 128 bits. */
static bool squares_value(const char *s, uint64_t *low, uint64_t *high)
{
	unsigned __int128 v = 0;

	if (!s || !*s)
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (unsigned)(*s - '0');
	*low = (uint64_t)v;
	*high = (uint64_t)(v >> 64);
	return !*s;
}

bool decode_state(const struct agg *g, const json_t *j, uint64_t *out)
{
	memset(out, 0, g->nwords * sizeof(*out));
	switch (g->fn) {
	case DW_AGG_SUM:
	case DW_AGG_MIN:
	case DW_AGG_MAX:
		out[1] = !json_is_null(j);
		return json_is_null(j) || int_value(j, out);
	case DW_AGG_QUANTIZE:
	case DW_AGG_LQUANTIZE:
	case DW_AGG_LLQUANTIZE:
		return dist_state(g, j, out);
	case DW_AGG_AVG:
	case DW_AGG_STDDEV:
		if (!int_value(json_array_get(j, 0), &out[0]) || !int_value(json_array_get(j, 1), &out[1]))
			return false;
		return g->fn == DW_AGG_AVG || squares_value(json_string_value(json_array_get(j, 2)), &out[2], &out[3]);
	case DW_AGG_COUNT:
	case DW_AGG_FN_COUNT:
		break;
	}
	return int_value(j, out);
}
