/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault: see fault.h. */
#include "print/fault.h"

static const struct {
	const char *tag, *text;
	bool addr; /* its value is an address, and shown */
} faults[] = {
#define X(n, v, a, s) [v] = { "DTRACEFLT_" #n, s, a },
	DW_FAULTS(X)
#undef X
};
#define NFAULTS (sizeof(faults) / sizeof(faults[0]))

void fault_print(FILE *f, const struct dw_err *e, const struct image_probe *p, bool tags)
{
	const uint32_t n = e->fault < NFAULTS && faults[e->fault].tag ? e->fault : 0;

	fputs("dwire: ", f);
	if (tags)
		fprintf(f, "[%s] ", faults[n].tag);
	fprintf(f, "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s", e->epid, p->id, p->prov, p->mod, p->func,
		p->name, faults[n].text);
	if (faults[n].addr)
		fprintf(f, " (0x%llx)", (unsigned long long)e->value);
	if (e->action)
		fprintf(f, " in action #%u", e->action);
	else
		fputs(" in predicate", f);
	fprintf(f, " at BPF pc %u\n", e->pc);
}
