/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag: a list of diagnostics, and places in texts.
 * Input: locations, tags, texts, as the stages find them. Output: the list, in the order of arrival.
 * Invariant: at most DIAG_KEEP errors and as many warnings and notes are kept, and none twice. */
#include "base/diag/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/diag/report.h"
#include "base/vec.h"

#define DIAG_KEEP 100u

struct diags {
	struct arena *arena;
	struct reporter reporter;
	VEC(struct diag) list;
	size_t errors, others;
	size_t repeated; /* of the errors: those that the list has already */
};

/* Room for one more of its level, filled but for the message; or NULL when there are enough. */
static struct diag *diag_add(struct diags *d, const struct diag *what)
{
	size_t count = what->level == DIAG_ERROR ? ++d->errors - d->repeated : ++d->others;
	struct diag *g;

	if (count > DIAG_KEEP)
		return NULL;
	g = vec_push(d->arena, &d->list);
	*g = *what;
	if (what->hint)
		g->hint = arena_strdup(d->arena, what->hint);
	if (what->detail)
		g->detail = arena_strdup(d->arena, what->detail);
	return g;
}

/* A clause is checked for each of its probes and may have the same error at all of them. The last one in the list,
 * which has its message now, is taken out again if it says what another one says. It stays counted. */
static void drop_repeated(struct diags *d)
{
	const struct diag *last = &d->list.v[d->list.n - 1];

	for (size_t i = 0; i + 1 < d->list.n; i++) {
		const struct diag *g = &d->list.v[i];

		if (!last->loc.src || g->loc.src != last->loc.src || g->loc.off != last->loc.off ||
			g->loc.len != last->loc.len || g->level != last->level || g->tag != last->tag)
			continue;
		if (!g->message || !last->message || strcmp(g->message, last->message))
			continue;
		if (last->level == DIAG_ERROR)
			d->repeated++;
		else
			d->others--;
		d->list.n--;
		return;
	}
}

/* A reporter whose diagnostics go into the list. */
static void collect(void *ctx, const struct diag *what)
{
	struct diags *d = ctx;
	struct diag *g = diag_add(d, what);

	if (!g)
		return;
	g->message = arena_strdup(d->arena, what->message);
	drop_repeated(d);
}

struct diags *diags_new(struct arena *a)
{
	struct diags *d = ARENA_NEW(a, struct diags);

	d->arena = a;
	d->reporter = (struct reporter){ .fn = collect, .ctx = d };
	return d;
}

const struct reporter *diags_reporter(const struct diags *d)
{
	return &d->reporter;
}

/* Errors are counted even when there is no memory to keep them. */
void diag_error(struct diags *d, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
{
	struct diag *g = diag_add(d, &(struct diag){ .err = -EINVAL, .tag = tag, .loc = at, .hint = hint });
	va_list ap;

	if (!g)
		return;
	va_start(ap, fmt);
	g->message = arena_vprintf(d->arena, fmt, ap);
	va_end(ap);
	drop_repeated(d);
}

/* Warnings and notes share a limit, so that they never displace errors. */
void diag_warn(struct diags *d, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
{
	struct diag *g = diag_add(d, &(struct diag){ .level = DIAG_WARNING, .tag = tag, .loc = at, .hint = hint });
	va_list ap;

	if (!g)
		return;
	va_start(ap, fmt);
	g->message = arena_vprintf(d->arena, fmt, ap);
	va_end(ap);
	drop_repeated(d);
}

size_t diags_errors(const struct diags *d)
{
	return d->errors;
}

/* What was collected is dropped: without memory it may be incomplete and mislead. */
void diags_no_memory(struct diags *d, const char *what)
{
	d->list.n = d->errors = d->others = d->repeated = 0;
	report_no_memory(&d->reporter, what);
}

/* Errors beyond the first DIAG_KEEP, of which only the number is known. */
size_t diags_unkept(const struct diags *d)
{
	const size_t distinct = d->errors - d->repeated;

	return distinct > DIAG_KEEP ? distinct - DIAG_KEEP : 0;
}

const struct diag *diags_get(const struct diags *d, size_t i)
{
	return i < d->list.n ? &d->list.v[i] : NULL;
}

/* Made of the list of tags: none is forgotten. */
const char *dtag_name(enum dtag t)
{
	static const char *const names[] = {
#define X(t) #t,
		DIAG_TAGS(X)
#undef X
	};

	return (unsigned)t < D_TAG_COUNT ? names[t] : "D_UNKNOWN";
}

/* Offset of the start of the line that contains off. */
size_t source_line(const struct source *src, size_t off)
{
	while (off > 0 && src->text[off - 1] != '\n')
		off--;
	return off;
}

/* A location may lie behind the text: at its end, where something is missing. */
static size_t clip_off(struct loc at)
{
	return at.off < at.src->len ? at.off : at.src->len;
}

/* A line as the preprocessor writes it: # 12 "file.h" 1 3, or as a user does: #line 12. */
bool line_mark(const char *s, const char *end, unsigned *line, const char **file, size_t *len)
{
	unsigned n = 0;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (s == end || *s++ != '#')
		return false;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (end - s > 5 && !memcmp(s, "line", 4) && (s[4] == ' ' || s[4] == '\t'))
		for (s += 4; s < end && (*s == ' ' || *s == '\t'); s++)
			;
	if (s == end || *s < '0' || *s > '9')
		return false;
	for (; s < end && *s >= '0' && *s <= '9'; s++)
		n = n < 100000000 ? n * 10 + (unsigned)(*s - '0') : n;
	*line = n;
	*file = NULL;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (s < end && *s == '"') {
		const char *quote = memchr(s + 1, '"', (size_t)(end - s - 1));

		*file = s + 1;
		*len = quote ? (size_t)(quote - s - 1) : 0;
		*file = quote ? *file : NULL;
	}
	return true;
}

/* Walks the marks before `at`, each of which renames the lines that follow it. */
static void find_place(struct loc at, unsigned *line, const char **file, size_t *len)
{
	const char *p = at.src->text, *end = p + clip_off(at), *all = p + at.src->len;

	*line = 1;
	*file = at.src->name;
	*len = at.src->name ? strlen(at.src->name) : 0;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(all - p)), *name;
		size_t n;

		if (!nl || nl >= end)
			break;
		if (!line_mark(p, nl, line, &name, &n))
			++*line;
		else if (name) {
			*file = name;
			*len = n;
		}
		p = nl + 1;
	}
}

/* Lines and columns (bytes) count from 1. Lines count from the nearest mark of the preprocessor above. */
void loc_position(struct loc at, unsigned *line, unsigned *col)
{
	const char *file;
	size_t len;

	*line = *col = 1;
	if (!at.src)
		return;
	find_place(at, line, &file, &len);
	const size_t off = clip_off(at);

	*col = (unsigned)(off - source_line(at.src, off)) + 1;
}

/* The name that the nearest mark above gives, else that of the source. */
const char *loc_file(struct loc at, size_t *len)
{
	const char *file = NULL;
	unsigned line;

	*len = 0;
	if (at.src)
		find_place(at, &line, &file, len);
	return file;
}

/* The flag 3 of a mark says that the text comes from a header of the system, which may do what a script may not. */
bool loc_in_header(struct loc at)
{
	size_t len;
	const char *p = loc_file(at, &len), *end = at.src ? at.src->text + at.src->len : NULL;

	if (!p || p < at.src->text || p >= end) /* the source's own name: no mark */
		return false;
	for (p += len; p < end && *p != '\n'; p++)
		if (*p == '3')
			return true;
	return false;
}
