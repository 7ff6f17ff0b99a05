/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input: see input.h.
 * Input: a path, or "-" for the standard input. Output: its text.
 * Invariant: reading stops near READ_MAX bytes, so an endless stream cannot fill memory; the parser then refuses the
 * text as too long. */
#include "cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The parser refuses texts above 16 MiB with its own message. This limit is larger, so that the parser reports. */
#define READ_MAX (32u << 20)

static int read_stream(FILE *in, char **text, size_t *len)
{
	char buf[65536];
	FILE *mem = open_memstream(text, len);
	size_t n, total = 0;
	int r;

	if (!mem)
		return -ENOMEM;
	errno = 0;
	while (total < READ_MAX && (n = fread(buf, 1, sizeof(buf), in)) > 0) {
		fwrite(buf, 1, n, mem);
		total += n;
	}
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
	r = read_stream(in, text, len);
	if (in != stdin)
		fclose(in);
	return r;
}
