/* SPDX-License-Identifier: GPL-2.0-or-later */
/* name: see name.h. Input: messages of the library, which calls itself dwire, whole lines at a time. Output: the same
 * on stderr, under the name that users of dtrace expect. Invariant: nothing but the prefix of a line is changed. */
#include "cli/name.h"

#include <string.h>

#define PREFIX "dwire: "
#define PREFIX_LEN (sizeof(PREFIX) - 1)

static ssize_t write_messages(void *cookie, const char *s, size_t size)
{
	struct name *n = cookie;
	const char *end = s + size;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *stop = nl ? nl + 1 : end;

		if (!n->in_line && (size_t)(stop - s) >= PREFIX_LEN && !memcmp(s, PREFIX, PREFIX_LEN)) {
			fprintf(stderr, "%s: ", n->word);
			s += PREFIX_LEN;
		}
		fwrite(s, 1, (size_t)(stop - s), stderr);
		n->in_line = !nl;
		s = stop;
	}
	return ferror(stderr) ? 0 : (ssize_t)size;
}

FILE *name_messages(struct name *n, const char *argv0)
{
	size_t len = argv0 ? strlen(argv0) : 0;
	FILE *f;

	*n = (struct name){ .word = "dwire" };
	if (len < 6 || strcmp(argv0 + len - 6, "dtrace") != 0)
		return stderr;
	n->word = "dtrace";
	f = fopencookie(n, "w", (cookie_io_functions_t){ .write = write_messages });
	if (f)
		setvbuf(f, NULL, _IOLBF, 0);
	return f;
}
