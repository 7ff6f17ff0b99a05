/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph: who talks with whom, in the language DOT of Graphviz: dot -Tsvg FILE. */
#ifndef DWIRE_CLI_PICTURE_GRAPH_H
#define DWIRE_CLI_PICTURE_GRAPH_H
#include <stdbool.h>
#include <stdio.h>

#include "api/dwire.h"

#define GRAPH_EDGES_MAX 2000u

/* A zeroed one is empty. */
struct graph {
	struct graph_edge {
		char *name, *from, *to,
			*label; /* owned; name: of the aggregation; label: the keys between, and the value */
		int64_t value;
	} * edges;
	size_t n;
	uint64_t refused; /* rows for which there was no room */
};

/* A row with at least two keys, none of them a stack: an edge from the first key to the last. An aggregation
 * that is shown again replaces its edges. */
void graph_row(struct graph *g, const struct dwire_row *r);
void graph_dot(FILE *out, const struct graph *g);
void graph_free(struct graph *g);
#endif
