/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pictures: --flame, --heat and --graph: pictures of what a trace shows, beside its text. */
#ifndef DWIRE_CLI_PICTURE_PICTURES_H
#define DWIRE_CLI_PICTURE_PICTURES_H
#include "cli/message.h"
#include "cli/picture/flame.h"
#include "cli/picture/graph.h"
#include "cli/picture/term.h"
#include "cli/picture/tracks.h"

/* Files; NULL: not wanted. heat "-": lines on the standard output. */
struct pictures {
	const char *flame, *heat, *graph;
	struct flame stacks;
	struct tracks tracks;
	struct graph edges;
	struct term_heat term;
	bool begun; /* the tracks have */
};

bool pictures_wanted(const struct pictures *p);
/* Before the trace: takes its data. 0, or 1 after a message about a file that cannot be written. */
int pictures_watch(struct pictures *p, struct dwire *d, const struct messages *messages);
/* After it: writes the files. 0, or 1 after a message. */
int pictures_write(struct pictures *p, const struct messages *messages);
void pictures_free(struct pictures *p);
#endif
