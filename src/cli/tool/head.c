/* SPDX-License-Identifier: GPL-2.0-or-later */
/* head: see head.h.
 * Input: a script. Output: struct tool.
 * Invariant: a line that is no declaration is prose and ignored; a wrong declaration is refused. */
#include "cli/tool/head.h"

#include <ctype.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The groups of options that "common:" names, as lines of a head. */
static const struct {
	const char *name, *lines;
} groups[] = {
	{ "clock", "" },
	{ "walks", "" },
	{ "owner",
		"-p PID,...  tool_pid = words  only these processes, by number or name; !nginx: all others\n"
		"--user USER,...  tool_user = words  only the processes of these users\n"
		"--netns NAME,...  tool_netns = words  only these network namespaces\n"
		"--cgroup PATH,...  tool_cgroup = words  only these cgroups and those below them\n"
		"--container NAME,...  tool_container = words  only these containers, by name or id; !web: all others\n"
		"--pod NAME,...  tool_pod = words  only these pods: shop-0, prod/shop-0\n" },
	{ "ports",
		"-P PORT,...  tool_port = ports  only these ports, local or remote: 80,8000-8099; !22\n"
		"-L PORT,...  tool_lport = ports  only these local ports\n"
		"-D PORT,...  tool_rport = ports  only these remote ports\n" },
	{ "hosts",
		"--host NET,...  tool_host = words  only these hosts: 10.0.0.0/8, ::1, a name\n"
		"-4  tool_ip4 = 0  only IPv4\n"
		"-6  tool_ip6 = 0  only IPv6\n" },
	{ "rows", "-n ROWS  option.aggrows = 0  at most this many rows, those with the highest values\n" },
	{ "failed", "--failed  failed = 0  only those that failed\n" },
	{ "slow", "-m MS  slow = 0  only those that took at least this many milliseconds\n" },
	{ "interval",
		"interval  interval = 0  seconds between reports, as 1 or 0.5\n"
		"count  count = -1  number of reports\n" },
	{ "packets",
		"-w FILE  tool_write = raw  write the packets as pcapng; -: the standard output\n"
		"-s BYTES  tool_snap = 0  with -w: keep at most this many bytes of a packet\n"
		"-C MB  tool_mb = 0  with -w: another file after this many million bytes\n"
		"-G SECS  tool_every = 0  with -w: another file after this many seconds\n"
		"-W FILES  tool_files = 0  with -C: these many files in turn; with -G: end after them\n"
		"--lean  option.capturelean = 0  with -w: owners as interfaces, half the bytes\n"
		"expression  tool_match = \"\"  only such packets, as \"tcp port 80\": pcap-filter(7)\n" },
	{ "wide", "-w  wide = 0  wider columns, and more of them\n" },
	{ "by", "--by COL,...  tool_by = words  a row for each of these, as --by comm,raddr\n" },
	{ "count",
		"--by COL,...  tool_by = words  count the rows for each of these, as --by comm,raddr\n"
		"-n ROWS  option.aggrows = 0  with --by: at most this many, those with the highest counts\n" },
	{ "heat", "--heat FILE  picture.heat = raw  heat maps over time, SVG; -: lines on the standard output\n" },
	{ "flame", "--flame FILE  picture.flame = raw  a flame graph of the stacks, SVG\n" },
	{ "graph", "--graph FILE  picture.graph = raw  who with whom, for Graphviz; FILE.svg: drawn\n" },
	{ "live", "-b  tool_batch = 0  print, also on a terminal: no screen (dwire-live)\n" },
	{ "all",
		"-t  tool_secs = 0  a column of seconds since the start\n"
		"-T  tool_clock = 0  a column of the time of day\n"
		"-o COL,...  tool_columns = words  only these columns; -o help names them\n"
		"--wide  tool_wide = 0  all columns that are known, and wide ones\n"
		"-d SECS  tool_for = 0  end after this many seconds, as 10 or 0.5\n"
		"--command CMD  tool_command = raw  run this, show only its processes, end with its status\n"
		"--everyone  tool_everyone = 0  with --command: show the other processes, too\n"
		"--json  tool_json = 0  one JSON object per row\n"
		"--csv  tool_csv = 0  comma-separated values\n"
		"--csvsafe  option.csvsafe = 0  --csv for spreadsheets: no cell is a formula\n"
		"--emit  tool_emit = 0  a stream of frames, for dwire merge\n"
		"--cost  option.cost = 0  at the end: what the trace itself took\n"
		"--maxcpu SHARE  option.maxcpu = raw  end when the trace takes more of all CPUs, as 2%\n"
		"--sample  option.sample = 0  with --maxcpu: leave out events, and count them\n"
		"--program  tool_program = 0  show the D program instead of running it\n" },
};

/* The next word, or a quoted text without its quotes. */
static const char *word(const char *s, char *out, size_t size)
{
	size_t n = 0;

	while (*s == ' ' || *s == '\t')
		s++;
	if (*s == '"' && strchr(s + 1, '"')) {
		for (s++; *s != '"'; s++)
			if (n + 1 < size)
				out[n++] = *s;
		out[n] = '\0';
		return s + 1;
	}
	for (; *s && !isspace((unsigned char)*s); s++)
		if (n + 1 < size)
			out[n++] = *s;
	out[n] = '\0';
	return s;
}

/* The same, keeping the quotes: the default value of a text option. */
static const char *quoted(const char *s, char *out, size_t size)
{
	size_t n = strcspn(s + 1, "\"") + 2;

	snprintf(out, size, "%.*s", (int)n, s);
	return s + strlen(out);
}

struct param *tool_param(struct tool *t, const char *name)
{
	for (size_t i = 0; i < t->nparams; i++)
		if (!strcmp(t->params[i].name, name))
			return &t->params[i];
	return NULL;
}

long tool_number(struct tool *t, const char *name)
{
	const struct param *p = tool_param(t, name);

	return p ? strtol(p->value, NULL, 0) : 0;
}

bool tool_only_command(struct tool *t)
{
	const struct param *command = tool_param(t, "tool_command");

	return tool_param(t, "tool_pid") && command && command->given && !tool_number(t, "tool_everyone");
}

/* The locale has no say in what a point means. */
long tool_ms(struct tool *t, const char *name)
{
	const struct param *p = tool_param(t, name);
	const char *point = p ? strchr(p->value, '.') : NULL;
	long ms = tool_number(t, name) * 1000;

	for (long unit = 100; point && isdigit((unsigned char)*++point); unit /= 10)
		ms += (*point - '0') * unit;
	return ms;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */
/* "-p", "--netns" or "-p,--pid" */
static void parse_flag(struct param *p, const char *s)
{
	const char *dashes = strstr(s, "--");

	if (s[1] != '-')
		p->flag = s[1];
	if (dashes)
		snprintf(p->longer, sizeof(p->longer), "%.15s", dashes + 2);
}

/* A value that is a word names its kind; otherwise text in quotes is a string, an option with a value takes a
 * number, and one without is a flag. */
static enum param_kind kind_of(const struct param *p)
{
	static const struct {
		const char *value;
		enum param_kind kind;
	} named[] = { { "any", PARAM_LIST }, { "ports", PARAM_PORTS }, { "words", PARAM_WORDS }, { "raw", PARAM_RAW } };

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(p->value, named[i].value))
			return named[i].kind;
	if (!strcmp(p->name, "interval") || !strcmp(p->name, "tool_for"))
		return PARAM_SECONDS;
	if (p->value[0] == '"')
		return PARAM_STRING;
	return p->word[0] ? PARAM_NUMBER : PARAM_FLAG;
}

/* "-p PID  pid = -1  text", "-P PORT,...  = -D  text" or "count  count = 1  text". */
static bool parse_param(const char *line, struct param *p)
{
	char first[32], next[32];
	const char *s = word(line, first, sizeof(first));

	memset(p, 0, sizeof(*p));
	if (!strchr(line, '=') || (first[0] != '-' && !islower((unsigned char)first[0])))
		return false;
	s = word(s, next, sizeof(next));
	if (first[0] == '-')
		parse_flag(p, first);
	else
		snprintf(p->word, sizeof(p->word), "%.15s", first);
	if (first[0] == '-' && isupper((unsigned char)next[0])) {
		snprintf(p->word, sizeof(p->word), "%.15s", next);
		s = word(s, next, sizeof(next));
	}
	if (strcmp(next, "=") != 0) {
		snprintf(p->name, sizeof(p->name), "%.23s", next);
		s = word(s, next, sizeof(next));
	}
	if (strcmp(next, "=") != 0)
		return false;
	s += strspn(s, " \t");
	s = *s == '"' ? quoted(s, p->value, sizeof(p->value)) : word(s, p->value, sizeof(p->value));
	if (!p->name[0])
		p->same_as = p->value[1];
	p->kind = kind_of(p);
	while (*s == ' ' || *s == '\t')
		s++;
	snprintf(p->help, sizeof(p->help), "%.95s", s);
	return p->value[0] != '\0';
}

static bool same_param(const struct param *a, const struct param *b)
{
	return (a->flag && a->flag == b->flag) || (a->longer[0] && !strcmp(a->longer, b->longer)) ||
		(a->name[0] && !strcmp(a->name, b->name));
}

/* The tool's own lines come first, so an option that it declares itself overrides that of a group. */
static bool add_param(struct tool *t, const struct param *p)
{
	for (size_t i = 0; i < t->nparams; i++)
		if (same_param(&t->params[i], p))
			return true;
	if (t->nparams == MAX_PARAMS)
		return false;
	t->params[t->nparams++] = *p;
	return true;
}

/* "interval=1" gives the group's first option that value, "failed=-x" gives it that letter. */
static bool add_group(struct tool *t, const char *name)
{
	size_t n = strcspn(name, "="), first = t->nparams;
	char line[160];

	if (!strncmp(name, "sockets", n) && n == 7)
		return add_group(t, "owner") && add_group(t, "ports") && add_group(t, "hosts");
	t->clock_first |= !strcmp(name, "clock");
	t->walks |= !strcmp(name, "walks");
	t->interval |= n == 8 && !strncmp(name, "interval", n);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (strlen(groups[i].name) != n || strncmp(groups[i].name, name, n) != 0)
			continue;
		for (const char *s = groups[i].lines; *s; s += strcspn(s, "\n") + 1) {
			struct param p;

			snprintf(line, sizeof(line), "%.*s", (int)strcspn(s, "\n"), s);
			if (!parse_param(line, &p) || !add_param(t, &p))
				return false;
		}
		if (name[n] == '=' && name[n + 1] == '-' && first < t->nparams)
			t->params[first].flag = name[n + 2];
		else if (name[n] == '=' && first < t->nparams)
			snprintf(t->params[first].value, sizeof(t->params[first].value), "%.31s", name + n + 1);
		return true;
	}
	message(&t->own, "no group of options %s", name);
	return false;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */
/* How many values the format takes. */
static unsigned conversions(const char *fmt)
{
	unsigned n = 0;

	for (const char *s = fmt; *s; s++)
		if (*s == '%')
			s[1] == '%' ? (void)s++ : (void)n++;
	return n;
}

/* "LAT(us)" is "lat_us" */
static void json_name(char *out, size_t size, const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < size; name++)
		if (isalnum((unsigned char)*name) || *name == ':')
			out[n++] = (char)tolower((unsigned char)*name);
		else if (n && out[n - 1] != '_' && name[1] && *name != '-')
			out[n++] = '_';
	while (n && out[n - 1] == '_')
		n--;
	out[n] = '\0';
}

/* NAME, NAME=json, NAME[flag], NAME[!flag] */
static void parse_column_name(struct column *c, char *s)
{
	char *cond = strchr(s, '['), *eq = NULL;

	if (cond) {
		*cond++ = '\0';
		eq = strstr(cond, "]=");
		cond[strcspn(cond, "]")] = '\0';
		c->negate = *cond == '!';
		snprintf(c->when, sizeof(c->when), "%.23s", cond + c->negate);
	}
	if (eq)
		eq += 2;
	else if ((eq = strchr(s, '=')))
		*eq++ = '\0';
	snprintf(c->name, sizeof(c->name), "%.23s", s);
	if (eq)
		snprintf(c->json, sizeof(c->json), "%.31s", eq);
	else
		json_name(c->json, sizeof(c->json), s);
}

/* "row LABEL: NAME "FMT|WIDE" NAME ...". A second line with the label adds columns to the row. FMT "-" prints
 * nothing. */
static bool parse_row(struct tool *t, const char *s)
{
	size_t n = strcspn(s, ":");
	char label[16], name[64], fmt[72];
	struct row *r = NULL;

	snprintf(label, sizeof(label), "%.*s", (int)(n > 4 ? n - 4 : 0), n > 4 ? s + 4 : "");
	for (size_t i = 0; i < t->nrows; i++)
		if (!strcmp(t->rows[i].label, label))
			r = &t->rows[i];
	if (!r && t->nrows == MAX_ROWS)
		return false;
	if (!r) {
		r = &t->rows[t->nrows++];
		snprintf(r->label, sizeof(r->label), "%s", label);
	}
	for (s += n + 1;;) {
		struct column *c = &r->cols[r->ncols];
		char *bar;

		s = word(s, name, sizeof(name));
		s = word(s, fmt, sizeof(fmt));
		if (!name[0])
			return true;
		if (!fmt[0] || r->ncols == MAX_COLUMNS)
			return false;
		r->ncols++;
		parse_column_name(c, name);
		bar = strchr(fmt, '|');
		if (bar)
			*bar++ = '\0';
		snprintf(c->fmt, sizeof(c->fmt), "%.63s", strcmp(fmt, "-") ? fmt : "");
		snprintf(c->wide, sizeof(c->wide), "%.31s", bar ? bar : "");
		c->nargs = conversions(c->fmt);
	}
}

/* "column NAME: text": what the columns of that name, which are declared above it, mean in this tool. */
static bool parse_meaning(struct tool *t, const char *s)
{
	size_t n = strcspn(s, ":");
	bool found = false;

	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->rows[i].ncols; k++) {
			struct column *c = &t->rows[i].cols[k];

			if (strlen(c->name) != n || strncmp(c->name, s, n) != 0)
				continue;
			snprintf(c->help, sizeof(c->help), "%.79s", s + n + 1 + strspn(s + n + 1, " "));
			found = true;
		}
	return found;
}

/* Only a tool with columns for it has -w. */
static bool has_wide(const struct tool *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->rows[i].ncols; k++)
			if (t->rows[i].cols[k].wide[0] || !strcmp(t->rows[i].cols[k].when, "wide"))
				return true;
	return false;
}

/* Rows of aggregations can be grouped otherwise. */
static bool has_values(const struct tool *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->rows[i].ncols; k++)
			if (strstr(t->rows[i].cols[k].fmt, "%@"))
				return true;
	return false;
}

/* Does the tool's D call a function? */
static bool calls(const struct tool *t, const char *function)
{
	return strstr(t->file->text, function) || (t->script && strstr(t->script->text, function));
}

/* Options for the pictures that a tool's aggregations can be. */
static bool add_pictures(struct tool *t)
{
	return !has_values(t) ||
		((!calls(t, "quantize(") || add_group(t, "heat")) && (!calls(t, "stack()") || add_group(t, "flame")) &&
			add_group(t, "graph"));
}

/* ---- the comment ------------------------------------------------------------------------------------------------- */
/* "script: NAME": the D of tool NAME is appended to this one's, which is a variant of it. */
static bool parse_script(struct tool *t, const char *s)
{
	char name[32];
	int n;

	word(s, name, sizeof(name));
	n = tool_find(name);
	t->script = n < 0 ? NULL : &tool_files[n];
	return n >= 0;
}

/* One line of the head, without its comment marks. Groups of options (common:) are collected and added last, so that
 * the tool's own options come first in -h. False: a declaration is wrong. */
static bool parse_line(struct tool *t, const char *line, char *common, size_t size)
{
	struct param p;
	size_t n = strlen(common);

	if (!strncmp(line, "common:", 7)) {
		snprintf(common + n, size - n, " %s", line + 7);
		return true;
	}
	if (!strncmp(line, "join:", 5)) {
		word(line + 5, t->join, sizeof(t->join));
		return true;
	}
	if (!strncmp(line, "module:", 7)) {
		word(line + 7, t->module, sizeof(t->module));
		return true;
	}
	if (!strncmp(line, "filters:", 8)) {
		word(line + 8, t->filters, sizeof(t->filters));
		return true;
	}
	if (!strncmp(line, "script:", 7))
		return parse_script(t, line + 7);
	if (!strncmp(line, "row:", 4) || (!strncmp(line, "row ", 4) && strchr(line, ':')))
		return parse_row(t, line);
	if (!strncmp(line, "column ", 7) && strchr(line, ':'))
		return parse_meaning(t, line + 7);
	return !parse_param(line, &p) || add_param(t, &p);
}

static bool add_common(struct tool *t, const char *common)
{
	char name[32];

	for (const char *s = word(common, name, sizeof(name)); name[0]; s = word(s, name, sizeof(name)))
		if (!add_group(t, name))
			return false;
	return (!has_wide(t) || add_group(t, "wide")) && (!t->nrows || add_group(t, has_values(t) ? "by" : "count")) &&
		add_pictures(t) && add_group(t, "all");
}

/* May this process enter other network namespaces? If not, a walk shows only the sockets of its own namespace. */
static bool may_enter_namespaces(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { { .effective = 0 } };

	return syscall(SYS_capget, &head, caps) == 0 && (caps[0].effective >> CAP_SYS_ADMIN & 1);
}

bool tool_parse_head(struct tool *t)
{
	const char *s = strstr(t->file->text, "/*"), *end = s ? strstr(s, "*/") : NULL;
	char common[128] = "";
	bool first = true;

	snprintf(t->join, sizeof(t->join), " ");
	while (s && end && s < end) {
		char line[256];
		size_t n = strcspn(s, "\n"), skip;

		if (s + n > end)
			n = (size_t)(end - s);
		snprintf(line, sizeof(line), "%.*s", (int)(n < 255 ? n : 255), s);
		skip = strspn(line, "/ \t*");
		if (first)
			snprintf(t->title, sizeof(t->title), "%.127s", line + skip);
		else if (!parse_line(t, line + skip, common, sizeof(common))) {
			message(&t->own, "its interface is wrong: %s", line);
			return false;
		}
		first = false;
		s += n + 1;
	}
	if (!add_common(t, common))
		return false;
	if (t->walks && strstr(t->file->text, "tool:::interval")) {
		t->walks = false;
		t->between = may_enter_namespaces();
	}
	return true;
}

/* "row: ", "row first: ", "common: ": a line of an interface. */
static bool is_interface(const char *line)
{
	static const char *const words[] = { "row", "common", NULL };
	char name[32];

	if (sscanf(line, "script: %31[a-z0-9_-]", name) == 1)
		return tool_find(name) >= 0;
	for (const char *const *w = words; *w; w++) {
		size_t n = strlen(*w);

		if (strncmp(line, *w, n) != 0)
			continue;
		line += n;
		if (*line == ' ')
			line += 1 + strspn(line + 1, "abcdefghijklmnopqrstuvwxyz");
		return *line == ':';
	}
	return false;
}

bool tool_is_source(const char *text)
{
	const char *s = text, *end;

	if (!strncmp(s, "#!", 2))
		s += strcspn(s, "\n");
	s += strspn(s, " \t\n");
	if (!strncmp(s, "// SPDX-", 8)) /* the licence stands before the head */
		s += strcspn(s, "\n");
	s += strspn(s, " \t\n");
	end = strstr(s, "*/");
	if (strncmp(s, "/*", 2) != 0 || !end)
		return false;
	while (s && s < end) {
		s += strspn(s, "/* \t\n");
		if (is_interface(s))
			return true;
		s = strchr(s, '\n');
	}
	return false;
}
