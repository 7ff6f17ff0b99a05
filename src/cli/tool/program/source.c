/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source: see source.h.
 * Input: a position in a script. Output: the position behind what stands there.
 * Invariant: the script is not changed. */
#include "cli/tool/program/source.h"

#include <stdlib.h>
#include <string.h>

const char *source_skip(const char *s)
{
	const char *p = s;

	if (!strncmp(s, "/*", 2)) {
		p = strstr(s + 2, "*/");
		return p ? p + 2 : s + strlen(s);
	}
	if (!strncmp(s, "//", 2))
		return s + strcspn(s, "\n");
	if (*s != '"' && *s != '\'')
		return s;
	for (p = s + 1; *p && *p != *s && *p != '\n'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

const char *source_args(const char *s, char close, struct call *c)
{
	const char *from = s, *p;
	int depth = 0;
	char *end;

	memset(c, 0, sizeof(*c));
	for (; *s && (depth || *s != close); s = p > s ? p : s + 1) {
		p = source_skip(s);
		depth += p == s && strchr("([{", *s) ? 1 : p == s && strchr(")]}", *s) ? -1 : 0;
	}
	if (!*s)
		return NULL;
	c->text = strndup(from, (size_t)(s - from));
	c->no_memory = !c->text;
	if (!c->text || !c->text[strspn(c->text, " \t\n")])
		return c->text ? s + 1 : NULL;
	c->args[c->nargs++] = c->text;
	depth = 0;
	for (end = c->text; *end; end = p > end ? c->text + (p - c->text) : end + 1) {
		p = source_skip(end);
		if (p == end && strchr("([{", *end))
			depth++;
		else if (p == end && strchr(")]}", *end))
			depth--;
		else if (p == end && *end == ',' && !depth && c->nargs < MAX_ARGS) {
			*end = '\0';
			c->args[c->nargs++] = end + 1 + strspn(end + 1, " \t\n");
		}
	}
	return s + 1;
}
