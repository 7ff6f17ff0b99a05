/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag: what is wrong with a script.
 * Input: locations, tags, texts, as the stages find them. Output: file:line:col, the source line, a caret, a hint.
 * Invariant: at most DIAG_KEEP errors and as many warnings are kept; nothing that came from a script reaches the
 * terminal unescaped. */
#include "base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"
#include "base/vec.h"

#define DIAG_KEEP 100u
#define DIAG_WIDTH 160u /* longest source line shown whole, in bytes */
#define DIAG_BEFORE 60u /* bytes shown before the caret of a longer one */

struct diags {
	struct arena *arena;
	VEC(struct diag) list;
	size_t errors, warnings;
};

struct diags *diags_new(struct arena *a)
{
	struct diags *d = ARENA_NEW(a, struct diags);

	d->arena = a;
	return d;
}

__attribute__((format(printf, 3, 0))) static void diag_add(
	struct diags *d, const struct diag *what, const char *fmt, va_list ap)
{
	size_t *count = what->warning ? &d->warnings : &d->errors;

	if (++*count > DIAG_KEEP)
		return;
	struct diag *g = vec_push(d->arena, &d->list);

	*g = *what;
	if (what->hint)
		g->hint = arena_strdup(d->arena, what->hint);
	g->message = arena_vprintf(d->arena, fmt, ap);
}

void diag_error(struct diags *d, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
{
	const struct diag g = { .tag = tag, .loc = at, .hint = hint };
	va_list ap;

	va_start(ap, fmt);
	diag_add(d, &g, fmt, ap);
	va_end(ap);
}

void diag_warn(struct diags *d, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
{
	const struct diag g = { .tag = tag, .loc = at, .hint = hint, .warning = true };
	va_list ap;

	va_start(ap, fmt);
	diag_add(d, &g, fmt, ap);
	va_end(ap);
}

size_t diags_errors(const struct diags *d)
{
	return d->errors;
}

const struct diag *diags_get(const struct diags *d, size_t i)
{
	return i < d->list.n ? &d->list.v[i] : NULL;
}

const char *dtag_name(enum dtag t)
{
	static const char *const names[] = {
#define X(t) #t,
		DIAG_TAGS(X)
#undef X
	};

	return (unsigned)t < D_TAG_COUNT ? names[t] : "D_UNKNOWN";
}

/* Start of the line that holds off (which may be the end of the text). */
static size_t line_start(const struct source *src, size_t off)
{
	while (off > 0 && src->text[off - 1] != '\n')
		off--;
	return off;
}

static size_t clip_off(struct loc at)
{
	return at.off < at.src->len ? at.off : at.src->len;
}

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

/* Where at is: what the marks before its line say, counted on. */
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

void loc_position(struct loc at, unsigned *line, unsigned *col)
{
	const char *file;
	size_t len;

	*line = *col = 1;
	if (!at.src)
		return;
	find_place(at, line, &file, &len);
	const size_t off = clip_off(at);

	*col = (unsigned)(off - line_start(at.src, off)) + 1;
}

/* The name of the file that a location is in, *len bytes, in the text or the source's. NULL: nowhere. */
static const char *loc_file(struct loc at, size_t *len)
{
	const char *file = NULL;
	unsigned line;

	*len = 0;
	if (at.src)
		find_place(at, &line, &file, len);
	return file;
}

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

/* Moves off forward to the start of a UTF-8 character. */
static size_t char_boundary(const char *text, size_t off, size_t end)
{
	while (off < end && ((unsigned char)text[off] & 0xc0) == 0x80)
		off++;
	return off;
}

/* Blanks below the text before the caret: a tab for a tab, so that any tab width lines up. */
static void print_pad(FILE *out, const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		for (n = 0; i + n < len && s[i + n] != '\t'; n++)
			;
		for (size_t cols = escape_print(NULL, s + i, n, 0); cols; cols--)
			putc(' ', out);
		if (i + n < len) {
			putc('\t', out);
			n++;
		}
	}
}

static void print_caret(FILE *out, const char *text, size_t from, size_t off, size_t to, size_t len, bool cut)
{
	fputs(cut ? "       " : "    ", out);
	print_pad(out, text + from, off - from);
	size_t width = escape_print(NULL, text + off, len < to - off ? len : to - off, 0);

	putc('^', out);
	while (width-- > 1)
		putc('~', out);
}

/* The source line, or the stretch of it around the caret, and the caret line. */
static void print_excerpt(const struct diag *g, FILE *out)
{
	const char *text = g->loc.src->text;
	const size_t off = clip_off(g->loc);
	size_t from = line_start(g->loc.src, off), to = off;
	bool cut_left = false, cut_right = false;

	while (to < g->loc.src->len && text[to] != '\n')
		to++;
	if (to > from && text[to - 1] == '\r' && to - 1 >= off)
		to--;
	if (to - from > DIAG_WIDTH) {
		if (off - from > DIAG_BEFORE) {
			from = char_boundary(text, off - DIAG_BEFORE, off);
			cut_left = true;
		}
		if (to - from > DIAG_WIDTH) {
			to = char_boundary(text, from + DIAG_WIDTH, to);
			cut_right = true;
		}
	}
	fputs(cut_left ? "    ..." : "    ", out);
	for (size_t i = from, n; i < to; i += n) {
		for (n = 0; i + n < to && text[i + n] != '\t'; n++)
			;
		escape_print(out, text + i, n, 0);
		if (i + n < to) {
			putc('\t', out);
			n++;
		}
	}
	fputs(cut_right ? "...\n" : "\n", out);
	print_caret(out, text, from, off, to, g->loc.len, cut_left);
}

static void diag_print(const struct diag *g, FILE *out)
{
	unsigned line, col;
	size_t len;
	const char *name = loc_file(g->loc, &len);

	if (name)
		escape_print(out, name, len, 0);
	else
		fputs("dwire", out);
	if (g->loc.src) {
		loc_position(g->loc, &line, &col);
		fprintf(out, ":%u:%u", line, col);
	}
	fprintf(out, ": %s[%s]: ", g->warning ? "warning" : "error", dtag_name(g->tag));
	escape_print(out, g->message, strlen(g->message), 0);
	putc('\n', out);
	if (g->loc.src)
		print_excerpt(g, out);
	if (g->hint) {
		fputs(g->loc.src ? " hint: " : "    hint: ", out);
		escape_print(out, g->hint, strlen(g->hint), 0);
	}
	if (g->loc.src || g->hint)
		putc('\n', out);
}

void diags_print(const struct diags *d, FILE *out)
{
	for (size_t i = 0; i < d->list.n; i++)
		diag_print(&d->list.v[i], out);
	if (d->errors > DIAG_KEEP)
		fprintf(out, "dwire: %zu more errors not shown\n", d->errors - DIAG_KEEP);
}

#define NEAR_MAX 64u

/* Optimal string alignment distance (edits, and swaps of neighbours), letters compared without case. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NEAR_MAX + 1];
	size_t *before = rows[0], *prev = rows[1], *cur = rows[2];

	for (size_t j = 0; j <= nb; j++)
		prev[j] = j;
	for (size_t i = 1; i <= na; i++) {
		const int ca = tolower((unsigned char)a[i - 1]);

		cur[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			const int cb = tolower((unsigned char)b[j - 1]);
			size_t best = prev[j - 1] + (ca != cb);

			if (prev[j] + 1 < best)
				best = prev[j] + 1;
			if (cur[j - 1] + 1 < best)
				best = cur[j - 1] + 1;
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
				cb == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			cur[j] = best;
		}
		size_t *spare = before;

		before = prev;
		prev = cur;
		cur = spare;
	}
	return prev[nb];
}

const char *nearest_name(const char *name, const char *const *table)
{
	const size_t n = strlen(name);
	/* The shorter the name, the fewer mistakes it can hold and still be itself. */
	size_t best = n < 2 ? 0 : n < 5 ? 1 : n < 9 ? 2 : 3;
	const char *found = NULL;

	if (n > NEAR_MAX)
		return NULL;
	best++;
	for (; *table; table++) {
		const size_t m = strlen(*table);
		const size_t gap = m > n ? m - n : n - m;

		if (m > NEAR_MAX || gap >= best)
			continue;
		const size_t dist = edit_distance(name, n, *table, m);

		if (dist < best) {
			best = dist;
			found = *table;
		}
	}
	return found;
}

const char *longer_name(const char *name, const char *const *table)
{
	size_t n = strlen(name), best = SIZE_MAX;
	const char *found = NULL;

	for (; *table && n > 2; table++) {
		size_t m = strlen(*table);

		if (m > n && m < best && (*table)[m - n - 1] == '_' && !strcmp(*table + m - n, name)) {
			found = *table;
			best = m;
		}
	}
	return found;
}
