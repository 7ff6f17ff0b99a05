/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pictures: --flame, --heat and --graph: pictures of what a trace shows, beside its text. The trace may be one of this
 * machine, of streams that are merged, or of a recording: pictures have the time of the data, not of the clock. */
#ifndef DWIRE_CLI_PICTURE_PICTURES_H
#define DWIRE_CLI_PICTURE_PICTURES_H
#include "cli/message.h"
#include "cli/picture/flame.h"
#include "cli/picture/graph.h"
#include "cli/picture/term.h"
#include "cli/picture/tracks.h"

/* A zeroed one has no pictures. Files; NULL: not wanted. heat "-": lines on the standard output. */
struct pictures {
	const char *flame, *heat, *graph;
	unsigned runs; /* traces that were drawn: the second one's files are called file-2.svg */

	const struct dwire *d; /* of the trace that runs; borrowed */
	struct flame stacks;
	struct tracks tracks;
	struct graph edges;
	struct term_heat term;
	uint64_t seen; /* the time of the last values, ns since the trace began */
	time_t wall;   /* ... since 1970 */
};

/* Members of a table for getopt_long() and what it returns for them. */
#define PICTURES_OPTION 1000
#define PICTURES_LONG                                                                                                \
	{ "flame", required_argument, NULL, PICTURES_OPTION }, { "heat", optional_argument, NULL, PICTURES_OPTION }, \
	{                                                                                                            \
		"graph", required_argument, NULL, PICTURES_OPTION                                                    \
	}

/* Takes an option: "flame", "heat" or "graph". file: borrowed; NULL: the terminal. False: it is another option. */
bool pictures_take(struct pictures *p, const char *option, const char *file);
bool pictures_wanted(const struct pictures *p);
/* As trace() (cli/trace.h), and draws: the pictures are written whatever the trace's status is, which may be that of
 * exit(). Returns the exit status; 1 after a message about a file that cannot be written: before the trace, if that is
 * known then. p can be used for the next trace. */
int pictures_trace(struct pictures *p, struct dwire *d, FILE *out, struct messages *messages);
#endif
