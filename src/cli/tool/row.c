/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row: see row.h.
 * Input: columns and the D expressions of their values. Output: D statements.
 * Invariant: text, JSON and CSV show the same values; a number in text is a number in JSON. */
#include "cli/tool/row.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct row *tool_row(const struct tool *t, const char *label, size_t len)
{
	for (size_t i = 0; i < t->nrows; i++)
		if (strlen(t->rows[i].label) == len && !strncmp(t->rows[i].label, label, len))
			return &t->rows[i];
	return NULL;
}

/* Is the column part of this output? JSON and CSV have all that -w adds to the text. */
static bool column_shown(struct tool *t, const struct column *c)
{
	if (!c->when[0] || (t->out != TOOL_TEXT && !strcmp(c->when, "wide")))
		return true;
	if (!strcmp(c->when, "json"))
		return (t->out != TOOL_TEXT) != c->negate;
	if (!strcmp(c->when, "csv"))
		return (t->out == TOOL_CSV) != c->negate;
	return (tool_number(t, c->when) != 0) != c->negate;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */
/* One conversion and the text before it. */
struct piece {
	char text[24];
	char flags[8];
	int width; /* 0: none */
	int prec;  /* of %@.99Q; else 0 */
	char conv; /* 0: none */
	bool agg;  /* "%@d" */
};

/* Parses the next conversion of a format. Returns the text behind it. Text beyond 23 characters is cut; no column
 * has that much. */
static const char *next_piece(const char *s, struct piece *p)
{
	size_t n = strcspn(s, "%");

	memset(p, 0, sizeof(*p));
	snprintf(p->text, sizeof(p->text), "%.*s", (int)(n < 23 ? n : 23), s);
	s += n;
	if (!*s)
		return s;
	s++;
	p->agg = *s == '@';
	s += p->agg;
	for (n = 0; *s && strchr("-+ #0", *s) && n < 7;)
		p->flags[n++] = *s++;
	p->width = (int)strtol(s, (char **)&s, 10);
	if (*s == '.')
		p->prec = (int)strtol(s + 1, (char **)&s, 10);
	p->conv = *s;
	return *s ? s + 1 : s;
}

static bool is_integer(const struct piece *p)
{
	return p->conv == 'd' || p->conv == 'u' || p->conv == 'i' || p->conv == 'Q';
}

/* "%d", "PID %d", or "%d.%03d" */
static bool is_numeric(const char *fmt)
{
	struct piece p;
	bool first = true;

	if (!*fmt)
		return false;
	for (const char *s = fmt; *s; first = false) {
		size_t n;

		s = next_piece(s, &p);
		n = strlen(p.text);
		if (!p.conv || !is_integer(&p) || (first ? n && p.text[n - 1] != ' ' : strcmp(p.text, ".") != 0))
			return false;
	}
	return true;
}

/* Two values in one column of text, "%15s:%-5d": two members of an object when there are two names. */
static unsigned names(const char *name)
{
	unsigned n = 1;

	for (; *name; name++)
		n += *name == ':';
	return n;
}

/* A conversion without padding: what is zero-padded is half of a number or of a time of day. */
static void put_bare(const struct piece *p, FILE *out)
{
	fprintf(out, "%%%s", p->agg ? "@" : "");
	if (strchr(p->flags, '0'))
		fprintf(out, "0%d", p->width);
	fputs(strchr(p->flags, '#') ? "#" : "", out);
	if (p->conv == 'Q')
		fprintf(out, ".%d", p->prec);
	putc(p->conv, out);
}

/* Writes a column's conversions as one value of JSON or CSV, quoted unless it is numeric. */
static void put_value(const char *fmt, bool numeric, FILE *out)
{
	const char *quote = numeric ? "" : "\\\"";
	struct piece p;
	const char *behind = next_piece(fmt, &p); /* the first piece: its text is not of the number */

	fputs(quote, out);
	for (const char *s = fmt; *s;) {
		s = next_piece(s, &p);
		fputs(numeric && s == behind ? "" : p.text, out);
		if (p.conv)
			put_bare(&p, out);
	}
	fputs(quote, out);
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */
/* Writes the name of a JSON member; nothing in the other formats. */
static void put_name(const struct tool *t, const char *name, size_t n, FILE *out)
{
	if (t->out == TOOL_JSON)
		fprintf(out, "\\\"%.*s\\\":", (int)n, name);
}

/* Writes a column with several names as that many members. */
static void put_parts(const struct tool *t, const struct column *c, FILE *out)
{
	const char *name = c->json, *s = c->fmt;
	struct piece p;

	for (unsigned i = 0; i < c->nargs; i++) {
		size_t n = strcspn(name, ":");

		s = next_piece(s, &p);
		fputs(i ? "," : "", out);
		put_name(t, name, n, out);
		fputs(is_integer(&p) ? "" : "\\\"", out);
		put_bare(&p, out);
		fputs(is_integer(&p) ? "" : "\\\"", out);
		name += n + (name[n] == ':');
	}
}

/* Writes a column as the chosen output has it. */
static void put_column(struct tool *t, const struct column *c, FILE *out)
{
	if (t->out == TOOL_TEXT)
		fputs(tool_number(t, "wide") && c->wide[0] ? c->wide : c->fmt, out);
	else if (c->nargs > 1 && names(c->json) == c->nargs)
		put_parts(t, c, out);
	else {
		put_name(t, c->json, strlen(c->json), out);
		put_value(c->fmt, is_numeric(c->fmt), out);
	}
}

/* ---- time -------------------------------------------------------------------------------------------------------- */
static const struct column secs_column = { .name = "TIME(s)", .json = "time_s", .fmt = "%4d.%03d", .nargs = 2 };
static const struct column clock_column = { .name = "TIME", .json = "time", .fmt = "%02d:%02d:%02d", .nargs = 3 };

/* Rows of aggregations are of no moment. */
static bool is_summary(const struct row *r)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (strstr(r->cols[i].fmt, "%@"))
			return true;
	return false;
}

/* TIME(s): seconds since the first row. */
static bool shows_secs(struct tool *t, const struct row *r)
{
	return !is_summary(r) && t->secs_first && tool_number(t, "tool_secs");
}

/* The time of day: for tools that always begin with it, or on request. */
static bool shows_clock(struct tool *t, const struct row *r)
{
	return !is_summary(r) && (t->clock_first || (t->secs_first && tool_number(t, "tool_clock")));
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* Conversions and arguments have to correspond, so arguments of hidden columns are left out (keep). With agg the
 * columns are those of printa(), whose values are not arguments. */
bool tool_print_row(struct tool *t, const struct row *r, char *const *args, size_t nargs, bool agg, FILE *out)
{
	const char *sep = t->out == TOOL_TEXT ? t->join : ",";
	const struct column *cols[MAX_COLUMNS + 2];
	bool keep[MAX_COLUMNS * 3];
	size_t n = 0, at = 0;

	if (shows_clock(t, r))
		cols[n++] = &clock_column;
	if (shows_secs(t, r))
		cols[n++] = &secs_column;
	for (size_t i = 0; i < r->ncols; i++) {
		bool shown = column_shown(t, &r->cols[i]);

		for (unsigned k = 0; k < r->cols[i].nargs && at < sizeof(keep); k++)
			keep[at++] = shown;
		if (shown)
			cols[n++] = &r->cols[i];
	}
	if (!agg && at != nargs) {
		message(&t->own, "row(): %zu values for %zu conversions", nargs, at);
		return false;
	}
	/* The first row is at 0; another CPU may have been a moment before it. */
	if (shows_secs(t, r))
		fputs("tool_began = tool_began ? tool_began : (int64_t)timestamp; ", out);
	fprintf(out, "%s(%s", agg ? "printa" : "printf", t->out == TOOL_JSON ? "\"{" : "\"");
	for (size_t i = 0; i < n; i++) {
		fputs(i ? sep : "", out);
		put_column(t, cols[i], out);
	}
	fputs(t->out == TOOL_JSON ? "}\\n\"" : "\\n\"", out);
	if (shows_clock(t, r))
		fputs(", tool_clock_now / 3600, tool_clock_now / 60 % 60, tool_clock_now % 60", out);
	if (shows_secs(t, r))
		fputs(", ((int64_t)timestamp - tool_began) / 1000000000, "
		      "((int64_t)timestamp - tool_began) / 1000000 % 1000",
			out);
	for (size_t i = 0; i < nargs; i++)
		if (agg || keep[i])
			fprintf(out, ", %s", args[i]);
	fputs(")", out);
	return true;
}

/* "TIME" over a column, as the conversions place what stands below it. */
static void put_title(const struct column *c, const char *fmt, FILE *out)
{
	struct piece p;
	int width = 0;
	bool left = false, parts = c->nargs > 1 && names(c->name) == c->nargs, first = true;
	const char *name = c->name;

	for (const char *s = fmt; *s; first = false) {
		s = next_piece(s, &p);
		if (parts) {
			size_t n = strcspn(name, ":");
			int w = strchr(p.flags, '-') ? -p.width : p.width;

			fprintf(out, "%s%*.*s", p.text, w, (int)n, name);
			name += n + (name[n] == ':');
		}
		left |= first && strchr(p.flags, '-');
		width += (int)strlen(p.text) + p.width;
	}
	if (!parts)
		fprintf(out, "%*s", left ? -width : width, c->name);
}

/* A line of text, without blanks at its end, as D. */
static void put_line(char *text, FILE *out)
{
	size_t n = strlen(text);

	while (n && text[n - 1] == ' ')
		n--;
	fputs("printf(\"", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%c", text[i] == '%' ? "%" : text[i] == '"' || text[i] == '\\' ? "\\" : "", text[i]);
	fputs("\\n\")", out);
}

/* Titles are placed by the widths of the conversions, so header and rows line up. */
void tool_print_header(struct tool *t, const struct row *r, FILE *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;
	bool first = true;

	if (t->out != TOOL_TEXT)
		return;
	f = open_memstream(&text, &len);
	if (!f) {
		t->no_memory = true;
		return;
	}
	if (shows_clock(t, r))
		fprintf(f, "%-8s%s", clock_column.name, t->join);
	if (shows_secs(t, r))
		fprintf(f, "%8s%s", secs_column.name, t->join);
	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		if (!column_shown(t, c))
			continue;
		fputs(first ? "" : t->join, f);
		first = false;
		put_title(c, tool_number(t, "wide") && c->wide[0] ? c->wide : c->fmt, f);
	}
	if (fclose(f) || !text)
		t->no_memory = true;
	else
		put_line(text, out);
	free(text);
}

void tool_print_names(struct tool *t, const struct row *r, FILE *out)
{
	bool any = false;

	fputs("printf(\"", out);
	if (shows_clock(t, r)) {
		fputs(clock_column.json, out);
		any = true;
	}
	if (shows_secs(t, r)) {
		fprintf(out, "%s%s", any ? "," : "", secs_column.json);
		any = true;
	}
	for (size_t i = 0; i < r->ncols; i++) {
		if (!column_shown(t, &r->cols[i]))
			continue;
		fputs(any ? "," : "", out);
		any = true;
		for (const char *s = r->cols[i].json; *s; s++)
			fputc(*s == ':' ? ',' : *s, out);
	}
	fputs("\\n\")", out);
}
