/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values: values as text, as dtrace(1) lays them out: printf, trace, print, tracemem. Nothing is allocated.
 * Source: D manual, chapter "Output Formatting". */
#ifndef DWIRE_PRINT_VALUE_VALUES_H
#define DWIRE_PRINT_VALUE_VALUES_H
#include "print/out.h"

/* One conversion of a format. width and prec replace those of the item (they may have come from arguments). */
void print_conv(struct out *o, const struct fmt_item *it, int width, int prec, const struct value *v);
/* Where the arguments of a format come from, in order; those for "*" too. */
struct fmt_source {
	const struct value *(*next)(struct fmt_source *src); /* past the last: an empty string */
	void (*agg)(struct fmt_source *src, struct out *o, const struct fmt_item *it, size_t *owed); /* %@; or NULL */
};
void print_walk(struct out *o, const struct fmt *fmt, struct fmt_source *src);
/* printf: takes the arguments in order, those for "*" included. */
void print_format(struct out *o, const struct fmt *fmt, const struct value *values, size_t n);
/* A value without blanks around it. */
void print_plain(struct out *o, const struct value *v);
/* What trace() makes of a structure's bytes (VALUE_BYTES), as the manual has it: an integer, text or the bytes. Borrows
 * from v. */
struct value print_shown_as(const struct value *v);
/* trace(): dtrace's default layout, plain when quiet. */
void print_trace(struct out *o, const struct value *v, bool quiet);
/* trace() of a string under -x rawbytes: all bytes of its buffer, of size bytes, as memory. */
void print_trace_raw(struct out *o, const struct value *v, size_t size);
/* print(): type and value, structures member by member. */
void print_typed(struct out *o, const struct ptype *t, const struct value *v);
/* Memory as tracemem() shows it: a newline, a ruler, then 16 bytes a line. */
void print_dump(struct out *o, const uint8_t *p, size_t len);
#endif
