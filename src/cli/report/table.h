/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: the tables of the report: keys, and the values that several aggregations have for them. */
#ifndef DWIRE_CLI_REPORT_TABLE_H
#define DWIRE_CLI_REPORT_TABLE_H
#include <stdbool.h>

#include "api/dwire.h"
#include "cli/picture/markup.h"

#define TABLE_KEYS 8
#define TABLE_COLUMNS 4
#define TABLE_ROWS_MAX 10000u /* that are kept */
#define TABLE_ROWS_SHOWN 100u

/* An aggregation as a column. */
struct table_column {
	const char *aggregation, *title;
	enum unit unit;
};

struct table_spec {
	const char *title;
	const char *keys[TABLE_KEYS + 1]; /* titles; NULL: there are no more */
	struct table_column columns[TABLE_COLUMNS + 1];
};

struct table_row;

struct table {
	const struct table_spec *spec; /* borrowed */
	void *rows;                    /* of tsearch(3) */
	size_t nrows;
	uint64_t refused; /* rows for which there was no room */
	bool failed;      /* memory was short */
};

/* Takes a row whose aggregation is a column of the table. False: it is none. */
bool table_take(struct table *t, const struct dwire_row *r);
/* As HTML. The rows with the largest first value come first. */
void table_html(FILE *out, const struct table *t);
void table_free(struct table *t);
#endif
