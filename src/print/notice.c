/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notice: see notice.h.
 * Input: drops, faults, costs. Output: notes in the words of dtrace(1). */
#include "print/notice.h"

#include <stdio.h>

static const struct {
	const char *tag, *text;
	bool addr; /* its value is an address, and shown */
} faults[] = {
#define X(n, v, a, s) [v] = { "DTRACEFLT_" #n, s, a },
	DW_FAULTS(X)
#undef X
};
#define NFAULTS (sizeof(faults) / sizeof(faults[0]))

void notice_drop(const struct reporter *to, const struct drop *d, bool tag)
{
	const char *name = tag ? drop_tag(d->kind) : NULL;
	char text[256];

	drop_text(d, true, text, sizeof(text));
	report_note(to, "%s%s%s%s", name ? "[DTRACEDROP_" : "", name ? name : "", name ? "] " : "", text);
}

/* Bytes with the unit that keeps the number short. */
static void size_text(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	double n = (double)bytes;
	size_t i = 0;

	for (; n >= 1024 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		n /= 1024;
	snprintf(buf, size, i ? "%.1f %s" : "%.0f %s", n, units[i]);
}

#define MS(ns) ((double)(ns) / 1e6)

void notice_cost(const struct reporter *to, const struct cost *c)
{
	char memory[32];

	size_text(c->memory, memory, sizeof(memory));
	report_note(to, "cost: %s%.2f%% of %u CPU%s in %.2f s; %s in the kernel", c->counted ? "" : "more than ",
		(double)cost_share(c) / 1e4, c->cpus, c->cpus == 1 ? "" : "s", (double)c->wall / 1e9, memory);
	report_note(to, "cost: dwire %.0f ms user, %.0f ms system, %.0f ms of helpers; %.0f ms before that to start",
		MS(c->user), MS(c->system), MS(c->helpers), MS(c->start));
	if (!c->counted) {
		report_note(to, "cost: the kernel did not count the programs");
		return;
	}
	report_note(to, "cost: %12s %12s %8s  PROBE", "RUNS", "MS", "NS/RUN");
	for (size_t i = 0; i < c->nrows; i++) {
		const struct cost_row *r = &c->rows[i];

		report_note(to, "cost: %12llu %12.3f %8.0f  %s", (unsigned long long)r->runs, MS(r->ns),
			(double)r->ns / (double)r->runs, r->name);
	}
}

void notice_fault_text(const struct fault *f, bool tag, char *buf, size_t size)
{
	const struct image_probe *p = f->probe;
	const struct dw_err *e = f->err;
	const uint32_t n = e->fault < NFAULTS && faults[e->fault].tag ? e->fault : 0;
	char head[48] = "", addr[32] = "", where[32] = "predicate";

	if (tag)
		snprintf(head, sizeof(head), "[%s] ", faults[n].tag);
	if (e->action)
		snprintf(where, sizeof(where), "action #%u", e->action);
	if (f->more) {
		snprintf(buf, size, "%s%llu more error%s on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s in %s", head,
			(unsigned long long)f->more, f->more == 1 ? "" : "s", e->epid, p->id, p->prov, p->mod, p->func,
			p->name, faults[n].text, where);
		return;
	}
	if (faults[n].addr)
		snprintf(addr, sizeof(addr), " (0x%llx)", (unsigned long long)e->value);
	snprintf(buf, size, "%serror on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s%s in %s at BPF pc %u", head,
		e->epid, p->id, p->prov, p->mod, p->func, p->name, faults[n].text, addr, where, e->pc);
}

void notice_fault(const struct reporter *to, const struct fault *f, bool tag)
{
	char text[NOTICE_MAX];

	notice_fault_text(f, tag, text, sizeof(text));
	report_note(to, "%s", text);
}
