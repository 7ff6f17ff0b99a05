/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit: see fit.h.
 * Input: the layouts of a tool's rows, the width of the terminal. Output: other formats, and fewer columns.
 * Invariant: a column keeps its conversions, so a row keeps its values. */
#include "cli/tool/program/fit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NAME_MOST 16  /* no name of a process is longer */
#define NAME_LEAST 8  /* shorter ones are hard to tell apart */
#define TEXT_WIDTH 12 /* of a column without a width: most texts are shorter */
#define NUMBER_WIDTH 6

/* The columns of the terminal on the standard output; 0: it is none. */
static int terminal_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

/* A column without a width is one of text, a sign as "->", or a text before a number, as ">". */
static int text_width(const struct column *c)
{
	return c->nargs == 1 && isupper((unsigned char)c->name[0]) ? TEXT_WIDTH : 1;
}

/* How wide a column is at least: its title, or its conversions and the text between them. */
static int width_of(const struct column *c)
{
	int n = 0, title = (int)strlen(c->name);

	for (const char *s = c->fmt; *s; s++) {
		int width;

		if (*s != '%' || s[1] == '%') {
			n++;
			s += *s == '%';
			continue;
		}
		s += 1 + strspn(s + 1, "@#-+ 0");
		width = (int)strtol(s, (char **)&s, 10);
		if (*s == '.')
			s += 1 + strspn(s + 1, "0123456789");
		n += width ? width : *s == 's' ? text_width(c) : NUMBER_WIDTH;
		if (!*s)
			break;
	}
	return n > title ? n : title;
}

static int row_width(const struct tool *t, const struct layout *l)
{
	int n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += width_of(l->cols[i].col) + (i ? (int)strlen(t->join) : 0);
	return n;
}

/* "%-8.8s": the width to which a name is padded and cut; 0: it is no such column. */
static int cut_at(const struct column *c)
{
	const char *s = c->fmt + (*c->fmt == '%') + (c->fmt[0] && c->fmt[1] == '-');
	char *end;
	const long width = strtol(s, &end, 10);

	return *c->fmt == '%' && *end == '.' && strtol(end + 1, &end, 10) == width && !strcmp(end, "s") ? (int)width
													: 0;
}

/* The tool's own column that a layout shows; NULL: it is a common one, which is not cut. */
static struct column *own_column(struct tool *t, const struct shown *s)
{
	for (size_t i = 0; i < t->nrows && s->common == COMMON_NONE; i++)
		for (size_t k = 0; k < t->rows[i].ncols; k++)
			if (&t->rows[i].cols[k] == s->col)
				return &t->rows[i].cols[k];
	return NULL;
}

static void cut(struct column *c, int width)
{
	const char *left = c->fmt[1] == '-' ? "-" : "";

	snprintf(c->fmt, sizeof(c->fmt), "%%%s%d.%ds", left, width, width);
}

static void drop(struct layout *l, size_t at)
{
	l->n--;
	memmove(&l->cols[at], &l->cols[at + 1], (l->n - at) * sizeof(l->cols[0]));
}

static void fit(struct tool *t, struct layout *l, int width)
{
	for (size_t i = 0; i < l->n && row_width(t, l) > width;)
		if (!strcmp(l->cols[i].col->when, "room"))
			drop(l, i);
		else
			i++;
	for (size_t i = 0; i < l->n; i++) {
		struct column *c = own_column(t, &l->cols[i]);
		const int now = c ? cut_at(c) : 0, room = width - row_width(t, l);
		const int least = now < NAME_LEAST ? now : NAME_LEAST, most = now > NAME_MOST ? now : NAME_MOST;
		const int then = now + room < least ? least : now + room > most ? most : now + room;

		if (now && then != now)
			cut(c, then);
	}
}

void fit_rows(struct tool *t, struct layout *layouts)
{
	const int width = terminal_width();

	if (!width || t->out != TOOL_TEXT || t->carried || tool_number(t, "tool_wide") || tool_number(t, "tool_emit") ||
		tool_number(t, "wide"))
		return;
	for (size_t i = 0; i < t->nrows; i++)
		fit(t, &layouts[i], width);
}
