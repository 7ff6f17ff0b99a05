/* name: see name.h. Input: messages of the library, which calls itself dwire. Output: the same on stderr, under the
 * name that whoever installed us as dtrace expects. Invariant: nothing else is changed, and nothing is held back but
 * the beginning of a line that may still become the prefix. */
#include "cli/name.h"

#include <string.h>
#include <unistd.h>

static const char prefix[] = "dwire: ";

struct renamer {
	const char *name;
	size_t matched; /* bytes of the prefix that this line began with; none once it began otherwise */
	int in_line;    /* past the place of the prefix */
};

const char *name_of_command(const char *argv0)
{
	size_t n = argv0 ? strlen(argv0) : 0;

	return n >= 6 && !strcmp(argv0 + n - 6, "dtrace") ? "dtrace" : "dwire";
}

static int put(const char *s, size_t n)
{
	while (n) {
		ssize_t done = write(STDERR_FILENO, s, n);

		if (done < 0)
			return -1;
		s += done;
		n -= (size_t)done;
	}
	return 0;
}

/* One byte of a message. */
static int put_byte(struct renamer *r, char c)
{
	size_t held = r->matched;
	int err = 0;

	if (!r->in_line && c == prefix[held]) {
		if (prefix[++r->matched])
			return 0;
		r->in_line = 1;
		return put(r->name, strlen(r->name)) || put(": ", 2) ? -1 : 0;
	}
	if (!r->in_line)
		err = put(prefix, held);
	err = put(&c, 1) || err ? -1 : 0;
	r->in_line = c != '\n';
	r->matched = 0;
	return err;
}

static ssize_t write_messages(void *cookie, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (put_byte(cookie, s[i]))
			return 0;
	return (ssize_t)n;
}

FILE *name_messages(const char *name)
{
	static struct renamer r;
	FILE *f;

	if (!strcmp(name, "dwire"))
		return stderr;
	r.name = name;
	f = fopencookie(&r, "w", (cookie_io_functions_t){ .write = write_messages });
	if (f)
		setvbuf(f, NULL, _IOLBF, 0);
	return f;
}
