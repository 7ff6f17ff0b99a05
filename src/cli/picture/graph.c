/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph: see graph.h. Input: rows of aggregations. Output: DOT.
 * Invariant: texts are quoted strings of DOT, whatever a process is called; a node appears once for each text. */
#include "cli/picture/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/picture/markup.h"

static void put_value(FILE *f, const struct dwire_value *v)
{
	if (v->type == DWIRE_INT)
		fprintf(f, v->is_signed ? "%" PRId64 : "%" PRIu64, v->number);
	else if (v->type == DWIRE_STRING)
		(void)escape_print(f, v->text, v->len, ESCAPE_ALL);
}

/* Keys from..to as one text, separated by blanks. NULL: no memory. */
static char *keys_text(const struct dwire_row *r, size_t from, size_t to, const char *end)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = from; f && i < to; i++) {
		put_value(f, &r->keys[i]);
		fputs(i + 1 < to || *end ? " " : "", f);
	}
	if (f)
		fputs(end, f);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

static void edge_free(struct graph_edge *e)
{
	free(e->name);
	free(e->from);
	free(e->to);
	free(e->label);
}

/* Before an aggregation is shown again: what comes takes the place of its edges. */
static void forget(struct graph *g, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->edges[i].name, name) != 0)
			g->edges[kept++] = g->edges[i];
		else
			edge_free(&g->edges[i]);
	g->n = kept;
	g->refused = 0; /* while there is no room, each row that follows is counted again */
}

void graph_row(struct graph *g, const struct dwire_row *r)
{
	struct graph_edge *edges, edge = { .value = r->value };
	char value[UNIT_TEXT];

	for (size_t i = 0; i < r->nkeys; i++)
		if (r->keys[i].type == DWIRE_STACK)
			return;
	if (r->nkeys < 2 || r->nbuckets)
		return;
	if (!r->index)
		forget(g, r->aggregation);
	edges = g->n < GRAPH_EDGES_MAX ? reallocarray(g->edges, g->n + 1, sizeof(*edges)) : NULL;
	if (edges) {
		g->edges = edges;
		edge.name = strdup(r->aggregation);
		edge.from = keys_text(r, 0, 1, "");
		edge.to = keys_text(r, r->nkeys - 1, r->nkeys, "");
		edge.label = keys_text(
			r, 1, r->nkeys - 1, unit_text(value, sizeof(value), r->value, unit_of_name(r->aggregation)));
	}
	if (edge.name && edge.from && edge.to && edge.label) {
		edges[g->n++] = edge;
		return;
	}
	g->refused++;
	edge_free(&edge);
}

/* A string of DOT: a quote and a backslash are escaped, so that \n and \xHH show as they are. */
static void put_string(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

/* The more, the thicker: from 1 to 8 points by the part of the largest. */
void graph_dot(FILE *out, const struct graph *g)
{
	int64_t most = 1;

	for (size_t i = 0; i < g->n; i++)
		most = g->edges[i].value > most ? g->edges[i].value : most;
	fputs("digraph dwire {\n\trankdir=LR;\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
		out);
	for (size_t i = 0; i < g->n; i++) {
		const struct graph_edge *e = &g->edges[i];

		fputc('\t', out);
		put_string(out, e->from);
		fputs(" -> ", out);
		put_string(out, e->to);
		fputs(" [label=", out);
		put_string(out, e->label);
		fprintf(out, ", penwidth=%.1f];\n", e->value > 0 ? 1 + 7 * (double)e->value / (double)most : 1);
	}
	if (g->refused)
		fprintf(out, "\tlabel=\"%" PRIu64 " more edges are not shown\";\n", g->refused);
	fputs("}\n", out);
}

void graph_free(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		edge_free(&g->edges[i]);
	free(g->edges);
	*g = (struct graph){ 0 };
}
