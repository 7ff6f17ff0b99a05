/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat: a distribution over time as a heat map: time to the right (in a terminal downwards), values upwards (in a
 * terminal to the right); the more values a bucket counted, the stronger its colour. */
#ifndef DWIRE_CLI_PICTURE_HEAT_H
#define DWIRE_CLI_PICTURE_HEAT_H
#include "cli/picture/markup.h"
#include "cli/picture/svg.h"
#include "cli/picture/tracks.h"

/* A distribution as rows of buckets without gaps. */
struct heat_rows {
	const struct line *lines[TRACK_BUCKETS + 1]; /* NULL: a bucket that counted nothing */
	int64_t low[TRACK_BUCKETS + 1];
	size_t n;
};

/* From the lowest bucket that counts something to the highest. Gaps of more rows than fit are left out. */
void heat_rows(const struct track *t, struct heat_rows *out);
/* t: a distribution. unit: of its values. */
void heat_svg(const struct svg *s, const struct tracks *all, const struct track *t, enum unit unit);
/* A file with all distributions, one below the other. */
void heats_svg(FILE *out, const struct tracks *all);
#endif
