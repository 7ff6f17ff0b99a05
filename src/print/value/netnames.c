/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netnames: see netnames.h. Input: a number or an address as text. Output: a name. Invariant: no memory is kept, so an
 * edited file counts at once. */
#include "print/value/netnames.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_ 512 /* of /etc/services and /etc/hosts; what is longer is not looked at */

/* The first two words of each line of a file, until match says that it is the one. */
static bool find_line(const char *path, bool (*match)(const void *key, const char *first, const char *second),
	const void *key, char line[LINE_MAX_], char **first, char **second)
{
	FILE *in = fopen(path, "re");
	bool found = false;

	while (in && !found && fgets(line, LINE_MAX_, in)) {
		char *save;

		line[strcspn(line, "#\n")] = '\0';
		*first = strtok_r(line, " \t", &save);
		*second = *first ? strtok_r(NULL, " \t", &save) : NULL;
		found = *second && match(key, *first, *second);
	}
	if (in)
		fclose(in);
	return found;
}

/* "http 80/tcp" */
static bool is_port(const void *key, const char *name, const char *port)
{
	const uint16_t *want = key;
	char *end;

	(void)name;
	return strtoul(port, &end, 10) == *want && *end == '/';
}

void netname_port(uint16_t port, char name[NETNAME_MAX])
{
	char line[LINE_MAX_], *first, *second;

	if (find_line("/etc/services", is_port, &port, line, &first, &second))
		snprintf(name, NETNAME_MAX, "%s", first);
	else
		snprintf(name, NETNAME_MAX, "%u", port);
}

struct address {
	int family;
	unsigned char bytes[sizeof(struct in6_addr)];
};

static bool read_address(const char *text, struct address *out)
{
	memset(out, 0, sizeof(*out));
	out->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	return inet_pton(out->family, text, out->bytes) == 1;
}

/* "127.0.0.1 localhost" */
static bool is_host(const void *key, const char *text, const char *name)
{
	struct address a;

	(void)name;
	return read_address(text, &a) && !memcmp(key, &a, sizeof(a));
}

void netname_host(const char *address, size_t len, char name[NETNAME_MAX])
{
	char line[LINE_MAX_], *first, *second;
	struct address a;

	snprintf(name, NETNAME_MAX, "%.*s", (int)(len < NETNAME_MAX ? len : NETNAME_MAX - 1), address);
	if (read_address(name, &a) && find_line("/etc/hosts", is_host, &a, line, &first, &second))
		snprintf(name, NETNAME_MAX, "%s", second);
}
