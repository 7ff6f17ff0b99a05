/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter: see filter.h.
 * Input: the values of the filters' options; D expressions for a csinfo_t *, ports and addresses. Output: a D
 * condition.
 * Invariant: without a filter the condition is "(1)". */
#include "cli/tool/program/filter.h"

#include <errno.h>
#include <mntent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "api/dwire.h"
#include "base/inet.h"
#include "cli/tool/getent.h"
#include "cli/tool/list.h"

/* What the filters test, as D expressions. */
struct subject {
	const char *cs;
	bool here; /* cs is the running process, without a socket */
	const char *laddr, *raddr;
	const char *a, *b; /* ports; b may be NULL */
	const char *flags; /* of TCP */
};

/* Writes " && CONDITION", or nothing if the option was not given. False after a message. */
static bool add(struct tool *t, const char *name, list_test *test, const struct subject *of, FILE *out)
{
	const struct param *p = tool_param(t, name);

	if (!p || !p->given)
		return true;
	fputs(" && ", out);
	return list_condition(t, p->value, test, of, out);
}

/* A text that a D string can hold as it is. */
static bool is_plain(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == '"' || *s == '\\')
			return false;
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

/* "global" is the zone with the id 0. */
static bool test_netns(struct tool *t, const char *name, const void *arg, FILE *out)
{
	const struct subject *of = arg;
	unsigned long long number;

	if (!strcmp(name, "global")) {
		fprintf(out, "%s->cs_zoneid == 0", of->cs);
		return true;
	}
	if (!netns_number(t, name, &number))
		return false;
	fprintf(out, "%s->cs_netns == %llu", of->cs, number);
	return true;
}

/* The same namespaces as a list "global,4026532251". */
bool tool_netns_numbers(struct tool *t, FILE *out)
{
	const struct param *p = tool_param(t, "tool_netns");
	unsigned long long number;
	struct list_item item;
	bool any = false;

	for (const char *s = p && p->given ? p->value : NULL; s;) {
		s = list_next(s, &item);
		if (item.negate) {
			message(&t->own, "--netns !%s: this tool reads counters of namespaces that are named",
				item.text);
			return false;
		}
		fputs(any ? "," : "", out);
		any = true;
		if (!strcmp(item.text, "global"))
			fputs("global", out);
		else if (netns_number(t, item.text, &number))
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

/* The socket's cgroup, or that of the running process, is the given one or below it: its ancestor at that depth has
 * that number. cgroup.ancestors exists since Linux 6.1. */
static bool test_cgroup(struct tool *t, const char *name, const void *arg, FILE *out)
{
	const struct subject *of = arg;
	char group[160], exists[96] = "";
	unsigned long long id;
	unsigned depth;

	snprintf(group, sizeof(group), "curthread->cgroups->dfl_cgrp");
	if (!of->here) {
		snprintf(group, sizeof(group), "((struct sock *)%s->cs_addr)->sk_cgrp_data.cgroup", of->cs);
		snprintf(exists, sizeof(exists), "%s->cs_addr != 0 && ", of->cs);
	}
	if (!cgroup_find(t, name, &id, &depth))
		return false;
	fprintf(out, "(%s%s->level >= %u && %s->ancestors[%u]->kn->id == %llu)", exists, group, depth, group, depth,
		id);
	return true;
}

/* A container's id, of which 12 digits are compared, as cs_container holds no more; a prefix of one; or a name, of
 * containers that run now or start later. */
static bool test_container(struct tool *t, const char *name, const void *arg, FILE *out)
{
	const struct subject *of = arg;
	size_t n = strlen(name);
	bool hex = !name[strspn(name, "0123456789abcdef")];

	if (!n || !is_plain(name)) {
		message(&t->own, "no container %s", name);
		return false;
	}
	if (hex && n >= 12)
		fprintf(out, "%s->cs_container == \"%.12s\"", of->cs, name);
	else
		fprintf(out, "%s->cs_containername == \"%s\"", of->cs, name);
	if (hex && n < 12)
		fprintf(out, " || substr(%s->cs_container, 0, %zu) == \"%s\"", of->cs, n, name);
	return true;
}

/* The name of a pod, or NAMESPACE/NAME. */
static bool test_pod(struct tool *t, const char *name, const void *arg, FILE *out)
{
	const struct subject *of = arg;
	const char *slash = strchr(name, '/'), *pod = slash ? slash + 1 : name;

	if (!*pod || slash == name || strchr(pod, '/') || !is_plain(name)) {
		message(&t->own, "no pod %s: --pod takes NAME or NAMESPACE/NAME", name);
		return false;
	}
	fprintf(out, "(%s->cs_podname == \"%s\"", of->cs, pod);
	if (slash)
		fprintf(out, " && %s->cs_podnamespace == \"%.*s\"", of->cs, (int)(slash - name), name);
	fputs(")", out);
	return true;
}

/* ---- processes, ports, addresses --------------------------------------------------------------------------------- */
/* A number is a process; probes see those of the machine's first pid namespace, so that of the user is translated. A
 * name is that of all processes that have it, now or later; the kernel keeps 15 characters. */
static bool test_pid(struct tool *t, const char *item, const void *arg, FILE *out)
{
	const struct subject *of = arg;
	long pid, to;

	if (list_range(item, 0, INT32_MAX, &pid, &to) && pid == to) {
		fprintf(out, "%s->cs_pid == %d", of->cs, dwire_pid_seen((pid_t)pid));
		return true;
	}
	if (!*item || !is_plain(item)) {
		message(&t->own, "no process %s", item);
		return false;
	}
	fprintf(out, "%s->cs_execname == \"%.15s\"", of->cs, item);
	return true;
}

/* A user's name or number. Without a process it is the user of the socket. */
static bool test_user(struct tool *t, const char *item, const void *arg, FILE *out)
{
	const struct subject *of = arg;
	unsigned long number;
	char text[512];
	long uid, to;

	if (list_range(item, 0, UINT32_MAX, &uid, &to) && uid == to) {
		fprintf(out, "%s->cs_uid == %ld", of->cs, uid);
		return true;
	}
	/* name:password:uid:... */
	if (!tool_getent("passwd", item, text, sizeof(text)) || sscanf(text, "%*[^:]:%*[^:]:%lu", &number) != 1) {
		message(&t->own, "no user %s", item);
		return false;
	}
	fprintf(out, "%s->cs_uid == %lu", of->cs, number);
	return true;
}

/* One of the ports that the subject has. */
static bool test_port(struct tool *t, const char *item, const void *arg, FILE *out)
{
	const struct subject *of = arg;

	(void)t;
	list_put_range(of->a, item, out);
	if (of->b)
		fputs(" || ", out);
	if (of->b)
		list_put_range(of->b, item, out);
	return true;
}

static bool add_ports(struct tool *t, const char *name, const char *a, const char *b, FILE *out)
{
	struct subject of = { .a = a, .b = b };

	return add(t, name, test_port, &of, out);
}

static void put_host(const char *net, const struct subject *of, FILE *out)
{
	fprintf(out, "inet_in(%s, \"%s\") || inet_in(%s, \"%s\")", of->laddr, net, of->raddr, net);
}

/* All addresses of a name: getent prints each in a line, for each type of socket. */
static bool test_name(struct tool *t, const char *name, const struct subject *of, FILE *out)
{
	char text[8192], *rest, *line, address[64];
	struct inet_net net;
	bool any = false;

	if (tool_getent("ahosts", name, text, sizeof(text)))
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			if (!strstr(line, "STREAM") || sscanf(line, "%63[^ %%]", address) != 1 ||
				!inet_net_parse(address, &net))
				continue;
			fputs(any ? " || " : "", out);
			put_host(address, of, out);
			any = true;
		}
	if (!any)
		message(&t->own, "--host: no address of %s is known", name);
	return any;
}

/* Either end may match --host. */
static bool test_host(struct tool *t, const char *item, const void *arg, FILE *out)
{
	const struct subject *of = arg;
	struct inet_net net;

	if (inet_net_parse(item, &net)) {
		put_host(item, of, out);
		return true;
	}
	if (!*item || !item[strspn(item, "0123456789.:/")] || strchr(item, '/')) {
		message(&t->own, "--host takes names, addresses and networks, as 10.0.0.0/8 or ::1, not %s", item);
		return false;
	}
	return test_name(t, item, of, out);
}

/* -4 and -6 test the remote address alone, since both ends have the same family. */
static bool add_hosts(struct tool *t, const char *laddr, const char *raddr, FILE *out)
{
	struct subject of = { .laddr = laddr, .raddr = raddr };

	if (!add(t, "tool_host", test_host, &of, out))
		return false;
	if (tool_number(t, "tool_ip4"))
		fprintf(out, " && inet_in(%s, \"0.0.0.0/0\")", raddr);
	if (tool_number(t, "tool_ip6"))
		fprintf(out, " && inet_in(%s, \"::/0\")", raddr);
	return true;
}

/* A flag of TCP by its name, as SYN or syn; several with + must all be there: SYN+ACK. */
static bool test_flags(struct tool *t, const char *item, const void *arg, FILE *out)
{
	static const char *const names[] = { "FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR" };
	const struct subject *of = arg;
	unsigned mask = 0;

	for (const char *s = item; s; s = strchr(s, '+') ? strchr(s, '+') + 1 : NULL) {
		size_t n = strcspn(s, "+"), i = 0;

		while (i < 8 && (n != 3 || strncasecmp(s, names[i], 3) != 0))
			i++;
		if (i == 8) {
			message(&t->own,
				"--flags takes FIN, SYN, RST, PSH, ACK, URG, ECE and CWR, as SYN+ACK,!RST, not %s",
				*item ? item : "nothing");
			return false;
		}
		mask |= 1u << i;
	}
	fprintf(out, "((%s) & %u) == %u", of->flags, mask, mask);
	return true;
}

/* The arguments are the socket; its ports; its addresses; TCP's flags. The cheapest conditions come first. */
bool tool_filter(struct tool *t, char *const *args, size_t nargs, bool here, FILE *out)
{
	const struct subject of = { .cs = args[0], .here = here, .flags = nargs == 6 ? args[5] : NULL };
	const struct param *match;
	bool ok = nargs == 1 || (!here && (nargs == 3 || nargs == 5 || nargs == 6));

	if (!ok)
		message(&t->own, "wanted() takes 1, 3, 5 or 6 arguments");
	fputs("(1", out);
	ok = ok && add(t, "tool_pid", test_pid, &of, out) && add(t, "tool_user", test_user, &of, out) &&
		add(t, "tool_netns", test_netns, &of, out) && add(t, "tool_cgroup", test_cgroup, &of, out) &&
		add(t, "tool_container", test_container, &of, out) && add(t, "tool_pod", test_pod, &of, out);
	if (tool_only_command(t))
		fprintf(out, " && (%s->cs_pid == $target || tool_mine[%s->cs_pid])", args[0], args[0]);
	if (ok && nargs >= 3)
		ok = add_ports(t, "tool_port", args[1], args[2], out) &&
			add_ports(t, "tool_lport", args[1], NULL, out) &&
			add_ports(t, "tool_rport", args[2], NULL, out);
	if (ok && nargs >= 5)
		ok = add_hosts(t, args[3], args[4], out);
	if (nargs == 6 && tool_param(t, "tool_flags") && tool_param(t, "tool_flags")->given)
		fprintf(out, " && (%s) != 0", of.flags); /* it is TCP */
	if (ok && nargs == 6)
		ok = add(t, "tool_flags", test_flags, &of, out);
	match = tool_param(t, "tool_match");
	if (match && match->given)
		fprintf(out, " && pcap_match(%s)", match->value);
	fputs(")", out);
	return ok;
}

bool tool_filter_netns(struct tool *t, char *const *args, size_t nargs, FILE *out)
{
	const struct subject of = { .cs = args[0] };
	bool ok = nargs == 1;

	if (!ok)
		message(&t->own, "wanted_netns() takes 1 argument");
	fputs("(1", out);
	ok = ok && add(t, "tool_netns", test_netns, &of, out);
	fputs(")", out);
	return ok;
}

/* Generates a condition with all filters for the sake of its messages only. */
bool tool_check_filters(struct tool *t)
{
	char cs[] = "cs", port[] = "0", addr[] = "\"\"", flags[] = "0";
	char *const args[] = { cs, port, port, addr, addr, flags };
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	bool ok = f && tool_filter(t, args, 6, false, f);

	if (!f || fclose(f) || !text)
		t->no_memory = true;
	free(text);
	return ok;
}
