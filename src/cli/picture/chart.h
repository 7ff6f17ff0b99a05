/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chart: a number over time as a small picture: what it was per second. */
#ifndef DWIRE_CLI_PICTURE_CHART_H
#define DWIRE_CLI_PICTURE_CHART_H
#include "cli/picture/svg.h"
#include "cli/picture/tracks.h"

/* The most per second of a column, and the sum of all. t NULL: 0. */
double chart_most(const struct tracks *all, const struct track *t);
int64_t chart_sum(const struct tracks *all, const struct track *t);
/* t NULL: an empty picture. */
void chart_svg(const struct svg *s, const struct tracks *all, const struct track *t);
#endif
