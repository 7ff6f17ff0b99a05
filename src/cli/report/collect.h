/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect: what the trace of a report yields, within bounds of memory. */
#ifndef DWIRE_CLI_REPORT_COLLECT_H
#define DWIRE_CLI_REPORT_COLLECT_H
#include <time.h>

#include "api/dwire.h"
#include "cli/message.h"
#include "cli/picture/flame.h"
#include "cli/picture/tracks.h"
#include "cli/report/table.h"

#define SECTIONS 5
#define SECTION_PICTURES 6
#define SECTION_TABLES 4
#define LOSSES_MAX 16 /* different causes of drops, and messages, that are kept */

/* An aggregation as a chart, or a distribution as a heat map. */
struct picture_spec {
	const char *aggregation, *title;
	enum unit unit;
};

/* A part of the page and of the script. */
struct section {
	const char *id, *script, *title, *about;
	struct picture_spec charts[SECTION_PICTURES + 1], heats[SECTION_PICTURES + 1];
	struct table_spec tables[SECTION_TABLES + 1];
	const char *flame; /* title of the graph of the stacks; NULL: there is none */
};

extern const struct section sections[SECTIONS];

struct loss {
	char cause[32];
	uint64_t n;
};

struct collection {
	struct tracks tracks;
	struct table tables[SECTIONS][SECTION_TABLES];
	struct flame flame;
	char *lacks[SECTIONS]; /* why a section has no data; owned; NULL: it has */
	struct loss losses[LOSSES_MAX];
	size_t nlosses;
	char *messages[LOSSES_MAX]; /* of the trace; owned */
	size_t nmessages;
	uint64_t more_messages;
	struct progress *progress; /* borrowed; NULL: none */
	uint64_t length;           /* of the report, ns */
	uint64_t start_ns;         /* when all probes were attached; CLOCK_MONOTONIC, as end_ns */
	uint64_t end_ns;           /* when the trace ended; 0: it has not */
	time_t began;              /* as start_ns, by the clock on the wall */
};

void collect_begin(struct collection *c, uint64_t length, struct progress *progress);
extern const struct dwire_handlers collect_handlers;
/* Keeps a message of the trace for the page. */
void collect_message(struct collection *c, const char *text);
/* Nothing follows: closes the last column. */
void collect_end(struct collection *c);
void collect_free(struct collection *c);
#endif
