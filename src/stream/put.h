/* SPDX-License-Identifier: GPL-2.0-or-later */
/* put: values, types and states of aggregations as the JSON of a stream. docs/STREAM.md describes it.
 * A value that JSON cannot express is an object with one member that says what it is: {"b64": bytes or a text that is
 * no UTF-8}, {"frames": a stack}, {"sym": a named address}, {"zone": the name of a network namespace}, {"lit": a text
 * of the script with control characters}. An integer beyond 2^53 is a text of its digits, since many readers of JSON
 * keep numbers as doubles. */
#ifndef DWIRE_STREAM_PUT_H
#define DWIRE_STREAM_PUT_H
#include "agg/agg.h"
#include "print/out.h"

#define PUT_NUMBER (DIGITS_ROOM + 3) /* bytes that put_number() may touch */

#define PUT_EXACT (1ull << 53) /* integers up to here are exact as doubles */

/* An integer at p; returns its end. Larger ones are strings, because readers keep JSON numbers as doubles. */
static inline char *put_number(char *p, uint64_t v, bool is_signed)
{
	const bool negative = is_signed && (int64_t)v < 0;
	const uint64_t u = negative ? -v : v;
	const bool exact = u <= PUT_EXACT;

	*p = '"';
	p += !exact;
	*p = '-';
	p = digits_put(p + negative, u);
	*p = '"';
	return p + !exact;
}
static inline void put_int(struct out *o, uint64_t v, bool is_signed)
{
	out_upto(o, put_number(out_room(o, PUT_NUMBER), v, is_signed));
}
/* ,value */
void put_next(struct out *o, const struct value *v);
/* A string of JSON, or {"b64": …} when it is no UTF-8. */
void put_text(struct out *o, const char *s, size_t len);
void put_string(struct out *o, const char *s);
void put_value(struct out *o, const struct value *v);
/* {"name":"pid","type":"int","size":4,"signed":true} */
void put_field(struct out *o, const struct field *f);
/* The values of a printf: a number that its format shows as the name of an address (%a, %A) becomes {"sym": name},
 * because only this machine knows the name. */
void put_format_values(struct out *o, const struct fmt *fmt, const struct value *values, size_t n);
/* The format as the script has it, with escapes replaced: "%-16s %d\n". */
void put_format(struct out *o, const struct fmt *fmt);
/* What an aggregation is: function, parameters, types of its keys, the least value of each bucket. */
void put_agg(struct out *o, const struct agg *g);
/* [[keys], state]. A state is a number; null: a min or max of nothing; [n, sum]; [n, sum, "squares"];
 * [[bucket, n], ...]. */
void put_row(struct out *o, const struct agg *g, const struct agg_row *row, const uint64_t *words);
#endif
