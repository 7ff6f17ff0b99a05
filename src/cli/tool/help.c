/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help: see help.h.
 * Input: a tool's head, the meanings of columns (docs/rows.schema.json). Output: the text of -h, in 80 columns.
 * Invariant: tools/gen_man.py reads this text: an option or a column is a line with two blanks before it, and goes on
 * in lines with more. */
#include "cli/tool/help.h"

#include <string.h>

#include "base/escape.h"
#include "cli/tool/meanings.h"
#include "cli/tool/program/columns.h"
#include "cli/tool/program/program.h"

#define INDENT 21

bool tool_is_argument(const struct param *p)
{
	return !p->flag && !p->longer[0];
}

const char *tool_option_shown(const struct param *p, char *buf, size_t size)
{
	if (tool_is_argument(p))
		snprintf(buf, size, "%s", p->word);
	else if (p->flag && p->longer[0] && !p->word[0])
		snprintf(buf, size, "-%c, --%s", p->flag, p->longer);
	else if (p->flag)
		snprintf(buf, size, "-%c%s%s", p->flag, p->word[0] ? " " : "", p->word);
	else
		snprintf(buf, size, "--%s%s%s", p->longer, p->word[0] ? " " : "", p->word);
	return buf;
}

/* Adds an item to the usage and breaks lines at 79 columns; *col is the current column. */
static void usage_item(FILE *out, const char *item, size_t *col)
{
	size_t n = strlen(item);

	if (*col + n + 1 > 79)
		*col = (size_t)fprintf(out, "\n         ") - 1;
	*col += (size_t)fprintf(out, " %s", item);
}

/* Writes "usage: NAME [-flags] [-o VALUE] ... [ARGUMENT [ARGUMENT]]". */
static void tool_usage(const struct tool *t, FILE *out)
{
	size_t col = strlen("usage: "), n = 0, open = 0;
	char flags[MAX_PARAMS + 4] = "[-", buf[64], item[80];

	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].flag && !t->params[i].word[0])
			flags[2 + n++] = t->params[i].flag;
	fputs("usage: ", out);
	col += escape_print(out, t->name, strlen(t->name), ESCAPE_ALL); /* perhaps a file's name */
	flags[2 + n] = ']';
	flags[3 + n] = '\0';
	if (n)
		usage_item(out, flags, &col);
	for (size_t i = 0; i < t->nparams; i++) {
		const struct param *p = &t->params[i];

		if (tool_is_argument(p) || (p->flag && !p->word[0]))
			continue;
		snprintf(item, sizeof(item), "[%s]", tool_option_shown(p, buf, sizeof(buf)));
		usage_item(out, item, &col);
	}
	for (size_t i = 0; i < t->nparams; i++)
		open += tool_is_argument(&t->params[i]);
	n = open;
	for (size_t i = 0; i < t->nparams; i++)
		if (tool_is_argument(&t->params[i])) {
			snprintf(item, sizeof(item), "[%s%.*s", t->params[i].word, --n ? 0 : (int)open, "]]]]]]]]");
			usage_item(out, item, &col);
		}
	fputc('\n', out);
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */
/* Writes "  NAME   text", in lines of 80 columns. */
static void put_entry(FILE *out, const char *name, const char *text)
{
	size_t col = INDENT;

	fprintf(out, "  %-18s", name);
	while (*text) {
		size_t n = strcspn(text, " ");

		if (col + n + 1 > 80 && col > INDENT)
			col = (size_t)fprintf(out, "\n%*s", INDENT - 1, "");
		col += (size_t)fprintf(out, " %.*s", (int)n, text);
		text += n + strspn(text + n, " ");
	}
	putc('\n', out);
}

/* What a JSON member means; "": no schema has it, as of a tool of the user's own. */
static const char *meaning(const char *json, size_t n)
{
	for (size_t i = 0; i < column_nmeanings; i++)
		if (strlen(column_meanings[i].name) == n && !strncmp(column_meanings[i].name, json, n))
			return column_meanings[i].text;
	return "";
}

/* With which option a column is there: " (-w)", or "". */
static void put_when(struct tool *t, const char *constant, bool negate, char *out, size_t size)
{
	const struct param *p = tool_param(t, constant);
	char option[64];

	*out = '\0';
	if (!strcmp(constant, "room"))
		snprintf(out, size, " (if there is room)");
	else if (!strcmp(constant, "json") || !strcmp(constant, "csv"))
		snprintf(out, size, "%s", negate ? "" : *constant == 'j' ? " (JSON and CSV)" : " (CSV)");
	else if (p)
		snprintf(out, size, " (%s%s)", negate ? "not with " : "", tool_option_shown(p, option, sizeof(option)));
}

/* The text of a column: its own, or what its JSON members mean. */
static void describe(struct tool *t, const struct row *r, const struct column *c, char *out, size_t size)
{
	size_t n = 0;
	char when[80];

	*out = '\0';
	if (c->help[0])
		n = (size_t)snprintf(out, size, "%s", c->help);
	else
		for (const char *s = c->json; *s && n < size; s += strcspn(s, ":"), s += *s == ':')
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", meaning(s, strcspn(s, ":")));
	put_when(t, c->when[0] ? c->when : r->label, c->negate, when, sizeof(when));
	if (n && n < size)
		snprintf(out + n, size - n, "%s", when);
}

/* Has an earlier row, or an earlier column of this one, the same name? Its text says it. */
static bool told_before(const struct tool *t, size_t row, size_t at)
{
	const struct column *c = &t->rows[row].cols[at];

	for (size_t i = 0; i <= row; i++)
		for (size_t k = 0; k < (i == row ? at : t->rows[i].ncols); k++)
			if (t->rows[i].cols[k].nargs && !strcmp(t->rows[i].cols[k].name, c->name) &&
				!strcmp(t->rows[i].cols[k].help, c->help))
				return true;
	return false;
}

static void help_columns(struct tool *t, FILE *out)
{
	char text[256];

	if (t->nrows)
		fputs("columns:\n", out);
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->rows[i].ncols; k++) {
			const struct column *c = &t->rows[i].cols[k];

			if (!c->nargs || told_before(t, i, k))
				continue;
			describe(t, &t->rows[i], c, text, sizeof(text));
			put_entry(out, c->name, text);
		}
}

/* Columns that the tool's head does not have: those of -o and --wide. */
static void help_commons(struct tool *t, FILE *out)
{
	unsigned known = tool_program_columns(t);
	const struct column *c;
	bool any = false;

	for (int i = 0; i < COMMON_COUNT; i++) {
		c = columns_common((enum common)i);
		if (!(known & 1u << i) || columns_has(t, c->json) || (i == COMMON_INTERVAL && !t->interval))
			continue;
		if (!any)
			fputs("more columns, of --wide, -o, -t and -T:\n", out);
		any = true;
		put_entry(out, c->name, meaning(c->json, strlen(c->json)));
	}
}

void tool_help_columns(struct tool *t, FILE *out)
{
	char names[2048];
	size_t col = 0;

	help_columns(t, out);
	help_commons(t, out);
	fputs("names, for -o and --by:\n", out);
	columns_names(t, NULL, names, sizeof(names));
	for (const char *s = names; *s;) {
		size_t n = strcspn(s, " ");

		if (col && col + n + 1 > 80) {
			fputc('\n', out);
			col = 0;
		}
		col += (size_t)fprintf(out, "%s%.*s", col ? " " : "  ", (int)n, s);
		s += n + strspn(s + n, " ");
	}
	fputc('\n', out);
}

void tool_help(struct tool *t, FILE *out)
{
	char left[64];

	fprintf(out, "%s\n", t->title);
	tool_usage(t, out);
	for (size_t i = 0; i < t->nparams; i++)
		fprintf(out, "  %-18s %s\n", tool_option_shown(&t->params[i], left, sizeof(left)), t->params[i].help);
	fprintf(out, "  %-18s %s\n", "-h, --help", "show this text");
	help_columns(t, out);
	help_commons(t, out);
}
