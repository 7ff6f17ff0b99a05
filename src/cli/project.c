/* SPDX-License-Identifier: GPL-2.0-or-later */
/* project: see project.h. Input: options and texts. Output: a header or an object file.
 * Invariant: the file is opened only when its contents are made. */
#include "cli/project.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *letter(const struct project *p)
{
	return p->header ? "-h" : "-G";
}

/* prov.d gives prov.h or prov.o. The caller frees it. NULL: no script, or no memory; reported. */
static char *output_name(const struct project *p, const struct messages *messages)
{
	const char *base, *suffix = p->header ? "h" : "o";
	char *name = NULL;
	size_t n;

	if (!p->output && (!p->script || !strcmp(p->script, "-"))) {
		message(messages, "%s needs the name of its output: -o FILE", letter(p));
		return NULL;
	}
	if (p->output)
		name = strdup(p->output);
	else {
		base = strrchr(p->script, '/') ? strrchr(p->script, '/') + 1 : p->script;
		n = strlen(base);
		if (n > 2 && !strcmp(base + n - 2, ".d"))
			n -= 2;
		if (asprintf(&name, "%.*s.%s", (int)n, base, suffix) < 0)
			name = NULL;
	}
	if (!name)
		message(messages, "%s", strerror(ENOMEM));
	return name;
}

static int write_file(const char *name, const char *data, size_t n, const struct messages *messages)
{
	FILE *out = fopen(name, "we");
	bool failed = !out;

	if (out) {
		failed = fwrite(data, 1, n, out) != n;
		failed |= fclose(out) != 0;
	}
	if (failed)
		message(messages, "cannot write to %s: %s", name, strerror(errno));
	return failed ? 1 : 0;
}

/* Are the options complete? Objects are not changed, but a misspelt one is an error now and not in the linker. */
static bool complete(const struct project *p, const struct messages *messages)
{
	if (p->header && p->object) {
		message(messages, "-h and -G make one file each: run them one after the other");
		return false;
	}
	for (int i = 0; p->object && i < p->nobjects; i++)
		if (access(p->objects[i], R_OK)) {
			message(messages, "cannot read %s: %s", p->objects[i], strerror(errno));
			return false;
		}
	return true;
}

int project_write(struct dwire *d, const struct project *p, const struct messages *messages)
{
	char *name = complete(p, messages) ? output_name(p, messages) : NULL, *data = NULL;
	int status = 1;
	size_t n = 0;
	FILE *made;

	if (!name)
		return status;
	made = open_memstream(&data, &n);
	if (made) {
		int r = p->header ? dwire_provider_header(d, made) : dwire_provider_object(d, made);

		if (fclose(made) && !r) {
			message(messages, "%s", strerror(ENOMEM));
			r = -ENOMEM;
		}
		if (!r)
			status = write_file(name, data, n, messages);
	} else
		message(messages, "%s", strerror(errno));
	free(data);
	free(name);
	return status;
}
