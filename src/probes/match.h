/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match: the probes as users see them, and which of them a description means. It knows the providers' tables and the
 * descriptions of D, and nothing of the kernel. */
#ifndef DWIRE_PROBES_MATCH_H
#define DWIRE_PROBES_MATCH_H
#include "base/vec.h"
#include "image/probe.h"
#include "lang/ast.h"

struct kernel_lists;
struct probe_list {
	struct arena *arena;
	const struct provider *const *providers; /* borrowed; ends with NULL */
	const struct kernel_lists *kernel;       /* borrowed; NULL: nothing is known of a kernel */
	VEC(struct probe) all;                   /* moves when it grows */
	size_t nread;                            /* providers whose lists have been looked at */
	uint32_t next_id, next_list_id, nuser;
	/* The long list that is being read, while it is: what is kept of it; NULL: all. Bits: what was kept so far. */
	bool in_long;
	const struct pdesc *wanted;
	uint32_t next_long;
	VEC(uint64_t) kept;
};

/* Every probe of the providers' tables, numbered from 1 in their order. */
void probes_init(struct probe_list *l, struct arena *a, const struct provider *const *providers,
	const struct kernel_lists *kernel);
/* The provider of that name that has a probe in the list; or NULL. */
const struct provider *probes_provider(const struct probe_list *l, const char *name);
/* Adds the probe that the description names when it is one that comes to be by being named (tick-7s), and those of the
 * kernel's lists when it could mean one of them (probes/lists.h). */
void probes_make(struct probe_list *l, const struct pdesc *pd);
/* D types of the probe's args[], NULL-terminated; NULL: none. */
const char *const *probe_args(struct probe_list *l, struct probe *p);
/* Reads what there is of a provider's probes; "": of all. */
void probes_read(struct probe_list *l, const char *prov);
bool probe_matches(const struct pdesc *pd, const struct probe *p);
/* Why a description that matches nothing cannot be: a message with its tag and a hint (or NULL); NULL: it is just that
 * nothing matches. why: what the message says besides that; or NULL. */
struct probe_fault {
	enum dtag tag;
	const char *message, *why, *hint;
};
const struct probe_fault *probes_fault(const struct probe_list *l, const struct pdesc *pd);
/* What the writer of a description that matches nothing may have meant, as a hint; NULL: no idea. */
const char *probes_hint(struct probe_list *l, const struct pdesc *pd);
/* The same of uprobe:/path:function, whose path looks like a predicate; at: where it begins. NULL: no such. */
const char *probes_hint_path(struct arena *a, struct loc at);
#endif
