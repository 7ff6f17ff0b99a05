/* SPDX-License-Identifier: GPL-2.0-or-later */
/* term: see term.h. Input: tracks. Output: lines that fit the terminal.
 * Invariant: a bucket that counted something is never blank. */
#include "cli/picture/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 80 /* of what is no terminal */
#define CELL 6u  /* columns of a bucket */
#define TIME_COLUMNS 9u
#define COUNT_COLUMNS 10u
#define LINES 22u /* then the titles stand again */

void term_heat_begin(struct term_heat *h, FILE *out)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	const bool tty = isatty(fileno(out));
	struct winsize size;

	*h = (struct term_heat){ .out = out, .width = WIDTH };
	h->colour = tty && !(none && *none) && term && strcmp(term, "dumb") != 0;
	if (tty && !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col >= 40)
		h->width = size.ws_col;
}

/* How strong a count is, from 1 to levels, by the number of its binary digits. */
static unsigned level_of(int64_t n, int64_t most, unsigned levels)
{
	const unsigned bits = 64u - (unsigned)__builtin_clzll((unsigned long long)n);
	const unsigned all = 64u - (unsigned)__builtin_clzll((unsigned long long)most);

	return 1 + (all > 1 ? (bits - 1) * (levels - 1) / (all - 1) : levels - 1);
}

/* A colour with the count on it, dark on light. Numbers that do not fit get a unit. */
static void put_colour(struct term_heat *h, int64_t n)
{
	static const unsigned char ramp[] = { 52, 88, 124, 160, 196, 202, 208, 214, 220, 226 };
	const unsigned level = level_of(n, h->most, sizeof(ramp));
	char text[32];

	if (n < 100000)
		snprintf(text, sizeof(text), "%lld", (long long)n);
	else
		snprintf(text, sizeof(text), n < 100000000 ? "%lldk" : "%lldM",
			(long long)(n < 100000000 ? n / 1000 : n / 1000000));
	fprintf(h->out, "\033[48;5;%um\033[38;5;%um%*s\033[0m", ramp[level - 1], level > 5 ? 16u : 231u, (int)CELL,
		text);
}

static void put_cell(struct term_heat *h, int64_t n)
{
	static const char ramp[] = ".:-=+*#%@";

	if (n <= 0)
		fprintf(h->out, "%*s", (int)CELL, "");
	else if (h->colour)
		put_colour(h, n);
	else {
		char c = ramp[level_of(n, h->most, sizeof(ramp) - 1) - 1];

		fprintf(h->out, " %c%c%c%c%c", c, c, c, c, c);
	}
}

/* "64 µs" is five columns, but six bytes. */
static void put_title(const struct term_heat *h, int64_t low, enum unit unit)
{
	char text[UNIT_TEXT];
	size_t columns = 0;

	if (low == INT64_MIN)
		snprintf(text, sizeof(text), "less");
	else
		unit_text(text, sizeof(text), low, unit);
	for (char *from = strchr(text, ' '); from; from = strchr(from, ' '))
		memmove(from, from + 1, strlen(from)); /* "64µs" */
	for (const char *c = text; *c; c++)
		columns += ((unsigned char)*c & 0xc0) != 0x80;
	fprintf(h->out, "%*s%s", columns < CELL ? (int)(CELL - columns) : 0, "", text);
}

static void put_titles(struct term_heat *h, const struct track *t, const struct heat_rows *rows, size_t n)
{
	snprintf(h->name, sizeof(h->name), "%s", t->name);
	h->low = rows->low[0];
	h->n = rows->n;
	h->lines = 0;
	fprintf(h->out, "@%s\n%*s", t->name, (int)TIME_COLUMNS, "");
	for (size_t i = 0; i < n; i++)
		put_title(h, rows->low[i], unit_of_name(t->name));
	fprintf(h->out, "%*s\n", (int)COUNT_COLUMNS, "count");
}

static void put_line(struct term_heat *h, const struct tracks *all, const struct track *t, const struct tm *tm)
{
	const size_t fit = (h->width - TIME_COLUMNS - COUNT_COLUMNS) / CELL, c = all->ncolumns - 1;
	struct heat_rows rows;
	int64_t rest = 0;
	size_t n;

	heat_rows(t, &rows);
	n = rows.n < fit ? rows.n : fit;
	if (!n)
		return;
	for (size_t i = 0; i < rows.n; i++)
		if (rows.lines[i] && rows.lines[i]->columns[c] > h->most)
			h->most = rows.lines[i]->columns[c];
	if (strcmp(h->name, t->name) != 0 || h->low != rows.low[0] || h->n != rows.n || h->lines == LINES)
		put_titles(h, t, &rows, n);
	h->lines++;
	fprintf(h->out, "%02d:%02d:%02d ", tm->tm_hour, tm->tm_min, tm->tm_sec);
	for (size_t i = 0; i < n; i++)
		put_cell(h, rows.lines[i] ? rows.lines[i]->columns[c] : 0);
	for (size_t i = n; i < rows.n; i++)
		rest += rows.lines[i] ? rows.lines[i]->columns[c] : 0;
	fprintf(h->out, "%*lld", (int)COUNT_COLUMNS, (long long)track_sum(t, c));
	if (rest)
		fprintf(h->out, ", %lld to the right", (long long)rest);
	fputc('\n', h->out);
}

void term_heat_column(struct term_heat *h, const struct tracks *all, time_t when, bool last)
{
	struct tm tm;

	localtime_r(&when, &tm);
	for (size_t i = 0; all->ncolumns && i < all->ntracks; i++)
		if (all->tracks[i]->dist && (!last || track_sum(all->tracks[i], all->ncolumns - 1)))
			put_line(h, all, all->tracks[i], &tm);
	fflush(h->out);
}
