/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows: -x rows: what printf and printa print are rows of a table.
 *	text: a value that is too wide for its column takes the room from the next ones' padding, so that the columns
 *	      after it stand in their places again
 *	json: texts are escaped for a JSON string, distributions and stacks are JSON; what was dropped is an object
 *	csv:  texts are escaped for a quoted field
 * The format says the rest: quotes, names, commas. Nothing else is printed: no empty line at the end, no aggregation
 * that the script did not print. */
#ifndef DWIRE_PRINT_ROWS_H
#define DWIRE_PRINT_ROWS_H
#include "agg/agg.h"
#include "print/print.h"

/* One conversion of a format, with what the row owes in columns. */
void rows_conv(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v, size_t *debt);
/* Text of a value, in json or csv: out_text() does this. */
void rows_text(struct out *o, const char *s, size_t len);
/* A distribution: [{"value":4,"count":1}], or "4:1 8:3". */
void rows_dist(struct out *o, const struct agg *g, const uint64_t *words, uint64_t normal);
/* {"drops":3,"message":"3 drops on CPU 0"} */
void rows_drop(struct out *o, uint64_t n, const char *message);
#endif
