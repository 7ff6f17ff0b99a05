/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: the rows of aggregations as text.
 * Input: a table (agg/agg.h), sorted. Output: text in an out; of a table without rows nothing. */
#ifndef DWIRE_PRINT_VALUE_TABLE_H
#define DWIRE_PRINT_VALUE_TABLE_H
#include "agg/agg.h"
#include "print/out.h"

/* In the default layout, or that of -x agghist or aggpack. */
void table_print(struct out *o, const struct agg_table *t);
/* What the conversions of a report itself show: %@#Y, %@#T and %@N. */
struct table_report {
	uint64_t time;   /* ns since the epoch */
	uint64_t number; /* from 1 on */
};

/* printa with a format: once for each row. With -x rows, how many rows -x aggrows left out. */
void table_print_format(
	struct out *o, const struct agg_table *t, const struct fmt *fmt, const struct table_report *report);
#endif
