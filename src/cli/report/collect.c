/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect: see collect.h. Input: rows, states and drops of the trace. Output: tracks, tables and a flame graph.
 * Invariant: each aggregation of the scripts has a place in one of them. */
#include "cli/report/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/progress.h"

void collect_begin(struct collection *c, uint64_t length, struct progress *progress)
{
	*c = (struct collection){
		.length = length, .progress = progress, .start_ns = clock_now(), .began = time(NULL)
	};
	tracks_begin(&c->tracks, c->start_ns);
	for (size_t i = 0; i < SECTIONS; i++)
		for (size_t k = 0; k < SECTION_TABLES; k++)
			c->tables[i][k].spec = &sections[i].tables[k];
}

/* ---- the handlers ------------------------------------------------------------------------------------------------ */
/* At the end: each aggregation as a whole. */
static int take_row(void *ctx, const struct dwire_row *r)
{
	struct collection *c = ctx;

	if (flame_row(&c->flame, r))
		return 0;
	for (size_t i = 0; i < SECTIONS; i++)
		for (size_t k = 0; k < SECTION_TABLES && sections[i].tables[k].title; k++)
			if (table_take(&c->tables[i][k], r))
				return 0;
	tracks_row(&c->tracks, r);
	return 0;
}

static void show_progress(const struct collection *c)
{
	const uint64_t past = clock_now() - c->start_ns;
	char what[80];

	snprintf(what, sizeof(what), "tracing, %.0f s of %.0f s", (double)past / 1e9, (double)c->length / 1e9);
	progress_show(c->progress, what, past, c->length);
}

/* A table's keys may be thousands: only what is drawn over time is followed. */
static bool is_drawn(const char *aggregation)
{
	for (size_t i = 0; i < SECTIONS; i++) {
		for (size_t k = 0; sections[i].charts[k].aggregation; k++)
			if (!strcmp(sections[i].charts[k].aggregation, aggregation))
				return true;
		for (size_t k = 0; sections[i].heats[k].aggregation; k++)
			if (!strcmp(sections[i].heats[k].aggregation, aggregation))
				return true;
	}
	return false;
}

/* Once a second. */
static int take_state(void *ctx, const struct dwire_row *r)
{
	struct collection *c = ctx;

	if (r) {
		if (is_drawn(r->aggregation))
			tracks_row(&c->tracks, r);
		return 0;
	}
	tracks_column(&c->tracks, clock_now(), false);
	show_progress(c);
	return 0;
}

static int take_drop(void *ctx, const struct dwire_drop *d)
{
	struct collection *c = ctx;
	size_t i = 0;

	while (i < c->nlosses && strcmp(c->losses[i].cause, d->cause) != 0)
		i++;
	if (i == LOSSES_MAX) { /* there are fewer causes than that */
		c->more_messages++;
		return 0;
	}
	if (i == c->nlosses)
		snprintf(c->losses[c->nlosses++].cause, sizeof(c->losses[0].cause), "%s", d->cause);
	c->losses[i].n += d->n;
	return 0;
}

/* BEGIN: all probes are attached, and the time of the pictures begins. END: what came later is not theirs. */
static int take_record(void *ctx, const struct dwire_record *r)
{
	struct collection *c = ctx;

	if (!strcmp(r->probe.name, "END")) {
		c->end_ns = r->time;
		return 0;
	}
	c->start_ns = c->tracks.start = r->time;
	c->began = time(NULL);
	return 0;
}

const struct dwire_handlers collect_handlers = { .size = sizeof(struct dwire_handlers),
	.record = take_record,
	.row = take_row,
	.drop = take_drop,
	.state = take_state };

/* ---- the rest ---------------------------------------------------------------------------------------------------- */
void collect_message(struct collection *c, const char *text)
{
	char *copy = c->nmessages < LOSSES_MAX ? strdup(text) : NULL;

	if (copy)
		c->messages[c->nmessages++] = copy;
	else
		c->more_messages++;
}

void collect_end(struct collection *c)
{
	if (!c->end_ns)
		c->end_ns = clock_now();
	tracks_column(&c->tracks, c->end_ns, true);
	progress_show(c->progress, NULL, 0, 0);
}

void collect_free(struct collection *c)
{
	tracks_free(&c->tracks);
	flame_free(&c->flame);
	for (size_t i = 0; i < SECTIONS; i++) {
		free(c->lacks[i]);
		for (size_t k = 0; k < SECTION_TABLES; k++)
			table_free(&c->tables[i][k]);
	}
	for (size_t i = 0; i < c->nmessages; i++)
		free(c->messages[i]);
}
