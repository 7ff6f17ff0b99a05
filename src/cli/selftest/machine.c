/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine: see machine.h. Reads /proc and /sys; what cannot be read is shown as unknown. */
#include "cli/selftest/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/selftest/provider.h"

struct machine {
	struct utsname u;
	char lockdown[80];      /* "": unknown */
	char container[64];     /* "": none seen */
	long unprivileged, jit; /* the sysctls; -1: unknown */
	bool types;             /* the kernel has BTF */
	bool known_caps;
	unsigned long long caps;
	bool known_mounts, v1, v2; /* hierarchies of cgroups */
	bool known_limit;
	struct rlimit limit; /* of locked memory */
};

/* The capabilities that dwire asks for. */
static const struct {
	unsigned bit;
	const char *name;
} asked[] = { { 39, "bpf" }, { 38, "perfmon" }, { 12, "net_admin" }, { 21, "sys_admin" }, { 19, "sys_ptrace" },
	{ 24, "sys_resource" } };
enum { ASKED = sizeof(asked) / sizeof(asked[0]) };

/* The first line of a file, cut to size; "": it cannot be read. */
static void first_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(buf, (int)size, f))
		*buf = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* -1: the file has no number, or cannot be read. */
static long number_in(const char *path)
{
	char line[32], *end;
	long n;

	first_line(path, line, sizeof(line));
	n = strtol(line, &end, 10);
	return *line && !*end && n >= 0 ? n : -1;
}

/* The choice that the kernel marks: "none [integrity] confidentiality". */
static void read_lockdown(struct machine *m)
{
	char line[80], *from, *to;

	first_line("/sys/kernel/security/lockdown", line, sizeof(line));
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to)
		*to = '\0';
	snprintf(m->lockdown, sizeof(m->lockdown), "%s", to ? from + 1 : "");
}

static void read_capabilities(struct machine *m)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[128];

	while (f && !m->known_caps && fgets(line, sizeof(line), f))
		m->known_caps = sscanf(line, "CapEff: %llx", &m->caps) == 1;
	if (f)
		fclose(f);
}

/* Where the hierarchies of cgroups are mounted, by /proc/mounts. */
static void read_mounts(struct machine *m)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char line[4096], type[32];

	m->known_mounts = f != NULL;
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %31s", type) == 1) {
			m->v1 |= !strcmp(type, "cgroup");
			m->v2 |= !strcmp(type, "cgroup2");
		}
	fclose(f);
}

static void read_machine(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	snprintf(m->u.release, sizeof(m->u.release), "unknown");
	uname(&m->u);
	read_lockdown(m);
	if (!dwire_container(getpid(), m->container, sizeof(m->container)))
		m->container[0] = '\0';
	m->unprivileged = number_in("/proc/sys/kernel/unprivileged_bpf_disabled");
	m->jit = number_in("/proc/sys/net/core/bpf_jit_enable");
	m->types = !access("/sys/kernel/btf/vmlinux", R_OK);
	read_capabilities(m);
	read_mounts(m);
	m->known_limit = !getrlimit(RLIMIT_MEMLOCK, &m->limit);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */
static const char *cgroups(const struct machine *m)
{
	if (!m->known_mounts)
		return "unknown";
	return m->v1 && m->v2 ? "v1 and v2"
		: m->v2       ? "v2"
		: m->v1       ? "v1 (v2 is mounted by dwire where it may)"
			      : "none mounted";
}

static void print_number(const char *name, long n, FILE *out)
{
	if (n < 0)
		fprintf(out, "%s unknown, ", name);
	else
		fprintf(out, "%s %ld, ", name, n);
}

static void print_bpf(const struct machine *m, FILE *out)
{
	fprintf(out, "%-13s ", "bpf");
	print_number("unprivileged_bpf_disabled", m->unprivileged, out);
	print_number("bpf_jit_enable", m->jit, out);
	if (!m->known_limit)
		fprintf(out, "memlock unknown\n");
	else if (m->limit.rlim_cur == RLIM_INFINITY)
		fprintf(out, "memlock unlimited\n");
	else
		fprintf(out, "memlock %llu KiB\n", (unsigned long long)m->limit.rlim_cur / 1024);
}

static void print_capabilities(const struct machine *m, FILE *out)
{
	fprintf(out, "%-13s", "capabilities");
	for (size_t i = 0; m->known_caps && i < ASKED; i++)
		fprintf(out, " %c%s", m->caps >> asked[i].bit & 1 ? '+' : '-', asked[i].name);
	fputs(m->known_caps ? "\n" : " unknown\n", out);
}

static void tiers(struct dwire *d, FILE *out)
{
	for (size_t i = 0; i < SELFTEST_TIERS; i++) {
		const char *lacks = dwire_tier_lacks(d, selftest_tiers[i]);

		fprintf(out, "%-13s %s%s\n", i ? "" : "tiers", selftest_tiers[i], lacks ? ": this kernel lacks" : "");
		if (lacks)
			fprintf(out, "%-13s   %s\n", "", lacks);
	}
}

void machine_print(struct dwire *d, FILE *out)
{
	struct machine m;

	read_machine(&m);
	fprintf(out, "dwire %s, Linux %s, %s, %ld CPUs, container: %s\n", dwire_version(), m.u.release, m.u.machine,
		sysconf(_SC_NPROCESSORS_ONLN), *m.container ? m.container : "none seen");
	fprintf(out, "%-13s %s\n", "types (BTF)", m.types ? "yes" : "none: the kernel needs CONFIG_DEBUG_INFO_BTF");
	fprintf(out, "%-13s %s\n", "lockdown",
		*m.lockdown ? m.lockdown : "unknown (securityfs is not mounted, or has none)");
	print_capabilities(&m, out);
	print_bpf(&m, out);
	fprintf(out, "%-13s %s\n", "cgroup", cgroups(&m));
	tiers(d, out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */
static void json_capabilities(const struct machine *m, struct json *j)
{
	if (!m->known_caps) {
		json_text(j, "capabilities", NULL);
		return;
	}
	json_open(j, "capabilities", '{');
	for (size_t i = 0; i < ASKED; i++)
		json_bool(j, asked[i].name, m->caps >> asked[i].bit & 1);
	json_close(j, '}');
}

static void json_cgroups(const struct machine *m, struct json *j)
{
	if (!m->known_mounts) {
		json_text(j, "cgroup", NULL);
		return;
	}
	json_open(j, "cgroup", '{');
	json_bool(j, "v1", m->v1);
	json_bool(j, "v2", m->v2);
	json_close(j, '}');
}

static void json_limit(const struct machine *m, struct json *j)
{
	const bool finite = m->known_limit && m->limit.rlim_cur != RLIM_INFINITY;

	if (m->known_limit)
		json_bool(j, "memlock_unlimited", !finite);
	else
		json_text(j, "memlock_unlimited", NULL);
	json_number(j, "memlock_bytes", finite, m->limit.rlim_cur);
}

static void json_tiers(struct dwire *d, struct json *j)
{
	json_open(j, "tiers", '[');
	for (size_t i = 0; i < SELFTEST_TIERS; i++) {
		json_open(j, NULL, '{');
		json_text(j, "tier", selftest_tiers[i]);
		json_text(j, "lacks", dwire_tier_lacks(d, selftest_tiers[i]));
		json_close(j, '}');
	}
	json_close(j, ']');
}

void machine_json(struct dwire *d, struct json *j)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct machine m;

	read_machine(&m);
	json_text(j, "dwire", dwire_version());
	json_text(j, "kernel", m.u.release);
	json_text(j, "machine", m.u.machine);
	json_number(j, "cpus", cpus > 0, (uint64_t)cpus);
	json_text(j, "container", *m.container ? m.container : NULL);
	json_bool(j, "btf", m.types);
	json_text(j, "lockdown", *m.lockdown ? m.lockdown : NULL);
	json_capabilities(&m, j);
	json_number(j, "unprivileged_bpf_disabled", m.unprivileged >= 0, (uint64_t)m.unprivileged);
	json_number(j, "bpf_jit_enable", m.jit >= 0, (uint64_t)m.jit);
	json_limit(&m, j);
	json_cgroups(&m, j);
	json_tiers(d, j);
}
