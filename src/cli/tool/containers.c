/* SPDX-License-Identifier: GPL-2.0-or-later */
/* containers: see containers.h.
 * Input: the library's list of containers. Output: a line for each. */
#include "cli/tool/containers.h"

#include <string.h>

#include "base/escape.h"

/* A cell of at least width columns; "-": not known. */
static void put(const char *text, size_t width, FILE *out)
{
	size_t n = escape_print(out, *text ? text : "-", *text ? strlen(text) : 1, ESCAPE_ALL);

	fprintf(out, "%*s", n < width ? (int)(width - n) : 0, "");
}

static void show(void *ctx, const struct dwire_container_names *c)
{
	size_t *n = ctx;

	if (!(*n)++)
		puts("CONTAINER       CONTAINER_NAME       POD                      POD_NAMESPACE");
	put(c->id, 15, stdout);
	putchar(' ');
	put(c->name, 20, stdout);
	putchar(' ');
	put(c->pod, 24, stdout);
	putchar(' ');
	put(c->pod_namespace, 0, stdout);
	putchar('\n');
}

int containers_main(int argc, char **argv, const struct messages *m)
{
	size_t n = 0;

	if (argc > 1) {
		message(m, "%s takes no arguments: it lists the running containers", argv[0]);
		return 2;
	}
	dwire_containers(show, &n);
	if (!n)
		message(m, "no container is running in a cgroup that can be seen from here");
	return 0;
}
