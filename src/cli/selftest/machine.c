/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine: see machine.h. Reads /proc and /sys; what cannot be read is shown as unknown. */
#include "cli/selftest/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/selftest/provider.h"

/* The first line of a file, cut to size. "unknown": it cannot be read. */
static void first_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(buf, (int)size, f))
		snprintf(buf, size, "unknown");
	buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* The choice that the kernel marks: "none [integrity] confidentiality". */
static void lockdown(char *buf, size_t size)
{
	char line[80], *from, *to;

	first_line("/sys/kernel/security/lockdown", line, sizeof(line));
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to)
		*to = '\0';
	snprintf(buf, size, "%s", to ? from + 1 : "unknown (securityfs is not mounted, or has none)");
}

/* Which of those that dwire asks for the process has. */
static void capabilities(char *buf, size_t size)
{
	static const struct {
		unsigned bit;
		const char *name;
	} asked[] = { { 39, "bpf" }, { 38, "perfmon" }, { 12, "net_admin" }, { 21, "sys_admin" }, { 19, "sys_ptrace" },
		{ 24, "sys_resource" } };
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	bool known = false;
	char line[128];
	size_t n = 0;

	while (f && !known && fgets(line, sizeof(line), f))
		known = sscanf(line, "CapEff: %llx", &caps) == 1;
	if (f)
		fclose(f);
	snprintf(buf, size, known ? "" : "unknown");
	for (size_t i = 0; known && i < sizeof(asked) / sizeof(asked[0]) && n < size; i++)
		n += (size_t)snprintf(
			buf + n, size - n, "%s%c%s", i ? " " : "", caps >> asked[i].bit & 1 ? '+' : '-', asked[i].name);
}

/* Where the hierarchies of cgroups are mounted, by /proc/mounts. */
static const char *cgroups(void)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	bool v1 = false, v2 = false;
	char line[4096], type[32];

	if (!f)
		return "unknown";
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %31s", type) == 1) {
			v1 |= !strcmp(type, "cgroup");
			v2 |= !strcmp(type, "cgroup2");
		}
	fclose(f);
	return v1 && v2 ? "v1 and v2" : v2 ? "v2" : v1 ? "v1 (v2 is mounted by dwire where it may)" : "none mounted";
}

static void memlock(char *buf, size_t size)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_MEMLOCK, &l))
		snprintf(buf, size, "unknown");
	else if (l.rlim_cur == RLIM_INFINITY)
		snprintf(buf, size, "unlimited");
	else
		snprintf(buf, size, "%llu KiB", (unsigned long long)l.rlim_cur / 1024);
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
	char locked[80], unprivileged[32], jit[32], caps[128], limit[32], name[64];
	struct utsname u = { .release = "unknown" };

	uname(&u);
	lockdown(locked, sizeof(locked));
	first_line("/proc/sys/kernel/unprivileged_bpf_disabled", unprivileged, sizeof(unprivileged));
	first_line("/proc/sys/net/core/bpf_jit_enable", jit, sizeof(jit));
	capabilities(caps, sizeof(caps));
	memlock(limit, sizeof(limit));
	fprintf(out, "dwire %s, Linux %s, %s, %ld CPUs, container: %s\n", dwire_version(), u.release, u.machine,
		sysconf(_SC_NPROCESSORS_ONLN), dwire_container(getpid(), name, sizeof(name)) ? name : "none seen");
	fprintf(out, "%-13s %s\n", "types (BTF)",
		access("/sys/kernel/btf/vmlinux", R_OK) ? "none: the kernel needs CONFIG_DEBUG_INFO_BTF" : "yes");
	fprintf(out, "%-13s %s\n", "lockdown", locked);
	fprintf(out, "%-13s %s\n", "capabilities", caps);
	fprintf(out, "%-13s unprivileged_bpf_disabled %s, bpf_jit_enable %s, memlock %s\n", "bpf", unprivileged, jit,
		limit);
	fprintf(out, "%-13s %s\n", "cgroup", cgroups());
	tiers(d, out);
}
