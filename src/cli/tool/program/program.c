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
#include "cli/tool/program/program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool/list.h"
#include "cli/tool/program/carrier.h"
#include "cli/tool/program/filter.h"
#include "cli/tool/program/fit.h"
#include "cli/tool/program/row.h"
#include "cli/tool/program/source.h"

#define MAX_EARLIER 16

/* The script is read twice: first to learn which columns its clauses know and which aggregations its rows show, then to
 * write the program. */
struct maker {
	struct tool *t;
	bool learning;
	unsigned known[MAX_ROWS];
	struct layout layouts[MAX_ROWS];
	struct carried carried; /* its aggregations are learned for all outputs */
	/* What earlier clauses have given wanted(): a later one at the same probes knows it too. */
	struct {
		char probes[192];
		struct call wanted;
	} earlier[MAX_EARLIER];
	size_t nearlier;
	/* of the clause that is being read */
	int depth;         /* of braces */
	char provider[16]; /* of its first probe; "": not seen yet */
	char probe[24];
	bool mixed;         /* others are of other providers: args[] but args[1] differ */
	char probes[192];   /* all of them */
	struct call wanted; /* its first wanted(); text NULL: none yet */
	bool interval;      /* it is one of tool:::interval */
	bool marked;        /* the line that marks the interval is written */
};

static void clause_end(struct maker *m)
{
	if (m->wanted.text && m->nearlier < MAX_EARLIER) {
		snprintf(m->earlier[m->nearlier].probes, sizeof(m->probes), "%s", m->probes);
		m->earlier[m->nearlier++].wanted = m->wanted;
	} else {
		free(m->wanted.text);
	}
	memset(&m->wanted, 0, sizeof(m->wanted));
	m->provider[0] = m->probe[0] = m->probes[0] = '\0';
	m->interval = m->marked = m->mixed = false;
}

/* ---- subjects ---------------------------------------------------------------------------------------------------- */
#define SO_PORT(end) "(args[0]->so_ip ? (int64_t)args[0]->so_" end "port : (int64_t)-1)"

/* Providers whose args[1] is a csinfo_t *; with packet, args[0] is a pktinfo_t * (src/prov/net). The addresses are for
 * clauses whose wanted() has none. */
static const struct {
	const char *name;
	bool packet;
	struct subject ends;
} providers[] = { { "tcp", true,
			  { .lport = "args[3]->tcps_lport",
				  .rport = "args[3]->tcps_rport",
				  .laddr = "args[3]->tcps_laddr",
				  .raddr = "args[3]->tcps_raddr" } },
	{ "sock", false,
		{ .lport = SO_PORT("l"),
			.rport = SO_PORT("r"),
			.laddr = "args[0]->so_laddr",
			.raddr = "args[0]->so_raddr" } },
	{ "udp", true, { 0 } }, { "udplite", true, { 0 } }, { "ip", true, { 0 } }, { "icmp", true, { 0 } },
	{ "sctp", true, { 0 } }, { "dns", true, { 0 } }, { "net", true, { 0 } }, { "qdisc", true, { 0 } },
	{ "skb", true, { 0 } }, { "neigh", true, { 0 } }, { "sockets", false, { 0 } }, { "wifi", false, { 0 } } };

/* The bytes of data that a probe is about; NULL: it is about none. */
static const char *bytes_of(const struct maker *m, bool packet)
{
	const bool data = !strcmp(m->probe, "send") || !strcmp(m->probe, "receive") || !strcmp(m->probe, "drop");

	if (!strcmp(m->provider, "sock"))
		return data ? "args[2]->sr_bytes" : NULL;
	if (!strcmp(m->provider, "tcp") && !strcmp(m->probe, "resend"))
		return "args[5]->re_bytes";
	if (!strcmp(m->provider, "tcp"))
		return data ? "args[2]->ip_plength - args[4]->tcp_offset" : NULL;
	if (!strcmp(m->provider, "udp") || !strcmp(m->provider, "udplite"))
		return data ? "args[2]->ip_plength - 8" : NULL;
	return packet ? "args[0]->pkt_len" : NULL;
}

/* A port or address that wanted() was given; "0" stands for none. */
static const char *end_of(const struct call *c, size_t at)
{
	return c->nargs > at && strcmp(c->args[at], "0") != 0 ? c->args[at] : NULL;
}

/* The wanted() of the clause, or of one before it at the same probes. */
static const struct call *wanted_of(const struct maker *m)
{
	for (size_t i = 0; i < m->nearlier && !m->wanted.text; i++)
		if (!strcmp(m->earlier[i].probes, m->probes))
			return &m->earlier[i].wanted;
	return &m->wanted;
}

/* What the clause's probes and its wanted() know. */
static struct subject subject_of(const struct maker *m)
{
	const struct call *c = wanted_of(m);
	struct subject s = { .cs = c->nargs ? c->args[0] : NULL,
		.lport = end_of(c, 1),
		.rport = end_of(c, 2),
		.laddr = end_of(c, 3),
		.raddr = end_of(c, 4) };

	for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
		if (strcmp(providers[i].name, m->provider) != 0)
			continue;
		if (!s.laddr && !s.raddr && !s.lport && !s.rport && !m->mixed) {
			const char *cs = s.cs;

			s = providers[i].ends;
			s.cs = cs;
		}
		s.cs = s.cs ? s.cs : "args[1]";
		s.device = providers[i].packet && !m->mixed ? "args[0]->pkt_ifname" : NULL;
		s.bytes = m->mixed ? NULL : bytes_of(m, providers[i].packet);
	}
	return s;
}

/* Learns what the clause knows for a row. */
static void learn(struct maker *m, size_t row)
{
	const struct subject s = subject_of(m);

	m->known[row] |= columns_known(&s);
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

/* Are rows and what the tool says text? */
static bool is_text(const struct tool *t)
{
	return t->out == TOOL_TEXT && !t->capture && !t->counted;
}

/* The number of an aggregation that rows show, by its name with @; naggs: it is none of them. */
static size_t find_agg(const struct maker *m, const char *name, size_t n)
{
	const struct carried *c = &m->carried;
	size_t at = 0;

	while (at < c->naggs && (strlen(c->aggs[at].name) != n - 1 || strncmp(c->aggs[at].name, name + 1, n - 1) != 0))
		at++;
	return at;
}

/* rows(@a, @b) shows these aggregations as that row. */
static void learn_aggs(struct maker *m, const struct call *c, size_t row)
{
	for (size_t i = 0; i < c->nargs && m->carried.naggs < CARRIED_AGGS; i++) {
		struct carried_agg *a = &m->carried.aggs[m->carried.naggs];

		if (*c->args[i] != '@' || find_agg(m, c->args[i], strlen(c->args[i])) < m->carried.naggs)
			continue;
		snprintf(a->name, sizeof(a->name), "%.31s", c->args[i] + 1);
		a->row = row;
		m->carried.naggs++;
	}
}

/* A line with the time and the number of the interval, above the first rows of an interval. A tool whose summary has
 * the time does without. */
static void put_mark(struct maker *m, FILE *out)
{
	const struct param *summary = tool_param(m->t, "nosummary");

	if (m->marked || !m->interval || !is_text(m->t) || !tool_ms(m->t, "interval") ||
		(summary && !tool_number(m->t, "nosummary")))
		return;
	m->marked = true;
	fprintf(out, "printf(\"%s", m->t->carried ? "\\036say:" : "");
	fputs("%s%#T  interval %d\\n\", tool_reports ? \"\\n\" : \"\", walltimestamp, tool_reports + 1); ", out);
}

enum row_word { WORD_ROW, WORD_ROWS, WORD_HEADER };

static bool expand_row(
	struct maker *m, const char *label, size_t len, const struct call *c, enum row_word word, FILE *out)
{
	struct tool *t = m->t;
	const struct row *r = tool_row(t, label, len);
	const struct subject of = subject_of(m);
	size_t at = r ? (size_t)(r - t->rows) : 0;

	if (!r) {
		message(&t->own, "no row %.*s", (int)len, label);
		return false;
	}
	if (t->capture) {
		fputs(word == WORD_ROW ? "pcap(args[0])" : "", out);
		return true;
	}
	if (t->counted) {
		if (word != WORD_ROW || !tool_is_counted(t, r))
			return true;
		if (m->learning)
			learn(m, t->nrows - 1);
		return tool_count_row(t, r, &m->layouts[t->nrows - 1], &of, c->args, c->nargs, out);
	}
	if (m->learning && word == WORD_ROWS)
		learn_aggs(m, c, at);
	if (m->learning && word == WORD_ROW)
		learn(m, at);
	if (t->carried && word == WORD_ROW)
		return carrier_put_row(t, &m->carried, at, &of, c->args, c->nargs, out);
	if (word == WORD_ROW)
		return tool_print_row(t, r, &m->layouts[at], &of, c->args, c->nargs, out);
	put_mark(m, out);
	if (t->carried && word == WORD_ROWS)
		carrier_put_rows(t, &m->carried, at, c->args, c->nargs, out);
	else if (t->carried)
		fprintf(out, "printf(\"\\036header:%zu:\")", at);
	else if (word == WORD_ROWS)
		tool_print_rows(t, &m->layouts[at], c->args, c->nargs, out);
	else
		tool_print_header(t, &m->layouts[at], out);
	return true;
}

static bool expand_call(struct maker *m, const char *word, size_t n, struct call *c, FILE *out)
{
	struct tool *t = m->t;
	const char *label;
	size_t len;
	bool shown, ok;

	if ((label = label_of(word, n, "wanted", &len))) {
		ok = len && !strncmp(label, "netns", len) ? tool_filter_netns(t, c->args, c->nargs, out)
							  : tool_filter(t, c->args, c->nargs, len > 0, out);
		if (!m->wanted.text) { /* its expressions are those of the clause's rows */
			m->wanted = *c;
			c->text = NULL;
		}
		return ok;
	}
	if ((label = label_of(word, n, "rows", &len)))
		return expand_row(m, label, len, c, WORD_ROWS, out);
	if ((label = label_of(word, n, "row", &len)))
		return expand_row(m, label, len, c, WORD_ROW, out);
	if ((label = label_of(word, n, "header", &len)))
		return expand_row(m, label, len, c, WORD_HEADER, out);
	/* say, note */
	shown = *word == 'n' ? t->capture != NULL : is_text(t);
	for (size_t i = 0; i < c->nargs && shown; i++) {
		const bool marked = !i && t->carried && *c->args[i] == '"';

		fprintf(out, "%s%s", i ? ", " : marked ? "printf(\"\\036say:" : "printf(", c->args[i] + marked);
	}
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

static bool expand(struct maker *m, const char *s, FILE *out);

/* The tick of so many milliseconds. */
static void put_tick(long ms, FILE *out)
{
	if (ms % 1000)
		fprintf(out, "profile:::tick-%ldms", ms);
	else
		fprintf(out, "profile:::tick-%lds", ms / 1000);
}

/* The probe that ends an interval of so many milliseconds. */
static void put_interval(const struct tool *t, long ms, FILE *out)
{
	if (t->between)
		fputs("sockets:::done", out);
	else
		put_tick(ms, out);
}

/* The number of reports that the user asked for; 0: no limit. */
static long last_report(struct tool *t)
{
	long every = tool_ms(t, "interval"), count = tool_number(t, "count"), all = tool_ms(t, "tool_for");
	long within = every > 0 && all % every == 0 ? all / every : 0;

	if (!t->interval || t->walks || every <= 0)
		return 0;
	return count <= 0 || (within && within < count) ? within : count;
}

/* Writes the predicate of an interval clause: after the last report nothing is left to report at the end. The first
 * walk reports nothing: later ones are compared with it. Returns the position after it. */
static const char *expand_condition(struct maker *m, const char *s, FILE *out)
{
	const char *from = s + strspn(s, " \t\n"), *end = from;
	char *own;

	fprintf(out, "\n/ %s", m->t->between ? "tool_reports >= 0" : "");
	if (last_report(m->t))
		fprintf(out, "%stool_reports < %ld", m->t->between ? " && " : "", last_report(m->t));
	if (*from == '/') {
		for (const char *p = from + 1; *p && *p != '{'; p = source_skip(p) > p ? source_skip(p) : p + 1)
			if (*p == '/' && source_skip(p) == p)
				end = p;
		own = strndup(from + 1, (size_t)(end - from) - (end > from));
		m->t->no_memory = m->t->no_memory || !own;
		fputs(" && (", out);
		if (!own || !expand(m, own, out))
			s = NULL;
		fputs(")", out);
		free(own);
		s = s && end > from ? end + 1 : NULL;
	}
	fputs(" /", out);
	return s;
}

/* "tool:::interval" and "tool:::tick". False: it is neither; else *next is what is behind it, NULL after an error. */
static bool expand_probe(struct maker *m, const char *s, const char **next, FILE *out)
{
	long every = tool_ms(m->t, "interval");
	bool tick = !strncmp(s, "tool:::tick", 11);

	if (!tick && strncmp(s, "tool:::interval", 15) != 0)
		return false;
	*next = s + (tick ? 11 : 15);
	m->interval = !tick;
	if (every && tick)
		put_tick(every, out);
	else if (every)
		put_interval(m->t, every, out);
	if (!tick)
		fprintf(out, "%sdtrace:::END", every ? ", " : "");
	if (!tick && (last_report(m->t) || m->t->between))
		*next = expand_condition(m, *next, out);
	return true;
}

/* Notes the clause's first probe: the word at s is its provider. */
static void note_probe(struct maker *m, const char *s, size_t n)
{
	const char *probe = s + n + 3;
	size_t len, k = strlen(m->probes);

	if (m->depth || strncmp(s + n, ":::", 3) != 0)
		return;
	len = strspn(probe, "abcdefghijklmnopqrstuvwxyz-");
	snprintf(m->probes + k, sizeof(m->probes) - k, "%.*s ", (int)(n + 3 + len), s);
	m->mixed |= m->provider[0] && (strlen(m->provider) != n || strncmp(m->provider, s, n) != 0);
	if (m->provider[0])
		return;
	snprintf(m->provider, sizeof(m->provider), "%.*s", (int)n, s);
	snprintf(m->probe, sizeof(m->probe), "%.*s", (int)len, probe);
}

/* One word of the script, or its expansion. */
static const char *expand_word(struct maker *m, const char *s, FILE *out)
{
	size_t n = 0;
	const char *next;
	struct call c;

	if (expand_probe(m, s, &next, out))
		return next;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	note_probe(m, s, n);
	if (s[n] != '(' || !is_word(s, n)) {
		fwrite(s, 1, n, out);
		return s + n;
	}
	next = source_args(s + n + 1, ')', &c);
	m->t->no_memory = m->t->no_memory || c.no_memory;
	if (next && !expand_call(m, s, n, &c, out))
		next = NULL;
	free(c.text);
	return next;
}

/* "@x[KEYS] =", "@x =": a row that does not show its own keys alone has others. */
static const char *expand_agg(struct maker *m, const char *s, FILE *out)
{
	size_t n = 1, at;
	const char *next, *set;
	struct call c = { .text = NULL };

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	next = s + n;
	at = find_agg(m, s, n);
	if (*next == '[')
		next = source_args(next + 1, ']', &c);
	m->t->no_memory = m->t->no_memory || c.no_memory;
	set = next ? next + strspn(next, " \t\n") : "";
	fwrite(s, 1, n, out);
	if (at < m->carried.naggs && *set == '=' && set[1] != '=') {
		struct carried_agg *a = &m->carried.aggs[at];
		const struct subject of = subject_of(m);

		if (m->learning)
			learn(m, a->row);
		a->nkeys = c.nargs;
		if (m->t->carried || m->layouts[a->row].chosen) {
			if (m->t->carried)
				carrier_put_keys(&m->carried, a->row, &of, c.args, c.nargs, out);
			else
				tool_print_keys(&m->layouts[a->row], &of, c.args, c.nargs, out);
			free(c.text);
			return next;
		}
	}
	free(c.text);
	return s + n;
}

static bool expand(struct maker *m, const char *s, FILE *out)
{
	while (s && *s) {
		const char *p = source_skip(s);

		if (p > s) {
			fwrite(s, 1, (size_t)(p - s), out);
			s = p;
		} else if (isalpha((unsigned char)*s) || *s == '_') {
			s = expand_word(m, s, out);
		} else if (isdigit((unsigned char)*s)) { /* "0x1f" is no word */
			for (; isalnum((unsigned char)*s); s++)
				fputc(*s, out);
		} else if (*s == '@') {
			s = expand_agg(m, s, out);
		} else {
			m->depth += *s == '{' ? 1 : *s == '}' ? -1 : 0;
			if (*s == '}' && !m->depth)
				clause_end(m);
			fputc(*s++, out);
		}
	}
	return s != NULL;
}

/* The whole script, with that of another tool behind it. */
static bool expand_all(struct maker *m, FILE *out)
{
	bool ok = expand(m, m->t->file->text, out);

	fputc('\n', out);
	ok = ok && (!m->t->script || expand(m, m->t->script->text, out));
	clause_end(m);
	m->depth = 0;
	while (m->nearlier)
		free(m->earlier[--m->nearlier].wanted.text);
	return ok;
}

/* What clauses know is spread over the script: a report comes before or after the clauses that fill it, so the
 * aggregations are learned in one turn and their clauses in the next. */
static bool learn_all(struct maker *m)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	bool ok = f != NULL;

	m->learning = true;
	ok = ok && expand_all(m, f) && expand_all(m, f) && (m->t->capture || columns_check(m->t, m->known, true));
	m->learning = false;
	if (!f || fclose(f) || !text)
		m->t->no_memory = true;
	free(text);
	for (size_t i = 0; ok && i < m->t->nrows; i++) {
		columns_layout(m->t, &m->t->rows[i], m->known[i], &m->layouts[i]);
		m->carried.rows[i] = columns_carried(m->t, &m->t->rows[i], m->known[i]);
	}
	fit_rows(m->t, m->layouts);
	return ok;
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
	bool rows = !strcmp(p->name, "option.aggrows") && t->out != TOOL_TEXT; /* only a screen is full */

	if (!strncmp(p->name, "option.", 7)) {
		/* Ports and texts have no default: the option is not set. */
		if ((p->kind != PARAM_PORTS && p->kind != PARAM_RAW && !rows) || p->given)
			fprintf(out, "#pragma D option %s=%s\n", p->name + 7, p->value);
		return;
	}
	switch (p->kind) {
	case PARAM_FLAG:
	case PARAM_NUMBER:
		fprintf(out, "inline int %s = %s;\n", p->name, p->value);
		break;
	case PARAM_SECONDS:
		fprintf(out, "inline int %s = %ld;\ninline string %s_text = \"%s\";\n", p->name,
			(tool_ms(t, p->name) + 999) / 1000, p->name, p->value);
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

static bool shows_secs(const struct maker *m)
{
	for (size_t i = 0; i < m->t->nrows; i++)
		for (size_t k = 0; k < m->layouts[i].n; k++)
			if (m->layouts[i].cols[k].common == COMMON_SECS)
				return true;
	return false;
}

/* --command: the processes that the command has started, by number; those of others may have the number of one that has
 * ended. A process that ends stays in the list: its sockets may live on. */
static const char only_command[] = "int tool_mine[pid_t];\n"
				   "proc:::create\n{\n"
				   "\ttool_mine[args[0]->pr_pid] = pid == $target || tool_mine[pid];\n}\n";

/* Does a person wait for the first row, who reads "Tracing..." above the titles? Not if rows are for a program, or come
 * at once, or the tool's own first line says it. */
static bool announces(struct tool *t)
{
	static const char *const others[] = { "tool_batch", "quiet", "tool_emit", "tool_program" };
	const char *const texts[] = { t->file->text, t->script ? t->script->text : "" };

	if (t->out != TOOL_TEXT || t->walks || t->carried || t->capture || !isatty(STDOUT_FILENO) ||
		!isatty(STDERR_FILENO))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (tool_number(t, others[i]))
			return false;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!t->counted && (strstr(texts[i], "(\"Tracing ") || strstr(texts[i], "(\"Watching ")))
			return false;
	return true;
}

static bool put_head(struct maker *m, FILE *out)
{
	struct tool *t = m->t;
	const struct param *netns = tool_param(t, "tool_netns");
	static const char *const rows[] = { "text", "json", "csv" };

	fputs("#pragma D option quiet\n", out);
	if (!t->capture)
		fprintf(out, "#pragma D option rows=%s\n", rows[tool_number(t, "dot") ? TOOL_JSON : t->out]);
	for (size_t i = 0; i < t->nparams; i++)
		if (!t->params[i].same_as)
			put_param(t, &t->params[i], out);
	if (netns && netns->given && strstr(t->file->text, "netcounter")) {
		fputs("#pragma D option netns=", out);
		if (!tool_netns_numbers(t, out))
			return false;
		fputc('\n', out);
	}
	fprintf(out, "inline int tool_text = %d;\ninline int tool_capture = %d;\n", is_text(t), t->capture != NULL);
	fprintf(out, "inline int tool_walks = %d;\n", t->walks || t->between);
	if ((t->walks || t->between) && tool_ms(t, "interval"))
		fprintf(out, "#pragma D option walkrate=%ldms\n", tool_ms(t, "interval"));
	if (t->walks || (t->interval && tool_ms(t, "interval")))
		fputs("int tool_reports;\n", out);
	if (t->between)
		fputs("#pragma D option walkend\ndtrace:::BEGIN\n{\n\ttool_reports = -1;\n}\n", out);
	if (tool_only_command(t))
		fputs(only_command, out);
	if (t->carried || shows_secs(m))
		fputs("int64_t tool_began;\ndtrace:::BEGIN\n{\n\ttool_began = timestamp;\n}\n", out);
	if (t->carried) {
		m->carried.rows_given = tool_param(t, "option.aggrows") && tool_param(t, "option.aggrows")->given;
		carrier_put_line(t, &m->carried, out);
		fputs("dtrace:::BEGIN\n{\n\tprintf(\"\\036names:\");\n}\n", out);
	}
	if (announces(t))
		fputs("dtrace:::BEGIN\n{\n\tprintf(\"Tracing... Hit Ctrl-C to end.\\n\");\n}\n", out);
	if (t->counted)
		fputs("#pragma D option aggsortrev\n", out);
	if (t->out == TOOL_CSV && t->nrows && !t->capture) {
		fputs("dtrace:::BEGIN\n{\n\t", out);
		tool_print_names(&m->layouts[tool_named_row(t) - t->rows], out);
		fputs(";\n}\n", out);
	}
	return true;
}

/* What ends the trace, behind all of the script's clauses. */
static void put_end(struct tool *t, FILE *out)
{
	long all = tool_ms(t, "tool_for"), every = t->interval && !t->walks ? tool_ms(t, "interval") : 0;

	if (t->walks)
		fprintf(out,
			"sockets:::done\n{\n\ttool_reports++;\n}\nsockets:::done\n"
			"/interval == 0 || tool_reports == count/\n{\n\texit(0);\n}\n");
	if (every) {
		put_interval(t, every, out);
		fputs("\n{\n\ttool_reports++;\n}\n", out);
	}
	if (last_report(t)) {
		put_interval(t, every, out);
		fprintf(out, "\n/tool_reports >= %ld/\n{\n\texit(0);\n}\n", last_report(t));
	}
	if (all) {
		put_tick(all, out);
		fputs("\n{\n\texit(0);\n}\n", out);
	}
}

bool tool_program(struct tool *t, FILE *out)
{
	struct maker *m = calloc(1, sizeof(*m));
	bool ok;

	if (!m) {
		t->no_memory = true;
		return false;
	}
	m->t = t;
	ok = learn_all(m) && put_head(m, out) && expand_all(m, out);
	if (ok)
		put_end(t, out);
	if (ok && t->counted)
		tool_print_counts(t, &m->layouts[t->nrows - 1], out);
	clause_end(m);
	free(m);
	return ok;
}

unsigned tool_program_columns(struct tool *t)
{
	struct maker *m = calloc(1, sizeof(*m));
	unsigned known = 0;

	if (!m) {
		t->no_memory = true;
		return 0;
	}
	m->t = t;
	(void)learn_all(m);
	for (size_t i = 0; i < t->nrows; i++)
		known |= m->known[i];
	free(m);
	return known;
}
