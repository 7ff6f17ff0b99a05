/* tool: runs an embedded D script with options. The script's first comment is its interface: a title, a usage line and
 * one line an option or argument,
 *	 * -p PID      pid = -1      only this process
 *	 * -C          noclear = 0   do not clear the screen
 *	 * interval    interval = 1  seconds between screens
 * name, its D constant with the default, what it means. The constants are put in front of the script as inlines; a
 * constant called option.NAME sets that option instead. */
#include "cli/tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "cli/tools.h"
#include "dwire.h"

#define MAX_PARAMS 24

struct param {
	char flag;     /* 0: positional */
	char word[32]; /* "PID", "" for a flag without a value; positional: its name */
	char name[32]; /* of the D constant */
	char value[256];
	char help[128];
	bool is_string;
};

struct tool {
	const struct dlib_file *file;
	char name[32];
	char title[128];
	char usage[160];
	FILE *err; /* messages */
	struct param params[MAX_PARAMS];
	size_t nparams;
};

static size_t name_length(size_t i)
{
	return strlen(tool_files[i].name) - 2; /* without ".d" */
}

int tool_find(const char *name)
{
	for (size_t i = 0; i < tool_nfiles; i++)
		if (strlen(name) == name_length(i) && !strncmp(tool_files[i].name, name, name_length(i)))
			return (int)i;
	return -1;
}

const char *tool_nearest(const char *name, char *buf, size_t size)
{
	for (size_t i = 0; i < tool_nfiles; i++) {
		const char *const pair[] = { buf, NULL };

		snprintf(buf, size, "%.*s", (int)name_length(i), tool_files[i].name);
		if (nearest_name(name, pair))
			return buf;
	}
	return NULL;
}

void tool_list(FILE *out, size_t col)
{
	for (size_t i = 0; i < tool_nfiles; i++) {
		size_t n = name_length(i);

		if (i && col + n + 3 > 80)
			col = (size_t)fprintf(out, ",\n  ") - 2;
		else if (i)
			col += (size_t)fprintf(out, ", ");
		col += (size_t)fprintf(out, "%.*s", (int)n, tool_files[i].name);
	}
	fputc('\n', out);
}

/* ---- the first comment ------------------------------------------------------------------------------------------- */
static const char *word(const char *s, char *out, size_t size)
{
	size_t n = 0;

	while (*s == ' ' || *s == '\t')
		s++;
	for (; *s && !isspace((unsigned char)*s); s++)
		if (n + 1 < size)
			out[n++] = *s;
	out[n] = '\0';
	return s;
}

/* "-p PID  pid = -1  text" or "count  count = 1  text": false when the line is something else. */
static bool parse_param(const char *line, struct param *p)
{
	char first[32], eq[4];
	const char *s;

	memset(p, 0, sizeof(*p));
	if (!strchr(line, '='))
		return false;
	s = word(line, first, sizeof(first));
	if (first[0] == '-') {
		p->flag = first[1];
		s = word(s, p->word, sizeof(p->word));
		if (islower((unsigned char)p->word[0])) { /* no value word: this is the constant's name */
			memcpy(p->name, p->word, sizeof(p->name));
			p->word[0] = '\0';
		} else {
			s = word(s, p->name, sizeof(p->name));
		}
	} else {
		memcpy(p->word, first, sizeof(p->word));
		s = word(s, p->name, sizeof(p->name));
	}
	s = word(s, eq, sizeof(eq));
	if (strcmp(eq, "=") != 0)
		return false;
	s = word(s, p->value, sizeof(p->value));
	p->is_string = p->value[0] == '"';
	while (*s == ' ' || *s == '\t')
		s++;
	snprintf(p->help, sizeof(p->help), "%.127s", s);
	return p->value[0] != '\0';
}

static void parse_line(struct tool *t, const char *line)
{
	struct param p;

	while (*line == ' ' || *line == '\t' || *line == '*')
		line++;
	if (!strncmp(line, "usage:", 6))
		snprintf(t->usage, sizeof(t->usage), "%.159s", line + 7);
	else if (parse_param(line, &p) && t->nparams < MAX_PARAMS)
		t->params[t->nparams++] = p;
}

static void parse_head(struct tool *t)
{
	const char *s = strstr(t->file->text, "/*"), *end = s ? strstr(s, "*/") : NULL;
	bool first = true;

	while (s && end && s < end) {
		char line[256];
		size_t n = strcspn(s, "\n");

		if (s + n > end)
			n = (size_t)(end - s);
		snprintf(line, sizeof(line), "%.*s", (int)(n < 255 ? n : 255), s);
		if (first)
			snprintf(t->title, sizeof(t->title), "%.127s", line + 3);
		else
			parse_line(t, line);
		first = false;
		s += n + 1;
	}
}

static void tool_help(const struct tool *t, FILE *out)
{
	fprintf(out, "%s\nusage: %s\n", t->title, t->usage);
	for (size_t i = 0; i < t->nparams; i++) {
		const struct param *p = &t->params[i];
		char left[64];

		if (p->flag)
			snprintf(left, sizeof(left), "-%c %s", p->flag, p->word);
		else
			snprintf(left, sizeof(left), "%s", p->word);
		fprintf(out, "  %-12s %s\n", left, p->help);
	}
	fprintf(out, "  %-12s %s\n", "-h", "this text");
}

/* ---- the command line -------------------------------------------------------------------------------------------- */
static bool set_value(const struct tool *t, struct param *p, const char *value)
{
	char *end;
	size_t n = 0;

	if (!p->is_string) {
		errno = 0;
		(void)strtoll(value, &end, 0);
		if (errno || end == value || *end) {
			fprintf(t->err, "%s: %s must be a number, not %s\n", t->name, p->word, value);
			return false;
		}
		snprintf(p->value, sizeof(p->value), "%s", value);
		return true;
	}
	p->value[n++] = '"';
	for (; *value; value++) {
		if (n + 6 > sizeof(p->value)) {
			fprintf(t->err, "%s: %s is too long\n", t->name, p->word);
			return false;
		}
		if ((unsigned char)*value < ' ') { /* a D string holds no line break */
			n += (size_t)snprintf(p->value + n, sizeof(p->value) - n, "\\%03o", (unsigned char)*value);
			continue;
		}
		if (*value == '"' || *value == '\\')
			p->value[n++] = '\\';
		p->value[n++] = *value;
	}
	p->value[n++] = '"';
	p->value[n] = '\0';
	return true;
}

static struct param *find_flag(struct tool *t, char c)
{
	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].flag == c)
			return &t->params[i];
	return NULL;
}

static struct param *next_positional(struct tool *t, size_t *at)
{
	while (*at < t->nparams)
		if (!t->params[(*at)++].flag)
			return &t->params[*at - 1];
	return NULL;
}

/* One "-pC 12"-like argument; *i moves over a value. */
static bool take_flags(struct tool *t, int argc, char **argv, int *i)
{
	for (const char *f = argv[*i] + 1; *f; f++) {
		struct param *p = find_flag(t, *f);

		if (!p) {
			fprintf(t->err, "%s: no option -%c\n", t->name, *f);
			tool_help(t, t->err);
			return false;
		}
		if (!p->word[0]) {
			snprintf(p->value, sizeof(p->value), "1");
			continue;
		}
		if (f[1])
			return set_value(t, p, f + 1);
		if (*i + 1 >= argc) {
			fprintf(t->err, "%s: -%c needs %s\n", t->name, *f, p->word);
			return false;
		}
		return set_value(t, p, argv[++*i]);
	}
	return true;
}

/* 0: run; 1: done (-h); 2: wrong. */
static int take_args(struct tool *t, int argc, char **argv)
{
	size_t at = 0;

	for (int i = 1; i < argc; i++) {
		struct param *p;

		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			tool_help(t, stdout);
			return 1;
		}
		if (argv[i][0] == '-' && argv[i][1] && !isdigit((unsigned char)argv[i][1])) {
			if (!take_flags(t, argc, argv, &i))
				return 2;
			continue;
		}
		p = next_positional(t, &at);
		if (!p) {
			fprintf(t->err, "%s: what is %s?\n", t->name, argv[i]);
			tool_help(t, t->err);
			return 2;
		}
		if (!set_value(t, p, argv[i]))
			return 2;
	}
	return 0;
}

static int run_tool(const struct tool *t)
{
	struct dwire *d;
	char *text = NULL;
	size_t len = 0;
	int status = 1;
	FILE *f;

	if (dwire_new(&d)) {
		fprintf(t->err, "%s: no memory\n", t->name);
		return 1;
	}
	f = open_memstream(&text, &len);
	if (!f)
		goto out;
	for (size_t i = 0; i < t->nparams; i++)
		if (!strncmp(t->params[i].name, "option.", 7))
			fprintf(f, "#pragma D option %s=%s\n", t->params[i].name + 7, t->params[i].value);
		else
			fprintf(f, "inline %s %s = %s;\n", t->params[i].is_string ? "string" : "int", t->params[i].name,
				t->params[i].value);
	if (fclose(f))
		goto out;
	dwire_add(d, DWIRE_SCRIPT, "options", text, len);
	dwire_add(d, DWIRE_SCRIPT, t->file->name, t->file->text, t->file->len);
	if (dwire_require(d, t->err) || dwire_compile(d, DWIRE_DUMP_NONE, stdout, t->err) ||
		dwire_run(d, stdout, t->err, &status))
		status = 1;
out:
	free(text);
	dwire_free(d);
	return status;
}

int tool_main(int argc, char **argv, FILE *err)
{
	struct tool t = { .err = err };
	int n = tool_find(argv[0]), r;

	if (n < 0)
		return 2;
	t.file = &tool_files[n];
	snprintf(t.name, sizeof(t.name), "%s", argv[0]);
	parse_head(&t);
	r = take_args(&t, argc, argv);
	if (r)
		return r == 1 ? 0 : 2;
	return run_tool(&t);
}
