/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table: see table.h.
 * Input: the embedded scripts, sorted by name. Output: the tool of a name, the list of all.
 * Invariant: the table is generated and never changed. */
#include "cli/tool/table.h"

#include <stdbool.h>
#include <string.h>

#include "base/diag/nearest.h"

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

/* "tcptop: TCP bytes by process": the text after the name in the first line of the script. */
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
	fputs("usage: dwire TOOL [option ...] [argument ...]; dwire TOOL -h explains it\n"
	      "where to look: dwire netcheck; docs/problems has problems and their commands\n\n",
		out);
	for (size_t i = 0; i < tool_nfiles; i++)
		put_title(i, out);
}
