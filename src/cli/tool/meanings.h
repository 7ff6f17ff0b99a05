/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meanings: what the columns of tools mean, by their names in JSON. tools/gen_meanings.py makes the table from
 * docs/rows.schema.json. */
#ifndef DWIRE_CLI_TOOL_MEANINGS_H
#define DWIRE_CLI_TOOL_MEANINGS_H
#include <stddef.h>

struct meaning {
	const char *name, *text;
};

extern const struct meaning column_meanings[];
extern const size_t column_nmeanings;
#endif
