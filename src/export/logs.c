/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logs: see logs.h. Input: frames of rows. Output: records. Invariant: those that wait take at most LOGS_BYTES. */
#include "export/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "options/options.h"
#include "print/memory.h"
#include "print/value/values.h"
#include "stream/decode.h"

#define VALUES_MAX 256u /* of a row */

/* A row on its way to be a record. */
struct making {
	struct arena *arena;
	struct log *log;
	FILE *body;
};

void logs_init(struct logs *l)
{
	*l = (struct logs){ .last = &l->first };
}

static void log_free(struct log *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nvalues; i++)
		free((char *)(uintptr_t)l->values[i].name);
	labels_free(l->values, l->nvalues);
	free(l->host);
	free(l->probe);
	free(l->body);
	free(l);
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */
/* What printf() would print. */
static void print_text(const struct making *mk, const json_t *format, const struct value *values, size_t n)
{
	struct fmt *fmt = decode_format(mk->arena, json_string_value(format), json_string_length(format));
	struct options options;
	struct memory_out out = { 0 };
	const char *text;
	size_t len = 0;

	options_init(&options);
	if (fmt && memory_out_open(&out, &options)) {
		print_format(out.out, fmt, values, n);
		text = memory_out_take(&out, &len);
		fwrite(text, 1, len, mk->body);
	}
	memory_out_close(&out);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
static void keep_value(const struct making *mk, const json_t *column, const json_t *value)
{
	const char *name = json_string_value(json_object_get(column, "name"));
	struct log *l = mk->log;
	struct pair *to = &l->values[l->nvalues];
	char *copy = NULL;

	if (l->nvalues == VALUES_MAX ||
		(name ? asprintf(&copy, "%s", name) : asprintf(&copy, "value%zu", l->nvalues + 1)) < 0)
		return;
	*to = (struct pair){ copy, label_text(value) };
	if (to->value)
		l->nvalues++;
	else
		free(copy);
}

/* [number of the action, value, ...] */
static void take_item(const struct making *mk, const json_t *clause, const json_t *item)
{
	const json_t *action =
		json_array_get(json_object_get(clause, "actions"), (size_t)json_integer_value(json_array_get(item, 0)));
	const json_t *columns = json_object_get(action, "columns"), *format = json_object_get(action, "format");
	size_t n = json_array_size(columns);
	struct value *values = ARENA_TRY_ARRAY(mk->arena, struct value, n + 1);

	if (!values || json_array_size(item) != n + 1)
		return;
	for (size_t i = 0; i < n; i++) {
		const json_t *column = json_array_get(columns, i), *value = json_array_get(item, i + 1);
		struct field f;

		if (!decode_field(mk->arena, column, &f) || !decode_value(mk->arena, value, &f, NULL, &values[i]))
			return;
		keep_value(mk, column, value);
	}
	if (format) {
		print_text(mk, format, values, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		char *text = label_text(json_array_get(item, i + 1));

		fprintf(mk->body, "%s%s", i ? " " : "", text ? text : "");
		free(text);
	}
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
static char *probe_of(const json_t *clause)
{
	static const char *const parts[] = { "provider", "module", "function", "name" };
	const json_t *probe = json_object_get(clause, "probe");
	char *text = NULL, *clean;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	for (size_t i = 0; to && i < 4; i++) {
		const char *part = json_string_value(json_object_get(probe, parts[i]));

		fprintf(to, "%s%s", i ? ":" : "", part ? part : "");
	}
	if (to)
		fclose(to);
	clean = text ? label_clean(text, len) : NULL;
	free(text);
	return clean;
}

/* The line feed at the end of a line is no part of the record. */
static void end_body(struct log *l, char *text, size_t len)
{
	while (len && text[len - 1] == '\n')
		len--;
	l->body = label_clean(text, len);
}

/* NULL: no memory. */
static struct log *log_new(const struct trace *s, const struct model_row *row)
{
	struct log *l = calloc(1, sizeof(*l));
	struct making mk = { .arena = arena_new(), .log = l };
	char *text = NULL;
	size_t len = 0;

	mk.body = open_memstream(&text, &len);
	if (l) {
		l->host = strdup(s->host);
		l->probe = probe_of(row->clause);
		l->values = calloc(VALUES_MAX, sizeof(*l->values));
		l->observed = clock_wall();
		l->time = row->time + (uint64_t)s->offset;
	}
	for (size_t i = row->first; l && l->values && mk.arena && mk.body && i < json_array_size(row->items); i++)
		take_item(&mk, row->clause, json_array_get(row->items, i));
	if (mk.body && !fclose(mk.body) && l)
		end_body(l, text, len);
	free(text);
	arena_free(mk.arena);
	if (l && l->body && l->host && l->probe)
		return l;
	log_free(l);
	return NULL;
}

void logs_take(void *ctx, const struct trace *s, const struct model_row *row)
{
	struct logs *l = ctx;
	struct log *g = l->bytes < LOGS_BYTES ? log_new(s, row) : NULL;

	if (!g) {
		l->lost++;
		return;
	}
	if (!g->nvalues && !*g->body) { /* a row of exit() or printa() */
		log_free(g);
		return;
	}
	g->bytes = sizeof(*g) + VALUES_MAX * sizeof(*g->values) + strlen(g->body);
	for (size_t i = 0; i < g->nvalues; i++)
		g->bytes += strlen(g->values[i].name) + strlen(g->values[i].value);
	*l->last = g;
	l->last = &g->next;
	l->n++;
	l->bytes += g->bytes;
}

void logs_remove(struct logs *l, size_t n)
{
	for (; n && l->first; n--) {
		struct log *g = l->first;

		l->first = g->next;
		l->bytes -= g->bytes;
		l->n--;
		log_free(g);
	}
	if (!l->first)
		l->last = &l->first;
}

void logs_free(struct logs *l)
{
	logs_remove(l, l->n);
}
