/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input: see input.h.
 * Input: a path, or "-" for the standard input. Output: its text.
 * Invariant: reading stops near READ_MAX bytes, so an endless stream cannot fill memory; the parser then refuses the
 * text as too long. */
#include "cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The standard input may hold several texts, each ended by a NUL byte: dwire on sends scripts so, and keeps it open. */
#define TEXT_END '\0'

/* The parser refuses texts above 16 MiB with its own message. This limit is larger, so that the parser reports. */
#define READ_MAX (32u << 20)

/* end: what ends the text before the end of the stream; EOF: nothing. */
static int read_stream(FILE *in, int end, char **text, size_t *len)
{
	FILE *mem = open_memstream(text, len);
	size_t total = 0;
	int r, c;

	if (!mem)
		return -ENOMEM;
	errno = 0;
	while (total++ < READ_MAX && (c = getc_unlocked(in)) != EOF && c != end)
		putc_unlocked(c, mem);
	r = ferror(in) ? -(errno ? errno : EIO) : 0;
	return fclose(mem) ? -ENOMEM : r;
}

int input_read(const char *path, char **text, size_t *len)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
	int r;

	*text = NULL;
	*len = 0;
	if (!in)
		return -errno;
	r = read_stream(in, in == stdin ? TEXT_END : EOF, text, len);
	if (in != stdin)
		fclose(in);
	return r;
}
