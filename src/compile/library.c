/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library: see library.h.
 * Input: folders. Output: sources, each after those that it depends on.
 * Invariant: all depends_on lines are read before any library is parsed, since the declarations of one library affect
 * how the next one parses. */
#include "compile/library.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag/report.h"
#include "lang/dlib.h"
#include "prov/providers.h"

#define LIBRARY_MAX (16u << 20)

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- what a library needs ---------------------------------------------------------------------------------------- */
/* The next word before end, or ""; *s moves behind it. */
static const char *next_word(struct arena *a, const char **s, const char *end)
{
	const char *from;

	while (*s < end && strchr(" \t\r", **s))
		++*s;
	from = *s;
	while (*s < end && !strchr(" \t\r", **s))
		++*s;
	return arena_strndup(a, from, (size_t)(*s - from));
}

/* A line that holds only "#pragma D depends_on KIND NAME" */
static void scan_line(struct compilation *c, struct library *lib, const char *s, const char *end)
{
	static const char *const words[] = { "pragma", "D", "depends_on" };
	struct library_need *need;
	const char *kind, *name;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (s == end || *s++ != '#')
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(next_word(c->arena, &s, end), words[i]) != 0)
			return;
	kind = next_word(c->arena, &s, end);
	name = next_word(c->arena, &s, end);
	if (!*name)
		return;
	need = vec_push(c->arena, &lib->needs);
	need->kind = kind;
	need->name = name;
}

/* Reads lines, not tokens: the parser cannot run before the order of the libraries is known. */
static void scan_needs(struct compilation *c, struct library *lib)
{
	const char *s = lib->src.text, *end = s + lib->src.len;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		scan_line(c, lib, s, nl ? nl : end);
		s = nl ? nl + 1 : end;
	}
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
/* A library by its file's name, which is what depends_on names. */
static struct library *find(const struct compilation *c, const char *name)
{
	for (size_t i = 0; i < c->libraries.n; i++)
		if (!strcmp(base_name(c->libraries.v[i].src.name), name))
			return &c->libraries.v[i];
	return NULL;
}

struct sorting {
	struct compilation *c;
	struct library *out;
	size_t n;
	const char *circle;
};

/* Depth first: what it needs, then itself. mark: 1 while its needs are placed, 2 when it is. */
static int place(struct sorting *s, struct library *lib, const char *path)
{
	if (lib->mark == 2)
		return 0;
	path = arena_printf(s->c->arena, "%s%s%s", path, *path ? " -> " : "", base_name(lib->src.name));
	if (lib->mark == 1) {
		s->circle = path;
		return -ELOOP;
	}
	lib->mark = 1;
	for (size_t i = 0; i < lib->needs.n; i++) {
		const struct library_need *need = &lib->needs.v[i];
		struct library *other = strcmp(need->kind, "library") ? NULL : find(s->c, need->name);
		int r = other ? place(s, other, path) : 0;

		if (r)
			return r;
	}
	lib->mark = 2;
	s->out[s->n++] = *lib;
	return 0;
}

/* Files of dlib/ count as libraries that are always present. */
static bool is_built_in(const char *name)
{
	for (size_t i = 0; i < dlib_nfiles; i++)
		if (!strcmp(dlib_files[i].name, name))
			return true;
	return false;
}

/* A library that another one needs and that does not exist: its name, and who needs it. NULL: all exist. */
static const char *missing_library(const struct compilation *c, const char **needed_by)
{
	for (size_t i = 0; i < c->libraries.n; i++) {
		const struct library *lib = &c->libraries.v[i];

		*needed_by = lib->src.name;
		for (size_t k = 0; k < lib->needs.n; k++)
			if (!strcmp(lib->needs.v[k].kind, "library") && !is_built_in(lib->needs.v[k].name) &&
				!find(c, lib->needs.v[k].name))
				return lib->needs.v[k].name;
	}
	return NULL;
}

/* Puts libraries behind what they depend on. -ELOOP with the names of a circle in *circle. */
static int library_sort(struct compilation *c, const char **circle)
{
	struct sorting s = { .c = c, .out = ARENA_ARRAY(c->arena, struct library, c->libraries.n + 1) };

	for (size_t i = 0; i < c->libraries.n; i++) {
		int r = place(&s, &c->libraries.v[i], "");

		if (r) {
			*circle = s.circle;
			return r;
		}
	}
	if (s.n)
		memcpy(c->libraries.v, s.out, s.n * sizeof(*s.out));
	return 0;
}

/* Providers that scripts or processes define are not counted: they are not known yet. */
static bool has_provider(const char *name)
{
	for (const struct provider *const *p = providers(); *p; p++)
		if (!strcmp((*p)->name, name))
			return true;
	return false;
}

/* Without a kernel (has_module is NULL) every module counts as present. */
bool library_met(const struct compilation *c, const char *kind, const char *name)
{
	const struct library *lib;

	if (!strcmp(kind, "provider"))
		return has_provider(name);
	if (!strcmp(kind, "module"))
		return !c->has_module || c->has_module(c->penv.ctx, name);
	if (is_built_in(name))
		return true;
	lib = find(c, name);
	return lib && !lib->left_out;
}

/* Libraries are sorted, each after those that it depends on, so one pass decides all. */
void library_leave_out(struct compilation *c)
{
	for (size_t i = 0; i < c->libraries.n; i++) {
		struct library *lib = &c->libraries.v[i];

		for (size_t k = 0; k < lib->needs.n; k++)
			if (!library_met(c, lib->needs.v[k].kind, lib->needs.v[k].name))
				lib->left_out = true;
	}
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
/* A copy of the whole text, in the arena. 0 or -errno. */
static int read_text(struct compilation *c, FILE *in, struct source *src)
{
	char *text = malloc(LIBRARY_MAX), *copy;
	size_t n = text ? fread(text, 1, LIBRARY_MAX, in) : 0;
	int r = !text ? -ENOMEM : ferror(in) ? -EIO : n == LIBRARY_MAX ? -EFBIG : 0;

	copy = r ? NULL : arena_try(c->arena, n + 1);
	if (copy) {
		memcpy(copy, text, n);
		src->text = copy;
		src->len = n;
	}
	free(text);
	return r || copy ? r : -ENOMEM;
}

/* Adds one library, whose text is parsed later. 0, or -errno with a diagnostic. */
static int add_file(struct compilation *c, const char *path)
{
	FILE *in = fopen(path, "re");
	struct library lib = { .src.name = arena_strdup(c->arena, path) };
	int r;

	if (!in) {
		r = -errno;
		return report_error(
			diags_reporter(c->diags), r, D_NONE, NULL, "failed to open library %s: %s", path, strerror(-r));
	}
	r = read_text(c, in, &lib.src);
	fclose(in);
	if (r)
		return report_error(
			diags_reporter(c->diags), r, D_NONE, NULL, "failed to read library %s: %s", path, strerror(-r));
	scan_needs(c, &lib);
	*vec_push(c->arena, &c->libraries) = lib;
	return 0;
}

/* Skips hidden files, such as an editor's backup ".x.d". */
static int is_d(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 2 && *e->d_name != '.' && !strcmp(e->d_name + n - 2, ".d");
}

/* Adds the files in the order of their names, so that the result does not depend on the file system. A folder that
 * cannot be read is skipped, as in DTrace. */
static int add_folder(struct compilation *c, const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, is_d, alphasort), r = 0;

	if (n < 0 && errno == ENOMEM)
		return report_no_memory(diags_reporter(c->diags), "read the folders of libraries");
	for (int i = 0; i < n; i++) {
		if (!r)
			r = add_file(c, arena_printf(c->arena, "%s/%s", path, names[i]->d_name));
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return r;
}

int library_load(struct compilation *c)
{
	const char *circle = "", *missing, *needed_by = "";
	int r = 0;

	if (c->opts->nolibs)
		return 0;
	if (c->opts->syslibdir)
		r = add_folder(c, c->opts->syslibdir);
	for (size_t i = 0; !r && i < c->opts->libdirs.n; i++)
		r = add_folder(c, c->opts->libdirs.v[i]);
	if (!r) {
		r = library_sort(c, &circle);
		if (r)
			report_error(diags_reporter(c->diags), r, D_NONE, NULL,
				"failed to load libraries: cyclic dependency: %s", circle);
	}
	if (!r && (missing = missing_library(c, &needed_by)) != NULL)
		r = report_error(diags_reporter(c->diags), -ENOENT, D_NONE, NULL,
			"failed to load libraries: %s requires library %s, which does not exist", needed_by, missing);
	return r;
}
