/* SPDX-License-Identifier: GPL-2.0-or-later */
/* style: how values look in the output of a trace.
 *	text     for a terminal: what was traced is escaped
 *	columns  -x rows=text: a value that is too wide for its column takes the room from the padding of the next ones,
 *	         so that the columns after it are in their places again
 *	json     -x rows=json: texts are escaped for a JSON string, distributions and stacks are JSON
 *	csv      -x rows=csv: texts are escaped for a quoted field
 *	plain    as it is, for a command or the name of a file */
#ifndef DWIRE_PRINT_VALUE_STYLE_H
#define DWIRE_PRINT_VALUE_STYLE_H
#include "print/out.h"

extern const struct style style_text, style_columns, style_json, style_csv, style_plain;
#endif
