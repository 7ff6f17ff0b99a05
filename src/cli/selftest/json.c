/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json: see json.h. Output: one line of JSON (RFC 8259). */
#include "cli/selftest/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"

static void write_text(FILE *out, const char *s)
{
	size_t n, len = strlen(s);
	uint32_t c;

	fputc('"', out);
	for (; len; s += n, len -= n) {
		n = utf8_decode(s, len, &c);
		if (!n) {
			fputs("\\ufffd", out);
			n = 1;
		} else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (int)c);
		else if (c < ' ' || c == 127)
			fprintf(out, "\\u%04x", c);
		else
			fwrite(s, 1, n, out);
	}
	fputc('"', out);
}

/* What stands before a value. */
static void begin(struct json *j, const char *name)
{
	if (j->filled)
		fputc(',', j->out);
	j->filled = true;
	if (name)
		fprintf(j->out, "\"%s\":", name);
}

void json_text(struct json *j, const char *name, const char *s)
{
	begin(j, name);
	if (s)
		write_text(j->out, s);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *name, bool v)
{
	begin(j, name);
	fputs(v ? "true" : "false", j->out);
}

void json_number(struct json *j, const char *name, bool known, uint64_t v)
{
	begin(j, name);
	if (known)
		fprintf(j->out, "%" PRIu64, v);
	else
		fputs("null", j->out);
}

void json_open(struct json *j, const char *name, char bracket)
{
	begin(j, name);
	fputc(bracket, j->out);
	j->filled = false;
}

void json_close(struct json *j, char bracket)
{
	fputc(bracket, j->out);
	j->filled = true;
}
