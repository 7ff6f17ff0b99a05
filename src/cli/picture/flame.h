/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame: stacks as a flame graph: what calls stands below what it calls, and is as wide as what was counted in it. */
#ifndef DWIRE_CLI_PICTURE_FLAME_H
#define DWIRE_CLI_PICTURE_FLAME_H
#include <stdbool.h>
#include <stdint.h>

#include "api/dwire.h"
#include "cli/picture/svg.h"

#define FLAME_FRAMES_MAX 20000u /* different frames of a graph */
#define FLAME_DEPTH_MAX 256u

struct frame_node;

/* A zeroed one is empty. */
struct flame {
	struct frame_node *root;
	size_t frames;
	int64_t refused; /* what was counted in stacks that were cut, because there are too many frames */
	bool failed;     /* memory was short */
};

/* A row with a stack among its keys: the aggregation's name and the other keys are frames below it. An aggregation that
 * is shown again stands for what it has by then; a distribution counts its values. Returns whether there was a stack.
 * Other functions than count, sum and distributions, and values below 1, are passed over. */
bool flame_row(struct flame *f, const struct dwire_row *r);
/* Nothing was counted: an empty picture that says so. */
void flame_svg(const struct svg *s, const struct flame *f);
void flame_free(struct flame *f);
#endif
