/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pictures: see pictures.h. Input: rows and states of a trace. Output: SVG, DOT, and lines of a heat map.
 * Invariant: a trace without these options has no handlers, and costs nothing more. */
#include "cli/picture/pictures.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "cli/output.h"
#include "cli/picture/layout.h"
#include "cli/trace.h"

#define SECOND 1000000000ull /* ns */

bool pictures_wanted(const struct pictures *p)
{
	return p->flame || p->heat || p->graph;
}

bool pictures_take(struct pictures *p, const char *option, const char *file)
{
	const char **to = !strcmp(option, "flame") ? &p->flame
		: !strcmp(option, "heat")          ? &p->heat
		: !strcmp(option, "graph")         ? &p->graph
						   : NULL;

	if (to)
		*to = file ? file : "-";
	return to != NULL;
}

static bool in_terminal(const struct pictures *p)
{
	return p->heat && !strcmp(p->heat, "-");
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */
/* Closes a column at the time of the last values. last: it is the final one. */
static void close_column(struct pictures *p, bool last)
{
	tracks_column(&p->tracks, p->seen, last && !in_terminal(p));
	if (in_terminal(p))
		term_heat_column(&p->term, &p->tracks, p->wall, last);
}

/* Notes the time of what is handed now. */
static void note_time(struct pictures *p)
{
	uint64_t wall, now = dwire_time(p->d, &wall);

	p->seen = now > p->seen ? now : p->seen;
	p->wall = (time_t)(wall / SECOND);
}

static uint64_t last_end(const struct tracks *t)
{
	return t->ncolumns ? t->ends[t->ncolumns - 1] : 0;
}

static void add_row(struct pictures *p, const struct dwire_row *r)
{
	if (p->flame)
		(void)flame_row(&p->stacks, r);
	if (p->graph)
		graph_row(&p->edges, r);
	if (p->heat)
		tracks_row(&p->tracks, r);
}

/* Rows of a recording come faster than they were written: what was seen before belongs to a column before them. */
static int take_row(void *ctx, const struct dwire_row *r)
{
	struct pictures *p = ctx;
	uint64_t wall;

	if (!r->index && p->heat) {
		if (p->seen >= last_end(&p->tracks) + SECOND && dwire_time(p->d, &wall) >= p->seen + SECOND / 2)
			close_column(p, false);
		note_time(p);
	}
	add_row(p, r);
	return 0;
}

/* Once a second, and at the end: what no printa() shows is seen as well. */
static int take_state(void *ctx, const struct dwire_row *r)
{
	struct pictures *p = ctx;

	if (r)
		return take_row(ctx, r);
	note_time(p);
	close_column(p, false);
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

static void put_layout(FILE *out, const void *ctx)
{
	const struct pictures *p = ctx;

	layout_svg(out, &p->edges);
}

static bool is_svg(const char *path)
{
	const size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".svg");
}

/* The file of this run: "drops.svg", then "drops-2.svg". NULL: the name is too long. */
static const char *name_of(const struct pictures *p, const char *path, char *buf)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
	const int n = (int)(dot && dot > base ? dot - path : (ptrdiff_t)strlen(path));

	if (!p->runs)
		return path;
	return snprintf(buf, PATH_MAX, "%.*s-%u%s", n, path, p->runs + 1, path + n) < PATH_MAX ? buf : NULL;
}

/* write NULL: only checks whether the file can be written. 0, or 1 after a message. */
static int write_file(const struct pictures *p, const char *path, output_fn *write, const struct messages *messages)
{
	char buf[PATH_MAX];
	const char *name = path ? name_of(p, path, buf) : NULL;
	int err = !path ? 0 : !name ? -ENAMETOOLONG : write ? output_write(name, write, p) : output_check(name);

	if (err)
		message(messages, "cannot write %s: %s", name ? name : path, strerror(-err));
	return err != 0;
}

static int check(const struct pictures *p, const struct messages *messages)
{
	return write_file(p, p->flame, NULL, messages) ||
		write_file(p, in_terminal(p) ? NULL : p->heat, NULL, messages) ||
		write_file(p, p->graph, NULL, messages);
}

static int write_all(struct pictures *p, const struct messages *messages)
{
	int status;

	note_time(p);
	if (p->heat)
		close_column(p, true);
	status = write_file(p, p->flame, put_flame, messages);
	status |= write_file(p, in_terminal(p) ? NULL : p->heat, put_heat, messages);
	status |= write_file(p, p->graph, p->graph && is_svg(p->graph) ? put_layout : put_graph, messages);
	return status;
}

int pictures_trace(struct pictures *p, struct dwire *d, FILE *out, struct messages *messages)
{
	const struct dwire_handlers h = { .size = sizeof(h), .row = take_row, .state = take_state };
	int status;

	if (!pictures_wanted(p))
		return trace(d, out, messages);
	if (check(p, messages))
		return 1;
	p->d = d;
	p->seen = 0;
	tracks_begin(&p->tracks, 0);
	term_heat_begin(&p->term, stdout);
	dwire_on_data(d, &h, p);
	status = trace(d, out, messages);
	if (write_all(p, messages) && !status)
		status = 1;
	p->d = NULL;
	p->runs++;
	tracks_free(&p->tracks);
	flame_free(&p->stacks);
	graph_free(&p->edges);
	return status;
}
