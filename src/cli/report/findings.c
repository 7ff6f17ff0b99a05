/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings: see findings.h. Input: rows of JSON, whatever their members are. Output: HTML.
 * Invariant: the process ends when this one does, however that happens: it reads a pipe that only we hold open. */
#include "cli/report/findings.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/picture/markup.h"

#define ROWS_MAX 1000u
#define MEMBERS_MAX 12u
#define LINE_MAX_BYTES 65536
#define LOOK_MS 20 /* between two looks at whether it has ended */

extern char **environ;

/* ---- the process ------------------------------------------------------------------------------------------------- */
static int spawn(struct findings *f, int in, unsigned seconds)
{
	char name[] = "dwire", until[] = "--until-eof", tool[] = "netcheck", json[] = "--json", text[16];
	char *argv[] = { name, until, tool, text, json, NULL };
	posix_spawn_file_actions_t actions;
	int r = posix_spawn_file_actions_init(&actions);

	if (r)
		return r;
	snprintf(text, sizeof(text), "%u", seconds);
	r = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	r = r ? r : posix_spawn_file_actions_adddup2(&actions, f->out, STDOUT_FILENO);
	r = r ? r : posix_spawn_file_actions_adddup2(&actions, f->err, STDERR_FILENO);
	r = r ? r : posix_spawn(&f->pid, "/proc/self/exe", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

bool findings_start(struct findings *f, unsigned seconds)
{
	int ends[2] = { -1, -1 }, r;

	*f = (struct findings){ .hold = -1 };
	f->out = memfd_create("netcheck", MFD_CLOEXEC);
	f->err = memfd_create("messages", MFD_CLOEXEC);
	r = f->out < 0 || f->err < 0 || pipe2(ends, O_CLOEXEC) ? errno : spawn(f, ends[0], seconds);
	if (r)
		f->pid = 0;
	f->hold = ends[1];
	if (ends[0] >= 0)
		close(ends[0]);
	return !r;
}

static bool has_ended(struct findings *f, int options)
{
	int status;

	if (waitpid(f->pid, &status, options) != f->pid)
		return false;
	f->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return true;
}

void findings_wait(struct findings *f, int patience_ms)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000L };
	bool ended = !f->pid || has_ended(f, WNOHANG);

	for (; !ended && patience_ms > 0; patience_ms -= LOOK_MS) {
		nanosleep(&look, NULL);
		ended = has_ended(f, WNOHANG);
	}
	if (!ended) {
		close(f->hold);
		f->hold = -1;
		(void)has_ended(f, 0);
	}
}

void findings_close(struct findings *f)
{
	if (f->hold >= 0)
		close(f->hold);
	if (f->out >= 0)
		close(f->out);
	if (f->err >= 0)
		close(f->err);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* The rows, and the members that any of them has, in the order in which they came. */
struct rows {
	json_t *list;
	const char *members[MEMBERS_MAX];
	size_t nmembers;
	size_t more; /* rows beyond ROWS_MAX, and lines that are none */
};

static bool is_empty(const json_t *v)
{
	return !v || json_is_null(v) || (json_is_string(v) && !json_string_length(v));
}

static void add_member(struct rows *r, const char *name)
{
	for (size_t i = 0; i < r->nmembers; i++)
		if (!strcmp(r->members[i], name))
			return;
	if (r->nmembers < MEMBERS_MAX)
		r->members[r->nmembers++] = name;
}

static void read_rows(int fd, struct rows *r)
{
	FILE *f = fdopen(dup(fd), "r");
	char line[LINE_MAX_BYTES];

	r->list = json_array();
	if (f)
		rewind(f);
	while (f && fgets(line, sizeof(line), f)) {
		json_t *row = json_loads(line, 0, NULL), *value;
		const char *name;

		if (!json_is_object(row) || json_array_size(r->list) == ROWS_MAX) {
			r->more++;
			json_decref(row);
			continue;
		}
		json_object_del(row, "time"); /* of all rows the end of the trace, which the page has above */
		json_object_foreach(row, name, value) if (!is_empty(value)) add_member(r, name);
		if (json_array_append_new(r->list, row))
			r->more++;
	}
	if (f)
		fclose(f);
}

/* A row is a finding if it names what to do next. */
static bool is_finding(const json_t *row)
{
	return !is_empty(json_object_get(row, "next"));
}

static void put_cell(FILE *out, const char *name, const json_t *v)
{
	if (json_is_number(v)) {
		fprintf(out, "<td class=\"n\">%.15g</td>", json_number_value(v));
		return;
	}
	fputs("<td>", out);
	if (json_is_string(v)) {
		const bool command = !strcmp(name, "next") && json_string_length(v);

		fputs(command ? "<code>" : "", out);
		markup_text(out, json_string_value(v), json_string_length(v));
		fputs(command ? "</code>" : "", out);
	} else if (json_is_boolean(v))
		fputs(json_is_true(v) ? "yes" : "no", out);
	fputs("</td>", out);
}

static bool is_shown(const json_t *row, bool findings)
{
	return is_finding(row) == findings;
}

/* Does a row of the table have such a member, and is it a number? */
static bool has_member(const struct rows *r, const char *name, bool findings, bool *number)
{
	json_t *row;
	size_t i;

	json_array_foreach(r->list, i, row) if (is_shown(row, findings) && !is_empty(json_object_get(row, name)))
	{
		*number = json_is_number(json_object_get(row, name));
		return true;
	}
	return false;
}

static void put_row(FILE *out, const struct rows *r, const json_t *row, const bool *shown)
{
	fputs("<tr>", out);
	for (size_t k = 0; k < r->nmembers; k++)
		if (shown[k])
			put_cell(out, r->members[k], json_object_get(row, r->members[k]));
	fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct rows *r, bool findings)
{
	bool shown[MEMBERS_MAX] = { false }, number;
	json_t *row;
	size_t i;

	fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr>", out);
	for (size_t k = 0; k < r->nmembers; k++) {
		shown[k] = has_member(r, r->members[k], findings, &number);
		if (!shown[k])
			continue;
		fputs(number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", out);
		markup_str(out, r->members[k]);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	json_array_foreach(r->list, i, row) if (is_shown(row, findings)) put_row(out, r, row, shown);
	fputs("</tbody></table></div>\n", out);
}

/* ---- HTML -------------------------------------------------------------------------------------------------------- */
static void put_messages(const struct findings *f, FILE *out)
{
	char text[4096];
	ssize_t n = pread(f->err, text, sizeof(text), 0);

	if (n <= 0)
		return;
	fputs("<pre class=\"note\">", out);
	for (ssize_t from = 0, at = 0; at < n; at++)
		if (text[at] == '\n' || at + 1 == n) {
			markup_text(out, text + from, (size_t)(at - from + (text[at] != '\n')));
			fputc('\n', out);
			from = at + 1;
		}
	fputs("</pre>\n", out);
}

static size_t count_findings(const struct rows *r)
{
	size_t i, n = 0;
	json_t *row;

	json_array_foreach(r->list, i, row) n += is_finding(row);
	return n;
}

void findings_html(const struct findings *f, FILE *out)
{
	struct rows r = { 0 };
	size_t n, all;

	read_rows(f->out, &r);
	n = count_findings(&r);
	all = json_array_size(r.list);
	if (!all)
		fputs("<p class=\"note\">netcheck gave no result.</p>\n", out);
	else if (!n)
		fprintf(out, "<p class=\"good\">None of %zu checks names anything to look at.</p>\n", all);
	else {
		fprintf(out, "<p class=\"bad\">%zu of %zu checks name what to look at next.</p>\n", n, all);
		put_table(out, &r, true);
	}
	if (all > n) {
		fprintf(out, "<details><summary>%s%zu checks</summary>\n", n ? "The other " : "All ", all - n);
		put_table(out, &r, false);
		fputs("</details>\n", out);
	}
	if (r.more)
		fprintf(out, "<p class=\"note\">%zu lines of netcheck are not shown.</p>\n", r.more);
	if (!f->pid || f->status)
		put_messages(f, out);
	json_decref(r.list);
}
