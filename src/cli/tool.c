/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool: the D tools by name, their list, and running one. Input: argv. Output: what the tool prints, the status. */
#include "cli/tool.h"

#include <stdlib.h>
#include <string.h>

#include "api/dwire.h"
#include "base/diag.h"
#include "cli/input.h"
#include "cli/tool_priv.h"

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

/* Of two that are equally near, the one as long as the name: two letters are often exchanged. */
const char *tool_nearest(const char *name, char *buf, size_t size)
{
	bool found = false;

	for (size_t i = 0; i < tool_nfiles; i++) {
		char one[32];
		const char *const first[] = { one, found ? buf : NULL, NULL }, *const last[] = { buf, one, NULL };
		bool tie;

		snprintf(one, sizeof(one), "%.*s", (int)name_length(i), tool_files[i].name);
		if (nearest_name(name, first) != one)
			continue;
		tie = found && nearest_name(name, last) == buf;
		if (tie && strlen(one) != strlen(name))
			continue;
		snprintf(buf, size, "%s", one);
		found = true;
	}
	return found ? buf : NULL;
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

/* "tcptop: TCP bytes by process": what stands behind the name in the first line of the script. */
static void put_title(size_t i, FILE *out)
{
	const char *s = tool_files[i].text + strspn(tool_files[i].text, "/* \t"), *colon = strchr(s, ':');
	size_t n = strcspn(s, "\n");

	if (colon && colon < s + n) {
		n -= (size_t)(colon + 1 - s);
		s = colon + 1;
	}
	fprintf(out, "  %-15.*s%.*s\n", (int)name_length(i), tool_files[i].name, (int)n, s);
}

void tool_titles(FILE *out)
{
	fputs("usage: dwire TOOL [option ...] [argument ...]; dwire TOOL -h tells its options\n\n", out);
	for (size_t i = 0; i < tool_nfiles; i++)
		put_title(i, out);
}

static int run_program(struct dwire *d, const struct tool *t, const char *text, size_t len)
{
	int status = 1;

	dwire_add(d, DWIRE_SCRIPT, t->file->name, text, len);
	if (dwire_require(d, t->err) || (t->command && dwire_command(d, t->command, t->err)) ||
		dwire_compile(d, DWIRE_DUMP_NONE, stdout, t->err) || dwire_run(d, stdout, t->err, &status))
		return 1;
	return status;
}

static int run_tool(struct tool *t)
{
	struct dwire *d = NULL;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int status = 1;
	bool ok;

	if (!f || dwire_new(&d)) {
		fprintf(t->err, "%s: no memory\n", t->name);
		goto out;
	}
	ok = tool_program(t, f);
	fflush(f);
	if (ok && tool_number(t, "tool_program"))
		status = fwrite(text, 1, len, stdout) != len;
	else if (ok && tool_note(t))
		status = run_program(d, t, text, len);
out:
	if (f)
		fclose(f);
	free(text);
	dwire_free(d);
	return status;
}

static int run(struct tool *t, int argc, char **argv)
{
	int r = tool_parse_head(t) ? tool_take_args(t, argc, argv) : 2;

	return r ? r == 1 ? 0 : 2 : run_tool(t);
}

/* How many characters of base are the name: "tools/tcptop.d" is called tcptop. */
static size_t base_name(const char *path, const char **base)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	*base = slash ? slash + 1 : path;
	n = strlen(*base);
	return n > 2 && !strcmp(*base + n - 2, ".d") ? n - 2 : n;
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

/* The tool of a file. 0, or the exit status after a message. */
static int run_source(struct tool *t, int argc, char **argv)
{
	const char *base;
	char *text;
	int n = (int)base_name(argv[0], &base), r = input_read(argv[0], &text, &t->source.len);

	if (r) {
		fprintf(t->err, "dwire: cannot read %s: %s\n", argv[0], strerror(-r));
		free(text);
		return 1;
	}
	snprintf(t->name, sizeof(t->name), "%.*s", n < 31 ? n : 31, base);
	t->source.name = argv[0];
	t->source.text = text;
	t->file = &t->source;
	r = run(t, argc, argv);
	free(text);
	return r;
}

int tool_main(int argc, char **argv, FILE *err)
{
	int n = tool_find(argv[0]), r;
	struct tool *t = calloc(1, sizeof(*t));

	if (!t)
		return 1;
	t->err = err;
	if (n < 0) {
		r = run_source(t, argc, argv);
	} else {
		t->file = &tool_files[n];
		snprintf(t->name, sizeof(t->name), "%s", argv[0]);
		r = run(t, argc, argv);
	}
	free(t);
	return r;
}
