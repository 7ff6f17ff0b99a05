/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program: see program.h. Input: a script and its parameters. Output: the script with constants before it and these
 * words replaced:
 *	wanted(cs...)		the condition of the common filters; wanted_here(cs), wanted_netns(cs)
 *	row(...), row_NAME(...)	a printf of a row; rows(@a...), rows_NAME(@a...) a printa
 *	header(), header_NAME()	the line above them, where the output is text
 *	say(...)		a printf, where the output is text
 *	note(...)		with -w: a printf, an entry in the log of the file; else nothing
 * With -w row() is pcap(args[0]), and the other rows, header() and say() are nothing.
 *	tool:::interval		the tick of the interval, and the end, if that comes before the last report that was
 *				asked for; without an interval only the end
 *	tool:::tick		the tick
 * Invariant: comments and strings stay as they are. */
#include "cli/tool/program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/tool/filter.h"
#include "cli/tool/list.h"
#include "cli/tool/row.h"

#define MAX_ARGS 64

/* ---- reading ----------------------------------------------------------------------------------------------------- */
/* Returns the end of the comment, string or character constant at s; s if there is none. */
static const char *skip_text(const char *s)
{
	const char *p = s;

	if (!strncmp(s, "/*", 2)) {
		p = strstr(s + 2, "*/");
		return p ? p + 2 : s + strlen(s);
	}
	if (!strncmp(s, "//", 2))
		return s + strcspn(s, "\n");
	if (*s != '"' && *s != '\'')
		return s;
	for (p = s + 1; *p && *p != *s && *p != '\n'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

struct call {
	char *text; /* owned */
	char *args[MAX_ARGS];
	size_t nargs;
	bool no_memory;
};

/* Splits the arguments from s, just after "(", up to the matching ")". Returns the position after it; NULL: it is
 * missing. */
static const char *read_args(const char *s, struct call *c)
{
	const char *from = s, *p;
	int depth = 0;
	char *end;

	memset(c, 0, sizeof(*c));
	for (; *s && (depth || *s != ')'); s = p > s ? p : s + 1) {
		p = skip_text(s);
		depth += p == s && strchr("([{", *s) ? 1 : p == s && strchr(")]}", *s) ? -1 : 0;
	}
	if (!*s)
		return NULL;
	c->text = strndup(from, (size_t)(s - from));
	c->no_memory = !c->text;
	if (!c->text || !c->text[strspn(c->text, " \t\n")])
		return c->text ? s + 1 : NULL;
	c->args[c->nargs++] = c->text;
	depth = 0;
	for (end = c->text; *end; end = p > end ? c->text + (p - c->text) : end + 1) {
		p = skip_text(end);
		if (p == end && strchr("([{", *end))
			depth++;
		else if (p == end && strchr(")]}", *end))
			depth--;
		else if (p == end && *end == ',' && !depth && c->nargs < MAX_ARGS) {
			*end = '\0';
			c->args[c->nargs++] = end + 1 + strspn(end + 1, " \t\n");
		}
	}
	return s + 1;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */
/* "row", "row_NAME": the label, or NULL. */
static const char *label_of(const char *word, size_t n, const char *base, size_t *len)
{
	size_t k = strlen(base);

	if (n < k || strncmp(word, base, k) != 0 || (n > k && word[k] != '_'))
		return NULL;
	*len = n > k ? n - k - 1 : 0;
	return word + (n > k ? k + 1 : k);
}

static bool expand_row(
	struct tool *t, const char *label, size_t len, const struct call *c, bool agg, bool header, FILE *out)
{
	const struct row *r = tool_row(t, label, len);

	if (r && t->capture) {
		fputs(agg || header ? "" : "pcap(args[0])", out);
		return true;
	}
	if (!r) {
		message(&t->own, "no row %.*s", (int)len, label);
		return false;
	}
	if (!header)
		return tool_print_row(t, r, c->args, c->nargs, agg, out);
	tool_print_header(t, r, out);
	return true;
}

/* Are rows and what the tool says text? */
static bool is_text(const struct tool *t)
{
	return t->out == TOOL_TEXT && !t->capture;
}

static bool expand_call(struct tool *t, const char *word, size_t n, const struct call *c, FILE *out)
{
	const char *label;
	size_t len;
	bool shown;

	if ((label = label_of(word, n, "wanted", &len)) && !strncmp(label, "netns", len) && len)
		return tool_filter_netns(t, c->args, c->nargs, out);
	if (label)
		return tool_filter(t, c->args, c->nargs, len > 0, out);
	if ((label = label_of(word, n, "rows", &len)))
		return expand_row(t, label, len, c, true, false, out);
	if ((label = label_of(word, n, "row", &len)))
		return expand_row(t, label, len, c, false, false, out);
	if ((label = label_of(word, n, "header", &len)))
		return expand_row(t, label, len, c, false, true, out);
	/* say, note */
	shown = *word == 'n' ? t->capture != NULL : is_text(t);
	for (size_t i = 0; i < c->nargs && shown; i++)
		fprintf(out, "%s%s", i ? ", " : "printf(", c->args[i]);
	fputs(shown ? ")" : "", out);
	return true;
}

static bool is_word(const char *word, size_t n)
{
	size_t len;

	return (n == 6 && !strncmp(word, "wanted", 6)) || (n == 11 && !strncmp(word, "wanted_here", 11)) ||
		(n == 12 && !strncmp(word, "wanted_netns", 12)) || (n == 3 && !strncmp(word, "say", 3)) ||
		(n == 4 && !strncmp(word, "note", 4)) || label_of(word, n, "rows", &len) ||
		label_of(word, n, "row", &len) || label_of(word, n, "header", &len);
}

static bool expand(struct tool *t, const char *s, FILE *out);

/* The number of reports that the user asked for; 0: no limit. */
static long last_report(struct tool *t)
{
	long secs = tool_number(t, "interval"), count = tool_number(t, "count"), all = tool_number(t, "tool_for");
	long within = secs > 0 && all % secs == 0 ? all / secs : 0;

	if (!t->interval || secs <= 0)
		return 0;
	return count <= 0 || (within && within < count) ? within : count;
}

/* Writes the predicate of an interval clause: after the last report nothing is left to report at the end. Returns the
 * position after it. */
static const char *expand_condition(struct tool *t, const char *s, FILE *out)
{
	const char *from = s + strspn(s, " \t\n"), *end = from;
	char *own;

	fprintf(out, "\n/ tool_reports < %ld", last_report(t));
	if (*from == '/') {
		for (const char *p = from + 1; *p && *p != '{'; p = skip_text(p) > p ? skip_text(p) : p + 1)
			if (*p == '/' && skip_text(p) == p)
				end = p;
		own = strndup(from + 1, (size_t)(end - from) - (end > from));
		t->no_memory = t->no_memory || !own;
		fputs(" && (", out);
		if (!own || !expand(t, own, out))
			s = NULL;
		fputs(")", out);
		free(own);
		s = s && end > from ? end + 1 : NULL;
	}
	fputs(" /", out);
	return s;
}

/* "tool:::interval" and "tool:::tick". False: it is neither; else *next is what is behind it, NULL after an error. */
static bool expand_probe(struct tool *t, const char *s, const char **next, FILE *out)
{
	long secs = tool_number(t, "interval");
	bool tick = !strncmp(s, "tool:::tick", 11);

	if (!tick && strncmp(s, "tool:::interval", 15) != 0)
		return false;
	*next = s + (tick ? 11 : 15);
	if (secs)
		fprintf(out, "profile:::tick-%lds", secs);
	if (!tick)
		fprintf(out, "%sdtrace:::END", secs ? ", " : "");
	if (!tick && last_report(t))
		*next = expand_condition(t, *next, out);
	return true;
}

/* One word of the script, or its expansion. */
static const char *expand_word(struct tool *t, const char *s, FILE *out)
{
	size_t n = 0;
	const char *next;
	struct call c;

	if (expand_probe(t, s, &next, out))
		return next;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	if (s[n] != '(' || !is_word(s, n)) {
		fwrite(s, 1, n, out);
		return s + n;
	}
	next = read_args(s + n + 1, &c);
	t->no_memory = t->no_memory || c.no_memory;
	if (next && !expand_call(t, s, n, &c, out))
		next = NULL;
	free(c.text);
	return next;
}

static bool expand(struct tool *t, const char *s, FILE *out)
{
	while (s && *s) {
		const char *p = skip_text(s);

		if (p > s) {
			fwrite(s, 1, (size_t)(p - s), out);
			s = p;
		} else if (isalpha((unsigned char)*s) || *s == '_') {
			s = expand_word(t, s, out);
		} else if (isdigit((unsigned char)*s)) { /* "0x1f" is no word */
			for (; isalnum((unsigned char)*s); s++)
				fputc(*s, out);
		} else {
			fputc(*s++, out);
		}
	}
	return s != NULL;
}

/* ---- around the script ------------------------------------------------------------------------------------------- */
/* One value of a list, which is compared with x. */
static bool put_number(struct tool *t, const char *item, const void *arg, FILE *out)
{
	(void)t;
	(void)arg;
	list_put_range("x", item, out);
	return true;
}

static void put_param(struct tool *t, const struct param *p, FILE *out)
{
	if (!strncmp(p->name, "option.", 7)) {
		if (p->kind != PARAM_PORTS || p->given) /* no ports: the option is not set */
			fprintf(out, "#pragma D option %s=%s\n", p->name + 7, p->value);
		return;
	}
	switch (p->kind) {
	case PARAM_FLAG:
	case PARAM_NUMBER:
		fprintf(out, "inline int %s = %s;\n", p->name, p->value);
		break;
	case PARAM_STRING:
		fprintf(out, "inline string %s = %s;\n", p->name, p->value);
		break;
	case PARAM_LIST:
	case PARAM_PORTS:
		fprintf(out, "inline int %s[int x] = ", p->name);
		if (p->given)
			(void)list_condition(t, p->value, put_number, NULL, out);
		fputs(p->given ? ";\n" : "1;\n", out);
		break;
	case PARAM_WORDS:
	case PARAM_RAW:
		break;
	}
}

static long zone_offset(void)
{
	time_t now = time(NULL);
	struct tm tm;

	return localtime_r(&now, &tm) ? tm.tm_gmtoff : 0;
}

/* The row that CSV has the names of: one with the name of a flag that was given, else the first. */
static const struct row *named_row(struct tool *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		if (t->rows[i].label[0] && tool_number(t, t->rows[i].label))
			return &t->rows[i];
	return &t->rows[0];
}

static bool put_head(struct tool *t, FILE *out)
{
	const struct param *netns = tool_param(t, "tool_netns");
	static const char *const rows[] = { "text", "json", "csv" };

	fputs("#pragma D option quiet\n", out);
	if (!t->capture)
		fprintf(out, "#pragma D option rows=%s\n", rows[tool_number(t, "dot") ? TOOL_JSON : t->out]);
	for (size_t i = 0; i < t->nparams; i++)
		if (!t->params[i].same_as)
			put_param(t, &t->params[i], out);
	if (netns && netns->given && strstr(t->file->text, "netcounters")) {
		fputs("#pragma D option netns=", out);
		if (!tool_netns_numbers(t, out))
			return false;
		fputc('\n', out);
	}
	fprintf(out, "inline int tool_text = %d;\ninline int tool_capture = %d;\n", is_text(t), t->capture != NULL);
	fprintf(out, "inline uint64_t tool_clock_now = (walltimestamp / 1000000000 + %ld) %% 86400;\n", zone_offset());
	if (last_report(t))
		fputs("int tool_reports;\n", out);
	if (tool_number(t, "tool_secs"))
		fputs("int64_t tool_began;\n", out);
	if (t->out == TOOL_CSV && t->nrows) {
		fputs("dtrace:::BEGIN\n{\n\t", out);
		tool_print_names(t, named_row(t), out);
		fputs(";\n}\n", out);
	}
	return true;
}

/* What ends the trace, behind all of the script's clauses. */
static void put_end(struct tool *t, FILE *out)
{
	long secs = tool_number(t, "tool_for");

	if (last_report(t))
		fprintf(out,
			"profile:::tick-%lds\n{\n\ttool_reports++;\n}\n"
			"profile:::tick-%lds\n/tool_reports >= %ld/\n{\n\texit(0);\n}\n",
			tool_number(t, "interval"), tool_number(t, "interval"), last_report(t));
	if (secs)
		fprintf(out, "profile:::tick-%lds\n{\n\texit(0);\n}\n", secs);
}

bool tool_program(struct tool *t, FILE *out)
{
	if (!put_head(t, out) || !expand(t, t->file->text, out))
		return false;
	fputc('\n', out);
	if (t->script && !expand(t, t->script->text, out))
		return false;
	put_end(t, out);
	return true;
}
