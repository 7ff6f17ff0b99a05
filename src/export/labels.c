/* SPDX-License-Identifier: GPL-2.0-or-later */
/* labels: see labels.h. Input: the JSON of a key, perhaps of a hostile machine. Output: texts.
 * Invariant: whatever the key is, the texts are valid UTF-8, of bounded length, and harmless on a terminal. */
#include "export/labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

/* The frames of a stack, the innermost first. */
static void write_frames(FILE *to, const json_t *frames);

/* What a tagged value holds: {"sym": "..."} and its kin. */
static void write_tagged(FILE *to, const json_t *v)
{
	static const char *const tags[] = { "sym", "zone", "lit", "b64" };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		const json_t *text = json_object_get(v, tags[i]);

		if (json_is_string(text))
			fwrite(json_string_value(text), 1, json_string_length(text), to);
	}
	write_frames(to, json_object_get(v, "frames"));
}

static void write_value(FILE *to, const json_t *v)
{
	if (json_is_string(v))
		fwrite(json_string_value(v), 1, json_string_length(v), to);
	else if (json_is_integer(v))
		fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		fprintf(to, "%.17g", json_real_value(v));
	else if (json_is_object(v))
		write_tagged(to, v);
}

static void write_frames(FILE *to, const json_t *frames)
{
	for (size_t i = 0; i < json_array_size(frames); i++) {
		const json_t *frame = json_array_get(frames, i);

		if (i)
			fputs(";", to);
		if (json_is_object(frame))
			write_tagged(to, frame);
		else
			write_value(to, frame);
	}
}

/* A copy in which what is no UTF-8, or would act on a terminal, is U+FFFD. */
char *label_clean(const char *s, size_t len)
{
	static const char odd[] = "\xef\xbf\xbd";
	char *copy = malloc(LABEL_BYTES_MAX + 1), *to = copy;

	for (size_t i = 0, n; copy && i < len; i += n) {
		uint32_t c = 0;
		size_t size = utf8_decode(s + i, len - i, &c);
		bool bad = !size || c < ' ' || c == 0x7f || escape_unsafe(c);

		n = size ? size : 1;
		if ((size_t)(to - copy) + (bad ? sizeof(odd) - 1 : n) > LABEL_BYTES_MAX)
			break;
		to = bad ? mempcpy(to, odd, sizeof(odd) - 1) : mempcpy(to, s + i, n);
	}
	if (copy)
		*to = '\0';
	return copy;
}

char *label_text(const json_t *value)
{
	char *text = NULL, *copy = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	write_value(to, value);
	if (!fclose(to))
		copy = label_clean(text, len);
	free(text);
	return copy;
}

int labels_of(const struct metric *g, const char *key, size_t len, struct pair **out)
{
	json_t *values = json_loadb(key, len, JSON_ALLOW_NUL, NULL);
	struct pair *labels = calloc(g->ncolumns + 1, sizeof(*labels));
	int n = 0;

	for (size_t i = 0; labels && i < g->ncolumns; i++) {
		if (g->columns[i].hidden)
			continue;
		labels[n] = (struct pair){ g->columns[i].label, label_text(json_array_get(values, i)) };
		if (!labels[n].value) {
			labels_free(labels, (size_t)n);
			labels = NULL;
		}
		n++;
	}
	json_decref(values);
	*out = labels;
	return labels ? n : -ENOMEM;
}

void labels_free(struct pair *labels, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(labels[i].value);
	free(labels);
}
