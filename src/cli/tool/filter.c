/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter: see filter.h.
 * Input: the values of the filters' options; D expressions for a csinfo_t *, ports and addresses. Output: a D
 * condition.
 * Invariant: without a filter the condition is "(1)". */
#include "cli/tool/filter.h"

#include <ctype.h>
#include <errno.h>
#include <mntent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/dwire.h"
#include "base/inet.h"

#define MAX_ITEMS 64

struct items {
	char text[256];
	char *v[MAX_ITEMS];
	size_t n;
};

/* Splits the value of an option, "a,b". No values if the option was not given. */
static bool split(struct tool *t, const char *name, struct items *out)
{
	const struct param *p = tool_param(t, name);
	char *rest;

	out->n = 0;
	if (!p || !p->given)
		return true;
	snprintf(out->text, sizeof(out->text), "%s", p->value);
	for (char *s = strtok_r(out->text, ",", &rest); s; s = strtok_r(NULL, ",", &rest)) {
		if (out->n == MAX_ITEMS) {
			message(&t->own, "%s takes at most %d values", p->word, MAX_ITEMS);
			return false;
		}
		out->v[out->n++] = s;
	}
	return true;
}

/* ---- network namespaces ------------------------------------------------------------------------------------------ */
/* The inode number of a namespace given by a path, by a name under /run/netns, or as the column ZONE shows it. False
 * after a message. */
static bool netns_number(struct tool *t, const char *name, unsigned long long *out)
{
	char path[300];
	uint32_t netns = 0;
	bool is_path = strchr(name, '/');
	int r;

	if (!is_path && dwire_zone_number(name, &netns) == 0) {
		*out = netns;
		return true;
	}
	snprintf(path, sizeof(path), "%s%s", is_path ? "" : "/run/netns/", name);
	r = dwire_netns_number(path, &netns);
	if (r) {
		message(&t->own, "no network namespace %s: %s%s%s", name, path, r == -ENOTTY ? " is " : ": ",
			r == -ENOTTY ? "another file" : strerror(-r));
		return false;
	}
	*out = netns;
	return true;
}

/* Adds " && (NETNS1 || NETNS2)"; "global" is the zone with the id 0. All add_ functions write this form, or nothing
 * if the option was not given. False after a message. */
static bool add_netns(struct tool *t, const char *cs, FILE *out)
{
	unsigned long long number;
	struct items it;

	if (!split(t, "tool_netns", &it))
		return false;
	for (size_t i = 0; i < it.n; i++) {
		if (!strcmp(it.v[i], "global")) {
			fprintf(out, "%s%s->cs_zoneid == 0", i ? " || " : " && (", cs);
			continue;
		}
		if (!netns_number(t, it.v[i], &number))
			return false;
		fprintf(out, "%s%s->cs_netns == %llu", i ? " || " : " && (", cs, number);
	}
	fputs(it.n ? ")" : "", out);
	return true;
}

/* The same namespaces as a list "global,4026532251". */
bool tool_netns_numbers(struct tool *t, FILE *out)
{
	unsigned long long number;
	struct items it;

	if (!split(t, "tool_netns", &it))
		return false;
	for (size_t i = 0; i < it.n; i++) {
		fputs(i ? "," : "", out);
		if (!strcmp(it.v[i], "global"))
			fputs("global", out);
		else if (netns_number(t, it.v[i], &number))
			fprintf(out, "%llu", number);
		else
			return false;
	}
	return true;
}

/* ---- cgroups ----------------------------------------------------------------------------------------------------- */
/* The mount point of cgroup2, usually /sys/fs/cgroup, or /sys/fs/cgroup/unified where cgroup v1 is in use too. */
static bool cgroup_root(char *out, size_t size)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	bool found = false;

	while (f && !found && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "cgroup2")) {
			snprintf(out, size, "%s", m->mnt_dir);
			found = true;
		}
	if (f)
		endmntent(f);
	return found;
}

/* A cgroup's number (the inode number of its directory) and its depth below the root. name: a path below the root,
 * or an absolute path with the mount point. False after a message. */
static bool cgroup_find(struct tool *t, const char *name, unsigned long long *id, unsigned *depth)
{
	char root[256], path[600];
	const char *rest = name;
	struct stat s;

	if (!cgroup_root(root, sizeof(root))) {
		message(&t->own, "--cgroup: no cgroup2 is mounted");
		return false;
	}
	if (!strncmp(name, root, strlen(root)))
		rest = name + strlen(root);
	snprintf(path, sizeof(path), "%s/%s", root, rest);
	if (stat(path, &s) || !S_ISDIR(s.st_mode)) {
		message(&t->own, "no cgroup %s: %s", name, path);
		return false;
	}
	*id = s.st_ino;
	*depth = 0;
	for (const char *p = rest; *p; p += strcspn(p, "/")) {
		p += strspn(p, "/");
		*depth += *p != '\0';
	}
	return true;
}

/* The condition that the socket's cgroup is one of the list or below it: its ancestor at that depth has that number.
 * here:
 * the cgroup of the running process. cgroup.ancestors exists since Linux 6.1. */
static bool add_cgroup(struct tool *t, const char *cs, bool here, FILE *out)
{
	char of[160], exists[96] = "";
	unsigned long long id;
	struct items it;
	unsigned depth;

	if (!split(t, "tool_cgroup", &it))
		return false;
	snprintf(of, sizeof(of), "curthread->cgroups->dfl_cgrp");
	if (!here) {
		snprintf(of, sizeof(of), "((struct sock *)%s->cs_addr)->sk_cgrp_data.cgroup", cs);
		snprintf(exists, sizeof(exists), "%s->cs_addr != 0 && ", cs);
	}
	for (size_t i = 0; i < it.n; i++) {
		if (!cgroup_find(t, it.v[i], &id, &depth))
			return false;
		fprintf(out, "%s(%s%s->level >= %u && %s->ancestors[%u]->kn->id == %llu)", i ? " || " : " && (", exists,
			of, depth, of, depth, id);
	}
	fputs(it.n ? ")" : "", out);
	return true;
}

/* A container's id, of which 12 digits are compared, as cs_container holds no more; a prefix of one; or the name of
 * an LXC container. */
static bool add_container(struct tool *t, const char *cs, FILE *out)
{
	struct items it;

	if (!split(t, "tool_container", &it))
		return false;
	for (size_t i = 0; i < it.n; i++) {
		size_t n = strlen(it.v[i]);
		bool hex = !it.v[i][strspn(it.v[i], "0123456789abcdef")];

		if (it.v[i][strcspn(it.v[i], "\"\\")]) {
			message(&t->own, "no container %s", it.v[i]);
			return false;
		}
		fputs(i ? " || " : " && (", out);
		if (hex && n < 12)
			fprintf(out, "substr(%s->cs_container, 0, %zu) == \"%s\"", cs, n, it.v[i]);
		else
			fprintf(out, "%s->cs_container == \"%.*s\"", cs, hex ? 12 : (int)n, it.v[i]);
	}
	fputs(it.n ? ")" : "", out);
	return true;
}

/* ---- processes, ports, addresses --------------------------------------------------------------------------------- */
/* Probes see the numbers of the machine's first pid namespace, so those of the user are translated. */
static bool add_pids(struct tool *t, const char *cs, FILE *out)
{
	struct items it;

	if (!split(t, "tool_pid", &it))
		return false;
	for (size_t i = 0; i < it.n; i++)
		fprintf(out, "%s%s->cs_pid == %d", i ? " || " : " && (", cs,
			dwire_pid_seen((pid_t)strtol(it.v[i], NULL, 0)));
	fputs(it.n ? ")" : "", out);
	return true;
}

/* Compares port a, and b unless it is NULL, with the ports of an option. */
static bool add_ports(struct tool *t, const char *name, const char *a, const char *b, FILE *out)
{
	struct items it;

	if (!split(t, name, &it))
		return false;
	for (size_t i = 0; i < it.n; i++) {
		fprintf(out, "%s(%s) == %s", i ? " || " : " && (", a, it.v[i]);
		if (b)
			fprintf(out, " || (%s) == %s", b, it.v[i]);
	}
	fputs(it.n ? ")" : "", out);
	return true;
}

/* Either end may match --host. -4 and -6 test the remote address alone, since both have the same family. */
static bool add_hosts(struct tool *t, const char *laddr, const char *raddr, FILE *out)
{
	struct inet_net net;
	struct items it;

	if (!split(t, "tool_host", &it))
		return false;
	for (size_t i = 0; i < it.n; i++) {
		if (!inet_net_parse(it.v[i], &net)) {
			message(&t->own, "--host takes addresses and networks, as 10.0.0.0/8 or ::1, not %s", it.v[i]);
			return false;
		}
		fprintf(out, "%sinet_in(%s, \"%s\") || inet_in(%s, \"%s\")", i ? " || " : " && (", laddr, it.v[i],
			raddr, it.v[i]);
	}
	fputs(it.n ? ")" : "", out);
	if (tool_number(t, "tool_ip4"))
		fprintf(out, " && inet_in(%s, \"0.0.0.0/0\")", raddr);
	if (tool_number(t, "tool_ip6"))
		fprintf(out, " && inet_in(%s, \"::/0\")", raddr);
	return true;
}

/* The arguments are the socket; its ports; its addresses. The cheapest conditions come first. */
bool tool_filter(struct tool *t, char *const *args, size_t nargs, bool here, FILE *out)
{
	const struct param *match;
	bool ok = nargs == 1 || (!here && (nargs == 3 || nargs == 5));

	if (!ok)
		message(&t->own, "wanted() takes 1, 3 or 5 arguments");
	fputs("(1", out);
	ok = ok && add_pids(t, args[0], out) && add_netns(t, args[0], out) && add_cgroup(t, args[0], here, out) &&
		add_container(t, args[0], out);
	if (ok && nargs >= 3)
		ok = add_ports(t, "tool_port", args[1], args[2], out) &&
			add_ports(t, "tool_lport", args[1], NULL, out) &&
			add_ports(t, "tool_rport", args[2], NULL, out);
	if (ok && nargs == 5)
		ok = add_hosts(t, args[3], args[4], out);
	match = tool_param(t, "tool_match");
	if (match && match->given)
		fprintf(out, " && pcap_match(%s)", match->value);
	fputs(")", out);
	return ok;
}

bool tool_filter_netns(struct tool *t, char *const *args, size_t nargs, FILE *out)
{
	bool ok = nargs == 1;

	if (!ok)
		message(&t->own, "wanted_netns() takes 1 argument");
	fputs("(1", out);
	ok = ok && add_netns(t, args[0], out);
	fputs(")", out);
	return ok;
}

/* Generates a condition with all filters for the sake of its messages only. */
bool tool_check_filters(struct tool *t)
{
	char cs[] = "cs", port[] = "0", addr[] = "\"\"";
	char *const args[] = { cs, port, port, addr, addr };
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	bool ok = f && tool_filter(t, args, 5, false, f);

	if (!f || fclose(f) || !text)
		t->no_memory = true;
	free(text);
	return ok;
}
