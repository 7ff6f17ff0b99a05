/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save: see save.h. Input: a view, as it is filtered, sorted and grouped. Output: a file.
 * Numbers are numbers, what is unknown is null or an empty field. In CSV texts are escaped for a terminal, and one that
 * a spreadsheet would take for a formula has an apostrophe before it. */
#include "live/save.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"

static void put_number(FILE *out, long double n)
{
	fprintf(out, n == floorl(n) ? "%.0Lf" : "%.6Lf", n);
}

static void put_csv_text(FILE *out, const char *s)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		escape_print(f, s, strlen(s), ESCAPE_ALL);
		fclose(f);
	}
	putc('"', out);
	if (text && *text && strchr("=+-@", *text))
		putc('\'', out);
	for (const char *p = text ? text : ""; *p; p++)
		fprintf(out, *p == '"' ? "\"\"" : "%c", *p);
	putc('"', out);
	free(text);
}

static void put_json_text(FILE *out, const char *s)
{
	json_t *j = json_stringn(s, strlen(s));
	char *quoted = j ? json_dumps(j, JSON_ENCODE_ANY) : NULL;

	fputs(quoted ? quoted : "null", out);
	free(quoted);
	json_decref(j);
}

static void put_row(FILE *out, const struct view *v, const struct row *r, bool json)
{
	const char *sep = json ? "{" : "";

	for (size_t i = 0; i < v->shown->ncolumns; i++) {
		const struct cell *c = &r->cells[i];

		if (!view_has(v, i))
			continue;
		fputs(sep, out);
		sep = ",";
		if (json) {
			put_json_text(out, v->shown->columns[i].name);
			putc(':', out);
		}
		if (c->kind == CELL_NUMBER)
			put_number(out, c->number);
		else if (c->kind == CELL_UNKNOWN)
			fputs(json ? "null" : "", out);
		else
			(json ? put_json_text : put_csv_text)(out, c->text);
	}
	fputs(json ? "}\n" : "\n", out);
}

int save_rows(const struct view *v, const char *path)
{
	const size_t n = strlen(path);
	const bool json = n > 5 && !strcmp(path + n - 5, ".json");
	int fd = v->shown ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1, r;
	const char *sep = "";
	FILE *out;

	if (fd < 0)
		return v->shown ? -errno : -ENODATA;
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	for (size_t i = 0; !json && i < v->shown->ncolumns; i++)
		if (view_has(v, i)) {
			fputs(sep, out);
			put_csv_text(out, v->shown->columns[i].name);
			sep = ",";
		}
	fputs(json ? "" : "\n", out);
	for (size_t i = 0; i < v->n; i++)
		put_row(out, v, v->rows[i], json);
	r = ferror(out) ? -EIO : 0;
	return fclose(out) && !r ? -errno : r;
}

void save_name(const char *title, char *out, size_t size)
{
	time_t now = time(NULL);
	struct tm tm = { 0 };
	char when[32];

	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	snprintf(out, size, "%s-%s.csv", title, when);
}
