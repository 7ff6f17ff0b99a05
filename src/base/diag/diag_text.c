/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag_text: a diagnostic as text for a terminal.
 * Input: struct diag. Output: its message, the source line, a caret, a hint.
 * Invariant: nothing that came from a script or a traced process is printed unescaped. */
#include "base/diag/diag_text.h"

#include <string.h>

#include "base/escape.h"

#define WIDTH 160u /* longest source line shown whole, in bytes */
#define BEFORE 60u /* bytes shown before the caret of a longer one */

/* The place of the diagnostic, cut to the text. */
static size_t clip_off(struct loc at)
{
	return at.off < at.src->len ? at.off : at.src->len;
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
		for (size_t cols = escape_print(NULL, s + i, n, ESCAPE_ALL); cols; cols--)
			putc(' ', out);
		if (i + n < len) {
			putc('\t', out);
			n++;
		}
	}
}

/* "^~~~" below the place. cut: the line above begins with "...". */
static void print_caret(FILE *out, const char *text, size_t from, size_t off, size_t to, size_t len, bool cut)
{
	fputs(cut ? "       " : "    ", out);
	print_pad(out, text + from, off - from);
	size_t width = escape_print(NULL, text + off, len < to - off ? len : to - off, ESCAPE_ALL);

	putc('^', out);
	while (width-- > 1)
		putc('~', out);
}

/* The source line, or the stretch of it around the caret, and the caret line. */
static void print_excerpt(const struct diag *g, FILE *out)
{
	const char *text = g->loc.src->text;
	const size_t off = clip_off(g->loc);
	size_t from = source_line(g->loc.src, off), to = off;
	bool cut_left = false, cut_right = false;

	while (to < g->loc.src->len && text[to] != '\n')
		to++;
	if (to > from && text[to - 1] == '\r' && to - 1 >= off)
		to--;
	if (to - from > WIDTH) {
		if (off - from > BEFORE) {
			from = char_boundary(text, off - BEFORE, off);
			cut_left = true;
		}
		if (to - from > WIDTH) {
			to = char_boundary(text, from + WIDTH, to);
			cut_right = true;
		}
	}
	fputs(cut_left ? "    ..." : "    ", out);
	for (size_t i = from, n; i < to; i += n) {
		for (n = 0; i + n < to && text[i + n] != '\t'; n++)
			;
		escape_print(out, text + i, n, ESCAPE_ALL);
		if (i + n < to) {
			putc('\t', out);
			n++;
		}
	}
	fputs(cut_right ? "...\n" : "\n", out);
	print_caret(out, text, from, off, to, g->loc.len, cut_left);
}

/* "tcp.d:7:22: error[D_SYNTAX]: ", or "PROGRAM: " of what is not about a D program. */
static void print_head(const struct diag *g, const char *program, FILE *out)
{
	static const char *const levels[] = {
		[DIAG_ERROR] = "error",
		[DIAG_WARNING] = "warning",
		[DIAG_NOTE] = "note",
	};
	unsigned line, col;
	size_t len;
	const char *name = loc_file(g->loc, &len);

	if (name)
		escape_print(out, name, len, ESCAPE_ALL);
	else
		fputs(program, out);
	if (g->loc.src) {
		loc_position(g->loc, &line, &col);
		fprintf(out, ":%u:%u", line, col);
	}
	if (g->tag != D_NONE)
		fprintf(out, ": %s[%s]: ", levels[g->level], dtag_name(g->tag));
	else
		fputs(g->level == DIAG_WARNING ? ": warning: " : ": ", out);
}

void diag_print(const struct diag *g, const char *program, FILE *out)
{
	print_head(g, program, out);
	escape_print(out, g->message, strlen(g->message), ESCAPE_ALL);
	putc('\n', out);
	if (g->loc.src)
		print_excerpt(g, out);
	if (g->hint) {
		fputs(g->loc.src ? " hint: " : "    hint: ", out);
		escape_print(out, g->hint, strlen(g->hint), ESCAPE_ALL);
	}
	if (g->loc.src || g->hint)
		putc('\n', out);
	if (g->detail)
		escape_print(out, g->detail, strlen(g->detail), ESCAPE_KEEP_LAYOUT);
}
