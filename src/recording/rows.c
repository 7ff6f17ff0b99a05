/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows: see rows.h. docs/STREAM.md describes the frames. Input: lines. Output: parts of them.
 * A frame that lies inside as a whole, as nearly all do, stays the text that it is. */
#include "recording/rows.h"

#include <stdlib.h>
#include <string.h>

#include "stream/frame.h"

static bool is_group(const struct line *l)
{
	return !strcmp(l->kind, "rows");
}

bool line_is_row(const struct line *l)
{
	return !strcmp(l->kind, "row") || is_group(l);
}

uint64_t line_time(const struct line *l)
{
	return line_number(l, is_group(l) ? "last" : "t");
}

/* l->rest begins with the comma behind the number. NULL: it is no frame. */
static json_t *read_group(const struct line *l)
{
	char *object = strndup(l->rest, l->nrest);
	json_t *frame;

	if (!object)
		return NULL;
	object[0] = '{';
	frame = json_loadb(object, l->nrest, JSON_ALLOW_NUL, NULL);
	free(object);
	return frame;
}

/* "last" becomes that of the rows that stay. */
static void cut(json_t *frame, uint64_t from, uint64_t to)
{
	const uint64_t t = frame_number(frame, "t");
	json_t *rows = json_object_get(frame, "rows");
	uint64_t last = 0;
	size_t i = 0;

	while (i < json_array_size(rows)) {
		const json_t *row = json_array_get(rows, i);
		const uint64_t at = t + (uint64_t)json_integer_value(json_array_get(row, 0));

		if (!frame_is_grouped(row) || at < from || at > to) {
			json_array_remove(rows, i);
			continue;
		}
		last = at > last ? at : last;
		i++;
	}
	json_object_set_new(frame, "last", json_integer((json_int_t)last));
}

char *rows_within(const struct line *l, uint64_t from, uint64_t to, uint64_t *n)
{
	const uint64_t first = line_number(l, "t"), last = line_time(l);
	json_t *frame;
	char *text;

	*n = last >= from && first <= to;
	if (!*n)
		return NULL;
	if (!is_group(l))
		return strndup(l->rest, l->nrest);
	frame = read_group(l);
	if (!frame)
		return NULL;
	if (first < from || last > to)
		cut(frame, from, to);
	*n = json_array_size(json_object_get(frame, "rows"));
	text = first < from || last > to ? json_dumps(frame, JSON_COMPACT) : strndup(l->rest, l->nrest);
	json_decref(frame);
	if (text && *n)
		text[0] = ',';
	if (text && !*n) {
		free(text);
		text = NULL;
	}
	return text;
}
