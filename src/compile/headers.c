/* SPDX-License-Identifier: GPL-2.0-or-later */
/* headers: see headers.h.
 * Input: the output of cpp, with marks # LINE "FILE" FLAGS; flag 3 marks a system header. Output: the same text,
 * where system headers keep only declarations that begin with typedef, struct, union or enum.
 * Invariant: text outside of system headers does not change, and every newline stays, so that lines and columns in
 * diagnostics are right. */
#include "compile/headers.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

struct word {
	const char *text;
	const char *instead; /* at most as long */
	bool args;           /* with a list in parentheses */
};

static const struct word words[] = {
	{ "__attribute__", "", true },
	{ "__attribute", "", true },
	{ "__asm__", "", true },
	{ "__asm", "", true },
	{ "asm", "", true },
	{ "_Alignas", "", true },
	{ "__extension__", "", false },
	{ "__restrict__", "", false },
	{ "__restrict", "", false },
	{ "__inline__", "", false },
	{ "__inline", "", false },
	{ "__builtin_va_list", "void *", false },
	{ "__const", "const", false },
	{ "__signed__", "signed", false },
	{ "__volatile__", "volatile", false },
};

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Keeps newlines, so that the lines of errors stay right. */
static void blank(char *s, const char *end)
{
	for (; s < end; s++)
		if (*s != '\n')
			*s = ' ';
}

/* Behind the string or character constant that starts at s. */
static char *skip_quoted(char *s, const char *end)
{
	const char quote = *s++;

	while (s < end && *s != quote && *s != '\n')
		s += *s == '\\' && s + 1 < end ? 2 : 1;
	return s < end ? s + 1 : s;
}

/* Returns the text after the mark at s, which takes a whole line. *system: does a system header follow? */
static char *skip_mark(char *s, const char *end, bool *system)
{
	char *nl = memchr(s, '\n', (size_t)(end - s)), *stop = nl ? nl : s + (end - s), *flags = stop;

	while (flags > s && flags[-1] != '"')
		flags--;
	if (flags > s) {
		*system = false;
		for (; flags < stop; flags++)
			*system |= *flags == '3';
	}
	return stop;
}

/* A mark of the preprocessor begins at the start of a line. */
static bool is_mark(const char *text, const char *s)
{
	return *s == '#' && (s == text || s[-1] == '\n');
}

/* Behind the parentheses that open at or after s; s when there are none. */
static char *skip_args(char *s, const char *end)
{
	char *p = s;
	int depth = 0;

	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p == end || *p != '(')
		return s;
	for (; p < end; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')' && !--depth)
			return p + 1;
		else if (*p == '"')
			p = skip_quoted(p, end) - 1;
	}
	return p;
}

/* Replaces the word at s if only GNU C knows it. Returns the position after the word, with its arguments if it was
 * replaced. */
static char *clean_word(char *s, char *end)
{
	char *stop = s, *behind;

	while (stop < end && in_word(*stop))
		stop++;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct word *w = &words[i];
		const size_t n = strlen(w->text), m = strlen(w->instead);

		if (n != (size_t)(stop - s) || memcmp(s, w->text, n) != 0)
			continue;
		behind = w->args ? skip_args(stop, end) : stop;
		blank(s, behind);
		memcpy(s, w->instead, m);
		return behind;
	}
	return stop;
}

/* Blanks out an empty struct member (struct { } name;), which only GNU C allows. Returns the position after it; s if
 * there is none. */
static char *clean_empty(char *s, char *end)
{
	char *p = s + strlen("struct"), *stop;

	if (end - s < 10 || memcmp(s, "struct", 6) != 0)
		return s;
	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p == end || *p++ != '{')
		return s;
	while (p < end && isspace((unsigned char)*p))
		p++;
	stop = p < end && *p == '}' ? memchr(p, ';', (size_t)(end - p)) : NULL;
	if (!stop)
		return s;
	blank(s, stop + 1);
	return stop + 1;
}

static bool has(const char *s, const char *end, const char *what)
{
	const size_t n = strlen(what);

	for (; s + n <= end; s++)
		if (!memcmp(s, what, n))
			return true;
	return false;
}

static bool starts_with_type(const char *s, const char *end)
{
	static const char *const heads[] = { "typedef", "struct", "union", "enum" };

	while (s < end && isspace((unsigned char)*s))
		s++;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const size_t n = strlen(heads[i]);

		if (s + n < end && !memcmp(s, heads[i], n) && !in_word(s[n]))
			return true;
	}
	return false;
}

/* Blanks out a declaration, marks in it excepted. */
static void drop(const char *text, char *s, const char *end)
{
	bool system;

	while (s < end) {
		if (is_mark(text, s)) {
			s = skip_mark(s, end, &system);
			continue;
		}
		if (*s != '\n')
			*s = ' ';
		s++;
	}
}

/* Decides at the end of a declaration of a system header whether to keep it. */
static void settle(const char *text, char *s, const char *end)
{
	/* A declaration with one of these uses types that D lacks; it is dropped. */
	static const char *const strange[] = { "__builtin_", "__int128", "_Float", "__float128", "_Complex",
		"_Atomic" };
	bool keep = starts_with_type(s, end);

	for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
		keep &= !has(s, end, strange[i]);
	if (!keep)
		drop(text, s, end);
}

void headers_reduce(char *text, size_t len)
{
	char *s = text, *end = text + len, *start = NULL;
	bool system = false;
	int depth = 0;

	while (s < end) {
		if (is_mark(text, s)) {
			s = skip_mark(s, end, &system);
		} else if (!system || isspace((unsigned char)*s)) {
			s++;
		} else if (in_word(*s)) {
			char *behind = depth ? clean_empty(s, end) : s;

			start = start ? start : s;
			s = behind > s ? behind : clean_word(s, end);
		} else if (*s == '"' || *s == '\'') {
			s = skip_quoted(s, end);
		} else {
			const char c = *s++;
			const bool body = c == '}' && depth == 1 && !starts_with_type(start ? start : s, s);

			start = start ? start : s - 1;
			depth += c == '{' || c == '(' || c == '[' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
			if ((c == ';' && depth <= 0) || body) {
				settle(text, start, s);
				start = NULL;
				depth = 0;
			}
		}
	}
}
