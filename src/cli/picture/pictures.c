/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pictures: see pictures.h. Input: rows and states of a trace. Output: SVG, DOT, and lines of a heat map.
 * Invariant: a trace without these options has no handlers, and costs nothing more. */
#include "cli/picture/pictures.h"

#include <string.h>

#include "base/clock.h"
#include "cli/output.h"

bool pictures_wanted(const struct pictures *p)
{
	return p->flame || p->heat || p->graph;
}

static bool in_terminal(const struct pictures *p)
{
	return p->heat && !strcmp(p->heat, "-");
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */
static int take_row(void *ctx, const struct dwire_row *r)
{
	struct pictures *p = ctx;

	if (p->flame)
		(void)flame_row(&p->stacks, r);
	if (p->graph)
		graph_row(&p->edges, r);
	if (p->heat)
		tracks_row(&p->tracks, r);
	return 0;
}

/* Once a second, and at the end: what no printa() shows is seen as well. */
static int take_state(void *ctx, const struct dwire_row *r)
{
	struct pictures *p = ctx;

	if (r)
		return take_row(ctx, r);
	tracks_column(&p->tracks, clock_now(), false);
	if (in_terminal(p))
		term_heat_column(&p->term, &p->tracks, time(NULL), false);
	return 0;
}

static int check(const char *path, const struct messages *messages)
{
	const int err = path ? output_check(path) : 0;

	if (err)
		message(messages, "cannot write %s: %s", path, strerror(-err));
	return err != 0;
}

int pictures_watch(struct pictures *p, struct dwire *d, const struct messages *messages)
{
	const struct dwire_handlers h = { .size = sizeof(h), .row = take_row, .state = take_state };

	if (!pictures_wanted(p))
		return 0;
	if (check(p->flame, messages) || check(p->heat, messages) || check(p->graph, messages))
		return 1;
	tracks_begin(&p->tracks, clock_now());
	term_heat_begin(&p->term, stdout);
	p->begun = true;
	dwire_on_data(d, &h, p);
	return 0;
}

/* ---- the files --------------------------------------------------------------------------------------------------- */
static void put_flame(FILE *out, const void *ctx)
{
	const struct pictures *p = ctx;
	const struct svg svg = { .out = out, .alone = true, .title = "Stacks" };

	flame_svg(&svg, &p->stacks);
}

static void put_heat(FILE *out, const void *ctx)
{
	const struct pictures *p = ctx;

	heats_svg(out, &p->tracks);
}

static void put_graph(FILE *out, const void *ctx)
{
	const struct pictures *p = ctx;

	graph_dot(out, &p->edges);
}

static int write_file(const struct pictures *p, const char *path, output_fn *write, const struct messages *messages)
{
	const int err = path ? output_write(path, write, p) : 0;

	if (err)
		message(messages, "cannot write %s: %s", path, strerror(-err));
	return err != 0;
}

int pictures_write(struct pictures *p, const struct messages *messages)
{
	int status;

	if (!p->begun)
		return 0;
	tracks_column(&p->tracks, clock_now(), !in_terminal(p));
	if (in_terminal(p))
		term_heat_column(&p->term, &p->tracks, time(NULL), true);
	status = write_file(p, p->flame, put_flame, messages);
	status |= write_file(p, in_terminal(p) ? NULL : p->heat, put_heat, messages);
	status |= write_file(p, p->graph, put_graph, messages);
	return status;
}

void pictures_free(struct pictures *p)
{
	tracks_free(&p->tracks);
	flame_free(&p->stacks);
	graph_free(&p->edges);
}
