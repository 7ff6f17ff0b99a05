/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row: see row.h.
 * Input: columns and the D expressions of their values. Output: D statements.
 * Invariant: text, JSON and CSV show the same values; a number in text is a number in JSON. */
#include "cli/tool/program/row.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct row *tool_named_row(struct tool *t)
{
	if (t->counted)
		return &t->rows[t->nrows - 1];
	for (size_t i = 0; i < t->nrows; i++)
		if (t->rows[i].label[0] && tool_number(t, t->rows[i].label))
			return &t->rows[i];
	return &t->rows[0];
}

const struct row *tool_row(const struct tool *t, const char *label, size_t len)
{
	for (size_t i = 0; i < t->nrows; i++)
		if (strlen(t->rows[i].label) == len && !strncmp(t->rows[i].label, label, len))
			return &t->rows[i];
	return NULL;
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
	size_t n = strcspn(s, "%"), len = 0;

	memset(p, 0, sizeof(*p));
	while (s[n] == '%' && s[n + 1] == '%') /* it stays as it is: the text becomes that of a printf() */
		n += 2 + strcspn(s + n + 2, "%");
	len = n < sizeof(p->text) ? n : sizeof(p->text) - 1;
	memcpy(p->text, s, len);
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
	return p->conv == 'd' || p->conv == 'u' || p->conv == 'i' || p->conv == 'Q' || p->conv == 'B';
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

/* A conversion without padding: what is zero-padded is half of a number. A time is whole there, with date and zone; an
 * amount of bytes is a number. null: what is not known shows as null. */
static void put_bare(const struct piece *p, bool null, FILE *out)
{
	fprintf(out, "%%%s", p->agg ? "@" : "");
	if (strchr(p->flags, '0'))
		fprintf(out, "0%d", p->width);
	fputs(null || p->conv == 'T' || strpbrk(p->flags, "#") ? "#" : "", out);
	if (p->conv == 'Q')
		fprintf(out, ".%d", p->prec);
	putc(p->conv == 'T' ? 'Y' : p->conv == 'B' ? 'd' : p->conv, out);
}

/* May the value be null: by its name, or by the mark in its format? */
static bool is_nullable(const char *json, const struct piece *p)
{
	return columns_nullable(json) || (p->conv == 's' && strchr(p->flags, '#'));
}

/* A text of JSON that may be null brings its own quotes. */
static const char *quote_of(const struct tool *t, bool numeric, bool null)
{
	return numeric || (null && t->out == TOOL_JSON) ? "" : "\\\"";
}

/* Writes a column's conversions as one value of JSON or CSV, quoted unless it is numeric. */
static void put_value(const struct tool *t, const char *fmt, bool numeric, bool null, FILE *out)
{
	const char *quote = quote_of(t, numeric, null);
	struct piece p;
	const char *behind = next_piece(fmt, &p); /* the first piece: its text is not of the number */

	fputs(quote, out);
	for (const char *s = fmt; *s;) {
		s = next_piece(s, &p);
		fputs(numeric && s == behind ? "" : p.text, out);
		if (p.conv)
			put_bare(&p, null, out);
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
	const char *name = c->json, *s = c->fmt, *quote;
	struct piece p;

	for (unsigned i = 0; i < c->nargs; i++) {
		size_t n = strcspn(name, ":");
		char one[32];
		bool null;

		snprintf(one, sizeof(one), "%.*s", (int)(n < 31 ? n : 31), name);
		s = next_piece(s, &p);
		null = is_nullable(one, &p);
		quote = quote_of(t, is_integer(&p), null);
		fputs(i ? "," : "", out);
		put_name(t, name, n, out);
		fputs(quote, out);
		put_bare(&p, null, out);
		fputs(quote, out);
		name += n + (name[n] == ':');
	}
}

/* A column that the row does not have: of several names if it has several. */
static void put_missing(const struct tool *t, const struct column *c, FILE *out)
{
	unsigned n = c->nargs > 1 && names(c->json) == c->nargs ? c->nargs : 1;
	const char *name = c->json;

	for (unsigned i = 0; i < n; i++) {
		size_t len = n > 1 ? strcspn(name, ":") : strlen(name);

		fputs(i ? "," : "", out);
		put_name(t, name, len, out);
		fputs(t->out == TOOL_JSON ? "null" : t->out == TOOL_TEXT ? "-" : "", out);
		name += len + (name[len] == ':');
	}
}

/* A common column of a row of aggregations that is of the row, not of its keys. */
static void put_report(const struct tool *t, enum common common, FILE *out)
{
	const char *quote = t->out == TOOL_TEXT ? "" : "\\\"";

	if (common == COMMON_TIME)
		fprintf(out, "%s%%@#%s%s", quote, t->out == TOOL_TEXT ? "-8T" : "Y", quote);
	else if (common == COMMON_INTERVAL)
		fprintf(out, "%%@%sN", t->out == TOOL_TEXT ? "8" : "");
	else
		fputs(t->out == TOOL_JSON ? "null" : t->out == TOOL_TEXT ? "       -" : "", out);
}

/* A value that may be unknown shows as "-" then, as "%-7d" does that becomes "%#-7d". */
static void put_text(const struct column *c, const char *fmt, FILE *out)
{
	const bool null = c->nargs == 1 && *fmt == '%' && !strchr(fmt, '#') && columns_nullable(c->json);

	fprintf(out, null && fmt[1] == '@' ? "%s" : null ? "%%#%s" : "%s", null && fmt[1] != '@' ? fmt + 1 : fmt);
}

/* Writes a column as the chosen output has it. agg: the row is of aggregations. */
static void put_column(struct tool *t, const struct shown *s, bool agg, FILE *out)
{
	const struct column *c = s->col;
	bool wide = tool_number(t, "wide") || tool_number(t, "tool_wide");
	struct piece p;

	if (s->missing || (t->out == TOOL_JSON && !*c->fmt)) {
		put_missing(t, c, out);
	} else if (agg && s->common <= COMMON_INTERVAL) {
		put_name(t, c->json, strlen(c->json), out);
		put_report(t, s->common, out);
	} else if (t->out == TOOL_TEXT) {
		put_text(c, wide && c->wide[0] ? c->wide : c->fmt, out);
	} else if (c->nargs > 1 && names(c->json) == c->nargs) {
		put_parts(t, c, out);
	} else {
		put_name(t, c->json, strlen(c->json), out);
		next_piece(c->fmt, &p);
		put_value(t, c->fmt, is_numeric(c->fmt), c->nargs == 1 && is_nullable(c->json, &p), out);
	}
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
void tool_print_common(struct tool *t, enum common common, const struct subject *of, FILE *out)
{
	fputs(", ", out);
	if (of->slots && common == COMMON_SECS)
		fprintf(out, "%d, %d", of->slots[common], of->slots[common] + 1);
	else if (of->slots)
		columns_put(common, of, out);
	else if (common == COMMON_TIME)
		fputs("walltimestamp", out);
	else if (common == COMMON_SECS)
		fputs("((int64_t)timestamp - tool_began) / 1000000000, "
		      "((int64_t)timestamp - tool_began) / 1000000 % 1000",
			out);
	else if (common == COMMON_INTERVAL)
		fprintf(out, "%s", tool_ms(t, "interval") ? "tool_reports + 1" : "1");
	else
		columns_put(common, of, out);
}

/* The format of a row, as a D string. */
static void put_row_format(struct tool *t, const struct layout *l, bool agg, FILE *out)
{
	const char *sep = t->out == TOOL_TEXT ? t->join : ",";

	fputs(t->out == TOOL_JSON ? "\"{" : "\"", out);
	for (size_t i = 0; i < l->n; i++) {
		fputs(i ? sep : "", out);
		put_column(t, &l->cols[i], agg, out);
	}
	fputs(t->out == TOOL_JSON ? "}\\n\"" : "\\n\"", out);
}

/* How many values row() takes. */
static size_t conversions(const struct row *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->ncols; i++)
		n += r->cols[i].nargs;
	return n;
}

/* Conversions and arguments have to correspond, so arguments of hidden columns are left out. */
bool tool_print_row(struct tool *t, const struct row *r, const struct layout *l, const struct subject *of,
	char *const *args, size_t nargs, FILE *out)
{
	if (conversions(r) != nargs) {
		message(&t->own, "row(): %zu values for %zu conversions", nargs, conversions(r));
		return false;
	}
	fputs("printf(", out);
	put_row_format(t, l, false, out);
	for (size_t i = 0; i < l->n; i++) {
		const struct shown *s = &l->cols[i];

		if (s->common != COMMON_NONE)
			tool_print_common(t, s->common, of, out);
		for (unsigned k = 0; s->common == COMMON_NONE && !s->missing && k < s->col->nargs; k++)
			fprintf(out, ", %s", args[s->first + k]);
	}
	fputs(")", out);
	return true;
}

/* One aggregation may stand for several columns, the last ones. */
void tool_print_rows(struct tool *t, const struct layout *l, char *const *args, size_t nargs, FILE *out)
{
	bool any = false;

	fputs("printa(", out);
	put_row_format(t, l, true, out);
	for (size_t i = 0; i < l->n && l->chosen; i++) {
		const struct shown *s = &l->cols[i];

		if (!s->is_value || s->missing)
			continue;
		any = true;
		fprintf(out, ", %s", args[s->value < nargs ? s->value : nargs - 1]);
	}
	for (size_t i = 0; i < nargs && !any; i++)
		fprintf(out, ", %s", args[i]);
	fputs(")", out);
}

void tool_print_keys(const struct layout *l, const struct subject *of, char *const *keys, size_t nkeys, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct shown *s = &l->cols[i];

		if (s->is_value || s->missing || s->common <= COMMON_INTERVAL)
			continue;
		if (s->common != COMMON_NONE) {
			fputs(any ? ", " : "[", out);
			columns_put(s->common, of, out);
			any = true;
		}
		for (unsigned k = 0; s->common == COMMON_NONE && k < s->col->nargs && s->first + k < nkeys; k++) {
			fprintf(out, "%s%s", any ? ", " : "[", keys[s->first + k]);
			any = true;
		}
	}
	fputs(any ? "]" : "", out);
}

/* Numbers are of one size in all clauses, as keys have to be. */
static void put_count_keys(const struct layout *l, const struct subject *of, char *const *args, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct shown *s = &l->cols[i];
		const char *fmt = s->col->fmt;
		struct piece p;

		if (s->is_value || s->missing || s->common <= COMMON_INTERVAL)
			continue;
		for (unsigned k = 0; k < (s->common == COMMON_NONE ? s->col->nargs : 1); k++, any = true) {
			fputs(any ? ", " : "[", out);
			fmt = next_piece(fmt, &p);
			if (s->common != COMMON_NONE)
				columns_put(s->common, of, out);
			else
				fprintf(out, is_integer(&p) || p.conv == 'x' ? "(int64_t)(%s)" : "(%s)",
					args[s->first + k]);
		}
	}
	fputs(any ? "]" : "", out);
}

bool tool_is_counted(const struct tool *t, const struct row *r)
{
	const struct row *counted = &t->rows[t->counted - 1];
	bool same = r->ncols == counted->ncols;

	for (size_t i = 0; same && r != counted && i < r->ncols; i++) {
		const struct column *c = &r->cols[i], *to = &counted->cols[i];

		same = !strcmp(c->json, to->json) &&
			(c->nargs == to->nargs || (!strcmp(to->fmt, "%s") && !is_numeric(c->fmt)));
	}
	return same;
}

/* A column of several values as one text, in D. Its conversions have no width. NULL: no memory. */
static char *joined(const struct column *c, char *const *args)
{
	char *text = NULL;
	size_t size = 0, open = 0;
	FILE *out = open_memstream(&text, &size);
	struct piece p;

	for (const char *s = c->fmt; out && *s;) {
		s = next_piece(s, &p);
		if (p.text[0])
			fprintf(out, p.conv ? "strjoin(\"%s\", " : "\"%s\"", p.text);
		open += p.text[0] && p.conv;
		if (!p.conv)
			break;
		fprintf(out, is_integer(&p) ? "%slltostr((int64_t)(%s))%s" : "%s(%s)%s", *s ? "strjoin(" : "", *args++,
			*s ? ", " : "");
		open += *s != 0;
	}
	while (out && open--)
		putc(')', out);
	if (out)
		fclose(out);
	return text;
}

/* The values of a row as those of the row that is counted: the i-th is made[i] where it is not one of args. */
static bool as_counted(const struct row *counted, const struct row *r, char *const *args, char **values, char **made)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; i < r->ncols; from += r->cols[i++].nargs) {
		if (r->cols[i].nargs != counted->cols[i].nargs) {
			made[n] = values[n] = joined(&r->cols[i], args + from);
			if (!values[n++])
				return false;
		} else
			for (unsigned k = 0; k < r->cols[i].nargs; k++)
				values[n++] = args[from + k];
	}
	return true;
}

/* Counts a row that has these values. */
static void put_count(struct tool *t, const struct layout *l, const struct subject *of, char *const *args, FILE *out)
{
	const struct row *r = &t->rows[t->nrows - 1];
	size_t arg = 0, sums = 0;

	fputs("@tool_count", out);
	put_count_keys(l, of, args, out);
	fputs(" = count()", out);
	for (size_t i = 0; strcmp(r->cols[i].json, "count") != 0; arg += r->cols[i++].nargs) {
		if (!columns_is_bytes(&r->cols[i]))
			continue;
		fprintf(out, "; @tool_sum%zu", ++sums);
		put_count_keys(l, of, args, out);
		fprintf(out, " = sum((int64_t)(%s))", args[arg]);
	}
}

bool tool_count_row(struct tool *t, const struct row *r, const struct layout *l, const struct subject *of,
	char *const *args, size_t nargs, FILE *out)
{
	const struct row *counted = &t->rows[t->counted - 1];
	const size_t n = conversions(counted);
	char **values, **made;
	bool ok;

	if (conversions(r) != nargs) {
		message(&t->own, "row(): %zu values for %zu conversions", nargs, conversions(r));
		return false;
	}
	values = calloc(n + 1, sizeof(*values));
	made = calloc(n + 1, sizeof(*made));
	ok = values && made && as_counted(counted, r, args, values, made);
	if (ok)
		put_count(t, l, of, values, out);
	for (size_t i = 0; made && i < n; i++)
		free(made[i]);
	free(made);
	free(values);
	return ok;
}

void tool_print_counts(struct tool *t, const struct layout *l, FILE *out)
{
	const struct row *r = &t->rows[t->nrows - 1];
	char names[MAX_COLUMNS][16], *args[MAX_COLUMNS] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < r->ncols; i++) {
		if (!strstr(r->cols[i].fmt, "%@"))
			continue;
		snprintf(names[n], sizeof(names[n]), n ? "@tool_sum%zu" : "@tool_count", n);
		args[n] = names[n];
		n++;
	}
	fputs("dtrace:::END\n{\n\t", out);
	tool_print_header(t, l, out);
	fputs(";\n\t", out);
	tool_print_rows(t, l, args, n, out);
	fputs(";\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "\ttrunc(%s);\n", args[i]);
	fputs("}\n", out);
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
void tool_print_header(struct tool *t, const struct layout *l, FILE *out)
{
	bool wide = tool_number(t, "wide") || tool_number(t, "tool_wide");
	char *text = NULL;
	size_t len = 0;
	FILE *f;

	if (t->out != TOOL_TEXT)
		return;
	f = open_memstream(&text, &len);
	if (!f) {
		t->no_memory = true;
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		const struct column *c = l->cols[i].col;

		fputs(i ? t->join : "", f);
		put_title(c, wide && c->wide[0] ? c->wide : c->fmt, f);
	}
	if (fclose(f) || !text)
		t->no_memory = true;
	else
		put_line(text, out);
	free(text);
}

void tool_print_names(const struct layout *l, FILE *out)
{
	fputs("printf(\"", out);
	for (size_t i = 0; i < l->n; i++) {
		fputs(i ? "," : "", out);
		for (const char *s = l->cols[i].col->json; *s; s++)
			fputc(*s == ':' ? ',' : *s, out);
	}
	fputs("\\n\")", out);
}
