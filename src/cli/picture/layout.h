/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout: a graph (graph.h) as a picture of two columns: who sends at the left, to whom at the right. It needs no
 * Graphviz; DOT is there for other layouts. */
#ifndef DWIRE_CLI_PICTURE_LAYOUT_H
#define DWIRE_CLI_PICTURE_LAYOUT_H
#include "cli/picture/graph.h"

#define LAYOUT_NODES_MAX 60u /* of a column: those with the largest sums */

/* SVG. Edges of nodes beyond LAYOUT_NODES_MAX are not drawn; the picture says how many. */
void layout_svg(FILE *out, const struct graph *g);
#endif
