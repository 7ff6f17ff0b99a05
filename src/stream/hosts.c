/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts: see hosts.h. Input: names, and what became of each. Output: counts, and the report of those that are missing.
 * Invariant: awaited and begun are the numbers of machines for which that holds. */
#include "stream/hosts.h"

#include <stdio.h>

#include "base/escape.h"

#define SHOWN_MAX 10 /* names in a report; the others are a number */

void hosts_expect(struct hosts *hosts, struct arena *a, const char *name)
{
	struct host *h;

	if (!hosts->by_name) {
		hosts->by_name = strmap_new(a);
		hosts->last = &hosts->first;
	}
	if (hosts_find(hosts, name))
		return;
	h = ARENA_NEW(a, struct host);
	h->name = escape_name(a, arena_strdup(a, name));
	strmap_put(hosts->by_name, name, h);
	*hosts->last = h;
	hosts->last = &h->next;
	hosts->n++;
	hosts->awaited++;
}

struct host *hosts_find(const struct hosts *hosts, const char *name)
{
	return hosts->by_name && *name ? strmap_get(hosts->by_name, name) : NULL;
}

void hosts_greet(struct hosts *hosts, struct host *h)
{
	if (!h || h->greeted)
		return;
	h->greeted = true;
	hosts->awaited -= !h->gone;
}

void hosts_begin(struct hosts *hosts, struct host *h)
{
	if (!h || h->begun)
		return;
	h->begun = true;
	hosts->begun++;
}

void hosts_leave(struct hosts *hosts, struct host *h)
{
	if (!h || h->gone)
		return;
	h->gone = true;
	hosts->awaited -= !h->greeted;
}

/* Machines that are missing are reported in one line: there may be thousands. */
static void report_missing(const struct hosts *hosts, const struct reporter *report, size_t missing)
{
	char names[1024] = "";
	size_t shown = 0, len = 0;

	for (const struct host *h = hosts->first; h && shown < SHOWN_MAX; h = h->next) {
		if (h->greeted || len >= sizeof(names) - 1)
			continue;
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", shown ? ", " : "", h->name);
		shown++;
	}
	if (missing > shown)
		report_note(report, "%zu of %zu hosts never reported: %s and %zu more", missing, hosts->n, names,
			missing - shown);
	else
		report_note(report, "%zu of %zu hosts never reported: %s", missing, hosts->n, names);
}

int hosts_judge(const struct hosts *hosts, const struct reporter *report)
{
	size_t missing = 0;
	bool strange = false;

	for (const struct host *h = hosts->first; h; h = h->next) {
		missing += !h->greeted;
		strange |= h->strange || h->crowded;
		if (h->crowded)
			report_warning(report, D_NONE, NULL,
				"%s: %llu frames of sessions beyond the first %zu were passed over", h->name,
				(unsigned long long)h->crowded, h->sessions);
	}
	if (missing)
		report_missing(hosts, report, missing);
	return missing || strange;
}
