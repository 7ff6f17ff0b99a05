/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracks: see tracks.h.
 * Invariant: the sum of a line's columns and of what was added since is what the trace counted, however often values
 * were observed and taken back, as long as they were observed before they were taken back. */
#include "cli/picture/tracks.h"

#include <stdlib.h>
#include <string.h>

#define HALF_SECOND 500000000u

void tracks_begin(struct tracks *t, uint64_t start)
{
	*t = (struct tracks){ .start = start };
}

void tracks_free(struct tracks *t)
{
	for (size_t i = 0; i < t->ntracks; i++) {
		for (size_t k = 0; k < t->tracks[i]->nlines; k++)
			free(t->tracks[i]->lines[k]);
		free(t->tracks[i]->lines);
		free(t->tracks[i]);
	}
	t->ntracks = 0;
}

const struct track *tracks_find(const struct tracks *t, const char *name)
{
	for (size_t i = 0; i < t->ntracks; i++)
		if (!strcmp(t->tracks[i]->name, name))
			return t->tracks[i];
	return NULL;
}

int64_t track_sum(const struct track *t, size_t column)
{
	int64_t sum = 0;

	for (size_t i = 0; i < t->nlines; i++)
		sum += t->lines[i]->columns[column];
	return sum;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */
/* False: values of the function cannot be added up. */
static bool dist_of(const char *function, enum dist *out)
{
	static const struct {
		const char *function;
		enum dist dist;
	} kinds[] = { { "count", DIST_NONE }, { "sum", DIST_NONE }, { "quantize", DIST_QUANTIZE },
		{ "lquantize", DIST_LQUANTIZE }, { "llquantize", DIST_LLQUANTIZE } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].function, function)) {
			*out = kinds[i].dist;
			return true;
		}
	return false;
}

/* The track of a row's aggregation, made if it is new. NULL: there is no room, or the function has no sum. */
static struct track *track_of(struct tracks *t, const struct dwire_row *r)
{
	enum dist dist;
	struct track *track;

	if (!dist_of(r->function, &dist))
		return NULL;
	for (size_t i = 0; i < t->ntracks; i++)
		if (!strcmp(t->tracks[i]->name, r->aggregation))
			return t->tracks[i];
	if (t->ntracks == TRACKS_MAX) {
		t->refused++;
		return NULL;
	}
	track = calloc(1, sizeof(*track));
	if (!track) {
		t->failed = true;
		return NULL;
	}
	snprintf(track->name, sizeof(track->name), "%s", r->aggregation);
	track->dist = dist;
	t->tracks[t->ntracks++] = track;
	return track;
}

/* The line of a bucket; lines stay sorted. NULL: there is no room. */
static struct line *line_of(struct tracks *t, struct track *track, int64_t low, int64_t high)
{
	struct line **more, *line;
	size_t at = 0;

	while (at < track->nlines && track->lines[at]->low < low)
		at++;
	if (at < track->nlines && track->lines[at]->low == low)
		return track->lines[at];
	if (track->nlines == TRACK_BUCKETS)
		return NULL;
	more = reallocarray(track->lines, track->nlines + 1, sizeof(struct line *));
	line = more ? calloc(1, sizeof(*line)) : NULL;
	if (more)
		track->lines = more;
	if (!line) {
		t->failed = true;
		return NULL;
	}
	line->low = low;
	line->high = high;
	memmove(more + at + 1, more + at, (track->nlines - at) * sizeof(struct line *));
	more[at] = line;
	track->nlines++;
	return line;
}

/* ---- observations ------------------------------------------------------------------------------------------------ */
/* The first key: what was observed before is the last observation, or nothing if values were taken back since. */
static void observation_begin(struct track *track, uint64_t generation)
{
	for (size_t i = 0; i < track->nlines; i++) {
		track->lines[i]->prev = generation == track->generation ? track->lines[i]->now : 0;
		track->lines[i]->now = 0;
	}
	track->generation = generation;
	track->beyond = 0;
}

/* All keys were seen: what is more than the last time was added since. */
static void observation_end(struct track *track)
{
	for (size_t i = 0; i < track->nlines; i++) {
		struct line *l = track->lines[i];

		l->added += l->now > l->prev ? l->now - l->prev : 0;
	}
}

void tracks_row(struct tracks *t, const struct dwire_row *r)
{
	struct track *track = track_of(t, r);
	struct line *line;

	if (!track)
		return;
	if (!r->index)
		observation_begin(track, r->generation);
	if (track->dist == DIST_NONE) {
		line = line_of(t, track, 0, 0);
		if (line)
			line->now += r->value;
	}
	for (size_t i = 0; i < r->nbuckets; i++) {
		line = line_of(t, track, r->buckets[i].low, r->buckets[i].high);
		if (line)
			line->now += r->buckets[i].count;
		else
			track->beyond += (uint64_t)r->buckets[i].count;
	}
	if (r->index + 1 == r->count)
		observation_end(track);
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */
static void halve_line(struct line *l)
{
	for (size_t i = 0; i < TRACK_COLUMNS / 2; i++)
		l->columns[i] = l->columns[2 * i] + l->columns[2 * i + 1];
	memset(l->columns + TRACK_COLUMNS / 2, 0, sizeof(l->columns) / 2);
}

/* Each two columns become one. */
static void halve(struct tracks *t)
{
	for (size_t i = 0; i < t->ntracks; i++)
		for (size_t k = 0; k < t->tracks[i]->nlines; k++)
			halve_line(t->tracks[i]->lines[k]);
	for (size_t i = 0; i < TRACK_COLUMNS / 2; i++)
		t->ends[i] = t->ends[2 * i + 1];
	t->ncolumns = TRACK_COLUMNS / 2;
}

void tracks_column(struct tracks *t, uint64_t now, bool wait)
{
	const uint64_t last = t->ncolumns ? t->ends[t->ncolumns - 1] : 0, past = now > t->start ? now - t->start : 0;
	const uint64_t end = past > last ? past : last;
	const bool grow = wait && t->ncolumns && end - last < HALF_SECOND;

	if (t->ncolumns == TRACK_COLUMNS && !grow)
		halve(t);
	t->ncolumns += !grow;
	t->ends[t->ncolumns - 1] = end;
	for (size_t i = 0; i < t->ntracks; i++)
		for (size_t k = 0; k < t->tracks[i]->nlines; k++) {
			struct line *l = t->tracks[i]->lines[k];

			l->columns[t->ncolumns - 1] += l->added;
			l->added = 0;
		}
}
