/* match: the probes as users see them, and which of them a description means. Knows the providers' tables and D's
 * descriptions, nothing of the kernel. */
#ifndef DWIRE_PROV_MATCH_H
#define DWIRE_PROV_MATCH_H
#include "base/vec.h"
#include "lang/ast.h"
#include "prov/provider.h"

struct probe_list {
	struct arena *arena;
	VEC(struct probe) all; /* moves when it grows */
};

/* Every probe of the providers' tables, numbered from 1 in the order of -l. */
void probes_init(struct probe_list *l, struct arena *a);
/* Adds the probe that the description names when it is one that comes to be by being named (tick-7s). */
void probes_make(struct probe_list *l, const struct pdesc *pd);
bool probe_matches(const struct pdesc *pd, const struct probe *p);
/* What the writer of a description that matches nothing may have meant, as a hint; NULL: no idea. */
const char *probes_hint(const struct probe_list *l, const struct pdesc *pd);
#endif
