/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notice: see notice.h.
 * Input: drops, faults. Output: notes in the words of dtrace(1). */
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
	char text[1024]; /* the names of a probe have at most 127, 63, 127 and 63 bytes */

	notice_fault_text(f, tag, text, sizeof(text));
	report_note(to, "%s", text);
}
