/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selinux: see selinux.h.
 * Input: /proc/self/attr/current and selinuxfs. Output: text for messages.
 * A denial leaves the process its capabilities and is only an EPERM or EACCES for it. So the policy is asked, by
 * selinuxfs's file access: a line "SOURCE TARGET CLASS" is written, and the answer is read from the same descriptor.
 * Invariant: whatever cannot be read counts as not denied. */
#include "kernel/selinux.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/readall.h"

#define SELINUXFS "/sys/fs/selinux"
#define PERMISSIVE_DOMAIN 1u /* a flag of the answer: denials are only logged */

enum { PERMISSIONS = 6 };

/* What tracing needs. The kernel accepts CAP_SYS_ADMIN for both permissions of capability2. */
static const struct need {
	const char *class;
	bool events;   /* only perf events need it */
	bool paranoid; /* only where kernel.perf_event_paranoid forbids events to all but CAP_SYS_ADMIN */
	bool admin_too;
	const char *permissions[PERMISSIONS];
} needs[] = {
	{ "bpf", false, false, false, { "map_create", "map_read", "map_write", "prog_load", "prog_run" } },
	{ "capability2", false, false, true, { "bpf", "perfmon" } },
	{ "capability", false, false, false, { "net_admin" } },
	{ "capability", true, true, false, { "sys_admin" } },
	{ "perf_event", true, false, false, { "open", "cpu", "kernel", "tracepoint", "read", "write" } },
};

/* The number in a file of selinuxfs; 0: there is none. */
static long number(const char *path)
{
	char text[32];

	read_first_line(path, text, sizeof(text));
	return strtol(text, NULL, 10);
}

/* A context is USER:ROLE:TYPE[:LEVEL]. AppArmor uses the same file for a name and a mode: "NAME (enforce)". */
static void read_domain(char *buf, size_t len)
{
	char *colon;

	read_first_line("/proc/self/attr/current", buf, len);
	colon = strchr(buf, ':');
	if (!colon || !strchr(colon + 1, ':') || strchr(buf, ' '))
		buf[0] = '\0';
}

/* Which permissions of a class the domain has for itself. False: unknown, or denials of this domain are only logged. */
static bool allowed(const char *domain, const char *class, uint32_t *permissions)
{
	char path[128], text[400];
	long index;
	unsigned flags = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SELINUXFS "/class/%s/index", class);
	index = number(path);
	if (index <= 0)
		return false;
	fd = open(SELINUXFS "/access", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = snprintf(text, sizeof(text), "%s %s %ld", domain, domain, index);
	n = write(fd, text, (size_t)n) == n ? read(fd, text, sizeof(text) - 1) : -1;
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* Allowed, all ones, two masks for the audit, a sequence number, flags. */
	return sscanf(text, "%x %*x %*x %*x %*u %x", permissions, &flags) == 2 && !(flags & PERMISSIVE_DOMAIN);
}

/* A permission that the policy does not know is not denied. */
static bool denies(const char *class, const char *permission, uint32_t permissions)
{
	char path[128];
	long bit;

	snprintf(path, sizeof(path), SELINUXFS "/class/%s/perms/%s", class, permission);
	bit = number(path);
	return bit >= 1 && bit <= 32 && !(permissions >> (bit - 1) & 1);
}

static void add_denied(const char *domain, const struct need *need, char *buf, size_t len)
{
	uint32_t permissions = 0, more = 0;
	const size_t start = strlen(buf);
	bool any = false;

	if (!allowed(domain, need->class, &permissions))
		return;
	if (need->admin_too && allowed(domain, "capability", &more) && !denies("capability", "sys_admin", more))
		return;
	for (size_t i = 0; i < PERMISSIONS && need->permissions[i]; i++) {
		const size_t used = strlen(buf);

		if (!denies(need->class, need->permissions[i], permissions))
			continue;
		if (any)
			snprintf(buf + used, len - used, " %s", need->permissions[i]);
		else
			snprintf(buf + used, len - used, "%s%s { %s", start ? ", " : "", need->class,
				need->permissions[i]);
		any = true;
	}
	if (any)
		snprintf(buf + strlen(buf), len - strlen(buf), " }");
}

void selinux_ask(struct selinux *s, bool events)
{
	bool paranoid;

	memset(s, 0, sizeof(*s));
	read_domain(s->domain, sizeof(s->domain));
	s->unreadable = s->domain[0] && access(SELINUXFS "/enforce", R_OK);
	if (!s->domain[0] || number(SELINUXFS "/enforce") != 1)
		return;
	paranoid = number("/proc/sys/kernel/perf_event_paranoid") > 2;
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if ((events || !needs[i].events) && (paranoid || !needs[i].paranoid))
			add_denied(s->domain, &needs[i], s->denied, sizeof(s->denied));
}
