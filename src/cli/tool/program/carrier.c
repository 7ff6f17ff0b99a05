/* SPDX-License-Identifier: GPL-2.0-or-later */
/* carrier: see carrier.h.
 * Input: a tool's head, what its clauses know; in a replay the recorded script. Output: D; in a replay formats.
 * Invariant: a replay's formats come from what makes the live tool's program, with numbers of values in the place of
 * D expressions; so they are the same. The recorded script may be anybody's: numbers in it are checked. */
#include "cli/tool/program/carrier.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool/program/fit.h"
#include "cli/tool/program/row.h"

#define LINE "inline string tool_carried = \""
#define PLACES 8 /* characters of a number that stands for an expression */
#define PLACES_MAX ((size_t)MAX_COLUMNS * 8)

/* ---- the recorder's side ----------------------------------------------------------------------------------------- */
void carrier_put_line(const struct tool *t, const struct carried *c, FILE *out)
{
	fprintf(out, LINE "%s%s", t->name, c->rows_given ? " -n" : "");
	for (size_t i = 0; i < t->nrows; i++)
		fprintf(out, " %zu=%x", i, c->rows[i]);
	for (size_t i = 0; i < c->naggs; i++)
		fprintf(out, " @%s=%zu:%zu", c->aggs[i].name, c->aggs[i].row, c->aggs[i].nkeys);
	fputs("\";\n", out);
}

/* The conversions of the row's own columns, then those of common ones. */
static void put_formats(const struct row *r, unsigned commons, FILE *out)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (r->cols[i].nargs || strchr(r->cols[i].fmt, '@'))
			fprintf(out, " %s", r->cols[i].fmt);
	for (int i = 0; i < COMMON_COUNT; i++)
		if (commons & 1u << i)
			fprintf(out, " %s", columns_format((enum common)i));
}

static size_t conversions(const struct row *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->ncols; i++)
		n += r->cols[i].nargs;
	return n;
}

bool carrier_put_row(struct tool *t, const struct carried *c, size_t at, const struct subject *of, char *const *args,
	size_t nargs, FILE *out)
{
	const struct row *r = &t->rows[at];

	if (conversions(r) != nargs) {
		message(&t->own, "row(): %zu values for %zu conversions", nargs, conversions(r));
		return false;
	}
	fprintf(out, "printf(\"\\036row:%zu:", at);
	put_formats(r, c->rows[at], out);
	fputs("\"", out);
	for (size_t i = 0; i < nargs; i++)
		fprintf(out, ", %s", args[i]);
	for (int i = 0; i < COMMON_COUNT; i++)
		if (c->rows[at] & 1u << i)
			tool_print_common(t, (enum common)i, of, out);
	fputs(")", out);
	return true;
}

void carrier_put_rows(struct tool *t, const struct carried *c, size_t at, char *const *args, size_t nargs, FILE *out)
{
	fprintf(out, "printa(\"\\036rows:%zu:", at);
	put_formats(&t->rows[at], c->rows[at], out);
	fputs("\"", out);
	for (size_t i = 0; i < nargs; i++)
		fprintf(out, ", %s", args[i]);
	fputs(")", out);
}

void carrier_put_keys(
	const struct carried *c, size_t at, const struct subject *of, char *const *keys, size_t nkeys, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < nkeys; i++, any = true)
		fprintf(out, "%s%s", any ? ", " : "[", keys[i]);
	for (int i = 0; i < COMMON_COUNT; i++)
		if (c->rows[at] & 1u << i) {
			fputs(any ? ", " : "[", out);
			columns_put((enum common)i, of, out);
			any = true;
		}
	fputs(any ? "]" : "", out);
}

/* ---- the recorded script ----------------------------------------------------------------------------------------- */
/* "0=1ff", "@rx=1:7", "-n" */
static bool read_word(const struct tool *t, struct carried *c, const char *s, size_t n)
{
	char word[80];
	struct carried_agg *a = &c->aggs[c->naggs];
	unsigned mask;
	size_t at;
	int end = 0;

	if (n >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)n, s);
	if (!strcmp(word, "-n"))
		return c->rows_given = true;
	if (sscanf(word, "%1zu=%8x%n", &at, &mask, &end) == 2 && !word[end]) {
		if (at >= t->nrows || mask >> COMMON_COUNT)
			return false;
		c->rows[at] = mask;
		return true;
	}
	if (c->naggs == CARRIED_AGGS)
		return false;
	if (!strncmp(word, "@=", 2)
			? sscanf(word + 2, "%1zu:%2zu%n", &a->row, &a->nkeys, &end) != 2 || word[2 + end]
			: sscanf(word, "@%31[A-Za-z0-9_]=%1zu:%2zu%n", a->name, &a->row, &a->nkeys, &end) != 3 ||
				word[end])
		return false;
	c->naggs++;
	return a->row < t->nrows;
}

/* The flags and numbers that the tool ran with: columns depend on them. */
static void read_params(struct tool *t, const char *text, const char *end)
{
	for (size_t i = 0; i < t->nparams; i++) {
		struct param *p = &t->params[i];
		char line[80], value[24];
		const char *at;
		const bool seconds = p->kind == PARAM_SECONDS;

		if (p->kind != PARAM_FLAG && p->kind != PARAM_NUMBER && !seconds)
			continue;
		if (seconds)
			snprintf(line, sizeof(line), "\ninline string %s_text = \"", p->name);
		else
			snprintf(line, sizeof(line), "\ninline int %s = ", p->name);
		at = strstr(text, line);
		if (at && at < end && sscanf(at + strlen(line), "%23[-0-9.]", value) == 1)
			snprintf(p->value, sizeof(p->value), "%s", value);
	}
}

/* Messages show parts of the head: it must be plain text. */
static bool is_plain(const char *head)
{
	const char *end = strstr(head, "*/");

	for (; end && head < end; head++)
		if (((unsigned char)*head < ' ' && *head != '\n' && *head != '\t') || (unsigned char)*head >= 0x7f)
			return false;
	return end != NULL;
}

int carrier_read(struct tool *t, struct carried *c, const char *text)
{
	const char *line = strstr(text, "\n" LINE), *head, *end, *s;

	memset(c, 0, sizeof(*c));
	if (!line)
		return 0;
	s = line + 1 + strlen(LINE);
	end = s + strcspn(s, "\"\n");
	head = strstr(end, "\n/*");
	snprintf(t->name, sizeof(t->name), "%.*s",
		(int)strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"), s);
	t->source.text = head ? head + 1 : "";
	t->source.len = strlen(t->source.text);
	t->file = &t->source;
	if (!head || !is_plain(head)) {
		message(&t->own, "the recording has no head of a tool");
		return -1;
	}
	if (!tool_parse_head(t))
		return -1;
	read_params(t, text, head);
	for (s += strcspn(s, " \"\n"); s < end; s += strcspn(s, " \"\n")) {
		s += strspn(s, " ");
		if (!read_word(t, c, s, strcspn(s, " \"\n"))) {
			message(&t->own, "the recording has rows of an unknown form");
			return -1;
		}
	}
	return 1;
}

/* ---- the replay's side ------------------------------------------------------------------------------------------- */
/* Of a row of aggregations time and interval are those of its report. */
static unsigned known_of(const struct carried *c, size_t at)
{
	return c->rows[at] | 1u << COMMON_TIME | 1u << COMMON_SECS | 1u << COMMON_INTERVAL;
}

bool carrier_choose(struct tool *t, struct carried *c)
{
	unsigned known[MAX_ROWS] = { 0 };

	for (size_t i = 0; i < t->nrows; i++)
		known[i] = known_of(c, i);
	if (!columns_check(t, known, false))
		return false;
	for (size_t i = 0; i < t->nrows; i++)
		columns_layout(t, &t->rows[i], known[i], &c->layouts[i]);
	fit_rows(t, c->layouts);
	return true;
}

/* Where the values of common columns are, behind nown others. */
static void place(const struct carried *c, size_t at, size_t nown, int *slots)
{
	int n = (int)nown;

	for (int i = 0; i < COMMON_COUNT; i++) {
		slots[i] = c->rows[at] & 1u << i ? n : -1;
		if (slots[i] >= 0)
			n += i == COMMON_SECS ? 2 : 1;
	}
}

/* Text of a D string up to its closing quote; returns what is behind it. */
static const char *unquote(const char *s, char *to)
{
	for (; *s && *s != '"'; s++) {
		const bool escaped = *s == '\\' && s[1];

		s += escaped;
		*to++ = escaped && *s == 'n' ? '\n' : escaped && *s == 't' ? '\t' : *s;
	}
	*to = '\0';
	return *s ? s + 1 : s;
}

/* Takes the format and the numbers out of the D that was written: printf("FORMAT", 3, 0, (int64_t)-1). */
static struct cast read_cast(const char *s)
{
	const char *quote = strchr(s, '"');
	struct cast c = { .format = calloc(1, strlen(s) + 1), .values = calloc(strlen(s) + 1, sizeof(int)) };

	if (!c.format || !c.values) {
		cast_free(&c);
		return c;
	}
	if (quote && *s == 'p')
		s = unquote(quote + 1, c.format);
	else if (*s == 'p')
		s = "";
	while (*s) {
		s += strspn(s, ", @[])");
		if (isdigit((unsigned char)*s))
			c.values[c.n++] = (int)strtol(s, (char **)&s, 10);
		else if (*s)
			c.values[c.n++] = *s == '"' ? CAST_TEXT : CAST_INT;
		s += strcspn(s, ",]");
	}
	return c;
}

/* Numbers in the place of D expressions. */
struct places {
	char text[PLACES_MAX][PLACES];
	char *args[PLACES_MAX];
};

static struct places *places_new(const char *before, size_t n)
{
	struct places *p = calloc(1, sizeof(*p));

	for (size_t i = 0; p && i < n && i < sizeof(p->args) / sizeof(p->args[0]); i++) {
		snprintf(p->text[i], sizeof(p->text[i]), "%s%d", before, (int)(i % 1000));
		p->args[i] = p->text[i];
	}
	return p;
}

/* A stream for D, and the cast that it holds in the end. */
struct writing {
	FILE *f;
	char *text;
	size_t len;
};

static bool open_writing(struct writing *w)
{
	*w = (struct writing){ 0 };
	w->f = open_memstream(&w->text, &w->len);
	return w->f != NULL;
}

static struct cast end_writing(struct writing *w)
{
	struct cast c = { 0 };

	if (!fclose(w->f) && w->text)
		c = read_cast(w->text);
	free(w->text);
	return c;
}

struct cast carrier_row(struct tool *t, const struct carried *c, size_t at)
{
	const struct row *r = &t->rows[at];
	const size_t n = conversions(r);
	int slots[COMMON_COUNT];
	const struct subject of = { .slots = slots };
	struct places *p = n <= PLACES_MAX ? places_new("", n) : NULL;
	struct writing w;
	struct cast out = { 0 };

	place(c, at, n, slots);
	if (p && open_writing(&w)) {
		(void)!tool_print_row(t, r, &c->layouts[at], &of, p->args, n, w.f);
		out = end_writing(&w);
	}
	free(p);
	return out;
}

struct cast carrier_rows(struct tool *t, const struct carried *c, size_t at, size_t naggs)
{
	struct places *p = naggs && naggs <= PLACES_MAX ? places_new("@", naggs) : NULL;
	struct writing w;
	struct cast out = { 0 };

	if (p && open_writing(&w)) {
		tool_print_rows(t, &c->layouts[at], p->args, naggs, w.f);
		out = end_writing(&w);
	}
	free(p);
	return out;
}

struct cast carrier_keys(const struct carried *c, const struct carried_agg *agg)
{
	const struct layout *l = &c->layouts[agg->row];
	int slots[COMMON_COUNT];
	const struct subject of = { .slots = slots };
	struct places *p = places_new("", agg->nkeys);
	struct writing w;
	struct cast out = { 0 };

	place(c, agg->row, agg->nkeys, slots);
	if (p && open_writing(&w)) {
		for (size_t i = 0; i < agg->nkeys && !l->chosen; i++)
			fprintf(w.f, "%s%s", i ? ", " : "[", p->args[i]);
		if (l->chosen)
			tool_print_keys(l, &of, p->args, agg->nkeys, w.f);
		out = end_writing(&w);
	}
	free(p);
	return out;
}

struct cast carrier_header(struct tool *t, const struct carried *c, size_t at)
{
	struct writing w;

	if (!open_writing(&w))
		return (struct cast){ 0 };
	tool_print_header(t, &c->layouts[at], w.f);
	return end_writing(&w);
}

struct cast carrier_names(struct tool *t, const struct carried *c)
{
	struct writing w;

	if (!open_writing(&w))
		return (struct cast){ 0 };
	if (t->out == TOOL_CSV && t->nrows)
		tool_print_names(&c->layouts[tool_named_row(t) - t->rows], w.f);
	return end_writing(&w);
}

void cast_free(struct cast *c)
{
	free(c->format);
	free(c->values);
	*c = (struct cast){ 0 };
}
