/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns: see columns.h.
 * Input: a row of the head, the options, what the clauses know. Output: the columns in order; D expressions.
 * Invariant: a name means the same thing in all tools; a column that a row lacks is shown as unknown. */
#include "cli/tool/program/columns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "cli/tool/list.h"

static const struct {
	struct column col;
	const char *value;
} commons[COMMON_COUNT] = {
#define X(id, title, named, format, wider, expression) \
	[COMMON_##id] = { { .name = title, .json = named, .fmt = format, .wide = wider, .nargs = 1 }, expression },
	COMMON_COLUMNS(X)
#undef X
};

/* ---- what a clause knows ----------------------------------------------------------------------------------------- */
/* The expression of a column that does not come of the csinfo_t *; NULL: not known. */
static const char *other_value(enum common common, const struct subject *s)
{
	const char *const values[] = { s->laddr, s->lport, s->raddr, s->rport, s->device, s->bytes };

	return common >= COMMON_LADDR && common < COMMON_COUNT ? values[common - COMMON_LADDR] : NULL;
}

unsigned columns_known(const struct subject *s)
{
	unsigned known = 1u << COMMON_TIME | 1u << COMMON_SECS | 1u << COMMON_INTERVAL;

	for (int i = COMMON_PID; i < COMMON_COUNT; i++)
		if (i <= COMMON_POD_NAMESPACE ? s->cs != NULL : other_value((enum common)i, s) != NULL)
			known |= 1u << i;
	return known;
}

static bool is_text(enum common common)
{
	return strchr(commons[common].col.fmt, 's') != NULL;
}

/* Numbers are of one size everywhere, as keys of an aggregation have to be. */
void columns_put(enum common common, const struct subject *s, FILE *out)
{
	const char *value = s->slots ? NULL : other_value(common, s);

	if (s->slots && s->slots[common] >= 0) {
		fprintf(out, "%d", s->slots[common]);
	} else if (common <= COMMON_POD_NAMESPACE && s->cs) {
		fputs("(", out);
		for (const char *c = commons[common].value; *c; c++)
			if (*c == '$')
				fputs(s->cs, out);
			else
				putc(*c, out);
		fputs(")", out);
	} else if (value) {
		fprintf(out, is_text(common) ? "(%s)" : "(int64_t)(%s)", value);
	} else {
		fputs(is_text(common) ? "\"\"" : "(int64_t)-1", out);
	}
}

bool columns_nullable(const char *json)
{
	for (int i = COMMON_PID; i < COMMON_COUNT; i++)
		if (!strcmp(json, commons[i].col.json))
			return true;
	return false;
}

const struct column *columns_common(enum common common)
{
	return &commons[common].col;
}

/* ---- the row's own ----------------------------------------------------------------------------------------------- */
static bool is_value(const struct column *c)
{
	return strstr(c->fmt, "%@") != NULL;
}

bool columns_summary(const struct row *r)
{
	for (size_t i = 0; i < r->ncols; i++)
		if (is_value(&r->cols[i]))
			return true;
	return false;
}

/* Is the column part of this output? JSON and CSV have all that -w adds to the text. */
static bool column_shown(struct tool *t, const struct column *c)
{
	bool wide = t->out != TOOL_TEXT || tool_number(t, "tool_wide");

	if (!c->when[0] || !strcmp(c->when, "room") || (wide && !strcmp(c->when, "wide")))
		return true;
	if (!strcmp(c->when, "json"))
		return (t->out != TOOL_TEXT) != c->negate;
	if (!strcmp(c->when, "csv"))
		return (t->out == TOOL_CSV) != c->negate;
	return (tool_number(t, c->when) != 0) != c->negate;
}

/* Adds a column of the row; numbers of conversions are those that row() has values for. */
static void add_own(struct layout *l, const struct row *r, size_t at)
{
	struct shown *s = &l->cols[l->n];

	if (l->n == MAX_SHOWN)
		return;
	*s = (struct shown){ .col = &r->cols[at], .common = COMMON_NONE, .is_value = is_value(&r->cols[at]) };
	for (size_t i = 0; i < at; i++)
		if (is_value(&r->cols[i]))
			s->value++;
		else
			s->first += r->cols[i].nargs;
	l->n++;
}

static void add_common(struct layout *l, enum common common)
{
	if (l->n < MAX_SHOWN)
		l->cols[l->n++] = (struct shown){ .col = &commons[common].col, .common = common };
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* "laddr" of "laddr:lport". */
static bool has_part(const char *json, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = json; *s; s += strcspn(s, ":"), s += *s == ':')
		if (strcspn(s, ":") == n && !strncasecmp(s, name, n))
			return true;
	return false;
}

/* How a name is that of a column: as JSON has it, as one of several names that JSON has, as it stands above it. */
enum match { BY_NAME, BY_PART, BY_TITLE };

static bool is_called(const struct column *c, const char *name, enum match how)
{
	return how == BY_NAME    ? !strcasecmp(c->json, name)
		: how == BY_PART ? has_part(c->json, name)
				 : !strcasecmp(c->name, name);
}

/* The row's column of a name; of several with a condition the one that is shown. -1: none. */
static int find_own(struct tool *t, const struct row *r, const char *name, enum match how)
{
	int found = -1;

	for (size_t i = 0; i < r->ncols; i++) {
		const struct column *c = &r->cols[i];

		if (!c->nargs || !is_called(c, name, how))
			continue;
		if (found < 0 || column_shown(t, c))
			found = (int)i;
	}
	return found;
}

static int find_any(struct tool *t, const struct row *r, const char *name)
{
	int own = find_own(t, r, name, BY_PART);

	return own < 0 ? find_own(t, r, name, BY_TITLE) : own;
}

static enum common find_common(const char *name)
{
	int i = 0;

	while (i < COMMON_COUNT && strcasecmp(commons[i].col.json, name))
		i++;
	return (enum common)i;
}

static bool is_there(const struct layout *l, const struct column *c)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->cols[i].col == c)
			return true;
	return false;
}

/* One column by its name; an address and its port may be one column, which two names add once. A row that has none of
 * that name, though another row of the tool has, shows it as unknown. */
static void add_named(struct tool *t, const struct row *r, unsigned known, const char *name, struct layout *l)
{
	enum common common = find_common(name);
	bool is_known = common != COMMON_NONE && known & 1u << common;
	int own = find_own(t, r, name, BY_NAME);

	if (own < 0 && !is_known)
		own = find_any(t, r, name);
	if (is_there(l, own >= 0 ? &r->cols[own] : common != COMMON_NONE ? &commons[common].col : NULL))
		return;
	if (own >= 0)
		add_own(l, r, (size_t)own);
	else if (common != COMMON_NONE)
		add_common(l, common);
	else
		for (size_t i = 0; i < t->nrows && own < 0; i++) {
			own = find_any(t, &t->rows[i], name);
			if (own >= 0 && l->n < MAX_SHOWN)
				l->cols[l->n++] = (struct shown){
					.col = &t->rows[i].cols[own], .common = COMMON_NONE, .missing = true
				};
		}
}

unsigned columns_carried(struct tool *t, const struct row *r, unsigned known)
{
	const bool summary = columns_summary(r), process = find_own(t, r, "pid", BY_PART) >= 0;
	unsigned carried = 1u << COMMON_TIME | 1u << COMMON_SECS | 1u << COMMON_INTERVAL;

	if (summary)
		carried = 0;
	for (int i = COMMON_PID; i < COMMON_COUNT; i++)
		if (known & 1u << i && find_own(t, r, commons[i].col.json, BY_NAME) < 0 &&
			(!summary || (process && i >= COMMON_UID && i <= COMMON_POD_NAMESPACE)))
			carried |= 1u << i;
	return carried;
}

const char *columns_format(enum common common)
{
	return commons[common].col.fmt;
}

/* Is there such a column in any row of the tool? */
static bool is_named(struct tool *t, const unsigned *known, const char *name)
{
	enum common common = find_common(name);

	for (size_t i = 0; i < t->nrows; i++)
		if (find_any(t, &t->rows[i], name) >= 0 || (common != COMMON_NONE && known[i] & 1u << common))
			return true;
	return false;
}

/* Adds a name to a list with commas, unless it is there. */
static void list_name(char *text, size_t size, const char *name, size_t len)
{
	const size_t n = strlen(text);

	for (const char *s = text; *s; s += strcspn(s, " "), s += *s == ' ')
		if (strcspn(s, ", ") == len && !strncmp(s, name, len))
			return;
	if (len && n + len + 3 < size)
		snprintf(text + n, size - n, "%s%.*s", n ? ", " : "", (int)len, name);
}

void columns_names(struct tool *t, const unsigned *known, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->rows[i].ncols; k++) {
			const struct column *c = &t->rows[i].cols[k];

			for (const char *s = c->json; c->nargs && *s; s += strcspn(s, ":"), s += *s == ':')
				list_name(text, size, s, strcspn(s, ":"));
		}
	for (int i = 0; i < COMMON_COUNT; i++)
		if (!known || is_named(t, known, commons[i].col.json))
			list_name(text, size, commons[i].col.json, strlen(commons[i].col.json));
}

/* "no column foo", and those that there are. */
static void no_column(struct tool *t, const unsigned *known, const char *option, const char *name)
{
	char text[2048];

	columns_names(t, known, text, sizeof(text));
	message(&t->own, "%s: no column %s", option, name);
	message_hint(&t->own, "columns: %s", text);
}

static const char *given(struct tool *t, const char *name)
{
	const struct param *p = tool_param(t, name);

	return p && p->given ? p->value : NULL;
}

bool columns_check(struct tool *t, const unsigned *known, bool all)
{
	static const char *const options[][2] = { { "tool_columns", "-o" }, { "tool_by", "--by" } };
	struct list_item item;

	for (int i = 0; i < 2; i++)
		for (const char *s = given(t, options[i][0]); s;) {
			s = list_next(s, &item);
			if (!item.negate && item.text[0] && is_named(t, known, item.text))
				continue;
			if (i || !all || item.negate || find_common(item.text) == COMMON_NONE) {
				no_column(t, all && !i ? NULL : known, options[i][1], item.text);
				return false;
			}
			message(&t->own, "%s is not known here: it is shown as unknown", item.text);
		}
	return true;
}

bool columns_has(struct tool *t, const char *json)
{
	bool found = false;

	for (size_t i = 0; i < t->nrows && !found; i++)
		found = find_own(t, &t->rows[i], json, BY_PART) >= 0;
	return found;
}

bool columns_is_bytes(const struct column *c)
{
	const size_t n = strlen(c->json);

	return c->nargs == 1 && (strchr(c->fmt, 'B') || (n >= 5 && !strcmp(c->json + n - 5, "bytes")));
}

/* Adds a row to the tool: the columns of the one that it counts, the counts, the sums of bytes. */
static bool add_counts(struct tool *t, const struct row *of)
{
	struct row *r = &t->rows[t->nrows];
	const size_t own = of->ncols;

	if (t->nrows == MAX_ROWS || own == MAX_COLUMNS) {
		message(&t->own, "--by: the tool has too many rows or columns");
		return false;
	}
	*r = *of;
	t->counted = (size_t)(of - t->rows) + 1;
	t->nrows++;
	snprintf(r->label, sizeof(r->label), "counted");
	for (size_t i = 0; i < own; i++)
		if (!strcmp(r->cols[i].fmt, "%s")) /* the last column of an event, but not of its counts */
			snprintf(r->cols[i].fmt, sizeof(r->cols[i].fmt), "%%-20s");
	r->cols[r->ncols++] = (struct column){ .name = "COUNT", .json = "count", .fmt = "%@8d" };
	for (size_t i = 0; i < own && r->ncols < MAX_COLUMNS; i++) {
		struct column *sum = &r->cols[r->ncols];

		if (!columns_is_bytes(&of->cols[i]))
			continue;
		r->ncols++;
		*sum = of->cols[i];
		sum->wide[0] = '\0';
		sum->nargs = 1;
		snprintf(sum->fmt, sizeof(sum->fmt), "%s", strchr(of->cols[i].fmt, 'B') ? "%@8B" : "%@10d");
	}
	return true;
}

/* Has the row, or a common column, every name of --by? */
static bool has_by(struct tool *t, const struct row *r)
{
	struct list_item item;

	for (const char *s = given(t, "tool_by"); s;) {
		s = list_next(s, &item);
		if (find_any(t, r, item.text) < 0 && find_common(item.text) == COMMON_NONE)
			return false;
	}
	return true;
}

/* The first row of aggregations that a flag of its name turns on, and that has what --by names; NULL: none. */
static struct param *flag_for_by(struct tool *t)
{
	for (size_t i = 0; i < t->nrows; i++) {
		struct param *flag = columns_summary(&t->rows[i]) ? tool_param(t, t->rows[i].label) : NULL;

		if (flag && flag->kind == PARAM_FLAG && has_by(t, &t->rows[i]))
			return flag;
	}
	return NULL;
}

bool columns_take_by(struct tool *t)
{
	const struct row *in_use = &t->rows[0];
	struct param *flag;
	bool any = false;

	if (!given(t, "tool_by"))
		return true;
	for (size_t i = 0; i < t->nrows; i++) {
		any |= columns_summary(&t->rows[i]);
		if (t->rows[i].label[0] && tool_number(t, t->rows[i].label))
			in_use = &t->rows[i];
	}
	if (columns_summary(in_use))
		return true;
	flag = flag_for_by(t);
	if (!flag && (!any || has_by(t, in_use)))
		return add_counts(t, in_use);
	if (flag) {
		snprintf(flag->value, sizeof(flag->value), "1");
		flag->given = true;
	}
	return true;
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */
static void add_list(struct tool *t, const struct row *r, unsigned known, const char *names, struct layout *l)
{
	struct list_item item;

	l->chosen = true;
	for (const char *s = names; s;) {
		s = list_next(s, &item);
		add_named(t, r, known, item.text, l);
	}
}

/* Before the columns of the head: what says when. Rows of aggregations are of an interval; text marks it in a line
 * above them. */
static void add_time(struct tool *t, const struct row *r, bool wide, struct layout *l)
{
	bool text = t->out == TOOL_TEXT, summary = columns_summary(r);

	bool secs = find_own(t, r, "time_s", BY_PART) >= 0;

	/* --wide adds no second column of time. */
	if (!text || (!summary && (t->clock_first || (wide && !secs) || tool_number(t, "tool_clock"))))
		add_common(l, COMMON_TIME);
	if (!summary && tool_number(t, "tool_secs") && !secs)
		add_common(l, COMMON_SECS);
	if (!text && t->interval)
		add_common(l, COMMON_INTERVAL);
}

/* What --wide adds to the head's columns. In rows of aggregations only what the process determines, so that they stay
 * the same rows. */
static void add_wide(struct tool *t, const struct row *r, unsigned known, struct layout *l)
{
	bool summary = columns_summary(r);

	if (summary && find_own(t, r, "pid", BY_PART) < 0)
		return;
	for (int i = COMMON_PID; i < COMMON_COUNT; i++) {
		bool process = i >= COMMON_UID && i <= COMMON_POD_NAMESPACE;

		if (known & 1u << i && (!summary || process) && find_own(t, r, commons[i].col.json, BY_PART) < 0) {
			add_common(l, (enum common)i);
			l->chosen = true;
		}
	}
}

void columns_layout(struct tool *t, const struct row *r, unsigned known, struct layout *out)
{
	const char *only = given(t, "tool_columns"), *by = columns_summary(r) ? given(t, "tool_by") : NULL;
	bool wide = tool_number(t, "tool_wide");

	memset(out, 0, sizeof(*out));
	if (only) {
		add_list(t, r, known, only, out);
		return;
	}
	add_time(t, r, wide, out);
	if (by)
		add_list(t, r, known, by, out);
	else if (wide)
		add_wide(t, r, known, out);
	for (size_t i = 0; i < r->ncols; i++)
		if (column_shown(t, &r->cols[i]) && (!by || is_value(&r->cols[i])))
			add_own(out, r, i);
}
