/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts: see facts.h. Reads uname(2), sysinfo(2) and /etc/os-release; what cannot be read is shown as unknown. */
#include "cli/report/facts.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "api/dwire.h"
#include "cli/picture/markup.h"

const char *facts_host(char *buf, size_t size)
{
	if (gethostname(buf, size) || !*buf)
		snprintf(buf, size, "unknown machine");
	buf[size - 1] = '\0';
	return buf;
}

/* The name of the distribution, from os-release(5); "unknown". */
static void read_distribution(char *buf, size_t size)
{
	static const char name[] = "PRETTY_NAME=";
	FILE *f = fopen("/etc/os-release", "re");
	char line[256];

	snprintf(buf, size, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		char *from = line + sizeof(name) - 1;

		if (strncmp(line, name, sizeof(name) - 1) != 0)
			continue;
		from += strspn(from, "\"'");
		from[strcspn(from, "\"'\n")] = '\0';
		snprintf(buf, size, "%s", from);
	}
	if (f)
		fclose(f);
}

static void put(FILE *out, const char *name, const char *value)
{
	fprintf(out, "<dt>%s</dt><dd>", name);
	markup_str(out, value);
	fputs("</dd>\n", out);
}

/* "3 d 4 h", "12 min" */
static void put_uptime(FILE *out, long s)
{
	char text[64];

	if (s >= 86400)
		snprintf(text, sizeof(text), "%ld d %ld h", s / 86400, s / 3600 % 24);
	else
		snprintf(text, sizeof(text), "%ld h %ld min", s / 3600, s / 60 % 60);
	put(out, "up", text);
}

static void put_load(FILE *out, const struct sysinfo *info)
{
	const double one = 1 << SI_LOAD_SHIFT;
	char text[64], memory[UNIT_TEXT];

	snprintf(text, sizeof(text), "%.2f, %.2f, %.2f in 1, 5 and 15 minutes", (double)info->loads[0] / one,
		(double)info->loads[1] / one, (double)info->loads[2] / one);
	put(out, "load", text);
	put(out, "memory", unit_text(memory, sizeof(memory), (int64_t)(info->totalram * info->mem_unit), UNIT_BYTES));
}

/* Where probes can be attached, and what keeps dwire from the other places. */
static void put_tiers(FILE *out, struct dwire *d)
{
	static const char *const tiers[] = { "hooks", "functions", "kprobes" };

	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		const char *lacks = dwire_tier_lacks(d, tiers[i]);
		char text[256];

		snprintf(text, sizeof(text), lacks ? "not here: %s" : "yes", lacks);
		put(out, tiers[i], text);
	}
}

void facts_html(FILE *out, struct dwire *d)
{
	char text[256], cpus[64];
	struct utsname u;
	struct sysinfo info;

	if (!uname(&u)) {
		snprintf(text, sizeof(text), "%s %s, %s", u.sysname, u.release, u.machine);
		put(out, "kernel", text);
	}
	read_distribution(text, sizeof(text));
	put(out, "system", text);
	snprintf(cpus, sizeof(cpus), "%ld of %ld", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
	put(out, "CPUs online", cpus);
	if (!sysinfo(&info)) {
		put_uptime(out, info.uptime);
		put_load(out, &info);
	}
	put_tiers(out, d);
	put(out, "dwire", dwire_version());
}
